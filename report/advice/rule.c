/* The list of advice: apply the rules, order what they find; what the rules share. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rule sees that another one may explain. */
enum symptom { NONE, IDLE = 1, KERNEL = 2, QUEUE = 4, FAULTS = 8, THREADS = 16 };

static const struct rule {
	const char *id;
	enum pm_advice_severity severity;
	enum pm_advice_section section;
	bool any_size;
	unsigned symptom, explains; /* of enum symptom */
	bool (*find)(const struct pm_facts *f, struct pm_advice *a);
} rules[] = {
#define PM_ADVICE_RULE(id, find, severity, section, any_size, symptom, explains)                   \
	{ id,       PM_ADVICE_##severity, PM_ADVICE_##section, any_size, symptom,                  \
	  explains, pm_advice_##find },
#include "report/advice/rules.def"
#undef PM_ADVICE_RULE
};

/* An advice and where it belongs. */
struct found {
	struct pm_advice advice;
	size_t rule;
};

/* Doubtful figures and symptoms compete with costs: those that hide most of a job come first. */
static int rank(const struct pm_advice *a)
{
	return a->severity < PM_ADVICE_COST ? (int)a->severity : PM_ADVICE_COST;
}

/* Whether an advice is a symptom of which a cause that was found accounts for a third at least. */
static bool is_effect(const struct found *x, const struct found *found, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int64_t cost = found[i].advice.cost_us;

		if ((rules[found[i].rule].explains & rules[x->rule].symptom) && cost > 0 &&
		    cost >= x->advice.cost_us / 3)
			return true;
	}
	return false;
}

/* Order: effects last, rank, cost in time, cost in bytes, then the table. PM_UNKNOWN is below every
 * cost. */
static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->advice.effect != y->advice.effect)
		return y->advice.effect ? -1 : 1;
	if (rank(&x->advice) != rank(&y->advice))
		return rank(&x->advice) < rank(&y->advice) ? -1 : 1;
	if (x->advice.cost_us != y->advice.cost_us)
		return x->advice.cost_us > y->advice.cost_us ? -1 : 1;
	if (x->advice.cost_bytes != y->advice.cost_bytes)
		return x->advice.cost_bytes > y->advice.cost_bytes ? -1 : 1;
	return x->rule < y->rule ? -1 : 1;
}

size_t pm_advice_list(const struct pm_facts *f, struct pm_advice list[PM_ADVICE_RULES])
{
	struct found found[PM_ADVICE_RULES];
	size_t n = 0;

	for (size_t i = 0; i < PM_ADVICE_RULES; i++) {
		const struct rule *r = &rules[i];
		struct pm_advice *a = &found[n].advice;

		if (!r->any_size && !pm_advice_big_enough(f))
			continue;
		memset(a, 0, sizeof *a);
		a->id = r->id;
		a->severity = r->severity;
		a->section = r->section;
		a->cost_us = a->cost_bytes = PM_UNKNOWN;
		a->pid = a->start_us = a->end_us = PM_UNKNOWN;
		if (r->find(f, a))
			found[n++].rule = i;
	}
	for (size_t i = 0; i < n; i++)
		found[i].advice.effect = is_effect(&found[i], found, n);
	qsort(found, n, sizeof *found, compare);
	for (size_t i = 0; i < n; i++)
		list[i] = found[i].advice;
	return n;
}

static void __attribute__((format(printf, 3, 0)))
write_text(struct pm_advice *a, size_t len, const char *format, va_list list)
{
	vsnprintf(a->text + len, sizeof a->text - len, format, list);
}

bool pm_advice_say(struct pm_advice *a, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_text(a, 0, format, list);
	va_end(list);
	return true;
}

void pm_advice_append(struct pm_advice *a, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_text(a, strlen(a->text), format, list);
	va_end(list);
}

bool pm_advice_say_more(struct pm_advice *a, const char *text)
{
	pm_advice_append(a, "%s", text);
	return true;
}

void pm_advice_about(struct pm_advice *a, const struct pm_fact_program *p)
{
	memcpy(a->program, p->label, sizeof a->program);
}

void pm_advice_cost_share(struct pm_advice *a, const struct pm_facts *f, double share)
{
	if (f->wall_us < 0 || isnan(share))
		return;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	a->cost_us = share < 1 ? (int64_t)(share * (double)f->wall_us) : f->wall_us;
}

void pm_advice_cost_spread(struct pm_advice *a, const struct pm_facts *f, int64_t time_us)
{
	double busy = pm_format_ratio(f->cpu_us, f->wall_us);

	if (time_us >= 0)
		pm_advice_cost_share(a, f,
				     pm_format_ratio(time_us, f->wall_us) / (busy > 1 ? busy : 1));
}

void pm_advice_bound_waits(struct pm_advice *a, const struct pm_facts *f)
{
	double waited = 0;

	/* Ranks and hosts wait for each other, of which the path does not know. */
	if (!f->path || f->path->open || f->hosts > 1 || f->ranks > 1)
		return;
	for (size_t i = 0; i < f->path->steps; i++)
		if (f->path->step[i].process)
			waited += f->path->step[i].doing.queue_us;
	if (f->path->steps && waited < (double)a->cost_us)
		a->cost_us = (int64_t)waited;
}

const char *pm_advice_processes(char *t, int64_t n)
{
	return pm_format_things(t, n, n == 1 ? "process" : "processe");
}

double pm_advice_busy(const struct pm_facts *f)
{
	return f->running > 0 ? NAN : pm_format_ratio(f->cpu_us, f->wall_us);
}
