/*
 * Files of other users in a job's directory. A program of root's job that becomes another user has
 * a record file of that user there, which the user can fill at will: it may describe only that
 * user's processes and those that became that user. Programs only.
 */
#ifndef PM_GUEST_H
#define PM_GUEST_H

#include "common/record.h"
#include "submit/set.h"

#include <stddef.h>
#include <stdint.h>

/* Users told apart; further ones count as one. */
#define PM_GUESTS_MAX 254

struct pm_guests {
	uint32_t uid[PM_GUESTS_MAX];
	uint8_t count;
	uint8_t now; /* user of the file being read: 1 + index; 0: the job's owner or root */
};

/*
 * The uid in the name of a record file, HOST-UID.tsv or, numbered, HOST-UID.N.tsv; -1 for root's
 * and for other names. HOST-PID-START.tsv is a process' own file. Where a host's name may end in a
 * number, `hosts` tells the two apart: the hosts that the names of the job's files show. Nothing in
 * the file decides: its user can write what it likes there, but gives no names.
 */
int64_t pm_guest_named(const char *file, const struct pm_set *hosts);

/* Add to `hosts` what a file's name shows: metadata, root's record file, a process' own file.
 * Returns 0, or -1 without memory. */
int pm_guest_note_hosts(struct pm_set *hosts, const char *file);

/* Begin a file of this user, or with -1 of the job's owner. */
void pm_guest_enter(struct pm_guests *g, int64_t uid);

#endif
