/*
 * Files of other users in a job's directory. A program of root's job that becomes another user has
 * a record file of that user there, which the user can fill at will: it may describe only that
 * user's processes and those that became that user. Programs only.
 */
#ifndef PM_GUEST_H
#define PM_GUEST_H

#include "common/record.h"

#include <stddef.h>
#include <stdint.h>

/* Users told apart; further ones count as one. */
#define PM_GUESTS_MAX 254

struct pm_guests {
	uint32_t uid[PM_GUESTS_MAX];
	uint8_t count;
	uint8_t now; /* user of the file being read: 1 + index; 0: the job's owner or root */
};

/* The uid in the name of a record file, HOST-UID.tsv or, numbered, HOST-UID.N.tsv; -1 for another
 * name. The host is that of the file's records. */
int64_t pm_guest_named(const char *file, struct pm_str hostname);

/* Begin a file of this user, or with -1 of the job's owner. */
void pm_guest_enter(struct pm_guests *g, int64_t uid);

#endif
