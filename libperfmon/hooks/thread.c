/*
 * Threads: each measures itself as it ends, in the last round of its key destructors. No
 * memory is kept per finished thread: a slot of the static table is taken for a thread's life.
 */
#include "config.h"

#include "libperfmon/hooks/thread.h"

#include "common/safe/rusage.h"
#include "libperfmon/base/await.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/slots.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counters.h"
#include "libperfmon/count/papi.h"
#include "libperfmon/hooks/system.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/measure.h"
#include "libperfmon/record/threadbuffer.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

/* The limits.h of clang's freestanding mode lacks this macro; in glibc it has always been 4. */
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif

/* The round of key destructors in which a thread measures itself: the last. ThreadSanitizer frees
 * its own state in that round: a collector built with it uses an earlier one. */
#ifndef PM_THREAD_ROUND
#define PM_THREAD_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif

/* Threads alive at the end whose /proc files are read; the rest get a record without them. */
#define READ_AT_END_MAX 256

/* The columns that a process total sums over its threads. */
static const unsigned char summed[] = {
	PM_COL_delayacct_blkio_time,
	PM_COL_rchar,
	PM_COL_wchar,
	PM_COL_syscr,
	PM_COL_syscw,
	PM_COL_read_bytes,
	PM_COL_write_bytes,
	PM_COL_cancelled_write_bytes,
	PM_COL_time_oncpu,
	PM_COL_time_waiting,
	PM_COL_timeslices,
	PM_COL_own_rchar,
	PM_COL_own_wchar,
	PM_COL_own_syscr,
	PM_COL_own_syscw,
	PM_COL_own_outblock,
};
#define SUMMED (sizeof summed / sizeof summed[0])

/* Life cycle: zero until the first thread is created; reset in a fork child. */
PM_NEAR static struct {
	pthread_key_t key;
	uint32_t key_state;     /* 0 none, 1 being made, 2 there, 3 cannot be had */
	int64_t sum[SUMMED];    /* of threads that wrote their own records */
	int64_t living[SUMMED]; /* of threads whose records the image wrote as it ended */
	uint32_t main_told;     /* see PM_TELLER */
} table = { 0 };

/* Add the record of a thread, and the counters at its place, to the sums of the image. */
static void add_to_sums(const struct pm_record *r, uint32_t place, enum pm_teller who)
{
	const bool living = who == PM_TOLD_BY_IMAGE;
	int64_t *sum = living ? table.living : table.sum;

	for (size_t i = 0; i < SUMMED; i++)
		if (pm_record_has(r, summed[i]))
			__atomic_add_fetch(&sum[i], r->v[summed[i]].i, __ATOMIC_RELAXED);
	pm_counters_add(place, living);
}

static enum pm_teller teller_of(const uint32_t *told)
{
	return __atomic_load_n(told, __ATOMIC_ACQUIRE) & PM_TELLER;
}

static bool is_told(const uint32_t *told)
{
	return teller_of(told) != PM_TOLD_BY_NOBODY;
}

static void begin_record(struct pm_record *r, int tid, const struct pm_moment *start)
{
	pm_record_clear(r);
	pm_record_text(r, PM_COL_record, "thread", 6);
	pm_identity_key(r);
	pm_record_unset(r, PM_COL_starttime);
	pm_record_int(r, PM_COL_tid, tid);
	pm_record_int(r, PM_COL_start_us, start->real_us);
	pm_measure_span(r, start);
}

/*
 * Whether the calling thread has been recorded already. If the image recorded it before an exec,
 * the exec may fail: a thread that ends waits until it must record itself after all, or until the
 * exec ends it.
 */
static bool is_told_for_good(const uint32_t *told, enum pm_teller who)
{
	int64_t waited_ns = 0;

	while (who == PM_TOLD_BY_ITSELF && teller_of(told) == PM_TOLD_BY_IMAGE &&
	       __atomic_load_n(&pm.in_exec, __ATOMIC_ACQUIRE) && pm_await(&waited_ns))
		;
	return is_told(told);
}

/*
 * Measure the calling thread, which had used `used` when the hook began, and write its record. For
 * a very short thread the files of /proc are not read: to open them takes as long as it lived.
 * Returns false if the image recorded the thread meanwhile, or the line is too long.
 */
static bool record_self(struct pm_slot *s, uint32_t *told, enum pm_teller who,
			const struct rusage *used)
{
	uint32_t from = __atomic_load_n(told, __ATOMIC_ACQUIRE) & ~(uint32_t)PM_TELLER;
	const struct pm_claim claim = { told, from | PM_TOLD_BY_NOBODY, from | who };
	int64_t starttime = s ? pm_self.starttime : pm.starttime;
	char name[PM_THREAD_NAME];
	struct pm_task task;
	struct pm_record r;

	begin_record(&r, pm_self.tid, s ? &pm_self.start : &pm.image);
	pm_counters_read(&r, pm_self.slot, pm_self.tid, true);
	if (starttime >= 0)
		pm_record_int(&r, PM_COL_starttime, starttime);
	pm_rusage_set(&r, used);
	pm_measure_caller(&r, name);
	if ((s || pm.forked) && pm_measure_is_brief(&r)) {
		pm_record_int(&r, PM_COL_time_oncpu, pm_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	} else {
		pm_measure_task(&task, pm_self.tid);
		if (pm.delayacct)
			pm_measure_stat(&r, &task, name);
		pm_measure_schedstat(&r, &task);
		pm_measure_io(&r, &task, &pm_self.own);
		pm_record_unset(&r, PM_COL_num_threads);
	}
	if (!pm_threadbuffer_add(&r, &claim))
		return false;
	add_to_sums(&r, pm_self.slot, who);
	if (who == PM_TOLD_BY_ITSELF)
		__atomic_store_n(told, from | PM_TOLD, __ATOMIC_RELEASE);
	return true;
}

/* Record the calling thread unless it has been recorded already. */
static void write_own(enum pm_teller who, const struct rusage *used)
{
	struct pm_slot *s = pm_self.slot ? pm_slots_get(pm_self.slot) : NULL;
	uint32_t *told = s ? &s->told : &table.main_told;

	while (!is_told_for_good(told, who) && !record_self(s, told, who, used))
		/* A line that is too long now is too long the next time, too. */
		if (!is_told(told))
			return;
}

/* Measure and record another thread, the main one or the one in a slot, alive while the image ends.
 * `from` is the value of `told` for that thread. Returns false if the thread recorded itself
 * meanwhile. */
static bool write_other(int tid, const struct pm_moment *start, uint32_t slot, bool read,
			uint32_t *told, uint32_t from)
{
	const struct pm_claim claim = { told, from, from | PM_TOLD_BY_IMAGE };
	char name[PM_THREAD_NAME];
	struct pm_task task;
	struct pm_record r;

	begin_record(&r, tid, start);
	if (read) {
		pm_measure_task(&task, tid);
		pm_measure_schedstat(&r, &task);
		pm_measure_stat_of_other(&r, &task, name);
		pm_measure_io(&r, &task, NULL);
		pm_record_unset(&r, PM_COL_num_threads);
	}
	pm_counters_read(&r, slot, tid, read);
	if (!pm_threadbuffer_add(&r, &claim))
		return false;
	add_to_sums(&r, slot, PM_TOLD_BY_IMAGE);
	return true;
}

/*
 * Key destructor, run as a thread ends. Programs' own destructors may work on for several rounds;
 * setting the key again until the last round puts this destructor after them.
 */
static void thread_ends(void *round)
{
	__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);
	uintptr_t n = (uintptr_t)round;

	if (n < PM_THREAD_ROUND && set && set(table.key, (void *)(n + 1)) == 0)
		return;
	if (!pm_enter())
		return;
	struct pm_charge charge;
	pm_charge_begin(&charge);
	pm_papi_orderly();
	pm_system_thread_ends();
	if (pm_self.slot) {
		write_own(PM_TOLD_BY_ITSELF, &charge.used);
		pm_counters_close(pm_self.slot);
		pm_slots_give(pm_self.slot);
		pm_self.slot = 0;
	} else if (pm_self.tid == pm.pid) {
		write_own(PM_TOLD_BY_ITSELF, &charge.used);
		pm_counters_close(0);
	}
	pm_charge_end(&charge);
	pm_leave();
}

bool pm_thread_prepare(void)
{
	uint32_t state = __atomic_load_n(&table.key_state, __ATOMIC_ACQUIRE), none = 0;

	if (state == 0 && __atomic_compare_exchange_n(&table.key_state, &none, 1, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		__typeof__(pthread_key_create) *create = PM_REAL(pthread_key_create);
		__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);

		state = create && set && pm_slots_map() == 0 && pm_counters_map() == 0 &&
					create(&table.key, thread_ends) == 0
				? 2
				: 3;
		pm_threadbuffer_expect_threads();
		__atomic_store_n(&table.key_state, state, __ATOMIC_RELEASE);
		/* The main thread may leave by pthread_exit while others go on. */
		if (state == 2 && pm_self.tid == pm.pid)
			set(table.key, (void *)1);
	}
	return state == 2;
}

bool pm_thread_watch(void)
{
	__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);

	return set(table.key, (void *)1) == 0;
}

/* Set the columns that are summed over the threads of the image: threads that recorded themselves,
 * and `living`. */
static void set_sums(struct pm_record *total, const int64_t living[SUMMED])
{
	for (size_t i = 0; i < SUMMED; i++)
		if (summed[i] != PM_COL_delayacct_blkio_time || pm.delayacct)
			pm_record_int(total, summed[i],
				      __atomic_load_n(&table.sum[i], __ATOMIC_RELAXED) + living[i]);
}

/* Record the thread in a slot, if there is one that is not recorded yet. Returns whether it was
 * recorded. The thread may end just now, and another one take the slot. */
static bool record_slot(uint32_t number, bool read)
{
	struct pm_slot *s = pm_slots_get(number);

	for (;;) {
		uint32_t from = __atomic_load_n(&s->told, __ATOMIC_SEQ_CST);
		int tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);

		if (tid == 0)
			return false;
		if (__atomic_load_n(&s->told, __ATOMIC_ACQUIRE) != from)
			continue;
		if ((from & PM_TELLER) != PM_TOLD_BY_NOBODY)
			return false;
		if (write_other(tid, &s->start, number, read, &s->told, from))
			return true;
		/* A line that is too long now is too long the next time, too. */
		if (__atomic_load_n(&s->told, __ATOMIC_ACQUIRE) == from)
			return false;
	}
}

/*
 * Wait for threads that are recording themselves: the end of the image would lose their lines, and
 * their usage is still to be added. Only a thread within these few steps is waited for.
 */
static void await_tellers(void)
{
	int64_t waited_ns = 0;
	bool patient = true;

	while (patient && teller_of(&table.main_told) == PM_TOLD_BY_ITSELF)
		patient = pm_await(&waited_ns);
	for (uint32_t i = 1; i <= pm_slots_used() && patient; i++) {
		const struct pm_slot *s = pm_slots_get(i);
		uint32_t told = __atomic_load_n(&s->told, __ATOMIC_ACQUIRE);

		while (patient && (told & PM_TELLER) == PM_TOLD_BY_ITSELF &&
		       __atomic_load_n(&s->told, __ATOMIC_ACQUIRE) == told)
			patient = pm_await(&waited_ns);
	}
}

void pm_thread_write_all(struct pm_record *total)
{
	uint32_t read = 0;
	struct rusage used;

	if (pm_sys2(SYS_getrusage, RUSAGE_THREAD, &used) < 0)
		return;
	if (pm_self.tid == pm.pid || pm_self.slot)
		write_own(PM_TOLD_BY_IMAGE, &used);
	if (!is_told(&table.main_told))
		write_other(pm.pid, &pm.image, 0, true, &table.main_told, PM_TOLD_BY_NOBODY);
	for (uint32_t i = 1; i <= pm_slots_used(); i++)
		read += record_slot(i, read < READ_AT_END_MAX);
	await_tellers();
	set_sums(total, table.living);
	pm_counters_total_begin();
	pm_counters_total_set(total);
}

/* Add what a living thread has used so far. */
static void add_living(int64_t sum[SUMMED], int tid, uint32_t slot)
{
	char name[PM_THREAD_NAME];
	struct pm_task task;
	struct pm_record r;

	pm_record_clear(&r);
	pm_measure_task(&task, tid);
	if (pm.delayacct)
		pm_measure_stat(&r, &task, name);
	pm_measure_schedstat(&r, &task);
	pm_measure_io(&r, &task, tid == pm_self.tid ? &pm_self.own : NULL);
	for (size_t i = 0; i < SUMMED; i++)
		sum[i] += pm_record_get(&r, summed[i], 0);
	pm_counters_total_add(slot, tid);
}

void pm_thread_sum_all(struct pm_record *total)
{
	uint32_t read = 0;
	int64_t living[SUMMED] = { 0 };

	pm_counters_total_begin();
	if (!is_told(&table.main_told))
		add_living(living, pm.pid, 0);
	for (uint32_t i = 1; i <= pm_slots_used() && read < READ_AT_END_MAX; i++) {
		const struct pm_slot *s = pm_slots_get(i);
		int tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);

		if (tid == 0 || is_told(&s->told))
			continue;
		add_living(living, tid, i);
		read++;
	}
	set_sums(total, living);
	pm_counters_total_set(total);
}

static void reopen_record(uint32_t *told)
{
	uint32_t now = __atomic_load_n(told, __ATOMIC_ACQUIRE);

	if ((now & PM_TELLER) == PM_TOLD_BY_IMAGE)
		__atomic_compare_exchange_n(told, &now, now - PM_TOLD_BY_IMAGE, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void pm_thread_take_back(void)
{
	for (size_t i = 0; i < SUMMED; i++)
		table.living[i] = 0;
	pm_counters_take_back();
	/* Threads that the image recorded live on, and will be recorded again. */
	for (uint32_t i = 1; i <= pm_slots_used(); i++)
		reopen_record(&pm_slots_get(i)->told);
	reopen_record(&table.main_told);
}

void pm_thread_reset(void)
{
	pm_self.slot = 0;
	/* Another thread of the parent was making the key: it does not exist here. */
	if (table.key_state == 1)
		table.key_state = 0;
	if (table.key_state == 0)
		return;
	pm_slots_reset();
	table.main_told = PM_TOLD_BY_NOBODY;
	for (size_t i = 0; i < SUMMED; i++)
		table.sum[i] = table.living[i] = 0;
}
