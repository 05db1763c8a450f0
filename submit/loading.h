/* Sources on their way into the database: shared by source.c, group.c and load.c. Programs only. */
#ifndef PM_LOADING_H
#define PM_LOADING_H

#include "submit/gather.h"
#include "submit/load.h"
#include "submit/remove.h"
#include "submit/within.h"

/* The name of standard input among sources. */
#define PM_LOAD_INPUT "-"

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
	bool scan;            /* only metadata are read */
	int archive;          /* descriptor of the one that is read, -1 of a directory */
	uint64_t before;      /* bytes of the sources before it */
	uint64_t done, total; /* bytes read, and to be read, 0 where that is not known */
	const char *source;   /* being read */
	size_t number;        /* of it */
	uid_t owner;
	struct pm_load_job **job;
	size_t jobs, jobs_cap;
	struct pm_set by_key; /* hashes of their keys */
	/* Loads and forgets the jobs gathered so far, NULL where that cannot be. Returns 0 or -1
	 * with e filled. */
	int (*make_room)(struct pm_loading *l, struct pm_err *e);
	struct pm_load_job *current;
	const struct pm_load_place *place; /* of directories, where several sources are loaded */
	size_t places;
	bool faulty;
	bool failed;            /* a job that was loaded to make room was not */
	bool crowded;           /* there is no room for another job, nor a way to make it */
	const char *kept;       /* why the current sources are not to be removed, NULL: they are */
	struct pm_remove taken; /* files of the current sources, to be removed */
	struct pm_within within;
	bool refused; /* gathering failed itself: no memory, no room for temporary data */
	int64_t began_us;
};

/*
 * Gather a source: open it by its path, or by `fd` where that is not -1. Returns 0; 1 where it was
 * damaged, which was told; -1 with e filled where it could not be read.
 */
int pm_load_read(struct pm_loading *l, const char *path, int fd, struct pm_err *e);

/* Bytes of a source as it lies on disk; 0 where that is not to be told. */
uint64_t pm_load_size(const char *path);

/* Gather the job that a database of EPMT at `path` is at, as above. Returns 0 or -1 with e filled.
 */
struct pm_epmt_db;
int pm_load_read_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
		     struct pm_err *e);

/* Why sources are kept of which not all is in the database. */
#define PM_REMOVAL_UNUSED "not all of it could be used"

/* Note in l->kept what speaks against removing the sources of a job that was loaded. Returns 0 or
 * -1 with e filled. */
int pm_removal_judge(struct pm_loading *l, const struct pm_gather *g, int64_t job,
		     struct pm_err *e);

/* Remove the sources of group g, or tell `why_not`. Returns 0, or 1 where one stays. */
int pm_removal_sources(struct pm_loading *l, const char *const *path, const size_t *group, size_t g,
		       size_t n, const char *why_not);

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
