/* Reading events through PAPI. */
#include "config.h"

#include "libperfmon/papi.h"

#include "common/papi.h"
#include "common/uncounted.h"
#include "libperfmon/measure.h"
#include "libperfmon/memory.h"
#include "libperfmon/papi_descriptors.h"
#include "libperfmon/papi_guard.h"
#include "libperfmon/papi_library.h"
#include "libperfmon/real.h"
#include "libperfmon/slots.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

/* Places: the main thread, every slot, the image. */
#define IMAGE_PLACE (PM_SLOTS + 1)
#define PLACES      (PM_SLOTS + 2)

/*
 * What is known of components (PAPI 5.7 to 7.2): whether reading one is system calls alone, and for
 * how long it gives the values of its last reading or its start instead of reading.
 */
static const struct component {
	char name[20];
	bool plain;
	uint16_t kept_ms;
} components[] = {
	{ "perf_event", true, 0 },     { "perf_event_uncore", true, 0 },
	{ "rapl", true, 0 },           { "powercap", true, 0 },
	{ "net", false, 1000 },        { "lmsensors", false, 200 },
	{ "sensors_ppc", false, 100 }, { "micpower", false, 50 },
	{ "coretemp", false, 4 },
};

struct event {
	uint8_t scope; /* enum pm_event_scope */
	uint8_t type;  /* enum pm_papi_type */
	bool plain;    /* as its component */
	uint16_t kept_ms;
	uint32_t set; /* the first event of its component: their set */
	int code;
	const char *reason; /* why nobody can have it */
	char component[64];
	char name[PM_EVENT_PAPI_MAX + 1];
};

/* The events of one thread, or of the image. */
struct place {
	bool open;
	struct pm_papi_descriptors descriptors;
	struct {
		int set;         /* of the first event of a set: PAPI's number */
		int64_t read_ns; /* and when it was started or read last */
		int position;    /* in its set, -1: not in it */
		const char *reason;
		int64_t value;
	} event[PM_EVENTS_MAX];
};

struct papi {
	struct pm_papi_library call;
	uint32_t events;
	const char *reason; /* why PAPI cannot be used at all */
	bool forked;
	int orderly; /* the thread that is in no signal handler */
	int version;
	char path[1024];
	struct place *opening; /* of the call that is under way */
	struct pm_papi_filled filled;
	int lowest; /* of the descriptors that PAPI opened */
	struct event event[PM_EVENTS_MAX];
	struct place place[PLACES];
};

/* Life cycle: NULL where no event is PAPI's; mapped by the constructor. */
static struct papi *papi;

static struct place *place_of(uint32_t place)
{
	return &papi->place[place == PM_PAPI_SHARED ? IMAGE_PLACE : place];
}

static bool is_shared(const struct event *e)
{
	return e->scope == PM_EVENT_PROCESS || e->scope == PM_EVENT_NODE;
}

/* Whether an event belongs to a place. */
static bool belongs(const struct event *e, const struct place *p)
{
	return e->scope != PM_EVENT_PERF && is_shared(e) == (p == &papi->place[IMAGE_PLACE]);
}

static bool same(const char *a, const char *b)
{
	size_t n = strlen(a);

	return strlen(b) == n && memcmp(a, b, n) == 0;
}

/* Take COMPONENT:EVENT apart. Returns 0, or -1 where that is malformed. */
static int split(struct event *e, const struct pm_str *text)
{
	const char *colon = memchr(text->p, ':', text->n);
	size_t n = colon ? (size_t)(colon - text->p) : 0;

	if (n == 0 || n >= sizeof e->component || text->n - n - 1 >= sizeof e->name)
		return -1;
	memcpy(e->component, text->p, n);
	memcpy(e->name, colon + 1, text->n - n - 1);
	return 0;
}

static void take_event(uint32_t i, const struct pm_event *from)
{
	struct event *e = &papi->event[i];

	if (from->scope == PM_EVENT_PERF || from->reason.n)
		return;
	e->scope = from->scope;
	e->type = (uint8_t)from->type;
	if (split(e, &from->papi) < 0)
		e->reason = PM_UNCOUNTED_TEXT(EINVAL);
	for (size_t k = 0; k < sizeof components / sizeof components[0]; k++)
		if (same(components[k].name, e->component)) {
			e->plain = components[k].plain;
			e->kept_ms = components[k].kept_ms;
		}
	while (e->set < i && (papi->event[e->set].scope != e->scope ||
			      !same(papi->event[e->set].component, e->component)))
		e->set++;
}

static bool is_needed(const char *component)
{
	for (uint32_t i = 0; i < papi->events; i++)
		if (papi->event[i].scope != PM_EVENT_PERF &&
		    same(papi->event[i].component, component))
			return true;
	return false;
}

static void find_events(void)
{
	for (uint32_t i = 0; i < papi->events; i++) {
		struct event *e = &papi->event[i];
		int rc;

		if (e->scope == PM_EVENT_PERF || e->reason)
			continue;
		rc = papi->call.code_of(e->name, &e->code);
		if (rc != PM_PAPI_OK)
			e->reason = pm_papi_error(rc);
	}
}

/* Add the events of set `first`. Returns how many are in it. */
static int add_events(struct place *p, uint32_t first)
{
	int count = 0;

	for (uint32_t i = first; i < papi->events; i++) {
		const struct event *e = &papi->event[i];
		int rc;

		if (!belongs(e, p) || e->set != first || e->reason)
			continue;
		rc = papi->call.add(p->event[first].set, e->code);
		if (rc == PM_PAPI_OK)
			p->event[i].position = count++;
		else
			p->event[i].reason = pm_papi_error(rc);
	}
	return count;
}

/* Whether an event counts in set `first`. */
static bool is_in(const struct place *p, uint32_t i, uint32_t first)
{
	const struct event *e = &papi->event[i];

	return belongs(e, p) && e->set == first && p->event[i].position >= 0;
}

/* Say of the events of set `first` why they are not known. */
static void set_reason(struct place *p, uint32_t first, const char *reason)
{
	for (uint32_t i = first; i < papi->events; i++)
		if (is_in(p, i, first))
			p->event[i].reason = reason;
}

static void open_set(struct place *p, uint32_t first)
{
	int *set = &p->event[first].set;
	int rc = papi->call.create(set), count;

	if (rc != PM_PAPI_OK) {
		*set = PM_PAPI_NULL;
		for (uint32_t i = first; i < papi->events; i++)
			if (belongs(&papi->event[i], p) && papi->event[i].set == first)
				p->event[i].reason = pm_papi_error(rc);
		return;
	}
	count = add_events(p, first);
	rc = count > 0 ? papi->call.start(*set) : PM_PAPI_OK;
	p->event[first].read_ns = pm_clock_ns(CLOCK_MONOTONIC);
	if (rc == PM_PAPI_OK)
		return;
	set_reason(p, first, pm_papi_error(rc));
	for (uint32_t i = first; i < papi->events; i++)
		if (is_in(p, i, first))
			p->event[i].position = PM_PAPI_NULL;
}

static void note_lowest(const struct place *p)
{
	for (uint32_t i = 0; i < p->descriptors.count; i++)
		if (p->descriptors.one[i].fd < papi->lowest)
			__atomic_store_n(&papi->lowest, p->descriptors.one[i].fd, __ATOMIC_RELAXED);
}

static void open_place(void *place)
{
	struct place *p = place;

	papi->opening = p;
	for (uint32_t i = 0; i < papi->events; i++) {
		p->event[i].set = PM_PAPI_NULL;
		p->event[i].position = -1;
		p->event[i].reason = papi->event[i].reason;
	}
	for (uint32_t i = 0; i < papi->events; i++)
		if (belongs(&papi->event[i], p) && papi->event[i].set == i)
			open_set(p, i);
	papi->opening = NULL;
	pm_papi_descriptors_settle(&p->descriptors);
	note_lowest(p);
	p->open = true;
}

/* What the calling thread has read so far, beyond what the collector knows that it read itself. */
static void count_io(int64_t *rchar, int64_t *syscr)
{
	struct pm_own_io own = pm_self.own;
	struct pm_record r;
	struct pm_task task;

	pm_record_clear(&r);
	pm_measure_task(&task, (int)pm_sys0(SYS_gettid));
	pm_measure_io(&r, &task, NULL);
	*rchar = pm_record_get(&r, PM_COL_rchar, 0) - (int64_t)own.rchar;
	*syscr = pm_record_get(&r, PM_COL_syscr, 0) - (int64_t)own.syscr;
}

/* Charge the collector with what was read since. */
static void charge_io(int64_t rchar, int64_t syscr)
{
	int64_t bytes, calls;

	count_io(&bytes, &calls);
	pm_self.own.rchar += (uint64_t)(bytes - rchar);
	pm_self.own.syscr += (uint64_t)(calls - syscr);
	__atomic_add_fetch(&pm.own_all.rchar, (uint64_t)(bytes - rchar), __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_all.syscr, (uint64_t)(calls - syscr), __ATOMIC_RELAXED);
}

static void begin(void *unused)
{
	struct place *image = &papi->place[IMAGE_PLACE];
	int64_t rchar, syscr;
	bool shared = false;

	(void)unused;
	count_io(&rchar, &syscr);
	for (uint32_t i = 0; i < papi->events; i++)
		shared |= is_shared(&papi->event[i]);
	if (shared)
		pm_papi_descriptors_fill(&papi->filled);
	papi->reason = pm_papi_library_open(&papi->call, papi->path, papi->version, is_needed);
	if (!papi->reason) {
		find_events();
		if (shared)
			open_place(image);
	}
	if (shared)
		pm_papi_descriptors_unfill(&papi->filled, &image->descriptors);
	note_lowest(image);
	charge_io(rchar, syscr);
}

int pm_papi_begin(const struct pm_event *list, uint32_t count, const struct pm_event *library)
{
	struct pm_charge charge;

	papi = pm_memory_map(sizeof *papi);
	if (!papi)
		return -1;
	papi->events = count;
	papi->lowest = INT_MAX;
	papi->orderly = -1;
	for (uint32_t i = 0; i < count; i++)
		take_event(i, &list[i]);
	papi->version = (int)library->config;
	if (library->name.n == 0 || library->name.n >= sizeof papi->path)
		papi->reason = PM_UNCOUNTED_TEXT(wrapper);
	else if (pm_real_defined("PAPI_library_init"))
		papi->reason = PM_UNCOUNTED_TEXT(inuse);
	/* It would report races inside PAPI, for it knows nothing of our lock. */
	else if (pm_real_defined("__tsan_init"))
		papi->reason = PM_UNCOUNTED_TEXT(sanitizer);
	else if (!pm_enter())
		papi->reason = PM_UNCOUNTED_TEXT(busy);
	if (papi->reason)
		return 0;
	memcpy(papi->path, library->name.p, library->name.n);
	pm_charge_begin(&charge);
	papi->reason = pm_papi_guard(begin, NULL) ? papi->reason : PM_UNCOUNTED_TEXT(busy);
	pm_charge_end(&charge);
	pm_leave();
	return 0;
}

void pm_papi_open(uint32_t place)
{
	struct place *p = place_of(place);
	struct pm_charge charge;

	/* The slot may have been another thread's. */
	*p = (struct place){ 0 };
	if (papi->reason || papi->forked || !pm_enter())
		return;
	pm_charge_begin(&charge);
	pm_papi_guard(open_place, p);
	pm_charge_end(&charge);
	pm_leave();
}

/* What PAPI's 64 bits are as a whole number. Returns a reason or NULL. */
static const char *convert(const struct event *e, long long from, int64_t *to)
{
	double real;

	*to = from;
	if (e->type == PM_PAPI_FP64) {
		memcpy(&real, &from, sizeof real);
		if (!(real > -0x1p63 && real < 0x1p63))
			return PM_UNCOUNTED_TEXT(range);
		*to = (int64_t)(real < 0 ? real - 0.5 : real + 0.5);
	} else if (e->type != PM_PAPI_INT64 && from < 0) {
		return PM_UNCOUNTED_TEXT(range);
	}
	return NULL;
}

static void read_set(struct place *p, uint32_t first)
{
	long long value[PM_EVENTS_MAX];
	int rc;

	rc = papi->call.read(p->event[first].set, value);
	p->event[first].read_ns = pm_clock_ns(CLOCK_MONOTONIC);
	for (uint32_t i = first; i < papi->events; i++)
		if (is_in(p, i, first))
			p->event[i].reason = rc != PM_PAPI_OK ? pm_papi_error(rc)
							      : convert(&papi->event[i],
									value[p->event[i].position],
									&p->event[i].value);
}

/* Whether a place is that of the calling thread, or of all. */
static bool is_callers(const struct place *p)
{
	int tid = (int)pm_sys0(SYS_gettid);

	if (p == &papi->place[IMAGE_PLACE])
		return true;
	return p == &papi->place[0] ? tid == pm.pid : p == &papi->place[pm_self.slot];
}

/* Why set `first` cannot be read now; NULL where it can. */
static const char *obstacle(const struct place *p, uint32_t first)
{
	int64_t kept_ns = (int64_t)papi->event[first].kept_ms * 1000000;

	if (!pm_papi_descriptors_ours(&p->descriptors))
		return PM_UNCOUNTED_TEXT(closed);
	/* PAPI reads the processor's counters by an instruction, which reads those of its caller.
	 */
	if (p->descriptors.hardware && !is_callers(p))
		return PM_UNCOUNTED_TEXT(alive);
	if (!papi->event[first].plain && papi->orderly != (int)pm_sys0(SYS_gettid) &&
	    pm_papi_guard_in_handler())
		return PM_UNCOUNTED_TEXT(handler);
	if (kept_ns && pm_clock_ns(CLOCK_MONOTONIC) - p->event[first].read_ns <= kept_ns)
		return PM_UNCOUNTED_TEXT(early);
	return NULL;
}

/* Whether event i is the first of a set that counts something. */
static bool is_counting(const struct place *p, uint32_t i)
{
	if (papi->event[i].set != i || p->event[i].set == PM_PAPI_NULL)
		return false;
	for (uint32_t k = i; k < papi->events; k++)
		if (is_in(p, k, i))
			return true;
	return false;
}

static void read_place(void *place)
{
	struct place *p = place;

	for (uint32_t i = 0; p->open && i < papi->events; i++) {
		const char *reason;

		if (!is_counting(p, i))
			continue;
		reason = obstacle(p, i);
		if (reason)
			set_reason(p, i, reason);
		else
			read_set(p, i);
	}
}

void pm_papi_read(uint32_t place)
{
	struct place *p = place_of(place);

	if (papi->reason || papi->forked || !p->open || pm_papi_guard(read_place, p))
		return;
	for (uint32_t i = 0; i < papi->events; i++)
		if (p->event[i].position >= 0)
			p->event[i].reason = PM_UNCOUNTED_TEXT(busy);
}

const char *pm_papi_value(uint32_t place, uint32_t i, int64_t *value)
{
	const struct place *p = place_of(place);

	if (papi->forked)
		return PM_UNCOUNTED_TEXT(fork);
	if (papi->reason)
		return papi->reason;
	if (!p->open)
		return PM_UNCOUNTED_TEXT(busy);
	*value = p->event[i].value;
	return p->event[i].reason;
}

/* Leave alone what the program may have closed: PAPI would close the numbers, and what they are
 * now. */
static void close_place(void *place)
{
	struct place *p = place;
	bool ours = pm_papi_descriptors_ours(&p->descriptors);

	for (uint32_t i = 0; ours && i < papi->events; i++) {
		long long value[PM_EVENTS_MAX];

		if (papi->event[i].set != i || p->event[i].set == PM_PAPI_NULL)
			continue;
		if (is_counting(p, i))
			papi->call.stop(p->event[i].set, value);
		papi->call.cleanup(p->event[i].set);
		papi->call.destroy(&p->event[i].set);
	}
	p->open = false;
	if (ours)
		papi->call.unregister();
}

void pm_papi_close(uint32_t place)
{
	struct place *p = place_of(place);

	if (p->open && !papi->forked)
		pm_papi_guard(close_place, p);
}

void pm_papi_orderly(void)
{
	if (papi)
		papi->orderly = (int)pm_sys0(SYS_gettid);
}

void pm_papi_fork_child(void)
{
	papi->forked = true;
	for (uint32_t i = 0; i <= pm_slots_used(); i++)
		pm_papi_descriptors_close(&papi->place[i].descriptors);
	pm_papi_descriptors_close(&papi->place[IMAGE_PLACE].descriptors);
}

int pm_papi_lowest(void)
{
	return __atomic_load_n(&papi->lowest, __ATOMIC_RELAXED);
}

bool pm_papi_hold(int fd)
{
	for (uint32_t i = 0; i <= pm_slots_used(); i++)
		if (pm_papi_descriptors_hold(&papi->place[i].descriptors, fd))
			return true;
	return pm_papi_descriptors_hold(&papi->place[IMAGE_PLACE].descriptors, fd);
}

long pm_papi_opened(long fd, const void *attr)
{
	const struct perf_event_attr *a = attr;
	bool hardware = a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT &&
			a->type != PERF_TYPE_BREAKPOINT;
	int *(*location)(void) = PM_REAL(__errno_location);
	int taken;

	/* Those that PAPI tries as it begins it closes at once. */
	if (fd < 0 || !papi || !papi->opening || !location)
		return fd;
	taken = pm_papi_descriptors_take(&papi->opening->descriptors, &papi->filled, (int)fd,
					 hardware);
	if (taken >= 0)
		return taken;
	*location() = -taken;
	return -1;
}
