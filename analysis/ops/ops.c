/* Add up the processes of operations. */
#include "config.h"

#include "analysis/ops/ops.h"

#include "analysis/ops/eachjob.h"
#include "common/grow.h"
#include "common/memtext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum pm_tagsum_figure fixed[PM_OPS_FIXED] = {
	[PM_OPS_DURATION] = PM_TAGSUM_duration_us,
	[PM_OPS_THREADS] = PM_TAGSUM_numtids,
};

/* Whether a figure is read already. */
static bool is_chosen(const struct pm_ops *x, const struct pm_tagfigure *figure)
{
	for (size_t i = 0; i < x->metrics; i++)
		if (x->metric[i] == figure)
			return true;
	return false;
}

/* Add the figures of a name of n bytes, "*" for all. Returns 0 or -1 with e filled. */
static int add_metric(struct pm_ops *x, const char *name, size_t n, struct pm_err *e)
{
	const bool all = n == 1 && *name == '*';
	bool found = false;

	for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++) {
		const struct pm_tagfigure *figure = &pm_tagfigures[i];

		if (!all && (strlen(figure->name) != n || memcmp(figure->name, name, n) != 0))
			continue;
		found = true;
		if (!is_chosen(x, figure))
			x->metric[x->metrics++] = figure;
	}
	if (found)
		return 0;
	pm_err(e, "'%.*s' is no figure of processes:", (int)(n < 80 ? n : 80), name);
	for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++) {
		const size_t have = strlen(e->text);

		snprintf(e->text + have, sizeof e->text - have, "%s %s", i ? "," : "",
			 pm_tagfigures[i].name);
	}
	return -1;
}

int pm_ops_choose(struct pm_ops *x, const char *words, struct pm_err *e)
{
	memset(x, 0, sizeof *x);
	for (size_t i = 0; i < PM_OPS_FIXED; i++)
		x->metric[x->metrics++] = &pm_tagfigures[fixed[i]];
	for (;; words++) {
		const size_t n = strcspn(words, ",");

		if (add_metric(x, words, n, e) < 0)
			return -1;
		words += n;
		if (!*words)
			return 0;
	}
}

/* Columns before the figures. */
enum { AT_SET, AT_START, AT_END, AT_METRICS };

/* The SQL of a job's rows, to be freed; NULL if out of memory. */
static char *make_sql(const struct pm_ops *x)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);

	if (!out)
		return NULL;
	fputs("SELECT tag_set, start_us, end_us", out);
	for (size_t i = 0; i < x->metrics; i++)
		fprintf(out, ", %s", x->metric[i]->name);
	fputs(" FROM process WHERE job_id = ? AND tag_set IS NOT NULL", out);
	return pm_memtext_end(out, &sql);
}

/* Columns of sums before the figures, each of which has two. */
enum { SUM_SET, SUM_PROCESSES, SUM_TIMED, SUM_START, SUM_FINISH, SUM_RUNS, SUM_METRICS };

/* The SQL of the sums of a job's sets of tags, to be freed; NULL if out of memory. */
static char *make_sums_sql(const struct pm_ops *x)
{
	char *sql;
	size_t n;
	FILE *out = open_memstream(&sql, &n);

	if (!out)
		return NULL;
	fprintf(out, "SELECT tag_set, processes, timed, start_us, finish_us, %s",
		x->sums ? "NULL" : "runs");
	for (size_t i = 0; i < x->metrics; i++)
		fprintf(out, ", %s, %s_known", x->metric[i]->name, x->metric[i]->name);
	fputs(" FROM tag_summary WHERE job_id = ?", out);
	return pm_memtext_end(out, &sql);
}

static int64_t number_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? PM_OPS_UNKNOWN : pm_db_int(q, i);
}

/* A row: the times of a process, and its figures. */
struct row {
	bool started, ended;
	int64_t start_us, end_us;
	bool known[PM_TAGSUM_FIGURES];
	int64_t value[PM_TAGSUM_FIGURES];
};

static void take_row(struct row *r, struct pm_stmt *q, size_t n)
{
	r->started = !pm_db_is_null(q, AT_START);
	r->ended = !pm_db_is_null(q, AT_END);
	r->start_us = pm_db_int(q, AT_START);
	r->end_us = pm_db_int(q, AT_END);
	for (size_t i = 0; i < n; i++) {
		r->known[i] = !pm_db_is_null(q, AT_METRICS + (int)i);
		if (r->known[i])
			r->value[i] = pm_db_int(q, AT_METRICS + (int)i);
	}
}

static int add_row(const struct pm_ops *x, struct pm_op *op, const struct row *r, int64_t job,
		   struct pm_err *e)
{
	op->processes++;
	if (op->last_job != job) {
		op->last_job = job;
		op->jobs++;
	}
	if (r->started && (op->start_us == PM_OPS_UNKNOWN || r->start_us < op->start_us))
		op->start_us = r->start_us;
	/* What is unknown is less than any time. */
	if (r->ended && r->end_us > op->finish_us)
		op->finish_us = r->end_us;
	for (size_t i = 0; i < x->metrics; i++)
		if (r->known[i])
			pm_knownsum_add(&op->value[i], r->value[i], x->metric[i]->peak);
	if (x->sums || !r->started || !r->ended || !pm_intervals_valid(r->start_us, r->end_us))
		return 0;
	op->timed++;
	return pm_intervals_add(&op->runs, r->start_us, r->end_us) ? 0 : pm_err(e, "out of memory");
}

/* Make room for the operations that the sets of a job brought. Returns 0 or -1 with e filled. */
static int follow_sets(struct pm_ops *x, struct pm_err *e)
{
	while (x->ops < x->sets.ops) {
		struct pm_knownsum *value = malloc(x->metrics * sizeof *value);

		if (!value || !PM_GROW(x->op, x->ops, x->room, 16)) {
			free(value);
			return pm_err(e, "out of memory");
		}
		for (size_t i = 0; i < x->metrics; i++)
			value[i] = (struct pm_knownsum){ PM_OPS_UNKNOWN, 0 };
		x->op[x->ops] = (struct pm_op){ .job = x->sets.op[x->ops].job,
						.start_us = PM_OPS_UNKNOWN,
						.finish_us = PM_OPS_UNKNOWN,
						.value = value };
		x->ops++;
	}
	return 0;
}

/* One of those who read at a time. */
struct reader {
	struct pm_ops *x;
	const struct pm_ops_ask *ask;
	const char *sql, *sums_sql;
	/* NULL before its first job */
	struct pm_stmt *q;    /* of processes */
	struct pm_stmt *sums; /* of sums of sets of tags, which large jobs have */
};

/* Add an operation that another has read, of other jobs. */
static int join_op(const struct pm_ops *x, struct pm_op *to, const struct pm_op *from,
		   struct pm_err *e)
{
	to->jobs += from->jobs;
	to->processes += from->processes;
	to->timed += from->timed;
	if (from->start_us != PM_OPS_UNKNOWN &&
	    (to->start_us == PM_OPS_UNKNOWN || from->start_us < to->start_us))
		to->start_us = from->start_us;
	if (from->finish_us > to->finish_us)
		to->finish_us = from->finish_us;
	for (size_t i = 0; i < x->metrics; i++)
		pm_knownsum_join(&to->value[i], &from->value[i], x->metric[i]->peak);
	for (size_t i = 0; i < from->runs.count; i++)
		if (!pm_intervals_add(&to->runs, from->runs.at[i].start_us,
				      from->runs.at[i].end_us))
			return pm_err(e, "out of memory");
	return 0;
}

/* Whether sums are as a load can have written them: others may be beyond any number. */
static bool is_sound(const struct pm_op *sum, const struct pm_ops *x, const void *runs)
{
	if (sum->processes < 1 || sum->processes > PM_TAGSUMS_MOST || sum->timed < 0 ||
	    sum->timed > sum->processes || (sum->timed > 0 && !x->sums && !runs))
		return false;
	for (size_t i = 0; i < x->metrics; i++)
		if (sum->value[i].known < 0 || sum->value[i].known > sum->processes)
			return false;
	return true;
}

/* The current row of sums, of a set of tags. Returns 0 or -1 with e filled. */
static int take_sums(struct pm_op *sum, const struct pm_ops *x, struct pm_stmt *q, int64_t job,
		     struct pm_err *e)
{
	size_t n;
	const void *runs = pm_db_blob(q, SUM_RUNS, &n);
	int rc;

	sum->processes = pm_db_int(q, SUM_PROCESSES);
	sum->timed = x->sums ? 0 : pm_db_int(q, SUM_TIMED);
	sum->start_us = number_of(q, SUM_START);
	sum->finish_us = number_of(q, SUM_FINISH);
	for (size_t i = 0; i < x->metrics; i++) {
		const int at = SUM_METRICS + 2 * (int)i;

		sum->value[i] = (struct pm_knownsum){ number_of(q, at), pm_db_int(q, at + 1) };
	}
	sum->runs.count = sum->runs.merged = 0;
	if (!is_sound(sum, x, runs))
		return pm_err(e,
			      "job number %" PRId64 ": totals of the tags in set %" PRId64
			      " are damaged; perfmon verify finds what else is",
			      job, pm_db_int(q, SUM_SET));
	rc = runs ? pm_intervals_decode(&sum->runs, runs, n) : 0;
	if (rc == -2)
		return pm_err(e,
			      "job number %" PRId64 ": runs of the tags in set %" PRId64
			      " are damaged; perfmon verify finds what else is",
			      job, pm_db_int(q, SUM_SET));
	return rc < 0 ? pm_err(e, "out of memory") : 0;
}

/* Read the sums of a job's sets of tags. Returns 1, 0 if it has none, or -1 with e filled. */
static int read_sums(struct reader *r, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_knownsum value[PM_TAGSUM_FIGURES];
	struct pm_op sum = { .value = value };
	struct pm_ops *x = r->x;
	int rc, found = 0;

	if (!r->sums && pm_db_prepare(db, r->sums_sql, &r->sums, e) < 0)
		return -1;
	pm_db_reset(r->sums);
	pm_db_bind_int(r->sums, 1, job);
	while ((rc = pm_db_step(r->sums, e)) > 0) {
		size_t n;
		const uint32_t *of = pm_opsets_of(&x->sets, job, pm_db_int(r->sums, SUM_SET), &n);

		found = 1;
		if (n && (rc = take_sums(&sum, x, r->sums, job, e)) < 0)
			break;
		for (size_t k = 0; k < n && rc >= 0; k++) {
			struct pm_op *op = &x->op[of[k]];

			sum.jobs = op->last_job != job;
			op->last_job = job;
			rc = join_op(x, op, &sum, e);
		}
		if (rc < 0)
			break;
	}
	pm_intervals_free(&sum.runs);
	return rc < 0 ? -1 : found;
}

static int read_job(void *ctx, struct pm_db *db, size_t i, struct pm_err *e)
{
	struct reader *r = ctx;
	struct pm_ops *x = r->x;
	const int64_t job = r->ask->job[i];
	struct row row;
	int rc;

	pm_opsets_clear(&x->sets);
	if (pm_opsets_add(&x->sets, db, job, e) < 0 || follow_sets(x, e) < 0)
		return -1;
	/* Without such tags, no process is of an operation. */
	if (!x->sets.members)
		return 0;
	rc = read_sums(r, db, job, e);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (!r->q && pm_db_prepare(db, r->sql, &r->q, e) < 0)
		return -1;
	pm_db_reset(r->q);
	pm_db_bind_int(r->q, 1, job);
	while ((rc = pm_db_step(r->q, e)) > 0) {
		size_t n;
		const uint32_t *of = pm_opsets_of(&x->sets, job, pm_db_int(r->q, AT_SET), &n);

		if (n)
			take_row(&row, r->q, x->metrics);
		for (size_t k = 0; k < n; k++)
			if (add_row(x, &x->op[of[k]], &row, job, e) < 0)
				return -1;
	}
	return rc;
}

/* Add what another has read. */
static int join(struct pm_ops *x, struct pm_ops *other, struct pm_err *e)
{
	for (size_t i = 0; i < other->ops; i++) {
		const struct pm_opsets_op *op = &other->sets.op[i];
		const int64_t number = pm_opsets_number(&x->sets, op->key, op->job);

		if (number < 0)
			return pm_err(e, "out of memory");
		pm_intervals_merge(&other->op[i].runs);
		if (follow_sets(x, e) < 0 || join_op(x, &x->op[number], &other->op[i], e) < 0)
			return -1;
	}
	return 0;
}

/* Read all jobs: x has what the first reads, and then what all have read. */
static int read_jobs(struct pm_ops *x, struct pm_db *const *db, size_t n,
		     const struct pm_ops_ask *ask, const char *sql, const char *sums_sql,
		     struct pm_err *e)
{
	struct pm_ops others[PM_EACHJOB_MOST];
	struct reader reader[PM_EACHJOB_MOST];
	void *ctx[PM_EACHJOB_MOST] = { NULL };
	int rc;

	for (size_t k = 0; k < n; k++) {
		/* With the same figures. */
		others[k] = *x;
		pm_opsets_init(&others[k].sets, ask->select, ask->per_job);
		reader[k] = (struct reader){ k ? &others[k] : x, ask, sql, sums_sql, NULL, NULL };
		ctx[k] = &reader[k];
	}
	rc = pm_eachjob(db, n, ask->jobs, read_job, ctx, e);
	for (size_t k = 0; k < n; k++) {
		pm_db_finish(reader[k].q);
		pm_db_finish(reader[k].sums);
		if (k && rc == 0)
			rc = join(x, &others[k], e);
		if (k)
			pm_ops_free(&others[k]);
	}
	return rc;
}

static int by_duration(const void *a, const void *b)
{
	const struct pm_op *x = a, *y = b;
	const int64_t one = x->value[PM_OPS_DURATION].sum, other = y->value[PM_OPS_DURATION].sum;
	const int order = strcmp(x->key, y->key);

	if (x->job || y->job)
		return order ? order : (x->job > y->job) - (x->job < y->job);
	return one != other ? (one < other) - (one > other) : order;
}

/* The order in which they are shown; those that no process is of go. */
static void sort_ops(struct pm_ops *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->ops; i++) {
		struct pm_op *op = &x->op[i];

		op->key = x->sets.op[i].key;
		pm_intervals_merge(&op->runs);
		if (op->processes)
			x->op[n++] = *op;
		else
			free(op->value);
	}
	x->ops = n;
	if (n)
		qsort(x->op, n, sizeof *x->op, by_duration);
}

int pm_ops_read(struct pm_ops *x, struct pm_db *const *db, size_t n, const struct pm_ops_ask *ask,
		struct pm_err *e)
{
	char *sql = make_sql(x), *sums_sql = make_sums_sql(x);
	int rc;

	pm_opsets_init(&x->sets, ask->select, ask->per_job);
	x->sums = ask->sums;
	rc = sql && sums_sql ? read_jobs(x, db, n, ask, sql, sums_sql, e)
			     : pm_err(e, "out of memory");
	free(sql);
	free(sums_sql);
	if (rc < 0)
		return pm_err_prefix(e, "add up operations");
	sort_ops(x);
	return 0;
}

int64_t pm_ops_union(const struct pm_op *op)
{
	return op->timed ? pm_intervals_length(&op->runs) : PM_OPS_UNKNOWN;
}

int64_t pm_ops_span(const struct pm_op *op)
{
	int64_t span;

	return !op->timed || __builtin_sub_overflow(op->finish_us, op->start_us, &span)
		       ? PM_OPS_UNKNOWN
		       : span;
}

void pm_ops_free(struct pm_ops *x)
{
	for (size_t i = 0; i < x->ops; i++) {
		pm_intervals_free(&x->op[i].runs);
		free(x->op[i].value);
	}
	free(x->op);
	pm_opsets_free(&x->sets);
	memset(x, 0, sizeof *x);
}
