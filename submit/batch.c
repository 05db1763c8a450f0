/* Archives that are read one after the other and written in one transaction. */
#include "config.h"

#include "submit/loading.h"

#include "common/grow.h"
#include "common/now.h"
#include "db/userdays.h"

#include <errno.h>
#include <stdlib.h>

/*
 * A batch is full with so many jobs, each of which has tens of kilobytes in memory and a lock of
 * PostgreSQL, or so many bytes of files. An archive of more jobs than JOBS_MAX is for no batch.
 */
#define BATCH_JOBS  256
#define BATCH_BYTES ((uint64_t)8 << 20)
#define JOBS_MAX    64

/* CPU time of the process in which an archive is read beside another thread: what takes longer is
 * left to the main thread, whose limit counts nothing of others. */
#define BESIDE_US ((int64_t)1000000)

/* An archive of the batch. */
struct archive {
	struct pm_loading loading;
	struct pm_load_set set;
	int64_t read_us; /* time to read it */
};

struct pm_load_batch {
	struct pm_db *db;
	struct pm_filecontent *keep; /* content of all files; NULL until the first is read */
	struct pm_userdays days;     /* changes of the transaction */
	struct archive **archive;
	size_t archives, cap;
	size_t jobs; /* of all archives */
};

struct pm_load_batch *pm_load_batch_new(struct pm_db *db)
{
	struct pm_load_batch *b = calloc(1, sizeof *b);

	if (b)
		b->db = db;
	return b;
}

static void free_archive(struct archive *a)
{
	pm_loading_free(&a->loading);
	pm_load_set_free(&a->set);
	free(a);
}

void pm_load_batch_free(struct pm_load_batch *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->archives; i++)
		free_archive(b->archive[i]);
	free(b->archive);
	pm_userdays_free(&b->days);
	pm_filecontent_free(b->keep);
	free(b);
}

/* Gather the jobs of an archive. Returns 0, or -1 with the failure reported and e filled. */
static int read_archive(struct pm_load_batch *b, struct archive *a, struct pm_err *e)
{
	struct pm_loading *l = &a->loading;
	int worst = 0, rc;

	rc = pm_load_begin(l, 0, e);
	b->keep = l->keep;
	if (l->o->beside)
		pm_within_hurry(&l->within, BESIDE_US);
	if (rc == 0)
		rc = pm_load_read_group(l, 0, &worst, e);
	pm_within_pause(&l->within);
	a->read_us = pm_now_monotonic_us() - l->began_us;
	return rc < 0 || worst < 0 ? -1 : 0;
}

int pm_load_batch_read(struct pm_load_batch *b, int fd, const char *name,
		       const struct pm_load_options *o, struct pm_err *e)
{
	struct archive *a = calloc(1, sizeof *a);

	if (!a || !PM_GROW(b->archive, b->archives, b->cap, 16) ||
	    pm_load_set_init(&a->set, &name, 1, e) < 0) {
		free(a);
		pm_err(e, "out of memory");
		if (o->trouble)
			*o->trouble = ENOMEM;
		o->failed(o->ctx, name, e);
		return PM_LOAD_BATCH_FAILED;
	}
	pm_operand_init(&a->set.operand[0], name, fd);
	a->loading = (struct pm_loading){
		.db = b->db, .o = o, .set = &a->set, .keep = b->keep, .days = &b->days
	};
	if (read_archive(b, a, e) < 0) {
		free_archive(a);
		return PM_LOAD_BATCH_FAILED;
	}
	if (a->loading.jobs > JOBS_MAX) {
		free_archive(a);
		return PM_LOAD_BATCH_LARGE;
	}
	b->jobs += a->loading.jobs;
	b->archive[b->archives] = a;
	return (int)b->archives++;
}

void pm_load_batch_settle(struct pm_load_batch *b)
{
	struct pm_err e;

	/* The wait before the batch is written reports a failure again. */
	if (b->keep)
		pm_filecontent_wait(b->keep, &e);
}

void pm_load_batch_drop(struct pm_load_batch *b)
{
	struct archive *a = b->archive[--b->archives];

	b->jobs -= a->loading.jobs;
	free_archive(a);
}

bool pm_load_batch_full(const struct pm_load_batch *b)
{
	return b->jobs >= BATCH_JOBS || (b->keep && pm_filecontent_bytes(b->keep) >= BATCH_BYTES);
}

static int write_archives(struct pm_load_batch *b, struct pm_err *e)
{
	for (size_t i = 0; i < b->archives; i++) {
		struct pm_loading *l = &b->archive[i]->loading;

		l->began_us = pm_now_monotonic_us() - b->archive[i]->read_us;
		pm_within_resume(&l->within);
		if (pm_load_gathered(l, e) < 0)
			return -1;
		/* What was gathered of it is not needed any more. */
		pm_loading_free(l);
	}
	return 0;
}

int pm_load_batch_write(struct pm_load_batch *b, struct pm_err *e)
{
	if (pm_db_begin(b->db, e) < 0)
		return -1;
	if (write_archives(b, e) == 0 && pm_userdays_apply(&b->days, b->db, e) == 0 &&
	    pm_db_commit(b->db, e) == 0)
		return 0;
	pm_db_rollback(b->db);
	return -1;
}

bool pm_load_batch_faulty(const struct pm_load_batch *b, int number)
{
	return b->archive[number]->loading.faulty;
}
