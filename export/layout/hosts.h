/* The hosts of a job by names that differ. */
#ifndef PM_EXPORT_LAYOUT_HOSTS_H
#define PM_EXPORT_LAYOUT_HOSTS_H

#include "common/err.h"
#include "db/db.h"

#include <stddef.h>
#include <stdint.h>

/* Room for the part of a file's name that is a host's. */
#define PM_HOSTS_FILE 224

struct pm_hosts_host {
	int64_t id;
	char *name;        /* UTF-8, and no other host's */
	const char *march; /* the microarchitecture for formulas, a constant; NULL: unknown */
};

struct pm_hosts {
	struct pm_hosts_host *host;
	size_t n, room;
};

/*
 * Read the hosts of a job, in the order of their numbers. A name that is unknown is host-NUMBER;
 * one that another host has, or that is among `reserved`, words with blanks between, gets #NUMBER
 * behind it. Returns 0, or -1 with e filled. To be freed in either case.
 */
int pm_hosts_read(struct pm_hosts *h, struct pm_db *db, int64_t job, const char *reserved,
		  struct pm_err *e);
void pm_hosts_free(struct pm_hosts *h);

/* Write a host's name as a part of a file's: letters, digits, - and _, and a dot but the first one,
 * stay; other bytes are %XX. One that is too long is cut, with ~ and its number behind. */
void pm_hosts_file(char file[PM_HOSTS_FILE], const struct pm_hosts_host *host);

#endif
