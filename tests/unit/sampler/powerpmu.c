/* RAPL's counters by events of the PMU power, on recorded trees, with counters of the test's own.
 */
#include "config.h"

#include "sampler/devices/power/powerpmu.h"

#include "tests/unit/sampler/root.h"

#include <fcntl.h>

#define PMU    "sys/bus/event_source/devices/power/"
#define CPU    "sys/devices/system/cpu/cpu"
#define SCALE  "2.3283064365386962890625e-10\n"
#define COUNTS ((uint64_t)1 << 32) /* a joule */

static struct pm_powerpmu_counter *counter;
static int fails_on; /* CPU on which nothing can be opened; -1: none */

/* A counter that says 1 J for each event code times 100 and CPU, once. */
static int open_here(const struct pm_event *event, int cpu)
{
	uint64_t value[3] = { COUNTS * (100 * event->config + (uint64_t)cpu), 1, 1 };
	int fd[2];

	if (cpu == fails_on) {
		errno = EACCES;
		return -1;
	}
	PM_SURE(pipe(fd) == 0 && write(fd[1], value, sizeof value) == sizeof value);
	close(fd[1]);
	return fd[0];
}

static void put_event(const char *name, const char *code)
{
	char path[256];

	snprintf(path, sizeof path, PMU "events/%s", name);
	root_put(path, code);
	snprintf(path, sizeof path, PMU "events/%s.unit", name);
	root_put(path, "Joules\n");
	snprintf(path, sizeof path, PMU "events/%s.scale", name);
	root_put(path, SCALE);
}

/* Two packages; the second has two dies. */
static void make(void)
{
	root_make();
	fails_on = -1;
	root_put(PMU "type", "4\n");
	root_put(PMU "cpumask", "0,18-19\n");
	root_put(CPU "0/topology/physical_package_id", "0\n");
	root_put(CPU "18/topology/physical_package_id", "1\n");
	root_put(CPU "18/topology/die_id", "0\n");
	root_put(CPU "19/topology/physical_package_id", "1\n");
	root_put(CPU "19/topology/die_id", "1\n");
	put_event("energy-pkg", "event=0x02\n");
	put_event("energy-ram", "event=0x03\n");
	put_event("energy-psys", "event=0x05\n");
}

/* The energy of a counter, J; -1: there is none of this name. */
static int64_t joules(ssize_t n, const char *name)
{
	int64_t uj = -1000000;

	for (ssize_t i = 0; i < n; i++)
		if (strcmp(counter[i].name, name) == 0)
			ck_assert_int_eq(pm_powerpmu_read(&counter[i], &uj), 0);
	ck_assert_int_eq(uj % 1000000, 0);
	return uj / 1000000;
}

START_TEST(values)
{
	const ssize_t n = pm_powerpmu_open(root, open_here, &counter);

	ck_assert_int_eq(n, 7);
	ck_assert_int_eq(joules(n, "package-0"), 200);
	ck_assert_int_eq(joules(n, "package-1-die-0"), 218);
	ck_assert_int_eq(joules(n, "package-1-die-1"), 219);
	ck_assert_int_eq(joules(n, "package-0/dram"), 300);
	ck_assert_int_eq(joules(n, "package-1-die-1/dram"), 319);
	/* The platform once. */
	ck_assert_int_eq(joules(n, "psys"), 500);
	ck_assert_int_eq(joules(n, "package-0/core"), -1);
	pm_powerpmu_close(counter, (size_t)n);
}
END_TEST

/* A package of which nothing is told leaves no sum of the others. */
START_TEST(refused)
{
	ssize_t n;

	fails_on = 18;
	n = pm_powerpmu_open(root, open_here, &counter);
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(counter[0].name, "psys");
	pm_powerpmu_close(counter, (size_t)n);
	fails_on = 0;
	ck_assert_int_eq(pm_powerpmu_open(root, open_here, &counter), -1);
	ck_assert_int_eq(errno, EACCES);
}
END_TEST

/* What is odd is left out. */
static const struct {
	const char *file, *text;
	int left; /* counters; -1: not available */
} odd[] = {
	{ PMU "events/energy-pkg.unit", "Watts\n", 4 },
	{ PMU "events/energy-pkg.scale", "-1\n", 4 },
	{ PMU "events/energy-pkg.scale", "nan\n", 4 },
	{ PMU "events/energy-pkg.scale", "1e-10x\n", 4 },
	{ PMU "events/energy-pkg", "event=2,umask=1\n", 4 },
	{ PMU "events/energy-pkg", "umask=1\n", 4 },
	{ PMU "cpumask", "\n", -1 },
	{ PMU "cpumask", "0,\n", 3 },
	{ PMU "cpumask", "x\n", -1 },
	{ PMU "cpumask", "3-1\n", -1 },
	{ PMU "type", "x\n", -1 },
	/* A number that another driver has on this machine. */
	{ PMU "type", "23\n", -1 },
};

START_TEST(oddities)
{
	ssize_t n;

	root_put(odd[_i].file, odd[_i].text);
	n = pm_powerpmu_open(root, open_here, &counter);
	ck_assert_int_eq(n, odd[_i].left);
	pm_powerpmu_close(counter, n < 0 ? 0 : (size_t)n);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_powerpmu");
	TCase *t = tcase_create("powerpmu");

	tcase_add_checked_fixture(t, make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, refused);
	tcase_add_loop_test(t, oddities, 0, (int)(sizeof odd / sizeof odd[0]));
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
