/*
 * Threads: pthread_create is interposed, each thread is measured by itself as it ends, in the last
 * round of its key destructors. No memory is kept per finished thread: a slot of the static table
 * is taken for a thread's life.
 */
#include "config.h"

#include "libperfmon/thread.h"

#include "libperfmon/batch.h"
#include "libperfmon/identity.h"
#include "libperfmon/init.h"
#include "libperfmon/inner.h"
#include "libperfmon/measure.h"
#include "libperfmon/real.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

/* The limits.h of clang's freestanding mode leaves it out; glibc's value has always been this. */
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif

/* Threads alive at once that get a record; further ones run unrecorded, but counted. */
#define SLOTS 8192

/* Threads alive at the end whose /proc files are read; the rest get a record without them. */
#define READ_AT_END_MAX 256

/* Who wrote, or is about to write, a thread's record: it may end while the image does. */
enum teller { NOBODY, ITSELF, IMAGE };

struct slot {
	void *(*function)(void *);
	void *argument;
	int tid; /* 0 while free or not started yet */
	uint32_t next_free;
	enum teller told;
	struct pm_moment start;
};

/* The columns that a process total sums over its threads. */
static const unsigned char summed[] = {
	PM_COL_delayacct_blkio_time,
	PM_COL_guest_time,
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
static struct {
	struct slot slot[SLOTS];
	uint32_t used;      /* slots ever taken, from the front */
	uint64_t free_list; /* change count << 32 | 1 + index of the first free slot, 0 none */
	pthread_key_t key;
	uint32_t key_state; /* 0 none, 1 being made, 2 there, 3 cannot be had */
	int64_t sum[SUMMED];
	int64_t saved[SUMMED];
	enum teller main_told;
} table;

static uint32_t take_slot(void)
{
	uint64_t head = __atomic_load_n(&table.free_list, __ATOMIC_ACQUIRE);

	while ((uint32_t)head != 0) {
		struct slot *s = &table.slot[(uint32_t)head - 1];
		uint64_t next =
			((head >> 32) + 1) << 32 | __atomic_load_n(&s->next_free, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&table.free_list, &head, next, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return (uint32_t)(s - table.slot) + 1;
	}
	if (__atomic_load_n(&table.used, __ATOMIC_RELAXED) >= SLOTS)
		return 0;
	uint32_t fresh = __atomic_add_fetch(&table.used, 1, __ATOMIC_RELAXED);
	return fresh <= SLOTS ? fresh : 0;
}

static void give_slot(uint32_t number)
{
	struct slot *s = &table.slot[number - 1];
	uint64_t head = __atomic_load_n(&table.free_list, __ATOMIC_RELAXED), next;

	__atomic_store_n(&s->tid, 0, __ATOMIC_RELEASE);
	do {
		__atomic_store_n(&s->next_free, (uint32_t)head, __ATOMIC_RELAXED);
		next = ((head >> 32) + 1) << 32 | number;
	} while (!__atomic_compare_exchange_n(&table.free_list, &head, next, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void add_to_sums(const struct pm_record *r)
{
	for (size_t i = 0; i < SUMMED; i++)
		if (pm_record_has(r, summed[i]))
			__atomic_add_fetch(&table.sum[i], r->v[summed[i]].i, __ATOMIC_RELAXED);
}

static void begin_record(struct pm_record *r, int tid, const struct pm_moment *start)
{
	pm_record_clear(r);
	pm_record_text(r, PM_COL_record, "thread", 6);
	pm_identity_key(r);
	pm_record_int(r, PM_COL_tid, tid);
	pm_record_int(r, PM_COL_start_us, start->real_us);
	pm_measure_span(r, start);
}

/* Returns whether the caller is the one to write the record. */
static bool claim(enum teller *told, enum teller who)
{
	enum teller nobody = NOBODY;

	return __atomic_compare_exchange_n(told, &nobody, who, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Measure the calling thread and write its record. */
static void write_own(enum teller who)
{
	struct slot *s = pm_self.slot ? &table.slot[pm_self.slot - 1] : NULL;
	const struct pm_moment *start = s ? &pm_self.start : &pm.image;
	char name[PM_THREAD_NAME];
	struct pm_record r;

	begin_record(&r, pm_self.tid, start);
	pm_measure_rusage(&r, RUSAGE_THREAD);
	pm_measure_task(&r, pm_self.tid, false, name);
	pm_measure_io(&r, pm_self.tid, &pm_self.own);
	pm_record_unset(&r, PM_COL_num_threads);
	/* Last: an image that ends meanwhile ends this thread anywhere. */
	if (!claim(s ? &s->told : &table.main_told, who))
		return;
	add_to_sums(&r);
	pm_batch_add(&r);
}

/* Measure another thread, alive while the image ends. */
static void write_other(int tid, const struct pm_moment *start, bool read)
{
	char name[PM_THREAD_NAME];
	struct pm_record r;

	begin_record(&r, tid, start);
	if (read) {
		pm_measure_task(&r, tid, true, name);
		pm_measure_io(&r, tid, NULL);
	}
	pm_record_unset(&r, PM_COL_num_threads);
	add_to_sums(&r);
	pm_batch_add(&r);
}

/*
 * Key destructor, run as a thread ends. Programs' own destructors may work on for several rounds;
 * setting the key again until the last round puts this one behind them.
 */
static void thread_ends(void *round)
{
	__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);
	uintptr_t n = (uintptr_t)round;

	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && set && set(table.key, (void *)(n + 1)) == 0)
		return;
	if (!pm_enter())
		return;
	struct pm_charge charge;
	pm_charge_begin(&charge);
	pm_inner_thread_ends();
	if (pm_self.slot) {
		write_own(ITSELF);
		give_slot(pm_self.slot);
		pm_self.slot = 0;
	} else if (pm_self.tid == pm.pid) {
		write_own(ITSELF);
	}
	pm_charge_end(&charge);
	pm_leave();
}

/* Make the key once. Returns whether there is one. */
static bool have_key(void)
{
	uint32_t state = __atomic_load_n(&table.key_state, __ATOMIC_ACQUIRE), none = 0;

	if (state == 0 && __atomic_compare_exchange_n(&table.key_state, &none, 1, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		__typeof__(pthread_key_create) *create = PM_REAL(pthread_key_create);
		__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);

		state = create && set && create(&table.key, thread_ends) == 0 ? 2 : 3;
		__atomic_store_n(&table.key_state, state, __ATOMIC_RELEASE);
		/* The main thread may leave by pthread_exit while others go on. */
		if (state == 2 && pm_self.tid == pm.pid)
			set(table.key, (void *)1);
	}
	return state == 2;
}

/* Start routine of every recorded thread. */
static void *thread_starts(void *argument)
{
	struct slot *s = argument;
	__typeof__(pthread_setspecific) *set = PM_REAL(pthread_setspecific);
	void *(*function)(void *) = s->function;
	void *function_argument = s->argument;

	pm_self.slot = (uint32_t)(s - table.slot) + 1;
	pm_self.tid = (int)pm_sys0(SYS_gettid);
	pm_moment_now(&pm_self.start);
	s->start = pm_self.start;
	s->told = NOBODY;
	__atomic_store_n(&s->tid, pm_self.tid, __ATOMIC_RELEASE);
	/* Without memory for the key's value the end cannot be seen. */
	if (set(table.key, (void *)1) != 0) {
		give_slot(pm_self.slot);
		pm_self.slot = 0;
	}
	return function(function_argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *restrict thread,
							  const pthread_attr_t *restrict attr,
							  void *(*function)(void *),
							  void *restrict argument)
{
	__typeof__(pthread_create) *real = PM_REAL(pthread_create);
	uint32_t number = 0;
	int ret;

	if (!real)
		return EAGAIN;
	if (!pm.on)
		pm_init_early();
	if (pm_may_record() && have_key())
		number = take_slot();
	/* Before the thread can end the process. */
	__atomic_add_fetch(&pm.threads_seen, 1, __ATOMIC_RELAXED);
	if (number == 0) {
		ret = real(thread, attr, function, argument);
	} else {
		struct slot *s = &table.slot[number - 1];

		s->function = function;
		s->argument = argument;
		ret = real(thread, attr, thread_starts, s);
		if (ret != 0)
			give_slot(number);
	}
	if (ret != 0)
		__atomic_sub_fetch(&pm.threads_seen, 1, __ATOMIC_RELAXED);
	return ret;
}

/* The columns that are summed over the threads of the image. */
static void set_sums(struct pm_record *total, const int64_t sum[SUMMED], bool had_children)
{
	for (size_t i = 0; i < SUMMED; i++)
		if (pm_record_has(total, summed[i]) || summed[i] != PM_COL_delayacct_blkio_time)
			pm_record_int(total, summed[i], sum[i]);
	/* Without children the process' own account is exact, threads never seen included. */
	if (!had_children)
		pm_measure_process_io(total);
}

void pm_thread_write_all(struct pm_record *total, bool had_children)
{
	uint32_t used = __atomic_load_n(&table.used, __ATOMIC_ACQUIRE), read = 0;

	if (pm.threads_seen < 2)
		return;
	if (pm_self.tid == pm.pid || pm_self.slot)
		write_own(IMAGE);
	if (claim(&table.main_told, IMAGE))
		write_other(pm.pid, &pm.image, true);
	for (uint32_t i = 0; i < used && i < SLOTS; i++) {
		struct slot *s = &table.slot[i];
		int tid = __atomic_load_n(&s->tid, __ATOMIC_ACQUIRE);

		if (tid != 0 && claim(&s->told, IMAGE))
			write_other(tid, &s->start, read++ < READ_AT_END_MAX);
	}
	set_sums(total, table.sum, had_children);
}

/* Add what a living thread has used so far. */
static void add_living(int64_t sum[SUMMED], int tid)
{
	char name[PM_THREAD_NAME];
	struct pm_record r;

	pm_record_clear(&r);
	pm_measure_task(&r, tid, false, name);
	pm_measure_io(&r, tid, tid == pm_self.tid ? &pm_self.own : NULL);
	for (size_t i = 0; i < SUMMED; i++)
		sum[i] += pm_record_get(&r, summed[i], 0);
}

void pm_thread_sum_all(struct pm_record *total, bool had_children)
{
	uint32_t used = __atomic_load_n(&table.used, __ATOMIC_ACQUIRE), read = 0;
	int64_t sum[SUMMED];

	if (pm.threads_seen < 2)
		return;
	for (size_t i = 0; i < SUMMED; i++)
		sum[i] = __atomic_load_n(&table.sum[i], __ATOMIC_RELAXED);
	if (__atomic_load_n(&table.main_told, __ATOMIC_RELAXED) == NOBODY)
		add_living(sum, pm.pid);
	for (uint32_t i = 0; i < used && i < SLOTS && read < READ_AT_END_MAX; i++) {
		int tid = __atomic_load_n(&table.slot[i].tid, __ATOMIC_ACQUIRE);

		if (tid == 0 || __atomic_load_n(&table.slot[i].told, __ATOMIC_RELAXED) != NOBODY)
			continue;
		add_living(sum, tid);
		read++;
	}
	set_sums(total, sum, had_children);
}

void pm_thread_save_sums(void)
{
	for (size_t i = 0; i < SUMMED; i++)
		table.saved[i] = table.sum[i];
}

static void take_back(enum teller *told)
{
	enum teller image = IMAGE;

	__atomic_compare_exchange_n(told, &image, NOBODY, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}

void pm_thread_restore_sums(void)
{
	for (size_t i = 0; i < SUMMED; i++)
		table.sum[i] = table.saved[i];
	/* Those that the image told of live on, and will be told of again. */
	for (uint32_t i = 0; i < table.used && i < SLOTS; i++)
		take_back(&table.slot[i].told);
	take_back(&table.main_told);
}

void pm_thread_reset(void)
{
	for (uint32_t i = 0; i < table.used && i < SLOTS; i++)
		table.slot[i].tid = 0;
	table.used = 0;
	table.free_list = 0;
	table.main_told = NOBODY;
	/* Another thread of the parent was making the key: it is not here to finish. */
	if (table.key_state == 1)
		table.key_state = 0;
	for (size_t i = 0; i < SUMMED; i++)
		table.sum[i] = 0;
	pm_self.slot = 0;
}
