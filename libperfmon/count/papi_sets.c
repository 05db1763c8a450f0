/* Sets of events of a thread, or of the image. */
#include "config.h"

#include "libperfmon/count/papi_sets.h"

#include "common/safe/papi.h"
#include "common/safe/uncounted.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/papi_guard.h"

#include <time.h>

/* Whether an event belongs to a place. */
static bool belongs_to(const struct pm_papi_event *e, const struct pm_papi_sets *p)
{
	return e->scope != PM_EVENT_PERF &&
	       pm_papi_events_is_shared(e) == (p->place == PM_PAPI_SHARED);
}

/* Add the events of set `first`. Returns how many are in the set. */
static int add_events(struct pm_papi_sets *p, const struct pm_papi_events *l,
		      const struct pm_papi_library *call, uint32_t first)
{
	int count = 0;

	for (uint32_t i = first; i < l->count; i++) {
		const struct pm_papi_event *e = &l->one[i];
		int rc;

		if (!belongs_to(e, p) || e->set != first || e->reason)
			continue;
		rc = call->add(p->event[first].set, e->code);
		if (rc == PM_PAPI_OK)
			p->event[i].position = count++;
		else
			p->event[i].reason = pm_papi_error(rc);
	}
	return count;
}

/* Whether event i counts in set `first`. */
static bool is_in(const struct pm_papi_sets *p, const struct pm_papi_events *l, uint32_t i,
		  uint32_t first)
{
	const struct pm_papi_event *e = &l->one[i];

	return belongs_to(e, p) && e->set == first && p->event[i].position >= 0;
}

/* Set the reason why the events of set `first` are not known. */
static void set_reason(struct pm_papi_sets *p, const struct pm_papi_events *l, uint32_t first,
		       const char *reason)
{
	for (uint32_t i = first; i < l->count; i++)
		if (is_in(p, l, i, first))
			p->event[i].reason = reason;
}

static void open_set(struct pm_papi_sets *p, const struct pm_papi_events *l,
		     const struct pm_papi_library *call, uint32_t first)
{
	int *set = &p->event[first].set;
	int rc = call->create(set), count;

	if (rc != PM_PAPI_OK) {
		*set = PM_PAPI_NULL;
		for (uint32_t i = first; i < l->count; i++)
			if (belongs_to(&l->one[i], p) && l->one[i].set == first)
				p->event[i].reason = pm_papi_error(rc);
		return;
	}
	count = add_events(p, l, call, first);
	rc = count > 0 ? call->start(*set) : PM_PAPI_OK;
	p->event[first].read_ns = pm_clock_ns(CLOCK_MONOTONIC);
	if (rc == PM_PAPI_OK)
		return;
	set_reason(p, l, first, pm_papi_error(rc));
	for (uint32_t i = first; i < l->count; i++)
		if (is_in(p, l, i, first))
			p->event[i].position = PM_PAPI_NULL;
}

void pm_papi_sets_open(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call)
{
	for (uint32_t i = 0; i < l->count; i++) {
		p->event[i].set = PM_PAPI_NULL;
		p->event[i].position = -1;
		p->event[i].reason = l->one[i].reason;
	}
	for (uint32_t i = 0; i < l->count; i++)
		if (belongs_to(&l->one[i], p) && l->one[i].set == i)
			open_set(p, l, call, i);
	pm_papi_descriptors_settle(&p->descriptors);
	p->open = true;
}

static void read_set(struct pm_papi_sets *p, const struct pm_papi_events *l,
		     const struct pm_papi_library *call, uint32_t first)
{
	long long value[PM_EVENTS_MAX];
	int rc;

	rc = call->read(p->event[first].set, value);
	p->event[first].read_ns = pm_clock_ns(CLOCK_MONOTONIC);
	for (uint32_t i = first; i < l->count; i++)
		if (is_in(p, l, i, first))
			p->event[i].reason =
				rc != PM_PAPI_OK
					? pm_papi_error(rc)
					: pm_papi_events_convert(&l->one[i],
								 value[p->event[i].position],
								 &p->event[i].value);
}

/* Whether a place is the calling thread's, or the image's. */
static bool is_callers(const struct pm_papi_sets *p)
{
	if (p->place == PM_PAPI_SHARED)
		return true;
	return p->place == 0 ? (int)pm_sys0(SYS_gettid) == pm.pid : p->place == pm_self.slot;
}

/* Why set `first` cannot be read now; NULL if it can. */
static const char *find_obstacle(const struct pm_papi_sets *p, const struct pm_papi_events *l,
				 int orderly, uint32_t first)
{
	int64_t kept_ns = (int64_t)l->one[first].kept_ms * 1000000;

	if (!pm_papi_descriptors_ours(&p->descriptors))
		return PM_UNCOUNTED_TEXT(closed);
	/* PAPI reads the processor's counters by an instruction, which returns the caller's. */
	if (p->descriptors.hardware && !is_callers(p))
		return PM_UNCOUNTED_TEXT(alive);
	if (!l->one[first].plain && orderly != (int)pm_sys0(SYS_gettid) &&
	    pm_papi_guard_in_handler())
		return PM_UNCOUNTED_TEXT(handler);
	if (kept_ns && pm_clock_ns(CLOCK_MONOTONIC) - p->event[first].read_ns <= kept_ns)
		return PM_UNCOUNTED_TEXT(early);
	return NULL;
}

/* Whether event i is the first of a set that counts something. */
static bool is_counting(const struct pm_papi_sets *p, const struct pm_papi_events *l, uint32_t i)
{
	if (l->one[i].set != i || p->event[i].set == PM_PAPI_NULL)
		return false;
	for (uint32_t k = i; k < l->count; k++)
		if (is_in(p, l, k, i))
			return true;
	return false;
}

void pm_papi_sets_read(struct pm_papi_sets *p, const struct pm_papi_events *l,
		       const struct pm_papi_library *call, int orderly)
{
	for (uint32_t i = 0; p->open && i < l->count; i++) {
		const char *reason;

		if (!is_counting(p, l, i))
			continue;
		reason = find_obstacle(p, l, orderly, i);
		if (reason)
			set_reason(p, l, i, reason);
		else
			read_set(p, l, call, i);
	}
}

void pm_papi_sets_close(struct pm_papi_sets *p, const struct pm_papi_events *l,
			const struct pm_papi_library *call)
{
	bool ours = pm_papi_descriptors_ours(&p->descriptors);

	for (uint32_t i = 0; ours && i < l->count; i++) {
		long long value[PM_EVENTS_MAX];

		if (l->one[i].set != i || p->event[i].set == PM_PAPI_NULL)
			continue;
		if (is_counting(p, l, i))
			call->stop(p->event[i].set, value);
		call->cleanup(p->event[i].set);
		call->destroy(&p->event[i].set);
	}
	p->open = false;
	if (ours)
		call->unregister();
}
