/* The files of a job that may have to be put together, those loaded and new ones, and its hosts. */
#ifndef PM_LATE_PARTS_H
#define PM_LATE_PARTS_H

#include "db/db.h"
#include "submit/gather.h"

/* A file to be put together with others. */
struct pm_late_part {
	const char *name;
	char *own; /* name and source of a loaded one */
	char *source;
	enum pm_file_kind kind;
	uint64_t bytes;
	int64_t load_id, host_id; /* 0: not loaded; not known */
	int64_t owner;            /* as that of struct pm_gather_file */
	int64_t loaded_us;
	uint32_t batch; /* if loaded: number of the source that it was loaded from */
	const struct pm_gather_file *file; /* if new */
	char digest[PM_DIGEST_TEXT];
	int turn; /* metadata come first, then files of the job's user, then those of others */
	bool chosen;
	bool repeated; /* loaded column names that are needed for new lines */
};

/* A host of the job in the database. */
struct pm_late_host {
	int64_t id;
	char *boot_id, *hostname;
	bool affected; /* new files are about it, too */
};

/* Zero is empty. */
struct pm_late_parts {
	struct pm_late_part *part;
	size_t parts, parts_cap;
	struct pm_late_host *host; /* in order of their ids */
	size_t hosts, hosts_cap;
	struct pm_set by_content, by_name; /* of the parts that are loaded, of those that are new */
	struct pm_set by_batch;            /* of the first loaded part of each */
	struct pm_set by_host;             /* of hosts, as pm_late_host_hash */
	struct pm_set new_lines;           /* marks: new collated files, by host and batch */
	struct pm_set new_columns;         /* marks: new names of columns, by host */
};

/* Hash of what tells a host from others, as in pm_images_host: its boot id, its name where that is
 * missing or empty. Either may be NULL; 0 where there is neither. */
uint64_t pm_late_host_hash(const char *boot_id, const char *hostname);

/* Hash of the host of a file of papiex and the load that it comes with, 0 for any. */
uint64_t pm_late_papiex_hash(const char *name, uint32_t batch);

/* Read the loaded files of a job and its hosts. Returns 0 or -1 with e filled. */
int pm_late_parts_load(struct pm_late_parts *l, struct pm_db *db, int64_t job, struct pm_err *e);

/* Add the gathered files that are not loaded, chosen: *added of them. Returns 0 or -1 with e
 * filled. */
int pm_late_parts_add(struct pm_late_parts *l, const struct pm_gather *g, size_t *added,
		      struct pm_err *e);

/* Mark the hosts in the database that are this one as affected. Returns how many were not so
 * before. */
size_t pm_late_parts_mark(struct pm_late_parts *l, const struct pm_host *h);

/* Choose the loaded files to merge with the new ones. Returns 0, or -1 without memory. */
int pm_late_parts_choose(struct pm_late_parts *l);

void pm_late_parts_free(struct pm_late_parts *l);

#endif
