/* Read the processes of a job, find its critical path, and what was done along it. */
#include "config.h"

#include "report/facts/criticalpath.h"

#include "report/rows/query_row.h"

#include "analysis/path/path.h"
#include "common/grow.h"
#include "db/erase.h"
#include "report/print/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs that start tasks on hosts and wait for them. */
static const char *const launchers[] = {
	"srun",          "mpirun",     "mpiexec",
	"orterun",       "prterun",    "prun",
	"mpiexec.hydra", "mpirun_rsh", "hydra_pmi_proxy",
	"aprun",         "jsrun",      "flux",
	"pbsdsh",        "pdsh",       "ssh",
	"rsh",           "blaunch",    "parallel",
};

/* What an image did, and its label: columns of its row, NAN where unknown. */
struct figures {
	double cpu_us, queue_ns, io_ticks;
	uint32_t label;
	int64_t own_us; /* its time on the path; -1: it is not there */
};

/* A host of the job. */
struct host {
	struct pm_criticalpath_host public;
	double ticks; /* per second; NAN: unknown */
	bool used;    /* it has an image on the path */
};

struct pm_criticalpath_reading {
	struct pm_criticalpath *p;
	struct pm_path_image *image;
	uint32_t *id; /* of each image in the job */
	struct figures *figures;
	size_t images, room, id_room, figures_room;
	int64_t last_label; /* of the image before, and whether it is a launcher's */
	bool last_launcher;
	struct pm_path path;
	int64_t outside_us; /* time on the path of no process; -1: there is none */
	struct host *host;  /* in order of ids */
	size_t hosts, host_room;
	size_t *program; /* of each label; the last one: of no process */
	size_t labels, program_room;
};

/* --- the processes -----------------------------------------------------------------------------
 */

/* When the job began and ended; one that was not closed, its last sample. Each table is asked for
 * the number itself, so that PostgreSQL reads one partition. */
static int read_span(struct pm_criticalpath *p, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] =
		"SELECT start_us, end_us,"
		" (SELECT max(end_us) FROM series_summary WHERE job_id = ?),"
		" (SELECT count(*) FROM host WHERE job_id = ? AND start_time_us IS NOT NULL"
		" AND stop_time_us IS NULL), CASE WHEN " PM_SCHEMA_JOB_RETIRED(
			"") " THEN 1 ELSE 0 END FROM job WHERE id = ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, job);
	pm_db_bind_int(q, 3, job);
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_int(q, 4) != 0) {
		p->retired = true;
	} else if (rc > 0) {
		p->start_us = pm_query_int(q, 0);
		p->end_us = pm_query_int(q, 1);
		p->open = pm_query_int(q, 3) > 0;
		if (p->open && pm_query_int(q, 2) > p->end_us)
			p->end_us = pm_query_int(q, 2);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int64_t known_or(int64_t v, int64_t otherwise)
{
	return v == PM_UNKNOWN ? otherwise : v;
}

/* The number of the image with an id, among those read so far. */
static uint32_t find_image(const struct pm_criticalpath_reading *r, int64_t id)
{
	size_t low = 0, high = r->images;

	/* Images are numbered from 1 without gaps, unless some were deleted. */
	if (id > 0 && (size_t)id <= r->images && r->id[id - 1] == id)
		return (uint32_t)id - 1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->id[mid] < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->images && r->id[low] == id ? (uint32_t)low : PM_PATH_NONE;
}

static bool is_launcher(const char *exename)
{
	for (size_t i = 0; exename && i < sizeof launchers / sizeof launchers[0]; i++)
		if (strcmp(exename, launchers[i]) == 0)
			return true;
	return false;
}

static double known_real(int64_t v)
{
	return v == PM_UNKNOWN ? NAN : (double)v;
}

/* Make room for one more image. Returns 0, or -1 if out of memory. */
static int grow_images(struct pm_criticalpath_reading *r)
{
	return PM_GROW(r->image, r->images, r->room, 1024) &&
			       PM_GROW(r->id, r->images, r->id_room, 1024) &&
			       PM_GROW(r->figures, r->images, r->figures_room, 1024)
		       ? 0
		       : -1;
}

int pm_criticalpath_take(void *reading, const struct pm_processpass_row *row, struct pm_err *e)
{
	struct pm_criticalpath_reading *r = reading;
	struct pm_path_image *x;

	if (row->id < 0 || row->id > UINT32_MAX)
		return pm_err(e, "critical path: process #%lld: no number of a process",
			      (long long)row->id);
	if (r->images == PM_PATH_NONE || grow_images(r) < 0)
		return pm_err(e, "critical path: out of memory");
	/* Many come in runs of one program. */
	if (row->label != r->last_label) {
		r->last_label = row->label;
		r->last_launcher = is_launcher(row->exename);
	}
	x = &r->image[r->images];
	*x = (struct pm_path_image){
		.parent =
			row->parent_id == PM_UNKNOWN ? PM_PATH_NONE : find_image(r, row->parent_id),
		.host = (uint16_t)known_or(row->host_id, 0),
		.pid = (uint32_t)known_or(row->pid, 0),
		.starttime = (uint32_t)known_or(row->starttime, 0),
		.start_us = row->start_us,
		.end_us = row->end_us,
		.sid = (uint32_t)known_or(row->sid, 0),
		.running = row->end_reason && strcmp(row->end_reason, "running") == 0,
		.rank = row->mpirank != PM_UNKNOWN,
		.launcher = r->last_launcher && row->exename,
	};
	/* Threads may have been busy at the same time. */
	x->busy_us =
		pm_format_add(known_or(row->cpu_time, 0), known_or(row->time_waiting, 0) / 1000) /
		(row->numtids > 1 ? row->numtids : 1);
	r->figures[r->images] = (struct figures){
		.cpu_us = known_real(row->cpu_time),
		.queue_ns = known_real(row->time_waiting),
		.io_ticks = known_real(row->delayacct_blkio_time),
		.label = (uint32_t)row->label,
		.own_us = -1,
	};
	r->id[r->images++] = (uint32_t)row->id;
	return 0;
}

/* --- who is on the path, and what they did -----------------------------------------------------
 */

/* Add up the time of each image on the path. */
static void add_steps(struct pm_criticalpath_reading *r)
{
	for (size_t i = 0; i < r->path.steps; i++) {
		const struct pm_path_step *s = &r->path.step[i];
		int64_t *own =
			s->image == PM_PATH_NONE ? &r->outside_us : &r->figures[s->image].own_us;

		*own = (*own < 0 ? 0 : *own) + s->to_us - s->from_us;
	}
}

static int read_hosts(struct pm_criticalpath_reading *r, struct pm_db *db, int64_t job, bool utf8,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(
		    db, "SELECT id, clock_ticks, hostname FROM host WHERE job_id = ? ORDER BY id",
		    job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct host *h;

		if (!PM_GROW(r->host, r->hosts, r->host_room, 4)) {
			rc = pm_err(e, "critical path: out of memory");
			break;
		}
		h = &r->host[r->hosts++];
		*h = (struct host){ .public.id = pm_db_int(q, 0), .ticks = pm_query_real(q, 1) };
		pm_query_field(h->public.name, sizeof h->public.name, q, 2, utf8);
	}
	pm_db_finish(q);
	return rc;
}

static int by_id(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return (x->public.id > y->public.id) - (x->public.id < y->public.id);
}

/* The host of an image; NULL: it is not in the database. */
static struct host *host_of(const struct pm_criticalpath_reading *r, size_t image)
{
	const struct host key = { .public.id = r->image[image].host };

	return r->hosts ? bsearch(&key, r->host, r->hosts, sizeof *r->host, by_id) : NULL;
}

/* What an image did in all its time on the path: scaled down so that it fits into that time. */
static struct pm_criticalpath_doing doing_of(const struct pm_criticalpath_reading *r, size_t image)
{
	const struct figures *x = &r->figures[image];
	const struct host *h = host_of(r, image);
	struct pm_criticalpath_doing d = {
		.cpu_us = x->cpu_us,
		.queue_us = x->queue_ns / 1000,
		.io_us = x->io_ticks / (h && h->ticks > 0 ? h->ticks : NAN) * 1e6,
	};
	double sum = (isnan(d.cpu_us) ? 0 : d.cpu_us) + (isnan(d.queue_us) ? 0 : d.queue_us) +
		     (isnan(d.io_us) ? 0 : d.io_us);
	const double scale = sum > (double)x->own_us ? (double)x->own_us / sum : 1;

	d.cpu_us *= scale;
	d.queue_us *= scale;
	d.io_us *= scale;
	/* A process that was killed did not say how long it was ready. */
	d.other_us = isnan(d.cpu_us) || isnan(d.queue_us) ? NAN : (double)x->own_us - sum * scale;
	return d;
}

/* Keep the hosts that are on the path. Returns 0, or -1 if out of memory. */
static int keep_hosts(struct pm_criticalpath_reading *r)
{
	struct pm_criticalpath *p = r->p;

	for (size_t i = 0; i < r->hosts; i++) {
		if (!r->host[i].used)
			continue;
		if (!PM_GROW(p->host, p->hosts, p->hosts_room, 4))
			return -1;
		p->host[p->hosts++] = r->host[i].public;
	}
	return 0;
}

/* --- all -----------------------------------------------------------------------------------------
 */

static double add(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void add_doing(struct pm_criticalpath_doing *to, const struct pm_criticalpath_doing *d)
{
	to->cpu_us = add(to->cpu_us, d->cpu_us);
	to->queue_us = add(to->queue_us, d->queue_us);
	to->io_us = add(to->io_us, d->io_us);
	to->other_us = add(to->other_us, d->other_us);
}

static int by_wall(const void *a, const void *b, void *ctx)
{
	const struct pm_criticalpath_program *program = ctx;
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;

	if (program[i].wall_us != program[k].wall_us)
		return program[i].wall_us > program[k].wall_us ? -1 : 1;
	return strcmp(program[i].label, program[k].label);
}

/* Sort the programs, and give the steps their new numbers. Returns 0, or -1 if out of memory. */
static int sort_programs(struct pm_criticalpath *p)
{
	size_t *order = malloc((p->programs + 1) * 2 * sizeof *order);
	size_t *place = order ? order + p->programs : NULL;
	struct pm_criticalpath_program *sorted = malloc((p->programs + 1) * sizeof *sorted);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < p->programs; i++)
		order[i] = i;
	qsort_r(order, p->programs, sizeof *order, by_wall, p->program);
	for (size_t i = 0; i < p->programs; i++) {
		sorted[i] = p->program[order[i]];
		place[order[i]] = i;
	}
	for (size_t i = 0; i < p->steps; i++)
		p->step[i].program = place[p->step[i].program];
	free(p->program);
	free(order);
	p->program = sorted;
	return 0;
}

static void fill_step(struct pm_criticalpath_reading *r, const struct pm_path_step *from,
		      struct pm_criticalpath_step *to)
{
	const uint32_t i = from->image;
	struct pm_criticalpath_doing d;
	struct host *h;
	double part;

	*to = (struct pm_criticalpath_step){
		.from_us = from->from_us,
		.to_us = from->to_us,
		.pid = PM_UNKNOWN,
		.doing = { NAN, NAN, NAN, NAN },
	};
	if (i == PM_PATH_NONE) {
		to->program = r->program[r->labels];
		return;
	}
	d = doing_of(r, i);
	part = (double)(from->to_us - from->from_us) / (double)r->figures[i].own_us;
	to->doing = (struct pm_criticalpath_doing){ d.cpu_us * part, d.queue_us * part,
						    d.io_us * part, d.other_us * part };
	to->program = r->program[r->figures[i].label];
	to->process = r->id[i];
	to->host = r->image[i].host;
	if (r->image[i].pid)
		to->pid = r->image[i].pid;
	h = host_of(r, i);
	if (h)
		h->used = true;
	r->p->ranks |= r->image[i].rank;
}

/* Add a program. Returns it, or NULL if out of memory. */
static struct pm_criticalpath_program *add_program(struct pm_criticalpath_reading *r,
						   const char *label, size_t *number)
{
	struct pm_criticalpath *p = r->p;
	struct pm_criticalpath_program *g;

	if (!PM_GROW(p->program, p->programs, r->program_room, 16))
		return NULL;
	g = &p->program[p->programs];
	memset(g, 0, sizeof *g);
	snprintf(g->label, sizeof g->label, "%s", label);
	g->doing = (struct pm_criticalpath_doing){ NAN, NAN, NAN, NAN };
	*number = p->programs++;
	return g;
}

/* Add up the programs of what is on the path. Returns 0, or -1 if out of memory. */
static int add_programs(struct pm_criticalpath_reading *r, const struct pm_labels *labels)
{
	struct pm_criticalpath_program *g;

	r->labels = pm_labels_count(labels);
	r->program = malloc((r->labels + 1) * sizeof *r->program);
	if (!r->program)
		return -1;
	for (size_t i = 0; i <= r->labels; i++)
		r->program[i] = SIZE_MAX;
	for (size_t i = 0; i < r->images; i++) {
		const struct figures *x = &r->figures[i];
		size_t *number = &r->program[x->label];
		struct pm_criticalpath_doing d;

		if (x->own_us < 0)
			continue;
		g = *number == SIZE_MAX ? add_program(r, pm_labels_text(labels, x->label), number)
					: &r->p->program[*number];
		if (!g)
			return -1;
		d = doing_of(r, i);
		g->processes++;
		g->wall_us += x->own_us;
		add_doing(&g->doing, &d);
	}
	if (r->outside_us < 0)
		return 0;
	g = add_program(r, "", &r->program[r->labels]);
	if (!g)
		return -1;
	g->wall_us = r->outside_us;
	return 0;
}

/* Turn the path into the steps and programs of the result. Returns 0, or -1 if out of memory. */
static int finish(struct pm_criticalpath_reading *r, const struct pm_labels *labels)
{
	struct pm_criticalpath *p = r->p;

	add_steps(r);
	p->step = malloc((r->path.steps + 1) * sizeof *p->step);
	if (!p->step || add_programs(r, labels) < 0)
		return -1;
	for (size_t i = 0; i < r->path.steps; i++)
		fill_step(r, &r->path.step[i], &p->step[i]);
	p->steps = r->path.steps;
	p->background = r->path.background;
	p->unended = r->path.unended;
	p->shifted = r->path.shifted;
	return keep_hosts(r) < 0 ? -1 : sort_programs(p);
}

int pm_criticalpath_begin(struct pm_criticalpath_reading **reading, struct pm_criticalpath *p,
			  struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_criticalpath_reading *r;

	*reading = NULL;
	memset(p, 0, sizeof *p);
	p->start_us = p->end_us = PM_UNKNOWN;
	if (read_span(p, db, job, e) < 0)
		return -1;
	if (p->start_us < 0 || p->end_us <= p->start_us)
		return 0;
	r = *reading = calloc(1, sizeof *r);
	if (!r)
		return pm_err(e, "critical path: out of memory");
	r->p = p;
	r->last_label = r->outside_us = -1;
	return 0;
}

int pm_criticalpath_finish(struct pm_criticalpath_reading *r, struct pm_db *db, int64_t job,
			   bool utf8, const struct pm_labels *labels, struct pm_err *e)
{
	if (pm_path_find(&r->path, r->image, r->images, r->p->start_us, r->p->end_us, e) < 0 ||
	    read_hosts(r, db, job, utf8, e) < 0)
		return -1;
	return finish(r, labels) < 0 ? pm_err(e, "critical path: out of memory") : 0;
}

void pm_criticalpath_end(void *reading)
{
	struct pm_criticalpath_reading *r = reading;

	if (!r)
		return;
	pm_path_free(&r->path);
	free(r->image);
	free(r->id);
	free(r->figures);
	free(r->host);
	free(r->program);
	free(r);
}

int pm_criticalpath_read(struct pm_criticalpath *p, struct pm_db *db, int64_t job, bool utf8,
			 struct pm_err *e)
{
	struct pm_criticalpath_reading *r;
	struct pm_labels *labels = NULL;
	int rc = pm_criticalpath_begin(&r, p, db, job, e);

	if (rc == 0 && r) {
		labels = pm_labels_new(utf8);
		rc = labels ? 0 : pm_err(e, "critical path: out of memory");
	}
	if (rc == 0 && r)
		rc = pm_processpass(db, job, labels,
				    &(struct pm_processpass_taker){ pm_criticalpath_take, r }, 1,
				    e);
	if (rc == 0 && r)
		rc = pm_criticalpath_finish(r, db, job, utf8, labels, e);
	pm_criticalpath_end(r);
	pm_labels_free(labels);
	return rc;
}

void pm_criticalpath_free(struct pm_criticalpath *p)
{
	free(p->step);
	free(p->program);
	free(p->host);
	memset(p, 0, sizeof *p);
}

int64_t pm_criticalpath_outside(const struct pm_criticalpath *p)
{
	for (size_t i = 0; i < p->programs; i++)
		if (!p->program[i].label[0])
			return p->program[i].wall_us;
	return 0;
}

const char *pm_criticalpath_host(const struct pm_criticalpath *p,
				 const struct pm_criticalpath_step *s)
{
	for (size_t i = 0; i < p->hosts && s->process; i++)
		if (p->host[i].id == s->host)
			return p->host[i].name;
	return "";
}
