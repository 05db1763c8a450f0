/* A comparison as text or as a page: what differs first, then the figures, then the facts. */
#include "config.h"

#include "report/compare/compare.h"

#include "analysis/select/opselect.h"
#include "common/record/processname.h"
#include "common/text.h"
#include "report/compare/change.h"
#include "report/figure.h"
#include "report/opname.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of a fact is cut here, in bytes. */
#define VALUE_MAX 600

/* Numbers of jobs in a line, at most. */
#define NUMBERS 10

static const char *const scope_title[PM_COMPARE_SCOPES] = {
	[PM_COMPARE_JOB] = "The job",
	[PM_COMPARE_PROGRAM] = "Programs, by CPU time",
	[PM_COMPARE_PHASE] = "Phases, by wall time",
	[PM_COMPARE_OPERATION] = "Operations, by CPU time",
};

static const char *const about_title[PM_COMPARE_ABOUT] = {
	[PM_COMPARE_ENVIRONMENT] = "Environment",
	[PM_COMPARE_MODULES] = "Modules",
	[PM_COMPARE_SETTING] = "Command and allocation",
	[PM_COMPARE_HOST] = "Hosts",
	[PM_COMPARE_BINARY] = "Binaries",
	[PM_COMPARE_ONLY_PROGRAM] = "Programs of one side alone",
};

/* --- jobs ------------------------------------------------------------------------------------- */

static void print_side(const struct pm_compare *c, const struct pm_page *p,
		       enum pm_difference_side side, const char *name)
{
	const size_t n = c->of[side];
	const struct pm_compare_job *first = NULL, *last = NULL;
	char text[1024], jobs[PM_FORMAT_MAX], from[PM_FORMAT_MAX], to[PM_FORMAT_MAX], user[128],
		title[256];
	size_t used, shown = 0;

	for (size_t i = 0; i < c->jobs; i++)
		if (c->job[i].side == side) {
			first = first ? first : &c->job[i];
			last = &c->job[i];
		}
	if (!first)
		return;
	pm_text_safe(user, sizeof user, first->user, strlen(first->user), p->utf8);
	pm_text_safe(title, sizeof title, first->name ? first->name : "",
		     first->name ? strlen(first->name) : 0, p->utf8);
	used = (size_t)snprintf(text, sizeof text,
				"%s of %s%s%s, %s%s%s:", pm_format_things(jobs, (int64_t)n, "job"),
				user, *title ? ", " : "", title,
				pm_format_minute(from, first->start_us), n > 1 ? " to " : "",
				n > 1 ? pm_format_minute(to, last->start_us) : "");
	for (size_t i = 0; i < c->jobs && used < sizeof text - 64; i++) {
		if (c->job[i].side != side || shown == NUMBERS)
			continue;
		used += (size_t)snprintf(text + used, sizeof text - used, " #%" PRId64,
					 c->job[i].id);
		if (++shown == NUMBERS && n > NUMBERS)
			used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more",
						 n - NUMBERS);
	}
	pm_page_pair(p, name, text);
}

static size_t count_differing(const struct pm_compare *c)
{
	size_t n = 0;

	for (size_t k = 0; k < c->figures; k++)
		n += c->difference[k].differs;
	return n;
}

static void print_verdict(const struct pm_compare *c, const struct pm_page *p)
{
	const size_t n = count_differing(c);
	char text[512], figures[PM_FORMAT_MAX];

	pm_format_things(figures, (int64_t)c->judged, "figure");
	switch (c->method) {
	case PM_DIFFERENCE_NONE:
		snprintf(text, sizeof text,
			 "Noise unknown: %s. No difference is called one, as each may be chance.",
			 c->comparable ? "there are no earlier jobs that are comparable"
				       : "the jobs are not comparable, by name or size, and each "
					 "side has too few");
		break;
	case PM_DIFFERENCE_FEW:
		snprintf(text, sizeof text,
			 "Of %s, %zu differ. These are few jobs, so that gross differences alone "
			 "are called such; 5 jobs on each side, or more earlier ones, tell finer "
			 "ones.",
			 figures, n);
		break;
	case PM_DIFFERENCE_PERMUTATIONS:
		snprintf(text, sizeof text,
			 "Of %s, %zu differ. Where nothing differs, at most one comparison in "
			 "%.0f says so of any.",
			 figures, n, 1 / PM_DIFFERENCE_ALPHA);
		break;
	}
	fputc('\n', p->f);
	pm_page_text(p, "", text);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define FIGURES(first)                                                                             \
	{                                                                                          \
		{ first, false, 20, 0 }, { "A", true, 0, 0 }, { "B", true, 0, 0 },                 \
			{ "Change", true, 0, 0 }, { "Noise", true, 0, 1 }, { "", false, 0, -1 },   \
	}

/* Name what a figure is of, as safe text. Returns 0, or -1 if out of memory. */
static int name_of(const struct pm_compare_figure *f, bool utf8, char text[PM_PROCESSNAME_MAX])
{
	char *op;

	switch (f->scope) {
	case PM_COMPARE_PROGRAM:
		pm_processname_shown(text, f->of, utf8);
		return 0;
	case PM_COMPARE_OPERATION:
		op = pm_opselect_text(f->of);
		if (!op)
			return -1;
		pm_text_field(text, PM_PROCESSNAME_MAX, op, utf8);
		free(op);
		return 0;
	default:
		pm_text_field(text, PM_PROCESSNAME_MAX, f->of, utf8);
		return 0;
	}
}

/* The cells behind the first, and whether it differs. */
static void print_cells(struct pm_table *t, const struct pm_compare *c, size_t k, bool verdict)
{
	const struct pm_difference *d = &c->difference[k];
	const char *unit = c->figure[k].kind->unit;
	const double a = d->median[PM_DIFFERENCE_A];
	char text[PM_FORMAT_MAX];

	pm_table_value(t, a);
	pm_table_cell(t, pm_figure_format(text, a, unit));
	pm_table_value(t, d->median[PM_DIFFERENCE_B]);
	pm_table_cell(t, pm_figure_format(text, d->median[PM_DIFFERENCE_B], unit));
	pm_change_format(text, pm_compare_change(d));
	pm_table_cell(t, *text ? text : "unknown");
	/* A part of nothing is not known, unless it is nothing itself. */
	if (a > 0 || d->noise == 0)
		snprintf(text, sizeof text, "%.1f %%",
			 d->noise > 0 ? 100 * d->noise / a : d->noise);
	if (isnan(d->noise) || !(a > 0 || d->noise == 0))
		snprintf(text, sizeof text, "unknown");
	pm_table_cell(t, text);
	if (verdict)
		pm_table_cell(t, d->differs ? "differs" : "");
}

/* Numbers of figures, in an order. */
struct order {
	const struct pm_compare *c;
	size_t *number, n;
};

static int by_statistic(const void *a, const void *b, void *ctx)
{
	const struct pm_compare *c = ctx;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const double x = c->difference[i].statistic, y = c->difference[k].statistic;

	return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

static double size_of(const struct pm_difference *d)
{
	return fmax(d->median[PM_DIFFERENCE_A], d->median[PM_DIFFERENCE_B]);
}

static int by_size(const void *a, const void *b, void *ctx)
{
	const struct pm_compare *c = ctx;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const double x = size_of(&c->difference[i]), y = size_of(&c->difference[k]);

	return x != y ? (x < y) - (x > y) : (i > k) - (i < k);
}

static void say_left(const struct pm_page *p, size_t n, int64_t limit)
{
	char text[64];

	if (n <= (uint64_t)limit)
		return;
	snprintf(text, sizeof text, "further ones, which --limit 0 shows, too: %zu",
		 n - (size_t)limit);
	pm_page_text(p, "  ", text);
}

/* What differs, the surest first. */
static int print_differing(const struct pm_compare *c, const struct pm_page *p, struct order *o,
			   int64_t limit, struct pm_err *e)
{
	static const struct pm_table_column columns[] = FIGURES("Figure");
	struct pm_table t;

	o->n = 0;
	for (size_t k = 0; k < c->figures; k++)
		if (c->difference[k].differs)
			o->number[o->n++] = k;
	if (o->n == 0)
		return 0;
	qsort_r(o->number, o->n, sizeof *o->number, by_statistic, (void *)c);
	pm_page_heading(p, "What differs");
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0] - 1, 2);
	for (size_t i = 0; i < o->n && i < (uint64_t)limit; i++) {
		const struct pm_compare_figure *f = &c->figure[o->number[i]];
		char name[PM_PROCESSNAME_MAX], text[PM_PROCESSNAME_MAX + 64];
		const char *title = f->kind->title;

		while (*title == ' ')
			title++;
		if (name_of(f, p->utf8, name) < 0) {
			pm_table_discard(&t);
			return pm_err(e, "print a table: out of memory");
		}
		snprintf(text, sizeof text, "%s%s%s", name, *name ? ": " : "", title);
		pm_table_cell(&t, text);
		print_cells(&t, c, o->number[i], false);
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	say_left(p, o->n, limit);
	return 0;
}

/* The figures of a scope: all of the job, else the first kind of each name. */
static int print_scope(const struct pm_compare *c, const struct pm_page *p, struct order *o,
		       enum pm_compare_scope scope, int64_t limit, struct pm_err *e)
{
	static const char *const first[PM_COMPARE_SCOPES] = { "Figure", "Program", "Phase",
							      "Operation" };
	const struct pm_table_column columns[] = FIGURES(first[scope]);
	const bool job = scope == PM_COMPARE_JOB;
	struct pm_table t;

	o->n = 0;
	for (size_t k = 0; k < c->figures; k++)
		if (c->figure[k].scope == scope &&
		    (job || k == 0 || c->figure[k - 1].scope != scope ||
		     strcmp(c->figure[k - 1].of, c->figure[k].of) != 0))
			o->number[o->n++] = k;
	if (o->n == 0)
		return 0;
	if (!job)
		qsort_r(o->number, o->n, sizeof *o->number, by_size, (void *)c);
	pm_page_heading(p, scope_title[scope]);
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 2);
	for (size_t i = 0; i < o->n && (job || i < (uint64_t)limit); i++) {
		char name[PM_PROCESSNAME_MAX];
		const struct pm_compare_figure *f = &c->figure[o->number[i]];

		if (name_of(f, p->utf8, name) < 0) {
			pm_table_discard(&t);
			return pm_err(e, "print a table: out of memory");
		}
		pm_table_cell(&t, job ? f->kind->title : name);
		print_cells(&t, c, o->number[i], true);
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (!job)
		say_left(p, o->n, limit);
	return 0;
}

/* --- facts ------------------------------------------------------------------------------------ */

static void print_value(const struct pm_page *p, const char *label, const char *value, bool field)
{
	char text[VALUE_MAX];

	if (!value)
		snprintf(text, sizeof text, "(none)");
	else if (field)
		pm_text_field(text, sizeof text, value, p->utf8);
	else
		pm_text_safe(text, sizeof text, value, strlen(value), p->utf8);
	pm_page_label(p, 4, label, text);
}

static void print_facts(const struct pm_compare *c, const struct pm_page *p,
			enum pm_compare_about about, int64_t limit)
{
	const bool field = about == PM_COMPARE_BINARY;
	size_t n = 0;

	for (size_t i = 0; i < c->facts; i++) {
		const struct pm_compare_fact *f = &c->fact[i];
		char name[PM_PROCESSNAME_MAX];

		if (f->about != about || f->varies || n++ >= (uint64_t)limit)
			continue;
		if (n == 1)
			pm_page_heading(p, about_title[about]);
		if (about == PM_COMPARE_ONLY_PROGRAM)
			pm_processname_shown(name, f->name, p->utf8);
		else if (field)
			pm_text_field(name, sizeof name, f->name, p->utf8);
		else
			pm_text_safe(name, sizeof name, f->name, strlen(f->name), p->utf8);
		if (about == PM_COMPARE_ONLY_PROGRAM || about == PM_COMPARE_MODULES) {
			pm_page_label(p, 2, f->a ? "only A" : "only B", name);
			continue;
		}
		pm_page_text(p, "  ", name);
		print_value(p, "A", f->a, field);
		print_value(p, "B", f->b, field);
	}
	say_left(p, n, limit);
}

int pm_compare_print(const struct pm_compare *c, const struct pm_page *p, int64_t limit,
		     struct pm_err *e)
{
	struct order o = { .c = c, .number = malloc((c->figures + 1) * sizeof *o.number) };
	int rc = o.number ? 0 : pm_err(e, "out of memory");

	if (rc == 0) {
		print_side(c, p, PM_DIFFERENCE_A, "A");
		print_side(c, p, PM_DIFFERENCE_B, "B");
		print_side(c, p, PM_DIFFERENCE_EARLIER, "earlier");
		print_verdict(c, p);
		rc = print_differing(c, p, &o, limit, e);
	}
	for (int scope = 0; rc == 0 && scope < PM_COMPARE_SCOPES; scope++)
		rc = print_scope(c, p, &o, scope, limit, e);
	for (int about = 0; rc == 0 && about < PM_COMPARE_ABOUT; about++)
		print_facts(c, p, about, limit);
	free(o.number);
	return rc;
}
