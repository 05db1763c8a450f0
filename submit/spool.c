/* Run one pass over a spool. */
#include "config.h"

#include "submit/spool.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/workqueue.h"
#include "db/db.h"
#include "submit/load.h"
#include "submit/memory/filemem.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of an archive of a batch at most, and archives: of the first batch of a pass, so that the
 * next is read soon while it is written, and of later ones, each of up to twice as many. */
#define BATCH_BYTES ((off_t)1 << 20)
#define BATCH_FIRST 64
#define BATCH       256

/* A batch that fails is loaded in so many parts, and so is a part that fails. */
#define PARTS 8

/* Archives that are written together. */
struct batch {
	struct pm_load_batch *load; /* NULL: none */
	struct entry *entry[BATCH]; /* archives of the batch, and bad ones among them */
	int entries;
};

struct pass {
	struct pm_spool spool;
	struct pm_db *db;
	struct pm_spool_pass *count;
	bool remove;
	const struct pm_load_options *asked;
	const struct pm_load_limits *limits;
	char **name;                       /* archives in the spool */
	int names, next;                   /* their number; the one to be read next */
	struct batch batch;                /* read, and written when it is full */
	struct batch ahead;                /* being read while that is written */
	int most;                          /* archives of a batch now */
	int part;                          /* of a part of a batch that failed; 0: none did */
	struct pm_workqueue *reader;       /* the thread that reads ahead; NULL: none yet */
	const volatile sig_atomic_t *stop; /* end the pass */
	const char **orphan; /* archives whose job is not in the database, or not yet */
	size_t orphans;
	bool last; /* they are loaded now */
};

/* An archive of the spool that is being loaded. */
struct entry {
	struct pass *pass;
	const char *name;
	struct stat st;
	char path[PATH_MAX];
	int number;                  /* in the batch, or enum PM_LOAD_BATCH_... */
	struct pm_load_options load; /* options to load it */
	struct pm_load_result *result;
	size_t results, results_cap;
	struct pm_err reason; /* its faults, joined by "; " */
	int trouble;          /* see struct pm_load_options */
	bool orphan;          /* the same */
};

/* --- what is said of an archive --------------------------------------------------------------- */

static void add_reason(struct entry *x, const char *text)
{
	size_t n = strlen(x->reason.text);

	if (!text[0] || strstr(x->reason.text, text))
		return;
	if (n)
		snprintf(x->reason.text + n, sizeof x->reason.text - n, "; %s", text);
	else
		pm_err(&x->reason, "%s", text);
}

static void free_results(struct entry *x)
{
	for (size_t i = 0; i < x->results; i++) {
		free((char *)x->result[i].jobid);
		free((char *)x->result[i].problems);
	}
	free(x->result);
	x->result = NULL;
	x->results = x->results_cap = 0;
}

/* Keep a result until it is committed. Without memory it is not told: the job is loaded all the
 * same. */
static void keep_result(struct entry *x, const struct pm_load_result *r)
{
	struct pm_load_result *kept;

	if (!PM_GROW(x->result, x->results, x->results_cap, 1))
		return;
	kept = &x->result[x->results];
	*kept = *r;
	kept->source = x->path;
	kept->jobid = strdup(r->jobid);
	kept->problems = strdup(r->problems);
	x->results++;
	if (kept->jobid && kept->problems)
		return;
	x->results--;
	free((char *)kept->jobid);
	free((char *)kept->problems);
}

static void job_done(void *ctx, const struct pm_load_result *r)
{
	struct entry *x = ctx;
	char rejected[64];

	if (r->state != PM_LOAD_UNCHANGED) {
		if (r->faulty)
			add_reason(x, r->problems);
		snprintf(rejected, sizeof rejected, "%lld rejected lines", (long long)r->rejected);
		if (r->rejected)
			add_reason(x, rejected);
	}
	if (x->pass->asked->done)
		keep_result(x, r);
}

static void tell_results(struct entry *x)
{
	const struct pm_load_options *asked = x->pass->asked;

	for (size_t i = 0; i < x->results; i++)
		asked->done(asked->ctx, &x->result[i]);
}

static void source_failed(void *ctx, const char *source, const struct pm_err *e)
{
	(void)source;
	add_reason(ctx, e->text);
}

/* --- one archive ------------------------------------------------------------------------------ */

static struct entry *new_entry(struct pass *p, const char *name, const struct stat *st)
{
	struct entry *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->pass = p;
	x->name = name;
	x->st = *st;
	x->number = -1;
	if (snprintf(x->path, sizeof x->path, "%s/%s", p->spool.path, name) >= (int)sizeof x->path)
		snprintf(x->path, sizeof x->path, "%s", name);
	x->load = (struct pm_load_options){ .done = job_done,
					    .failed = source_failed,
					    .ctx = x,
					    .strict = true,
					    .show = p->remove,
					    .limits = p->limits,
					    .orphan = &x->orphan,
					    .trouble = &x->trouble };
	return x;
}

static void free_entry(struct entry *x)
{
	free_results(x);
	free(x);
}

/* Move an archive; if that fails, report it and leave the archive in the spool. */
static void move_archive(struct entry *x, bool aside)
{
	struct pass *p = x->pass;
	bool remove = p->remove && !aside && !x->reason.text[0];
	struct pm_err e;

	if (aside)
		pm_error("spool %s: %s is set aside: %s", p->spool.path, x->name, x->reason.text);
	else if (x->reason.text[0])
		pm_warn("spool %s: %s: %s", p->spool.path, x->name, x->reason.text);
	if (pm_spool_move(&p->spool, x->name, &x->st, aside, x->reason.text, remove, &e) < 0) {
		pm_error("spool %s: %s: %s", p->spool.path, x->name, e.text);
		p->count->faulty++;
		p->count->left++;
	} else if (aside) {
		p->count->aside++;
	} else {
		p->count->loaded++;
		p->count->faulty += x->reason.text[0] != '\0';
	}
}

/* An archive is loaded, all of it or, with `faulty`, a part. */
static void archive_loaded(struct entry *x, bool faulty)
{
	tell_results(x);
	if (faulty && !x->reason.text[0])
		add_reason(x, "members of it were skipped; perfmon submit names them");
	move_archive(x, false);
}

/* Load an open archive in a transaction of its own. Returns 0 to go on, 1 to end the pass because
 * the database is unavailable. */
static int load_alone(struct entry *x, int fd)
{
	struct pass *p = x->pass;
	struct pm_err e;
	int rc = pm_load_archive(p->db, fd, x->path, &x->load, &e);

	if (rc < 0 && x->trouble) {
		pm_error("%s is left in the spool: %s", x->path, x->reason.text);
		p->count->again = true;
		p->count->left++;
		/* Memory that was too small for one archive may suffice for the next. */
		return x->trouble != ENOMEM;
	}
	if (rc >= 0) {
		archive_loaded(x, rc > 0);
		return 0;
	}
	if (x->orphan && !p->last) {
		p->orphan[p->orphans++] = x->name;
		return 0;
	}
	tell_results(x);
	move_archive(x, true);
	return 0;
}

/* --- read ahead ------------------------------------------------------------------------------- */

/* One without archives is not full, though it may have read much of one that it gave up. */
static bool is_full(const struct pass *p, const struct batch *b)
{
	return b->entries >= (p->part ? p->part : p->most) || (b->entries && !b->load) ||
	       (b->entries && pm_load_batch_full(b->load));
}

/*
 * Read an archive into the batch that is read ahead, if there is nothing to tell of it: one that is
 * large, fails, has files of other tools or causes a message is not read or forgotten again. The
 * pass then reads it when its turn comes, as if nothing had happened. Returns whether it was read.
 */
static bool read_one_ahead(struct pass *p, struct batch *b, const char *name)
{
	struct entry *x = NULL;
	int64_t due_us = INT64_MAX;
	struct stat st;
	struct pm_err e;
	int fd;

	if (pm_spool_look(&p->spool, name, pm_config_int(PM_SET_spool_age), &fd, &st, &due_us,
			  &e) != PM_SPOOL_TAKE)
		return false;
	if (st.st_size <= BATCH_BYTES)
		x = new_entry(p, name, &st);
	if (x) {
		x->load.beside = true;
		pm_log_hold();
		x->number = pm_load_batch_read(b->load, fd, x->path, &x->load, &e);
		if (pm_log_held() && x->number >= 0) {
			pm_load_batch_drop(b->load);
			x->number = PM_LOAD_BATCH_FAILED;
		}
	}
	close(fd);
	if (x && x->number >= 0) {
		b->entry[b->entries++] = x;
		return true;
	}
	if (x)
		free_entry(x);
	return false;
}

/* In the thread: read archives until the batch is full or one is for the pass itself. */
static int read_ahead(void *ctx, void *item, struct pm_err *e)
{
	struct pass *p = ctx;
	struct batch *b = item;

	(void)e;
	while (p->next < p->names && !is_full(p, b) && !*p->stop &&
	       read_one_ahead(p, b, p->name[p->next]))
		p->next++;
	pm_load_batch_settle(b->load);
	return 0;
}

/* Begin to read the next batch. Until end_ahead() this thread reads no archive. */
static void begin_ahead(struct pass *p)
{
	struct pm_err e;

	if (p->last || p->next == p->names || *p->stop)
		return;
	if (!p->reader)
		p->reader = pm_workqueue_new(read_ahead, NULL, p, 1);
	if (p->reader)
		p->ahead.load = pm_load_batch_new(p->db);
	if (p->ahead.load)
		pm_workqueue_give(p->reader, &p->ahead, &e);
}

static void end_ahead(struct pass *p)
{
	struct pm_err e;

	if (p->reader)
		pm_workqueue_wait(p->reader, &e);
}

/* Forget a batch: its archives stay in the spool. */
static void drop_batch(struct pass *p, struct batch *b)
{
	p->count->left += b->entries;
	pm_load_batch_free(b->load);
	while (b->entries)
		free_entry(b->entry[--b->entries]);
	b->load = NULL;
}

/* --- a batch of archives ---------------------------------------------------------------------- */

static int process_entry(struct pass *p, const char *name, bool alone);

/* Whether an archive of a batch is still to be loaded. */
static bool is_left(const struct entry *x, bool written)
{
	return x->number >= 0 ? !written : x->number == PM_LOAD_BATCH_LARGE || x->trouble != 0;
}

static int end_batch(struct pass *p);

/* Write a batch. Returns whether it is committed. If not, *parts tells whether an archive is to
 * blame, not the database. */
static bool write_batch(struct pass *p, const struct batch *b, bool *parts)
{
	struct pm_err e;
	int failure;

	*parts = false;
	if (!b->load)
		return false;
	pm_db_failure(p->db);
	if (pm_load_batch_write(b->load, &e) == 0)
		return true;
	failure = pm_db_failure(p->db);
	*parts = b->entries >= 2 * PARTS && (!failure || failure == EINVAL || failure == ETIME);
	pm_debug("spool %s: %d archives are loaded %s: %s", p->spool.path, b->entries,
		 *parts ? "in parts" : "one by one", e.text);
	return false;
}

/*
 * Load what is left of a batch: one by one, or in parts, so that an archive that made it fail costs
 * few others a transaction each. Returns the same as load_alone().
 */
static int load_rest(struct pass *p, struct batch *b, bool written, bool parts)
{
	int part = p->part, end = 0;

	p->part = parts ? b->entries / PARTS : 1;
	for (int i = 0; i < b->entries; i++) {
		struct entry *x = b->entry[i];
		bool alone = p->part == 1 || x->number == PM_LOAD_BATCH_LARGE;

		if (is_left(x, written) && end == 0 && !*p->stop)
			end = process_entry(p, x->name, alone);
		else if (is_left(x, written))
			p->count->left++;
		if (end == 0 && is_full(p, &p->batch))
			end = end_batch(p);
		free_entry(x);
	}
	if (end == 0 && p->batch.entries)
		end = end_batch(p);
	p->part = part;
	return end;
}

/*
 * Write what was read and move the archives. If the transaction fails, each archive is read and
 * loaded again by load_rest(), alone in the end: what made it fail then costs no other, and is
 * told. The batch after it is read meanwhile, but for parts. Returns the same as load_alone().
 */
static int end_batch(struct pass *p)
{
	struct batch b = p->batch;
	bool written, parts;
	int end;

	p->batch = (struct batch){ .load = NULL };
	if (!p->part) {
		p->most = 2 * p->most < BATCH ? 2 * p->most : BATCH;
		begin_ahead(p);
	}
	written = write_batch(p, &b, &parts);
	for (int i = 0; i < b.entries; i++) {
		struct entry *x = b.entry[i];

		if (x->number >= 0 && written)
			archive_loaded(x, pm_load_batch_faulty(b.load, x->number));
		else if (x->number == PM_LOAD_BATCH_FAILED && !x->trouble)
			move_archive(x, true);
	}
	pm_load_batch_free(b.load);
	if (p->part)
		return load_rest(p, &b, written, parts);
	end_ahead(p);
	end = load_rest(p, &b, written, parts);
	if (end == 0 && !*p->stop && p->ahead.entries)
		p->batch = p->ahead;
	else
		drop_batch(p, &p->ahead);
	p->ahead = (struct batch){ .load = NULL };
	return end;
}

/* Read an open archive into the batch, which begins if need be. */
static void add_to_batch(struct entry *x, int fd)
{
	struct batch *b = &x->pass->batch;
	struct pm_err e;

	if (!b->load)
		b->load = pm_load_batch_new(x->pass->db);
	if (b->load)
		x->number = pm_load_batch_read(b->load, fd, x->path, &x->load, &e);
	else
		x->trouble = ENOMEM;
	b->entry[b->entries++] = x;
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* Load an archive, or read it into the batch unless `alone`. Returns the same as load_alone(). */
static int load_archive(struct pass *p, const char *name, int fd, const struct stat *st, bool alone)
{
	struct entry *x = new_entry(p, name, st);
	int end = 0;

	if (!x) {
		pm_error("spool %s: %s is left there: out of memory", p->spool.path, name);
		p->count->again = true;
		p->count->left++;
		return 0;
	}
	if (!alone && st->st_size <= BATCH_BYTES) {
		add_to_batch(x, fd);
		return 0;
	}
	/* Archives are loaded in the order of their names. */
	if (p->batch.entries)
		end = end_batch(p);
	if (end == 0)
		end = load_alone(x, fd);
	else
		p->count->left++;
	free_entry(x);
	return end;
}

static int process_entry(struct pass *p, const char *name, bool alone)
{
	struct entry *x;
	struct stat st;
	struct pm_err e;
	int fd, rc = 0;

	switch (pm_spool_look(&p->spool, name, pm_config_int(PM_SET_spool_age), &fd, &st,
			      &p->count->due_us, &e)) {
	case PM_SPOOL_TAKE:
		rc = load_archive(p, name, fd, &st, alone);
		close(fd);
		break;
	case PM_SPOOL_LEAVE:
		p->count->left++;
		break;
	case PM_SPOOL_ASIDE:
		x = new_entry(p, name, &st);
		if (x) {
			add_reason(x, e.text);
			move_archive(x, true);
			free_entry(x);
			break;
		}
		pm_err(&e, "out of memory");
		/* fall through */
	case PM_SPOOL_AGAIN:
		pm_error("spool %s: %s is left there: %s", p->spool.path, name, e.text);
		p->count->left++;
		p->count->again = true;
		break;
	}
	return rc;
}

/* Load what is in the spool. Returns the same as load_alone(). */
static int load_names(struct pass *p)
{
	int end = 0;

	while (end == 0 && !*p->stop) {
		if (is_full(p, &p->batch))
			end = end_batch(p);
		else if (p->next < p->names)
			end = process_entry(p, p->name[p->next++], false);
		else
			break;
	}
	if (p->batch.entries && end == 0)
		end = end_batch(p);
	drop_batch(p, &p->batch);
	pm_workqueue_free(p->reader);
	p->reader = NULL;
	p->count->left += p->names - p->next;
	p->last = true;
	for (size_t i = 0; i < p->orphans; i++)
		if (end == 0 && !*p->stop)
			end = process_entry(p, p->orphan[i], true);
		else
			p->count->left++;
	p->count->more = end == 0 && *p->stop && p->count->left > 0;
	return end;
}

static int run_pass(struct pass *p, struct pm_err *e)
{
	int n, end = 0;

	n = pm_spool_lock(&p->spool, e);
	if (n > 0) {
		p->count->again = true;
		return pm_err(e, "spool %s: another perfmon is loading it", p->spool.path);
	}
	if (n < 0)
		return -1;
	p->names = n = pm_spool_list(&p->spool, &p->name, e);
	if (n < 0)
		return -1;
	p->orphan = calloc((size_t)n + 1, sizeof *p->orphan);
	if (!p->orphan) {
		p->count->again = true;
		p->count->left += n;
		end = pm_err(e, "out of memory");
	}
	/* Without anything to load, do not open the database. */
	if (end == 0 && n > 0 &&
	    pm_db_open(&p->db, pm_config_get(PM_SET_db), PM_DB_WRITE_SOON, e) < 0) {
		p->count->again = true;
		p->count->left += n;
		end = -1;
	}
	pm_filemem_prepare();
	if (end == 0)
		end = load_names(p);
	for (int i = 0; i < n; i++)
		free(p->name[i]);
	free(p->name);
	free(p->orphan);
	pm_db_close(p->db);
	return end < 0 ? -1 : 0;
}

int pm_spool_run(const char *path, bool remove, const struct pm_load_options *o,
		 const volatile sig_atomic_t *stop, struct pm_spool_pass *count, struct pm_err *e)
{
	const struct pm_load_limits limits = {
		.cpu_us = pm_config_int(PM_SET_spool_cpu),
		.hosts = (uint64_t)pm_config_int(PM_SET_spool_hosts),
		.series = (uint64_t)pm_config_int(PM_SET_spool_series),
		.rows = (uint64_t)pm_config_int(PM_SET_spool_rows),
	};
	struct pass p = { .count = count,
			  .remove = remove,
			  .asked = o,
			  .limits = &limits,
			  .stop = stop,
			  .most = BATCH_FIRST };
	int rc;

	memset(count, 0, sizeof *count);
	count->due_us = INT64_MAX;
	if (pm_spool_open(&p.spool, path, e) < 0)
		return -1;
	rc = run_pass(&p, e);
	pm_spool_close(&p.spool);
	return rc;
}
