/* What can be counted here. */
#include "config.h"

#include "common/check.h"
#include "common/config.h"
#include "common/uncounted.h"
#include "wrapper/events.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Fewer descriptors than these hold little: four events of 250 threads. */
#define DESCRIPTORS_WANTED 1024

/* What to do about an event that does not open. */
static const char *remedy(const struct pm_event *e, int error)
{
	int level;

	switch (error) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		if (pm_trial_paranoid(&level) == 0 && geteuid() != 0 && error != ENOSYS &&
		    (level >= 3 || (level == 2 && !(e->exclude & PM_EXCLUDE_KERNEL))))
			return level >= 3 ? "an administrator may set kernel.perf_event_paranoid "
					    "to 2 (sysctl), or to 1 for the kernel, too"
					  : "an administrator may set kernel.perf_event_paranoid "
					    "to 1 (sysctl)";
		return pm_trial_filtered()
			       ? "let the container's seccomp profile permit perf_event_open"
			       : "use a kernel with CONFIG_PERF_EVENTS whose security module "
				 "permits them";
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		return e->type == PERF_TYPE_HARDWARE
			       ? "in a virtual machine, have its host provide a virtual PMU"
			       : "";
	case EMFILE:
		return "raise ulimit -n";
	case EBUSY:
	case ENOSPC:
		return "end what uses the counters";
	default:
		return "";
	}
}

/* What it means that an event does not open: what this machine has not, nobody can mend here, and
 * the kernel's own work may be counted on few machines. */
static enum pm_check_verdict verdict(const struct pm_event *e, int error)
{
	bool wanted = strcmp(pm_config_get(PM_SET_counter_domain), "user") != 0;
	int level;

	if (pm_trial_state(error) == PM_TRIAL_UNSUPPORTED)
		return PM_CHECK_WARN;
	if (!(e->exclude & PM_EXCLUDE_KERNEL) && !wanted && pm_trial_paranoid(&level) == 0 &&
	    level == 2)
		return PM_CHECK_WARN;
	return PM_CHECK_FAIL;
}

/* Open an event and report. Returns the error number. */
static int report(struct pm_check *c, const struct pm_event *e, const char *works)
{
	char why[PM_TRIAL_WHY_MAX];
	int fd = pm_trial_open(e);

	if (fd >= 0) {
		close(fd);
		pm_check_report(c, PM_CHECK_PASS, "", "%s", works);
		return 0;
	}
	pm_trial_explain(why, e, -fd);
	pm_check_report(c, verdict(e, -fd), remedy(e, -fd), "%s (%s)", why,
			pm_uncounted_of_error(-fd));
	return -fd;
}

static struct pm_event software(unsigned exclude)
{
	return (struct pm_event){ .type = PERF_TYPE_SOFTWARE,
				  .config = PERF_COUNT_SW_PAGE_FAULTS,
				  .exclude = (uint8_t)exclude };
}

static struct pm_event hardware(void)
{
	return (struct pm_event){ .type = PERF_TYPE_HARDWARE,
				  .config = PERF_COUNT_HW_CPU_CYCLES,
				  .exclude = PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV };
}

void pm_check_counters_user(struct pm_check *c)
{
	struct pm_event e = software(PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV);

	report(c, &e, "events of user mode can be counted");
}

void pm_check_counters_kernel(struct pm_check *c)
{
	struct pm_event e = software(0);

	report(c, &e, "events of the kernel can be counted");
}

void pm_check_counters_hardware(struct pm_check *c)
{
	struct pm_event e = hardware();

	report(c, &e, "the processor's counters can be used");
}

void pm_check_counters_watchdog(struct pm_check *c)
{
	const struct pm_event e = hardware();
	int fd = pm_trial_open(&e), on = 0;
	char path[PATH_MAX];
	FILE *f;

	if (fd < 0) {
		pm_check_report(c, PM_CHECK_PASS, "", "no counters that it could take");
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
			on ? "it takes one counter, so that events are multiplexed earlier"
			   : "it takes no counter");
}

void pm_check_counters_breakpoint(struct pm_check *c)
{
	static int watched;
	struct pm_event e;
	char name[64];
	int n = snprintf(name, sizeof name, "mem:%#lx:w", (unsigned long)(uintptr_t)&watched);

	if (pm_event_find(&e, name, (size_t)n) == 0)
		report(c, &e, "accesses of addresses can be counted");
}

void pm_check_counters_descriptors(struct pm_check *c)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
		pm_check_report(c, PM_CHECK_WARN, "", "RLIMIT_NOFILE is not known: %s",
				strerror(errno));
		return;
	}
	/* The hard limit counts: counters lie above the soft one where there is room. */
	pm_check_report(c, limit.rlim_max >= DESCRIPTORS_WANTED ? PM_CHECK_PASS : PM_CHECK_WARN,
			"raise ulimit -n",
			"RLIMIT_NOFILE is %llu, at most %llu; a counter takes one in each thread",
			(unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
}

static void report_source(struct pm_check *c, const struct pm_eventname_source *s)
{
	char text[512];
	int rc = pm_eventname_describe(s, text, sizeof text);

	pm_check_report(c, rc == 0 ? PM_CHECK_PASS : PM_CHECK_WARN, "install it for more names",
			"%s", text);
}

void pm_check_counters_pfm(struct pm_check *c)
{
	report_source(c, &pm_eventname_pfm);
}

void pm_check_counters_papi(struct pm_check *c)
{
	report_source(c, &pm_eventname_papi);
}

void pm_check_counters_options(struct pm_check *c)
{
	struct pm_events ev;

	pm_events_resolve(&ev, pm_config_get(PM_SET_options), pm_config_get(PM_SET_counter_domain));
	for (size_t i = 0; i < ev.words; i++) {
		const struct pm_events_word *w = &ev.word[i];

		if (w->state == PM_TRIAL_OK && w->known.event.scope != PM_EVENT_PERF)
			pm_check_report(c, PM_CHECK_PASS, "", "%s: read by PAPI, of the %s%s%s",
					w->name, pm_event_scope_name(w->known.event.scope),
					w->why[0] ? "; " : "", w->why);
		else if (w->state == PM_TRIAL_OK)
			pm_check_report(c, PM_CHECK_PASS, "", "%s: %s mode%s%s", w->name, w->domain,
					w->why[0] ? "; " : "", w->why);
		else
			pm_check_report(c, PM_CHECK_FAIL, "", "%s: %s (%s)", w->name, w->why,
					w->reason);
	}
	if (ev.words == 0)
		pm_check_report(c, PM_CHECK_PASS, "", "no events are asked for");
	pm_events_free(&ev);
}
