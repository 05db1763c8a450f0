/* wrapper/events/events.c, events_word.c, events_job.c: what the words of options become, of a kernel and a PAPI that the
 * test makes up; and what of it is in the job's metadata. */
#include "config.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/events/events.h"
#include "wrapper/metadata/metadata.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- the kernel --------------------------------------------------------------------------------- */

/* What perf_event_open says: an error number or 0, of what is counted in user mode alone, else, and of any where
 * levels are told apart. */
static int user_error, kernel_error, levels_error;

/* It hands on six arguments, whether they were passed or not. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const struct perf_event_attr *attr;
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_perf_event_open) {
		if (!real)
			*(void **)&real = dlsym(RTLD_NEXT, "syscall");
		return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	attr = (const struct perf_event_attr *)a[0];
	errno = attr->exclude_kernel ? user_error : kernel_error;
	if (!errno && (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv))
		errno = levels_error;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* A plain user, for whom perf_event_paranoid counts. */
static uid_t user = 1000;

uid_t geteuid(void)
{
	return user;
}

/* --- a PAPI ------------------------------------------------------------------------------------- */

static int find(const char *name, struct pm_eventname *found)
{
	static const struct {
		const char *name;
		unsigned terms;
		const char *term[2];
	} presets[] = {
		{ "PAPI_SUM", 2, { "page-faults", "minor-faults" } },
		{ "PAPI_ONE", 1, { "cycles" } },
		{ "PAPI_BAD", 2, { "page-faults", "nosuch" } },
		{ "PAPI_NEST", 2, { "page-faults", "PAPI_ONE" } },
	};

	for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++)
		if (strcmp(presets[i].name, name) == 0) {
			found->terms = presets[i].terms;
			for (unsigned k = 0; k < found->terms; k++)
				snprintf(found->term[k], PM_EVENTNAME_MAX, "%s", presets[i].term[k]);
			snprintf(found->formula, sizeof found->formula, "N0 N1 +");
			return 0;
		}
	snprintf(found->description, sizeof found->description, "of PAPI");
	if (strncmp(name, "papi:", 5) == 0) {
		found->event.scope = PM_EVENT_THREAD;
		snprintf(found->papi, sizeof found->papi, "perf_event:%s", name + 5);
		return 0;
	}
	if (strncmp(name, "gauge:::", 8) == 0) {
		found->event.scope = PM_EVENT_NODE;
		snprintf(found->papi, sizeof found->papi, "gauge:%s", name);
		snprintf(found->unit, sizeof found->unit, "nJ");
		return 0;
	}
	if (strcmp(name, "io:::all") != 0)
		return -1;
	snprintf(found->refused, sizeof found->refused, "it is nonsense");
	return 0;
}

static int describe(char *text, size_t size)
{
	snprintf(text, size, "not there");
	return -1;
}

const struct pm_eventname_source pm_eventname_papi = { .name = "PAPI", .find = find, .describe = describe };
const struct pm_eventname_source pm_eventname_pfm = { .name = "libpfm4" };

bool pm_eventname_is_papi(const char *name)
{
	return strncmp(name, "PAPI_", 5) == 0;
}

/* Which of its names fail, and how. */
static const char *failing = "none";
static int papi_error;

int pm_eventname_papi_try(const char *text, char why[PM_EVENTNAME_MAX])
{
	if (!strstr(text, failing))
		return 0;
	snprintf(why, PM_EVENTNAME_MAX, "PAPI says no");
	return papi_error;
}

int pm_eventname_papi_library(struct pm_event *e)
{
	*e = (struct pm_event){ .scope = PM_EVENT_LIBRARY, .config = 0x7000000, .name = { "/p.so", 5 } };
	return 0;
}

/* --- words -------------------------------------------------------------------------------------- */

static void set_up(void)
{
	struct pm_err e;

	pm_unit_set_up();
	clearenv();
	setenv("HOME", pm_unit_dir, 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	ck_assert_int_eq(pm_config_set(PM_SET_root, pm_unit_dir, &e), 0);
	ck_assert(mkdir("proc", 0700) == 0 && mkdir("proc/sys", 0700) == 0 &&
		  mkdir("proc/sys/kernel", 0700) == 0);
	close(creat("proc/sys/kernel/perf_event_paranoid", 0600));
	ck_assert_int_eq(truncate("proc/sys/kernel/perf_event_paranoid", 0), 0);
	pm_log_level = -1;
}

/* The value of PERFMON_EVENTS, and behind it of each word "NAME STATE DOMAIN REASON: WHY". */
static const char *resolved(const char *options, const char *domain)
{
	static char text[8192];
	struct pm_events ev;
	size_t n;

	pm_events_resolve(&ev, options, domain);
	n = (size_t)snprintf(text, sizeof text, "%s", ev.text);
	for (size_t i = 0; i < ev.words; i++) {
		const struct pm_events_word *w = &ev.word[i];

		n += (size_t)snprintf(text + n, sizeof text - n, "\n%s %s %s %s: %s", w->name,
				      pm_tryopen_state_name(w->state), w->domain, w->reason, w->why);
	}
	pm_events_free(&ev);
	return text;
}

START_TEST(order)
{
	/* By devices, of each in the user's order; what is not counted last. */
	ck_assert_str_eq(resolved("mem:0x1000:w,nosuch, cycles ,PER_PROCESS,page-faults,r1a8,cycles,"
				  "gauge:::ten,L1-dcache-loads,minor-faults",
				  "user"),
			 "@library:7000000:/p.so "
			 "1:2:0:0:0:6:page-faults 1:5:0:0:0:6:minor-faults 5:0:1000:4:2:6:mem:0x1000:w "
			 "0:0:0:0:0:6:cycles 4:1a8:0:0:0:6:r1a8 3:0:0:0:0:6:L1-dcache-loads "
			 "@node:0:11:gauge:gauge:::ten:gauge:::ten ?unknown:nosuch\n"
			 "mem:0x1000:w ok user : \n"
			 "nosuch unknown  unknown: no source of events knows this name\n"
			 "cycles ok user : \n"
			 "page-faults ok user : \n"
			 "r1a8 ok user : \n"
			 "gauge:::ten ok all : \n"
			 "L1-dcache-loads ok user : \n"
			 "minor-faults ok user : ");
}
END_TEST

/* What is asked for, what the name says, and what there is where that may not be. */
START_TEST(domains)
{
	FILE *f = fopen("proc/sys/kernel/perf_event_paranoid", "w");

	ck_assert(f && fputs("2\n", f) >= 0 && fclose(f) == 0);
	ck_assert_str_eq(resolved("page-faults,page-faults:u,page-faults:k", "all"),
			 "1:2:0:0:0:0:page-faults 1:2:0:0:0:6:page-faults:u 1:2:0:0:0:5:page-faults:k\n"
			 "page-faults ok all : \npage-faults:u ok user : \npage-faults:k ok kernel : ");
	ck_assert_str_eq(resolved("page-faults,page-faults:u", "kernel"),
			 "1:2:0:0:0:5:page-faults 1:2:0:0:0:6:page-faults:u\n"
			 "page-faults ok kernel : \npage-faults:u ok user : ");
	/* A clock runs in all levels, context switches are the kernel's. */
	ck_assert_str_eq(resolved("task-clock,migrations", "user"),
			 "1:1:0:0:0:6:task-clock 1:4:0:0:0:0:migrations\n"
			 "task-clock ok all : \nmigrations ok all : ");
	kernel_error = EACCES;
#define LEFT "perf_event_paranoid is 2, which permits user mode only"
	ck_assert_str_eq(resolved("page-faults,page-faults:k,migrations", "all"),
			 "1:2:0:0:0:6:page-faults ?EACCES:page-faults:k ?EACCES:migrations\n"
			 "page-faults ok user : " LEFT "\n"
			 "page-faults:k denied kernel EACCES: " LEFT "\n"
			 "migrations denied all EACCES: " LEFT ", but this event happens in the kernel");
	ck_assert_str_eq(resolved("page-faults", "kernel"),
			 "?EACCES:page-faults\npage-faults denied kernel EACCES: " LEFT);
	user_error = EPERM;
	ck_assert_str_eq(resolved("page-faults", "all"),
			 "?EPERM:page-faults\n"
			 "page-faults denied user EPERM: the kernel or its security module forbids it");
}
END_TEST

/* Counters that cannot tell levels apart count all; used up ones are tried in the programs, too. */
START_TEST(counters)
{
	levels_error = EINVAL;
	ck_assert_str_eq(resolved("cycles,cycles:u", "user"),
			 "0:0:0:0:0:0:cycles ?EINVAL:cycles:u\n"
			 "cycles ok all : \n"
			 "cycles:u unsupported user EINVAL: the kernel refuses it: it is not an event of this "
			 "machine, or counts a CPU, not a thread");
	levels_error = ENOSPC;
	ck_assert_str_eq(resolved("cycles", "user"),
			 "0:0:0:0:0:6:cycles\n"
			 "cycles limited user ENOSPC: all counters that could count it are in use");
	levels_error = ENOENT;
	ck_assert_str_eq(resolved("cycles", "user"),
			 "?ENOENT:cycles\n"
			 "cycles unsupported user ENOENT: this machine has no hardware counters for it");
}
END_TEST

START_TEST(presets)
{
	ck_assert_str_eq(resolved("PAPI_SUM,PAPI_ONE,page-faults", "user"),
			 "1:2:0:0:0:6:page-faults 1:5:0:0:0:6:minor-faults 0:0:0:0:0:6:PAPI_ONE\n"
			 "PAPI_SUM ok user : \nPAPI_ONE ok user : \npage-faults ok user : ");
	ck_assert_str_eq(resolved("PAPI_BAD", "user"),
			 "?unsupported:PAPI_BAD\n"
			 "PAPI_BAD unsupported user unsupported: its component nosuch is not a known single event");
	ck_assert_str_eq(resolved("PAPI_NEST", "user"),
			 "?unsupported:PAPI_NEST\n"
			 "PAPI_NEST unsupported user unsupported: its component PAPI_ONE is not a known single event");
	ck_assert_str_eq(resolved("PAPI_WHAT", "user"),
			 "?unknown:PAPI_WHAT\nPAPI_WHAT unknown  unknown: PAPI is missing: not there");
	user_error = ENOSPC;
	ck_assert_str_eq(resolved("PAPI_SUM", "user"),
			 "1:2:0:0:0:6:page-faults 1:5:0:0:0:6:minor-faults\n"
			 "PAPI_SUM limited user ENOSPC: all breakpoint registers are in use");
	user_error = ENOENT;
	ck_assert_str_eq(resolved("PAPI_SUM", "user"),
			 "?ENOENT:PAPI_SUM\nPAPI_SUM unsupported user ENOENT: this kernel does not support it");
}
END_TEST

/* Where PAPI is to count, its name says, unless it does already. */
START_TEST(read_by_papi)
{
	static const struct {
		const char *name, *domain, *handed, *told;
	} cases[] = {
		{ "papi:x", "user", "perf_event:x", "user" },
		{ "papi:x", "all", "perf_event:x:u=1:k=1", "all" },
		{ "papi:x", "kernel", "perf_event:x:u=0:k=1", "kernel" },
		{ "papi:x:k=1", "all", "perf_event:x:k=1", "all" },
		{ "papi:x:u", "kernel", "perf_event:x:u", "kernel" },
		{ "papi:x:uncached", "all", "perf_event:x:uncached:u=1:k=1", "all" },
		{ "papi:PAPI_ONE", "all", "perf_event:PAPI_ONE", "user" },
		{ "papi:page-faults:u", "all", "perf_event:page-faults:u", "user" },
		{ "gauge:::x", "user", "gauge:gauge:::x", "all" },
	};
	char want[512];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(want, sizeof want, "@library:7000000:/p.so @%s:0:%zx:%s:%s\n%s ok %s : ",
			 cases[i].name[0] == 'p' ? "thread" : "node", strlen(cases[i].handed), cases[i].handed,
			 cases[i].name, cases[i].name, cases[i].told);
		ck_assert_str_eq(resolved(cases[i].name, cases[i].domain), want);
	}
	/* What may not be counted in the kernel is in user mode, if nobody asked for the kernel alone. */
	failing = ":k=1";
	papi_error = -15;
	ck_assert_str_eq(resolved("papi:x", "all"),
			 "@library:7000000:/p.so @thread:0:c:perf_event:x:papi:x\npapi:x ok user : PAPI says no");
	ck_assert_str_eq(resolved("papi:x", "kernel"),
			 "?PAPI_EPERM:papi:x\npapi:x denied kernel PAPI_EPERM: PAPI says no");
	failing = "x";
	papi_error = -8;
	ck_assert_str_eq(resolved("papi:x", "all"),
			 "@library:7000000:/p.so @thread:0:14:perf_event:x:u=1:k=1:papi:x\n"
			 "papi:x limited all PAPI_ECNFLCT: PAPI says no");
	papi_error = -7;
	ck_assert_str_eq(resolved("papi:x", "user"),
			 "?PAPI_ENOEVNT:papi:x\npapi:x unsupported user PAPI_ENOEVNT: PAPI says no");
	ck_assert_str_eq(resolved("io:::all", "user"),
			 "?unsupported:io:::all\nio:::all unsupported  unsupported: it is nonsense");
}
END_TEST

START_TEST(too_many)
{
	char options[2000] = "";
	struct pm_events ev;

	for (int i = 0; i < PM_EVENTS_MAX - 1; i++)
		snprintf(options + strlen(options), 30, "r%x,", i + 1);
	snprintf(options + strlen(options), 30, "PAPI_SUM,r1000");
	pm_events_resolve(&ev, options, "user");
	/* One that has no room whole has none at all, and leaves it to the next. */
	ck_assert_int_eq(ev.word[PM_EVENTS_MAX - 1].state, PM_TRYOPEN_LIMITED);
	ck_assert_str_eq(ev.word[PM_EVENTS_MAX - 1].reason, "E2BIG");
	ck_assert_str_eq(ev.word[PM_EVENTS_MAX - 1].why, "a job can have 32 events");
	ck_assert_int_eq(ev.word[PM_EVENTS_MAX].state, PM_TRYOPEN_OK);
	ck_assert_ptr_null(strstr(ev.text, "faults"));
	ck_assert_ptr_nonnull(strstr(ev.text, "r1000"));
	pm_events_free(&ev);
}
END_TEST

/* --- metadata ----------------------------------------------------------------------------------- */

static void set(enum pm_setting s, const char *value)
{
	struct pm_err e;

	ck_assert_int_eq(pm_config_set(s, value, &e), 0);
}

static void check_json(json_t *value, const char *want)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(metadata)
{
	json_t *doc = pm_metadata_new();

	pm_events_start(doc);
	ck_assert(!json_object_get(doc, "events") && !json_object_get(doc, "counters"));
	set(PM_SET_options, "PAPI_SUM,nosuch,gauge:::t,cs,PAPI_ONE");
	pm_events_start(doc);
	check_json(json_object_get(doc, "events"),
		   "[{\"domain\":\"user\",\"formula\":\"N0 N1 +\",\"how\":\"direct\",\"name\":\"PAPI_SUM\","
		   "\"source\":\"PAPI\",\"state\":\"ok\",\"terms\":[\"page-faults\",\"minor-faults\"]},"
		   "{\"name\":\"nosuch\",\"reason\":\"unknown\",\"state\":\"unknown\","
		   "\"why\":\"no source of events knows this name\"},"
		   "{\"description\":\"of PAPI\",\"domain\":\"all\",\"how\":\"papi\",\"name\":\"gauge:::t\","
		   "\"scope\":\"node\",\"source\":\"PAPI\",\"state\":\"ok\",\"unit\":\"nJ\"},"
		   "{\"description\":\"context switches\",\"domain\":\"all\",\"how\":\"rusage\",\"name\":\"cs\","
		   "\"source\":\"kernel\",\"state\":\"ok\"},"
		   "{\"domain\":\"user\",\"how\":\"direct\",\"name\":\"PAPI_ONE\",\"source\":\"PAPI\","
		   "\"state\":\"ok\",\"terms\":[\"cycles\"]}]");
	/* Of other settings others are added, and what is there again is as it is now. */
	user_error = ENOENT;
	set(PM_SET_options, "PAPI_ONE,r2");
	set(PM_SET_counter_domain, "user");
	pm_events_start(doc);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "events")), 6);
	check_json(json_array_get(json_object_get(doc, "events"), 4),
		   "{\"domain\":\"user\",\"name\":\"PAPI_ONE\",\"reason\":\"ENOENT\",\"source\":\"PAPI\","
		   "\"state\":\"unsupported\",\"terms\":[\"cycles\"],"
		   "\"why\":\"this machine has no hardware counters for it\"}");
	check_json(json_object_get(doc, "counters"),
		   "[{\"domain\":\"user\",\"export\":\"@library:7000000:/p.so 1:2:0:0:0:6:page-faults "
		   "1:5:0:0:0:6:minor-faults 1:3:0:0:0:0:cs 0:0:0:0:0:6:PAPI_ONE "
		   "@node:0:f:gauge:gauge:::t:gauge:::t ?unknown:nosuch\","
		   "\"options\":\"PAPI_SUM,nosuch,gauge:::t,cs,PAPI_ONE\"},"
		   "{\"domain\":\"user\",\"export\":\"?ENOENT:PAPI_ONE ?ENOENT:r2\",\"options\":\"PAPI_ONE,r2\"}]");
	json_decref(doc);
}
END_TEST

/* Resolved once for each settings of a job; of many settings the last ones are known. */
START_TEST(values)
{
	json_t *doc = pm_metadata_new();
	char host[256], options[32], *value;
	struct pm_jobdir d;
	struct pm_err e;

	user = getuid();
	ck_assert_int_eq(mkdir("job", 0700), 0);
	ck_assert_int_eq(pm_jobdir_open("job", &d, &e), 0);
	pm_jobdir_host(host, sizeof host);
	ck_assert_int_eq(pm_metadata_write(d.fd, host, doc, &e), 0);
	json_decref(doc);
	for (int i = 0; i < 20; i++) {
		snprintf(options, sizeof options, "r%x", i + 1);
		set(PM_SET_options, options);
		value = pm_events_value(&d);
		ck_assert_ptr_nonnull(strstr(value, options));
		free(value);
	}
	doc = pm_metadata_read(d.fd, host, &e);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "counters")), 16);
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "events")), 20);
	json_decref(doc);
	/* What cannot be had any more was resolved before. */
	user_error = EACCES;
	set(PM_SET_options, "r14");
	value = pm_events_value(&d);
	ck_assert_str_eq(value, "4:14:0:0:0:6:r14");
	free(value);
	set(PM_SET_counter_domain, "kernel");
	kernel_error = ENOENT;
	value = pm_events_value(&d);
	ck_assert_str_eq(value, "?ENOENT:r14");
	free(value);
	set(PM_SET_options, "");
	value = pm_events_value(&d);
	ck_assert_str_eq(value, "");
	free(value);
	pm_jobdir_close(&d);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("events_word");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, order);
	tcase_add_test(t, domains);
	tcase_add_test(t, counters);
	tcase_add_test(t, presets);
	tcase_add_test(t, read_by_papi);
	tcase_add_test(t, too_many);
	tcase_add_test(t, metadata);
	tcase_add_test(t, values);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
