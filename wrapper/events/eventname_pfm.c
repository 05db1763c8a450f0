/* libpfm4 as a source: resolves names of the processor's own events for perf_event_open(2). */
#include "config.h"

#include "common/library.h"
#include "common/version.h"
#include "wrapper/events/eventname.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_PFM

#include <perfmon/pfmlib_perf_event.h>

/* The library: opened for the first name, and kept to the end. */
static struct {
	bool tried;
	bool usable;
	char why[PM_EVENTNAME_MAX];
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_version) *get_version;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_attr_info) *attr_info;
	__typeof__(pfm_strerror) *message;
} pfm;

static void open_library(void)
{
	static const struct pm_library_function function[] = {
		{ "pfm_initialize", &pfm.initialize },
		{ "pfm_get_version", &pfm.get_version },
		{ "pfm_get_os_event_encoding", &pfm.encode },
		{ "pfm_get_pmu_info", &pfm.pmu_info },
		{ "pfm_get_event_info", &pfm.event_info },
		{ "pfm_get_event_next", &pfm.event_next },
		{ "pfm_get_event_attr_info", &pfm.attr_info },
		{ "pfm_strerror", &pfm.message },
	};
	static const char *const names[] = { "libpfm.so.4", NULL };
	int rc;

	if (pm_library_open(names, function, sizeof function / sizeof function[0], pfm.why,
			    sizeof pfm.why) < 0)
		return;
	rc = pfm.initialize();
	pfm.usable = rc == PFM_SUCCESS;
	if (!pfm.usable)
		snprintf(pfm.why, sizeof pfm.why, "%s", pfm.message(rc));
}

static bool is_usable(void)
{
	if (!pfm.tried)
		open_library();
	pfm.tried = true;
	return pfm.usable;
}

/*
 * Encode an event of an ARM processor whose PMU has another name in the kernel than libpfm4
 * expects. Since 4.13.0 libpfm4 refuses such events: those of arm_ac57 where the kernel's name is
 * armv8_pmuv3, and of arm_thunderx2 where it is armv8_pmuv3_0. libpfm4's list still has the events,
 * and their raw codes open them. Returns a PFM_ code.
 */
static int encode_arm(const char *name, int level, struct perf_event_attr *attr, int *idx)
{
	/* Bits of a raw code that exclude a level; the kernel wants the exclusion in attr only. */
	enum { NO_HV = 1 << 27, NO_KERNEL = 1 << 30 };
	const uint64_t no_user = UINT64_C(1) << 31;
	uint64_t code;
	pfm_pmu_encode_arg_t raw = { .codes = &code, .size = sizeof raw, .count = 1 };
	pfm_event_info_t info = { .size = sizeof info };
	pfm_pmu_info_t pmu = { .size = sizeof pmu };
	int rc = pfm.encode(name, level, PFM_OS_NONE, &raw);

	if (rc != PFM_SUCCESS)
		return rc;
	if (pfm.event_info(raw.idx, PFM_OS_NONE, &info) != PFM_SUCCESS ||
	    pfm.pmu_info(info.pmu, &pmu) != PFM_SUCCESS || pmu.type != PFM_PMU_TYPE_CORE ||
	    !pmu.is_present || strncmp(pmu.name, "arm_", 4) != 0)
		return PFM_ERR_NOTSUPP;
	attr->type = PERF_TYPE_RAW;
	attr->config = code & ~(no_user | NO_KERNEL | NO_HV);
	attr->exclude_user = (code & no_user) != 0;
	attr->exclude_kernel = (code & NO_KERNEL) != 0;
	attr->exclude_hv = (code & NO_HV) != 0;
	*idx = raw.idx;
	return PFM_SUCCESS;
}

/* Encode a name for a default privilege level. Returns a PFM_ code. */
static int encode_event(const char *name, int level, struct perf_event_attr *attr,
			pfm_perf_encode_arg_t *arg)
{
	int rc;

	memset(attr, 0, sizeof *attr);
	memset(arg, 0, sizeof *arg);
	attr->size = sizeof *attr;
	arg->attr = attr;
	arg->size = sizeof *arg;
	arg->cpu = -1;
	rc = pfm.encode(name, level, PFM_OS_PERF_EVENT_EXT, arg);
	return rc == PFM_ERR_NOTSUPP ? encode_arm(name, level, attr, &arg->idx) : rc;
}

static int pfm_find(const char *name, struct pm_eventname *found)
{
	struct perf_event_attr attr, other;
	pfm_perf_encode_arg_t arg, ignored;
	struct pm_event *e = &found->event;
	pfm_event_info_t info;

	if (!is_usable() || encode_event(name, PFM_PLM3, &attr, &arg) != PFM_SUCCESS)
		return -1;
	memset(&info, 0, sizeof info);
	info.size = sizeof info;
	if (pfm.event_info(arg.idx, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS && info.desc)
		snprintf(found->description, sizeof found->description, "%s", info.desc);
	if (arg.cpu != -1)
		snprintf(found->refused, sizeof found->refused, "it counts one CPU, not a thread");
	e->type = attr.type;
	e->config = attr.config;
	e->config1 = attr.config1;
	e->config2 = attr.config2;
	e->bp_type = attr.bp_type;
	e->exclude = (uint8_t)((attr.exclude_user ? PM_EXCLUDE_USER : 0) |
			       (attr.exclude_kernel ? PM_EXCLUDE_KERNEL : 0) |
			       (attr.exclude_hv ? PM_EXCLUDE_HV : 0) |
			       (attr.exclude_idle ? PM_EXCLUDE_IDLE : 0) |
			       (attr.exclude_host ? PM_EXCLUDE_HOST : 0) |
			       (attr.exclude_guest ? PM_EXCLUDE_GUEST : 0));
	/* A level in the name overrides the default: two defaults give the same encoding. */
	e->domain_asked = encode_event(name, PFM_PLM0, &other, &ignored) == PFM_SUCCESS &&
			  other.exclude_user == attr.exclude_user &&
			  other.exclude_kernel == attr.exclude_kernel;
	return 0;
}

/* Call fn with an event: with each of its unit masks, and by itself unless it needs a mask. Returns
 * what fn returned last. */
static int list_event(pm_eventname_fn *fn, void *ctx, const char *pmu, const pfm_event_info_t *info)
{
	char name[PM_EVENTNAME_MAX];
	int masks = 0, defaults = 0, rc = 0;

	for (int i = 0; i < info->nattrs && rc == 0; i++) {
		pfm_event_attr_info_t attr;

		memset(&attr, 0, sizeof attr);
		attr.size = sizeof attr;
		if (pfm.attr_info(info->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks++;
		defaults += attr.is_dfl;
		snprintf(name, sizeof name, "%s::%s:%s", pmu, info->name, attr.name);
		rc = fn(ctx, name, attr.desc ? attr.desc : info->desc ? info->desc : "");
	}
	if (rc == 0 && (masks == 0 || defaults > 0)) {
		snprintf(name, sizeof name, "%s::%s", pmu, info->name);
		rc = fn(ctx, name, info->desc ? info->desc : "");
	}
	return rc;
}

/* The next PMU that is present, from `pmu` on; PFM_PMU_MAX at the end. Skips the PMUs that only
 * name the kernel's own events. */
static int next_pmu(int pmu, pfm_pmu_info_t *info)
{
	for (; pmu < PFM_PMU_MAX; pmu++) {
		memset(info, 0, sizeof *info);
		info->size = sizeof *info;
		if (pfm.pmu_info((pfm_pmu_t)pmu, info) == PFM_SUCCESS && info->is_present &&
		    strcmp(info->name, "perf") != 0 && strcmp(info->name, "perf_raw") != 0)
			break;
	}
	return pmu;
}

static void pfm_each(pm_eventname_fn *fn, void *ctx)
{
	pfm_pmu_info_t pmu;

	if (!is_usable())
		return;
	for (int p = next_pmu(0, &pmu); p < PFM_PMU_MAX; p = next_pmu(p + 1, &pmu))
		for (int i = pmu.first_event; i != -1; i = pfm.event_next(i)) {
			pfm_event_info_t info;

			memset(&info, 0, sizeof info);
			info.size = sizeof info;
			if (pfm.event_info(i, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS &&
			    list_event(fn, ctx, pmu.name, &info) != 0)
				return;
		}
}

static int pfm_describe(char *text, size_t size)
{
	pfm_pmu_info_t pmu;
	size_t n;

	if (!is_usable()) {
		snprintf(text, size, "%s", pfm.why);
		return -1;
	}
	n = (size_t)snprintf(text, size, "libpfm %d.%d", PFM_MAJ_VERSION(pfm.get_version()),
			     PFM_MIN_VERSION(pfm.get_version()));
	for (int p = next_pmu(0, &pmu); p < PFM_PMU_MAX && n < size; p = next_pmu(p + 1, &pmu))
		n += (size_t)snprintf(text + n, size - n, ", %s", pmu.name);
	return 0;
}

void pm_version_pfm(struct pm_version *v)
{
	if (!is_usable())
		pm_version_fail(v, pfm.why);
	else
		pm_version_set(v, "%d.%d", PFM_MAJ_VERSION(pfm.get_version()),
			       PFM_MIN_VERSION(pfm.get_version()));
}

#else

void pm_version_pfm(struct pm_version *v)
{
	(void)v;
}

#endif

const struct pm_eventname_source pm_eventname_pfm = {
	.name = "libpfm4",
#ifdef HAVE_PFM
	.find = pfm_find,
	.each = pfm_each,
	.describe = pfm_describe,
#endif
};
