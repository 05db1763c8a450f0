/* The crew of workers that read the sources. */
#include "config.h"

#include "sampler/workers.h"

#include "common/log.h"

#include <stdlib.h>
#include <string.h>

/* A worker that has not answered for both this time and this many turns is killed. */
#define HUNG_US    30000000
#define HUNG_TURNS 10

/* An answer of this many bytes fits into the socket in any case. */
#define PASSED_AT_ONCE 65536

/* --- values ----------------------------------------------------------------------------------- */

bool pm_workers_wants(const struct pm_workers *c, size_t id)
{
	return c->selected[id] && (!c->slot[id].heard || c->slot[id].available);
}

/* Whether a source is in the ticks: an unavailable one is so only once. */
static bool is_shown(const struct pm_workers *c, size_t id)
{
	return c->selected[id] && c->slot[id].sink.count > 0;
}

/* Put the sinks of the member sources; free those of unavailable sources once they are written. */
static void put_sinks(struct pm_workers *c, struct pm_moment at, const bool *member)
{
	struct pm_sink *sinks[PM_SOURCES];
	size_t n = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		if (member[id] && is_shown(c, id))
			sinks[n++] = &c->slot[id].sink;
	if (n == 0 || c->put(c->arg, at, sinks, n) != 0)
		return;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_slot *slot = &c->slot[id];

		if (member[id] && slot->heard && !slot->available)
			pm_sink_free(&slot->sink);
	}
}

void pm_workers_put_one(struct pm_workers *c, struct pm_moment at, size_t id)
{
	bool one[PM_SOURCES] = { false };

	one[id] = true;
	put_sinks(c, at, one);
}

/* Make all series of a worker that are due in this round unknown for this reason. */
static void clear_series(struct pm_workers *c, const struct pm_worker *w, enum pm_reason reason)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && c->due[id] && pm_workers_wants(c, id))
			pm_sink_clear(&c->slot[id].sink, reason);
}

static void count_late(struct pm_workers *c, const struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && c->due[id] && pm_workers_wants(c, id))
			c->own->source[id].late++;
}

/* --- workers ---------------------------------------------------------------------------------- */

/* Whether a worker has anything to do. */
static bool is_needed(const struct pm_workers *c, const struct pm_worker *w)
{
	/* The worker of the tree also finds out when the tree has ended. */
	if (w == &c->worker[PM_WORKERS_TREE] && (c->reader.pid || c->reader.marks))
		return true;
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && pm_workers_wants(c, id))
			return true;
	return false;
}

void pm_workers_tend(struct pm_workers *c, struct pm_worker *w, int64_t interval_us, int64_t now_us)
{
	const int64_t turns = HUNG_TURNS * interval_us;
	struct pm_err e;

	if (w->pid && w->busy && now_us - w->asked_us > (turns > HUNG_US ? turns : HUNG_US))
		pm_worker_kill(w);
	if (!w->pid && is_needed(c, w) && now_us >= w->retry_us &&
	    pm_worker_start(w, &c->reader, now_us, &e) < 0)
		pm_info("%s", e.text);
}

struct pm_worker *pm_workers_add(struct pm_workers *c, const char *name)
{
	struct pm_worker *w = &c->worker[c->count];

	if (pm_worker_init(w, name) < 0)
		return NULL;
	c->count++;
	return w;
}

/* Add a worker for one source alone. */
static struct pm_worker *add_single(struct pm_workers *c, size_t id)
{
	const struct pm_source *source = c->slot[id].source;
	struct pm_worker *w = pm_workers_add(c, source->name);

	if (!w)
		return NULL;
	w->member[id] = true;
	w->tree = source->tree;
	pm_tree_memory_copy(&w->shared->tree, &c->worker[PM_WORKERS_TREE].shared->tree);
	w->slow = source->period_us > 0;
	return w;
}

int pm_workers_open(struct pm_workers *c, const struct pm_workermain_options *reader,
		    const bool *selected, struct pm_own *own, pm_workers_put *put_fn, void *arg,
		    struct pm_err *e)
{
	memset(c, 0, sizeof *c);
	c->reader = *reader;
	c->selected = selected;
	c->own = own;
	c->put = put_fn;
	c->arg = arg;
	c->living = 1;
	if (!pm_workers_add(c, "tree") || !pm_workers_add(c, "node") || !pm_workers_add(c, "slow"))
		return pm_err(e, "out of memory");
	c->worker[PM_WORKERS_TREE].tree = c->worker[PM_WORKERS_SLOW].tree =
		c->worker[PM_WORKERS_SLOW].slow = true;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_target target = { .root = reader->root, .own = own };
		struct pm_slot *slot = &c->slot[id];

		c->every[id] = 1;
		slot->source = reader->table[id];
		slot->own = &own->source[id];
		if (pm_sink_init(&slot->sink, slot->source) < 0)
			return pm_err(e, "source %s: out of memory", slot->source->name);
		if (slot->source->loop) {
			slot->heard = true;
			slot->available = slot->source->open(&c->state[id], &target, &slot->sink,
							     &slot->why) == 0;
		} else if (slot->source->apart_us && slot->source->apart_us()) {
			if (selected[id] && !add_single(c, id))
				return pm_err(e, "source %s: out of memory", slot->source->name);
		} else if (slot->source->period_us) {
			c->worker[PM_WORKERS_SLOW].member[id] = true;
		} else {
			c->worker[slot->source->tree ? PM_WORKERS_TREE : PM_WORKERS_REST]
				.member[id] = true;
		}
	}
	return 0;
}

void pm_workers_close(struct pm_workers *c)
{
	for (size_t i = 0; i < c->count; i++)
		pm_worker_close(&c->worker[i]);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_slot *slot = &c->slot[id];

		if (slot->source && slot->source->loop && slot->available)
			slot->source->close(c->state[id]);
		pm_sink_free(&slot->sink);
		free(slot->place);
	}
	memset(c, 0, sizeof *c);
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void ask_worker(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
{
	bool all[PM_SOURCES];

	for (size_t id = 0; id < PM_SOURCES; id++)
		all[id] = c->due[id] && pm_workers_wants(c, id);
	pm_worker_ask(w, all, now_us);
}

/* Whether the round waits for the worker's answer. */
static bool is_awaited(const struct pm_workers *c, const struct pm_worker *w)
{
	return !w->slow && w->busy && w->asked_us == c->round.monotonic_us;
}

static void end_round(struct pm_workers *c)
{
	bool member[PM_SOURCES] = { false };

	for (size_t i = 0; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		if (w->slow)
			continue;
		if (w->busy)
			count_late(c, w);
		for (size_t id = 0; id < PM_SOURCES; id++)
			member[id] = member[id] || (w->member[id] && c->due[id]);
	}
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_slot *slot = &c->slot[id];

		c->own->source[id].used = slot->heard && pm_workers_wants(c, id);
		if (!slot->source->loop || !c->due[id] || !pm_workers_wants(c, id))
			continue;
		member[id] = true;
		pm_sink_clear(&slot->sink, PM_REASON_absent);
		slot->source->sample(c->state[id], &slot->sink);
	}
	c->open = false;
	put_sinks(c, c->round, member);
}

static void end_if_complete(struct pm_workers *c)
{
	for (size_t i = 0; c->open && i < c->count; i++)
		if (is_awaited(c, &c->worker[i]))
			return;
	if (c->open)
		end_round(c);
}

/* Note which of the sources that are read at ticks are due at this one: at one of so many by the
 * wall clock, so that the nodes of a job sample together, or the first after one that was missed.
 * Ticks that are not on the grid have all sources. */
static void note_due(struct pm_workers *c, struct pm_moment now)
{
	const int64_t grid_us = now.real_us - c->own->late_us + c->interval_us / 2;
	const int64_t tick = c->interval_us > 0 ? grid_us / c->interval_us : 0;

	for (size_t id = 0; id < PM_SOURCES; id++) {
		const int64_t every = (int64_t)c->every[id];

		c->due[id] =
			every == 1 || !c->own->scheduled || tick / every != c->tick[id] / every;
		c->tick[id] = c->due[id] ? tick : c->tick[id];
	}
}

void pm_workers_begin(struct pm_workers *c, struct pm_moment now)
{
	const int64_t interval_us = now.monotonic_us - c->round.monotonic_us;

	if (c->open)
		pm_workers_end(c);
	note_due(c, now);
	for (size_t i = 0; i < c->count; i++) {
		struct pm_worker *w = &c->worker[i];

		if (w->slow)
			continue;
		pm_workers_tend(c, w, interval_us, now.monotonic_us);
		clear_series(c, w, w->pid ? PM_REASON_late : PM_REASON_failed);
		if (w->pid && !w->busy)
			ask_worker(c, w, now.monotonic_us);
	}
	c->round = now;
	c->open = true;
	end_if_complete(c);
}

/* --- answers ---------------------------------------------------------------------------------- */

static bool reads_one(const struct pm_worker *w)
{
	int members = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		members += w->member[id];
	return members == 1;
}

/* Add up the costs of the workers. */
static void add_costs(struct pm_workers *c)
{
	c->own->user_us = c->own->system_us = c->own->resident = 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		c->own->user_us += w->past_user_us + w->message.user_us;
		c->own->system_us += w->past_system_us + w->message.system_us;
		c->own->resident += w->message.resident;
		for (size_t id = 0; i >= PM_WORKERS_SHARED && id < PM_SOURCES; id++)
			if (w->member[id] && w->message.resident && reads_one(w))
				c->own->source[id].resident = w->message.resident;
	}
}

static void say_unavailable(const struct pm_workers *c, const struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_slot *slot = &c->slot[id];

		if (w->member[id] && is_shown(c, id) && slot->heard && !slot->available)
			pm_info("source %s: %s", slot->source->name, slot->why.err.text);
	}
}

static void hear_worker(struct pm_workers *c, struct pm_worker *w)
{
	const bool expected = c->open && is_awaited(c, w);
	const unsigned char *body;
	struct pm_err e = { "the source's process is gone" };
	int rc = pm_worker_receive(w, &body);

	if (rc == 0)
		return;
	if (rc < 0 || pm_message_take(&w->message, body, w->member, c->slot, &e) < 0) {
		pm_debug("%s: %s", w->name, e.text);
		pm_worker_kill(w);
		return;
	}
	if (w == &c->worker[PM_WORKERS_TREE] && (c->reader.pid || c->reader.marks))
		c->living = w->message.living;
	say_unavailable(c, w);
	add_costs(c);
	if (w->slow) {
		pm_workers_charge(c, w->asked, w->message.at.monotonic_us);
		pm_workers_put_one(c, w->message.at, w->asked);
		pm_workers_ask_next(c, w, pm_clock_now().monotonic_us);
	} else if (expected) {
		end_if_complete(c);
	} else {
		/* A late answer keeps its own time. In an open round the source is late. */
		put_sinks(c, w->message.at, w->requested);
		clear_series(c, w, PM_REASON_late);
	}
	if (!is_needed(c, w))
		pm_worker_kill(w);
}

/* Receive the answers that the round waits for, as far as they have come. */
static void hear_awaited(struct pm_workers *c)
{
	for (size_t i = 0; c->open && i < c->count; i++)
		if (c->worker[i].fd >= 0 && is_awaited(c, &c->worker[i]))
			hear_worker(c, &c->worker[i]);
}

/* Whether an answer, as long as the previous one, can stay in the socket until the last comes. */
static bool can_wait(const struct pm_workers *c, const struct pm_worker *w)
{
	const struct pm_worker *last = &c->worker[c->last];

	return c->open && w != last && last->fd >= 0 && is_awaited(c, last) && is_awaited(c, w) &&
	       w->message.length && w->message.length < PASSED_AT_ONCE;
}

size_t pm_workers_wait(const struct pm_workers *c, struct pollfd *fds)
{
	for (size_t i = 0; i < c->count; i++) {
		fds[i].fd = can_wait(c, &c->worker[i]) ? -1 : c->worker[i].fd;
		fds[i].events = POLLIN;
	}
	return c->count;
}

void pm_workers_listen(struct pm_workers *c, const struct pollfd *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!fds[i].revents || fds[i].fd != c->worker[i].fd)
			continue;
		if (c->open && is_awaited(c, &c->worker[i]))
			c->last = i;
		hear_worker(c, &c->worker[i]);
		hear_awaited(c);
	}
}

void pm_workers_end(struct pm_workers *c)
{
	hear_awaited(c);
	if (c->open)
		end_round(c);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void start_over(struct pm_workers *c, struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (!w->member[id] || !pm_workers_wants(c, id))
			continue;
		c->own->source[id].failures++;
		pm_workers_forget(c, id);
		pm_sink_clear(&c->slot[id].sink, PM_REASON_failed);
	}
}

void pm_workers_reap(struct pm_workers *c)
{
	const struct pm_moment now = pm_clock_now();
	const size_t count = c->count;

	for (size_t i = 0; i < count; i++) {
		struct pm_worker *w = &c->worker[i];
		int source;

		if (!pm_worker_reap(w, now.monotonic_us, &source) || !is_needed(c, w))
			continue;
		pm_info("%s ended%s%s", w->name, source < 0 ? "" : " while it read ",
			source < 0 ? "" : c->slot[source].source->name);
		start_over(c, w);
		/* Give a source that crashed its own worker. The others can go on at once. */
		if (source >= 0 &&
		    (i == PM_WORKERS_TREE || i == PM_WORKERS_REST || (w->slow && !reads_one(w))) &&
		    c->count < PM_WORKERS_MAX && add_single(c, (size_t)source)) {
			w->member[source] = false;
			w->retry_us = now.monotonic_us;
			w->row = 0;
		}
		if (w->slow)
			pm_workers_go_on(c, w, now.monotonic_us);
	}
	end_if_complete(c);
}

bool pm_workers_quiet(const struct pm_workers *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->worker[i].pid && c->worker[i].busy)
			return false;
	return !c->open;
}

void pm_workers_give_up(struct pm_workers *c, struct pm_moment now)
{
	if (c->open)
		pm_workers_end(c);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_worker *w = pm_workers_reader(c, id);

		if (w && w->pid && w->busy && (w->asked == id || c->turn[id].waiting))
			pm_workers_skip(c, id, now, PM_REASON_late);
	}
}
