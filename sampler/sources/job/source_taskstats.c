/* Source "taskstats": the kernel's account of each task, up to the task's end. */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"
#include "sampler/tree/census_task.h"
#include "sampler/tree/forks.h"
#include "sampler/tree/taskaccount.h"
#include "sampler/tree/threads.h"
#include "sampler/tree/tree.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDED = PM_TASKSTATS_VALUES, ENDED_PROCESSES, DISCREPANCY, LOST, FORKS_LOST };

/* clang-format off */
static const struct pm_metric metrics[] = {
#define PM_TASKSTATS(id, offset, unit, scale, how, needs, help)                                    \
	[PM_TASKSTATS_##id] = { #id, unit, help, NULL, false, PM_METRIC_COUNTER },
#include "sampler/kernel/taskstats.def"
	[ENDED] = { "ended", "n", "tasks (threads) that ended", NULL, false, PM_METRIC_COUNTER },
	[ENDED_PROCESSES] = { "ended_processes", "n", "processes that ended", NULL, false,
		PM_METRIC_COUNTER },
	[DISCREPANCY] = { "discrepancy", "us",
		"CPU time according to the source process minus that of taskstats, since the first sample", NULL, false,
		PM_METRIC_GAUGE },
	[LOST] = { "lost", "n", "task exits on the node not reported because the kernel's buffer was full", NULL,
		false, PM_METRIC_COUNTER },
	[FORKS_LOST] = { "forks_lost", "n", "task creations on the node not reported because the kernel's buffer was full",
		NULL, false, PM_METRIC_COUNTER },
};
/* clang-format on */

/* Socket buffer for some 20 000 ends between two looks. It takes memory only while records wait. */
#define ROOM (64 << 20)

/* Tasks asked by one system call. More would not be faster: the kernel has memory at hand only for
 * few answers. */
#define BATCH 8

/* Maximum number of living tasks asked at one tick; a job with more has them asked in turn. */
#define ASKED_MAX 512

/* Since this version the struct has tgid, so that processes can be told from threads. */
#define VERSION_TGID 12

struct state {
	struct pm_tree *tree;
	struct pm_netlink ends, questions, forks; /* forks.fd -1: births are not reported */
	uint16_t family;
	struct pm_taskstats self; /* own record at open: shows which figures this kernel has */
	bool needs[PM_TASKSTATS_SCHED + 1];
	struct pm_taskaccount account;
	size_t next; /* the process of the tree to be asked first */
	char batch[BATCH * PM_NETLINK_COMMAND_SIZE];
	size_t batch_length, batch_count;
	uint64_t dropped;      /* ends and answers lost, as of the previous tick */
	bool compared;         /* difference_us is set */
	int64_t difference_us; /* at the first sample */
};

/* --- open ------------------------------------------------------------------------------------- */

/* Ask for this process's own record. Returns 0, or -1 with errno set. */
static int ask_self(struct state *s)
{
	const uint32_t pid = (uint32_t)getpid();
	struct pm_netlink_part answer;
	char room[8192];

	if (pm_netlink_request(&s->questions, s->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID,
			       &pid, sizeof pid, room, sizeof room, &answer) < 0)
		return -1;
	if (pm_taskstats_message(&s->self, answer) == 0 && s->self.tid == getpid() &&
	    s->self.ppid == getppid() && s->self.tgid == getpid())
		return 0;
	errno = EPROTO; /* unknown layout */
	return -1;
}

/* Register for the ends of tasks on all CPUs. Returns 0, or -1 with errno set. */
static int listen_to_ends(struct state *s)
{
	struct pm_netlink_part answer;
	struct pm_procfile f;
	const char *cpus;
	char room[4096], *list;
	ssize_t n;
	int result = -1;

	if (pm_procfile_open(&f, "", "sys/devices/system/cpu/possible") < 0)
		return -1;
	n = pm_procfile_read(&f, &cpus);
	list = n > 0 ? strndup(cpus, strcspn(cpus, "\n")) : NULL;
	pm_procfile_close(&f);
	if (list)
		result = pm_netlink_request(&s->ends, s->family, TASKSTATS_CMD_GET,
					    TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, list,
					    strlen(list) + 1, room, sizeof room, &answer);
	free(list);
	return result;
}

/* Whether delays are accounted: since Linux 5.14 only on demand. */
static bool delays_accounted(void)
{
	struct pm_procfile f;
	const char *text;
	bool on;

	if (pm_procfile_open(&f, "", "proc/sys/kernel/task_delayacct") < 0)
		return errno == ENOENT;
	on = pm_procfile_read(&f, &text) > 0 && text[0] == '1';
	pm_procfile_close(&f);
	return on;
}

static bool is_member(const void *tree, pid_t pid)
{
	return pm_tree_has(tree, pid);
}

static void take_birth(void *state, pid_t parent, pid_t child)
{
	struct state *s = state;

	pm_taskaccount_born(&s->account, parent, child);
}

/* Whether a process descends from the tree. A daemon forks twice: the process between it and the
 * tree ends before a scan can see it. */
static bool is_born_of_it(void *state, pid_t pid)
{
	struct state *s = state;

	pm_forks_drain(&s->forks, take_birth, s);
	return s->forks.dropped == 0 && pm_taskaccount_has(&s->account, pid);
}

static void taskstats_close(void *state)
{
	struct state *s = state;

	pm_tree_births(s->tree, NULL, NULL);
	pm_netlink_close(&s->ends);
	pm_netlink_close(&s->questions);
	pm_netlink_close(&s->forks);
	pm_taskaccount_free(&s->account);
	free(s);
}

static int taskstats_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			  struct pm_unavailable *why)
{
	struct state *s;

	(void)sink;
	why->reason = PM_REASON_absent;
	if (!target->tree)
		return pm_source_no_tree(why);
	if (target->root[0] != '\0')
		return pm_err(&why->err, "taskstats cannot be read from a recorded /proc tree");
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "taskstats");
	s->tree = target->tree;
	s->ends.fd = s->questions.fd = s->forks.fd = -1;
	pm_taskaccount_init(&s->account, is_member, target->tree);
	if (pm_netlink_open(&s->questions, NETLINK_GENERIC, 0, ROOM, NULL) < 0 ||
	    pm_netlink_open(&s->ends, NETLINK_GENERIC, 0, ROOM, NULL) < 0 ||
	    !(s->family = pm_netlink_family(&s->questions, TASKSTATS_GENL_NAME)) ||
	    ask_self(s) < 0 || listen_to_ends(s) < 0) {
		int saved = errno;

		taskstats_close(s);
		errno = saved;
		return pm_source_unavailable(why, "taskstats");
	}
	/* Open the forks before the first look at /proc, so that no process is missed. */
	if (pm_forks_open(&s->forks) == 0)
		pm_tree_births(s->tree, is_born_of_it, s);
	s->needs[PM_TASKSTATS_ALWAYS] = true;
	s->needs[PM_TASKSTATS_DELAY] = delays_accounted();
	/* This process has had a CPU at least once: a count of 0 means that none is kept. */
	s->needs[PM_TASKSTATS_SCHED] = s->self.value[PM_TASKSTATS_cpu_count] > 0;
	*state = s;
	return 0;
}

/* --- living tasks ----------------------------------------------------------------------------- */

static void take_answer(void *state, uint16_t type, struct pm_netlink_part body)
{
	struct state *s = state;
	struct pm_taskstats t;

	if (type != s->family || pm_taskstats_message(&t, pm_netlink_attributes(body)) < 0)
		return;
	pm_taskaccount_answer(&s->account, t.tid, t.value);
	if (t.tid == t.tgid)
		pm_tree_name(s->tree, t.tid, t.name);
}

/* Send the batch of questions. The kernel has answered all by the time sending returns. */
static void send_batch(struct state *s)
{
	if (s->batch_count && pm_netlink_send(&s->questions, s->batch, s->batch_length) == 0)
		pm_netlink_take(&s->questions, (int)s->batch_count, take_answer, s);
	s->batch_count = s->batch_length = 0;
}

static void ask_task(struct state *s, pid_t tgid, pid_t tid)
{
	pm_taskaccount_ask(&s->account, tgid, tid);
	s->batch_length +=
		pm_netlink_command(s->batch + s->batch_length, s->family, TASKSTATS_CMD_GET,
				   TASKSTATS_CMD_ATTR_PID, (uint32_t)tid);
	if (++s->batch_count == BATCH)
		send_batch(s);
}

/* Take the figures of a process's only thread from its census entry. */
static void take_told(struct state *s, const struct pm_census_task *told)
{
	int64_t value[PM_TASKSTATS_VALUES];

	for (size_t i = 0; i < PM_TASKSTATS_VALUES; i++)
		value[i] = told->leader[i];
	pm_taskaccount_ask(&s->account, told->pid, told->pid);
	pm_taskaccount_answer(&s->account, told->pid, value);
}

/* A process whose threads are being asked. */
struct visit {
	struct state *state;
	const struct pm_tree_process *process;
};

static void ask_thread(void *context, pid_t tid)
{
	const struct visit *v = context;

	/* Skip a leader that has ended: its record has come. */
	if (!v->process->ended || tid != v->process->pid)
		ask_task(v->state, v->process->pid, tid);
}

static void ask_living(struct state *s)
{
	const size_t count = pm_tree_count(s->tree), first = count ? s->next % count : 0;
	size_t asked = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t at = (first + i) % count;
		const struct pm_tree_process p = pm_tree_process(s->tree, at);

		if (p.ended && p.threads <= 1)
			continue; /* its record has come */
		if (!pm_taskaccount_due(&s->account, p.pid, p.ran) || asked >= ASKED_MAX)
			continue;
		s->next = at + 1;
		pm_taskaccount_visit(&s->account, p.pid);
		if (p.told && p.threads == 1) {
			take_told(s, p.told);
		} else if (p.threads > 1) {
			asked += pm_threads_each(p.pid, ask_thread, &(struct visit){ s, &p });
		} else {
			ask_task(s, p.pid, p.pid);
			asked++;
		}
	}
	send_batch(s);
	pm_netlink_drain(&s->questions, take_answer, s);
}

/* --- sample ----------------------------------------------------------------------------------- */

static void take_end(void *state, uint16_t type, struct pm_netlink_part body)
{
	struct state *s = state;
	struct pm_taskstats t;

	if (type == s->family && pm_taskstats_message(&t, pm_netlink_attributes(body)) == 0)
		pm_taskaccount_end(&s->account, &t);
}

/* Compare two accounts of the same CPU time: that of taskstats and that of the tree, where an ended
 * process counts once its parent has waited for it. */
static void compare_accounts(struct state *s, struct pm_sink *sink, int64_t run_ns)
{
	struct pm_tree_sum sum;
	int64_t difference_us;

	pm_tree_total(s->tree, &sum);
	for (int c = PM_TREE_USER; c <= PM_TREE_SYSTEM; c++)
		if (!sum.counter[c].known) {
			pm_sink_unknown(sink, DISCREPANCY, sum.counter[c].reason);
			return;
		}
	difference_us =
		sum.counter[PM_TREE_USER].value + sum.counter[PM_TREE_SYSTEM].value - run_ns / 1000;
	if (!s->compared)
		s->difference_us = difference_us;
	s->compared = true;
	pm_sink_value(sink, DISCREPANCY, difference_us - s->difference_us);
}

static void put_account(struct state *s, struct pm_sink *sink)
{
	int64_t value[PM_TASKSTATS_VALUES];

	pm_taskaccount_total(&s->account, value);
	compare_accounts(s, sink, value[PM_TASKSTATS_cpu_run_virtual]);
	for (size_t i = 0; i < PM_TASKSTATS_VALUES; i++) {
		if (i < s->self.values && s->needs[pm_taskstats_info[i].needs])
			pm_sink_value(sink, (int)i, value[i]);
		else
			pm_sink_unknown(sink, (int)i, PM_REASON_unsupported);
	}
	pm_sink_value(sink, ENDED, s->account.ended);
	if (s->self.version >= VERSION_TGID)
		pm_sink_value(sink, ENDED_PROCESSES, s->account.ended_processes);
	else
		pm_sink_unknown(sink, ENDED_PROCESSES, PM_REASON_unsupported);
	pm_sink_value(sink, LOST, (int64_t)(s->ends.dropped + s->account.forgotten));
	if (s->forks.fd >= 0)
		pm_sink_value(sink, FORKS_LOST, (int64_t)s->forks.dropped);
	else
		pm_sink_unknown(sink, FORKS_LOST, PM_REASON_unsupported);
}

/* Take the births and ends since the last call. */
static void taskstats_between(void *state)
{
	struct state *s = state;

	if (s->forks.fd >= 0)
		pm_forks_drain(&s->forks, take_birth, s);
	/* Take the births of tasks that were born and ended between the two drains. */
	if (pm_netlink_drain(&s->ends, take_end, s) > 0 && s->forks.fd >= 0)
		pm_forks_drain(&s->forks, take_birth, s);
	s->account.births = s->forks.fd >= 0 && s->forks.dropped == 0;
	pm_taskaccount_sort(&s->account);
}

static void taskstats_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	uint64_t dropped;

	pm_taskaccount_begin(&s->account);
	/* Ask the living first: the record of a task that ends meanwhile replaces its answer. */
	ask_living(s);
	taskstats_between(s);
	dropped = s->ends.dropped + s->questions.dropped + s->account.forgotten;
	pm_taskaccount_settle(&s->account, dropped != s->dropped);
	s->dropped = dropped;
	put_account(s, sink);
}

const struct pm_source pm_source_taskstats = {
	.name = "taskstats",
	.help = "totals of the kernel's accounting (taskstats) for all tasks below --pid, up to "
		"their end",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.tree = true,
	.open = taskstats_open,
	.sample = taskstats_sample,
	.between = taskstats_between,
	.close = taskstats_close,
};
