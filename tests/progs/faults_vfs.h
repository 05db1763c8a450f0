/*
 * A file system for SQLite that fails once: the N-th call of all fails, or is the last one of its
 * process, or of its machine. It stands before the one of the system, in tests alone.
 */
#ifndef PM_TEST_FAULTS_VFS_H
#define PM_TEST_FAULTS_VFS_H

enum faults_how {
	FAULTS_NONE,
	FAULTS_ERROR, /* the call fails, nothing was done; a write for want of space */
	FAULTS_SHORT, /* of a write half is done, then it fails; other calls fail as above */
	FAULTS_KILL,  /* SIGKILL instead of the call */
	FAULTS_TORN,  /* of a write half is done, then SIGKILL; others as above */
	FAULTS_POWER, /* SIGKILL, and what was not synced since is there, torn or lost, at random */
};

/* What fails, by default nothing. The number of calls counts from 1. */
struct faults {
	enum faults_how how;
	unsigned long at;
	unsigned long seed; /* of what a loss of power takes */
	/* Set by the calls: */
	unsigned long calls;
	const char *failed; /* name of the call that failed, or would be the last, NULL: none yet */
};

extern struct faults faults;

/* Make it the file system of every database that is opened from now on. Returns 0 or -1. */
int faults_register(void);

#endif
