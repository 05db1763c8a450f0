/* Sources with a period: turns, their worker, and what a source that keeps others waiting leads to.
 */
#include "config.h"

#include "sampler/workers.h"

#include "common/log.h"

/* A source that keeps others of its worker waiting this long is left alone with the worker. */
#define STUCK_US 200000

/* A source is never read less often than at one of so many ticks. */
#define RAREST (UINT64_C(1) << 20)

struct pm_worker *pm_workers_reader(struct pm_workers *c, size_t id)
{
	for (size_t i = PM_WORKERS_SLOW; i < c->count; i++)
		if (c->worker[i].slow && c->worker[i].member[id])
			return &c->worker[i];
	return NULL;
}

void pm_workers_skip(struct pm_workers *c, size_t id, struct pm_moment now, enum pm_reason reason)
{
	c->own->source[id].late += reason == PM_REASON_late;
	pm_sink_clear(&c->slot[id].sink, reason);
	pm_workers_put_one(c, now, id);
}

void pm_workers_ask_next(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
{
	bool one[PM_SOURCES] = { false };
	size_t id = 0;

	while (id < PM_SOURCES && !(w->member[id] && c->turn[id].waiting))
		id++;
	if (id == PM_SOURCES || !w->pid || w->busy)
		return;
	c->turn[id].waiting = false;
	w->asked = id;
	one[id] = true;
	pm_worker_ask(w, one, now_us);
}

/* Whether another source waits for the one that the worker reads. */
static bool keeps_waiting(const struct pm_workers *c, const struct pm_worker *w)
{
	for (size_t id = 0; w->pid && w->busy && id < PM_SOURCES; id++)
		if (w->member[id] && c->turn[id].waiting)
			return true;
	return false;
}

void pm_workers_forget(struct pm_workers *c, size_t id)
{
	struct pm_slot *slot = &c->slot[id];

	slot->past_cost_ns = c->own->source[id].cost_ns;
	slot->anew = true;
	for (size_t i = 0; i < slot->places; i++)
		slot->place[i] = -1;
	for (size_t i = 0; i < slot->sink.count; i++)
		slot->sink.series[i].anew = true;
}

/* Leave the worker to the source that it reads, and move the others to a new worker. */
static void part_worker(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
{
	struct pm_worker *others = c->count < PM_WORKERS_MAX ? pm_workers_add(c, "slow") : NULL;

	if (!others)
		return;
	pm_debug("%s keeps other sources waiting", c->slot[w->asked].source->name);
	others->slow = others->tree = true;
	pm_tree_memory_copy(&others->shared->tree, &w->shared->tree);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (!w->member[id] || id == w->asked)
			continue;
		w->member[id] = false;
		others->member[id] = true;
		pm_workers_forget(c, id);
	}
	pm_workers_tend(c, others, 0, now_us);
	pm_workers_ask_next(c, others, now_us);
}

/* Time between two readings of a source. */
static int64_t period_us(const struct pm_workers *c, size_t id)
{
	const struct pm_source *source = c->slot[id].source;
	const int64_t apart_us = source->apart_us ? source->apart_us() : 0;
	const int64_t own_us = apart_us ? apart_us : source->period_us;
	const int64_t us =
		(own_us > c->interval_us ? own_us : c->interval_us) * (int64_t)c->every[id];

	return source->longest_us && us > source->longest_us ? source->longest_us : us;
}

static void take_turn(struct pm_workers *c, size_t id, struct pm_worker *w, struct pm_moment now)
{
	struct pm_turn *t = &c->turn[id];

	pm_workers_tend(c, w, period_us(c, w->busy ? w->asked : id), now.monotonic_us);
	if (!w->pid)
		pm_workers_skip(c, id, now, PM_REASON_failed);
	else if (t->waiting || (w->busy && w->asked == id))
		pm_workers_skip(c, id, now, PM_REASON_late);
	else if (now.monotonic_us < t->rich_us)
		pm_workers_skip(c, id, now, PM_REASON_budget);
	else
		t->waiting = true;
}

void pm_workers_interval(struct pm_workers *c, int64_t interval_us)
{
	c->interval_us = interval_us;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		c->turn[id].clock.interval_us = 0;
		c->every[id] = 1;
	}
}

bool pm_workers_rarer(struct pm_workers *c, size_t id, struct pm_moment now)
{
	const int64_t before_us = period_us(c, id);

	if (c->every[id] >= RAREST)
		return false;
	c->every[id] *= 2;
	if (c->turn[id].clock.interval_us)
		pm_clock_start(&c->turn[id].clock, period_us(c, id), now);
	return !c->slot[id].source->longest_us || period_us(c, id) > before_us;
}

void pm_workers_slow(struct pm_workers *c, struct pm_moment now, bool all)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_clock *clock = &c->turn[id].clock;
		struct pm_worker *w = pm_workers_reader(c, id);

		if (!w || !pm_workers_wants(c, id))
			continue;
		if (!clock->interval_us)
			pm_clock_start(clock, period_us(c, id), now);
		else if (now.monotonic_us >= clock->next_us)
			pm_clock_advance(clock, now);
		else if (!all || c->turn[id].waiting || (w->busy && w->asked == id))
			continue;
		take_turn(c, id, w, now);
		pm_workers_ask_next(c, w, now.monotonic_us);
	}
	pm_workers_part(c, now);
}

int64_t pm_workers_part(struct pm_workers *c, struct pm_moment now)
{
	const size_t count = c->count;
	int64_t due = INT64_MAX;

	for (size_t i = PM_WORKERS_SLOW; i < count; i++) {
		struct pm_worker *w = &c->worker[i];

		if (!w->slow || !keeps_waiting(c, w))
			continue;
		if (now.monotonic_us >= w->asked_us + STUCK_US)
			part_worker(c, w, now.monotonic_us);
		else if (w->asked_us + STUCK_US < due)
			due = w->asked_us + STUCK_US;
	}
	return due;
}

int64_t pm_workers_due(const struct pm_workers *c)
{
	int64_t due = INT64_MAX;

	for (size_t i = PM_WORKERS_SLOW; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		if (!w->slow)
			continue;
		for (size_t id = 0; id < PM_SOURCES; id++)
			if (w->member[id] && pm_workers_wants(c, id) &&
			    c->turn[id].clock.next_us < due)
				due = c->turn[id].clock.next_us;
	}
	return due;
}

void pm_workers_charge(struct pm_workers *c, size_t id, int64_t now_us)
{
	const uint32_t budget_ppm = c->slot[id].source->budget_ppm;
	const uint64_t used_ns = c->own->source[id].cost_ns;
	struct pm_turn *t = &c->turn[id];

	if (budget_ppm && used_ns > t->charged_ns)
		t->rich_us = now_us + (int64_t)((used_ns - t->charged_ns) * 1000 / budget_ppm);
	t->charged_ns = used_ns;
}

void pm_workers_go_on(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
{
	pm_workers_tend(c, w, 0, now_us);
	pm_workers_ask_next(c, w, now_us);
	for (size_t id = 0; !w->pid && id < PM_SOURCES; id++)
		if (w->member[id])
			c->turn[id].waiting = false;
}
