/* Facts of a job: the phases of its timeline, from its longest processes. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/pass/processparts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of processes considered for the phases, the longest first. */
#define CANDIDATES 200

struct candidate {
	int64_t id, pid, start_us, duration_us, cpu_us, label;
};

struct phases {
	int64_t least_us, whole_us;             /* shorter than a phase; as long as the job */
	struct candidate candidate[CANDIDATES]; /* in their order */
	size_t candidates;
};

struct kept {
	struct pm_fact_phase phase;
	int64_t cpu_us;
};

/* Whether two spans cover nearly the same time, as a shell and the program that it waits for. */
static bool same_span(const struct pm_fact_phase *a, const struct pm_fact_phase *b)
{
	int64_t first = a->start_us > b->start_us ? a->start_us : b->start_us;
	int64_t last = a->end_us < b->end_us ? a->end_us : b->end_us;
	double both = (double)last - (double)first;

	return both >= 0.9 * ((double)a->end_us - (double)a->start_us) &&
	       both >= 0.9 * ((double)b->end_us - (double)b->start_us);
}

/* Keep a candidate, or the better of two with the same span. Returns the new number kept. */
static size_t keep(struct kept *kept, size_t n, const struct kept *c)
{
	for (size_t i = 0; i < n; i++)
		if (same_span(&kept[i].phase, &c->phase)) {
			if (c->cpu_us > kept[i].cpu_us)
				kept[i] = *c;
			return n;
		}
	if (n < PM_FACTS_PHASES)
		kept[n++] = *c;
	return n;
}

static int by_start(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->phase.start_us != y->phase.start_us)
		return x->phase.start_us < y->phase.start_us ? -1 : 1;
	if (x->phase.pid != y->phase.pid)
		return x->phase.pid < y->phase.pid ? -1 : 1;
	return 0;
}

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	const struct pm_facts *f = j->f;
	struct phases *p;

	if (f->start_us < 0 || f->end_us <= f->start_us)
		return 0;
	p = *part = calloc(1, sizeof *p);
	if (!p)
		return pm_err(e, "find phases: out of memory");
	p->least_us = f->line_us / 20 + 1;
	p->whole_us = f->line_us / 20 * 19;
	return 0;
}

/* Whether a process comes before another: those that cover the whole job last, the longest first,
 * then by id. */
static bool is_before(const struct phases *p, const struct candidate *a, const struct candidate *b)
{
	const bool whole_a = a->duration_us >= p->whole_us, whole_b = b->duration_us >= p->whole_us;

	if (whole_a != whole_b)
		return whole_b;
	if (a->duration_us != b->duration_us)
		return a->duration_us > b->duration_us;
	return a->id < b->id;
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	const struct candidate new = { .id = r->id,
				       .pid = r->pid,
				       .start_us = r->start_us,
				       .duration_us = r->duration_us,
				       .cpu_us = r->cpu_time,
				       .label = r->label };
	struct phases *p = part;
	size_t at;

	(void)e;
	if (r->start_us == PM_UNKNOWN || r->duration_us < p->least_us || !r->end_reason ||
	    strcmp(r->end_reason, "exec") == 0)
		return 0;
	if (p->candidates == CANDIDATES && !is_before(p, &new, &p->candidate[CANDIDATES - 1]))
		return 0;
	at = p->candidates < CANDIDATES ? p->candidates++ : CANDIDATES - 1;
	for (; at > 0 && is_before(p, &new, &p->candidate[at - 1]); at--)
		p->candidate[at] = p->candidate[at - 1];
	p->candidate[at] = new;
	return 0;
}

/* Find the processes that form the job's phases: long processes that cover only a part of the job.
 */
static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	const struct phases *p = part;
	struct pm_facts *f = j->f;
	struct kept kept[PM_FACTS_PHASES];
	size_t n = 0;

	(void)e;
	for (size_t i = 0; i < p->candidates; i++) {
		const struct candidate *c = &p->candidate[i];
		struct kept k = { .phase.pid = c->pid, .cpu_us = c->cpu_us };

		snprintf(k.phase.label, sizeof k.phase.label, "%s",
			 pm_labels_text(j->labels, c->label));
		k.phase.start_us = pm_format_since(c->start_us, f->line_start_us);
		k.phase.end_us = pm_format_since(k.phase.start_us, -c->duration_us);
		n = keep(kept, n, &k);
	}
	qsort(kept, n, sizeof *kept, by_start);
	for (size_t i = 0; i < n; i++)
		f->phase[i] = kept[i].phase;
	f->phases = n;
	return 0;
}

const struct pm_processpart pm_processpart_phases = { begin, take, finish, free };
