/*
 * Source "drm": what the processes of the job's tree use of GPUs whose kernel drivers tell it for
 * each client (kernel/drmclient.h): amdgpu, i915, xe, nouveau and others, but not NVIDIA's own. A
 * client counts once, however many descriptors and processes share it; its times stay in the sums
 * when it is gone. A driver may wait for its GPU, so the source has a period and a budget.
 */
#include "config.h"

#include "common/grow.h"
#include "common/now.h"
#include "sampler/kernel/drmclient.h"
#include "sampler/kernel/procfile.h"
#include "sampler/kernel/sysfslist.h"
#include "sampler/source.h"
#include "sampler/sources/job/drmfds.h"
#include "sampler/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CLIENTS,
	ENGINE_TIME,
	ENGINE_CYCLES,
	ENGINE_TOTAL_CYCLES,
	ENGINE_CAPACITY,
	MEMORY_TOTAL,
	MEMORY_SHARED,
	MEMORY_RESIDENT,
	PROCESS_TIME,
	PROCESS_MEMORY,
	METRICS
};

#define ENGINE  "engine: device and name"
#define REGION  "region: device and name"
#define PROCESS "process: device and pid"

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[CLIENTS] = { "clients", "n", "clients of GPUs' drivers", NULL, false, PM_METRIC_GAUGE },
	[ENGINE_TIME] = { "engine_time", "ns", "time in which the engine worked for the job", ENGINE, false, PM_METRIC_COUNTER },
	[ENGINE_CYCLES] = { "engine_cycles", "n", "cycles in which the engine worked for the job, with drivers that have no time", ENGINE, false,
		PM_METRIC_COUNTER },
	[ENGINE_TOTAL_CYCLES] = { "engine_total_cycles", "n", "cycles of that engine that passed", ENGINE, false, PM_METRIC_COUNTER },
	[ENGINE_CAPACITY] = { "engine_capacity", "n", "engines of that name: so often does time pass", ENGINE, false, PM_METRIC_GAUGE },
	[MEMORY_TOTAL] = { "memory_total", "B", "memory of the region that clients hold; shared memory counts for each", REGION, false,
		PM_METRIC_GAUGE },
	[MEMORY_SHARED] = { "memory_shared", "B", "part of that which other clients hold, too", REGION, false, PM_METRIC_GAUGE },
	[MEMORY_RESIDENT] = { "memory_resident", "B", "part of memory_total that is in the region now", REGION, false, PM_METRIC_GAUGE },
	[PROCESS_TIME] = { "process_time", "ns", "time in which engines of the device worked for clients of the process, which share it with its children",
		PROCESS, false, PM_METRIC_COUNTER },
	[PROCESS_MEMORY] = { "process_memory", "B", "memory that these clients have in regions of the device now", PROCESS, false, PM_METRIC_GAUGE },
};
/* clang-format on */

/* At most once in ten seconds, and at most a thousandth of a CPU's time. */
#define PERIOD_US  10000000
#define BUDGET_PPM 1000

/* Engines and regions, and processes, that have series, at most; clients that are followed. */
#define PARTS_MAX     128
#define PROCESSES_MAX 128
#define CLIENTS_MAX   4096

/* Metrics of an object, at most: from the first one of its kind on. */
#define VALUES 4

struct object {
	char name[96];
	size_t metric; /* first one of its kind */
	pid_t pid;     /* of a process; 0: a part of a device */
	struct {
		bool told; /* has a series */
		int series;
		int64_t gone; /* of clients that are gone */
		int64_t now;
	} value[VALUES];
};

struct client {
	struct pm_drmclient last; /* times are the largest that were seen */
	pid_t pid;                /* the process that was found first with it */
	bool seen;
};

struct state {
	const struct pm_tree *tree;
	const char *root;
	struct pm_drmfds fds;
	struct client *client; /* owned */
	size_t clients, clients_room;
	struct object *object; /* owned */
	size_t objects, objects_room;
	enum pm_reason reason; /* why the sums of this reading are not known */
	bool whole;            /* they are */
};

/* --- objects ---------------------------------------------------------------------------------- */

/* The object of a device and a name, a new one if need be; NULL where there are too many. */
static struct object *get_object(struct state *s, size_t metric, const char *device,
				 const char *name, pid_t pid)
{
	char whole[sizeof s->object->name];
	size_t alike = 0;

	snprintf(whole, sizeof whole, "%s/%s", device, name);
	for (size_t i = 0; i < s->objects; i++) {
		struct object *o = &s->object[i];

		if (o->metric == metric && strcmp(o->name, whole) == 0)
			return o;
		alike += (o->pid != 0) == (pid != 0);
	}
	if (alike == (pid ? PROCESSES_MAX : PARTS_MAX) ||
	    !PM_GROW(s->object, s->objects, s->objects_room, 16))
		return NULL;
	s->object[s->objects] = (struct object){ .metric = metric, .pid = pid };
	memcpy(s->object[s->objects].name, whole, sizeof whole);
	return &s->object[s->objects++];
}

/* The object of a client's process. */
static struct object *get_process(struct state *s, const struct client *c)
{
	char pid[16];

	snprintf(pid, sizeof pid, "%d", (int)c->pid);
	return get_object(s, PROCESS_TIME, c->last.device, pid, c->pid);
}

/* Note that a value was told, and give it a series. */
static void tell(struct object *o, struct pm_sink *sink, size_t metric)
{
	const size_t at = metric - o->metric;

	if (!o->value[at].told)
		o->value[at].series = pm_sink_series(sink, metric, o->name);
	o->value[at].told = true;
}

/* Add to an object's value of now; of a client that is gone, to its past. -1: not told. */
static void add(struct object *o, struct pm_sink *sink, size_t metric, int64_t value, bool gone)
{
	int64_t *sum;

	if (!o || value < 0)
		return;
	tell(o, sink, metric);
	sum = gone ? &o->value[metric - o->metric].gone : &o->value[metric - o->metric].now;
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = INT64_MAX;
}

static void add_engine(struct state *s, struct pm_sink *sink, const struct client *c,
		       const struct pm_drmclient_engine *e, bool gone)
{
	struct object *o;

	add(get_process(s, c), sink, PROCESS_TIME, e->ns, gone);
	o = get_object(s, ENGINE_TIME, c->last.device, e->name, 0);
	if (!o)
		return;
	add(o, sink, ENGINE_TIME, e->ns, gone);
	add(o, sink, ENGINE_CYCLES, e->cycles, gone);
	/* All clients have the same; the latest is the largest. */
	if (e->total_cycles > o->value[ENGINE_TOTAL_CYCLES - ENGINE_TIME].now) {
		tell(o, sink, ENGINE_TOTAL_CYCLES);
		o->value[ENGINE_TOTAL_CYCLES - ENGINE_TIME].now = e->total_cycles;
	}
	tell(o, sink, ENGINE_CAPACITY);
	o->value[ENGINE_CAPACITY - ENGINE_TIME].now = e->capacity > 0 ? e->capacity : 1;
}

static void add_region(struct state *s, struct pm_sink *sink, const struct client *c,
		       const struct pm_drmclient_region *r)
{
	struct object *o;

	add(get_process(s, c), sink, PROCESS_MEMORY, r->resident, false);
	o = get_object(s, MEMORY_TOTAL, c->last.device, r->name, 0);
	add(o, sink, MEMORY_TOTAL, r->total, false);
	add(o, sink, MEMORY_SHARED, r->shared, false);
	add(o, sink, MEMORY_RESIDENT, r->resident, false);
}

/* Add a client to the sums, or its times to those of clients that are gone. */
static void add_client(struct state *s, struct pm_sink *sink, const struct client *c, bool gone)
{
	for (size_t i = 0; i < c->last.engines; i++)
		add_engine(s, sink, c, &c->last.engine[i], gone);
	for (size_t i = 0; !gone && i < c->last.regions; i++)
		add_region(s, sink, c, &c->last.region[i]);
}

/* Put a value, and let it begin anew. */
static void put_value(struct state *s, struct pm_sink *sink, struct object *o, size_t at)
{
	int64_t value;

	if (!s->whole)
		pm_sink_unknown(sink, o->value[at].series, s->reason);
	else if (__builtin_add_overflow(o->value[at].gone, o->value[at].now, &value))
		pm_sink_unknown(sink, o->value[at].series, PM_REASON_parse);
	else
		pm_sink_value(sink, o->value[at].series, value);
	/* These are no sums, and stay while no client tells them. */
	if (o->metric + at != ENGINE_TOTAL_CYCLES && o->metric + at != ENGINE_CAPACITY)
		o->value[at].now = 0;
}

/* Put the values of all objects. Processes that are gone are given back. */
static void put_objects(struct state *s, struct pm_sink *sink)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->objects; i++) {
		struct object *o = &s->object[i];
		const bool over = o->pid && !pm_tree_has(s->tree, o->pid);

		for (size_t at = 0; at < VALUES; at++) {
			if (o->value[at].told && over)
				pm_sink_forget(sink, o->value[at].series);
			else if (o->value[at].told)
				put_value(s, sink, o, at);
		}
		if (!over)
			s->object[kept++] = *o;
	}
	s->objects = kept;
}

/* --- clients ---------------------------------------------------------------------------------- */

/* Take over what a driver told now; a time that fell stays as it was until it has caught up. */
static void renew(struct pm_drmclient *last, const struct pm_drmclient *now)
{
	struct pm_drmclient before = *last;

	*last = *now;
	for (size_t i = 0; i < last->engines; i++)
		for (size_t k = 0; k < before.engines; k++) {
			struct pm_drmclient_engine *e = &last->engine[i];
			const struct pm_drmclient_engine *b = &before.engine[k];

			if (strcmp(e->name, b->name) != 0)
				continue;
			e->ns = e->ns < b->ns ? b->ns : e->ns;
			e->cycles = e->cycles < b->cycles ? b->cycles : e->cycles;
		}
}

/* Note that something could not be read: what is gone meanwhile was not there. */
static void spoil(struct state *s, int error)
{
	if (pm_reason_errno(error) == PM_REASON_absent)
		return;
	s->whole = false;
	s->reason = pm_reason_errno(error);
}

static void note_client(struct state *s, const struct pm_drmclient *now, pid_t pid)
{
	for (size_t i = 0; i < s->clients; i++) {
		struct client *c = &s->client[i];

		if (c->last.id != now->id || strcmp(c->last.device, now->device) != 0)
			continue;
		if (!c->seen)
			renew(&c->last, now);
		if (!pm_tree_has(s->tree, c->pid))
			c->pid = pid;
		c->seen = true;
		return;
	}
	if (s->clients == CLIENTS_MAX || !PM_GROW(s->client, s->clients, s->clients_room, 16)) {
		spoil(s, ENOMEM);
		return;
	}
	s->client[s->clients++] = (struct client){ .last = *now, .pid = pid, .seen = true };
}

/* Read what a descriptor says. Returns whether it is one of a client, as far as is known. */
static bool read_client(void *state, pid_t pid, int fd)
{
	struct state *s = state;
	struct pm_drmclient now;
	struct pm_procfile f;
	const char *text;
	char path[64];
	int error = 0;
	ssize_t n;

	snprintf(path, sizeof path, "proc/%d/fdinfo/%d", (int)pid, fd);
	if (pm_procfile_open(&f, s->root, path) < 0) {
		spoil(s, errno);
		return true;
	}
	n = pm_procfile_read(&f, &text);
	if (n < 0 || pm_drmclient_parse(&now, text, (size_t)n) < 0)
		error = errno;
	pm_procfile_close(&f);
	if (error)
		spoil(s, error);
	else
		note_client(s, &now, pid);
	return n < 0 || error != ENOENT;
}

/* Add up clients; the times of those that are gone go into the past. */
static void add_clients(struct state *s, struct pm_sink *sink)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->clients; i++) {
		struct client *c = &s->client[i];
		/* One that a process may still have, which could not be read. */
		const bool gone = !c->seen && s->whole;

		add_client(s, sink, c, gone);
		c->seen = false;
		if (!gone)
			s->client[kept++] = *c;
	}
	s->clients = kept;
}

/* --- the source ------------------------------------------------------------------------------- */

static int drm_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	int64_t *number;
	struct state *s;
	ssize_t n;

	(void)sink;
	if (!target->tree)
		return pm_source_no_tree(why);
	n = pm_sysfslist_directory(target->root, "sys/class/drm", "renderD", &number);
	free(number);
	if (n <= 0) {
		why->reason = PM_REASON_absent;
		return pm_err(&why->err, "no GPU of this machine has a DRM driver with a render "
					 "node (/sys/class/drm/renderD*)");
	}
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "drm");
	s->tree = target->tree;
	s->root = target->root;
	*state = s;
	return 0;
}

static void drm_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const size_t count = pm_tree_count(s->tree);

	s->whole = true;
	pm_drmfds_begin(&s->fds, pm_now_monotonic_us());
	for (size_t i = 0; i < count; i++) {
		const struct pm_tree_process p = pm_tree_process(s->tree, i);

		if (p.ended && p.threads <= 1)
			continue;
		if (pm_drmfds_look(&s->fds, s->root, p.pid, p.start, read_client, s) < 0)
			spoil(s, errno);
	}
	pm_drmfds_end(&s->fds);
	add_clients(s, sink);
	if (s->whole)
		pm_sink_value(sink, CLIENTS, (int64_t)s->clients);
	else
		pm_sink_unknown(sink, CLIENTS, s->reason);
	put_objects(s, sink);
}

static void drm_close(void *state)
{
	struct state *s = state;

	pm_drmfds_free(&s->fds);
	free(s->client);
	free(s->object);
	free(s);
}

const struct pm_source pm_source_drm = {
	.name = "drm",
	.help = "use of GPUs by the processes below --pid, with drivers that tell it",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = PERIOD_US,
	.budget_ppm = BUDGET_PPM,
	.tree = true,
	.open = drm_open,
	.sample = drm_sample,
	.close = drm_close,
};
