/* wrapper/check/counters.c: what perfmon check finds of counters, of a kernel that the test makes up. */
#include "config.h"

#include "common/safe/events.h"
#include "tests/unit/main.h"
#include "tests/unit/wrapper/check.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* What perf_event_open says: an error number, 0 for it opens; for the kernel's own and for hardware. */
static int user_error, kernel_error, hardware_error, breakpoint_error;
static struct perf_event_attr asked;

#if !PM_UNIT_SANITIZED
long syscall(long number, ...)
{
	static long (*real)(long, ...);
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
	memcpy(&asked, (void *)a[0], sizeof asked);
	errno = asked.type == PERF_TYPE_BREAKPOINT ? breakpoint_error
		: asked.type == PERF_TYPE_HARDWARE ? hardware_error
		: asked.exclude_kernel             ? user_error
						   : kernel_error;
	return errno ? -1 : open("/dev/null", O_RDONLY);
}
#endif

static struct rlimit files = { 1024, 4096 };

#if !PM_UNIT_SANITIZED
int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	(void)resource;
	*limit = files;
	return 0;
}
#endif

#define LOWER_2 "an administrator may set kernel.perf_event_paranoid to 2 (sysctl), or to 1 to count in the " \
		"kernel, too"
#define LOWER_1 "an administrator may set kernel.perf_event_paranoid to 1 (sysctl)"
#define SECCOMP "let the container's seccomp profile permit perf_event_open"
#define KERNEL  "use a kernel with CONFIG_PERF_EVENTS whose security module permits perf events"

START_TEST(counters_that_work)
{
	user = 1000;
	is(counters_user, "pass events in user mode can be counted");
	ck_assert(asked.type == PERF_TYPE_SOFTWARE && asked.config == PERF_COUNT_SW_PAGE_FAULTS &&
		  asked.exclude_kernel && asked.exclude_hv && !asked.exclude_user);
	is(counters_kernel, "pass events in the kernel can be counted");
	ck_assert(asked.config == PERF_COUNT_SW_PAGE_FAULTS && !asked.exclude_kernel &&
		  !asked.exclude_hv);
	is(counters_hardware, "pass the processor's counters can be used");
	ck_assert(asked.type == PERF_TYPE_HARDWARE && asked.config == PERF_COUNT_HW_CPU_CYCLES);
	is(counters_breakpoint, "pass accesses to an address can be counted");
	ck_assert(asked.type == PERF_TYPE_BREAKPOINT);
}
END_TEST

/* perf_event_paranoid and the filter decide what there is to do; the kernel's own work few may count. */
START_TEST(counters_denied)
{
	user = 1000;
	user_error = kernel_error = EACCES;
	root_put("proc/sys/kernel/perf_event_paranoid", "3\n");
	is(counters_user, "fail perf_event_paranoid is 3 (EACCES); " LOWER_2);
	is(counters_kernel, "fail perf_event_paranoid is 3 (EACCES); " LOWER_2);
	root_put("proc/sys/kernel/perf_event_paranoid", "2\n");
#define LEFT "perf_event_paranoid is 2, which permits user mode only (EACCES); " LOWER_1
	is(counters_kernel, "warn " LEFT);
	set(PM_SET_counter_domain, "all");
	is(counters_kernel, "fail " LEFT);
	set(PM_SET_counter_domain, "user");
	is(counters_user, "fail the kernel or its security module forbids it (EACCES); " KERNEL);
	root_put("proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	is(counters_user, "fail a seccomp filter, such as a container's, forbids it (EACCES); " SECCOMP);
	root_put("proc/self/status", "Seccomp:\t0\n");
	user_error = EPERM;
	is(counters_user, "fail the kernel or its security module forbids it (EPERM); " KERNEL);
	root_put("proc/sys/kernel/perf_event_paranoid", "4\n");
	is(counters_user, "fail perf_event_paranoid is 4 (EPERM); " LOWER_2);
	/* Where nothing is built in, no setting helps; nor is one in root's way. */
	user_error = ENOSYS;
	is(counters_user, "fail this kernel is built without perf events (ENOSYS); " KERNEL);
	root_put("proc/self/status", "Seccomp:\t2\n");
	is(counters_user, "fail a seccomp filter, such as a container's, forbids it (ENOSYS); " SECCOMP);
	user = 0;
	user_error = EACCES;
	is(counters_user, "fail a seccomp filter, such as a container's, forbids it (EACCES); " SECCOMP);
}
END_TEST

START_TEST(counters_that_are_not_there)
{
	static const int none[] = { ENOENT, ENODEV, ENXIO, EOPNOTSUPP };

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		const char *text;

		hardware_error = none[i];
		text = find(pm_check_counters_hardware);
		ck_assert_msg(strncmp(text, "warn ", 5) == 0 &&
				      strstr(text, "; in a virtual machine, have its host provide a virtual PMU\n"),
			      "%s", text);
	}
	/* Nobody can mend what the kernel has not. */
	user_error = ENOENT;
	is(counters_user, "warn this kernel does not support it (ENOENT)");
	hardware_error = EBUSY;
	is(counters_hardware, "fail another program uses the counters exclusively (EBUSY); stop the program that "
			      "uses the counters");
	breakpoint_error = ENOSPC;
	is(counters_breakpoint, "fail all breakpoint registers are in use (ENOSPC); stop the program that uses the "
				"counters");
	user_error = EMFILE;
	is(counters_user, "fail no descriptor is free (ulimit -n) (EMFILE); raise the limit of open files (ulimit "
			  "-n)");
}
END_TEST

START_TEST(watchdog)
{
#define TAKES "warn the NMI watchdog occupies one counter: events are multiplexed sooner; " \
	      "an administrator may set kernel.nmi_watchdog to 0 (sysctl)"
	is(counters_watchdog, "pass the NMI watchdog occupies no counter");
	root_put("proc/sys/kernel/nmi_watchdog", "0\n");
	is(counters_watchdog, "pass the NMI watchdog occupies no counter");
	root_put("proc/sys/kernel/nmi_watchdog", "1\n");
	is(counters_watchdog, TAKES);
	root_put("proc/sys/kernel/nmi_watchdog", "what\n");
	is(counters_watchdog, "pass the NMI watchdog occupies no counter");
	root_put("proc/sys/kernel/nmi_watchdog", "1\n");
	hardware_error = ENOENT;
	is(counters_watchdog, "pass no hardware counters for the NMI watchdog to occupy");
}
END_TEST

START_TEST(descriptors)
{
	files = (struct rlimit){ 256, 1024 };
	is(counters_descriptors,
	   "pass RLIMIT_NOFILE is 256 (hard limit 1024); each counter needs a descriptor per thread");
	files.rlim_max = 1023;
	is(counters_descriptors, "warn RLIMIT_NOFILE is 256 (hard limit 1023); each counter needs a descriptor per "
				 "thread; raise the limit of open files (ulimit -n)");
}
END_TEST

START_TEST(events_that_are_asked_for)
{
	is(counters_options, "pass no events are requested");
	set(PM_SET_options, "page-faults,PER_PROCESS,nothing,cpu-clock");
	is(counters_options, "pass page-faults: user mode\n"
			     "fail nothing: no source of events knows this name (unknown)\n"
			     "pass cpu-clock: all mode");
	user = 1000;
	kernel_error = EACCES;
	root_put("proc/sys/kernel/perf_event_paranoid", "2\n");
	set(PM_SET_counter_domain, "all");
	set(PM_SET_options, "page-faults");
	is(counters_options,
	   "pass page-faults: user mode; perf_event_paranoid is 2, which permits user mode only");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("check_counters");
	TCase *t = tcase_create("check_counters");

	if (!PM_UNIT_SANITIZED) {
		tcase_add_checked_fixture(t, set_up, root_remove);
		tcase_add_test(t, counters_that_work);
		tcase_add_test(t, counters_denied);
		tcase_add_test(t, counters_that_are_not_there);
		tcase_add_test(t, watchdog);
		tcase_add_test(t, descriptors);
		tcase_add_test(t, events_that_are_asked_for);
	}
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
