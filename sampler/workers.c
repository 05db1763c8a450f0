/* The processes that read the sources. */
#include "config.h"

#include "sampler/crew.h"

#include "common/log.h"

#include <stdlib.h>
#include <string.h>

/* One that has not answered for so long, and for so many of its turns, is ended. */
#define HUNG_US    30000000
#define HUNG_TURNS 10

/* A source that keeps others of its process waiting for so long goes on alone. */
#define STUCK_US 200000

/* The socket has room for an answer of so many bytes in any case. */
#define PASSED_AT_ONCE 65536

enum { TREE, REST, SLOW, SHARED };

/* --- what is put ------------------------------------------------------------------------------ */

/* Whether the source has to be read, as far as is known. */
static bool wanted(const struct pm_crew *c, size_t id)
{
	return c->selected[id] && (!c->slot[id].heard || c->slot[id].available);
}

/* Whether a source stands in the ticks: not after it was said once that it is not available. */
static bool shown(const struct pm_crew *c, size_t id)
{
	return c->selected[id] && c->slot[id].sink.count > 0;
}

/* Put the sinks of these sources. */
static void put(struct pm_crew *c, struct pm_moment at, const bool *member)
{
	struct pm_sink *sinks[PM_SOURCES];
	size_t n = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		if (member[id] && shown(c, id))
			sinks[n++] = &c->slot[id].sink;
	if (n == 0 || c->put(c->arg, at, sinks, n) != 0)
		return;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_slot *slot = &c->slot[id];

		if (member[id] && slot->heard && !slot->available)
			pm_sink_free(&slot->sink);
	}
}

/* Put the sink of one source. */
static void put_one(struct pm_crew *c, struct pm_moment at, size_t id)
{
	bool one[PM_SOURCES] = { false };

	one[id] = true;
	put(c, at, one);
}

/* All series of a worker are unknown for this reason. */
static void clear(struct pm_crew *c, const struct pm_worker *w, enum pm_reason reason)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && wanted(c, id))
			pm_sink_clear(&c->slot[id].sink, reason);
}

static void count_late(struct pm_crew *c, const struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && wanted(c, id))
			c->own->source[id].late++;
}

/* --- the processes ---------------------------------------------------------------------------- */

/* Whether there is anything for it to do. */
static bool needed(const struct pm_crew *c, const struct pm_worker *w)
{
	/* The first one also tells when the tree has ended. */
	if (w == &c->worker[TREE] && (c->reader.pid || c->reader.marks))
		return true;
	for (size_t id = 0; id < PM_SOURCES; id++)
		if (w->member[id] && wanted(c, id))
			return true;
	return false;
}

/* Have it running if it can be, and end it if it hangs. */
static void tend(struct pm_crew *c, struct pm_worker *w, int64_t interval_us, int64_t now_us)
{
	const int64_t turns = HUNG_TURNS * interval_us;
	struct pm_err e;

	if (w->pid && w->busy && now_us - w->asked_us > (turns > HUNG_US ? turns : HUNG_US))
		pm_worker_kill(w);
	if (!w->pid && needed(c, w) && now_us >= w->retry_us &&
	    pm_worker_start(w, &c->reader, now_us, &e) < 0)
		pm_info("%s", e.text);
}

/* Add a process that reads no source yet. Returns it, or NULL. */
static struct pm_worker *add_worker(struct pm_crew *c, const char *name)
{
	struct pm_worker *w = &c->worker[c->count];

	if (pm_worker_init(w, name) < 0)
		return NULL;
	c->count++;
	return w;
}

/* Add a process for one source alone. */
static struct pm_worker *add_single(struct pm_crew *c, size_t id)
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

int pm_crew_open(struct pm_crew *c, const struct pm_reader_options *reader, const bool *selected,
		 struct pm_own *own, pm_crew_put *put_fn, void *arg, struct pm_err *e)
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

void pm_crew_close(struct pm_crew *c)
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

static void ask(struct pm_crew *c, struct pm_worker *w, int64_t now_us)
{
	bool all[PM_SOURCES];

	for (size_t id = 0; id < PM_SOURCES; id++)
		all[id] = wanted(c, id);
	pm_worker_ask(w, all, now_us);
}

/* Whether the round waits for its answer. */
static bool awaited(const struct pm_crew *c, const struct pm_worker *w)
{
	return !w->slow && w->busy && w->asked_us == c->round.monotonic_us;
}

static void end_round(struct pm_crew *c)
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

		c->own->source[id].used = slot->heard && wanted(c, id);
		if (!slot->source->loop || !wanted(c, id))
			continue;
		member[id] = true;
		pm_sink_clear(&slot->sink, PM_REASON_absent);
		slot->source->sample(c->state[id], &slot->sink);
	}
	c->open = false;
	put(c, c->round, member);
}

static void end_if_complete(struct pm_crew *c)
{
	for (size_t i = 0; c->open && i < c->count; i++)
		if (awaited(c, &c->worker[i]))
			return;
	if (c->open)
		end_round(c);
}

void pm_crew_begin(struct pm_crew *c, struct pm_moment now)
{
	const int64_t interval_us = now.monotonic_us - c->round.monotonic_us;

	if (c->open)
		pm_crew_end(c);
	for (size_t i = 0; i < c->count; i++) {
		struct pm_worker *w = &c->worker[i];

		if (w->slow)
			continue;
		tend(c, w, interval_us, now.monotonic_us);
		clear(c, w, w->pid ? PM_REASON_late : PM_REASON_failed);
		if (w->pid && !w->busy)
			ask(c, w, now.monotonic_us);
	}
	c->round = now;
	c->open = true;
	end_if_complete(c);
}

/* --- sources with a period -------------------------------------------------------------------- */

/* The process that reads a source with a period, or NULL. */
static struct pm_worker *reader_of(struct pm_crew *c, size_t id)
{
	for (size_t i = SLOW; i < c->count; i++)
		if (c->worker[i].slow && c->worker[i].member[id])
			return &c->worker[i];
	return NULL;
}

/* A turn of a source without a reading. */
static void skip(struct pm_crew *c, size_t id, struct pm_moment now, enum pm_reason reason)
{
	c->own->source[id].late += reason == PM_REASON_late;
	pm_sink_clear(&c->slot[id].sink, reason);
	put_one(c, now, id);
}

/* Begin the next reading of a process that has nothing else to do. */
static void ask_next(struct pm_crew *c, struct pm_worker *w, int64_t now_us)
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

/* Whether another source waits for the one that the process reads. */
static bool keeps_waiting(const struct pm_crew *c, const struct pm_worker *w)
{
	for (size_t id = 0; w->pid && w->busy && id < PM_SOURCES; id++)
		if (w->member[id] && c->turn[id].waiting)
			return true;
	return false;
}

/* Its next reader knows nothing of what this one told. */
static void forget_reader(struct pm_crew *c, size_t id)
{
	struct pm_slot *slot = &c->slot[id];

	slot->past_cost_ns = c->own->source[id].cost_ns;
	slot->anew = true;
	for (size_t i = 0; i < slot->places; i++)
		slot->place[i] = -1;
	for (size_t i = 0; i < slot->sink.count; i++)
		slot->sink.series[i].anew = true;
}

/* Leave the process to the source that it reads, and have another one for the others. */
static void part(struct pm_crew *c, struct pm_worker *w, int64_t now_us)
{
	struct pm_worker *others = c->count < PM_CREW_MAX ? add_worker(c, "slow") : NULL;

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
	tend(c, others, 0, now_us);
	ask_next(c, others, now_us);
}

static void turn(struct pm_crew *c, size_t id, struct pm_worker *w, struct pm_moment now)
{
	struct pm_turn *t = &c->turn[id];

	tend(c, w, c->slot[w->busy ? w->asked : id].source->period_us, now.monotonic_us);
	if (!w->pid)
		skip(c, id, now, PM_REASON_failed);
	else if (t->waiting || (w->busy && w->asked == id))
		skip(c, id, now, PM_REASON_late);
	else if (now.monotonic_us < t->rich_us)
		skip(c, id, now, PM_REASON_budget);
	else
		t->waiting = true;
}

void pm_crew_slow(struct pm_crew *c, struct pm_moment now, bool all)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		struct pm_clock *clock = &c->turn[id].clock;
		struct pm_worker *w = reader_of(c, id);

		if (!w || !wanted(c, id))
			continue;
		if (!clock->interval_us)
			pm_clock_start(clock, c->slot[id].source->period_us, now);
		else if (now.monotonic_us >= clock->next_us)
			pm_clock_advance(clock, now);
		else if (!all || c->turn[id].waiting || (w->busy && w->asked == id))
			continue;
		turn(c, id, w, now);
		ask_next(c, w, now.monotonic_us);
	}
	pm_crew_part(c, now);
}

int64_t pm_crew_part(struct pm_crew *c, struct pm_moment now)
{
	const size_t count = c->count;
	int64_t due = INT64_MAX;

	for (size_t i = SLOW; i < count; i++) {
		struct pm_worker *w = &c->worker[i];

		if (!w->slow || !keeps_waiting(c, w))
			continue;
		if (now.monotonic_us >= w->asked_us + STUCK_US)
			part(c, w, now.monotonic_us);
		else if (w->asked_us + STUCK_US < due)
			due = w->asked_us + STUCK_US;
	}
	return due;
}

int64_t pm_crew_due(const struct pm_crew *c)
{
	int64_t due = INT64_MAX;

	for (size_t i = SLOW; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		if (!w->slow)
			continue;
		for (size_t id = 0; id < PM_SOURCES; id++)
			if (w->member[id] && wanted(c, id) && c->turn[id].clock.next_us < due)
				due = c->turn[id].clock.next_us;
	}
	return due;
}

/* --- listening -------------------------------------------------------------------------------- */

/* Whether it reads one source alone. */
static bool alone(const struct pm_worker *w)
{
	int members = 0;

	for (size_t id = 0; id < PM_SOURCES; id++)
		members += w->member[id];
	return members == 1;
}

/* Note what the processes cost. */
static void add_up(struct pm_crew *c)
{
	c->own->user_us = c->own->system_us = c->own->resident = 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct pm_worker *w = &c->worker[i];

		c->own->user_us += w->past_user_us + w->message.user_us;
		c->own->system_us += w->past_system_us + w->message.system_us;
		c->own->resident += w->message.resident;
		for (size_t id = 0; i >= SHARED && id < PM_SOURCES; id++)
			if (w->member[id] && w->message.resident && alone(w))
				c->own->source[id].resident = w->message.resident;
	}
}

/* What the reading cost has to be saved up before the next one of this source. */
static void charge(struct pm_crew *c, size_t id, int64_t now_us)
{
	const uint32_t budget_ppm = c->slot[id].source->budget_ppm;
	const uint64_t used_ns = c->own->source[id].cost_ns;
	struct pm_turn *t = &c->turn[id];

	if (budget_ppm && used_ns > t->charged_ns)
		t->rich_us = now_us + (int64_t)((used_ns - t->charged_ns) * 1000 / budget_ppm);
	t->charged_ns = used_ns;
}

static void say_unavailable(const struct pm_crew *c, const struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_slot *slot = &c->slot[id];

		if (w->member[id] && shown(c, id) && slot->heard && !slot->available)
			pm_info("source %s: %s", slot->source->name, slot->why.err.text);
	}
}

static void hear(struct pm_crew *c, struct pm_worker *w)
{
	const bool expected = c->open && awaited(c, w);
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
	add_up(c);
	if (w->slow) {
		charge(c, w->asked, w->message.at.monotonic_us);
		put_one(c, w->message.at, w->asked);
		ask_next(c, w, pm_clock_now().monotonic_us);
	} else if (expected) {
		end_if_complete(c);
	} else {
		/* Better late than never: with its own time. In an open round it is late. */
		put(c, w->message.at, w->member);
		clear(c, w, PM_REASON_late);
	}
	if (!needed(c, w))
		pm_worker_kill(w);
}

/* Hear whose answers the round waits for, as far as they are there. */
static void hear_awaited(struct pm_crew *c)
{
	for (size_t i = 0; c->open && i < c->count; i++)
		if (c->worker[i].fd >= 0 && awaited(c, &c->worker[i]))
			hear(c, &c->worker[i]);
}

/* Whether its answer, of about the length of the one before, has room until the last one comes. */
static bool can_wait(const struct pm_crew *c, const struct pm_worker *w)
{
	const struct pm_worker *last = &c->worker[c->last];

	return c->open && w != last && last->fd >= 0 && awaited(c, last) && awaited(c, w) &&
	       w->message.length && w->message.length < PASSED_AT_ONCE;
}

size_t pm_crew_wait(const struct pm_crew *c, struct pollfd *fds)
{
	for (size_t i = 0; i < c->count; i++) {
		fds[i].fd = can_wait(c, &c->worker[i]) ? -1 : c->worker[i].fd;
		fds[i].events = POLLIN;
	}
	return c->count;
}

void pm_crew_listen(struct pm_crew *c, const struct pollfd *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!fds[i].revents || fds[i].fd != c->worker[i].fd)
			continue;
		if (c->open && awaited(c, &c->worker[i]))
			c->last = i;
		hear(c, &c->worker[i]);
		hear_awaited(c);
	}
}

void pm_crew_end(struct pm_crew *c)
{
	hear_awaited(c);
	if (c->open)
		end_round(c);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void start_over(struct pm_crew *c, struct pm_worker *w)
{
	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (!w->member[id] || !wanted(c, id))
			continue;
		c->own->source[id].failures++;
		forget_reader(c, id);
		pm_sink_clear(&c->slot[id].sink, PM_REASON_failed);
	}
}

/* What waited for a process that has ended waits for its next one, where that can begin. */
static void go_on(struct pm_crew *c, struct pm_worker *w, int64_t now_us)
{
	tend(c, w, 0, now_us);
	ask_next(c, w, now_us);
	for (size_t id = 0; !w->pid && id < PM_SOURCES; id++)
		if (w->member[id])
			c->turn[id].waiting = false;
}

void pm_crew_reap(struct pm_crew *c)
{
	const struct pm_moment now = pm_clock_now();
	const size_t count = c->count;

	for (size_t i = 0; i < count; i++) {
		struct pm_worker *w = &c->worker[i];
		int source;

		if (!pm_worker_reap(w, now.monotonic_us, &source) || !needed(c, w))
			continue;
		pm_info("%s ended%s%s", w->name, source < 0 ? "" : " while it read ",
			source < 0 ? "" : c->slot[source].source->name);
		start_over(c, w);
		/* A source that crashes shall do so alone. The others can go on at once. */
		if (source >= 0 && (i == TREE || i == REST || (w->slow && !alone(w))) &&
		    c->count < PM_CREW_MAX && add_single(c, (size_t)source)) {
			w->member[source] = false;
			w->retry_us = now.monotonic_us;
			w->row = 0;
		}
		if (w->slow)
			go_on(c, w, now.monotonic_us);
	}
	end_if_complete(c);
}

bool pm_crew_quiet(const struct pm_crew *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->worker[i].pid && c->worker[i].busy)
			return false;
	return !c->open;
}

void pm_crew_give_up(struct pm_crew *c, struct pm_moment now)
{
	if (c->open)
		pm_crew_end(c);
	for (size_t id = 0; id < PM_SOURCES; id++) {
		const struct pm_worker *w = reader_of(c, id);

		if (w && w->pid && w->busy && (w->asked == id || c->turn[id].waiting))
			skip(c, id, now, PM_REASON_late);
	}
}
