/* Read the processes of a job, find its critical path, and what was done along it. */
#include "config.h"

#include "report/query/criticalpath.h"

#include "report/query/query_row.h"

#include "analysis/path/path.h"
#include "common/grow.h"
#include "common/memtext.h"
#include "db/erase.h"
#include "report/print/format.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processes whose figures are asked for at once. */
#define CHUNK 400

/* Programs that start tasks on hosts and wait for them. */
#define LAUNCHERS                                                                                  \
	"'srun', 'mpirun', 'mpiexec', 'orterun', 'prterun', 'prun', 'mpiexec.hydra', "             \
	"'mpirun_rsh', 'hydra_pmi_proxy', 'aprun', 'jsrun', 'flux', 'pbsdsh', 'pdsh', "            \
	"'ssh', 'rsh', 'blaunch', 'parallel'"

/* A process on the path: its image, and what it did. */
struct member {
	uint32_t image;
	int64_t own_us; /* its time on the path */
	size_t program;
	struct pm_criticalpath_doing doing; /* of all of own_us */
};

struct reading {
	struct pm_criticalpath *p;
	struct pm_path_image *image;
	uint32_t *id; /* of each image in the job */
	size_t images, room, id_room;
	struct pm_path path;
	struct member *member; /* by image */
	size_t members;
	void *labels; /* tree of struct label */
	size_t program_room;
	bool utf8;
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
static uint32_t find_image(const struct reading *r, int64_t id)
{
	size_t low = 0, high = r->images;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->id[mid] < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->images && r->id[low] == id ? (uint32_t)low : PM_PATH_NONE;
}

static int take_process(struct reading *r, struct pm_stmt *q, struct pm_err *e)
{
	const int64_t id = pm_db_int(q, 0), waiting = pm_query_int(q, 9);
	const int64_t cpu = pm_query_int(q, 8), threads = pm_query_int(q, 10);
	const char *reason = pm_db_text(q, 11, NULL);
	struct pm_path_image *x;

	if (id < 0 || id > UINT32_MAX)
		return pm_err(e, "critical path: process #%lld: no number of a process",
			      (long long)id);
	if (!PM_GROW(r->image, r->images, r->room, 1024) ||
	    !PM_GROW(r->id, r->images, r->id_room, 1024))
		return pm_err(e, "critical path: out of memory");
	x = &r->image[r->images];
	*x = (struct pm_path_image){
		.parent = pm_db_is_null(q, 1) ? PM_PATH_NONE : find_image(r, pm_db_int(q, 1)),
		.host = (uint16_t)pm_db_int(q, 2),
		.pid = (uint32_t)pm_db_int(q, 3),
		.starttime = (uint32_t)pm_db_int(q, 4),
		.start_us = pm_query_int(q, 5),
		.end_us = pm_query_int(q, 6),
		.sid = (uint32_t)pm_db_int(q, 7),
		.running = reason && strcmp(reason, "running") == 0,
		.rank = !pm_db_is_null(q, 12),
		.launcher = pm_db_int(q, 13) != 0,
	};
	/* Threads may have been busy at the same time. */
	x->busy_us = pm_format_add(known_or(cpu, 0), known_or(waiting, 0) / 1000) /
		     (threads > 1 ? threads : 1);
	r->id[r->images++] = (uint32_t)id;
	return 0;
}

static int read_processes(struct reading *r, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] =
		"SELECT id, parent_id, host_id, pid, starttime, start_us, end_us, sid, cpu_time,"
		" time_waiting, numtids, end_reason, mpirank,"
		" CASE WHEN exename IN (" LAUNCHERS ") THEN 1 ELSE 0 END"
		" FROM process WHERE job_id = ? ORDER BY id";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		rc = take_process(r, q, e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}

/* --- who is on the path, and what they did -----------------------------------------------------
 */

static int by_image(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->image > y->image) - (x->image < y->image);
}

static struct member *find_member(const struct reading *r, uint32_t image)
{
	const struct member key = { .image = image };

	return bsearch(&key, r->member, r->members, sizeof *r->member, by_image);
}

/* List the images on the path, with their time on it. Returns 0, or -1 if out of memory. */
static int list_members(struct reading *r)
{
	size_t n = 0;

	r->member = malloc((r->path.steps + 1) * sizeof *r->member);
	if (!r->member)
		return -1;
	for (size_t i = 0; i < r->path.steps; i++)
		r->member[n++] = (struct member){
			.image = r->path.step[i].image,
			.own_us = r->path.step[i].to_us - r->path.step[i].from_us,
			.doing = { NAN, NAN, NAN, NAN },
		};
	qsort(r->member, n, sizeof *r->member, by_image);
	for (size_t i = 0; i < n; i++) {
		struct member *last = r->members ? &r->member[r->members - 1] : NULL;

		if (last && last->image == r->member[i].image)
			last->own_us += r->member[i].own_us;
		else
			r->member[r->members++] = r->member[i];
	}
	return 0;
}

struct label {
	const char *text;
	size_t program;
};

static int by_label(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->text, ((const struct label *)b)->text);
}

static void free_label(void *node)
{
	free((void *)(uintptr_t)((struct label *)node)->text);
	free(node);
}

/* The number of the program with a label, which is added unless it is there. Returns 0, or -1 if
 * out of memory. */
static int find_program(struct reading *r, const char *text, size_t *program)
{
	struct pm_criticalpath *p = r->p;
	struct label key = { text, 0 }, *new, **found;

	found = tfind(&key, &r->labels, by_label);
	if (found) {
		*program = (*found)->program;
		return 0;
	}
	new = malloc(sizeof *new);
	if (!new)
		return -1;
	*new = (struct label){ strdup(text), p->programs };
	if (!new->text || !PM_GROW(p->program, p->programs, r->program_room, 16) ||
	    !tsearch(new, &r->labels, by_label)) {
		free_label(new);
		return -1;
	}
	memset(&p->program[p->programs], 0, sizeof *p->program);
	snprintf(p->program[p->programs].label, sizeof p->program->label, "%s", text);
	*program = p->programs++;
	return 0;
}

/* Scale what a process did so that it fits into its time on the path. */
static void scale_doing(struct pm_criticalpath_doing *d, int64_t own_us)
{
	double sum = (isnan(d->cpu_us) ? 0 : d->cpu_us) + (isnan(d->queue_us) ? 0 : d->queue_us) +
		     (isnan(d->io_us) ? 0 : d->io_us);
	const double scale = sum > (double)own_us ? (double)own_us / sum : 1;

	d->cpu_us *= scale;
	d->queue_us *= scale;
	d->io_us *= scale;
	/* A process that was killed did not say how long it was ready. */
	d->other_us = isnan(d->cpu_us) || isnan(d->queue_us) ? NAN : (double)own_us - sum * scale;
}

/* Keep the name of a host. Returns 0, or -1 if out of memory. */
static int take_host(struct reading *r, struct pm_stmt *q, int at)
{
	struct pm_criticalpath *p = r->p;
	const int64_t id = pm_db_int(q, at);

	for (size_t i = p->hosts; i > 0; i--)
		if (p->host[i - 1].id == id)
			return 0;
	if (!PM_GROW(p->host, p->hosts, p->hosts_room, 4))
		return -1;
	p->host[p->hosts].id = id;
	pm_query_field(p->host[p->hosts].name, sizeof p->host->name, q, at + 1, r->utf8);
	p->hosts++;
	return 0;
}

static int take_figures(struct reading *r, struct pm_stmt *q, struct pm_err *e)
{
	const uint32_t image = find_image(r, pm_db_int(q, 0));
	struct member *m = image == PM_PATH_NONE ? NULL : find_member(r, image);
	const double ticks = pm_query_real(q, 7);
	char label[PM_PROCESSNAME_MAX];

	if (!m)
		return 0;
	pm_processname(label, pm_db_text(q, 1, NULL), pm_db_text(q, 2, NULL),
		       pm_db_text(q, 3, NULL), r->utf8);
	m->doing.cpu_us = pm_query_real(q, 4);
	m->doing.queue_us = pm_query_real(q, 5) / 1000;
	m->doing.io_us = pm_query_real(q, 6) / (ticks > 0 ? ticks : NAN) * 1e6;
	scale_doing(&m->doing, m->own_us);
	if (find_program(r, label, &m->program) < 0 || take_host(r, q, 8) < 0)
		return pm_err(e, "critical path: out of memory");
	return 0;
}

/* Read the figures of some members. */
static int read_chunk(struct reading *r, struct pm_db *db, int64_t job, size_t first, size_t n,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	char *sql;
	size_t size;
	FILE *f = open_memstream(&sql, &size);
	int rc;

	if (!f)
		return pm_err(e, "critical path: out of memory");
	fputs("SELECT p.id, p.exename, p.args, p.thread_name, p.cpu_time, p.time_waiting,"
	      " p.delayacct_blkio_time, h.clock_ticks, h.id, h.hostname"
	      " FROM process p"
	      " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
	      " WHERE p.job_id = ? AND p.id IN (",
	      f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%lu", i ? ", " : "",
			(unsigned long)r->id[r->member[first + i].image]);
	fputs(")", f);
	if (!pm_memtext_end(f, &sql))
		return pm_err(e, "critical path: out of memory");
	rc = pm_query_prepare(db, sql, job, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		rc = take_figures(r, q, e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}

static int read_figures(struct reading *r, struct pm_db *db, int64_t job, struct pm_err *e)
{
	/* Steps of no process are the last member. */
	const size_t n =
		r->members - (r->members > 0 && r->member[r->members - 1].image == PM_PATH_NONE);

	for (size_t i = 0; i < n; i += CHUNK)
		if (read_chunk(r, db, job, i, n - i < CHUNK ? n - i : CHUNK, e) < 0)
			return -1;
	if (n < r->members && find_program(r, "", &r->member[n].program) < 0)
		return pm_err(e, "critical path: out of memory");
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

static void fill_step(const struct reading *r, const struct pm_path_step *from,
		      struct pm_criticalpath_step *to)
{
	const struct member *m = find_member(r, from->image);
	const double part = (double)(from->to_us - from->from_us) / (double)m->own_us;

	*to = (struct pm_criticalpath_step){
		.from_us = from->from_us,
		.to_us = from->to_us,
		.pid = PM_UNKNOWN,
		.program = m->program,
		.doing = { m->doing.cpu_us * part, m->doing.queue_us * part, m->doing.io_us * part,
			   m->doing.other_us * part },
	};
	if (from->image == PM_PATH_NONE)
		return;
	to->process = r->id[from->image];
	to->host = r->image[from->image].host;
	if (r->image[from->image].pid)
		to->pid = r->image[from->image].pid;
}

/* Turn the path into the steps and programs of the result. Returns 0, or -1 if out of memory. */
static int finish(struct reading *r)
{
	struct pm_criticalpath *p = r->p;

	p->step = malloc((r->path.steps + 1) * sizeof *p->step);
	if (!p->step)
		return -1;
	for (size_t i = 0; i < p->programs; i++)
		p->program[i].doing = (struct pm_criticalpath_doing){ NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < r->members; i++) {
		struct pm_criticalpath_program *g = &p->program[r->member[i].program];

		g->processes += r->member[i].image != PM_PATH_NONE;
		g->wall_us += r->member[i].own_us;
		add_doing(&g->doing, &r->member[i].doing);
	}
	for (size_t i = 0; i < r->path.steps; i++) {
		const uint32_t image = r->path.step[i].image;

		fill_step(r, &r->path.step[i], &p->step[i]);
		p->ranks |= image != PM_PATH_NONE && r->image[image].rank;
	}
	p->steps = r->path.steps;
	p->background = r->path.background;
	p->unended = r->path.unended;
	p->shifted = r->path.shifted;
	return sort_programs(p);
}

int pm_criticalpath_read(struct pm_criticalpath *p, struct pm_db *db, int64_t job, bool utf8,
			 struct pm_err *e)
{
	struct reading r = { .p = p, .utf8 = utf8 };
	int rc = -1;

	memset(p, 0, sizeof *p);
	p->start_us = p->end_us = PM_UNKNOWN;
	if (read_span(p, db, job, e) < 0)
		return -1;
	if (p->start_us < 0 || p->end_us <= p->start_us)
		return 0;
	if (read_processes(&r, db, job, e) < 0 ||
	    pm_path_find(&r.path, r.image, r.images, p->start_us, p->end_us, e) < 0)
		goto out;
	if (list_members(&r) < 0) {
		pm_err(e, "critical path: out of memory");
		goto out;
	}
	if (read_figures(&r, db, job, e) < 0)
		goto out;
	rc = finish(&r);
	if (rc < 0)
		pm_err(e, "critical path: out of memory");
out:
	tdestroy(r.labels, free_label);
	pm_path_free(&r.path);
	free(r.member);
	free(r.image);
	free(r.id);
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
