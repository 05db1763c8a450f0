/* The report: ranks of parallel programs, hosts and steps of the batch system. */
#include "config.h"

#include "report/job/report_ranks.h"

#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/jsonvalue.h"
#include "report/print/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Imbalance of CPU time from which on its cost is worth a sentence. */
#define UNEVEN 0.05

static const struct {
	const char *title, *name; /* of text and JSON */
	const char *(*format)(char *text, int64_t value);
} figure[PM_RANKS_FIGURES] = {
	[PM_RANKS_WALL] = { "Wall time", "wall_us", pm_format_duration },
	[PM_RANKS_CPU] = { "CPU time", "cpu_us", pm_format_duration },
	[PM_RANKS_RSS] = { "Largest process", "rss_bytes", pm_format_bytes },
	[PM_RANKS_MOVED] = { "Read and written", "moved_bytes", pm_format_bytes },
	[PM_RANKS_STORAGE] = { "Storage", "storage_bytes", pm_format_bytes },
};

/* The host with an id, NULL if unknown. */
static const struct pm_fact_host *find_host(const struct pm_facts *f, int64_t id)
{
	const int64_t i = pm_facts_host_index(f, id);

	return i < 0 ? NULL : &f->host[i];
}

static void put_host(struct pm_table *t, const struct pm_facts *f, int64_t id)
{
	const struct pm_fact_host *h = find_host(f, id);

	pm_table_cell(t, h ? pm_facts_hostname(h) : "unknown host");
}

static json_t *json_of_host(const struct pm_facts *f, int64_t id)
{
	const struct pm_fact_host *h = find_host(f, id);

	return pm_json_text(h ? h->name : "");
}

static int64_t whole(double v)
{
	return v >= 0 && v < 9e18 ? (int64_t)(v + 0.5) : PM_UNKNOWN;
}

/* Print a table of figures over ranks, or over hosts with f. Returns 0, or -1 if out of memory. */
static int print_spreads(const struct pm_page *p, const struct pm_ranks_spread *spread, int64_t all,
			 const struct pm_facts *f)
{
	struct pm_table_column column[] = {
		{ "", false, 16, 0 },
		{ "Least", true, 0, 0 },
		{ f ? "Host" : "Rank", !f, 0, 1 },
		{ "Mean", true, 0, 0 },
		{ "Most", true, 0, 0 },
		{ f ? "Host" : "Rank", !f, 0, 0 },
		{ "Known", true, 0, -1 },
	};
	struct pm_table t;

	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (int k = 0; k < PM_RANKS_FIGURES; k++) {
		const struct pm_ranks_spread *s = &spread[k];
		char text[PM_FORMAT_MAX];

		if (s->known == 0)
			continue;
		pm_table_cell(&t, figure[k].title);
		pm_table_cell(&t, figure[k].format(text, whole(s->least)));
		if (f)
			put_host(&t, f, s->least_at);
		else
			pm_cell_id(&t, s->least_at);
		pm_table_cell(&t, figure[k].format(text, whole(s->mean)));
		pm_table_cell(&t, figure[k].format(text, whole(s->most)));
		if (f)
			put_host(&t, f, s->most_at);
		else
			pm_cell_id(&t, s->most_at);
		/* Of how many, where that is not all. */
		*text = '\0';
		pm_table_cell(&t, s->known < all ? pm_format_count(text, s->known) : text);
	}
	return pm_table_finish(&t);
}

/* --- ranks -------------------------------------------------------------------------------------
 */

/* Print what uneven work costs. */
static void print_cost(const struct pm_page *p, const struct pm_ranks_run *r)
{
	const struct pm_ranks_spread *cpu = &r->spread[PM_RANKS_CPU];
	char most[PM_FORMAT_MAX], mean[PM_FORMAT_MAX], share[PM_FORMAT_MAX], cost[PM_FORMAT_MAX];
	char text[8 * PM_FORMAT_MAX];

	if (isnan(r->imbalance) || isnan(r->cost_us))
		return;
	if (r->imbalance < UNEVEN)
		snprintf(text, sizeof text,
			 "CPU time is even: the most is %s above the mean. Ranks that poll while "
			 "they wait in MPI use CPU time, too.",
			 pm_format_share(share, cpu->most / cpu->mean - 1));
	else
		snprintf(
			text, sizeof text,
			"CPU time is uneven: rank %" PRId64 " used %s, the mean is %s. With even "
			"work the run could have been about %s (%s) shorter. Ranks that poll while "
			"they wait in MPI use CPU time, too, which hides imbalance.",
			cpu->most_at, pm_format_duration(most, whole(cpu->most)),
			pm_format_duration(mean, whole(cpu->mean)),
			pm_format_duration(cost, whole(r->cost_us)),
			pm_format_share(share, r->imbalance));
	pm_page_text(p, "  ", text);
}

static int print_run(const struct pm_page *p, const struct pm_facts *f,
		     const struct pm_ranks_run *r)
{
	char ranks[PM_FORMAT_MAX], size[PM_FORMAT_MAX], hosts[PM_FORMAT_MAX], wall[PM_FORMAT_MAX];
	char after[PM_FORMAT_MAX], text[PM_PROCESSNAME_MAX + 8 * PM_FORMAT_MAX];
	size_t len;

	len = (size_t)snprintf(text, sizeof text, "%s: %s", r->label,
			       pm_format_things(ranks, r->ranks, "rank"));
	if (r->size > r->ranks)
		len += (size_t)snprintf(text + len, sizeof text - len, " of %s",
					pm_format_count(size, r->size));
	len += (size_t)snprintf(text + len, sizeof text - len, " on %s",
				pm_format_things(hosts, r->hosts, "host"));
	if (*r->step)
		len += (size_t)snprintf(text + len, sizeof text - len, ", step %s", r->step);
	if (r->start_us != PM_UNKNOWN && r->end_us != PM_UNKNOWN)
		snprintf(text + len, sizeof text - len, ", %s, after %s",
			 pm_format_duration(wall, pm_format_since(r->end_us, r->start_us)),
			 pm_format_duration(after, pm_format_since(r->start_us, f->start_us)));
	pm_page_text(p, "  ", text);
	if (print_spreads(p, r->spread, r->ranks, NULL) < 0)
		return -1;
	print_cost(p, r);
	return 0;
}

/* Compare for qsort(3): the longest run first. */
static int by_wall(const void *a, const void *b)
{
	const struct pm_ranks_run *x = *(const struct pm_ranks_run *const *)a,
				  *y = *(const struct pm_ranks_run *const *)b;
	const double v = x->spread[PM_RANKS_WALL].most, w = y->spread[PM_RANKS_WALL].most;

	return v != w ? v > w ? -1 : 1 : x < y ? -1 : 1;
}

static int print_runs(const struct pm_page *p, const struct pm_facts *f)
{
	const struct pm_ranks *r = f->parallel;
	const size_t shown = r->runs < f->limit ? r->runs : f->limit;
	const struct pm_ranks_run **list;
	char n[PM_FORMAT_MAX], text[PM_COMMAND_MAX + 2 * PM_FORMAT_MAX];
	int rc = 0;

	if (r->runs == 0)
		return 0;
	list = malloc(r->runs * sizeof(*list));
	if (!list)
		return -1;
	for (size_t i = 0; i < r->runs; i++)
		list[i] = &r->run[i];
	qsort(list, r->runs, sizeof *list, by_wall);
	pm_page_heading(p, "Ranks");
	for (size_t i = 0; i < shown && rc == 0; i++) {
		if (i > 0)
			fputc('\n', p->f);
		rc = print_run(p, f, list[i]);
	}
	free(list);
	if (shown < r->runs) {
		snprintf(text, sizeof text, "%s%s shorter: perfmon report --limit 0%s",
			 r->runs_cut ? "At least " : "",
			 pm_format_things(n, (int64_t)(r->runs - shown), "more run"), f->named);
		pm_page_text(p, "  ", text);
	}
	return rc;
}

/* --- hosts and steps ---------------------------------------------------------------------------
 */

static int print_hosts(const struct pm_page *p, const struct pm_facts *f)
{
	const struct pm_ranks *r = f->parallel;
	const double uneven = pm_ranks_imbalance(&r->host[PM_RANKS_CPU]);
	char share[PM_FORMAT_MAX], text[3 * PM_FORMAT_MAX];

	if (r->hosts < 2)
		return 0;
	pm_page_heading(p, "Hosts: what the job's processes used on each");
	if (print_spreads(p, r->host, r->hosts, f) < 0)
		return -1;
	if (!isnan(uneven)) {
		snprintf(text, sizeof text, "Imbalance of CPU time, (most - mean) / most: %s.",
			 pm_format_share(share, uneven));
		pm_page_text(p, "  ", text);
	}
	return 0;
}

/* Steps of Slurm that have a name for people (slurm.h). */
static const char *step_name(const char *step)
{
	static const char *const name[][2] = {
		{ "4294967290", "interactive" },
		{ "4294967291", "batch" },
		{ "4294967292", "extern" },
	};

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		if (strcmp(step, name[i][0]) == 0)
			return name[i][1];
	return step;
}

static int print_steps(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Step", false, 0, 0 },     { "First program", false, 12, 0 },
		{ "Tasks", true, 0, 2 },     { "Hosts", true, 0, 3 },
		{ "After", true, 0, 1 },     { "Wall time", true, 0, 0 },
		{ "CPU time", true, 0, 0 },  { "CPUs busy", true, 0, 4 },
		{ "Peak mem.", true, 0, 5 }, { "Read and written", true, 0, 6 },
		{ "Processes", true, 0, 7 }, { "Failed", true, 0, 8 },
	};
	const struct pm_ranks *r = f->parallel;
	const size_t shown = r->steps < f->limit ? r->steps : f->limit;
	char text[PM_COMMAND_MAX + 2 * PM_FORMAT_MAX], n[PM_FORMAT_MAX];
	struct pm_table t;

	if (r->steps < 2 && (r->steps == 0 || r->runs == 0))
		return 0;
	pm_page_heading(p, "Steps of the batch system");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < shown; i++) {
		const struct pm_ranks_step *s = &r->step[i];

		pm_table_cell(&t, step_name(s->step));
		pm_table_cell(&t, s->label);
		pm_cell_count(&t, s->tasks ? s->tasks : PM_UNKNOWN);
		pm_cell_count(&t, s->hosts);
		pm_cell_duration(&t, s->start_us == PM_UNKNOWN
					     ? PM_UNKNOWN
					     : pm_format_since(s->start_us, f->start_us));
		pm_cell_duration(&t, s->value[PM_RANKS_WALL]);
		pm_cell_duration(&t, s->value[PM_RANKS_CPU]);
		pm_cell_number(&t,
			       pm_format_ratio(s->value[PM_RANKS_CPU], s->value[PM_RANKS_WALL]));
		pm_cell_bytes(&t, s->value[PM_RANKS_RSS]);
		pm_cell_bytes(&t, s->value[PM_RANKS_MOVED]);
		pm_cell_count(&t, s->processes);
		pm_cell_count(&t, s->failed);
	}
	if (pm_table_finish(&t) < 0)
		return -1;
	if (shown < r->steps) {
		snprintf(text, sizeof text, "%s%s: perfmon report --limit 0%s",
			 r->steps_cut ? "At least " : "",
			 pm_format_things(n, (int64_t)(r->steps - shown), "later step"), f->named);
		pm_page_text(p, "  ", text);
	}
	return 0;
}

int pm_report_ranks(const struct pm_page *p, const struct pm_facts *f)
{
	if (!f->parallel)
		return 0;
	return print_runs(p, f) < 0 || print_hosts(p, f) < 0 || print_steps(p, f) < 0 ? -1 : 0;
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static json_t *json_of_spreads(const struct pm_ranks_spread *spread, const struct pm_facts *f)
{
	json_t *o = json_object();

	for (int k = 0; k < PM_RANKS_FIGURES; k++) {
		const struct pm_ranks_spread *s = &spread[k];
		json_t *x = json_object();

		json_object_set_new(x, "known", json_integer(s->known));
		json_object_set_new(x, "least", s->known ? pm_json_real(s->least) : json_null());
		json_object_set_new(x, "mean", s->known ? pm_json_real(s->mean) : json_null());
		json_object_set_new(x, "most", s->known ? pm_json_real(s->most) : json_null());
		if (s->known) {
			json_object_set_new(x, "least_at",
					    f ? json_of_host(f, s->least_at)
					      : json_integer(s->least_at));
			json_object_set_new(x, "most_at",
					    f ? json_of_host(f, s->most_at)
					      : json_integer(s->most_at));
		}
		json_object_set_new(o, figure[k].name, x);
	}
	return o;
}

static json_t *json_of_run(const struct pm_ranks_run *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "program", json_string(r->label));
	json_object_set_new(o, "step", pm_json_text(r->step));
	json_object_set_new(o, "ranks", json_integer(r->ranks));
	json_object_set_new(o, "size", pm_json_int(r->size));
	json_object_set_new(o, "hosts", json_integer(r->hosts));
	json_object_set_new(o, "start_us", pm_json_int(r->start_us));
	json_object_set_new(o, "end_us", pm_json_int(r->end_us));
	json_object_set_new(o, "figures", json_of_spreads(r->spread, NULL));
	json_object_set_new(o, "cpu_imbalance", pm_json_real(r->imbalance));
	json_object_set_new(o, "imbalance_cost_us", pm_json_int(whole(r->cost_us)));
	return o;
}

static json_t *json_of_step(const struct pm_ranks_step *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "step", json_string(s->step));
	json_object_set_new(o, "first_program", json_string(s->label));
	json_object_set_new(o, "processes", json_integer(s->processes));
	json_object_set_new(o, "tasks", s->tasks ? json_integer(s->tasks) : json_null());
	json_object_set_new(o, "hosts", json_integer(s->hosts));
	json_object_set_new(o, "start_us", pm_json_int(s->start_us));
	json_object_set_new(o, "end_us", pm_json_int(s->end_us));
	json_object_set_new(o, "failed", json_integer(s->failed));
	for (int k = 0; k < PM_RANKS_FIGURES; k++)
		json_object_set_new(o, figure[k].name, pm_json_int(s->value[k]));
	return o;
}

json_t *pm_report_ranks_json(const struct pm_facts *f)
{
	json_t *o = json_object(), *runs = json_array(), *steps = json_array();
	const struct pm_ranks *r = f->parallel;

	for (size_t i = 0; r && i < r->runs; i++)
		json_array_append_new(runs, json_of_run(&r->run[i]));
	for (size_t i = 0; r && i < r->steps; i++)
		json_array_append_new(steps, json_of_step(&r->step[i]));
	json_object_set_new(o, "runs", runs);
	json_object_set_new(o, "steps", steps);
	json_object_set_new(o, "hosts",
			    r && r->hosts > 1 ? json_of_spreads(r->host, f) : json_null());
	return o;
}
