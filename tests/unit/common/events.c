/* events.c: names of events, and the entries of PERFMON_EVENTS. */
#include "config.h"

#include "common/safe/events.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define USER_ONLY (PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV)

static int find(struct pm_event *e, const char *name)
{
	return pm_event_find(e, name, strlen(name));
}

START_TEST(every_spelling_of_the_table_is_found)
{
	static const char *const before[] = { "", "perf::", "PERF::" };

	for (size_t i = 0; i < PM_EVENT_ROWS; i++) {
		const struct pm_event_info *info = &pm_event_info[i];

		for (const char *p = info->names; *p;) {
			size_t n = strcspn(p, " ");

			for (size_t k = 0; k < 3; k++) {
				struct pm_event e;
				char name[100];
				int len =
					snprintf(name, sizeof name, "%s%.*s", before[k], (int)n, p);

				PM_SURE(pm_event_find(&e, name, (size_t)len) == 0);
				PM_SURE(e.type == info->type && e.config == info->config);
				PM_SURE(e.kernel_only == info->kernel_only);
				PM_SURE(e.exclude == (info->kernel_only ? 0 : USER_ONLY));
				PM_SURE(e.name.p == name && e.name.n == (size_t)len);
				PM_SURE(e.reason.n == 0 && !e.domain_asked);
				PM_SURE(e.config1 == 0 && e.config2 == 0 && e.bp_type == 0);
			}
			p += n + (p[n] == ' ');
		}
		ck_assert(info->help[0]);
	}
}
END_TEST

START_TEST(names_are_libpfm4s_and_perfs)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} want[] = {
		{ "PERF_COUNT_SW_CPU_CLOCK", PERF_TYPE_SOFTWARE, 0 },
		{ "perf::PAGE-FAULTS", PERF_TYPE_SOFTWARE, 2 },
		{ "faults", PERF_TYPE_SOFTWARE, 2 },
		{ "cs", PERF_TYPE_SOFTWARE, 3 },
		{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11 },
		{ "Cycles", PERF_TYPE_HARDWARE, 0 },
		{ "perf::INSTRUCTIONS", PERF_TYPE_HARDWARE, 1 },
		{ "branches", PERF_TYPE_HARDWARE, 4 },
		{ "ref-cycles", PERF_TYPE_HARDWARE, 9 },
		{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0 },
		{ "PERF_COUNT_HW_CACHE_L1D:READ:MISS", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102 },
		{ "node-prefetches", PERF_TYPE_HW_CACHE, 0x206 },
		{ "r1a8", PERF_TYPE_RAW, 0x1a8 },
		{ "rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX },
		{ "cpu/config=0x3c/", PERF_TYPE_RAW, 0x3c },
		{ "cpu/config=60/", PERF_TYPE_RAW, 60 },
	};
	struct pm_event e;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_msg(find(&e, want[i].name) == 0, "%s", want[i].name);
		ck_assert_msg(e.type == want[i].type && e.config == want[i].config, "%s",
			      want[i].name);
	}
	ck_assert_int_eq(find(&e, "cpu/config=1,config1=0x2,config2=3/u"), -1);
	ck_assert_int_eq(find(&e, "cpu/config2=3,config=1,config1=0x2/:u"), 0);
	ck_assert(e.config == 1 && e.config1 == 2 && e.config2 == 3 && e.domain_asked);
}
END_TEST

/* What the 28 names of colmet's perfhw stand for. Of its caches, operations and results, which no
 * event has by themselves, the kernel made what the rest of the number says: reads, accesses. */
START_TEST(names_are_colmets)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} want[] = {
		{ "cpu_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
		{ "cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
		{ "branch_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "bus_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
		{ "ref_cpu_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
		{ "cache_l1d", PERF_TYPE_HW_CACHE, 0 },
		{ "cache_ll", PERF_TYPE_HW_CACHE, 2 },
		{ "cache_dtlb", PERF_TYPE_HW_CACHE, 3 },
		{ "cache_itlb", PERF_TYPE_HW_CACHE, 4 },
		{ "cache_bpu", PERF_TYPE_HW_CACHE, 5 },
		{ "cache_node", PERF_TYPE_HW_CACHE, 6 },
		{ "cache_op_read", PERF_TYPE_HW_CACHE, 0 },
		{ "cache_op_prefetch", PERF_TYPE_HW_CACHE, 0x200 },
		{ "cache_result_access", PERF_TYPE_HW_CACHE, 0 },
		{ "cpu_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu_migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ "page_faults_min", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
		{ "page_faults_maj", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
		{ "alignment_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
		{ "emulation_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
		{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
		{ "bpf_output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	};
	struct pm_event e;

	ck_assert_uint_eq(sizeof want / sizeof want[0], 28);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_msg(find(&e, want[i].name) == 0, "%s", want[i].name);
		ck_assert_msg(e.type == want[i].type && e.config == want[i].config, "%s",
			      want[i].name);
	}
}
END_TEST

START_TEST(modifiers_choose_the_domain)
{
	static const struct {
		const char *name;
		unsigned exclude;
	} want[] = {
		{ "cycles:u", PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "cycles:k", PM_EXCLUDE_USER | PM_EXCLUDE_HV },
		{ "cycles:uk", PM_EXCLUDE_HV },
		{ "cycles:u:k", PM_EXCLUDE_HV },
		{ "cycles:ukh", 0 },
		{ "cycles:h", PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL },
		{ "cycles:uI", PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV | PM_EXCLUDE_IDLE },
		{ "cycles:ukG", PM_EXCLUDE_HV | PM_EXCLUDE_HOST },
		{ "cycles:ukH", PM_EXCLUDE_HV | PM_EXCLUDE_GUEST },
		{ "cycles:u=1:k=0", PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "perf::CYCLES:u=0:k=1", PM_EXCLUDE_USER | PM_EXCLUDE_HV },
		{ "PERF_COUNT_HW_CACHE_L1D:READ:MISS:u", PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "cs:u", PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "r3c:k", PM_EXCLUDE_USER | PM_EXCLUDE_HV },
	};
	static const char *const none[] = {
		"cycles:",    "cycles:x",   "cycles:u:", "cycles::u", "cycles:u=2",
		"cycles:u=0", "cycles:I=1", "cycles:u=", "cycles:pp", "cycles:k=0:u=0"
	};
	struct pm_event e;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_msg(find(&e, want[i].name) == 0, "%s", want[i].name);
		ck_assert_msg(e.exclude == want[i].exclude && e.domain_asked, "%s: %x",
			      want[i].name, e.exclude);
	}
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(find(&e, none[i]) == -1, "%s", none[i]);
	/* Idle time and guests are not what a domain is. */
	ck_assert(find(&e, "cycles:H") == 0 && !e.domain_asked);
	ck_assert_int_eq(e.exclude, USER_ONLY | PM_EXCLUDE_GUEST);
}
END_TEST

START_TEST(breakpoints_are_spelled_as_perf_does)
{
	static const struct {
		const char *name;
		uint64_t address, length;
		unsigned bp_type;
	} want[] = {
		{ "mem:0x1000", 0x1000, 4, HW_BREAKPOINT_RW },
		{ "mem:4096", 4096, 4, HW_BREAKPOINT_RW },
		{ "mem:0x1000:w", 0x1000, 4, HW_BREAKPOINT_W },
		{ "mem:0x1000/8:rw", 0x1000, 8, HW_BREAKPOINT_RW },
		{ "mem:0xffffffffffffffff/1:r", UINT64_MAX, 1, HW_BREAKPOINT_R },
		{ "mem:0x1000:x", 0x1000, sizeof(long), HW_BREAKPOINT_X },
		{ "mem:0x1000/4:rwx", 0x1000, 4, HW_BREAKPOINT_RW | HW_BREAKPOINT_X },
		{ "mem:0x1000:w:u", 0x1000, 4, HW_BREAKPOINT_W },
		{ "mem:0x1000:u", 0x1000, 4, HW_BREAKPOINT_RW },
	};
	static const char *const none[] = {
		"mem:",        "mem:x",          "mem:0x",
		"mem:0x1/",    "mem:0x1/4/",     "mem:0x1:",
		"mem:0x1:rwq", "mem:0x1:u:rw",   "mem:0x1ffffffffffffffff",
		"mem:-1",      "perf::mem:0x10", "mem:99999999999999999999"
	};
	struct pm_event e;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_msg(find(&e, want[i].name) == 0, "%s", want[i].name);
		ck_assert_msg(e.type == PERF_TYPE_BREAKPOINT && e.config == 0 &&
				      e.config1 == want[i].address && e.config2 == want[i].length &&
				      e.bp_type == want[i].bp_type && e.exclude == USER_ONLY,
			      "%s", want[i].name);
	}
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(find(&e, none[i]) == -1, "%s", none[i]);
}
END_TEST

START_TEST(other_names_are_not_found)
{
	static const char *const none[] = { "",
					    "cycle",
					    "cyclesx",
					    "PAPI_TOT_INS",
					    "perf::",
					    "r",
					    "r1x",
					    "r12345678901234567",
					    "cpu/",
					    "cpu//",
					    "cpu/config=/",
					    "cpu/config=1",
					    "cpu/event=1/",
					    " cycles",
					    "cycles ",
					    "PER_PROCESS" };
	struct pm_event e;

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(find(&e, none[i]) == -1, "'%s'", none[i]);
}
END_TEST

/* Format an event; returns the length. */
static size_t format(char *text, size_t size, const struct pm_event *e)
{
	struct pm_buf b;

	pm_buf_init(&b, text, size);
	pm_event_format(&b, e);
	return b.truncated ? 0 : b.len;
}

START_TEST(entries_round_trip)
{
	uint64_t state = 1;

	for (int i = 0; i < 20000; i++) {
		char raw[40], name[sizeof raw * 4 + 2], text[PM_EVENT_ENTRY_MAX + sizeof name],
			again[sizeof text];
		struct pm_event e = { .type = (uint32_t)random_next(&state),
				      .config = random_next(&state) >> random_below(&state, 64),
				      .config1 = random_next(&state) >> random_below(&state, 64),
				      .config2 = random_next(&state) >> random_below(&state, 64),
				      .bp_type = (uint32_t)random_below(&state, 8),
				      .exclude = (uint8_t)random_below(&state, 64) };
		struct pm_event back;
		struct pm_buf b;
		size_t n;

		n = random_below(&state, sizeof raw);
		random_text(&state, raw, n);
		pm_buf_init(&b, name, sizeof name);
		PM_SURE(pm_tsv_escape_item(&b, raw, n, 1) == n && !b.truncated);
		e.name = (struct pm_str){ name, b.len };
		if (random_below(&state, 4) == 0)
			e = (struct pm_event){ .name = e.name, .reason = { "ENOENT", 6 } };
		n = format(text, sizeof text, &e);
		PM_SURE(n > 0 && n <= PM_EVENT_ENTRY_MAX + e.name.n);
		PM_SURE(memchr(text, ' ', n) == NULL);
		PM_SURE(pm_event_parse(&back, text, n) == 0);
		PM_SURE(back.type == e.type && back.config == e.config &&
			back.config1 == e.config1 && back.config2 == e.config2 &&
			back.bp_type == e.bp_type && back.exclude == e.exclude);
		PM_SURE(back.name.n == e.name.n && memcmp(back.name.p, name, e.name.n) == 0);
		PM_SURE(back.reason.n == e.reason.n);
		PM_SURE(format(again, sizeof again, &back) == n && memcmp(text, again, n) == 0);
		/* No shorter buffer takes it, and a shorter text is not the same. */
		PM_SURE(format(again, n - 1, &e) == 0);
	}
}
END_TEST

START_TEST(entries_are_written_as_documented)
{
	struct pm_event e;
	char text[100];

	ck_assert_int_eq(find(&e, "perf::PAGE-FAULTS"), 0);
	text[format(text, sizeof text - 1, &e)] = '\0';
	ck_assert_str_eq(text, "1:2:0:0:0:6:perf::PAGE-FAULTS");
	ck_assert_int_eq(find(&e, "mem:0x55001234/8:w"), 0);
	text[format(text, sizeof text - 1, &e)] = '\0';
	ck_assert_str_eq(text, "5:0:55001234:8:2:6:mem:0x55001234/8:w");
	e = (struct pm_event){ .name = { "PAPI_TOT_INS", 12 }, .reason = { "ENOENT", 6 } };
	text[format(text, sizeof text - 1, &e)] = '\0';
	ck_assert_str_eq(text, "?ENOENT:PAPI_TOT_INS");
}
END_TEST

START_TEST(entries_for_papi_round_trip)
{
	struct pm_event e = { .type = 2,
			      .scope = PM_EVENT_NODE,
			      .papi = { "net:net:::eth0:rx:bytes", 23 },
			      .name = { "papi:a", 6 } },
			back;
	char text[200], again[200];
	size_t n = format(text, sizeof text, &e);

	text[n] = '\0';
	ck_assert_str_eq(text, "@node:2:17:net:net:::eth0:rx:bytes:papi:a");
	for (e.scope = PM_EVENT_THREAD; e.scope < PM_EVENT_LIBRARY; e.scope++) {
		n = format(text, sizeof text, &e);
		ck_assert_int_eq(pm_event_parse(&back, text, n), 0);
		ck_assert(back.scope == e.scope && back.type == 2 && back.papi.n == 23);
		ck_assert(memcmp(back.papi.p, e.papi.p, 23) == 0 && back.name.n == 6);
		ck_assert(format(again, sizeof again, &back) == n && memcmp(text, again, n) == 0);
		for (size_t cut = 0; cut < n; cut++)
			ck_assert_msg(pm_event_parse(&back, text, cut) < 0 || back.name.n < 6,
				      "%.*s", (int)cut, text);
	}
	e = (struct pm_event){ .scope = PM_EVENT_LIBRARY,
			       .config = 0x7000000,
			       .name = { "/usr/lib/libpapi.so.7.0", 23 } };
	n = format(text, sizeof text, &e);
	text[n] = '\0';
	ck_assert_str_eq(text, "@library:7000000:/usr/lib/libpapi.so.7.0");
	ck_assert_int_eq(pm_event_parse(&back, text, n), 0);
	ck_assert(back.scope == PM_EVENT_LIBRARY && back.config == 0x7000000 && back.name.n == 23);
	ck_assert_str_eq(pm_event_scope_name(PM_EVENT_PROCESS), "process");
}
END_TEST

START_TEST(malformed_entries_are_refused)
{
	static const char *const none[] = {
		"",
		"1:2:3:4:5:6",
		"1:2:3:4:5:6:",
		"1:2:3:4:5::x",
		":2:3:4:5:6:x",
		"1:2:3:4:5:40:x",
		"100000000:0:0:0:0:0:x",
		"1:10000000000000000:0:0:0:0:x",
		"0x1:0:0:0:0:0:x",
		" 1:0:0:0:0:0:x",
		"1:0:0:0:0:0:a b",
		"1:0:0:0:0:0:a\tb",
		"1:0:0:0:0:0:a\\",
		"1:0:0:0:0:0:\xff",
		"?",
		"?:x",
		"?ENOENT",
		"?ENOENT:",
		"?EN=OENT:x",
		"?ENO ENT:x",
		"?12345678901234567890123456789012:x",
		"@",
		"@thread",
		"@thread:0:3:a:b",
		"@thread:0:3:a:b:",
		"@thread:0:4:a:b:x",
		"@thread:0:2:ab:x",
		"@thread:100:3:a:b:x",
		"@thread:0:200:a:b:x",
		"@thread:0:ffffffff:a:b:x",
		"@thread:0:3:a b:x",
		"@threads:0:3:a:b:x",
		"@:0:3:a:b:x",
		"@library:x:/p",
		"@library:1:",
		"@library:100000000:/p",
	};
	struct pm_event e;

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(pm_event_parse(&e, none[i], strlen(none[i])) == -1, "'%s'", none[i]);
}
END_TEST

START_TEST(words_end_at_commas_outside_slashes)
{
	static const struct {
		const char *list;
		size_t n;
	} want[] = {
		{ "", 0 },
		{ ",x", 0 },
		{ "cycles,x", 6 },
		{ "cycles", 6 },
		{ "cpu/config=1,config1=2/,x", 23 },
		{ "cpu/config=1,config1=2/:u,x", 25 },
		{ "cpu/config=1,x", 12 },
		{ "mem:0x10/4,mem:0x20/4", 10 },
		{ "a/b/c,d/e", 5 },
	};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_msg(pm_event_word(want[i].list) == want[i].n, "%s", want[i].list);
}
END_TEST

START_TEST(flags_are_not_events)
{
	struct pm_event e;

	ck_assert(pm_event_is_flag("PER_PROCESS", 11));
	ck_assert(pm_event_is_flag("COLLATED_TSV", 12));
	ck_assert(!pm_event_is_flag("COLLATED_TSV ", 13));
	ck_assert(!pm_event_is_flag("PER_PROCES", 10));
	ck_assert(!pm_event_is_flag("per_process", 11));
	ck_assert(!pm_event_is_flag("", 0));
	ck_assert_int_eq(find(&e, "COLLATED_TSV"), -1);
}
END_TEST

START_TEST(what_the_kernel_keeps_is_not_opened)
{
	static const struct {
		const char *name;
		enum pm_event_how how;
	} want[] = {
		{ "task-clock", PM_HOW_CLOCK },
		{ "cpu-clock:k", PM_HOW_CLOCK },
		{ "PERF_COUNT_SW_CPU_CLOCK:uk", PM_HOW_CLOCK },
		{ "task-clock:I", PM_HOW_DIRECT },
		{ "context-switches", PM_HOW_RUSAGE },
		{ "cs:k", PM_HOW_RUSAGE },
		{ "cs:uk", PM_HOW_RUSAGE },
		{ "cs:u", PM_HOW_DIRECT },
		{ "cs:H", PM_HOW_DIRECT },
		{ "migrations", PM_HOW_DIRECT },
		{ "page-faults", PM_HOW_DIRECT },
		{ "minor-faults:uk", PM_HOW_DIRECT },
		{ "cycles", PM_HOW_DIRECT },
		{ "cpu/config=1/", PM_HOW_DIRECT },
		/* The numbers of the clock and of context switches, of another type. */
		{ "r0", PM_HOW_DIRECT },
		{ "r3", PM_HOW_DIRECT },
	};
	struct pm_event e;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_int_eq(pm_event_find(&e, want[i].name, strlen(want[i].name)), 0);
		ck_assert_msg(pm_event_how(&e) == want[i].how, "%s", want[i].name);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("events");
	TCase *t = tcase_create("all");

	tcase_add_test(t, every_spelling_of_the_table_is_found);
	tcase_add_test(t, names_are_libpfm4s_and_perfs);
	tcase_add_test(t, names_are_colmets);
	tcase_add_test(t, modifiers_choose_the_domain);
	tcase_add_test(t, breakpoints_are_spelled_as_perf_does);
	tcase_add_test(t, other_names_are_not_found);
	tcase_add_test(t, entries_round_trip);
	tcase_add_test(t, entries_are_written_as_documented);
	tcase_add_test(t, entries_for_papi_round_trip);
	tcase_add_test(t, malformed_entries_are_refused);
	tcase_add_test(t, words_end_at_commas_outside_slashes);
	tcase_add_test(t, flags_are_not_events);
	tcase_add_test(t, what_the_kernel_keeps_is_not_opened);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
