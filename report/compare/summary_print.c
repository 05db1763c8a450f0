/* Sums of jobs as text, JSON and CSV. */
#include "config.h"

#include "report/compare/summary.h"

#include "common/record/processname.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/jsonvalue.h"
#include "report/print/table.h"
#include "report/print/values.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOUR_US 3600e6
#define KWH_UJ  3.6e12

/* What is computed of a row; NaN: unknown. */
struct figures {
	double hours, used, wasted; /* core hours: allocated, used, and allocated without use */
	double cpu_hours;           /* CPU time, whatever was allocated */
	double efficiency;
	double asked_kb, used_kb; /* means over jobs: memory limit of a host, largest process */
	double peak_kb;
	double energy_kwh;
};

static double known(int64_t jobs, double v)
{
	return jobs ? v : NAN;
}

static struct figures figures_of(const struct pm_jobsums_row *r)
{
	return (struct figures){
		.hours = known(r->allocated_jobs, r->allocated_us / HOUR_US),
		.used = known(r->known_jobs, r->used_us / HOUR_US),
		.wasted = known(r->known_jobs, r->wasted_us / HOUR_US),
		.cpu_hours = known(r->cpu_jobs, r->cpu_us / HOUR_US),
		.efficiency = r->known_us > 0 ? r->used_us / r->known_us : NAN,
		.asked_kb = known(r->asked_jobs, r->asked_kb / (double)r->asked_jobs),
		.used_kb = known(r->rss_jobs, r->rss_kb / (double)r->rss_jobs),
		.peak_kb = known(r->rss_jobs, (double)r->peak_kb),
		.energy_kwh = known(r->energy_jobs, r->energy_uj / KWH_UJ),
	};
}

/* --- text ------------------------------------------------------------------------------------- */

/* Hours, or kWh: three digits, and all before the point. */
static void number_cell(struct pm_table *t, double v)
{
	char text[PM_FORMAT_MAX];

	if (isnan(v))
		snprintf(text, sizeof text, "unknown");
	else if (v >= 99.95)
		pm_format_count(text, v < 9e15 ? (int64_t)(v + 0.5) : INT64_MAX);
	else
		snprintf(text, sizeof text, "%.*f", v < 0.9995 ? 3 : v < 9.995 ? 2 : 1, v);
	pm_table_value(t, v);
	pm_table_cell(t, text);
}

static void memory_cell(struct pm_table *t, double kb)
{
	char text[PM_FORMAT_MAX];

	pm_table_value(t, kb);
	pm_table_cell(t, pm_figure_format(text, floor(kb), "kB"));
}

/* The name of a group as safe text. */
static void name_of(const struct pm_summary *s, const char *key, bool utf8,
		    char text[PM_PROCESSNAME_MAX])
{
	if (!key)
		snprintf(text, PM_PROCESSNAME_MAX, "(none)");
	else if (s->kind == PM_JOBSUMS_PROGRAM)
		pm_processname_shown(text, key, utf8);
	else if (s->kind == PM_JOBSUMS_TAG)
		pm_text_field(text, PM_PROCESSNAME_MAX, key, utf8);
	else
		pm_text_safe(text, PM_PROCESSNAME_MAX, key, strlen(key), utf8);
}

static void print_row(struct pm_table *t, const struct pm_summary *s, const char *name,
		      const struct pm_jobsums_row *r)
{
	const struct figures f = figures_of(r);
	const bool program = s->kind == PM_JOBSUMS_PROGRAM;

	pm_table_cell(t, name);
	pm_cell_count(t, r->jobs);
	pm_cell_count(t, r->failed);
	if (program) {
		pm_table_cell(t, "");
		number_cell(t, f.cpu_hours);
		pm_table_cell(t, "");
		pm_table_cell(t, "");
	} else {
		number_cell(t, f.hours);
		number_cell(t, f.used);
		number_cell(t, f.wasted);
		pm_cell_share(t, f.efficiency);
	}
	/* Columns of what is known of no job are left out. */
	if (s->sums.all.asked_jobs)
		memory_cell(t, f.asked_kb);
	else
		pm_table_cell(t, "");
	memory_cell(t, f.used_kb);
	memory_cell(t, f.peak_kb);
	if (s->sums.all.energy_jobs)
		number_cell(t, f.energy_kwh);
	else
		pm_table_cell(t, "");
}

static int print_groups(const struct pm_summary *s, const struct pm_page *p, int64_t limit,
			struct pm_err *e)
{
	char title[64], more[64];
	const struct pm_table_column columns[] = {
		{ title, false, 12, 0 },       { "Jobs", true, 0, 0 },
		{ "Failed", true, 0, 0 },      { "Core h", true, 0, -1 },
		{ "Used h", true, 0, 0 },      { "Wasted h", true, 0, -1 },
		{ "Eff.", true, 0, -1 },       { "Mem. asked", true, 0, -1 },
		{ "Mem. used", true, 0, 2 },   { "Peak", true, 0, 3 },
		{ "Energy kWh", true, 0, -1 },
	};
	char name[PM_PROCESSNAME_MAX];
	struct pm_table t;

	pm_text_safe(title, sizeof title, s->by, strlen(s->by), p->utf8);
	if (*title >= 'a' && *title <= 'z')
		*title = (char)(*title - 'a' + 'A');
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; i < s->sums.rows && i < (uint64_t)limit; i++) {
		name_of(s, s->sums.row[i].key, p->utf8, name);
		print_row(&t, s, name, &s->sums.row[i]);
	}
	/* Jobs count for each of their programs, so that these do not add up. */
	if (s->kind != PM_JOBSUMS_PROGRAM)
		print_row(&t, s, "all", &s->sums.all);
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (s->sums.rows > (uint64_t)limit) {
		snprintf(more, sizeof more, "further ones, which --limit 0 shows, too: %zu",
			 s->sums.rows - (size_t)limit);
		pm_page_text(p, "", more);
	}
	return 0;
}

static int print_worst(const struct pm_summary *s, const struct pm_page *p, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "#", true, 0, 0 },      { "Job", false, 8, 0 },     { "User", false, 0, 0 },
		{ "Name", false, 8, 2 },  { "Start", false, 0, 1 },   { "Core h", true, 0, 0 },
		{ "Used h", true, 0, 0 }, { "Wasted h", true, 0, 0 }, { "", false, 0, -1 },
	};
	struct pm_table t;

	if (!s->worsts)
		return 0;
	pm_page_heading(p, "Jobs that wasted the most");
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; i < s->worsts; i++) {
		const struct pm_jobsums_job *j = &s->worst[i];
		const char *const text[] = { j->jobid, j->user, j->name };
		char safe[256];

		pm_cell_id(&t, j->id);
		for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
			pm_text_safe(safe, sizeof safe, text[k], strlen(text[k]), p->utf8);
			pm_table_cell(&t, safe);
		}
		pm_table_cell(&t, pm_format_minute(safe, j->start_us));
		number_cell(&t, j->allocated_us / HOUR_US);
		number_cell(&t, j->used_us / HOUR_US);
		number_cell(&t, (j->allocated_us - j->used_us) / HOUR_US);
		pm_table_cell(&t, j->failed ? "failed" : "");
	}
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

int pm_summary_print(const struct pm_summary *s, const struct pm_page *p, int64_t limit,
		     struct pm_err *e)
{
	char jobs[PM_FORMAT_MAX], text[2 * PM_FORMAT_MAX];
	const struct pm_jobsums_row *all = &s->sums.all;

	if (!s->sums.rows) {
		pm_page_text(p, "", "no jobs");
		return 0;
	}
	if (print_groups(s, p, limit, e) < 0)
		return -1;
	if (all->running) {
		snprintf(text, sizeof text, "still running, and not in the hours: %s",
			 pm_format_things(jobs, all->running, "job"));
		pm_page_text(p, "", text);
	}
	if (s->kind != PM_JOBSUMS_PROGRAM && all->known_jobs < all->jobs - all->running) {
		snprintf(text, sizeof text, "use of CPUs not known, and not in used and wasted: %s",
			 pm_format_things(jobs, all->jobs - all->running - all->known_jobs, "job"));
		pm_page_text(p, "", text);
	}
	return print_worst(s, p, e);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *pack_key(const struct pm_summary *s, const char *key)
{
	if (!key)
		return json_null();
	return s->kind == PM_JOBSUMS_TAG ? pm_values_escaped(key, strlen(key))
					 : pm_values_safe(key);
}

static json_t *pack_row(const struct pm_summary *s, const struct pm_jobsums_row *r)
{
	const struct figures f = figures_of(r);

	return json_pack(
		"{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o, s:I}",
		"key", pack_key(s, r->key), "jobs", (json_int_t)r->jobs, "failed",
		(json_int_t)r->failed, "running", (json_int_t)r->running, "core_hours",
		pm_figure_json(f.hours), "core_hours_used", pm_figure_json(f.used),
		"core_hours_wasted", pm_figure_json(f.wasted), "cpu_hours",
		pm_figure_json(f.cpu_hours), "efficiency", pm_figure_json(f.efficiency),
		"jobs_known", (json_int_t)r->known_jobs, "memory_asked_kb",
		pm_figure_json(f.asked_kb), "jobs_memory_asked", (json_int_t)r->asked_jobs,
		"memory_used_kb", pm_figure_json(f.used_kb), "memory_peak_kb",
		pm_figure_json(f.peak_kb), "energy_kwh", pm_figure_json(f.energy_kwh),
		"jobs_energy", (json_int_t)r->energy_jobs);
}

static json_t *pack_worst(const struct pm_jobsums_job *j)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "id", (json_int_t)j->id,
			 "jobid", pm_values_safe(j->jobid), "user", pm_values_safe(j->user), "name",
			 pm_values_safe(j->name), "start_us", pm_json_int(j->start_us),
			 "core_hours", pm_figure_json(j->allocated_us / HOUR_US), "core_hours_used",
			 pm_figure_json(j->used_us / HOUR_US), "failed", j->failed);
}

int pm_summary_dump(const struct pm_summary *s, int64_t limit, struct pm_err *e)
{
	json_t *groups = json_array(), *worst = json_array();

	for (size_t i = 0; i < s->sums.rows && i < (uint64_t)limit; i++)
		json_array_append_new(groups, pack_row(s, &s->sums.row[i]));
	for (size_t i = 0; i < s->worsts; i++)
		json_array_append_new(worst, pack_worst(&s->worst[i]));
	return pm_values_dump(
		json_pack("{s:o, s:I, s:o, s:o, s:o}", "by", pm_values_safe(s->by), "groups_in_all",
			  (json_int_t)s->sums.rows, "groups", groups, "all",
			  s->kind == PM_JOBSUMS_PROGRAM ? json_null() : pack_row(s, &s->sums.all),
			  "worst", worst),
		e);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void put_number(double v)
{
	putchar(',');
	if (!isnan(v))
		printf("%.9g", v);
}

int pm_summary_csv(const struct pm_summary *s, int64_t limit, struct pm_err *e)
{
	(void)e;
	pm_values_csv_text(stdout, s->by, strlen(s->by));
	fputs(",jobs,failed,running,core_hours,core_hours_used,core_hours_wasted,cpu_hours,"
	      "efficiency,jobs_known,memory_asked_kb,jobs_memory_asked,memory_used_kb,"
	      "memory_peak_kb,energy_kwh,jobs_energy\r\n",
	      stdout);
	for (size_t i = 0; i < s->sums.rows && i < (uint64_t)limit; i++) {
		const struct pm_jobsums_row *r = &s->sums.row[i];
		const struct figures f = figures_of(r);

		if (r->key)
			pm_values_csv_text(stdout, r->key, strlen(r->key));
		printf(",%" PRId64 ",%" PRId64 ",%" PRId64, r->jobs, r->failed, r->running);
		put_number(f.hours);
		put_number(f.used);
		put_number(f.wasted);
		put_number(f.cpu_hours);
		put_number(f.efficiency);
		printf(",%" PRId64, r->known_jobs);
		put_number(f.asked_kb);
		printf(",%" PRId64, r->asked_jobs);
		put_number(f.used_kb);
		put_number(f.peak_kb);
		put_number(f.energy_kwh);
		printf(",%" PRId64 "\r\n", r->energy_jobs);
	}
	return 0;
}
