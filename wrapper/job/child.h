/* Running the command as a shell would: exact arguments, signals, status. */
#ifndef PM_WRAPPER_CHILD_H
#define PM_WRAPPER_CHILD_H

#include "common/err.h"

#include <sys/resource.h>
#include <sys/types.h>

/* Statuses of a command that could not be run (sh(1)). */
#define PM_CHILD_NOT_EXECUTABLE 126
#define PM_CHILD_NOT_FOUND      127

struct pm_child {
	pid_t pid;
	int exec_errno;      /* 0: it runs; else why execvp failed */
	int status;          /* of wait4 */
	struct rusage usage; /* of it and its waited-for descendants */
};

/*
 * Start argv with execvp in the environment envp; when it does not fit (E2BIG), in our own. Signals
 * that are sent to us from now on go on to the child. `born`, unless NULL, is called with the new
 * process, which executes nothing until it returns. Returns 0 with pid set, or with exec_errno
 * set when the program cannot be run; -1 with e filled when there is no process to be had.
 */
int pm_child_start(struct pm_child *c, char **argv, char **envp, void (*born)(pid_t pid),
		   struct pm_err *e);

/* Wait for it to end. Returns 0 or -1 with e filled. */
int pm_child_wait(struct pm_child *c, struct pm_err *e);

/* Become the parent of what descendants leave behind, from now on. */
void pm_child_adopt(void);

/*
 * Wait for every child that is left and call `ended` with each. Returns when there is none, or at
 * once when one of the signals arrives that would have been passed on. Returns 0, or 1 where
 * processes were left running.
 */
int pm_child_reap_orphans(void (*ended)(const struct pm_child *c, void *arg), void *arg);

/* Become the command; returns only when it cannot be run, with errno set. */
void pm_child_exec(char **argv, char **envp);

/* Say on standard error why the command cannot be run, as sh does. Returns 126 or 127. */
int pm_child_complain(const char *command, int why);

/* The exit status that a shell gives for a wait status: 128 + signal for a killed child. */
int pm_child_exit_status(int status);

/*
 * Where Ctrl-C ended the command and was meant for us as well, end by it, too: a shell sees by that
 * whether to go on with its script or loop, and would take an exit status for a command that coped.
 * Returns otherwise.
 */
void pm_child_follow(const struct pm_child *c);

#endif
