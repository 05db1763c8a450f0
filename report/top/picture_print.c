/* Print a picture of a running job. */
#include "config.h"

#include "report/top/picture.h"

#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/jsonvalue.h"
#include "report/print/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Signs of life older than this are told with their age. */
#define OLD_US 10000000

static int64_t whole(double v)
{
	return isnan(v) || v < 0 ? PM_UNKNOWN : (int64_t)v;
}

static int64_t known(int64_t v)
{
	return v < 0 ? PM_UNKNOWN : v;
}

/* Number of CPUs: 0.02, 1.5, 12. */
static const char *format_cpus(char *t, double cpus)
{
	return pm_format_number(t, cpus > 0 && cpus < 0.005 ? 0 : cpus);
}

static const char *format_rate(char *t, double rate)
{
	char bytes[PM_FORMAT_MAX];

	if (isnan(rate))
		snprintf(t, PM_FORMAT_MAX, "unknown");
	else
		snprintf(t, PM_FORMAT_MAX, "%.60s/s", pm_format_bytes(bytes, whole(rate)));
	return t;
}

/* The last sign of life of a job. */
static int64_t last_seen(const struct pm_top_picture *p)
{
	if (p->living)
		return p->now_us;
	return p->records_us > p->ticks_us ? p->records_us : p->ticks_us;
}

static void print_time(const struct pm_page *page, const struct pm_top_picture *p)
{
	char elapsed[PM_FORMAT_MAX], limit[PM_FORMAT_MAX], left[PM_FORMAT_MAX];
	char text[5 * PM_FORMAT_MAX];
	const int64_t end = p->end_us ? p->end_us : p->now_us;
	size_t len;

	if (p->start_us <= 0) {
		pm_page_pair(page, "Elapsed", "unknown: no host has recorded its start");
		return;
	}
	len = (size_t)snprintf(text, sizeof text, "%s",
			       pm_format_duration(elapsed, pm_format_since(end, p->start_us)));
	if (p->limit_us > p->start_us)
		len += (size_t)snprintf(text + len, sizeof text - len, " of %s",
					pm_format_duration(limit, p->limit_us - p->start_us));
	if (p->limit_us > p->start_us && p->limit_us > end && !p->end_us)
		len += (size_t)snprintf(text + len, sizeof text - len, ", %s left",
					pm_format_duration(left, p->limit_us - end));
	if (p->end_us)
		snprintf(text + len, sizeof text - len, "; the job is over");
	pm_page_pair(page, "Elapsed", text);
}

/* Say until when something is known of a job that does not seem to run. */
static void print_seen(const struct pm_page *page, const struct pm_top_picture *p)
{
	const int64_t seen = last_seen(p);
	char age[PM_FORMAT_MAX], time[PM_FORMAT_MAX];

	if (p->end_us)
		return;
	if (seen == 0)
		pm_page_pair(page, "Seen", "nothing: no process has been recorded so far");
	else if (pm_format_since(p->now_us, seen) > OLD_US)
		pm_page_pairf(page, "Seen", "last at %s, %s ago%s", pm_format_time(time, seen),
			      pm_format_duration(age, pm_format_since(p->now_us, seen)),
			      p->running > 0 ? ": processes record little until they end" : "");
}

static void print_use(const struct pm_page *page, const struct pm_top_picture *p)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], d[PM_FORMAT_MAX];

	if (isnan(p->busy))
		pm_page_pairf(page, "CPUs busy", "unknown; %s of CPU time so far",
			      pm_format_duration(a, p->cpu_us));
	else if (p->cpus > 0)
		pm_page_pairf(page, "CPUs busy", "%s of %s; %s of CPU time so far",
			      format_cpus(a, p->busy), pm_format_count(b, p->cpus),
			      pm_format_duration(c, p->cpu_us));
	else
		pm_page_pairf(page, "CPUs busy", "%s; %s of CPU time so far",
			      format_cpus(a, p->busy), pm_format_duration(c, p->cpu_us));
	if (p->memory > 0)
		pm_page_pairf(page, "Memory", "%s of %s", pm_format_bytes(a, known(p->rss)),
			      pm_format_bytes(b, p->memory));
	else
		pm_page_pairf(page, "Memory", "%s", pm_format_bytes(a, known(p->rss)));
	pm_page_pairf(page, "Input, output", "read %s, written %s; storage %s and %s",
		      format_rate(a, p->rate[PM_TOP_READ]), format_rate(b, p->rate[PM_TOP_WRITTEN]),
		      format_rate(c, p->rate[PM_TOP_FETCHED]),
		      format_rate(d, p->rate[PM_TOP_STORED]));
	pm_page_pairf(page, "Processes", "%s running, %s ended", pm_format_count(a, p->running),
		      pm_format_count(b, p->ended));
}

static void print_notes(const struct pm_page *page, const struct pm_top_picture *p)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], text[4 * PM_FORMAT_MAX];

	if (p->behind > 0) {
		snprintf(text, sizeof text, "Still reading: %s of %s to go; totals are too low.",
			 pm_format_bytes(a, p->behind), pm_format_bytes(b, p->bytes));
		pm_page_text(page, "", text);
	}
	if (p->live_cut) {
		snprintf(text, sizeof text,
			 "More processes run here than are read; the others count when they end.");
		pm_page_text(page, "", text);
	}
	if (p->damaged > 0) {
		snprintf(text, sizeof text, "%s could not be read.",
			 pm_format_things(a, p->damaged, "line"));
		pm_page_text(page, "", text);
	}
	if (p->skipped > 0) {
		snprintf(text, sizeof text, "%s left unread: too many.",
			 pm_format_things(a, p->skipped, "file"));
		pm_page_text(page, "", text);
	}
}

static int print_programs(const struct pm_page *page, const struct pm_top_picture *p, int64_t limit)
{
	static const struct pm_table_column column[] = {
		{ "CPUs busy", true, 0, 0 }, { "CPU time", true, 0, 0 },  { "Memory", true, 0, 1 },
		{ "Read", true, 0, 3 },      { "Written", true, 0, 4 },   { "Running", true, 0, 2 },
		{ "Started", true, 0, 5 },   { "Program", false, 15, 0 },
	};
	struct pm_table t;
	char text[PM_FORMAT_MAX];

	pm_table_init(&t, page, column, sizeof column / sizeof column[0], 0);
	for (size_t i = 0; i < p->lines && (int64_t)i < limit; i++) {
		const struct pm_top_line *l = &p->line[i];

		pm_table_cell(&t, format_cpus(text, l->cpus));
		pm_cell_duration(&t, l->cpu_us);
		pm_cell_bytes(&t, known(l->rss));
		pm_table_cell(&t, format_rate(text, l->read));
		pm_table_cell(&t, format_rate(text, l->written));
		pm_cell_count(&t, l->running);
		pm_cell_count(&t, l->started);
		pm_table_cell(&t, l->name);
	}
	return pm_table_finish(&t);
}

int pm_top_picture_print(const struct pm_page *page, const struct pm_top_picture *p, int64_t limit)
{
	char time[PM_FORMAT_MAX], hosts[PM_FORMAT_MAX], closed[PM_FORMAT_MAX];

	fprintf(page->f, "Job %s%s%s%s%s, %s\n", p->jobid, *p->name ? ": " : "", p->name,
		*p->user ? ", user " : "", p->user, pm_format_time(time, p->now_us));
	print_time(page, p);
	print_seen(page, p);
	if (p->hosts > 1 || p->closed > 0)
		pm_page_pairf(page, "Hosts", "%s, closed on %s", pm_format_count(hosts, p->hosts),
			      pm_format_count(closed, p->closed));
	print_use(page, p);
	print_notes(page, p);
	fputc('\n', page->f);
	return print_programs(page, p, limit);
}

static json_t *json_positive(int64_t us)
{
	return us <= 0 ? json_null() : json_integer(us);
}

json_t *pm_top_picture_json(const struct pm_top_picture *p, int64_t limit)
{
	json_t *o = json_object(), *programs = json_array();

	json_object_set_new(o, "time_us", json_integer(p->now_us));
	json_object_set_new(o, "jobid", json_string(p->jobid));
	json_object_set_new(o, "name", pm_json_text(p->name));
	json_object_set_new(o, "user", pm_json_text(p->user));
	json_object_set_new(o, "start_us", json_positive(p->start_us));
	json_object_set_new(o, "end_us", json_positive(p->end_us));
	json_object_set_new(o, "limit_us", json_positive(p->limit_us));
	json_object_set_new(o, "seen_us", json_positive(last_seen(p)));
	json_object_set_new(o, "hosts", json_integer(p->hosts));
	json_object_set_new(o, "closed", json_integer(p->closed));
	json_object_set_new(o, "cpus", json_positive(p->cpus));
	json_object_set_new(o, "memory_bytes", json_positive(p->memory));
	json_object_set_new(o, "cpus_busy", pm_json_real(p->busy));
	json_object_set_new(o, "cpu_us", json_integer(p->cpu_us));
	json_object_set_new(o, "rss_bytes", pm_json_int(known(p->rss)));
	json_object_set_new(o, "read_bytes_per_s", pm_json_real(p->rate[PM_TOP_READ]));
	json_object_set_new(o, "written_bytes_per_s", pm_json_real(p->rate[PM_TOP_WRITTEN]));
	json_object_set_new(o, "storage_read_bytes_per_s", pm_json_real(p->rate[PM_TOP_FETCHED]));
	json_object_set_new(o, "storage_written_bytes_per_s", pm_json_real(p->rate[PM_TOP_STORED]));
	json_object_set_new(o, "running", json_integer(p->running));
	json_object_set_new(o, "ended", json_integer(p->ended));
	json_object_set_new(o, "unread_bytes", json_integer(p->behind));
	for (size_t i = 0; i < p->lines && (int64_t)i < limit; i++) {
		const struct pm_top_line *l = &p->line[i];
		json_t *x = json_object();

		json_object_set_new(x, "program", json_string(l->name));
		json_object_set_new(x, "cpus_busy", pm_json_real(l->cpus));
		json_object_set_new(x, "cpu_us", json_integer(l->cpu_us));
		json_object_set_new(x, "rss_bytes", pm_json_int(known(l->rss)));
		json_object_set_new(x, "read_bytes_per_s", pm_json_real(l->read));
		json_object_set_new(x, "written_bytes_per_s", pm_json_real(l->written));
		json_object_set_new(x, "running", json_integer(l->running));
		json_object_set_new(x, "started", json_integer(l->started));
		json_array_append_new(programs, x);
	}
	json_object_set_new(o, "programs", programs);
	return o;
}
