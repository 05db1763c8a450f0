/* Opening, reading and summing the counters of threads. */
#include "config.h"

#include "libperfmon/counters.h"

#include "common/uncounted.h"
#include "libperfmon/counteritem.h"
#include "libperfmon/descriptors.h"
#include "libperfmon/eventlist.h"
#include "libperfmon/memory.h"
#include "libperfmon/papi.h"
#include "libperfmon/perfevent.h"
#include "libperfmon/slots.h"
#include "libperfmon/state.h"
#include "libperfmon/usage.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

/* Places: the main thread, every slot, and the image for its text. */
#define IMAGE_PLACE (PM_SLOTS + 1)
#define PLACES      (PM_SLOTS + 2)

struct event {
	struct pm_event what;
	struct pm_sum ended;  /* of threads that told of themselves */
	struct pm_sum living; /* of those that the image told of as it ended */
};

/*
 * Life cycle: all NULL where nothing is counted; one mapping of events, their names and a row for
 * every place, made by the constructor. The rows that every process needs come first.
 */
PM_NEAR static struct {
	struct event *event;
	uint32_t events;
	bool papi;            /* it reads some of them */
	uint32_t direct;      /* a bit for each that perf_event_open counts */
	uint32_t descriptors; /* which are so many in each thread */
	uint32_t stride;      /* bytes of a row: a counter for each event, and text behind them */
	char *row;
} table = { 0 };

PM_NEAR int pm_counters_lowest = INT_MAX;

/* Whether perf_event_open counts it. */
static bool is_direct(uint32_t i)
{
	return table.direct >> i & 1;
}

static struct pm_counter *row(uint32_t place)
{
	size_t at = place == 0 ? 0 : place == IMAGE_PLACE ? 1 : place + 1;

	return (struct pm_counter *)(void *)(table.row + at * table.stride);
}

/* Names lie in the environment, which the program may overwrite: keep them, escaped. */
static void keep_text(struct pm_buf *b, struct pm_str *text, bool escaped)
{
	const char *p = b->p + b->len;

	if (escaped || text->n == 0)
		pm_buf_mem(b, text->p, text->n);
	else
		pm_tsv_escape_item(b, text->p, text->n, 1);
	*text = (struct pm_str){ p, (size_t)(b->p + b->len - p) };
}

/* Make room for `count` events and a row for every place. Returns 0 or -1. */
static int make_table(const struct pm_event *list, uint32_t count, bool escaped)
{
	size_t text = 0, rows;
	struct pm_buf b;
	char *memory;

	for (uint32_t i = 0; i < count; i++)
		text += pm_counteritem_room(&list[i]);
	text = (text + 7) & ~(size_t)7;
	table.stride = (uint32_t)(count * sizeof(struct pm_counter) + text);
	rows = count * sizeof(struct event) + text;
	memory = pm_memory_map(rows + (size_t)PLACES * table.stride);
	if (!memory)
		return -1;
	table.event = (struct event *)(void *)memory;
	table.row = memory + rows;
	pm_buf_init(&b, memory + count * sizeof(struct event), text);
	for (uint32_t i = 0; i < count; i++) {
		table.event[i].what = list[i];
		keep_text(&b, &table.event[i].what.name, escaped);
		keep_text(&b, &table.event[i].what.reason, escaped);
		table.papi |= list[i].scope != PM_EVENT_PERF;
		if (list[i].reason.n == 0 && pm_event_how(&list[i]) == PM_HOW_DIRECT) {
			table.direct |= (uint32_t)1 << i;
			table.descriptors++;
		}
	}
	table.events = count;
	return 0;
}

void pm_counters_begin(const struct pm_settings *s)
{
	const size_t size = PM_EVENTS_MAX * sizeof(struct pm_event);
	struct pm_event *list, library;
	uint32_t count;
	bool escaped;

	/* Arguments may have left next to nothing of the stack: the list is not put there. */
	if (!pm_eventlist_is_any(s) || (list = pm_memory_map(size)) == NULL)
		return;
	count = pm_eventlist_read(s, list, &library, &escaped);
	if (count > 0 && make_table(list, count, escaped) == 0) {
		/* What it costs is not to be counted. */
		if (table.papi && pm_papi_begin(list, count, &library) < 0)
			table.events = 0;
		pm_counters_open(0);
	}
	pm_sys2(SYS_munmap, list, size);
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
			leader = pm_perfevent_open(c, i, leader, &table.event[i].what, &room);
	}
	pm_descriptors_end(&room);
	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

void pm_counters_open(uint32_t place)
{
	struct pm_counter *c = row(place);

	if (table.events == 0)
		return;
	if (table.papi) {
		pm_papi_open(place);
		set_lowest(pm_papi_lowest());
	}
	if (table.direct)
		open_direct(c);
	/* Behind that, whose time is not the program's. */
	for (uint32_t i = 0; i < table.events; i++) {
		const struct pm_event *e = &table.event[i].what;

		if (!is_direct(i) && e->reason.n == 0 && e->scope == PM_EVENT_PERF)
			c[i].from = pm_usage_now(pm_event_how(e), 0, false);
	}
}

static void read_usage(struct pm_counter *c, const struct pm_event *e, int tid, bool files)
{
	int64_t now = c->from < 0 ? -1 : pm_usage_now(pm_event_how(e), tid, files);

	c->sum.reason = now < c->from || now < 0 ? PM_UNCOUNTED_TEXT(thread) : NULL;
	if (!c->sum.reason)
		c->sum.value = (uint64_t)(now - c->from);
}

/* Whether PAPI counts an event for the image as a whole. */
static bool is_shared(const struct event *e)
{
	return e->what.scope == PM_EVENT_PROCESS || e->what.scope == PM_EVENT_NODE;
}

/* What PAPI read of an event. */
static struct pm_sum papi_sum(uint32_t place, uint32_t i)
{
	struct pm_sum s = { 0 };
	int64_t value = 0;

	s.reason = pm_papi_value(place, i, &value);
	s.value = (uint64_t)value;
	return s;
}

/* Read all events of a place, which are those of the thread `tid`; those of the image are in none.
 */
static void read_place(uint32_t place, int tid, bool files)
{
	struct pm_counter *c = row(place);

	/* The clocks first: what it takes to read the others is not the program's. */
	for (uint32_t i = 0; i < table.events; i++) {
		if (table.event[i].what.reason.n)
			c[i].sum.reason = table.event[i].what.reason.p;
		else if (table.event[i].what.scope != PM_EVENT_PERF)
			c[i].sum = (struct pm_sum){ 0 };
		else if (!is_direct(i))
			read_usage(&c[i], &table.event[i].what, tid, files);
	}
	for (uint32_t i = 0; i < table.events; i++)
		if (is_direct(i))
			pm_perfevent_read(c, i, table.events, table.direct);
	/* Last, so that no other event counts what this costs. */
	if (table.papi)
		pm_papi_read(place);
	for (uint32_t i = 0; table.papi && i < table.events; i++)
		if (table.event[i].what.scope == PM_EVENT_THREAD)
			c[i].sum = papi_sum(place, i);
}

static void set_column(struct pm_record *r, uint32_t place)
{
	const struct pm_counter *c = row(place);
	struct pm_buf b;

	pm_buf_init(&b, (char *)(row(place) + table.events),
		    table.stride - table.events * sizeof *c);
	for (uint32_t i = 0; i < table.events; i++)
		if (place == IMAGE_PLACE || !is_shared(&table.event[i]))
			pm_counteritem_put(&b, &table.event[i].what, &c[i].sum);
	if (!b.truncated && b.len)
		pm_record_text(r, PM_COL_counters, b.p, b.len);
}

static void add(struct pm_sum *to, const struct pm_sum *s)
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
	const struct pm_counter *c = row(place);

	for (uint32_t i = 0; i < table.events; i++)
		add(living ? &table.event[i].living : &table.event[i].ended, &c[i].sum);
}

void pm_counters_miss(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		add(&table.event[i].ended, &(struct pm_sum){ .reason = PM_UNCOUNTED_TEXT(thread) });
}

void pm_counters_total_begin(void)
{
	struct pm_counter *total = row(IMAGE_PLACE);

	for (uint32_t i = 0; i < table.events; i++) {
		total[i].sum = table.event[i].ended;
		add(&total[i].sum, &table.event[i].living);
	}
}

void pm_counters_total_add(uint32_t place, int tid)
{
	struct pm_counter *total = row(IMAGE_PLACE);
	const struct pm_counter *c = row(place);

	if (table.events)
		read_place(place, tid, true);
	for (uint32_t i = 0; i < table.events; i++)
		add(&total[i].sum, &c[i].sum);
}

void pm_counters_total_set(struct pm_record *r)
{
	struct pm_counter *total = row(IMAGE_PLACE);

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
	struct pm_counter *c = row(place);

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
		const struct pm_counter *c = row(place);

		for (uint32_t i = 0; i < table.events; i++)
			if (is_direct(i) && pm_perfevent_number(&c[i]) == fd)
				return pm_perfevent_is_open(&c[i]);
	}
	return false;
}

void pm_counters_take_back(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		table.event[i].living = (struct pm_sum){ 0 };
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
		table.event[i].ended = table.event[i].living = (struct pm_sum){ 0 };
	pm_counters_open(0);
}
