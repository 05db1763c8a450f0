/* Sources on their way into the database: shared by source.c, group.c and load.c. Programs only. */
#ifndef PM_LOADING_H
#define PM_LOADING_H

#include "submit/gather.h"
#include "submit/load.h"

/* A job of some sources. */
struct pm_load_job {
	struct pm_gather gather;
	struct pm_gather_known known;
	char *key;     /* what tells it from others: see pm_load_group */
	char *sources; /* all it comes from, for messages */
	size_t last;   /* number of the last of them */
	size_t count;
};

/* Which job a directory of a source belongs to. */
struct pm_load_place {
	size_t source;
	char *directory;
	char *key;
};

struct pm_loading {
	struct pm_db *db;
	const struct pm_load_options *o;
	struct pm_keep *keep;
	bool scan;          /* only metadata are read */
	const char *source; /* being read */
	size_t number;      /* of it */
	uid_t owner;
	struct pm_load_job **job;
	size_t jobs, jobs_cap;
	struct pm_load_job *current;
	const struct pm_load_place *place; /* of directories, where several sources are loaded */
	size_t places;
	bool faulty;
	bool refused; /* gathering failed itself: no memory, no room for temporary data */
	int64_t began_us;
};

/*
 * Gather a source: open it by its path, or by `fd` where that is not -1. Returns 0; 1 where it was
 * damaged, which was told; -1 with e filled where it could not be read.
 */
int pm_load_read(struct pm_loading *l, const char *path, int fd, struct pm_err *e);

/* Gather the job that a database of EPMT at `path` is at, as above. Returns 0 or -1 with e filled. */
struct pm_epmt_db;
int pm_load_read_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
		     struct pm_err *e);

/* Free the jobs gathered. */
void pm_loading_free(struct pm_loading *l);

/*
 * Find which of some sources have a job in common. group[i] gets a number that they share; *place
 * and *places, the caller's, tell which of their directories belong to the same job. What cannot
 * be read is passed over: reading it again will tell. Returns 0 or -1 with e filled.
 */
int pm_load_group(const char *const *path, size_t n, size_t *group, struct pm_load_place **place,
		  size_t *places, struct pm_err *e);
void pm_load_places_free(struct pm_load_place *place, size_t places);

#endif
