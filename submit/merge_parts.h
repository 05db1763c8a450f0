/* Files of a job to merge, loaded and new ones, and the job's hosts. */
#ifndef PM_SUBMIT_MERGE_PARTS_H
#define PM_SUBMIT_MERGE_PARTS_H

#include "db/db.h"
#include "submit/job/gather.h"

/* A file to merge. */
struct pm_late_part {
	const char *name;
	char *own; /* own, source: name and source of a loaded file, owned */
	char *source;
	enum pm_file_kind kind;
	uint64_t bytes;
	int64_t load_id, host_id; /* 0: not loaded; host unknown */
	int64_t owner;            /* as in struct pm_gather_file */
	int64_t loaded_us;
	uint32_t batch;                    /* if loaded: number of its source */
	const struct pm_gather_file *file; /* if new */
	char digest[PM_DIGEST_TEXT];
	int turn; /* metadata come first, then files of the job's user, then those of others */
	bool chosen;
	bool repeated; /* column names loaded earlier, but needed for new lines */
};

/* A host of the job in the database. */
struct pm_late_host {
	int64_t id;
	char *boot_id, *hostname;
	bool affected; /* new files concern the host */
	bool read;     /* its samples in the database are gathered */
};

/* Zero is empty. */
struct pm_merge_parts {
	struct pm_late_part *part;
	size_t parts, parts_cap;
	struct pm_late_host *host; /* sorted by id */
	size_t hosts, hosts_cap;
	struct pm_hashmap by_content,
		by_name;               /* name and digest of loaded parts, names of new parts */
	struct pm_hashmap by_batch;    /* source and time of load -> first loaded part */
	struct pm_hashmap by_host;     /* pm_late_host_hash -> index into host */
	struct pm_hashmap new_lines;   /* marks: new collated files, by host and batch */
	struct pm_hashmap new_columns; /* marks: new names of columns, by host */
};

/* Hash of a host's identity, as in pm_images_host: its boot id, or its name if that is missing or
 * empty. Either may be NULL; 0 if both are. */
uint64_t pm_late_host_hash(const char *boot_id, const char *hostname);

/* Hash of the host in a papiex file's name, and of its batch, 0 for any. */
uint64_t pm_late_papiex_hash(const char *name, uint32_t batch);

/* Read the loaded files of a job and its hosts. Returns 0 or -1 with e filled. */
int pm_merge_parts_load(struct pm_merge_parts *l, struct pm_db *db, int64_t job, struct pm_err *e);

/* Add the gathered files that are not loaded yet, as chosen; *added gets their number. Returns 0 or
 * -1 with e filled. */
int pm_merge_parts_add(struct pm_merge_parts *l, const struct pm_gather *g, size_t *added,
		       struct pm_err *e);

/* Mark the rows of this host in the database as affected. Returns the number of rows newly marked.
 */
size_t pm_merge_parts_mark(struct pm_merge_parts *l, const struct pm_host *h);

/* The host of the job with this id, NULL if there is none. */
struct pm_late_host *pm_merge_parts_host(const struct pm_merge_parts *l, int64_t id);

/* Choose the loaded files to merge with the new ones. Returns 0, or -1 if out of memory. */
int pm_merge_parts_choose(struct pm_merge_parts *l);

void pm_merge_parts_free(struct pm_merge_parts *l);

#endif
