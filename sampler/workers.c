/* The crew of workers that read the sources. */
#include "config.h"

#include "sampler/workers.h"

#include "common/log.h"

#include <stdlib.h>
#include <string.h>

/* A worker that has not answered for both this time and this many turns is killed. */
#define HUNG_US    30000000
#define HUNG_TURNS 10

/* A source that keeps others of its worker waiting this long is left alone with the worker. */
#define STUCK_US 200000

/* An answer of this many bytes fits into the socket in any case. */
#define PASSED_AT_ONCE 65536
enum { TREE, REST, SLOW, SHARED };

/* --- values ----------------------------------------------------------------------------------- */

/* Whether the source has to be read: it is selected and not known to be unavailable. */
static bool is_wanted(const struct pm_workers *c, size_t id)
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

static void put_one(struct pm_workers *c, struct pm_moment at, size_t id)
{
	bool one[PM_SOURCES] = { false };

	one[id] = true;
	put_sinks(c, at, one);
}

/* Make all series of a worker unknown for this reason. */
static void clear_series(struct pm_workers *c, const struct pm_worker *w, enum pm_reason reason)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && is_wanted(c, id))
			pm_sink_clear(&c->slot[id].sink, reason);
}

static void count_late(struct pm_workers *c, const struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && is_wanted(c, id))
			c->own->source[id].late++;
}

/* --- workers ---------------------------------------------------------------------------------- */

/* Whether a worker has anything to do. */
static bool is_needed(const struct pm_workers *c, const struct pm_worker *w)
{
	/* The worker of the tree also finds out when the tree has ended. */
	if (w == &c->worker[TREE] && (c->reader.pid || c->reader.marks))
		return true;
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && is_wanted(c, id))
			return true;
	return false;
}

/* Start a worker if it is needed and does not run; kill it if it hangs. */
static void tend_worker(struct pm_workers *c, struct pm_worker *w, int64_t interval_us,
			int64_t now_us)
{
	const int64_t turns = HUNG_TURNS * interval_us;
	struct pm_err e;

	if (w->pid && w->busy && now_us - w->asked_us > (turns > HUNG_US ? turns : HUNG_US))
		pm_worker_kill(w);
	if (!w->pid && is_needed(c, w) && now_us >= w->retry_us &&
	    pm_worker_start(w, &c->reader, now_us, &e) < 0)
		pm_info("%s", e.text);
}

/* Add a worker without sources. Returns the worker, or NULL. */
static struct pm_worker *add_worker(struct pm_workers *c, const char *name)
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
	struct pm_worker *w = add_worker(c, source->name);

	if (!w)
		return NULL;
	w->member[id] = true;
	w->tree = source->tree;
	pm_tree_memory_copy(&w->shared->tree, &c->worker[TREE].shared->tree);
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
	if (!add_worker(c, "tree") || !add_worker(c, "node") || !add_worker(c, "slow"))
		return pm_err(e, "out of memory");
	c->worker[TREE].tree = c->worker[SLOW].tree = c->worker[SLOW].slow = true;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_target target = { .root = reader->root, .own = own };
		struct pm_slot *slot = &c->slot[id];

		slot->source = reader->table[id];
		slot->own = &own->source[id];
		if (pm_sink_init(&slot->sink, slot->source) < 0)
			return pm_err(e, "source %s: out of memory", slot->source->name);
		if (slot->source->loop) {
			slot->heard = true;
			slot->available = slot->source->open(&c->state[id], &target, &slot->sink,
							     &slot->why) == 0;
		} else if (slot->source->period_us) {
			c->worker[SLOW].member[id] = true;
		} else {
			c->worker[slot->source->tree ? TREE : REST].member[id] = true;
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
		all[id] = is_wanted(c, id);
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
			member[id] = member[id] || w->member[id];
	}
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_slot *slot = &c->slot[id];

		c->own->source[id].used = slot->heard && is_wanted(c, id);
		if (!slot->source->loop || !is_wanted(c, id))
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

void pm_workers_begin(struct pm_workers *c, struct pm_moment now)
{
	const int64_t interval_us = now.monotonic_us - c->round.monotonic_us;

	if (c->open)
		pm_workers_end(c);
	for (size_t i = 0; i < c->count; i++) {
		struct pm_worker *w = &c->worker[i];

		if (w->slow)
			continue;
		tend_worker(c, w, interval_us, now.monotonic_us);
		clear_series(c, w, w->pid ? PM_REASON_late : PM_REASON_failed);
		if (w->pid && !w->busy)
			ask_worker(c, w, now.monotonic_us);
	}
	c->round = now;
	c->open = true;
	end_if_complete(c);
}

/* --- sources with a period -------------------------------------------------------------------- */

/* The worker that reads a source with a period, or NULL. */
static struct pm_worker *reader_of(struct pm_workers *c, size_t id)
{
	for (size_t i = SLOW; i < c->count; i++)
		if (c->worker[i].slow && c->worker[i].member[id])
			return &c->worker[i];
	return NULL;
}

/* Let a source's turn pass without a reading. */
static void skip_reading(struct pm_workers *c, size_t id, struct pm_moment now,
			 enum pm_reason reason)
{
	c->own->source[id].late += reason == PM_REASON_late;
	pm_sink_clear(&c->slot[id].sink, reason);
	put_one(c, now, id);
}

/* If the worker is idle, ask it for the first of its sources that waits to be read. */
static void ask_next(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
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

/* Forget the reader's numbers of series: the source's next reader will not know them. */
static void forget_reader(struct pm_workers *c, size_t id)
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
	struct pm_worker *others = c->count < PM_WORKERS_MAX ? add_worker(c, "slow") : NULL;

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
		forget_reader(c, id);
	}
	tend_worker(c, others, 0, now_us);
	ask_next(c, others, now_us);
}

static void take_turn(struct pm_workers *c, size_t id, struct pm_worker *w, struct pm_moment now)
{
	struct pm_turn *t = &c->turn[id];

	tend_worker(c, w, c->slot[w->busy ? w->asked : id].source->period_us, now.monotonic_us);
	if (!w->pid)
		skip_reading(c, id, now, PM_REASON_failed);
	else if (t->waiting || (w->busy && w->asked == id))
		skip_reading(c, id, now, PM_REASON_late);
	else if (now.monotonic_us < t->rich_us)
		skip_reading(c, id, now, PM_REASON_budget);
	else
		t->waiting = true;
}

void pm_workers_slow(struct pm_workers *c, struct pm_moment now, bool all)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_clock *clock = &c->turn[id].clock;
		struct pm_worker *w = reader_of(c, id);

		if (!w || !is_wanted(c, id))
			continue;
		if (!clock->interval_us)
			pm_clock_start(clock, c->slot[id].source->period_us, now);
		else if (now.monotonic_us >= clock->next_us)
			pm_clock_advance(clock, now);
		else if (!all || c->turn[id].waiting || (w->busy && w->asked == id))
			continue;
		take_turn(c, id, w, now);
		ask_next(c, w, now.monotonic_us);
	}
	pm_workers_part(c, now);
}

int64_t pm_workers_part(struct pm_workers *c, struct pm_moment now)
{
	const size_t count = c->count;
	int64_t due = INT64_MAX;

	for (size_t i = SLOW; i < count; i++) {
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

	for (size_t i = SLOW; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		if (!w->slow)
			continue;
		for (size_t id = 0; id < PM_SOURCES; id++)
			if (w->member[id] && is_wanted(c, id) && c->turn[id].clock.next_us < due)
				due = c->turn[id].clock.next_us;
	}
	return due;
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
		for (size_t id = 0; i >= SHARED && id < PM_SOURCES; id++)
			if (w->member[id] && w->message.resident && reads_one(w))
				c->own->source[id].resident = w->message.resident;
	}
}

/* Charge a source's latest reading to its budget: this delays the next reading. */
static void charge_source(struct pm_workers *c, size_t id, int64_t now_us)
{
	const uint32_t budget_ppm = c->slot[id].source->budget_ppm;
	const uint64_t used_ns = c->own->source[id].cost_ns;
	struct pm_turn *t = &c->turn[id];

	if (budget_ppm && used_ns > t->charged_ns)
		t->rich_us = now_us + (int64_t)((used_ns - t->charged_ns) * 1000 / budget_ppm);
	t->charged_ns = used_ns;
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
	struct pm_err e = { "it is gone" };
	int rc = pm_worker_receive(w, &body);

	if (rc == 0)
		return;
	if (rc < 0 || pm_message_take(&w->message, body, w->member, c->slot, &e) < 0) {
		pm_debug("%s: %s", w->name, e.text);
		pm_worker_kill(w);
		return;
	}
	if (w == &c->worker[TREE] && (c->reader.pid || c->reader.marks))
		c->living = w->message.living;
	say_unavailable(c, w);
	add_costs(c);
	if (w->slow) {
		charge_source(c, w->asked, w->message.at.monotonic_us);
		put_one(c, w->message.at, w->asked);
		ask_next(c, w, pm_clock_now().monotonic_us);
	} else if (expected) {
		end_if_complete(c);
	} else {
		/* A late answer keeps its own time. In an open round the source is late. */
		put_sinks(c, w->message.at, w->member);
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
		if (!w->member[id] || !is_wanted(c, id))
			continue;
		c->own->source[id].failures++;
		forget_reader(c, id);
		pm_sink_clear(&c->slot[id].sink, PM_REASON_failed);
	}
}

/* Restart an ended worker for the sources that wait; if it cannot start, they stop waiting. */
static void go_on(struct pm_workers *c, struct pm_worker *w, int64_t now_us)
{
	tend_worker(c, w, 0, now_us);
	ask_next(c, w, now_us);
	for (size_t id = 0; !w->pid && id < PM_SOURCES; id++)
		if (w->member[id])
			c->turn[id].waiting = false;
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
		if (source >= 0 && (i == TREE || i == REST || (w->slow && !reads_one(w))) &&
		    c->count < PM_WORKERS_MAX && add_single(c, (size_t)source)) {
			w->member[source] = false;
			w->retry_us = now.monotonic_us;
			w->row = 0;
		}
		if (w->slow)
			go_on(c, w, now.monotonic_us);
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
		const struct pm_worker *w = reader_of(c, id);

		if (w && w->pid && w->busy && (w->asked == id || c->turn[id].waiting))
			skip_reading(c, id, now, PM_REASON_late);
	}
}
