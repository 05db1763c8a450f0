/* Reading events through PAPI. */
#include "config.h"

#include "libperfmon/count/papi.h"

#include "common/safe/uncounted.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/slots.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/papi_descriptors.h"
#include "libperfmon/count/papi_guard.h"
#include "libperfmon/count/papi_library.h"
#include "libperfmon/record/measure.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>

/* Places: the main thread, every slot, the image. */
#define IMAGE_PLACE (PM_SLOTS + 1)
#define PLACES      (PM_SLOTS + 2)

struct papi {
	struct pm_papi_library call;
	struct pm_papi_events events;
	const char *reason; /* why PAPI cannot be used at all */
	bool forked;
	int orderly; /* id of the last thread that called pm_papi_orderly(), -1 none */
	int version;
	char path[1024];
	struct pm_papi_sets *opening; /* sets that a call is opening now */
	struct pm_papi_filled filled;
	int lowest; /* of the descriptors that PAPI opened */
	struct pm_papi_sets place[PLACES];
};

/* Life cycle: NULL where no event is PAPI's; mapped by the constructor. */
static struct papi *papi;

static struct pm_papi_sets *sets_of(uint32_t place)
{
	return &papi->place[place == PM_PAPI_SHARED ? IMAGE_PLACE : place];
}

static bool is_needed(const char *component)
{
	return pm_papi_events_need(&papi->events, component);
}

static void note_lowest(const struct pm_papi_sets *p)
{
	for (uint32_t i = 0; i < p->descriptors.count; i++)
		if (p->descriptors.one[i].fd < papi->lowest)
			__atomic_store_n(&papi->lowest, p->descriptors.one[i].fd, __ATOMIC_RELAXED);
}

static void open_sets(void *sets)
{
	struct pm_papi_sets *p = sets;

	papi->opening = p;
	pm_papi_sets_open(p, &papi->events, &papi->call);
	papi->opening = NULL;
	note_lowest(p);
}

/* Bytes and calls that the calling thread has read so far, less the collector's known reads. */
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

/* Charge the collector with the reads since count_io. */
static void charge_io(int64_t rchar, int64_t syscr)
{
	int64_t bytes, calls;

	count_io(&bytes, &calls);
	pm_self.own.rchar += (uint64_t)(bytes - rchar);
	pm_self.own.syscr += (uint64_t)(calls - syscr);
	__atomic_add_fetch(&pm.own_all.rchar, (uint64_t)(bytes - rchar), __ATOMIC_RELAXED);
	__atomic_add_fetch(&pm.own_all.syscr, (uint64_t)(calls - syscr), __ATOMIC_RELAXED);
}

static void begin_guarded(void *unused)
{
	struct pm_papi_sets *image = sets_of(PM_PAPI_SHARED);
	int64_t rchar, syscr;
	bool shared = false;

	(void)unused;
	count_io(&rchar, &syscr);
	for (uint32_t i = 0; i < papi->events.count; i++)
		shared |= pm_papi_events_is_shared(&papi->events.one[i]);
	if (shared)
		pm_papi_descriptors_fill(&papi->filled);
	papi->reason = pm_papi_library_open(&papi->call, papi->path, papi->version, is_needed);
	if (!papi->reason) {
		pm_papi_events_find(&papi->events, &papi->call);
		if (shared)
			open_sets(image);
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
	papi->place[IMAGE_PLACE].place = PM_PAPI_SHARED;
	papi->lowest = INT_MAX;
	papi->orderly = -1;
	pm_papi_events_take(&papi->events, list, count);
	papi->version = (int)library->config;
	if (library->name.n == 0 || library->name.n >= sizeof papi->path)
		papi->reason = PM_UNCOUNTED_TEXT(wrapper);
	else if (pm_nextsymbol_defined("PAPI_library_init"))
		papi->reason = PM_UNCOUNTED_TEXT(inuse);
	/* ThreadSanitizer would report races inside PAPI, as it does not know our lock. */
	else if (pm_nextsymbol_defined("__tsan_init"))
		papi->reason = PM_UNCOUNTED_TEXT(sanitizer);
	else if (!pm_enter())
		papi->reason = PM_UNCOUNTED_TEXT(busy);
	if (papi->reason)
		return 0;
	memcpy(papi->path, library->name.p, library->name.n);
	pm_charge_begin(&charge);
	papi->reason = pm_papi_guard(begin_guarded, NULL) ? papi->reason : PM_UNCOUNTED_TEXT(busy);
	pm_charge_end(&charge);
	pm_leave();
	return 0;
}

void pm_papi_open(uint32_t place)
{
	struct pm_papi_sets *p = sets_of(place);
	struct pm_charge charge;

	/* The slot may have been another thread's. Some compilers would put an initializer on the
	 * stack. */
	memset(p, 0, sizeof *p);
	p->place = place;
	if (papi->reason || papi->forked || !pm_enter())
		return;
	pm_charge_begin(&charge);
	pm_papi_guard(open_sets, p);
	pm_charge_end(&charge);
	pm_leave();
}

static void read_sets(void *sets)
{
	pm_papi_sets_read(sets, &papi->events, &papi->call, papi->orderly);
}

void pm_papi_read(uint32_t place)
{
	struct pm_papi_sets *p = sets_of(place);

	if (papi->reason || papi->forked || !p->open || pm_papi_guard(read_sets, p))
		return;
	for (uint32_t i = 0; i < papi->events.count; i++)
		if (p->event[i].position >= 0)
			p->event[i].reason = PM_UNCOUNTED_TEXT(busy);
}

const char *pm_papi_value(uint32_t place, uint32_t i, int64_t *value)
{
	const struct pm_papi_sets *p = sets_of(place);

	if (papi->forked)
		return PM_UNCOUNTED_TEXT(fork);
	if (papi->reason)
		return papi->reason;
	if (!p->open)
		return PM_UNCOUNTED_TEXT(busy);
	*value = p->event[i].value;
	return p->event[i].reason;
}

static void close_sets(void *sets)
{
	pm_papi_sets_close(sets, &papi->events, &papi->call);
}

void pm_papi_close(uint32_t place)
{
	struct pm_papi_sets *p = sets_of(place);

	if (p->open && !papi->forked)
		pm_papi_guard(close_sets, p);
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

	/* PAPI itself closes the events that it tries at initialisation. */
	if (fd < 0 || !papi || !papi->opening || !location)
		return fd;
	taken = pm_papi_descriptors_take(&papi->opening->descriptors, &papi->filled, (int)fd,
					 hardware);
	if (taken >= 0)
		return taken;
	*location() = -taken;
	return -1;
}
