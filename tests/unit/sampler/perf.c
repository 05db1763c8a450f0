/*
 * The source perf on a processor that this test is: perf_event_open(2) is answered here. Every
 * counter is a file that holds what reading it gives.
 */
#include "config.h"

#include "common/record/formulas.h"
#include "common/settings/readconfig.h"
#include "sampler/job/groupfd.h"
#include "sampler/kernel/perf.h"
#include "sampler/tree/tree.h"

#include "tests/unit/sampler/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNTERS_MAX 64

static struct counter {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, group, fd;
	unsigned long flags;
} counter[COUNTERS_MAX];
static int counters;

/* An event of this type and number cannot be counted. */
static int refused_error;
static uint32_t refused_type;
static uint64_t refused_config;

/* Most events of a group, and whether groups of tasks may be counted. */
static int group_max, group_fd;
static bool group_denied;

/* Stands for the one of the library. */
int pm_groupfd_open(const char *directory)
{
	PM_SURE(strcmp(directory, "/a/group") == 0);
	return group_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether a group has that many members already. */
static bool full(int leader)
{
	int members = 1;

	for (int i = 0; i < counters; i++)
		members += counter[i].group == leader;
	return members >= group_max;
}

static void set(int i, uint64_t count, uint64_t enabled, uint64_t running)
{
	const uint64_t value[3] = { count, enabled, running };

	PM_SURE(pwrite(counter[i].fd, value, sizeof value, 0) == sizeof value);
}

/* Stands in front of the C library's. Nothing that the source uses calls it for anything else. */
long syscall(long number, ...)
{
	struct counter c = { .fd = -1 };
	va_list args;

	if (number != SYS_perf_event_open) {
		errno = ENOSYS;
		return -1;
	}
	va_start(args, number);
	c.attr = *va_arg(args, struct perf_event_attr *);
	c.pid = va_arg(args, pid_t);
	c.cpu = va_arg(args, int);
	c.group = va_arg(args, int);
	c.flags = va_arg(args, unsigned long);
	va_end(args);
	/* There is one CPU. */
	errno = ENODEV;
	if (c.cpu > 0)
		return -1;
	errno = refused_error;
	if (refused_error && c.attr.type == refused_type && c.attr.config == refused_config)
		return -1;
	errno = EINVAL;
	if (c.group >= 0 && full(c.group))
		return -1;
	errno = EACCES;
	if (c.flags & PERF_FLAG_PID_CGROUP && group_denied)
		return -1;
	PM_SURE(counters < COUNTERS_MAX);
	c.fd = memfd_create("counter", MFD_CLOEXEC);
	PM_SURE(c.fd >= 0);
	counter[counters] = c;
	set(counters, 0, 0, 0);
	return counter[counters++].fd;
}

static void reset(void)
{
	counters = 0;
	refused_error = 0;
	group_max = 8;
	group_denied = false;
}

/* Begin to count these events on the node's CPU. */
static void count(const char *events)
{
	const struct pm_target target = { .root = "" };
	struct pm_err e;

	PM_SURE(pm_config_set(PM_SET_perf, events, &e) == 0);
	PM_SURE(pm_sink_init(&sink, &pm_source_perf) == 0);
	PM_SURE(pm_source_perf.open(&state, &target, &sink, &why) == 0);
}

/* Read once more what each counter has. */
static void again(void)
{
	for (int i = 0; i < counters; i++)
		lseek(counter[i].fd, 0, SEEK_SET);
	sample();
}

/* The eight events of the SKA's sampler, exactly. */
START_TEST(ska_events)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} want[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
		{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	};

	reset();
	count("cycles,instructions,cache-misses,cache-references,branches,branch-misses,"
	      "context-switches,cpu-migrations");
	again();
	ck_assert_int_eq(counters, 8);
	for (int i = 0; i < 8; i++) {
		ck_assert_uint_eq(counter[i].attr.type, want[i].type);
		ck_assert_uint_eq(counter[i].attr.config, want[i].config);
		check_known("count", want[i].name, 0);
		set(i, (uint64_t)(1000 + i), 50, 50);
	}
	again();
	for (int i = 0; i < 8; i++) {
		check_known("count", want[i].name, 1000 + i);
		check_known("enabled", want[i].name, 50);
		check_known("running", want[i].name, 50);
	}
	end();
}
END_TEST

/* How long an event was counted is kept beside what was; one that never ran is unknown, not 0. */
START_TEST(multiplexed)
{
	reset();
	count("cycles,instructions");
	again();
	set(0, 700, 100, 25);
	set(1, 0, 100, 0);
	again();
	check_known("count", "cycles", 700);
	check_known("enabled", "cycles", 100);
	check_known("running", "cycles", 25);
	check_unknown("count", "instructions", PM_REASON_multiplexed);
	check_known("enabled", "instructions", 100);
	check_known("running", "instructions", 0);
	end();
}
END_TEST

/* What the processor does not have is absent, what may not be counted says so; neither is 0, and
 * neither keeps the other events from being counted. */
START_TEST(refused)
{
	static const struct {
		int error;
		enum pm_reason reason;
	} why_not[] = {
		{ ENOENT, PM_REASON_absent },
		{ EACCES, PM_REASON_permission },
		{ EMFILE, PM_REASON_unsupported },
	};

	for (size_t i = 0; i < sizeof why_not / sizeof why_not[0]; i++) {
		reset();
		count("cycles,instructions");
		refused_type = PERF_TYPE_HARDWARE;
		refused_config = PERF_COUNT_HW_CPU_CYCLES;
		refused_error = why_not[i].error;
		again();
		ck_assert_int_eq(counters, 1);
		set(0, 5, 1, 1);
		again();
		check_unknown("count", "cycles", why_not[i].reason);
		check_unknown("enabled", "cycles", why_not[i].reason);
		check_known("count", "instructions", 5);
		end();
	}
}
END_TEST

/* The names of colmet's perfhw are taken, and their series are called so. */
START_TEST(colmet_events)
{
	reset();
	count("instructions,cpu_cycles,cache_ll,page_faults_maj");
	again();
	ck_assert_int_eq(counters, 4);
	ck_assert_uint_eq(counter[2].attr.type, PERF_TYPE_HW_CACHE);
	ck_assert_uint_eq(counter[2].attr.config, PERF_COUNT_HW_CACHE_LL);
	set(2, 11, 1, 1);
	again();
	check_known("count", "cache_ll", 11);
	end();
}
END_TEST

/* The events of a group are opened in it: they are counted at the same times, and so is each that
 * another group does not share with it. */
START_TEST(groups)
{
	reset();
	count("{cycles,instructions},cs,{branches,branch-misses:u}");
	again();
	ck_assert_int_eq(counters, 5);
	ck_assert_int_eq(counter[0].group, -1);
	ck_assert_int_eq(counter[1].group, counter[0].fd);
	ck_assert_int_eq(counter[2].group, -1);
	ck_assert_int_eq(counter[3].group, -1);
	ck_assert_int_eq(counter[4].group, counter[3].fd);
	end();
	/* A group whose first event there is not is counted one by one. */
	reset();
	count("{cycles,instructions,branches}");
	refused_type = PERF_TYPE_HARDWARE;
	refused_config = PERF_COUNT_HW_CPU_CYCLES;
	refused_error = ENOENT;
	again();
	ck_assert_int_eq(counters, 2);
	ck_assert_int_eq(counter[0].group, -1);
	ck_assert_int_eq(counter[1].group, -1);
	check_unknown("count", "cycles", PM_REASON_absent);
	end();
	/* So is an event that does not fit into its group. */
	reset();
	group_max = 2;
	count("{cycles,instructions,branches}");
	again();
	ck_assert_int_eq(counters, 3);
	ck_assert_int_eq(counter[1].group, counter[0].fd);
	ck_assert_int_eq(counter[2].group, -1);
	check_known("count", "branches", 0);
	end();
}
END_TEST

/* Which groups a list makes on a processor, as "leader:event ..."; the reason where it makes none.
 */
START_TEST(lists)
{
	static const struct {
		const char *list, *march, *want;
	} row[] = {
		{ "", NULL, "" },
		{ "cycles,cs", NULL, "0:cycles 1:cs " },
		{ "{cycles,cs},faults", NULL, "0:cycles 0:cs 2:faults " },
		{ "faults,{cycles,cs}", NULL, "0:faults 1:cycles 1:cs " },
		{ "{cycles}", NULL, "0:cycles " },
		{ "{cpu/config=1,config1=2/,cs}", NULL, "0:cpu/config=1,config1=2/ 0:cs " },
		{ "{cycles,cs", NULL, "unterminated event group: } is missing" },
		{ "cycles,cs}", NULL, "unmatched braces of an event group: 'cs}'" },
		{ "{cycles,{cs}}", NULL, "unmatched braces of an event group: '{cs}}'" },
		{ "{cycles,cs},cycles", NULL, "event 'cycles' is named twice" },
		{ "flop", NULL, "unknown kernel event 'flop'; perfmon events lists them" },
		/* Metrics stand for the group of their events. */
		{ "ipc", NULL, "0:instructions 0:cycles " },
		{ "ipc,cpi,branch_miss_rate", NULL,
		  "0:instructions 0:cycles 2:branch-misses 2:branches " },
		{ "flops_dp", "bdw", "0:r04c7 0:r01c7 0:r10c7 " },
		{ "flops_dp", "skx", "0:r04c7 0:r01c7 0:r10c7 0:r40c7 " },
		{ "flops_sp", "snb", "0:r4010 0:r2010 0:r0111 " },
		{ "flops_any", "zen3", "0:r0f03 " },
		{ "l2_bandwidth", "hsw", "0:r0151 0:r10f0 0:r0280 " },
		{ "l3_bandwidth", "icx", "0:r1ff1 0:r02f2 " },
		{ "memory_bandwidth", "skl",
		  "0:cpu/config=0x1b7,config1=0x3f840085b7/ "
		  "0:cpu/config=0x1b7,config1=0x3f900085b7/ " },
		{ "{cs,ipc}", NULL, "0:cs 0:instructions 0:cycles " },
		/* Here the processor has no such events. */
		{ "cs,flops_dp", "hsw", "0:cs missing flops_dp" },
		{ "flops_dp,l2_bandwidth", NULL, "missing flops_dp" },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct pm_perf_list l;
		struct pm_err e;
		char text[1024] = "";
		int rc = pm_perf_parse(&l, row[i].list, row[i].march, &e);

		for (int k = 0; rc == 0 && k < l.count; k++)
			snprintf(text + strlen(text), sizeof text - strlen(text), "%d:%.*s ",
				 l.leader[k], (int)l.event[k].name.n, l.event[k].name.p);
		if (rc == 0 && l.missing.n)
			snprintf(text + strlen(text), sizeof text - strlen(text), "missing %.*s",
				 (int)l.missing.n, l.missing.p);
		ck_assert_str_eq(rc < 0 ? e.text : text, row[i].want);
	}
}
END_TEST

/* Every metric that is made of the kernel's events can be asked for, and its events make it. */
START_TEST(metrics_of_lists)
{
	for (size_t m = 0; m < PM_METRICS; m++) {
		const struct pm_metric_info *info = &pm_metric_info[m];
		const char *marches = info->marches;

		do {
			size_t n = strcspn(marches, " ");
			const char *march = n ? strndup(marches, n) : NULL;
			const char *name[PM_PERF_MAX];
			struct pm_formula *found;
			struct pm_perf_list l;
			struct pm_err e;
			int count, there = 0;

			PM_SURE(pm_perf_parse(&l, info->id, march, &e) == 0);
			PM_SURE((l.count > 0) == (l.missing.n == 0));
			for (int i = 0; i < l.count; i++)
				name[i] = strndup(l.event[i].name.p, l.event[i].name.n);
			count = pm_formula_find(name, (size_t)l.count, march, &found);
			for (int i = 0; i < count; i++)
				there += strcmp(found[i].info->id, info->id) == 0;
			ck_assert_msg(there == (l.count > 0), "%s on %s", info->id,
				      march ? march : "any");
			for (int i = 0; i < l.count; i++)
				free((char *)name[i]);
			free(found);
			free((char *)march);
			marches += n;
			marches += *marches == ' ';
		} while (*marches);
	}
}
END_TEST

/* A job's control group is counted as a whole on every CPU; a group that may not be, task by task.
 */
START_TEST(control_group)
{
	struct pm_err e;

	for (int may = 0; may < 2; may++) {
		struct pm_tree *tree = pm_tree_open("", getpid(), &e);
		const struct pm_target job_target = { .root = "",
						      .cgroup = "/a/group",
						      .tree = tree };

		reset();
		PM_SURE(tree);
		pm_tree_scan(tree);
		PM_SURE(pm_config_set(PM_SET_perf, "{cycles,instructions}", &e) == 0);
		PM_SURE(pm_sink_init(&sink, &pm_source_perf) == 0);
		PM_SURE(pm_source_perf.open(&state, &job_target, &sink, &why) == 0);
		group_denied = !may;
		again();
		ck_assert_int_eq(counters, 2);
		for (int i = 0; i < 2; i++) {
			const bool by_group = counter[i].flags & PERF_FLAG_PID_CGROUP;

			ck_assert_int_eq(by_group, may);
			ck_assert_int_eq(counter[i].pid, may ? group_fd : getpid());
			ck_assert_int_eq(counter[i].cpu, may ? 0 : -1);
			ck_assert_int_eq(counter[i].group, i ? counter[0].fd : -1);
			ck_assert_int_eq(counter[i].attr.inherit, !may);
			check_known("count", i ? "instructions" : "cycles", 0);
		}
		end();
		pm_tree_close(tree);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_perf");
	TCase *t = tcase_create("perf");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, ska_events);
	tcase_add_test(t, multiplexed);
	tcase_add_test(t, refused);
	tcase_add_test(t, colmet_events);
	tcase_add_test(t, groups);
	tcase_add_test(t, lists);
	tcase_add_test(t, metrics_of_lists);
	tcase_add_test(t, control_group);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
