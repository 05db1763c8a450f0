/*
 * Files of other users in a job's directory. A program of root's job that becomes another user
 * writes a record file as that user, who can then change the file at will: it may describe only
 * that user's processes and processes that became that user.
 */
#ifndef PM_SUBMIT_JOB_GUEST_H
#define PM_SUBMIT_JOB_GUEST_H

#include "common/safe/record.h"
#include "submit/memory/hashmap.h"

#include <stddef.h>
#include <stdint.h>

/* Maximum number of users told apart; further users count as one. */
#define PM_GUESTS_MAX 254

struct pm_guests {
	uint32_t uid[PM_GUESTS_MAX];
	uint8_t count;
	uint8_t now; /* user of the file being read: 1 + index; 0: the job's owner or root */
};

/*
 * The uid in a record file's name, HOST-UID.tsv or numbered HOST-UID.N.tsv; -1 for root's and for
 * other names. HOST-PID-START.tsv is a process' own file. A host's name may itself end in a number:
 * `hosts`, the hosts that the names of the job's files show, tells the two apart. The file's
 * content does not count: its user can write anything there, but cannot choose names.
 */
int64_t pm_guest_named(const char *file, const struct pm_hashmap *hosts);

/* Add the host in a file's name to `hosts`, if it is metadata, root's record file or a process' own
 * file. Returns 0, or -1 if out of memory. */
int pm_guest_note_hosts(struct pm_hashmap *hosts, const char *file);

/* Begin a file of user `uid`, or with -1 of the job's owner. */
void pm_guest_enter(struct pm_guests *g, int64_t uid);

#endif
