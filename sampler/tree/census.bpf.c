/*
 * The BPF programs of a census (census.h). User space runs them on request; they are attached to no
 * event. They copy the figures of given processes straight out of the kernel's structs, so that no
 * line of text is written or parsed.
 *
 * The structs below name only the members that are read: libbpf looks up their offsets in the type
 * information (BTF) of the running kernel. The kernel verifies before the first run that a program
 * writes no memory but its own maps.
 *
 * Some kernel functions are open to programs under a GPL-compatible licence alone, so this file may
 * be used under the GNU General Public License, version 2, too.
 */
#include "sampler/tree/census_task.h"

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char licence[] SEC("license") = "Dual BSD/GPL";

/* --- the kernel's structs, as of Linux 6.2 ---------------------------------------------------- */

#define KERNEL __attribute__((preserve_access_index))

/* The exact value is `count` plus the part in each CPU's copy of `counters`. */
struct percpu_counter {
	__s64 count;
	__s32 *counters;
} KERNEL;

enum { FILE_PAGES, ANONYMOUS_PAGES, SWAPPED_PAGES, SHMEM_PAGES, RSS_STATS };

struct mm_struct {
	unsigned long total_vm, hiwater_rss, hiwater_vm;
	struct percpu_counter rss_stat[RSS_STATS];
} KERNEL;

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes;
} KERNEL;

struct task_delay_info {
	__u64 blkio_delay, swapin_delay, freepages_delay, thrashing_delay, compact_delay,
		wpcopy_delay, irq_delay;
	__u32 blkio_count, swapin_count, freepages_count, thrashing_count, compact_count,
		wpcopy_count, irq_count;
} KERNEL;

struct sched_entity {
	__u64 sum_exec_runtime;
} KERNEL;

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
} KERNEL;

struct seqcount {
	unsigned sequence;
} KERNEL;

struct seqcount_spinlock {
	struct seqcount seqcount;
} KERNEL;

typedef struct {
	struct seqcount_spinlock seqcount;
} KERNEL seqlock_t;

struct signal_struct {
	int nr_threads;
	seqlock_t stats_lock; /* protects the sums over ended threads */
	__u64 utime, stime, cutime, cstime;
	unsigned long long sum_sched_runtime;
	struct task_io_accounting ioac;
} KERNEL;

struct task_struct {
	int pid, tgid, on_cpu, exit_state;
	__u64 start_boottime, utime, stime, acct_rss_mem1, acct_vm_mem1;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_io_accounting ioac;
	struct task_delay_info *delays;
	struct signal_struct *signal;
	struct mm_struct *mm;
	struct task_struct *real_parent;
} KERNEL;

/* Members only of kernels that scale CPU time by the processor's speed. */
struct task_struct___scaled {
	__u64 utimescaled, stimescaled;
} KERNEL;

struct bpf_map {
} KERNEL;

struct bpf_array {
	struct bpf_map map;
	void *pptrs[0];
} KERNEL;

struct bpf_iter_task {
	__u64 opaque[3];
};

extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym;
extern void bpf_task_release(struct task_struct *task) __ksym;
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym;
extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern int bpf_iter_task_new(struct bpf_iter_task *it, struct task_struct *task,
			     unsigned flags) __ksym;
extern struct task_struct *bpf_iter_task_next(struct bpf_iter_task *it) __ksym;
extern void bpf_iter_task_destroy(struct bpf_iter_task *it) __ksym;

/* Flags of bpf_iter_task_new(), as in kernel/bpf/task_iter.c of Linux. */
enum { ALL_PROCESSES, ALL_THREADS, PROCESS_THREADS };

/* --- maps ------------------------------------------------------------------------------------- */

/* The requested pids and the answers. User space maps the same memory. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, PM_CENSUS_MAX);
	__type(key, __u32);
	__type(value, struct pm_census_task);
} tasks SEC(".maps");

/* Offset of each CPU's copy of a per-CPU variable from the variable's address; 0 ends the list. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PM_CENSUS_CPUS);
	__type(key, __u32);
	__type(value, __u64);
} offsets SEC(".maps");

/* A per-CPU variable from which survey() computes the offsets. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} own SEC(".maps");

/* --- the CPUs --------------------------------------------------------------------------------- */

/* Convert a pointer to a number: the verifier takes what is read back from a map as a number. */
static __u64 number_of(volatile __u64 *kept, void *pointer)
{
	*kept = (__u64)pointer;
	return *kept;
}

static long find_offset(__u32 cpu, __u64 *variable)
{
	__u32 first = 0;
	void *copy = bpf_map_lookup_percpu_elem(&own, &first, cpu);
	__u64 *offset = bpf_map_lookup_elem(&offsets, &cpu);

	if (!copy || !offset)
		return 1;
	*offset = number_of(offset, copy) - *variable;
	return 0;
}

/* Fill `offsets`; to be run once. The kernel's own table is out of a program's reach, but a program
 * can get the address of its own per-CPU variable and the address of each CPU's copy. */
SEC("syscall")
int survey(void *unused __attribute__((unused)))
{
	__u32 first = 0;
	__u64 variable = 0, *kept = bpf_map_lookup_elem(&offsets, &first);

	if (!kept)
		return -1;
	if (bpf_probe_read_kernel(&variable, sizeof variable,
				  (void *)(number_of(kept, &own) +
					   bpf_core_field_offset(struct bpf_array, pptrs))) < 0)
		return -1;
	bpf_loop(PM_CENSUS_CPUS, find_offset, &variable, 0);
	return 0;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The page counters of a process, and the addresses of their per-CPU parts. */
struct pages {
	__u64 file_at, anonymous_at, shmem_at;
	__s64 file, anonymous, shmem;
};

/* Read one CPU's part of a counter, a 32-bit number, by way of a kernel struct that holds just such
 * a number. As every read through a kernel pointer, it gives 0 at an unmapped address. */
static __s64 read_part(__u64 at)
{
	const struct seqcount *part =
		bpf_rdonly_cast((void *)at, bpf_core_type_id_kernel(struct seqcount));

	return (__s32)part->sequence;
}

static long add_cpu(__u32 cpu, struct pages *p)
{
	const __u64 *offset = bpf_map_lookup_elem(&offsets, &cpu);

	if (!offset || !*offset)
		return 1;
	p->file += read_part(p->file_at + *offset);
	p->anonymous += read_part(p->anonymous_at + *offset);
	p->shmem += read_part(p->shmem_at + *offset);
	return 0;
}

static __s64 not_negative(__s64 n)
{
	return n > 0 ? n : 0;
}

static __s64 larger_of(__s64 a, __s64 b)
{
	return a > b ? a : b;
}

/* Memory as in proc_pid_statm(5). The peaks are as in taskstats, which leaves out the per-CPU
 * parts. */
static void set_memory(struct pm_census_task *to, const struct mm_struct *mm, __s64 page)
{
	struct pages p = {
		.file_at = (__u64)mm->rss_stat[FILE_PAGES].counters,
		.anonymous_at = (__u64)mm->rss_stat[ANONYMOUS_PAGES].counters,
		.shmem_at = (__u64)mm->rss_stat[SHMEM_PAGES].counters,
		.file = mm->rss_stat[FILE_PAGES].count,
		.anonymous = mm->rss_stat[ANONYMOUS_PAGES].count,
		.shmem = mm->rss_stat[SHMEM_PAGES].count,
	};

	to->vms = mm->total_vm;
	to->leader[PM_TASKSTATS_hiwater_vm] = page * larger_of(mm->hiwater_vm, mm->total_vm);
	to->leader[PM_TASKSTATS_hiwater_rss] =
		page * larger_of(mm->hiwater_rss, not_negative(p.file) + not_negative(p.anonymous) +
							  not_negative(p.shmem));
	bpf_loop(PM_CENSUS_CPUS, add_cpu, &p, 0);
	to->shared = not_negative(p.file) + not_negative(p.shmem);
	to->rss = to->shared + not_negative(p.anonymous);
}

/* --- a process -------------------------------------------------------------------------------- */

static void add_io(struct pm_census_task *to, const struct task_io_accounting *io)
{
	to->io[0] += io->rchar;
	to->io[1] += io->wchar;
	to->io[2] += io->syscr;
	to->io[3] += io->syscw;
	to->io[4] += io->read_bytes;
	to->io[5] += io->write_bytes;
	to->io[6] += io->cancelled_write_bytes;
}

static void add_thread(struct pm_census_task *to, const struct task_struct *thread)
{
	to->run_ns += thread->se.sum_exec_runtime;
	to->user_ns += thread->utime;
	to->system_ns += thread->stime;
	to->running += thread->on_cpu != 0;
	add_io(to, &thread->ioac);
}

static void add_threads(struct pm_census_task *to, struct task_struct *leader)
{
	struct bpf_iter_task it;
	struct task_struct *thread;

	bpf_rcu_read_lock();
	bpf_iter_task_new(&it, leader, PROCESS_THREADS);
	while ((thread = bpf_iter_task_next(&it)) != NULL)
		add_thread(to, thread);
	bpf_iter_task_destroy(&it);
	bpf_rcu_read_unlock();
}

static void set_sums(struct pm_census_task *to, const struct signal_struct *shared)
{
	to->threads = shared->nr_threads;
	to->run_ns = shared->sum_sched_runtime;
	to->user_ns = shared->utime;
	to->system_ns = shared->stime;
	to->waited_user_ns = shared->cutime;
	to->waited_system_ns = shared->cstime;
	to->running = 0;
	__builtin_memset(to->io, 0, sizeof to->io);
	add_io(to, &shared->ioac);
}

/* Taskstats rounds I/O figures down to multiples of 1024, the numbers of system calls, too
 * (xacct_add_tsk() in kernel/tsacct.c). */
#define IN_STEPS(n) ((n) & ~1023ULL)

static void set_delays(__s64 *to, const struct task_delay_info *d)
{
#define DELAY(id)                                                                                  \
	to[PM_TASKSTATS_##id##_count] = bpf_core_field_exists(d->id##_count) ? d->id##_count : 0;  \
	to[PM_TASKSTATS_##id##_delay] = bpf_core_field_exists(d->id##_delay) ? d->id##_delay : 0
	DELAY(blkio);
	DELAY(swapin);
	DELAY(freepages);
	DELAY(thrashing);
	DELAY(compact);
	DELAY(wpcopy);
	DELAY(irq);
#undef DELAY
}

/* Fill in the answer that taskstats would give (fill_stats() in kernel/taskstats.c). */
static void set_leader(__s64 *to, const struct task_struct *t, __s64 page)
{
	const struct task_struct___scaled *scaled = (const void *)t;
	const struct task_delay_info *delays = NULL;
	__u64 user = t->utime, system = t->stime;

	/* Figures that this kernel lacks are 0, as in taskstats. */
	for (int i = 0; i < PM_TASKSTATS_VALUES; i++)
		to[i] = 0;
	to[PM_TASKSTATS_usertime] = user / 1000;
	to[PM_TASKSTATS_systemtime] = system / 1000;
	to[PM_TASKSTATS_cpu_run_real] = user + system;
	to[PM_TASKSTATS_cpu_run_virtual] = t->se.sum_exec_runtime;
	if (bpf_core_field_exists(scaled->utimescaled)) {
		user = scaled->utimescaled;
		system = scaled->stimescaled;
	}
	to[PM_TASKSTATS_usertime_scaled] = user / 1000;
	to[PM_TASKSTATS_systemtime_scaled] = system / 1000;
	to[PM_TASKSTATS_cpu_run_scaled] = user + system;
	if (bpf_core_field_exists(t->sched_info.pcount)) {
		to[PM_TASKSTATS_cpu_count] = t->sched_info.pcount;
		to[PM_TASKSTATS_cpu_delay] = t->sched_info.run_delay;
	}
	to[PM_TASKSTATS_minflt] = t->min_flt;
	to[PM_TASKSTATS_majflt] = t->maj_flt;
	to[PM_TASKSTATS_nvcsw] = t->nvcsw;
	to[PM_TASKSTATS_nivcsw] = t->nivcsw;
	to[PM_TASKSTATS_coremem] = t->acct_rss_mem1 * page / 1024000;
	to[PM_TASKSTATS_virtmem] = t->acct_vm_mem1 * page / 1024000;
	to[PM_TASKSTATS_read_char] = IN_STEPS(t->ioac.rchar);
	to[PM_TASKSTATS_write_char] = IN_STEPS(t->ioac.wchar);
	to[PM_TASKSTATS_read_syscalls] = IN_STEPS(t->ioac.syscr);
	to[PM_TASKSTATS_write_syscalls] = IN_STEPS(t->ioac.syscw);
	to[PM_TASKSTATS_read_bytes] = IN_STEPS(t->ioac.read_bytes);
	to[PM_TASKSTATS_write_bytes] = IN_STEPS(t->ioac.write_bytes);
	to[PM_TASKSTATS_cancelled_write_bytes] = IN_STEPS(t->ioac.cancelled_write_bytes);
	if (bpf_core_field_exists(t->delays))
		delays = t->delays;
	if (delays)
		set_delays(to, delays);
}

/* Read one process. Returns 0 when the figures may be inconsistent: a process that ends meanwhile
 * gives its memory back, a thread that ends hands its sums on to its process. */
static int read_process(struct pm_census_task *to, struct task_struct *t, __s64 page)
{
	const struct signal_struct *shared = t->signal;
	const struct mm_struct *mm = t->mm;
	const unsigned sequence = shared->stats_lock.seqcount.seqcount.sequence;

	if (!mm || t->pid != t->tgid)
		return 0;
	to->ppid = t->real_parent->tgid;
	to->start_ns = t->start_boottime;
	set_sums(to, shared);
	if (to->threads == 1) {
		add_thread(to, t);
		set_leader(to->leader, t, page);
	} else {
		add_threads(to, t);
	}
	set_memory(to, mm, page);
	bpf_core_read(to->name, sizeof to->name, &t->comm);
	return !t->exit_state && t->mm == mm && sequence % 2 == 0 &&
	       shared->stats_lock.seqcount.seqcount.sequence == sequence;
}

static long visit_process(__u32 i, const __u64 *page)
{
	struct pm_census_task *to = bpf_map_lookup_elem(&tasks, &i);
	struct task_struct *t;

	if (!to)
		return 1;
	to->state = PM_CENSUS_UNSURE;
	t = bpf_task_from_pid(to->pid);
	if (!t)
		return 0;
	if (read_process(to, t, *page))
		to->state = PM_CENSUS_WHOLE;
	bpf_task_release(t);
	return 0;
}

/* The argument of census(). */
struct request {
	__u64 count; /* entries of `tasks` to answer, from the first on */
	__u64 page;  /* size of a page, B */
};

SEC("syscall")
int census(struct request *request)
{
	__u64 page = request->page;

	bpf_loop(request->count, visit_process, &page, 0);
	return 0;
}
