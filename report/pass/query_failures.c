/* Facts of a job: its failed processes, by label and how they ended. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/pass/processparts.h"
#include "report/rows/query_row.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of failures that are told apart, those of further kinds are only counted; and how many, the
 * most frequent, are read before equal labels are merged. */
#define KINDS 8192
#define READ  500

/* Characters of arguments that tell kinds apart. */
#define ARGS_MAX 800

/* Failures of the same program, arguments where the label needs them, status and signal. */
struct kind {
	int64_t status, signal;
	int64_t count, first; /* the number of the first process */
	char label[PM_PROCESSNAME_MAX];
	char program[]; /* as describe() has it */
};

struct failures {
	bool utf8;
	struct kind *kind[KINDS];
	size_t kinds;
	void *tree; /* of them, by what tells them apart */
};

/* What of a process makes its label; the rest is NULL. */
struct program {
	const char *exename, *args, *comm;
	char cut[4 * ARGS_MAX + 1];
	char text[4 * ARGS_MAX + 2048]; /* all of it */
};

/* The bytes of the first `n` characters of a text. */
static size_t first_characters(const char *text, size_t n)
{
	size_t at = 0;

	while (text[at] && ((text[at] & 0xc0) == 0x80 || n-- > 0))
		at++;
	return at;
}

static void describe(struct program *p, const struct pm_processpass_row *r)
{
	enum pm_processname_use use =
		r->exename ? pm_processname_uses(r->exename) : PM_PROCESSNAME_EXENAME;

	p->exename = r->exename;
	p->args = NULL;
	if (use == PM_PROCESSNAME_ARGS && r->args) {
		size_t n = first_characters(r->args, ARGS_MAX);

		snprintf(p->cut, sizeof p->cut, "%.*s", (int)n, r->args);
		p->args = p->cut;
	}
	p->comm = use == PM_PROCESSNAME_COMM ? r->thread_name : NULL;
	snprintf(p->text, sizeof p->text, "%.1024s\n%.512s\n%s", p->exename ? p->exename : "",
		 p->comm ? p->comm : "", p->args ? p->args : "");
}

static int by_kind(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->status != y->status)
		return x->status < y->status ? -1 : 1;
	if (x->signal != y->signal)
		return x->signal < y->signal ? -1 : 1;
	return strcmp(x->program, y->program);
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
	struct failures *x = *part = calloc(1, sizeof *x);

	f->failure = calloc(f->limit ? f->limit : 1, sizeof *f->failure);
	if (!x || !f->failure)
		return pm_err(e, "list failures: out of memory");
	x->utf8 = j->utf8;
	return 0;
}

/* The kind of a failed process, which is its only one so far. Returns NULL if out of memory. */
static struct kind *new_kind(const struct failures *x, const struct pm_processpass_row *r)
{
	struct program p;
	struct kind *k;
	size_t size;

	describe(&p, r);
	size = strlen(p.text) + 1;
	k = malloc(sizeof *k + size);
	if (!k)
		return NULL;
	k->status = r->exitcode;
	k->signal = r->exitsignal;
	k->count = 1;
	k->first = r->id;
	pm_processname(k->label, p.exename, p.args, p.comm, x->utf8);
	memcpy(k->program, p.text, size);
	return k;
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	struct failures *x = part;
	struct kind *new, **found;

	if (!has_failed(r))
		return 0;
	new = new_kind(x, r);
	if (!new)
		return pm_err(e, "list failures: out of memory");
	found = tfind(new, &x->tree, by_kind);
	if (found)
		(*found)->count++;
	if (found || x->kinds == KINDS) {
		free(new);
		return 0;
	}
	if (!tsearch(new, &x->tree, by_kind)) {
		free(new);
		return pm_err(e, "list failures: out of memory");
	}
	x->kind[x->kinds++] = new;
	return 0;
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
	return (x->first > y->first) - (x->first < y->first);
}

/* Merge a kind into the failures found so far. */
static void add_failure(struct pm_facts *f, const struct kind *k)
{
	struct pm_fact_failure *x;

	for (size_t i = 0; i < f->failures; i++) {
		x = &f->failure[i];
		if (x->exit_status == k->status && x->exit_signal == k->signal &&
		    strcmp(x->label, k->label) == 0) {
			x->count += k->count;
			return;
		}
	}
	if (f->failures == f->limit)
		return;
	x = &f->failure[f->failures++];
	*x = (struct pm_fact_failure){
		.exit_status = k->status,
		.exit_signal = k->signal,
		.count = k->count,
		.pid = k->first, /* its number in the job; name_failures() replaces it */
		.host = PM_UNKNOWN,
	};
	memcpy(x->label, k->label, sizeof x->label);
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

	qsort(x->kind, x->kinds, sizeof x->kind[0], by_count);
	for (size_t i = 0; i < x->kinds && i < READ; i++)
		add_failure(f, x->kind[i]);
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
	free(x);
}

const struct pm_processpart pm_processpart_failures = { begin, take, finish, free_failures };
