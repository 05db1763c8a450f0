/* Add up the processes of a job by rank, host and step, in one pass. */
#include "config.h"

#include "report/facts/ranks.h"

#include "common/grow.h"
#include "common/text.h"
#include "report/print/format.h"
#include "report/rows/query_row.h"
#include "report/facts/ranks_sums.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
	int64_t id;
	struct pm_ranks_sums sums;
};

struct step {
	struct pm_ranks_step public;
	size_t number;
	int64_t last_host, last_rank;
	void *hosts, *ranks; /* trees of numbers */
};

struct reading {
	struct pm_ranks *r;
	bool utf8;
	int64_t now_us;
	struct pm_ranks_member *member;
	size_t members, member_room;
	/* For each process with a rank, in order of ids: its id, and its member. */
	uint32_t *id, *of;
	size_t ids, id_room, of_room;
	struct host *host;
	size_t hosts, host_room;
	struct step **step;
	size_t steps, step_room;
	void *step_tree;
};

/* The columns of the query. */
enum {
	ID,
	PARENT,
	HOST,
	PID,
	STARTTIME,
	STEP,
	RANK,
	SIZE,
	START,
	END,
	REASON,
	CPU,
	RSS,
	RCHAR,
	WCHAR,
	READ,
	WRITE,
	EXITCODE,
	SIGNAL,
	EXENAME,
	ARGS,
	COMM
};

/* --- sums --------------------------------------------------------------------------------------
 */

static void read_sums(const struct reading *r, struct pm_stmt *q, struct pm_ranks_sums *s)
{
	const char *reason = pm_db_text(q, REASON, NULL);

	pm_ranks_sums_init(s);
	s->start_us = pm_query_int(q, START);
	s->end_us = pm_query_int(q, END);
	if (s->end_us == PM_UNKNOWN && reason && strcmp(reason, "running") == 0)
		s->end_us = r->now_us;
	s->value[PM_RANKS_CPU] = pm_query_int(q, CPU);
	s->value[PM_RANKS_RSS] = pm_format_scale(pm_query_int(q, RSS), PM_KERNEL_KB);
	s->value[PM_RANKS_MOVED] = pm_ranks_sum(pm_query_int(q, RCHAR), pm_query_int(q, WCHAR));
	s->value[PM_RANKS_STORAGE] = pm_ranks_sum(pm_query_int(q, READ), pm_query_int(q, WRITE));
}

/* --- one process ------------------------------------------------------------------------------
 */

static int add_host(struct reading *r, int64_t id, const struct pm_ranks_sums *s)
{
	struct host *h = NULL;

	/* Processes of a host stand together. */
	for (size_t i = r->hosts; i > 0 && !h; i--)
		if (r->host[i - 1].id == id)
			h = &r->host[i - 1];
	if (!h) {
		if (!PM_GROW(r->host, r->hosts, r->host_room, 16))
			return -1;
		h = &r->host[r->hosts++];
		h->id = id;
		pm_ranks_sums_init(&h->sums);
	}
	pm_ranks_sums_add(&h->sums, s);
	return 0;
}

static int by_step(const void *a, const void *b)
{
	return strcmp(((const struct step *)a)->public.step, ((const struct step *)b)->public.step);
}

/* Find the step with this name, or add it with the label of the current row. NULL if out of memory.
 */
static struct step *find_step(struct reading *r, struct pm_stmt *q)
{
	struct step key, **found, *new;

	pm_text_field(key.public.step, sizeof key.public.step, pm_db_text(q, STEP, NULL), r->utf8);
	found = tfind(&key, &r->step_tree, by_step);
	if (found)
		return *found;
	new = calloc(1, sizeof *new);
	if (!new || !PM_GROW(r->step, r->steps, r->step_room, 16)) {
		free(new);
		return NULL;
	}
	memcpy(new->public.step, key.public.step, sizeof new->public.step);
	pm_processname(new->public.label, pm_db_text(q, EXENAME, NULL), pm_db_text(q, ARGS, NULL),
		       pm_db_text(q, COMM, NULL), r->utf8);
	new->public.start_us = new->public.end_us = PM_UNKNOWN;
	for (int k = 0; k < PM_RANKS_FIGURES; k++)
		new->public.value[k] = PM_UNKNOWN;
	new->last_host = new->last_rank = PM_UNKNOWN;
	if (!tsearch(new, &r->step_tree, by_step)) {
		free(new);
		return NULL;
	}
	r->step[r->steps++] = new;
	new->number = r->steps;
	return new;
}

/* Add the current row to its step. Returns the step's number, 0 for none, or -1. */
static int64_t add_step(struct reading *r, struct pm_stmt *q, const struct pm_ranks_sums *s)
{
	const int64_t rank = pm_query_int(q, RANK), host = pm_db_int(q, HOST);
	struct pm_ranks_step *p;
	struct step *step;
	struct pm_ranks_sums sums;

	if (pm_db_is_null(q, STEP))
		return 0;
	step = find_step(r, q);
	if (!step)
		return -1;
	p = &step->public;
	p->processes++;
	p->failed += pm_db_int(q, EXITCODE) != 0 || !pm_db_is_null(q, SIGNAL);
	pm_ranks_sums_init(&sums);
	sums.start_us = p->start_us;
	sums.end_us = p->end_us;
	memcpy(sums.value, p->value, sizeof sums.value);
	pm_ranks_sums_add(&sums, s);
	p->start_us = sums.start_us;
	p->end_us = sums.end_us;
	memcpy(p->value, sums.value, sizeof p->value);
	if (host != step->last_host && pm_ranks_count(&step->hosts, host, &p->hosts) < 0)
		return -1;
	if (rank != PM_UNKNOWN && rank != step->last_rank &&
	    pm_ranks_count(&step->ranks, rank, &p->tasks) < 0)
		return -1;
	step->last_host = host;
	step->last_rank = rank;
	return (int64_t)step->number;
}

/* The member that the process with an id belongs to, or NULL. */
static struct pm_ranks_member *member_of(struct reading *r, int64_t id)
{
	size_t low = 0, high = r->ids;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->id[mid] < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->ids && r->id[low] == id ? &r->member[r->of[low]] : NULL;
}

/* Add the current row, which has a rank, to its member: its parent's, or a new one. */
static int add_member(struct reading *r, struct pm_stmt *q, size_t step,
		      const struct pm_ranks_sums *s)
{
	const int64_t rank = pm_db_int(q, RANK), id = pm_db_int(q, ID);
	struct pm_ranks_member *m =
		pm_db_is_null(q, PARENT) ? NULL : member_of(r, pm_db_int(q, PARENT));
	char label[PM_PROCESSNAME_MAX];

	if (!PM_GROW(r->id, r->ids, r->id_room, 64) || !PM_GROW(r->of, r->ids, r->of_room, 64))
		return -1;
	if (!m || m->rank != rank) {
		if (!PM_GROW(r->member, r->members, r->member_room, 16))
			return -1;
		m = &r->member[r->members++];
		*m = (struct pm_ranks_member){
			.rank = rank,
			.size = pm_query_int(q, SIZE),
			.host = pm_db_int(q, HOST),
			.pid = pm_query_int(q, PID),
			.starttime = pm_query_int(q, STARTTIME),
			.step = step,
		};
		pm_ranks_sums_init(&m->sums);
		pm_processname(label, pm_db_text(q, EXENAME, NULL), pm_db_text(q, ARGS, NULL),
			       pm_db_text(q, COMM, NULL), r->utf8);
		pm_text_fit(m->label, sizeof m->label, label, (int)sizeof m->label - 1, r->utf8);
	}
	pm_ranks_sums_add(&m->sums, s);
	r->id[r->ids] = (uint32_t)id;
	r->of[r->ids++] = (uint32_t)(m - r->member);
	return 0;
}

static int take_process(struct reading *r, struct pm_stmt *q)
{
	struct pm_ranks_sums s;
	int64_t step;

	read_sums(r, q, &s);
	step = add_step(r, q, &s);
	if (step < 0 || add_host(r, pm_db_int(q, HOST), &s) < 0)
		return -1;
	return pm_db_is_null(q, RANK) ? 0 : add_member(r, q, (size_t)step, &s);
}

/* --- all ---------------------------------------------------------------------------------------
 */

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int steps_by_start(const void *a, const void *b)
{
	const struct pm_ranks_step *x = a, *y = b;
	int c = compare(x->start_us, y->start_us);

	return c ? c : strcmp(x->step, y->step);
}

/* Hand over hosts and steps. */
static int finish(struct reading *r)
{
	struct pm_ranks *to = r->r;

	to->hosts = (int64_t)r->hosts;
	for (size_t i = 0; i < r->hosts; i++)
		for (int k = 0; k < PM_RANKS_FIGURES; k++)
			pm_ranks_add(&to->host[k], r->host[i].sums.value[k], r->host[i].id);
	to->steps_cut = r->steps > PM_RANKS_RUNS;
	to->step = malloc((r->steps + 1) * sizeof *to->step);
	if (!to->step)
		return -1;
	for (size_t i = 0; i < r->steps; i++)
		to->step[i] = r->step[i]->public;
	qsort(to->step, r->steps, sizeof *to->step, steps_by_start);
	to->steps = to->steps_cut ? PM_RANKS_RUNS : r->steps;
	for (size_t i = 0; i < r->members; i++)
		if (r->member[i].step)
			memcpy(r->member[i].step_name, r->step[r->member[i].step - 1]->public.step,
			       sizeof r->member[i].step_name);
	return pm_ranks_make_runs(to, r->member, r->members);
}

static void free_step(void *node)
{
	struct step *step = node;

	tdestroy(step->hosts, free);
	tdestroy(step->ranks, free);
	free(step);
}

int pm_ranks_read(struct pm_ranks *to, struct pm_db *db, int64_t job, int64_t now_us, bool utf8,
		  struct pm_err *e)
{
	static const char sql[] =
		"SELECT id, parent_id, host_id, pid, starttime, step, mpirank, numranks, start_us,"
		" end_us, end_reason, cpu_time, rssmax, rchar, wchar, read_bytes, write_bytes,"
		" exitcode, exitsignal, exename, args, thread_name"
		" FROM process WHERE job_id = ? ORDER BY id";
	struct reading r = { .r = to, .utf8 = utf8, .now_us = now_us };
	struct pm_stmt *q;
	int rc;

	memset(to, 0, sizeof *to);
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (pm_db_int(q, ID) < 0 || pm_db_int(q, ID) > UINT32_MAX)
			rc = pm_err(e, "ranks: process #%lld: no number of a process",
				    (long long)pm_db_int(q, ID));
		else if (take_process(&r, q) < 0)
			rc = pm_err(e, "ranks: out of memory");
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	if (rc == 0 && finish(&r) < 0)
		rc = pm_err(e, "ranks: out of memory");
	tdestroy(r.step_tree, free_step);
	free(r.step);
	free(r.member);
	free(r.id);
	free(r.of);
	free(r.host);
	return rc;
}

void pm_ranks_free(struct pm_ranks *r)
{
	free(r->run);
	free(r->step);
	memset(r, 0, sizeof *r);
}
