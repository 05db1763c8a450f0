/* Check which events can be counted here. */
#include "config.h"

#include "common/cli/check.h"
#include "common/safe/uncounted.h"
#include "common/settings/readconfig.h"
#include "wrapper/events/events.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Fewer descriptors give a warning: 1024 are enough for four events of 250 threads. */
#define DESCRIPTORS_WANTED 1024

/* What the user can do about an event that does not open. */
static const char *find_remedy(const struct pm_event *e, int error)
{
	int level;

	switch (error) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		if (pm_tryopen_paranoid(&level) == 0 && geteuid() != 0 && error != ENOSYS &&
		    (level >= 3 || (level == 2 && !(e->exclude & PM_EXCLUDE_KERNEL))))
			return level >= 3 ? "an administrator may set kernel.perf_event_paranoid "
					    "to 2 (sysctl), or to 1 to count in the kernel, too"
					  : "an administrator may set kernel.perf_event_paranoid "
					    "to 1 (sysctl)";
		return pm_tryopen_filtered()
			       ? "let the container's seccomp profile permit perf_event_open"
			       : "use a kernel with CONFIG_PERF_EVENTS whose security module "
				 "permits perf events";
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		return e->type == PERF_TYPE_HARDWARE
			       ? "in a virtual machine, have its host provide a virtual PMU"
			       : "";
	case EMFILE:
		return "raise the limit of open files (ulimit -n)";
	case EBUSY:
	case ENOSPC:
		return "stop the program that uses the counters";
	default:
		return "";
	}
}

/* Judge an event that does not open. Two kinds give only a warning: events that this machine lacks,
 * since nobody can mend that here, and events of the kernel at perf_event_paranoid 2, which is
 * usual, unless the setting counter_domain wants them. */
static enum pm_check_verdict judge_event(const struct pm_event *e, int error)
{
	bool wanted = strcmp(pm_config_get(PM_SET_counter_domain), "user") != 0;
	int level;

	if (pm_tryopen_state(error) == PM_TRYOPEN_UNSUPPORTED)
		return PM_CHECK_WARN;
	if (!(e->exclude & PM_EXCLUDE_KERNEL) && !wanted && pm_tryopen_paranoid(&level) == 0 &&
	    level == 2)
		return PM_CHECK_WARN;
	return PM_CHECK_FAIL;
}

/* Open an event and report whether it opens. Returns 0 or the error number. */
static int report_event(struct pm_check *c, const struct pm_event *e, const char *works)
{
	char why[PM_TRYOPEN_WHY_MAX];
	int fd = pm_tryopen_open(e);

	if (fd >= 0) {
		close(fd);
		pm_check_report(c, PM_CHECK_PASS, "", "%s", works);
		return 0;
	}
	pm_tryopen_explain(why, e, -fd);
	pm_check_report(c, judge_event(e, -fd), find_remedy(e, -fd), "%s (%s)", why,
			pm_uncounted_of_error(-fd));
	return -fd;
}

static struct pm_event software_event(unsigned exclude)
{
	return (struct pm_event){ .type = PERF_TYPE_SOFTWARE,
				  .config = PERF_COUNT_SW_PAGE_FAULTS,
				  .exclude = (uint8_t)exclude };
}

static struct pm_event hardware_event(void)
{
	return (struct pm_event){ .type = PERF_TYPE_HARDWARE,
				  .config = PERF_COUNT_HW_CPU_CYCLES,
				  .exclude = PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV };
}

void pm_check_counters_user(struct pm_check *c)
{
	struct pm_event e = software_event(PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV);

	report_event(c, &e, "events in user mode can be counted");
}

void pm_check_counters_kernel(struct pm_check *c)
{
	struct pm_event e = software_event(0);

	report_event(c, &e, "events in the kernel can be counted");
}

void pm_check_counters_hardware(struct pm_check *c)
{
	struct pm_event e = hardware_event();

	report_event(c, &e, "the processor's counters can be used");
}

void pm_check_counters_watchdog(struct pm_check *c)
{
	const struct pm_event e = hardware_event();
	int fd = pm_tryopen_open(&e), on = 0;
	char path[PATH_MAX];
	FILE *f;

	if (fd < 0) {
		pm_check_report(c, PM_CHECK_PASS, "",
				"no hardware counters for the NMI watchdog to occupy");
		return;
	}
	close(fd);
	snprintf(path, sizeof path, "%s/proc/sys/kernel/nmi_watchdog", pm_config_get(PM_SET_root));
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%d", &on) != 1)
			on = 0;
		fclose(f);
	}
	pm_check_report(c, on ? PM_CHECK_WARN : PM_CHECK_PASS,
			"an administrator may set kernel.nmi_watchdog to 0 (sysctl)",
			on ? "the NMI watchdog occupies one counter: events are multiplexed sooner"
			   : "the NMI watchdog occupies no counter");
}

void pm_check_counters_breakpoint(struct pm_check *c)
{
	static int watched;
	struct pm_event e;
	char name[64];
	int n = snprintf(name, sizeof name, "mem:%#lx:w", (unsigned long)(uintptr_t)&watched);

	if (pm_event_find(&e, name, (size_t)n) == 0)
		report_event(c, &e, "accesses to an address can be counted");
}

void pm_check_counters_descriptors(struct pm_check *c)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
		pm_check_report(c, PM_CHECK_WARN, "", "RLIMIT_NOFILE cannot be read: %s",
				strerror(errno));
		return;
	}
	/* Judge the hard limit: counters get descriptors above the soft limit if possible. */
	pm_check_report(c, limit.rlim_max >= DESCRIPTORS_WANTED ? PM_CHECK_PASS : PM_CHECK_WARN,
			"raise the limit of open files (ulimit -n)",
			"RLIMIT_NOFILE is %llu (hard limit %llu); each counter needs a descriptor "
			"per thread",
			(unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
}

static void report_source(struct pm_check *c, const struct pm_eventname_source *s)
{
	char text[512];
	int rc = pm_eventname_describe(s, text, sizeof text);

	pm_check_report(c, rc == 0 ? PM_CHECK_PASS : PM_CHECK_WARN,
			"install it for more event names", "%s", text);
}

void pm_check_counters_pfm(struct pm_check *c)
{
	report_source(c, &pm_eventname_pfm);
}

void pm_check_counters_papi(struct pm_check *c)
{
	report_source(c, &pm_eventname_papi);
}

static void report_rule(void *ctx, enum pm_setting s, const struct pm_rule *rule)
{
	pm_check_report(ctx, PM_CHECK_PASS, "", "%s: '%.*s' matches here and adds %.*s",
			pm_setting_info[s].name, (int)rule->expression_len, rule->expression,
			(int)rule->value_len, rule->value);
}

void pm_check_counters_options(struct pm_check *c)
{
	char *options = pm_events_options(report_rule, c);
	struct pm_events ev;

	pm_events_resolve(&ev, options, pm_config_get(PM_SET_counter_domain));
	free(options);
	for (size_t i = 0; i < ev.words; i++) {
		const struct pm_events_word *w = &ev.word[i];

		if (w->state == PM_TRYOPEN_OK && w->known.event.scope != PM_EVENT_PERF)
			pm_check_report(c, PM_CHECK_PASS, "", "%s: read by PAPI, per %s%s%s",
					w->name, pm_event_scope_name(w->known.event.scope),
					w->why[0] ? "; " : "", w->why);
		else if (w->state == PM_TRYOPEN_OK)
			pm_check_report(c, PM_CHECK_PASS, "", "%s: %s mode%s%s", w->name, w->domain,
					w->why[0] ? "; " : "", w->why);
		else
			pm_check_report(c, PM_CHECK_FAIL, "", "%s: %s (%s)", w->name, w->why,
					w->reason);
	}
	if (ev.words == 0)
		pm_check_report(c, PM_CHECK_PASS, "", "no events are requested");
	pm_events_free(&ev);
}
