/* Facts of a job: its failed processes, by label and how they ended. */
#include "config.h"

#include "report/pass/pass.h"

#include "common/grow.h"
#include "report/pass/processparts.h"
#include "report/rows/query_row.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Failures of processes of the same label, status and signal. */
struct kind {
	int64_t label; /* its number */
	int64_t status, signal;
	int64_t count, first; /* the number of the first process */
};

struct failures {
	struct kind **kind;
	size_t kinds, room;
	void *tree; /* of them, by what tells them apart */
};

static int compare(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int by_kind(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int order = compare(x->label, y->label);

	if (order == 0)
		order = compare(x->status, y->status);
	return order ? order : compare(x->signal, y->signal);
}

/* A signal that only requests termination, as from a pool to its workers, is no failure. */
static bool has_failed(const struct pm_processpass_row *r)
{
	if (r->exitsignal != PM_UNKNOWN)
		return !pm_query_asks(r->exitsignal);
	return (r->exitcode != PM_UNKNOWN && r->exitcode != 0) ||
	       (r->end_reason && strcmp(r->end_reason, "signal") == 0);
}

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct pm_facts *f = j->f;

	*part = calloc(1, sizeof(struct failures));
	f->failure = calloc(f->limit ? f->limit : 1, sizeof *f->failure);
	return *part && f->failure ? 0 : pm_err(e, "list failures: out of memory");
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	const struct kind key = { r->label, r->exitcode, r->exitsignal, 1, r->id };
	struct failures *x = part;
	struct kind **found, *new;

	if (!has_failed(r))
		return 0;
	found = tfind(&key, &x->tree, by_kind);
	if (found) {
		(*found)->count++;
		return 0;
	}
	new = malloc(sizeof *new);
	if (!new || !PM_GROW(x->kind, x->kinds, x->room, 64)) {
		free(new);
		return pm_err(e, "list failures: out of memory");
	}
	x->kind[x->kinds++] = new;
	*new = key;
	return tsearch(new, &x->tree, by_kind) ? 0 : pm_err(e, "list failures: out of memory");
}

/* Signals come first, since they are rarer and worse than a status. */
static int by_count(const void *a, const void *b)
{
	const struct kind *x = *(struct kind *const *)a, *y = *(struct kind *const *)b;
	const bool status_x = x->status != PM_UNKNOWN, status_y = y->status != PM_UNKNOWN;

	if (status_x != status_y)
		return status_x ? 1 : -1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare(x->first, y->first);
}

static void add_failure(struct pm_facts *f, const struct kind *k, const struct pm_labels *labels)
{
	struct pm_fact_failure *x = &f->failure[f->failures++];

	*x = (struct pm_fact_failure){
		.exit_status = k->status,
		.exit_signal = k->signal,
		.count = k->count,
		.pid = k->first, /* its number in the job; name_failures() replaces it */
		.host = PM_UNKNOWN,
	};
	snprintf(x->label, sizeof x->label, "%s", pm_labels_text(labels, k->label));
}

/* Replace the numbers in the field pid by pids, and fill in the command lines. */
static int name_failures(const struct pm_processpart_job *j, struct pm_err *e)
{
	static const char sql[] =
		"SELECT exename, args, pid, host_id FROM process WHERE job_id = ? AND id = ?";
	struct pm_facts *f = j->f;
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(j->db, sql, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < f->failures && rc >= 0; i++) {
		struct pm_fact_failure *x = &f->failure[i];

		pm_db_reset(q);
		pm_db_bind_int(q, 1, j->job);
		pm_db_bind_int(q, 2, x->pid);
		rc = pm_db_step(q, e);
		if (rc > 0) {
			pm_processname_command(x->command, sizeof x->command,
					       pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
					       j->utf8);
			x->pid = pm_query_int(q, 2);
			x->host = pm_query_int(q, 3);
		}
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct failures *x = part;
	struct pm_facts *f = j->f;

	if (x->kinds > 0)
		qsort(x->kind, x->kinds, sizeof x->kind[0], by_count);
	for (size_t i = 0; i < x->kinds && f->failures < f->limit; i++)
		add_failure(f, x->kind[i], j->labels);
	if (f->failed >= 0) {
		f->failures_more = f->failed - (f->asked > 0 ? f->asked : 0);
		for (size_t i = 0; i < f->failures; i++)
			f->failures_more -= f->failure[i].count;
		if (f->failures_more < 0)
			f->failures_more = 0;
	}
	return name_failures(j, e);
}

static void keep(void *kind)
{
	(void)kind;
}

static void free_failures(void *part)
{
	struct failures *x = part;

	tdestroy(x->tree, keep);
	for (size_t i = 0; i < x->kinds; i++)
		free(x->kind[i]);
	free(x->kind);
	free(x);
}

const struct pm_processpart pm_processpart_failures = { begin, take, finish, free_failures };
