/* The list of advice: apply the rules, order what they find; what the rules share. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symptoms that a cause may account for. WAITS: in the kernel, where it waits and works. */
enum explains { NOTHING, IDLE = 1, KERNEL = 2, WAITS = 4, BOTH = IDLE | WAITS };

static const struct rule {
	const char *id;
	enum pm_advice_severity severity;
	enum pm_advice_section section;
	bool any_size;
	int explains; /* enum explains */
	bool (*find)(const struct pm_facts *f, struct pm_advice *a);
} rules[] = {
#define PM_ADVICE_RULE(id, find, severity, section, any_size, explains)                            \
	{ id, PM_ADVICE_##severity, PM_ADVICE_##section, any_size, explains, pm_advice_##find },
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

/* The largest cost of a cause that may account for symptoms of a kind; 0: none has one. */
static int64_t largest_cause(const struct found *found, size_t n, enum explains kind)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if ((rules[found[i].rule].explains & kind) && found[i].advice.cost_us > most)
			most = found[i].advice.cost_us;
	return most;
}

/* Whether a symptom is one of which a cause accounts for a third at least. */
static bool is_effect(const struct found *x, int64_t idle_us, int64_t kernel_us)
{
	const int64_t cause = x->rule == PM_ADVICE_RULE_system_time ? kernel_us : idle_us;

	return x->advice.severity == PM_ADVICE_SYMPTOM && cause > 0 &&
	       cause >= x->advice.cost_us / 3;
}

/* Take out the time in the kernel, of which the reasons are guesses, where one that is found
 * accounts for a third of it. Returns how many are left. */
static size_t drop_guesses(struct found *found, size_t n)
{
	const int64_t reason = largest_cause(found, n, KERNEL);
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (found[i].rule != PM_ADVICE_RULE_system_time || reason == 0 ||
		    reason < found[i].advice.cost_us / 3)
			found[left++] = found[i];
	return left;
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
	int64_t idle, kernel;
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
	n = drop_guesses(found, n);
	idle = largest_cause(found, n, IDLE);
	kernel = largest_cause(found, n, WAITS);
	for (size_t i = 0; i < n; i++)
		found[i].advice.effect = is_effect(&found[i], idle, kernel);
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

	if (!f->path || f->path->open)
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
