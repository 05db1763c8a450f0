/* State of loading sources, shared by inputs.c, samejob.c, removal.c and load.c. */
#ifndef PM_SUBMIT_LOADING_H
#define PM_SUBMIT_LOADING_H

#include "submit/job/gather.h"
#include "submit/load.h"
#include "submit/remove.h"
#include "submit/within.h"

/* The name of standard input among sources. */
#define PM_LOAD_INPUT "-"

/* A job gathered from one or more sources. */
struct pm_load_job {
	struct pm_gather gather;
	struct pm_gather_known known;
	char *key;     /* identity of the job: see pm_load_group */
	char *sources; /* names of its sources, for messages */
	size_t last;   /* number of its last source */
	size_t count;
};

/* Maps a directory of a source to its job. */
struct pm_load_place {
	size_t source;
	char *directory;
	char *key;
};

struct pm_loading {
	struct pm_db *db;
	const struct pm_load_options *o;
	struct pm_filecontent *keep;
	bool scan;            /* only metadata are read */
	int archive;          /* descriptor of the archive being read, -1: a directory */
	uint64_t before;      /* bytes of the sources read before `source` */
	uint64_t done, total; /* bytes read, and bytes to read, 0 if unknown */
	const char *source;   /* source being read */
	size_t number;        /* number of the source */
	uid_t owner;
	struct pm_load_job **job;
	size_t jobs, jobs_cap;
	struct pm_hashmap by_key; /* key hash -> index into job */
	/* Loads and frees the jobs gathered so far; NULL if that is not possible. Returns 0 or -1
	 * with e filled. */
	int (*make_room)(struct pm_loading *l, struct pm_err *e);
	struct pm_load_job *current;
	const struct pm_load_place *place; /* jobs of directories, if several sources are loaded */
	size_t places;
	bool faulty;
	bool failed;            /* loading a job to make room failed */
	bool crowded;           /* too many jobs, and make_room is NULL */
	const char *kept;       /* why the current sources are not removed, or NULL */
	struct pm_remove taken; /* files of the current sources to remove */
	struct pm_within within;
	bool refused; /* gathering failed: no memory, or no temporary space */
	int64_t began_us;
};

/*
 * Gather a source, opened by its path, or through `fd` unless that is -1. Returns 0; 1 with e
 * filled if the source was damaged; -1 with e filled if it could not be read.
 */
int pm_load_read(struct pm_loading *l, const char *path, int fd, struct pm_err *e);

/* Size of a source on disk in bytes; 0 if unknown. */
uint64_t pm_load_size(const char *path);

/* Gather the current job of `db`, a database of EPMT at `path`. Returns 0 or -1 with e filled. */
struct pm_epmt_db;
int pm_load_read_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
		     struct pm_err *e);

/* Reason to keep sources that are not completely in the database. */
#define PM_REMOVAL_UNUSED "not all of it could be used"

/* Note in l->kept a reason against removing the sources of a loaded job. Returns 0 or -1 with e
 * filled. */
int pm_removal_judge(struct pm_loading *l, const struct pm_gather *g, int64_t job,
		     struct pm_err *e);

/* Remove the sources of group g, or report `why_not`. Returns 0, or 1 if a source is kept. */
int pm_removal_sources(struct pm_loading *l, const char *const *path, const size_t *group, size_t g,
		       size_t n, const char *why_not);

/* Free the gathered jobs. */
void pm_loading_free(struct pm_loading *l);

/*
 * Group sources with common jobs. group[i] gets the number of source i's group; *place and *places,
 * owned by the caller, tell which directories belong to the same job. Unreadable sources are
 * skipped: reading them again will report the error. Returns 0 or -1 with e filled.
 */
int pm_load_group(const char *const *path, size_t n, size_t *group, struct pm_load_place **place,
		  size_t *places, struct pm_err *e);
void pm_load_places_free(struct pm_load_place *place, size_t places);

#endif
