/*
 * Files of other users in a job's directory. Where a program of root's job became another user,
 * that user has a record file there, and can write what it likes into it: it may tell of its own
 * processes and of those that became it, and of nobody else's. Programs only.
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
	uint8_t now; /* whose file is read: 1 + index, 0 the job's owner or root */
};

/* The uid in the name of a record file, HOST-UID.tsv, of which several may be numbered
 * HOST-UID.N.tsv: -1 where it is another name. The host's name is that of the file's records. */
int64_t pm_guest_named(const char *file, struct pm_str hostname);

/* What follows is of a file of this user, or with -1 of the job's owner. */
void pm_guest_enter(struct pm_guests *g, int64_t uid);

#endif
