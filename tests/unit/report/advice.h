/* The facts of a healthy job, what the rules of advice say of it, and counters for it. */
#ifndef PM_TESTS_UNIT_REPORT_ADVICE_H
#define PM_TESTS_UNIT_REPORT_ADVICE_H

#include "report/advice/advice.h"
#include "tests/unit/main.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define S 1000000

/* A healthy job: 8 CPUs, 100 s, 90 % busy, nothing wrong. Its lists have room for one row. */
static struct pm_facts f;
static struct pm_fact_program program;
static struct pm_fact_failure failure;

static void healthy(void)
{
	pm_facts_init(&f, 1);
	f.wall_us = 100LL * S;
	f.cpus = 8;
	f.cpu_us = 720LL * S;
	f.user_us = 700LL * S;
	f.system_us = 20LL * S;
	f.efficiency = 0.9;
	f.coverage = 0.99;
	f.charged_us = 727LL * S;
	f.exit_status = 0;
	f.hosts_count = 1;
	f.memory = 16000000000;
	f.rss = 2000000000;
	f.rss_tree = PM_UNKNOWN;
	f.majflt = 10;
	f.time_oncpu_us = 720LL * S;
	f.time_waiting_us = 20LL * S;
	f.short_runs = 20;
	f.short_cpu_us = S / 10;
	f.read_bytes = f.write_bytes = 1000000;
	program = (struct pm_fact_program){
		.label = "app",
		.runs = 1,
		.cpu_us = 700LL * S,
		.system_us = 15LL * S,
		.rchar = 1000000000,
		.syscr = 20000,
		.wchar = 1000000000,
		.syscw = 20000,
		.numtids = 8,
	};
	f.by_cpu = f.by_io = f.by_rss = f.by_tiny = &program;
	f.by_cpu_n = f.by_io_n = f.by_rss_n = f.by_tiny_n = 1;
	failure = (struct pm_fact_failure){
		.label = "app", .count = 2, .exit_status = PM_UNKNOWN, .exit_signal = PM_UNKNOWN
	};
	f.failure = &failure;
	f.failures = 0;
}

/* The sentences of all rules that speak, in order, as "id: text\n". */
static inline const char *said(void)
{
	static char all[16384];
	struct pm_advice list[PM_ADVICE_RULES];
	size_t len = 0, n = pm_advice_list(&f, list);

	all[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct pm_advice *a = &list[i];

		ck_assert_uint_gt(strlen(a->text), 20);
		ck_assert_uint_lt(strlen(a->text), PM_ADVICE_MAX - 1);
		ck_assert_ptr_null(strstr(a->text, "unknown"));
		ck_assert_int_le(a->cost_us, f.wall_us);
		len += (size_t)snprintf(all + len, sizeof all - len, "%s: %s\n", a->id, a->text);
	}
	return all;
}

#define SAYS(part) ck_assert_ptr_nonnull(strstr(said(), part))
#define SILENT()   ck_assert_str_eq(said(), "")

static const struct pm_metric_info ipc_info = { .id = "ipc" }, misses_info = { .id = "llc_mpki" };
static struct pm_fact_metric metric[2];
static struct pm_fact_counter counter[2];

static inline void count(void)
{
	metric[0] = (struct pm_fact_metric){ .info = &ipc_info, .value = 0.5, .processes = 10 };
	metric[1] = (struct pm_fact_metric){ .info = &misses_info, .value = 20, .processes = 10 };
	counter[0] = (struct pm_fact_counter){ .name = "cycles", .known = 10, .ratio = 1 };
	counter[1] = (struct pm_fact_counter){ .name = "flops", .known = 10, .ratio = 1 };
	f.metric = metric;
	f.counter = counter;
	f.counters = 2;
	f.counted = 20;
}

#endif
