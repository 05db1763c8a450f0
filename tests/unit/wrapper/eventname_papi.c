/* wrapper/events/eventname_papi.c: what becomes of the names, components and errors of a PAPI that the test makes up. */
#include "config.h"

#include "common/library.h"
#include "tests/unit/main.h"
#include "wrapper/events/eventname.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(names_that_papi_alone_knows)
{
	ck_assert(pm_eventname_is_papi("papi:x") && pm_eventname_is_papi("PAPI_X"));
	ck_assert(pm_eventname_is_papi("a:::b"));
	ck_assert(!pm_eventname_is_papi("papi") && !pm_eventname_is_papi("PAPIX"));
	ck_assert(!pm_eventname_is_papi("a::b") && !pm_eventname_is_papi("xPAPI_X"));
}
END_TEST

#ifdef HAVE_PAPI
#include <papi.h>

/* --- a PAPI ------------------------------------------------------------------------------------- */

#define PRESET(n) ((int)(PAPI_PRESET_MASK | (n)))
#define NATIVE(n) ((int)(PAPI_NATIVE_MASK | (n)))

static const struct {
	const char *name;
	int code, component;
	unsigned count; /* of a preset: how many native events, how they are put together */
	const char *derived, *postfix, *units;
	int type;
} events[] = {
	{ "PAPI_ONE", PRESET(0), 0, 1, "NOT_DERIVED", "", "", 0 },
	{ "PAPI_SUM", PRESET(1), 0, 3, "DERIVED_ADD", "", "", 0 },
	{ "PAPI_RATE", PRESET(2), 0, 2, "DERIVED_PS", "", "", 0 },
	{ "PAPI_POST", PRESET(3), 0, 2, "DERIVED_POSTFIX", "N0|N1|-|", "", 0 },
	{ "PAPI_NONE", PRESET(4), 0, 0, "NOT_DERIVED", "", "", 0 },
	{ "PAPI_ODD", PRESET(5), 0, 2, "DERIVED_CMPD", "", "", 0 },
	{ "PAPI_MANY", PRESET(6), 0, 9, "DERIVED_ADD", "", "", 0 },
	{ "PAPI_EIGHT", PRESET(7), 0, 8, "DERIVED_ADD", "", "", 0 },
	{ "core::CYC", NATIVE(0), 0, 0, "", "", "", 0 },
	{ "uncore::CYC", NATIVE(1), 1, 0, "", "", "", 0 },
	{ "gauge:::ten", NATIVE(2), 2, 0, "", "", "nJ", PAPI_DATATYPE_FP64 },
	{ "gauge:::two words", NATIVE(3), 2, 0, "", "", "", 0 },
	{ "cuda:::sm", NATIVE(4), 3, 0, "", "", "", PAPI_DATATYPE_UINT64 },
	{ "io:::all", NATIVE(5), 4, 0, "", "", "", 0 },
	{ "appio:::reads", NATIVE(6), 5, 0, "", "", "", 0 },
	{ "sde:::x", NATIVE(7), 6, 0, "", "", "", 0 },
	{ "rocm:::x", NATIVE(8), 7, 0, "", "", "", 0 },
};
#define EVENTS (int)(sizeof events / sizeof events[0])

static PAPI_component_info_t components[] = {
	{ .name = "perf_event", .short_name = "perf" },
	{ .name = "perf_event_uncore", .short_name = "peu" },
	{ .name = "gauge", .short_name = "gg" },
	{ .name = "cuda" },
	{ .name = "io" },
	{ .name = "appio" },
	{ .name = "sde" },
	{ .name = "rocm" },
	{ .name = "broken", .short_name = "br", .disabled = 1, .disabled_reason = "no device" },
};
#define COMPONENTS (int)(sizeof components / sizeof components[0])

static int init_status = PAPI_VER_CURRENT, missing, opened, ended;
static PAPI_hw_info_t machine = { .cpu_max_mhz = 2000 };

/* The calls of a trial, a letter each, and which of them fails. */
static char calls[32], failing;
static int leaked;

static int call(char what)
{
	calls[strlen(calls)] = what;
	return what == failing ? PAPI_ESYS : PAPI_OK;
}

static int init(int version)
{
	ck_assert_int_eq(version, PAPI_VER_CURRENT);
	return init_status;
}

static void shut_down(void)
{
	ended++;
}

static char *message(int error)
{
	static char text[32];

	snprintf(text, sizeof text, "error %d", error);
	return text;
}

static int code_of(const char *name, int *code)
{
	for (int i = 0; i < EVENTS; i++)
		if (strcmp(events[i].name, name) == 0) {
			*code = events[i].code;
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

static int info_of(int code, PAPI_event_info_t *info)
{
	memset(info, 0, sizeof *info);
	for (int i = 0; i < EVENTS; i++)
		if (events[i].code == code) {
			snprintf(info->symbol, sizeof info->symbol, "%s", events[i].name);
			snprintf(info->long_descr, sizeof info->long_descr, "what %s is", events[i].name);
			info->component_index = events[i].component;
			info->count = events[i].count;
			info->data_type = events[i].type;
			snprintf(info->units, sizeof info->units, "%s", events[i].units);
			snprintf(info->derived, sizeof info->derived, "%s", events[i].derived);
			snprintf(info->postfix, sizeof info->postfix, "%s", events[i].postfix);
			for (unsigned k = 0; k < events[i].count; k++)
				snprintf(info->name[k], sizeof info->name[k], "native%u", k);
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

/* The first event of a component, or the next one behind *code; of presets for -1. */
static int next_of(int *code, int how, int component)
{
	int i = 0;

	while (how != PAPI_ENUM_FIRST && events[i].code != *code)
		i++;
	for (i += how != PAPI_ENUM_FIRST; i < EVENTS; i++)
		if (component < 0 ? events[i].code & (int)PAPI_PRESET_MASK && i < 8
				  : i >= 8 && events[i].component == component) {
			*code = events[i].code;
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

static int next(int *code, int how)
{
	return next_of(code, how, -1);
}

static const PAPI_component_info_t *component_at(int i)
{
	return i >= 0 && i < COMPONENTS ? &components[i] : NULL;
}

static const PAPI_hw_info_t *hardware(void)
{
	return &machine;
}

static int count(void)
{
	return COMPONENTS;
}

static int create(int *set)
{
	*set = failing == 'c' ? PAPI_NULL : 7;
	return call('c');
}

static int add(int set, int code)
{
	ck_assert(set == 7 && code == NATIVE(2));
	return call('a');
}

static int start(int set)
{
	ck_assert_int_eq(set, 7);
	leaked = open("/dev/null", O_RDONLY);
	return call('s');
}

static int stop(int set, long long *values)
{
	ck_assert_int_eq(set, 7);
	*values = 5;
	return call('e');
}

static int clean_up(int set)
{
	ck_assert_int_eq(set, 7);
	return call('x');
}

static int destroy(int *set)
{
	ck_assert_int_eq(*set, 7);
	return call('d');
}

/* In place of that which looks for libraries. */
int pm_library_open(const char *const *names, const struct pm_library_function *function, size_t n,
		    char *why, size_t size)
{
	static const struct {
		const char *name;
		void *function;
	} here[] = {
		{ "PAPI_library_init", init },
		{ "PAPI_shutdown", shut_down },
		{ "PAPI_strerror", message },
		{ "PAPI_event_name_to_code", code_of },
		{ "PAPI_get_event_info", info_of },
		{ "PAPI_enum_event", next },
		{ "PAPI_get_component_info", component_at },
		{ "PAPI_get_hardware_info", hardware },
		{ "PAPI_num_components", count },
		{ "PAPI_enum_cmp_event", next_of },
		{ "PAPI_create_eventset", create },
		{ "PAPI_add_event", add },
		{ "PAPI_start", start },
		{ "PAPI_stop", stop },
		{ "PAPI_cleanup_eventset", clean_up },
		{ "PAPI_destroy_eventset", destroy },
	};

	ck_assert(strncmp(names[0], "libpapi.so.", 11) == 0 && strcmp(names[1], "libpapi.so") == 0);
	opened++;
	if (missing) {
		snprintf(why, size, "no such library");
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof here / sizeof here[0]; k++)
			if (strcmp(here[k].name, function[i].name) == 0)
				*(void **)function[i].slot = here[k].function;
	return 0;
}

/* --- names -------------------------------------------------------------------------------------- */

/* What a preset is made of, or why not. */
static const struct {
	const char *name, *formula, *refused;
	unsigned terms;
} presets[] = {
	{ "PAPI_ONE", "N0", "", 1 },
	{ "PAPI_SUM", "N0 N1 + N2 +", "", 3 },
	{ "PAPI_RATE", "N1 2000000000 * N0 /", "", 2 },
	{ "PAPI_POST", "N0 N1 -", "", 2 },
	{ "PAPI_EIGHT", "N0 N1 + N2 + N3 + N4 + N5 + N6 + N7 +", "", 8 },
	{ "PAPI_NONE", "", "PAPI does not define it for this processor", 0 },
	{ "PAPI_ODD", "", "PAPI derives it in a way that is not supported (DERIVED_CMPD)", 0 },
	{ "PAPI_MANY", "", "PAPI derives it in a way that is not supported (DERIVED_ADD)", 0 },
};

START_TEST(presets_are_their_terms)
{
	struct pm_eventname found;

	for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
		char text[64];

		memset(&found, 0, sizeof found);
		ck_assert_int_eq(pm_eventname_papi.find(presets[i].name, &found), 0);
		ck_assert_str_eq(found.refused, presets[i].refused);
		ck_assert_str_eq(found.formula, presets[i].formula);
		ck_assert_uint_eq(found.terms, presets[i].terms);
		for (unsigned k = 0; k < found.terms; k++) {
			snprintf(text, sizeof text, "native%u", k);
			ck_assert_str_eq(found.term[k], text);
		}
		snprintf(text, sizeof text, "what %s is", presets[i].name);
		ck_assert_str_eq(found.description, text);
		ck_assert_int_eq(found.event.scope, PM_EVENT_PERF);
	}
	/* The processor's frequency is not known, or nobody knows the processor. */
	machine.cpu_max_mhz = 0;
	ck_assert_int_eq(pm_eventname_papi.find("PAPI_RATE", &found), 0);
	ck_assert_str_eq(found.refused, "PAPI derives it in a way that is not supported (DERIVED_PS)");
	ck_assert_int_eq(opened, 1);
}
END_TEST

/* What PAPI is to read itself, for whom, or why not. */
static const struct {
	const char *name, *papi, *unit, *refused;
	int scope, type;
} reads[] = {
	{ "gauge:::ten", "gauge:gauge:::ten", "nJ", "", PM_EVENT_NODE, PAPI_DATATYPE_FP64 },
	{ "papi:gauge:::ten", "gauge:gauge:::ten", "nJ", "", PM_EVENT_NODE, PAPI_DATATYPE_FP64 },
	{ "cuda:::sm", "cuda:cuda:::sm", "", "", PM_EVENT_PROCESS, PAPI_DATATYPE_UINT64 },
	{ "rocm:::x", "rocm:rocm:::x", "", "", PM_EVENT_PROCESS, 0 },
	{ "sde:::x", "sde:sde:::x", "", "", PM_EVENT_PROCESS, 0 },
	{ "papi:core::CYC", "perf_event:core::CYC", "", "", PM_EVENT_THREAD, 0 },
	{ "papi:PAPI_ONE", "perf_event:PAPI_ONE", "", "", PM_EVENT_THREAD, 0 },
	{ "papi:uncore::CYC", "perf_event_uncore:uncore::CYC", "", "", PM_EVENT_NODE, 0 },
	{ "io:::all", NULL, "",
	  "it includes waited-for children; use the metrics rchar, wchar and others of the records", -1, 0 },
	{ "appio:::reads", NULL, "", "it counts only in programs linked with PAPI", -1, 0 },
	{ "gauge:::two words", NULL, "", "its name is too long, or has a blank or backslash", -1, 0 },
	{ "core::CYC", NULL, "", "no other source knows it; write papi:core::CYC to have PAPI read it", -1, 0 },
	{ "uncore::CYC", NULL, "", "no other source knows it; write papi:uncore::CYC to have PAPI read it", -1, 0 },
	/* Names that PAPI does not know, as far as it is asked. */
	{ "papi:none", NULL, "", "PAPI: error -7", -1, 0 },
	{ "gauge:::none", NULL, "", "PAPI's component gauge: error -7", -1, 0 },
	{ "gg:::none", NULL, "", "PAPI's component gauge: error -7", -1, 0 },
	{ "gau:::none", NULL, "", "PAPI is built without component gau", -1, 0 },
	{ "gaugex:::none", NULL, "", "PAPI is built without component gaugex", -1, 0 },
	{ "broken:::x", NULL, "", "PAPI's component broken is disabled: no device", -1, 0 },
	{ "papi:br:::x", NULL, "", "PAPI's component broken is disabled: no device", -1, 0 },
};

START_TEST(others_are_read_by_papi)
{
	struct pm_eventname found;

	for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
		memset(&found, 0, sizeof found);
		ck_assert_msg(pm_eventname_papi.find(reads[i].name, &found) == 0, "%s", reads[i].name);
		ck_assert_str_eq(found.refused, reads[i].refused);
		ck_assert_uint_eq(found.terms, 0);
		if (!reads[i].papi)
			continue;
		ck_assert_str_eq(found.papi, reads[i].papi);
		ck_assert_str_eq(found.unit, reads[i].unit);
		ck_assert_int_eq(found.event.scope, reads[i].scope);
		ck_assert_int_eq(found.event.type, reads[i].type);
	}
	ck_assert_int_eq(pm_eventname_papi.find("none", &found), -1);
	ck_assert_int_eq(pm_eventname_papi.find("PAPI_WHAT", &found), -1);
}
END_TEST

struct list {
	char text[1000];
	int left; /* names until the end */
};

static int note(void *ctx, const char *name, const char *description)
{
	struct list *l = ctx;

	ck_assert(strncmp(description, "what ", 5) == 0 && strstr(description, name));
	snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%s;", name);
	return --l->left == 0;
}

START_TEST(lists)
{
	struct list l = { .left = -1 };
	char text[256];

	/* What the kernel counts directly, others list. */
	pm_eventname_papi.each(note, &l);
	ck_assert_str_eq(l.text, "PAPI_ONE;PAPI_SUM;PAPI_RATE;PAPI_POST;PAPI_NONE;PAPI_ODD;PAPI_MANY;"
				 "PAPI_EIGHT;gauge:::ten;gauge:::two words;cuda:::sm;io:::all;"
				 "appio:::reads;sde:::x;rocm:::x;");
	l = (struct list){ .left = 2 };
	pm_eventname_papi.each(note, &l);
	ck_assert_str_eq(l.text, "PAPI_ONE;PAPI_SUM;");
	l = (struct list){ .left = 9 };
	pm_eventname_papi.each(note, &l);
	ck_assert_ptr_nonnull(strstr(l.text, "PAPI_EIGHT;gauge:::ten;"));
	ck_assert_str_eq(strstr(l.text, "gauge"), "gauge:::ten;");
	ck_assert_int_eq(pm_eventname_papi.describe(text, sizeof text), 0);
	ck_assert_ptr_nonnull(strchr(text, ','));
	ck_assert_str_eq(strchr(text, ','),
			 ", perf_event, perf_event_uncore, gauge, cuda, io, appio, sde, rocm");
}
END_TEST

/* --- trials ------------------------------------------------------------------------------------- */

START_TEST(trials)
{
	static const struct {
		char failing;
		const char *calls;
	} cases[] = {
		{ '\0', "casexd" }, { 'c', "c" }, { 'a', "caxd" }, { 's', "casxd" }, { 'e', "casexd" },
	};
	int mine = open("/dev/null", O_RDONLY);
	char why[PM_EVENTNAME_MAX] = "";

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		memset(calls, 0, sizeof calls);
		leaked = -1;
		failing = cases[i].failing;
		ck_assert_int_eq(pm_eventname_papi_try("gauge:gauge:::ten", why),
				 failing ? PAPI_ESYS : PAPI_OK);
		ck_assert_str_eq(calls, cases[i].calls);
		ck_assert_str_eq(why, failing ? "PAPI: error -3" : "");
		/* What PAPI opens is not for the programs, and the user's is as it was. */
		if (leaked >= 0) {
			ck_assert_int_eq(fcntl(leaked, F_GETFD), FD_CLOEXEC);
			close(leaked);
		}
		ck_assert_int_eq(fcntl(mine, F_GETFD), 0);
	}
	ck_assert_int_eq(pm_eventname_papi_try("gauge:none", why), PAPI_ENOEVNT);
	ck_assert_str_eq(why, "PAPI: error -7");
}
END_TEST

/* --- no PAPI ------------------------------------------------------------------------------------ */

START_TEST(a_library_that_is_not_there_or_not_that_one)
{
	static const char *const reason[] = {
		"no such library",
		"PAPI_library_init: its version is not the one that perfmon was built for",
		"PAPI_library_init: error -3",
	};
	struct list l = { .left = -1 };
	struct pm_eventname found;
	struct pm_event library;
	char text[256], want[256];

	missing = _i == 0;
	init_status = _i == 1 ? (int)PAPI_VER_CURRENT + 1 : -3;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pm_eventname_papi.find("PAPI_ONE", &found), -1);
	ck_assert_int_eq(pm_eventname_papi.describe(text, sizeof text), -1);
	ck_assert_str_eq(text, reason[_i]);
	pm_eventname_papi.each(note, &l);
	ck_assert_str_eq(l.text, "");
	ck_assert_int_ne(pm_eventname_papi_try("gauge:gauge:::ten", text), 0);
	snprintf(want, sizeof want, "PAPI: %s", reason[_i]);
	ck_assert_str_eq(text, want);
	ck_assert_int_eq(pm_eventname_papi_library(&library), -1);
	/* Looked for once. */
	ck_assert_int_eq(opened, 1);
}
END_TEST

START_TEST(library)
{
	struct pm_event e;

	/* That which its functions are of. */
	ck_assert_int_eq(pm_eventname_papi_library(&e), 0);
	ck_assert_int_eq(e.scope, PM_EVENT_LIBRARY);
	ck_assert_uint_eq(e.config, (unsigned)PAPI_VER_CURRENT);
	ck_assert(e.name.p[0] == '/' && access(e.name.p, F_OK) == 0 && e.name.n == strlen(e.name.p));
}
END_TEST

#endif

static Suite *suite(void)
{
	Suite *s = suite_create("eventname_papi");
	TCase *t = tcase_create("all");

	tcase_add_test(t, names_that_papi_alone_knows);
#ifdef HAVE_PAPI
	tcase_add_test(t, presets_are_their_terms);
	tcase_add_test(t, others_are_read_by_papi);
	tcase_add_test(t, lists);
	tcase_add_test(t, trials);
	tcase_add_loop_test(t, a_library_that_is_not_there_or_not_that_one, 0, 3);
	tcase_add_test(t, library);
#endif
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
