/*
 * Children that libc itself waits for, without a wait of the program's: system, pclose, wordexp.
 * The real function runs as always, and its return value says how the child ended. The child's
 * usage is the growth of RUSAGE_CHILDREN meanwhile, less the usage of children that the program's
 * own waits, in handlers and other threads, reaped in between. If these cannot be told apart, the
 * usage is unknown.
 *
 * The pid of a child of popen is the one new entry in the calling thread's list of children; the
 * pids of other children are unknown.
 */
#include "config.h"

#include "libperfmon/hooks/system.h"

#include "common/safe/rusage.h"
#include "common/safe/tsv.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/readfile.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/reaped.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <wordexp.h>

#define EXPORT __attribute__((visibility("default")))

/* The fields of a rusage that add up, as integers: microseconds and counts. */
enum { UTIME, STIME, MINFLT, MAJFLT, INBLOCK, OUBLOCK, NVCSW, NIVCSW, FIELDS };

/* Children of popen whose pid is remembered until pclose; further pids are unknown. */
#define STREAMS 64

struct stream {
	FILE *stream; /* NULL: free */
	int pid;      /* 0: not known */
	int64_t start_us;
};

/* Life cycle: zero in every image; reset in fork children. A vfork child leaves it alone. */
static struct {
	uint64_t begun, done;  /* waits of the program's own: entered, and counted in sum */
	uint64_t calls;        /* calls of the functions below, ever begun */
	uint32_t open;         /* calls that are not over yet */
	uint64_t sum[FIELDS];  /* usage that the program's own waits reaped while a call was open */
	struct stream *stream; /* array of STREAMS entries; NULL before the first popen */
} inner;

/* A call that waits inside. */
struct call {
	bool recorded;
	bool alone;   /* no other call was open when this one began */
	bool settled; /* the usage when the call began is known */
	uint64_t begun;
	uint64_t number;
	int64_t start_us;
	int64_t used[FIELDS];
	long peak;
};

static void to_fields(const struct rusage *ru, int64_t f[FIELDS])
{
	f[UTIME] = pm_rusage_us(&ru->ru_utime);
	f[STIME] = pm_rusage_us(&ru->ru_stime);
	f[MINFLT] = ru->ru_minflt;
	f[MAJFLT] = ru->ru_majflt;
	f[INBLOCK] = ru->ru_inblock;
	f[OUBLOCK] = ru->ru_oublock;
	f[NVCSW] = ru->ru_nvcsw;
	f[NIVCSW] = ru->ru_nivcsw;
}

static void from_fields(const int64_t f[FIELDS], struct rusage *ru)
{
	*ru = (struct rusage){
		.ru_utime = { f[UTIME] / 1000000, f[UTIME] % 1000000 },
		.ru_stime = { f[STIME] / 1000000, f[STIME] % 1000000 },
		.ru_minflt = f[MINFLT],
		.ru_majflt = f[MAJFLT],
		.ru_inblock = f[INBLOCK],
		.ru_oublock = f[OUBLOCK],
		.ru_nvcsw = f[NVCSW],
		.ru_nivcsw = f[NIVCSW],
	};
}

void pm_system_wait_begins(void)
{
	pm_self.waits++;
	__atomic_add_fetch(&inner.begun, 1, __ATOMIC_SEQ_CST);
}

void pm_system_wait_done(const struct rusage *reaped)
{
	if (reaped && __atomic_load_n(&inner.open, __ATOMIC_SEQ_CST)) {
		int64_t f[FIELDS];

		to_fields(reaped, f);
		for (int i = 0; i < FIELDS; i++)
			__atomic_add_fetch(&inner.sum[i], (uint64_t)f[i], __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&inner.done, 1, __ATOMIC_SEQ_CST);
	pm_self.waits--;
}

void pm_system_thread_ends(void)
{
	__atomic_add_fetch(&inner.done, pm_self.waits, __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&inner.open, pm_self.calls, __ATOMIC_SEQ_CST);
	pm_self.waits = pm_self.calls = 0;
}

void pm_system_reset(void)
{
	pm_self.waits = pm_self.calls = 0;
	inner.begun = inner.done = 0;
	inner.open = 0;
	for (int i = 0; i < STREAMS && inner.stream; i++)
		inner.stream[i].stream = NULL;
}

/*
 * Usage of the children that no wait of the program's own reaped. Returns false while such a wait
 * is under way: its child may or may not be in the kernel's sum, and in ours. Tries once more if a
 * handler came in between.
 */
static bool others_used(int64_t f[FIELDS], long *peak)
{
	for (int i = 0; i < 2; i++) {
		uint64_t done = __atomic_load_n(&inner.done, __ATOMIC_SEQ_CST);
		uint64_t begun = __atomic_load_n(&inner.begun, __ATOMIC_SEQ_CST);
		struct rusage ru;

		if (begun != done || pm_sys2(SYS_getrusage, RUSAGE_CHILDREN, &ru) < 0)
			return false;
		to_fields(&ru, f);
		*peak = ru.ru_maxrss;
		for (int k = 0; k < FIELDS; k++)
			f[k] -= (int64_t)__atomic_load_n(&inner.sum[k], __ATOMIC_RELAXED);
		if (__atomic_load_n(&inner.begun, __ATOMIC_SEQ_CST) == begun)
			return true;
	}
	return false;
}

static void begin_call(struct call *c)
{
	*c = (struct call){ .recorded = pm_may_record() };
	if (!c->recorded)
		return;
	pm_self.calls++;
	c->start_us = pm_clock_ns(CLOCK_REALTIME) / 1000;
	c->alone = __atomic_add_fetch(&inner.open, 1, __ATOMIC_SEQ_CST) == 1;
	c->number = __atomic_add_fetch(&inner.calls, 1, __ATOMIC_SEQ_CST);
	c->begun = __atomic_load_n(&inner.begun, __ATOMIC_SEQ_CST);
	c->settled = others_used(c->used, &c->peak);
}

/*
 * Record the child that ended inside the call, if there was one: `status` is its wait status.
 * `has_status` is false if the call does not return one: then only usage shows that there was a
 * child. A child that began at an unknown time (start_us 0) is not recorded: it could not be
 * identified.
 */
static void end_call(const struct call *c, int pid, int64_t start_us, bool has_status, int status)
{
	struct pm_reaped x = { .pid = pid, .code = -1, .signal = -1, .start_us = start_us };
	struct rusage usage;
	int64_t now[FIELDS];
	bool known;
	long peak;

	if (!c->recorded)
		return;
	known = c->alone && c->settled && others_used(now, &peak) &&
		__atomic_load_n(&inner.calls, __ATOMIC_SEQ_CST) == c->number;
	__atomic_sub_fetch(&inner.open, 1, __ATOMIC_SEQ_CST);
	pm_self.calls--;
	if (known) {
		for (int i = 0; i < FIELDS; i++)
			now[i] = now[i] > c->used[i] ? now[i] - c->used[i] : 0;
		from_fields(now, &usage);
		usage.ru_maxrss = peak;
		x.usage = &usage;
		/* The largest of all children so far: this child's, if the value grew and the
		 * program's own waits reaped no child. */
		x.peak = peak > c->peak &&
			 __atomic_load_n(&inner.begun, __ATOMIC_SEQ_CST) == c->begun;
	}
	if (has_status && WIFEXITED(status))
		x.code = WEXITSTATUS(status);
	else if (has_status && WIFSIGNALED(status))
		x.signal = WTERMSIG(status);
	/* Every process has page faults as it starts. */
	else if (!known || now[MINFLT] == 0)
		return;
	if (start_us)
		pm_reaped_write(&x);
}

EXPORT int system(const char *command)
{
	__typeof__(system) *real = PM_REAL(system);
	struct call c;
	int ret;

	if (!real)
		return -1;
	begin_call(&c);
	ret = real(command);
	/* Without a command the value says whether a shell exited with 0. */
	end_call(&c, 0, c.start_us, command ? ret != -1 : ret == 1, command ? ret : 0);
	return ret;
}

EXPORT int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
	__typeof__(wordexp) *real = PM_REAL(wordexp);
	struct call c;
	int ret;

	if (!real)
		return WRDE_NOSPACE;
	begin_call(&c);
	ret = real(words, result, flags);
	end_call(&c, 0, c.start_us, false, 0);
	return ret;
}

/* The calling thread's children, at most `max`. Returns their number, or -1 if there are too many,
 * or unknown. */
__attribute__((noinline)) static int read_children(int *pid, int max)
{
	char buf[16 * STREAMS];
	long n = pm_readfile("/proc/thread-self/children", buf, sizeof buf);
	int count = 0;

	if (n < 0 || n >= (long)sizeof buf - 1)
		return -1;
	for (char *p = buf, *stop = buf + n; p < stop;) {
		char *space = p;
		int64_t v;

		while (space < stop && *space != ' ')
			space++;
		if (count == max || pm_tsv_number(p, (size_t)(space - p), &v) < 0)
			return -1;
		pid[count++] = (int)v;
		p = space + 1;
	}
	return count;
}

/* The one child that was not there before, or 0. */
static int new_child(const int *before, int count)
{
	int now[STREAMS], n = read_children(now, STREAMS), found = 0;

	for (int i = 0; i < n && count >= 0; i++) {
		int k = 0;

		while (k < count && before[k] != now[i])
			k++;
		if (k < count)
			continue;
		/* If another thread ends meanwhile, its children may become ours. With several new
		 * children we cannot tell which one popen created. */
		if (found)
			return 0;
		found = now[i];
	}
	/* The pids in /proc may belong to another pid namespace. */
	if (found &&
	    pm_sys5(SYS_waitid, P_PID, found, NULL, WEXITED | WNOHANG | WNOWAIT, NULL) != 0)
		return 0;
	return found;
}

/* Map the table of streams, once. Returns false if out of memory. If two threads race, the memory
 * of one is not used. */
static bool have_streams(void)
{
	struct stream *none = NULL, *mapped;

	if (__atomic_load_n(&inner.stream, __ATOMIC_ACQUIRE))
		return true;
	mapped = pm_memory_map(STREAMS * sizeof *mapped);
	if (mapped)
		__atomic_compare_exchange_n(&inner.stream, &none, mapped, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	return mapped != NULL;
}

static void remember_stream(FILE *stream, int pid, int64_t start_us)
{
	if (!have_streams())
		return;
	/* Forget an older stream at the same address, which was closed without pclose. */
	for (int i = 0; i < STREAMS; i++) {
		FILE *same = stream;

		__atomic_compare_exchange_n(&inner.stream[i].stream, &same, NULL, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
	for (int i = 0; i < STREAMS; i++) {
		struct stream *s = &inner.stream[i];
		FILE *free = NULL, *taken = (FILE *)(uintptr_t)1;

		if (!__atomic_compare_exchange_n(&s->stream, &free, taken, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		s->pid = pid;
		s->start_us = start_us;
		__atomic_store_n(&s->stream, stream, __ATOMIC_RELEASE);
		return;
	}
}

/* Remove a stream from the table, before it is closed and its address is free. Returns its entry.
 */
static struct stream forget_stream(FILE *stream)
{
	struct stream found = { stream, 0, 0 };

	for (int i = 0; i < STREAMS && stream && inner.stream; i++) {
		struct stream *s = &inner.stream[i];

		if (__atomic_load_n(&s->stream, __ATOMIC_ACQUIRE) != stream)
			continue;
		found = *s;
		__atomic_store_n(&s->stream, NULL, __ATOMIC_RELEASE);
		break;
	}
	return found;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	__typeof__(popen) *real = PM_REAL(popen);
	int before[STREAMS], count = -1;
	struct pm_charge charge;
	int64_t start_us = 0;
	bool recorded;
	FILE *stream;

	if (!real)
		return NULL;
	recorded = pm_enter();
	if (recorded) {
		pm_charge_begin(&charge);
		start_us = pm_clock_ns(CLOCK_REALTIME) / 1000;
		count = read_children(before, STREAMS);
		pm_charge_end(&charge);
		pm_leave();
	}
	stream = real(command, mode);
	if (stream && recorded && pm_enter()) {
		pm_charge_begin(&charge);
		remember_stream(stream, new_child(before, count), start_us);
		pm_charge_end(&charge);
		pm_leave();
	}
	return stream;
}

EXPORT int pclose(FILE *stream)
{
	__typeof__(pclose) *real = PM_REAL(pclose);
	struct stream known = { stream, 0, 0 };
	struct call c;
	int ret;

	if (!real)
		return -1;
	begin_call(&c);
	if (c.recorded)
		known = forget_stream(stream);
	ret = real(stream);
	end_call(&c, known.pid, known.start_us, ret != -1, ret);
	return ret;
}
