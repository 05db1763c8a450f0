/*
 * Load recorded jobs into an open database: used by `submit`, and by `report DIR` with a database
 * in memory.
 */
#ifndef PM_SUBMIT_LOAD_H
#define PM_SUBMIT_LOAD_H

#include "db/db.h"
#include "submit/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_progress;

enum pm_load_state {
	PM_LOAD_NEW,       /* the job was not in the database */
	PM_LOAD_APPENDED,  /* files or hosts were added to the job */
	PM_LOAD_REPLACED,  /* a newer state of files, or of the job, replaced the old one */
	PM_LOAD_UNCHANGED, /* everything was loaded already; nothing was written */
};

/* Result of loading one job. */
struct pm_load_result {
	int64_t job_id;     /* its row in table job; with `dry` 0 if it has none yet */
	const char *jobid;  /* job id, of an array with _<task> */
	const char *source; /* its sources, separated by ", " */
	enum pm_load_state state;
	int64_t processes, threads; /* of the whole job */
	int64_t lines, rejected;    /* of the new files */
	int64_t elapsed_us;         /* time to read and write them */
	const char *problems;       /* faults and oddities, separated by "; ", or "" */
	bool faulty;                /* there were faults */
};

struct pm_load_options {
	/* Called for each job after its transaction has been committed, or, in a batch, before; may
	 * be NULL. */
	void (*done)(void *ctx, const struct pm_load_result *r);
	/* Called for each source or job that could not be loaded; may be NULL. */
	void (*failed)(void *ctx, const char *source, const struct pm_err *e);
	/* Called for each archive of which only the intact part, if any, is loaded; may be NULL. */
	void (*damaged)(void *ctx, const char *source);
	/* Called for each source with `remove`, and never NULL then: `stays` tells why the source
	 * is kept, NULL if it was removed (or, with dry, would be). */
	void (*removed)(void *ctx, const char *source, const struct pm_err *stays);
	void *ctx;
	struct pm_progress *progress; /* progress display; may be NULL */
	/* Remove each source once its jobs are committed, if the jobs are over, nothing was
	 * rejected, skipped or wrong, and the source has not changed since it was read. */
	bool remove;
	/* After the commit, or in a batch before it, verify by queries that the database has each
	 * accepted line of the source; otherwise the load fails. Must be set with `remove`, and if
	 * the caller removes sources. */
	bool show;
	const struct pm_load_limits *limits; /* a source beyond them is not loaded; NULL: none */
	bool dry;                            /* the database is temporary: remove nothing */
	/* With `dry`: the real database, open for reading, whose jobs count as if they were in the
	 * temporary one; NULL: none. */
	struct pm_db *real;
	bool replace; /* replace jobs that the database has already */
	bool halt;    /* end after the first source that fails or has faults */
	bool strict;  /* load nothing from an archive that is damaged or names another user */
	/* The archive is read beside another thread, into a batch: one that takes more than a
	 * second fails, and one that has files of other tools, since converting their times changes
	 * the environment. */
	bool beside;
	/* Set if a source failed because the job that it is a part of is not in the database, or
	 * not yet; may be NULL. */
	bool *orphan;
	/* Set if the sources did not cause a failure: to ENOMEM if one of them needs more memory or
	 * temporary space than available, else to the error of the database. */
	int *trouble;
};

/*
 * Load every job of some sources: job directories, or archives of one or more jobs, "-" being an
 * archive on standard input. Parts of one job in several sources are merged. Each job is one
 * transaction. Skipped files cause a warning. Returns 0 if everything was loaded; 1 if something
 * was rejected, skipped or wrong and the rest was loaded; -1 if a source or job could not be loaded
 * (the others are); e has the last reason.
 */
int pm_load_sources(struct pm_db *db, const char *const *path, size_t n,
		    const struct pm_load_options *o, struct pm_err *e);

/* Like pm_load_sources, for one source. */
int pm_load_source(struct pm_db *db, const char *path, const struct pm_load_options *o,
		   struct pm_err *e);

/* Like pm_load_sources, for an archive open at its beginning; `name` is its name in messages and in
 * the database. The caller still owns the descriptor. */
int pm_load_archive(struct pm_db *db, int fd, const char *name, const struct pm_load_options *o,
		    struct pm_err *e);

/*
 * Archives of one transaction: they are read one after the other, which takes no lock of the
 * database, and then written together. For a database that many small jobs are loaded into: each
 * commit waits for the disk, and writes pages of indexes that the jobs of a batch share. A thread
 * may read a batch while another writes a batch; nothing else of the process may read sources then.
 */
struct pm_load_batch;

enum {
	PM_LOAD_BATCH_FAILED = -1, /* it cannot be loaded: e is filled and o->failed was called */
	PM_LOAD_BATCH_LARGE = -2,  /* it has too many jobs for a batch */
};

/* Begin a batch. Returns NULL if out of memory. */
struct pm_load_batch *pm_load_batch_new(struct pm_db *db);

/*
 * Read an archive that is open at its beginning. The options, which must be strict, and `name` must
 * stay as they are until the batch is freed. Returns its number in the batch; or PM_LOAD_BATCH_...,
 * less than 0: the archive is not in the batch.
 */
int pm_load_batch_read(struct pm_load_batch *b, int fd, const char *name,
		       const struct pm_load_options *o, struct pm_err *e);

/* Wait until the contents of all files are compressed, as writing the batch would. More archives
 * may be read after that. */
void pm_load_batch_settle(struct pm_load_batch *b);

/* Take the archive that was read last out of the batch. */
void pm_load_batch_drop(struct pm_load_batch *b);

/* Whether the batch should be written before further archives are read: what was read stays in
 * memory, and while it is written other writers wait. */
bool pm_load_batch_full(const struct pm_load_batch *b);

/*
 * Write all archives in one transaction. Returns 0; or -1 with e filled and nothing written,
 * whatever was told of single jobs by then: some of the archives may still be loaded by
 * pm_load_archive().
 */
int pm_load_batch_write(struct pm_load_batch *b, struct pm_err *e);

/* Whether something in an archive of a batch that was written was rejected, skipped or wrong. */
bool pm_load_batch_faulty(const struct pm_load_batch *b, int number);

void pm_load_batch_free(struct pm_load_batch *b);

/* Whether the files of a job's directory are loaded in their current state: none was added or grew
 * since. Returns 1, 0, or -1 if that cannot be determined. */
int pm_load_is_current(struct pm_db *db, int64_t job, int dir);

#endif
