/*
 * Loading recorded jobs into an open database: what `submit` does, and with a database in memory
 * what `report DIR` does. Programs only.
 */
#ifndef PM_LOAD_H
#define PM_LOAD_H

#include "db/db.h"
#include "submit/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_progress;

enum pm_load_state {
	PM_LOAD_NEW,       /* the job was not in the database */
	PM_LOAD_APPENDED,  /* files or hosts of it were added to what was there */
	PM_LOAD_REPLACED,  /* newer state of files, or of the job, replaced what was there */
	PM_LOAD_UNCHANGED, /* everything was there already; nothing was written */
};

/* What became of one job of a source. */
struct pm_load_result {
	int64_t job_id;     /* its row in table job; with dry 0 where it has none yet */
	const char *jobid;  /* job id, of an array with _<task> */
	const char *source; /* what it was in; of several, with ", " between */
	enum pm_load_state state;
	int64_t processes, threads; /* of the whole job */
	int64_t lines, rejected;    /* of the files read now */
	int64_t elapsed_us;         /* for reading and writing them */
	const char *problems; /* what was wrong or is odd, separated by "; ", "" for nothing */
	bool faulty;          /* something was wrong */
};

struct pm_load_options {
	/* Called for each job, after its transaction was committed; NULL: nothing. */
	void (*done)(void *ctx, const struct pm_load_result *r);
	/* Called for each source, or job of it, that could not be loaded; NULL: nothing. */
	void (*failed)(void *ctx, const char *source, const struct pm_err *e);
	/* With remove, called for each source: `stays` says why it is still there, NULL where it is
	 * removed (or, with dry, would be). Never NULL then. */
	void (*removed)(void *ctx, const char *source, const struct pm_err *stays);
	void *ctx;
	struct pm_progress *progress; /* told how far it is; NULL: nobody */
	/* Remove each source once its jobs are committed, where they are over, nothing of them was
	 * rejected, skipped or wrong, and the source is still what was read. */
	bool remove;
	/* Once the jobs of a source are committed, show by queries that the database has each
	 * accepted line of it; where it has not, that is a failure. To be set with remove, and
	 * where the caller removes sources. */
	bool show;
	const struct pm_load_limits *limits; /* beyond them nothing is loaded; NULL for none */
	bool dry;                            /* the database is none that stays: remove nothing */
	/* With dry: the one that stays, open for reading, whose jobs count as if they were in the
	 * other; NULL for none. */
	struct pm_db *real;
	bool replace; /* put the jobs in place of what the database has of them */
	bool strict;  /* load nothing of an archive that is damaged or names another user */
	/* Set where a failure is not of the sources: to ENOMEM where one of them needs more memory,
	 * or room for temporary data, than there is, else to what ails the database. */
	int *trouble;
};

/*
 * Load every job of some sources: job directories, or archives of one or more jobs, "-" being an
 * archive on standard input. What several of them have of one job is put together. Each job is one
 * transaction. What is skipped is warned about. Returns 0 when all of it was loaded; 1 when
 * something was rejected, skipped or wrong, the rest being loaded; -1 with e filled when a source
 * or job could not be loaded (the others are); e has the last reason.
 */
int pm_load_sources(struct pm_db *db, const char *const *path, size_t n,
		    const struct pm_load_options *o, struct pm_err *e);

/* The same for one source. */
int pm_load_source(struct pm_db *db, const char *path, const struct pm_load_options *o,
		   struct pm_err *e);

/* The same for an archive that is open at its beginning; `name` is its name in messages and in the
 * database. The descriptor stays the caller's. */
int pm_load_archive(struct pm_db *db, int fd, const char *name, const struct pm_load_options *o,
		    struct pm_err *e);

/* Whether the files of a job's directory are loaded as they are: none came or grew since. Returns
 * 1, 0, or -1 where that cannot be known. */
int pm_load_is_current(struct pm_db *db, int64_t job, int dir);

#endif
