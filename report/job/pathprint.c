/* Print the critical path of a job. */
#include "config.h"

#include "report/job/pathprint.h"

#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/jsonvalue.h"
#include "report/print/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Name of the time in which no recorded process decided. */
#define OUTSIDE "(outside of recorded processes)"

/* Times below this share of the wall time are not worth a sentence. */
#define WORTH 0.005

static int64_t whole(double us)
{
	return isnan(us) ? PM_UNKNOWN : (int64_t)(us + 0.5);
}

static int64_t length_of(const struct pm_criticalpath_step *s)
{
	return s->to_us - s->from_us;
}

static double share_of(double part, double all)
{
	return all > 0 ? part / all : NAN;
}

/* Whether block I/O is known of any process: without the kernel's delay accounting it is of none,
 * and its column is left out. */
static bool io_known(const struct pm_criticalpath *path)
{
	for (size_t i = 0; i < path->programs; i++)
		if (!isnan(path->program[i].doing.io_us))
			return true;
	return false;
}

/* Append cells with the shares of a time in which that was done. */
static void put_doing(struct pm_table *t, const struct pm_criticalpath_doing *d, int64_t wall_us,
		      bool io)
{
	const double wall = (double)wall_us;

	pm_cell_share(t, share_of(d->cpu_us, wall));
	pm_cell_share(t, share_of(d->queue_us, wall));
	if (io)
		pm_cell_share(t, share_of(d->io_us, wall));
	else
		pm_table_cell(t, "");
	pm_cell_share(t, share_of(d->other_us, wall));
}

static void put_blank(struct pm_table *t, int cells)
{
	while (cells-- > 0)
		pm_table_cell(t, "");
}

int pm_pathprint_programs(const struct pm_page *p, const struct pm_criticalpath *path,
			  int64_t limit)
{
	struct pm_table_column column[] = {
		{ "Program", false, 16, 0 }, { "Processes", true, 0, 5 },
		{ "Wall time", true, 0, 0 }, { "Share", true, 0, 0 },
		{ "CPU", true, 0, 1 },       { "Ready", true, 0, 2 },
		{ "Block I/O", true, 0, 3 }, { "Waiting", true, 0, 4 },
	};
	const int64_t all = path->end_us - path->start_us;
	const bool io = io_known(path);
	struct pm_table t;

	if (!io)
		column[6].drop = -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < path->programs && (int64_t)i < limit; i++) {
		const struct pm_criticalpath_program *g = &path->program[i];

		pm_table_cell(&t, *g->label ? g->label : OUTSIDE);
		if (*g->label)
			pm_cell_count(&t, g->processes);
		else
			put_blank(&t, 1);
		pm_cell_duration(&t, g->wall_us);
		pm_cell_share(&t, share_of((double)g->wall_us, (double)all));
		if (*g->label)
			put_doing(&t, &g->doing, g->wall_us, io);
		else
			put_blank(&t, 4);
	}
	return pm_table_finish(&t);
}

static int by_length(const void *a, const void *b)
{
	const struct pm_criticalpath_step *x = *(const struct pm_criticalpath_step *const *)a,
					  *y = *(const struct pm_criticalpath_step *const *)b;

	if (length_of(x) != length_of(y))
		return length_of(x) > length_of(y) ? -1 : 1;
	return x < y ? -1 : 1;
}

static int by_time(const void *a, const void *b)
{
	const struct pm_criticalpath_step *x = *(const struct pm_criticalpath_step *const *)a,
					  *y = *(const struct pm_criticalpath_step *const *)b;

	return x < y ? -1 : 1;
}

/* The longest steps in order of time, *n of them, to be freed; NULL if out of memory. */
static const struct pm_criticalpath_step **longest(const struct pm_criticalpath *path,
						   int64_t limit, size_t *n)
{
	const struct pm_criticalpath_step **list = malloc((path->steps + 1) * sizeof(*list));

	*n = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < path->steps; i++)
		list[(*n)++] = &path->step[i];
	if ((uint64_t)limit < *n) {
		qsort(list, *n, sizeof *list, by_length);
		*n = (size_t)limit;
		qsort(list, *n, sizeof *list, by_time);
	}
	return list;
}

/* Print how many steps the table leaves out. */
static void print_rest(const struct pm_page *p, const struct pm_criticalpath *path, size_t shown,
		       int64_t shown_us)
{
	char n[PM_FORMAT_MAX], all[PM_FORMAT_MAX], text[4 * PM_FORMAT_MAX];

	if (shown == path->steps)
		return;
	snprintf(text, sizeof text, "%s, %s together, %s not shown.",
		 pm_format_things(n, (int64_t)(path->steps - shown), "shorter step"),
		 pm_format_duration(all, path->end_us - path->start_us - shown_us),
		 path->steps - shown == 1 ? "is" : "are");
	pm_page_text(p, "  ", text);
}

int pm_pathprint_steps(const struct pm_page *p, const struct pm_criticalpath *path, int64_t limit)
{
	struct pm_table_column column[] = {
		{ "After", true, 0, 0 },     { "Wall time", true, 0, 0 }, { "CPU", true, 0, 2 },
		{ "Ready", true, 0, 3 },     { "Block I/O", true, 0, 4 }, { "Waiting", true, 0, 5 },
		{ "#", true, 0, 7 },         { "Pid", true, 0, 1 },       { "Host", false, 8, 6 },
		{ "Program", false, 20, 0 },
	};
	const struct pm_criticalpath_step **list;
	const bool io = io_known(path);
	int64_t shown_us = 0;
	struct pm_table t;
	int rc;
	size_t n;

	/* One host need not be named. */
	if (path->hosts < 2)
		column[8] = (struct pm_table_column){ "", false, 0, -1 };
	if (!io)
		column[4].drop = -1;
	list = longest(path, limit, &n);
	if (!list)
		return -1;
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < n; i++) {
		const struct pm_criticalpath_step *s = list[i];
		const char *label = path->program[s->program].label;

		shown_us += length_of(s);
		pm_cell_duration(&t, s->from_us - path->start_us);
		pm_cell_duration(&t, length_of(s));
		if (s->process) {
			put_doing(&t, &s->doing, length_of(s), io);
			pm_cell_id(&t, s->process);
			pm_cell_id(&t, s->pid);
		} else {
			put_blank(&t, 6);
		}
		pm_table_cell(&t, path->hosts < 2 ? "" : pm_criticalpath_host(path, s));
		pm_table_cell(&t, *label ? label : OUTSIDE);
	}
	free(list);
	rc = pm_table_finish(&t);
	print_rest(p, path, n, shown_us);
	return rc;
}

/* --- sentences --------------------------------------------------------------------------------
 */

/* Append ", 12 % waiting for ..." where that is known and not nothing. */
static size_t add_share(char *text, size_t cap, size_t len, double us, double all,
			const char *doing)
{
	char share[PM_FORMAT_MAX];

	if (isnan(us) || us < WORTH * all)
		return len;
	len += (size_t)snprintf(text + len, cap - len, "%s%s %s", len ? ", " : "",
				pm_format_share(share, share_of(us, all)), doing);
	return len < cap ? len : cap - 1;
}

static double known_or_none(double us)
{
	return isnan(us) ? 0 : us;
}

/* Print what processes did along the path. */
static void print_doing(const struct pm_page *p, const struct pm_criticalpath *path)
{
	double cpu = 0, queue = 0, io = 0, other = 0, unknown = 0, known;
	const double all = (double)(path->end_us - path->start_us);
	char part[512] = "", text[640];
	size_t len = 0;

	for (size_t i = 0; i < path->steps; i++) {
		const struct pm_criticalpath_step *s = &path->step[i];

		if (!s->process)
			continue;
		known = known_or_none(s->doing.cpu_us) + known_or_none(s->doing.queue_us) +
			known_or_none(s->doing.io_us) + known_or_none(s->doing.other_us);
		cpu += known_or_none(s->doing.cpu_us);
		queue += known_or_none(s->doing.queue_us);
		io += known_or_none(s->doing.io_us);
		other += known_or_none(s->doing.other_us);
		unknown += (double)length_of(s) - known;
	}
	len = add_share(part, sizeof part, len, cpu, all, "on a CPU");
	len = add_share(part, sizeof part, len, queue, all, "ready but without a CPU");
	len = add_share(part, sizeof part, len, io, all, "in block I/O");
	len = add_share(part, sizeof part, len, other, all,
			io_known(path)
				? "waiting for something else: data, locks, sleeps, processes "
				  "that are not recorded"
				: "waiting for something else: storage, data, locks, "
				  "sleeps, processes that are not recorded");
	len = add_share(part, sizeof part, len, unknown, all, "of which it is not known");
	len = add_share(part, sizeof part, len, (double)pm_criticalpath_outside(path), all,
			"outside of recorded processes, as in a job script itself");
	snprintf(text, sizeof text, "Of its time, by estimate: %s.", part);
	if (len > 0)
		pm_page_text(p, "  ", text);
}

static void print_count(const struct pm_page *p, size_t n, const char *one, const char *several)
{
	char count[PM_FORMAT_MAX], text[512];

	if (n == 0)
		return;
	snprintf(text, sizeof text, n == 1 ? one : several, pm_format_count(count, (int64_t)n));
	pm_page_text(p, "  ", text);
}

void pm_pathprint_notes(const struct pm_page *p, const struct pm_criticalpath *path)
{
	print_doing(p, path);
	if (path->open)
		pm_page_text(p, "  ", "So far: the job was not closed.");
	if (path->ranks)
		pm_page_text(
			p, "  ",
			"Of ranks, the one that ended last is on it. Ranks wait for each other "
			"inside, often on a CPU: which of them the others waited for, the "
			"ranks' CPU times tell.");
	print_count(p, path->background,
		    "%s process is left out, because its parent worked while it ran.",
		    "%s processes are left out, because their parents worked while they ran.");
	print_count(p, path->unended,
		    "The end of %s process on it is not recorded: it lasted until its last sign of "
		    "life at least.",
		    "The ends of %s processes on it are not recorded: they lasted until their last "
		    "signs of life at least.");
	print_count(
		p, path->shifted,
		"%s task was moved into the time of its launcher: clocks of hosts differ.",
		"%s tasks were moved into the time of their launchers: clocks of hosts differ.");
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static json_t *json_of_us(double us)
{
	return isnan(us) ? json_null() : json_integer((json_int_t)whole(us));
}

static void set_doing(json_t *o, const struct pm_criticalpath_doing *d)
{
	json_object_set_new(o, "cpu_us", json_of_us(d->cpu_us));
	json_object_set_new(o, "ready_us", json_of_us(d->queue_us));
	json_object_set_new(o, "block_io_us", json_of_us(d->io_us));
	json_object_set_new(o, "other_us", json_of_us(d->other_us));
}

static json_t *json_of_steps(const struct pm_criticalpath *path, int64_t limit)
{
	size_t n;
	const struct pm_criticalpath_step **list = longest(path, limit, &n);
	json_t *array = list ? json_array() : NULL;

	for (size_t i = 0; i < n && array; i++) {
		const struct pm_criticalpath_step *s = list[i];
		json_t *o = json_object();

		json_object_set_new(o, "from_us", json_integer(s->from_us));
		json_object_set_new(o, "to_us", json_integer(s->to_us));
		json_object_set_new(o, "process",
				    s->process ? json_integer(s->process) : json_null());
		json_object_set_new(o, "pid", pm_json_int(s->pid));
		json_object_set_new(o, "host", pm_json_text(pm_criticalpath_host(path, s)));
		json_object_set_new(o, "program", pm_json_text(path->program[s->program].label));
		set_doing(o, &s->doing);
		json_array_append_new(array, o);
	}
	free(list);
	return array;
}

json_t *pm_pathprint_json(const struct pm_criticalpath *path, int64_t limit)
{
	json_t *o = json_object(), *programs = json_array();
	const bool known = path->steps > 0;

	json_object_set_new(o, "start_us", known ? json_integer(path->start_us) : json_null());
	json_object_set_new(o, "end_us", known ? json_integer(path->end_us) : json_null());
	json_object_set_new(o, "open", json_boolean(path->open));
	json_object_set_new(o, "steps", json_integer((json_int_t)path->steps));
	json_object_set_new(o, "outside_us",
			    known ? json_integer(pm_criticalpath_outside(path)) : json_null());
	json_object_set_new(o, "background", json_integer((json_int_t)path->background));
	json_object_set_new(o, "unended", json_integer((json_int_t)path->unended));
	json_object_set_new(o, "shifted", json_integer((json_int_t)path->shifted));
	for (size_t i = 0; i < path->programs && (int64_t)i < limit; i++) {
		const struct pm_criticalpath_program *g = &path->program[i];
		json_t *x = json_object();

		json_object_set_new(x, "program", pm_json_text(g->label));
		json_object_set_new(x, "processes", json_integer(g->processes));
		json_object_set_new(x, "wall_us", json_integer(g->wall_us));
		set_doing(x, &g->doing);
		json_array_append_new(programs, x);
	}
	json_object_set_new(o, "programs", programs);
	json_object_set_new(o, "longest_steps", json_of_steps(path, limit));
	return o;
}
