/* Open, read and sum up the counters of threads. */
#include "config.h"

#include "libperfmon/count/counters.h"

#include "common/safe/uncounted.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/slots.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counteritem.h"
#include "libperfmon/count/eventlist.h"
#include "libperfmon/count/papi.h"
#include "libperfmon/count/perfevent.h"
#include "libperfmon/record/usage.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

/* Places: the main thread, every slot, and the image for its text. */
#define IMAGE_PLACE (PM_SLOTS + 1)

/* Sums of an event over threads. */
struct total {
	struct pm_sum ended;  /* threads that wrote their own records */
	struct pm_sum living; /* threads whose records the image wrote as it ended */
};

/*
 * Life cycle: all NULL where nothing is counted. The constructor makes one mapping of what every
 * process needs, a page or two; the rows of threads, some megabytes that most processes never
 * touch, are mapped with the first thread.
 */
PM_NEAR static struct {
	struct pm_event *event;
	struct total *total;
	uint32_t events;
	bool papi;            /* PAPI reads some of the events */
	uint32_t direct;      /* a bit for each event that perf_event_open counts */
	uint32_t descriptors; /* number of these events: descriptors per thread */
	uint32_t stride;      /* bytes of a row: a counter for each event, then text */
	char *row;            /* the main thread's row, then the image's */
	char *threads;        /* the rows of the slots */
} table = { 0 };

PM_NEAR int pm_counters_lowest = INT_MAX;

/* Whether perf_event_open counts event i. */
static bool is_direct(uint32_t i)
{
	return table.direct >> i & 1;
}

static struct pm_counter *row_at(uint32_t place)
{
	char *p = table.row;

	if (place == IMAGE_PLACE)
		p += table.stride;
	else if (place > 0)
		p = table.threads + (size_t)(place - 1) * table.stride;
	return (struct pm_counter *)(void *)p;
}

/* Keep an escaped copy of a text, which lies in the environment, where the program may overwrite
 * it. */
static void keep_text(struct pm_buf *b, struct pm_str *text, bool escaped)
{
	const char *p = b->p + b->len;

	if (escaped || text->n == 0)
		pm_buf_mem(b, text->p, text->n);
	else
		pm_tsv_escape_item(b, text->p, text->n, 1);
	*text = (struct pm_str){ p, (size_t)(b->p + b->len - p) };
}

/* Bytes of the text, rounded up for the alignment of what follows. */
static size_t text_room(uint32_t items, size_t bytes)
{
	return (pm_counteritem_room(items, bytes) + 7) & ~(size_t)7;
}

static size_t row_size(uint32_t items, size_t text)
{
	return items * sizeof(struct pm_counter) + text;
}

/* Bytes of the table before the rows. */
static size_t head_size(uint32_t items, size_t text)
{
	return items * (sizeof *table.event + sizeof *table.total) + text;
}

/*
 * Lay the table out after the `count` events that it begins with, without gaps, so that a process
 * touches fewer pages.
 */
static void lay_out(uint32_t count, bool escaped)
{
	size_t text, bytes = 0;
	struct pm_buf b;

	/* The entry after the last event may hold remains of an item that is no event. */
	memset(&table.event[count], 0, sizeof *table.event);
	for (uint32_t i = 0; i < count; i++)
		bytes += table.event[i].name.n + table.event[i].reason.n;
	text = text_room(count, bytes);
	table.total = (struct total *)(void *)(table.event + count);
	pm_buf_init(&b, (char *)(table.total + count), text);
	table.row = (char *)table.event + head_size(count, text);
	table.stride = (uint32_t)row_size(count, text);
	for (uint32_t i = 0; i < count; i++) {
		struct pm_event *e = &table.event[i];

		keep_text(&b, &e->name, escaped);
		keep_text(&b, &e->reason, escaped);
		table.papi |= e->scope != PM_EVENT_PERF;
		if (e->reason.n == 0 && pm_event_how(e) == PM_HOW_DIRECT) {
			table.direct |= (uint32_t)1 << i;
			table.descriptors++;
		}
	}
	table.events = count;
}

void pm_counters_begin(const struct pm_settings *s)
{
	struct pm_event library;
	size_t size, text;
	uint32_t count;
	bool escaped;

	if (!pm_eventlist_is_any(s))
		return;
	/* List the events in the table, as arguments may have left next to nothing of the stack. */
	text = text_room(PM_EVENTS_MAX, pm_eventlist_bytes(s));
	size = head_size(PM_EVENTS_MAX, text) + 2 * row_size(PM_EVENTS_MAX, text);
	table.event = pm_memory_map(size);
	if (!table.event)
		return;
	count = pm_eventlist_read(s, table.event, &library, &escaped);
	if (count == 0) {
		pm_sys2(SYS_munmap, table.event, size);
		table.event = NULL;
		return;
	}
	lay_out(count, escaped);
	/* Start PAPI before the counters are open, so that they do not count the cost of that. */
	if (table.papi && pm_papi_begin(table.event, count, &library) < 0)
		table.events = 0;
	pm_counters_open(0);
}

int pm_counters_map(void)
{
	if (table.events && !table.threads)
		table.threads = pm_memory_map((size_t)PM_SLOTS * table.stride);
	return table.events && !table.threads ? -1 : 0;
}

/* Descriptors from `lowest` on may be ours. */
static void set_lowest(int lowest)
{
	int before = __atomic_load_n(&pm_counters_lowest, __ATOMIC_RELAXED);

	while (lowest < before &&
	       !__atomic_compare_exchange_n(&pm_counters_lowest, &before, lowest, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void open_direct(struct pm_counter *c)
{
	uint64_t all = ~(uint64_t)0, mask = 0;
	uint32_t leader = PM_PERFEVENT_ALONE;
	struct pm_descriptors room;

	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
	pm_descriptors_begin(&room, table.descriptors);
	if (!room.refused)
		set_lowest(room.base);
	for (uint32_t i = 0; i < table.events; i++) {
		if (!is_direct(i))
			continue;
		if (room.refused)
			pm_perfevent_refuse(&c[i], EMFILE);
		else
			leader = pm_perfevent_open(c, i, leader, &table.event[i], &room);
	}
	pm_descriptors_end(&room);
	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* Counts that the kernel keeps of a thread anyway, each read once for all events that use it. */
struct usage {
	int tid;
	bool files;
	bool asked[PM_HOWS];
	int64_t now[PM_HOWS];
};

static int64_t usage_now(struct usage *u, enum pm_event_how how)
{
	if (!u->asked[how])
		u->now[how] = pm_usage_now(how, u->tid, u->files);
	u->asked[how] = true;
	return u->now[how];
}

void pm_counters_open(uint32_t place)
{
	struct usage u = { 0 };
	struct pm_charge charge;
	struct pm_counter *c;

	if (table.events == 0)
		return;
	c = row_at(place);
	if (table.papi) {
		pm_papi_open(place);
		set_lowest(pm_papi_lowest());
	}
	if (table.direct) {
		/* The first event of a class may take a tenth of a millisecond, the first of all
		 * ten. */
		pm_charge_begin(&charge);
		open_direct(c);
		pm_charge_end(&charge);
	}
	/* Read these counts now: the time to open the counters is not the program's. */
	for (uint32_t i = 0; i < table.events; i++) {
		const struct pm_event *e = &table.event[i];

		if (!is_direct(i) && e->reason.n == 0 && e->scope == PM_EVENT_PERF)
			c[i].from = usage_now(&u, pm_event_how(e));
	}
}

static void read_usage(struct pm_counter *c, const struct pm_event *e, struct usage *u)
{
	int64_t now = c->from < 0 ? -1 : usage_now(u, pm_event_how(e));

	c->sum.reason = now < c->from || now < 0 ? PM_UNCOUNTED_TEXT(thread) : NULL;
	if (!c->sum.reason)
		c->sum.value = (uint64_t)(now - c->from);
}

/* Whether PAPI counts an event for the image as a whole. */
static bool is_shared(const struct pm_event *e)
{
	return e->scope == PM_EVENT_PROCESS || e->scope == PM_EVENT_NODE;
}

/* PAPI's reading of event i. */
static struct pm_sum papi_sum(uint32_t place, uint32_t i)
{
	struct pm_sum s = { 0 };
	int64_t value = 0;

	s.reason = pm_papi_value(place, i, &value);
	s.value = (uint64_t)value;
	return s;
}

/* Read all events of a place, which belongs to the thread `tid`. Events that count for the image
 * are not at a thread's place. */
static void read_place(uint32_t place, int tid, bool files)
{
	struct usage u = { .tid = tid, .files = files };
	struct pm_counter *c = row_at(place);

	/* Read the clocks first: the time to read the other events is not the program's. */
	for (uint32_t i = 0; i < table.events; i++) {
		if (table.event[i].reason.n)
			c[i].sum.reason = table.event[i].reason.p;
		else if (table.event[i].scope != PM_EVENT_PERF)
			c[i].sum = (struct pm_sum){ 0 };
		else if (!is_direct(i))
			read_usage(&c[i], &table.event[i], &u);
	}
	for (uint32_t i = 0; i < table.events; i++)
		if (is_direct(i))
			pm_perfevent_read(c, i, table.events, table.direct);
	/* Read PAPI's events last, so that no other event counts the cost of PAPI. */
	if (table.papi)
		pm_papi_read(place);
	for (uint32_t i = 0; table.papi && i < table.events; i++)
		if (table.event[i].scope == PM_EVENT_THREAD)
			c[i].sum = papi_sum(place, i);
}

static void set_column(struct pm_record *r, uint32_t place)
{
	const struct pm_counter *c = row_at(place);
	struct pm_buf b;

	pm_buf_init(&b, (char *)(row_at(place) + table.events),
		    table.stride - table.events * sizeof *c);
	for (uint32_t i = 0; i < table.events; i++)
		if (place == IMAGE_PLACE || !is_shared(&table.event[i]))
			pm_counteritem_put(&b, &table.event[i], &c[i].sum);
	if (!b.truncated && b.len)
		pm_record_text(r, PM_COL_counters, b.p, b.len);
}

static void add_sum(struct pm_sum *to, const struct pm_sum *s)
{
	if (s->reason) {
		__atomic_store_n(&to->reason, s->reason, __ATOMIC_RELAXED);
		return;
	}
	__atomic_add_fetch(&to->value, s->value, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->enabled, s->enabled, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->running, s->running, __ATOMIC_RELAXED);
}

void pm_counters_read(struct pm_record *r, uint32_t place, int tid, bool files)
{
	if (table.events == 0)
		return;
	read_place(place, tid, files);
	set_column(r, place);
}

void pm_counters_add(uint32_t place, bool living)
{
	const struct pm_counter *c = row_at(place);

	for (uint32_t i = 0; i < table.events; i++)
		add_sum(living ? &table.total[i].living : &table.total[i].ended, &c[i].sum);
}

void pm_counters_miss(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		add_sum(&table.total[i].ended,
			&(struct pm_sum){ .reason = PM_UNCOUNTED_TEXT(thread) });
}

void pm_counters_total_begin(void)
{
	struct pm_counter *total = row_at(IMAGE_PLACE);

	for (uint32_t i = 0; i < table.events; i++) {
		total[i].sum = table.total[i].ended;
		add_sum(&total[i].sum, &table.total[i].living);
	}
}

void pm_counters_total_add(uint32_t place, int tid)
{
	struct pm_counter *total = row_at(IMAGE_PLACE);
	const struct pm_counter *c = row_at(place);

	if (table.events)
		read_place(place, tid, true);
	for (uint32_t i = 0; i < table.events; i++)
		add_sum(&total[i].sum, &c[i].sum);
}

void pm_counters_total_set(struct pm_record *r)
{
	struct pm_counter *total = row_at(IMAGE_PLACE);

	if (table.events == 0)
		return;
	if (table.papi)
		pm_papi_read(PM_PAPI_SHARED);
	for (uint32_t i = 0; i < table.events; i++)
		if (is_shared(&table.event[i]))
			total[i].sum = papi_sum(PM_PAPI_SHARED, i);
	set_column(r, IMAGE_PLACE);
}

static void close_place(uint32_t place, bool read)
{
	struct pm_counter *c = row_at(place);

	for (uint32_t i = 0; i < table.events; i++)
		if (is_direct(i))
			pm_perfevent_close(&c[i], read);
}

void pm_counters_close(uint32_t place)
{
	close_place(place, true);
	if (table.papi)
		pm_papi_close(place);
}

bool pm_counters_hold(int fd)
{
	if ((table.direct == 0 && !table.papi) ||
	    fd < __atomic_load_n(&pm_counters_lowest, __ATOMIC_RELAXED))
		return false;
	if (table.papi && pm_papi_hold(fd))
		return true;
	for (uint32_t place = 0; place <= pm_slots_used(); place++) {
		const struct pm_counter *c = row_at(place);

		for (uint32_t i = 0; i < table.events; i++)
			if (is_direct(i) && pm_perfevent_number(&c[i]) == fd)
				return pm_perfevent_is_open(&c[i]);
	}
	return false;
}

void pm_counters_take_back(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		table.total[i].living = (struct pm_sum){ 0 };
}

void pm_counters_fork_child(void)
{
	if (table.events == 0)
		return;
	if (table.papi)
		pm_papi_fork_child();
	for (uint32_t place = 0; place <= pm_slots_used(); place++)
		close_place(place, false);
	for (uint32_t i = 0; i < table.events; i++)
		table.total[i].ended = table.total[i].living = (struct pm_sum){ 0 };
	pm_counters_open(0);
}
