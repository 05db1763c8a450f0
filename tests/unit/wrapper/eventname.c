/* eventname_formula.c, eventname.c, events.c: derived presets, recorded devices, words to events.
 */
#include "config.h"

#include "common/library.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/events/eventname.h"
#include "wrapper/events/events.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows of PAPI's table of presets, papi_events.csv of PAPI 7.0, and what they mean. */
static const struct {
	const char *derived, *postfix;
	unsigned terms;
	const char *want; /* NULL: refused */
} presets[] = {
	{ "NOT_DERIVED", "", 1, "N0" },
	{ "DERIVED_ADD", "", 2, "N0 N1 +" },
	{ "DERIVED_ADD", "", 4, "N0 N1 + N2 + N3 +" },
	{ "DERIVED_SUB", "", 2, "N0 N1 -" },
	{ "DERIVED_SUB", "", 3, "N0 N1 - N2 -" },
	/* bdw: PAPI_DP_OPS */
	{ "DERIVED_POSTFIX", "N0|N1|2|*|+|N2|4|*|+|", 3, "N0 N1 2 * + N2 4 * +" },
	/* snb: PAPI_DP_OPS */
	{ "DERIVED_POSTFIX", "N0|N1|2|*|N2|4|*|+|+|", 3, "N0 N1 2 * N2 4 * + +" },
	/* a57: PAPI_L1_TCH */
	{ "DERIVED_POSTFIX", "N0|N1|-|N2|+|N3|-|", 4, "N0 N1 - N2 + N3 -" },
	{ "DERIVED_POSTFIX", "N0|1.5|*", 1, "N0 1.5 *" },
	{ "DERIVED_POSTFIX", "N0|#|*|N1|/|", 2, "N0 2000000000 * N1 /" },
	{ "DERIVED_PS", "", 2, "N1 2000000000 * N0 /" },
	{ "DERIVED_ADD_PS", "", 3, "N1 N2 + 2000000000 * N0 /" },
	{ "DERIVED_POSTFIX", "N0|N1|", 2, NULL },
	{ "DERIVED_POSTFIX", "N0|+|", 2, NULL },
	{ "DERIVED_POSTFIX", "N0|N2|+|", 2, NULL },
	{ "DERIVED_POSTFIX", "N0|x|+|", 2, NULL },
	{ "DERIVED_POSTFIX", "N|1|+|", 2, NULL },
	{ "DERIVED_POSTFIX", "N-1|1|+|", 2, NULL },
	{ "DERIVED_POSTFIX", "", 2, NULL },
	{ "DERIVED_POSTFIX", "||||", 2, NULL },
	{ "DERIVED_POSTFIX", "N0|1234567890123456789012345678901234567890|+|", 1, NULL },
	{ "DERIVED_CMPD", "", 2, NULL },
	{ "DERIVED_INFIX", "N0+N1", 2, NULL },
	{ "DERIVED_ADD", "", 0, NULL },
	{ "DERIVED_PS", "", 1, NULL },
};

START_TEST(presets_become_formulas)
{
	char formula[PM_EVENTNAME_FORMULA_MAX], postfix[2000];

	for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
		int rc = pm_eventname_formula(presets[i].derived, presets[i].postfix,
					      presets[i].terms, 2e9, formula);

		ck_assert_msg(rc == (presets[i].want ? 0 : -1), "%zu: %d", i, rc);
		if (rc == 0)
			ck_assert_str_eq(formula, presets[i].want);
	}
	/* A rate without the processor's frequency is not known. */
	ck_assert_int_eq(pm_eventname_formula("DERIVED_PS", "", 2, 0, formula), -1);
	/* What does not fit is refused, not cut. */
	strcpy(postfix, "N0|");
	for (int i = 0; i < 200; i++)
		strcat(postfix, "1|+|");
	ck_assert_int_eq(pm_eventname_formula("DERIVED_POSTFIX", postfix, 1, 0, formula), -1);
}
END_TEST

static char root[] = "/tmp/perfmon-eventname.XXXXXX";

static void make_file(const char *name, const char *text)
{
	char path[500];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", root, name);
	for (char *p = path + sizeof root; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

/* Devices as a kernel shows them. */
static void make_tree(void)
{
	struct pm_err e;

	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_int_eq(pm_config_set(PM_SET_root, root, &e), 0);
#define DEVICE "sys/bus/event_source/devices/"
	make_file(DEVICE "core0/type", "8");
	make_file(DEVICE "core0/format/event", "config:0-7,32-35");
	make_file(DEVICE "core0/format/umask", "config:8-15");
	make_file(DEVICE "core0/format/offcore", "config1:0-63");
	make_file(DEVICE "core0/format/edge", "config:18");
	make_file(DEVICE "core0/format/odd", "bits:3");
	make_file(DEVICE "core0/events/loads", "event=0xcd,umask=0x1,offcore=3");
	make_file(DEVICE "core0/events/loads.unit", "lines");
	make_file(DEVICE "core0/events/loop", "loop");
	make_file(DEVICE "uncore/type", "20");
	make_file(DEVICE "uncore/cpumask", "0");
	make_file(DEVICE "uncore/format/event", "config:0-7");
	make_file("sys/kernel/tracing/events/sched/sched_switch/id", "311");
	make_file("proc/sys/kernel/perf_event_paranoid", "4");
}

static void remove_tree(void)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf '%s'", root);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(devices_encode_by_their_formats)
{
	static const struct {
		const char *name;
		uint64_t config, config1;
		unsigned exclude;
	} want[] = {
		{ "core0/event=0x3c/", 0x3c, 0, PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "core0/event=0xf3c/", 0xf0000003c, 0, PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "core0/event=1,umask=2,edge/k", 0x40201, 0, PM_EXCLUDE_USER | PM_EXCLUDE_HV },
		{ "core0/config=7,config1=0x10/", 7, 16, PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "core0/loads/", 0x1cd, 3, PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV },
		{ "core0/loads,umask=4/:uk", 0x4cd, 3, PM_EXCLUDE_HV },
	};
	static const char *const none[] = {
		"core0/event=0x1000/", "core0/event=x/", "core0/odd=1/",   "core0/nothing/",
		"core0/event=1",       "core0/loads/x",  "core1/event=1/", "../core0/event=1/",
		"core0/../type/",      "core0/loop/",    "core0/edge=2/",
	};
	struct pm_eventname found;

	make_tree();
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		ck_assert_msg(pm_eventname_find(want[i].name, &found) == &pm_eventname_sysfs, "%s",
			      want[i].name);
		ck_assert_msg(found.event.type == 8 && found.event.config == want[i].config &&
				      found.event.config1 == want[i].config1 &&
				      found.event.exclude == want[i].exclude,
			      "%s: %llx", want[i].name, (unsigned long long)found.event.config);
		ck_assert_str_eq(found.refused, "");
	}
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(pm_eventname_sysfs.find(none[i], &found) == -1, "%s", none[i]);
	ck_assert_ptr_eq(pm_eventname_find("uncore/event=1/", &found), &pm_eventname_sysfs);
	ck_assert_ptr_nonnull(strstr(found.refused, "whole CPUs"));
	ck_assert_ptr_eq(pm_eventname_find("sched:sched_switch", &found), &pm_eventname_sysfs);
	ck_assert(found.event.type == PERF_TYPE_TRACEPOINT && found.event.config == 311 &&
		  found.event.kernel_only);
	ck_assert_int_eq(pm_eventname_sysfs.find("sched:../x", &found), -1);
	remove_tree();
}
END_TEST

START_TEST(words_stand_by_their_devices)
{
	/* Not counted at all, or counted in user mode: the order is the same. */
	const char *events[] = { "cpu-clock", "page-faults", "mem:0x1000:w", "nonsense",
				 "PAPI_NONE" };
	struct pm_event previous = { 0 }, e;
	struct pm_str rest, item;
	struct pm_events ev;
	size_t seen = 0;

	pm_events_resolve(&ev,
			  "PER_PROCESS, nonsense ,cpu-clock,mem:0x1000:w,,page-faults,cpu-clock,"
			  "PAPI_NONE,COLLATED_TSV",
			  "user");
	ck_assert_int_eq(ev.words, 5);
	rest = (struct pm_str){ ev.text, strlen(ev.text) };
	while (pm_tsv_next_item(&rest, &item)) {
		ck_assert_int_eq(pm_event_parse(&e, item.p, item.n), 0);
		ck_assert_msg(e.reason.n || previous.reason.n == 0, "%s", ev.text);
		if (seen < 3 && e.reason.n == 0)
			ck_assert(strncmp(e.name.p, events[seen], e.name.n) == 0);
		previous = e;
		seen++;
	}
	ck_assert_int_eq(seen, 5);
	for (size_t i = 0; i < ev.words; i++)
		if (strcmp(ev.word[i].name, "nonsense") == 0 ||
		    strcmp(ev.word[i].name, "PAPI_NONE") == 0) {
			ck_assert_int_eq(ev.word[i].state, PM_TRYOPEN_UNKNOWN);
			ck_assert_str_eq(ev.word[i].reason, "unknown");
		}
	pm_events_free(&ev);
	pm_events_resolve(&ev, "PER_PROCESS", "user");
	ck_assert(ev.words == 0 && ev.text[0] == '\0');
	pm_events_free(&ev);
}
END_TEST

START_TEST(more_than_a_job_can_have_are_refused)
{
	char options[4000] = "";
	struct pm_events ev;
	size_t items = 1;

	for (int i = 0; i < PM_EVENTS_MAX + 2; i++)
		snprintf(options + strlen(options), sizeof options - strlen(options), "nonsense%d,",
			 i);
	pm_events_resolve(&ev, options, "user");
	ck_assert_int_eq(ev.words, PM_EVENTS_MAX + 2);
	ck_assert_int_eq(ev.word[PM_EVENTS_MAX - 1].state, PM_TRYOPEN_UNKNOWN);
	ck_assert_int_eq(ev.word[PM_EVENTS_MAX].state, PM_TRYOPEN_LIMITED);
	for (const char *p = ev.text; *p; p++)
		items += *p == ' ';
	ck_assert_int_eq(items, PM_EVENTS_MAX);
	pm_events_free(&ev);
}
END_TEST

START_TEST(near_names_are_suggested)
{
	char text[200];

	pm_events_suggest(text, sizeof text, "cylces");
	ck_assert_msg(strncmp(text, "cycles", 6) == 0, "%s", text);
	pm_events_suggest(text, sizeof text, "perf::page-falts");
	ck_assert_msg(strncmp(text, "page-faults", 11) == 0, "%s", text);
	pm_events_suggest(text, sizeof text, "PERF_COUNT_SW_CPU_CLOK");
	ck_assert_msg(strncmp(text, "PERF_COUNT_SW_CPU_CLOCK", 23) == 0, "%s", text);
	pm_events_suggest(text, sizeof text, "a name of nothing that ever was");
	ck_assert_str_eq(text, "");
	pm_events_suggest(text, sizeof text, "");
	ck_assert_str_eq(text, "");
}
END_TEST

static int never(void *ctx, const char *name, const char *description)
{
	(void)ctx;
	(void)description;
	ck_abort_msg("%s is listed", name);
}

START_TEST(a_library_perfmon_was_built_without_says_so)
{
	static const struct pm_eventname_source absent = { .name = "absent" };
	char text[64];

	ck_assert_int_eq(pm_eventname_describe(&absent, text, sizeof text), -1);
	ck_assert_str_eq(text, "perfmon was built without it");
	pm_eventname_list(&absent, never, NULL);
}
END_TEST

START_TEST(libraries_are_looked_for_by_each_of_their_names)
{
	static const char *const none[] = { "libabsent.so.1", "libabsent.so", NULL };
	static const char *const second[] = { "libabsent.so.1", "libc.so.6", NULL };
	/* A function that no sanitizer has one of its own for. */
	const char *(*found)(void) = NULL;
	const struct pm_library_function there = { "gnu_get_libc_version", &found };
	const struct pm_library_function missing = { "pm_absent", &found };
	char why[256] = "";

	ck_assert_int_eq(pm_library_open(none, &there, 1, why, sizeof why), -1);
	ck_assert_msg(strstr(why, "libabsent.so:"), "%s", why);
	ck_assert_int_eq(pm_library_open(second, &missing, 1, why, sizeof why), -1);
	ck_assert_str_eq(why, "libc.so.6 lacks pm_absent");
	ck_assert_int_eq(pm_library_open(second, &there, 1, why, sizeof why), 0);
	ck_assert_str_eq(found(), gnu_get_libc_version());
}
END_TEST

START_TEST(every_row_has_a_short_name)
{
	/* Which is what `perfmon events` lists. */
	for (size_t i = 0; i < PM_EVENT_ROWS; i++)
		ck_assert_ptr_nonnull(strchr(pm_event_info[i].names, ' '));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("eventname");
	TCase *t = tcase_create("all");

	tcase_add_test(t, presets_become_formulas);
	tcase_add_test(t, devices_encode_by_their_formats);
	tcase_add_test(t, words_stand_by_their_devices);
	tcase_add_test(t, more_than_a_job_can_have_are_refused);
	tcase_add_test(t, near_names_are_suggested);
	tcase_add_test(t, a_library_perfmon_was_built_without_says_so);
	tcase_add_test(t, libraries_are_looked_for_by_each_of_their_names);
	tcase_add_test(t, every_row_has_a_short_name);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
