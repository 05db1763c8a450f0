/* wrapper/events/eventname_pfm.c: what becomes of the names, attributes and processors of a libpfm4 that the test makes
 * up. */
#include "config.h"

#include "common/library.h"
#include "tests/unit/main.h"
#include "wrapper/events/eventname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PFM
#include <perfmon/pfmlib_perf_event.h>

/* --- a libpfm4 ---------------------------------------------------------------------------------- */

static int init_status = PFM_SUCCESS, missing, opened;

static pfm_err_t initialize(void)
{
	return init_status;
}

static int version(void)
{
	return 4 << 16 | 13;
}

static const char *message(int error)
{
	static char text[32];

	snprintf(text, sizeof text, "error %d", error);
	return text;
}

/* Encode. Of names: those of the kernel's interface begin with k, those refused there with a, of ARM. */
static pfm_err_t encode(const char *name, int level, pfm_os_t os, void *to)
{
	const char *colon = strchr(name, ':');
	pfm_perf_encode_arg_t *k = to;
	pfm_pmu_encode_arg_t *raw = to;

	if (colon)
		level = (strchr(colon, 'u') ? PFM_PLM3 : 0) | (strchr(colon, 'k') ? PFM_PLM0 : 0);
	if (os == PFM_OS_NONE && name[0] == 'a') {
		ck_assert(raw->size == sizeof *raw && raw->count == 1 && raw->codes);
		raw->codes[0] = 0x1234 | 1u << 27 | (level & PFM_PLM3 ? 0 : 1u << 31) |
				(level & PFM_PLM0 ? 0 : 1u << 30);
		raw->idx = name[1] - '0';
		return PFM_SUCCESS;
	}
	if (os == PFM_OS_PERF_EVENT_EXT && name[0] == 'a')
		return PFM_ERR_NOTSUPP;
	if (os != PFM_OS_PERF_EVENT_EXT || name[0] != 'k')
		return PFM_ERR_NOTFOUND;
	ck_assert(k->size == sizeof *k && k->attr->size == sizeof *k->attr && k->cpu == -1);
	k->attr->type = 8;
	k->attr->config = 0x11;
	k->attr->config1 = 0x22;
	k->attr->config2 = 0x33;
	k->attr->exclude_user = !(level & PFM_PLM3);
	k->attr->exclude_kernel = !(level & PFM_PLM0);
	k->attr->exclude_hv = name[2] == 'h';
	k->attr->exclude_idle = name[2] == 'i';
	k->attr->exclude_host = name[2] == 'o';
	k->attr->exclude_guest = name[2] == 'g';
	k->idx = name[1] - '0';
	if (name[2] == 'c')
		k->cpu = 0;
	return PFM_SUCCESS;
}

/* Processors: 0 perf, 1 perf_raw, 2 of ours, 3 absent, 4 ARM's, 5 ARM's uncore, 6 ARM's that is not here. */
static pfm_err_t pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	static const struct {
		const char *name;
		int present, type, first;
	} pmus[] = {
		{ "perf", 1, PFM_PMU_TYPE_OS_GENERIC, 8 }, { "perf_raw", 1, PFM_PMU_TYPE_OS_GENERIC, 8 },
		{ "ours", 1, PFM_PMU_TYPE_CORE, 0 },	   { "absent", 0, PFM_PMU_TYPE_CORE, 8 },
		{ "arm_x", 1, PFM_PMU_TYPE_CORE, 5 },	   { "arm_unc", 1, PFM_PMU_TYPE_UNCORE, -1 },
		{ "arm_y", 0, PFM_PMU_TYPE_CORE, -1 },
	};

	ck_assert(info->size == sizeof *info);
	if ((size_t)pmu >= sizeof pmus / sizeof pmus[0])
		return PFM_ERR_NOTSUPP;
	info->name = pmus[pmu].name;
	info->is_present = pmus[pmu].present;
	info->type = pmus[pmu].type;
	info->first_event = pmus[pmu].first;
	return PFM_SUCCESS;
}

/* Events: 0 plain, 1 with masks, 2 with masks and a default, 3 without a description; of ARM 5 to 7, of its
 * processors 4, 5 and 6. */
static pfm_err_t event_info(int idx, pfm_os_t os, pfm_event_info_t *info)
{
	static const char *const name[] = { "PLAIN", "MASKS", "DEFAULT", "BARE", "", "A5", "A6", "A7" };

	(void)os;
	ck_assert(info->size == sizeof *info);
	if (idx < 0 || idx > 7 || idx == 4)
		return PFM_ERR_NOTFOUND;
	info->name = name[idx];
	info->desc = idx == 3 ? NULL : "an event";
	info->idx = idx;
	info->nattrs = idx == 1 ? 3 : idx == 2 ? 2 : 0;
	info->pmu = idx >= 5 ? (pfm_pmu_t)(idx - 1) : (pfm_pmu_t)2;
	return PFM_SUCCESS;
}

static int event_next(int idx)
{
	return idx < 3 ? idx + 1 : -1;
}

static pfm_err_t attr_info(int idx, int i, pfm_os_t os, pfm_event_attr_info_t *attr)
{
	static const char *const name[] = { "M0", "M1", "u" };

	ck_assert(attr->size == sizeof *attr && os == PFM_OS_PERF_EVENT_EXT);
	attr->name = name[i];
	attr->type = i == 2 ? PFM_ATTR_MOD_BOOL : PFM_ATTR_UMASK;
	attr->desc = i == 1 ? NULL : "a mask";
	attr->is_dfl = idx == 2 && i == 0;
	return PFM_SUCCESS;
}

/* In place of that which looks for libraries. */
int pm_library_open(const char *const *names, const struct pm_library_function *function, size_t n,
		    char *why, size_t size)
{
	static const struct {
		const char *name;
		void *function;
	} here[] = {
		{ "pfm_initialize", initialize },
		{ "pfm_get_version", version },
		{ "pfm_get_os_event_encoding", encode },
		{ "pfm_get_pmu_info", pmu_info },
		{ "pfm_get_event_info", event_info },
		{ "pfm_get_event_next", event_next },
		{ "pfm_get_event_attr_info", attr_info },
		{ "pfm_strerror", message },
	};

	ck_assert(strcmp(names[0], "libpfm.so.4") == 0 && !names[1]);
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

#define USER   PM_EXCLUDE_KERNEL
#define KERNEL PM_EXCLUDE_USER

static const struct {
	const char *name, *description, *refused;
	unsigned exclude;
	bool asked;
} names[] = {
	{ "k0", "an event", "", USER, false },
	{ "k0:u", "an event", "", USER, true },
	{ "k0:k", "an event", "", KERNEL, true },
	{ "k0:uk", "an event", "", 0, true },
	{ "k0h", "an event", "", USER | PM_EXCLUDE_HV, false },
	{ "k0i", "an event", "", USER | PM_EXCLUDE_IDLE, false },
	{ "k0o", "an event", "", USER | PM_EXCLUDE_HOST, false },
	{ "k0g:k", "an event", "", KERNEL | PM_EXCLUDE_GUEST, true },
	{ "k3", "", "", USER, false },
	{ "k4", "", "", USER, false },
	{ "k0c", "an event", "it counts one CPU, not a thread", USER, false },
};

START_TEST(names_are_what_the_kernel_takes)
{
	struct pm_eventname found;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		memset(&found, 0, sizeof found);
		ck_assert_msg(pm_eventname_pfm.find(names[i].name, &found) == 0, "%s", names[i].name);
		ck_assert_str_eq(found.description, names[i].description);
		ck_assert_str_eq(found.refused, names[i].refused);
		ck_assert(found.event.type == 8 && found.event.config == 0x11 &&
			  found.event.config1 == 0x22 && found.event.config2 == 0x33);
		ck_assert_msg(found.event.exclude == names[i].exclude, "%s: %d", names[i].name,
			      found.event.exclude);
		ck_assert_msg(found.event.domain_asked == names[i].asked, "%s", names[i].name);
	}
	ck_assert_int_eq(pm_eventname_pfm.find("x0", &found), -1);
	ck_assert_int_eq(opened, 1);
}
END_TEST

/* Of ARM's cores raw codes, with the levels taken out of them. */
START_TEST(raw_codes_of_arm)
{
	static const struct {
		const char *name;
		unsigned exclude;
		bool asked;
	} arm[] = {
		{ "a5", USER | PM_EXCLUDE_HV, false },
		{ "a5:u", USER | PM_EXCLUDE_HV, true },
		{ "a5:k", KERNEL | PM_EXCLUDE_HV, true },
	};
	struct pm_eventname found;

	for (size_t i = 0; i < sizeof arm / sizeof arm[0]; i++) {
		memset(&found, 0, sizeof found);
		ck_assert_int_eq(pm_eventname_pfm.find(arm[i].name, &found), 0);
		ck_assert(found.event.type == PERF_TYPE_RAW && found.event.config == 0x1234);
		ck_assert_uint_eq(found.event.exclude, arm[i].exclude);
		ck_assert_int_eq(found.event.domain_asked, arm[i].asked);
		ck_assert_str_eq(found.description, "an event");
	}
	/* Nothing of its uncore, of one that is not here, of one that is not ARM's. */
	ck_assert_int_eq(pm_eventname_pfm.find("a6", &found), -1);
	ck_assert_int_eq(pm_eventname_pfm.find("a7", &found), -1);
	ck_assert_int_eq(pm_eventname_pfm.find("a0", &found), -1);
	ck_assert_int_eq(pm_eventname_pfm.find("a4", &found), -1);
}
END_TEST

struct list {
	char text[1000];
	int left; /* names until the end */
};

static int note(void *ctx, const char *name, const char *description)
{
	struct list *l = ctx;

	snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%s=%s;", name, description);
	return --l->left == 0;
}

#define ALL                                                                                        \
	"ours::PLAIN=an event;ours::MASKS:M0=a mask;ours::MASKS:M1=an event;"                      \
	"ours::DEFAULT:M0=a mask;ours::DEFAULT:M1=an event;ours::DEFAULT=an event;ours::BARE=;"    \
	"arm_x::A5=an event;"

START_TEST(lists)
{
	char text[256], want[1000];

	/* Each number of names is an end. */
	for (int n = -1; n < 9; n += n < 0 ? 2 : 1) {
		struct list l = { .left = n };
		char *p = want;

		pm_eventname_pfm.each(note, &l);
		snprintf(want, sizeof want, "%s", ALL);
		for (int i = 0; i < n && *p; i++)
			p = strchr(p, ';') + 1;
		if (n > 0)
			*p = '\0';
		ck_assert_str_eq(l.text, want);
	}
	ck_assert_int_eq(pm_eventname_pfm.describe(text, sizeof text), 0);
	ck_assert_str_eq(text, "libpfm 4.13, ours, arm_x, arm_unc");
}
END_TEST

START_TEST(no_library)
{
	struct list l = { .left = -1 };
	struct pm_eventname found;
	char text[256];

	missing = _i == 0;
	init_status = PFM_ERR_NOTSUPP;
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pm_eventname_pfm.find("k0", &found), -1);
	ck_assert_int_eq(pm_eventname_pfm.describe(text, sizeof text), -1);
	ck_assert_str_eq(text, _i == 0 ? "no such library" : message(PFM_ERR_NOTSUPP));
	pm_eventname_pfm.each(note, &l);
	ck_assert_str_eq(l.text, "");
	ck_assert_int_eq(opened, 1);
}
END_TEST

#endif

START_TEST(source)
{
	ck_assert_str_eq(pm_eventname_pfm.name, "libpfm4");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("eventname_pfm");
	TCase *t = tcase_create("all");

	tcase_add_test(t, source);
#ifdef HAVE_PFM
	tcase_add_test(t, names_are_what_the_kernel_takes);
	tcase_add_test(t, raw_codes_of_arm);
	tcase_add_test(t, lists);
	tcase_add_loop_test(t, no_library, 0, 2);
#endif
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
