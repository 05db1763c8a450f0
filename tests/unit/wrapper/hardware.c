/* What a host is made of, on recorded trees. */
#include "config.h"

#include "wrapper/node/hardware.h"

#include <stdbool.h>

#include "tests/unit/sampler/root.h"

static struct pm_hardware h;

#define CPU   "sys/devices/system/cpu/cpu"
#define CACHE CPU "0/cache/index"

static void put_cpu(int cpu, const char *package, const char *list, const char *siblings)
{
	char path[128];

	snprintf(path, sizeof path, CPU "%d/topology/physical_package_id", cpu);
	root_put(path, package);
	snprintf(path, sizeof path, CPU "%d/topology/%s", cpu, list);
	root_put(path, siblings);
}

static void put_cache(int index, const char *level, const char *type, const char *size)
{
	char path[128];

	snprintf(path, sizeof path, CACHE "%d/level", index);
	root_put(path, level);
	snprintf(path, sizeof path, CACHE "%d/type", index);
	root_put(path, type);
	snprintf(path, sizeof path, CACHE "%d/size", index);
	root_put(path, size);
}

/* Two sockets of two cores with two threads, of which one is offline. */
START_TEST(values)
{
	put_cpu(0, "0\n", "core_cpus_list", "0,4\n");
	put_cpu(1, "0\n", "core_cpus_list", "1,5\n");
	put_cpu(2, "1\n", "core_cpus_list", "2,6\n");
	put_cpu(3, "1\n", "core_cpus_list", "3\n");
	put_cpu(4, "0\n", "core_cpus_list", "0,4\n");
	put_cpu(5, "0\n", "core_cpus_list", "1,5\n");
	put_cpu(6, "1\n", "core_cpus_list", "2,6\n");
	root_put(CPU "7/online", "0\n");
	root_put("sys/devices/system/cpu/cpufreq/boost", "1\n");
	put_cache(0, "1\n", "Data\n", "48K\n");
	put_cache(1, "1\n", "Instruction\n", "32K\n");
	put_cache(2, "2\n", "Unified\n", "2M\n");
	put_cache(3, "3\n", "Unified\n", "266240K\n");
	root_put("sys/devices/system/node/node0/cpulist", "0-1\n");
	root_put("sys/devices/system/node/node1/cpulist", "2-3\n");
	root_put("sys/devices/system/node/nodes/x", "");
	root_put("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
	root_put("sys/class/dmi/id/product_name", "PowerEdge R640 \n");
	pm_hardware_read(root, &h);
	ck_assert_int_eq(h.sockets, 2);
	ck_assert_int_eq(h.cores, 4);
	ck_assert_int_eq(h.threads_per_core, 2);
	ck_assert_int_eq(h.l1d_kb, 48);
	ck_assert_int_eq(h.l1i_kb, 32);
	ck_assert_int_eq(h.l2_kb, 2048);
	ck_assert_int_eq(h.l3_kb, 266240);
	ck_assert_int_eq(h.numa_nodes, 2);
	ck_assert_str_eq(h.system, "Dell Inc. PowerEdge R640");
}
END_TEST

/* ARM: no packages, an older name of the siblings, no level 3, a device tree. */
START_TEST(arm)
{
	put_cpu(0, "-1\n", "thread_siblings_list", "0\n");
	put_cpu(1, "-1\n", "thread_siblings_list", "1\n");
	put_cache(0, "1\n", "Data\n", "huge\n");
	put_cache(1, "2\n", "Unified\n", "512\n");
	root_put_bytes("proc/device-tree/model", "linux,dummy-virt", sizeof "linux,dummy-virt");
	pm_hardware_read(root, &h);
	ck_assert_int_eq(h.sockets, -1);
	ck_assert_int_eq(h.cores, 2);
	ck_assert_int_eq(h.threads_per_core, 1);
	ck_assert_int_eq(h.l1d_kb, -1);
	ck_assert_int_eq(h.l2_kb, -1);
	ck_assert_int_eq(h.l3_kb, -1);
	ck_assert_int_eq(h.numa_nodes, -1);
	ck_assert_str_eq(h.system, "linux,dummy-virt");
}
END_TEST

START_TEST(nothing)
{
	pm_hardware_read(root, &h);
	ck_assert_int_eq(h.sockets, -1);
	ck_assert_int_eq(h.cores, -1);
	ck_assert_int_eq(h.threads_per_core, -1);
	ck_assert_int_eq(h.l1i_kb, -1);
	ck_assert_int_eq(h.numa_nodes, -1);
	ck_assert_str_eq(h.system, "");
}
END_TEST

/* A processor that says it has a hypervisor has a name for it, and else there is none. */
START_TEST(hypervisor)
{
	char name[16] = "?", *line = NULL;
	size_t size = 0;
	bool flag = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	pm_hardware_hypervisor(name);
	while (f && getline(&line, &size, f) >= 0)
		if (strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor "))
			flag = true;
	if (f)
		fclose(f);
	free(line);
	ck_assert_int_eq(name[0] != '\0', flag);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("hardware");
	TCase *t = tcase_create("hardware");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, arm);
	tcase_add_test(t, nothing);
	tcase_add_test(t, hypervisor);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
