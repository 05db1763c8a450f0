/* Messages of readers: encode the values of series as bytes, and decode them. */
#include "config.h"

#include "sampler/message.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x706d7234u

/* Header of a source's series. */
struct block {
	uint32_t id;        /* enum pm_source_id */
	uint32_t series;    /* entries that follow, one per series from 0 */
	uint32_t available; /* 0: a text of `text` bytes follows instead of entries */
	uint32_t reason;    /* while not available */
	uint32_t text;
	uint32_t unused;
	uint64_t cost_ns;
};

enum {
	KNOWN = 1,
	NEW = 2,     /* a name of `name` bytes follows */
	LEAVING = 4, /* its object is gone */
	FREE = 8,    /* an unused place */
};

struct entry {
	int64_t value;
	uint32_t metric;
	uint32_t name;
	uint32_t flags;
	uint32_t reason; /* while not known */
};

/* --- writing ---------------------------------------------------------------------------------- */

static int put_bytes(struct pm_bytes *b, const void *p, size_t n)
{
	if (b->capacity - b->n < n) {
		size_t capacity = 2 * b->capacity + n;
		void *more = realloc(b->p, capacity);

		if (!more)
			return -1;
		b->p = more;
		b->capacity = capacity;
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}

int pm_message_begin(struct pm_bytes *b, struct pm_message *m)
{
	b->n = 0;
	memset(m, 0, sizeof *m);
	m->magic = MAGIC;
	return put_bytes(b, m, sizeof *m);
}

static int put_series(struct pm_bytes *b, const struct pm_series *s)
{
	struct entry entry = { .value = s->known ? s->value : 0,
			       .metric = (uint32_t)s->metric,
			       .reason = s->known ? 0 : (uint32_t)s->reason };
	const bool is_new = !s->free && !s->told;

	entry.flags = (s->known ? KNOWN : 0) | (is_new ? NEW : 0) | (s->leaving ? LEAVING : 0) |
		      (s->free ? FREE : 0);
	entry.name = is_new ? (uint32_t)strlen(s->object) : 0;
	if (put_bytes(b, &entry, sizeof entry) < 0)
		return -1;
	return is_new ? put_bytes(b, s->object, entry.name) : 0;
}

static int put_block(struct pm_bytes *b, size_t id, const struct pm_reading *r)
{
	struct block block = { .id = (uint32_t)id,
			       .available = r->available,
			       .cost_ns = r->cost_ns };

	if (!r->available) {
		block.reason = r->why.reason;
		block.text = (uint32_t)strlen(r->why.err.text);
		return put_bytes(b, &block, sizeof block) < 0
			       ? -1
			       : put_bytes(b, r->why.err.text, block.text);
	}
	block.series = (uint32_t)r->sink.count;
	if (put_bytes(b, &block, sizeof block) < 0)
		return -1;
	for (size_t i = 0; i < r->sink.count; i++)
		if (put_series(b, &r->sink.series[i]) < 0)
			return -1;
	return 0;
}

int pm_message_add(struct pm_bytes *b, struct pm_message *m, size_t id, struct pm_reading *r)
{
	const size_t before = b->n;

	if (put_block(b, id, r) < 0)
		return -1;
	if (b->n > PM_MESSAGE_MAX) {
		/* Give the source up for good: this message has no room for its new series, and
		 * later messages could not add them. */
		b->n = before;
		r->available = false;
		r->why.reason = PM_REASON_unsupported;
		pm_err(&r->why.err, "too many series for a worker's answer");
		if (put_block(b, id, r) < 0)
			return -1;
	}
	for (size_t i = 0; r->available && i < r->sink.count; i++)
		r->sink.series[i].told = true;
	pm_sink_passed(&r->sink);
	m->sources++;
	return 0;
}

void pm_message_end(struct pm_bytes *b, const struct pm_message *m)
{
	struct pm_message head = *m;

	head.length = (uint32_t)(b->n - sizeof head);
	memcpy(b->p, &head, sizeof head);
}

/* --- reading ---------------------------------------------------------------------------------- */

bool pm_message_is(const struct pm_message *m)
{
	return m->magic == MAGIC && m->length <= PM_MESSAGE_MAX && m->sources <= PM_SOURCES;
}

struct input {
	const unsigned char *p;
	size_t n;
};

/* Take n bytes off; NULL where fewer are left. */
static const void *take_bytes(struct input *in, size_t n)
{
	const void *p = in->p;

	if (in->n < n)
		return NULL;
	in->p += n;
	in->n -= n;
	return p;
}

/* The sink's series of a metric and an object, or -1. */
static int find_series(const struct pm_sink *sink, size_t metric, const char *object)
{
	for (size_t i = 0; i < sink->count; i++) {
		const struct pm_series *s = &sink->series[i];

		if (!s->free && s->metric == metric && strcmp(s->object, object) == 0)
			return (int)i;
	}
	return -1;
}

/* The place in the sink for a series that is new in the reader, or -1 with e filled. */
static int place_series(struct pm_slot *slot, const struct entry *entry, const char *name,
			struct pm_err *e)
{
	char *object = strndup(name, entry->name);
	int at = -1;

	/* Series without an object are there from the start. */
	if (object && (!object[0] || slot->anew))
		at = find_series(&slot->sink, entry->metric, object);
	if (object && at < 0)
		at = pm_sink_series(&slot->sink, entry->metric, object);
	free(object);
	return at < 0 ? pm_err(e, "out of memory") : at;
}

/*
 * Put a value. Counters that the reader itself counts up begin at zero when the reader is
 * restarted. They go on from their last value, so that no counter falls; counts of the meantime may
 * be missing.
 */
static void put_value(struct pm_sink *sink, int at, int64_t value)
{
	struct pm_series *s = &sink->series[at];

	if (sink->source->metrics[s->metric].kind != PM_METRIC_COUNTER) {
		pm_sink_value(sink, at, value);
		return;
	}
	if (s->anew && value >= s->last)
		s->base = 0;
	else if (s->anew && __builtin_sub_overflow(s->last, value, &s->base))
		s->base = INT64_MAX;
	s->anew = false;
	if (__builtin_add_overflow(value, s->base, &s->last))
		pm_sink_unknown(sink, at, PM_REASON_parse);
	else
		pm_sink_value(sink, at, s->last);
}

static int take_series(struct pm_slot *slot, size_t number, struct input *in, struct pm_err *e)
{
	struct entry entry;
	const void *p = take_bytes(in, sizeof entry);
	const char *name;
	int at;

	if (!p)
		return pm_err(e, "cut");
	memcpy(&entry, p, sizeof entry);
	name = take_bytes(in, entry.name);
	if (!name || entry.metric >= slot->source->metrics_count ||
	    entry.reason >= PM_REASON_COUNT || (entry.name && !(entry.flags & NEW)) ||
	    memchr(name, '\0', entry.name))
		return pm_err(e, "malformed series message");
	if (entry.flags & FREE) {
		slot->place[number] = -1;
		return 0;
	}
	if (entry.flags & NEW)
		slot->place[number] = place_series(slot, &entry, name, e);
	at = slot->place[number];
	if (at < 0)
		return pm_err(e, "series without a name");
	if (entry.flags & KNOWN)
		put_value(&slot->sink, at, entry.value);
	else
		pm_sink_unknown(&slot->sink, at, (enum pm_reason)entry.reason);
	if (entry.flags & LEAVING) {
		pm_sink_forget(&slot->sink, at);
		slot->place[number] = -1;
	}
	return 0;
}

/* Make places for n series. Returns 0 or -1. */
static int make_places(struct pm_slot *slot, size_t n)
{
	int *more;

	if (n <= slot->places)
		return 0;
	more = realloc(slot->place, 2 * n * sizeof *more);
	if (!more)
		return -1;
	for (size_t i = slot->places; i < 2 * n; i++)
		more[i] = -1;
	slot->place = more;
	slot->places = 2 * n;
	return 0;
}

/* Give up the series of a former reader that the present one lacks. */
static void forget_others(struct pm_slot *slot)
{
	bool *there = calloc(slot->sink.count, sizeof *there);

	for (size_t i = 0; there && i < slot->places; i++)
		if (slot->place[i] >= 0)
			there[slot->place[i]] = true;
	for (size_t i = 0; there && i < slot->sink.count; i++)
		if (!there[i] && !slot->sink.series[i].free && slot->sink.series[i].object[0])
			pm_sink_forget(&slot->sink, (int)i);
	free(there);
}

static int take_block(struct input *in, const bool *member, struct pm_slot *slots, struct pm_err *e)
{
	struct pm_slot *slot;
	struct block block;
	const void *p = take_bytes(in, sizeof block);

	if (!p)
		return pm_err(e, "cut");
	memcpy(&block, p, sizeof block);
	p = take_bytes(in, block.text);
	if (!p || block.id >= PM_SOURCES || !member[block.id] || block.reason >= PM_REASON_COUNT)
		return pm_err(e, "malformed source message");
	slot = &slots[block.id];
	slot->heard = true;
	slot->available = block.available;
	slot->own->cost_ns = slot->past_cost_ns + block.cost_ns;
	if (!block.available) {
		slot->why.reason = (enum pm_reason)block.reason;
		pm_sink_clear(&slot->sink, slot->why.reason);
		return pm_err(&slot->why.err, "%.*s", (int)block.text, (const char *)p), 0;
	}
	if (block.series > in->n / sizeof(struct entry))
		return pm_err(e, "cut");
	if (make_places(slot, block.series) < 0)
		return pm_err(e, "out of memory");
	pm_sink_clear(&slot->sink, PM_REASON_absent);
	for (size_t i = 0; i < block.series; i++)
		if (take_series(slot, i, in, e) < 0)
			return -1;
	if (slot->anew)
		forget_others(slot);
	slot->anew = false;
	return 0;
}

int pm_message_take(const struct pm_message *m, const unsigned char *body, const bool *member,
		    struct pm_slot *slots, struct pm_err *e)
{
	struct input in = { body, m->length };

	for (uint32_t i = 0; i < m->sources; i++)
		if (take_block(&in, member, slots, e) < 0)
			return -1;
	return in.n ? pm_err(e, "message longer than announced") : 0;
}
