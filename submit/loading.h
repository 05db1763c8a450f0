/* State of loading sources, shared by inputs.c, samejob.c, removal.c, jobdb.c, loadjob.c, load.c,
 * batch.c and convert.c. */
#ifndef PM_SUBMIT_LOADING_H
#define PM_SUBMIT_LOADING_H

#include "submit/job/gather.h"
#include "submit/load.h"
#include "submit/operand.h"
#include "submit/remove.h"
#include "submit/unpacked.h"
#include "submit/within.h"

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

/* The sources of one load. */
struct pm_load_set {
	struct pm_operand *operand;
	size_t n;
	size_t *group;               /* number of each operand's group: its first operand */
	struct pm_load_place *place; /* jobs of directories, if several sources are loaded */
	size_t places;
	struct pm_unpacked unpacked; /* archives that were read to find common jobs */
};

struct pm_loading {
	struct pm_db *db;
	const struct pm_load_options *o;
	struct pm_filecontent *keep;
	/* A batch of loads shares `keep` and one transaction, which it ends after these
	 * changes; NULL: each job has a transaction of its own. */
	struct pm_userdays *days;
	bool defer;                 /* a group whose job is missing is loaded after the others */
	bool later;                 /* it is to be */
	bool orphan;                /* a failure was that a job is not in the database */
	bool scan;                  /* only metadata are read */
	struct pm_operand *operand; /* operand being read */
	uint64_t read;              /* bytes read of it, unpacked */
	uint64_t before;            /* bytes of the sources read before `source` */
	uint64_t done, total;       /* bytes read, and bytes to read, 0 if unknown */
	const char *source;         /* source being read */
	size_t number;              /* number of the source */
	uid_t owner;
	struct pm_load_job **job;
	size_t jobs, jobs_cap;
	struct pm_hashmap by_key; /* key hash -> index into job */
	/* Loads and frees the jobs gathered so far; NULL if that is not possible. Returns 0 or -1
	 * with e filled. */
	int (*make_room)(struct pm_loading *l, struct pm_err *e);
	struct pm_load_job *current;
	struct pm_load_set *set;      /* NULL: a source by itself */
	struct pm_unpacked *unpacked; /* with scan: keeps what is read of archives */
	bool faulty;
	bool failed;            /* loading a job to make room failed */
	bool crowded;           /* too many jobs, and make_room is NULL */
	const char *kept;       /* why the current sources are not removed, or NULL */
	struct pm_remove taken; /* files of the current sources to remove */
	struct pm_within within;
	bool refused; /* gathering failed: no memory, or no temporary space */
	int64_t began_us;
	const char *analyses; /* of a job of EPMT's, as JSON; NULL: none */
	int64_t job_id;       /* of the job that was loaded last, or found there; 0: none */
};

/*
 * Gather a source, which is opened unless it is open or unpacked already. Returns 0; 1 with e
 * filled if the source was damaged; -1 with e filled if it could not be read.
 */
int pm_load_read(struct pm_loading *l, struct pm_operand *o, struct pm_err *e);

/* Gather the current job of `db`, a database of EPMT at `path`. Returns 0 or -1 with e filled. */
struct pm_epmt_db;
int pm_load_read_job(struct pm_loading *l, const char *path, struct pm_epmt_db *db,
		     struct pm_err *e);

/*
 * Begin to read group g of the sources, which is no database. Without l->keep, one is made. Returns
 * 0 or -1 with the failure reported and e filled.
 */
int pm_load_begin(struct pm_loading *l, size_t g, struct pm_err *e);

/* Read the sources of a group that was begun. *worst gets -1 if one could not be loaded; failures
 * are reported. Returns 0, or -1 with e filled if none of the group can be. */
int pm_load_read_group(struct pm_loading *l, size_t g, int *worst, struct pm_err *e);

/* Write the gathered jobs. Returns 0, or -1 with the failure reported and e filled if one failed.
 */
int pm_load_gathered(struct pm_loading *l, struct pm_err *e);

/*
 * Copy every job of a database of perfmon, one transaction each, and report it. A job that is
 * loaded already stays as it is unless it is to be replaced; if it has other rows, a warning tells,
 * and l->faulty is set. Returns 0; 1 if the database is not perfmon's; -1 with e filled: some jobs
 * were not loaded.
 */
int pm_jobdb_load(struct pm_loading *l, const char *path, struct pm_err *e);

/* Resolve the path of a database, and check that nobody else could have written it, or exchange it
 * now. Returns the path, to be freed, or NULL with e filled. */
char *pm_jobdb_trusted_path(const char *path, struct pm_err *e);

/* Write a gathered job and report it to the caller. Returns 0 or -1 with e filled. */
int pm_load_job(struct pm_loading *l, struct pm_load_job *j, struct pm_err *e);

/* Note a failure that the sources did not cause: an errno. */
void pm_load_trouble(struct pm_loading *l, int why);

/* Reason to keep sources that are not completely in the database. */
#define PM_REMOVAL_UNUSED "some of its data could not be used"

/* Note in l->kept a reason against removing the sources of a loaded job. Returns 0 or -1 with e
 * filled. */
int pm_removal_judge(struct pm_loading *l, const struct pm_gather *g, int64_t job,
		     struct pm_err *e);

/* Remove the sources of group g, or report `why_not`. Returns 0, or 1 if a source is kept. */
int pm_removal_sources(struct pm_loading *l, size_t g, const char *why_not);

/* Free the gathered jobs. */
void pm_loading_free(struct pm_loading *l);

/* Begin a set of sources, each a group of its own. Returns 0 or -1 with e filled. */
int pm_load_set_init(struct pm_load_set *s, const char *const *path, size_t n, struct pm_err *e);

/*
 * Group sources with common jobs: fills s->group, and s->place, which tells the directories that
 * belong to the same job. Archives that are read for that are kept unpacked, as far as there is
 * room. Unreadable sources are skipped: reading them again will report the error. Returns 0 or -1
 * with e filled.
 */
int pm_load_group(struct pm_load_set *s, struct pm_err *e);

/* Close the sources and free the set. */
void pm_load_set_free(struct pm_load_set *s);

#endif
