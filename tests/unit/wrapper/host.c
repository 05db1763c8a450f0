/* wrapper/node/host.c: what a host's files say, as metadata; processes by their stat. */
#include "config.h"

#include "tests/unit/sampler/root.h"
#include "wrapper/metadata/describe.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/cgroup.h"
#include "wrapper/node/gpus.h"
#include "wrapper/node/hardware.h"
#include "wrapper/node/host.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/utsname.h>

/* --- the host ----------------------------------------------------------------------------------- */

/* A file of the host below the root, another where it is. */
static const char *place(const char *path, char *buf, size_t size)
{
	if (strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/etc/", 5) != 0 &&
	    strncmp(path, "/usr/lib/", 9) != 0)
		return path;
	snprintf(buf, size, "%s%s", root, path);
	return buf;
}

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);
	char buf[512];

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(place(path, buf, sizeof buf), mode);
}

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	char buf[512];
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open");
	return real(place(path, buf, sizeof buf), flags, mode);
}

int uname(struct utsname *u)
{
	memset(u, 0, sizeof *u);
	snprintf(u->sysname, sizeof u->sysname, "Linux");
	snprintf(u->nodename, sizeof u->nodename, "node7");
	snprintf(u->release, sizeof u->release, "6.1.0");
	snprintf(u->version, sizeof u->version, "#1 SMP");
	snprintf(u->machine, sizeof u->machine, "x86_64");
	return 0;
}

static long ticks = 250;

long sysconf(int name)
{
	static long (*real)(int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sysconf");
	return name == _SC_NPROCESSORS_ONLN ? 96
	       : name == _SC_PAGESIZE       ? 65536
	       : name == _SC_CLK_TCK        ? ticks
					    : real(name);
}

static int64_t allowed = 12, limit = -1;

int64_t pm_cgroup_cpus_allowed(void)
{
	return allowed;
}

int64_t pm_cgroup_memory_limit(void)
{
	return limit;
}

static struct pm_hardware hardware = {
	.sockets = 2,
	.cores = 48,
	.threads_per_core = 3,
	.l1d_kb = 32,
	.l1i_kb = 33,
	.l2_kb = 1024,
	.l3_kb = 36608,
	.numa_nodes = 4,
	.system = "Dell R640",
};
static const char *hypervisor = "KVM";
static size_t gpus = 1;

size_t pm_gpus_read(const char *at, struct pm_gpu gpu[PM_GPU_MAX])
{
	ck_assert_str_eq(at, "");
	pm_gpu_init(gpu);
	snprintf(gpu->name, sizeof gpu->name, "NVIDIA H100");
	gpu->power_limit_uw = 700000000;
	return gpus;
}

void pm_hardware_read(const char *at, struct pm_hardware *h)
{
	ck_assert_str_eq(at, "");
	*h = hardware;
}

void pm_hardware_hypervisor(char name[16])
{
	snprintf(name, 16, "%s", hypervisor);
}

/* --- the test ----------------------------------------------------------------------------------- */

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"

static void set_up(void)
{
	root_make();
	root_put("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
				 "model name\t: Xeon Gold 6148\nstepping\t: 4\ncpu MHz\t: 1000.0\n\n"
				 "processor\t: 1\nmodel name\t: another\n");
	root_put("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:         3 kB\nSwapCached: 5 kB\n"
				 "SwapTotal:       2097148 kB\n");
	root_put("proc/sys/kernel/random/boot_id", BOOT "\n");
	root_put("etc/os-release", "NAME=\"Debian\"\n#PRETTY_NAME=no\nPRETTY_NAME=\"Debian 12 (x)\"\nID=debian\n");
	root_put("usr/lib/os-release", "PRETTY_NAME='other'\n");
}

/* What the host is now, of its section. */
static json_t *describe(void)
{
	json_t *doc = pm_metadata_new(), *host;

	pm_describe_host(doc);
	host = json_incref(json_object_get(doc, "host"));
	json_decref(doc);
	return host;
}

START_TEST(all_that_is_known)
{
	json_t *host = describe(),
	       *want = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "hostname", "node7", "kernel",
				 "6.1.0", "machine", "x86_64", "boot_id", BOOT, "os", "Debian 12 (x)",
				 "cpu_model", "Xeon Gold 6148", "cpu_id", "GenuineIntel-6-55-4", "microarchitecture",
				 "skx", "system", "Dell R640", "hypervisor", "KVM");
	static const struct {
		const char *key;
		int64_t value;
	} numbers[] = {
		{ "cpus_online", 96 },	    { "cpus_allowed", 12 },   { "sockets", 2 },
		{ "cores", 48 },	    { "threads_per_core", 3 }, { "cache_l1d_kb", 32 },
		{ "cache_l1i_kb", 33 },	    { "cache_l2_kb", 1024 },  { "cache_l3_kb", 36608 },
		{ "numa_nodes", 4 },	    { "memory_kb", 16000000 }, { "swap_kb", 2097148 },
		{ "page_size", 65536 },	    { "clock_ticks", 250 },
	};
	char *text;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		json_object_set_new(want, numbers[i].key, json_integer(numbers[i].value));
	json_object_set_new(want, "gpus",
			    json_pack("[{s:s,s:i}]", "name", "NVIDIA H100", "power_limit_uw", 700000000));
	text = json_dumps(host, JSON_SORT_KEYS);
	ck_assert_msg(json_equal(host, want), "%s", text);
	free(text);
	json_decref(want);
	json_decref(host);
}
END_TEST

/* What is not known is absent. */
START_TEST(little_that_is_known)
{
	json_t *host;
	char *text;

	root_remove();
	root_make();
	hardware = (struct pm_hardware){ -1, -1, -1, -1, -1, -1, -1, -1, "" };
	hypervisor = "";
	gpus = 0;
	allowed = -1;
	host = describe();
	text = json_dumps(host, JSON_SORT_KEYS | JSON_COMPACT);
	ck_assert_str_eq(text, "{\"clock_ticks\":250,\"cpus_online\":96,\"hostname\":\"node7\","
			       "\"kernel\":\"6.1.0\",\"machine\":\"x86_64\",\"page_size\":65536}");
	free(text);
	json_decref(host);
}
END_TEST

static const char *text_of(json_t *host, const char *key)
{
	const char *text = json_string_value(json_object_get(host, key));

	return text ? text : "-";
}

/* Its name has another name on each architecture. */
START_TEST(processors)
{
	static const struct {
		const char *cpuinfo, *model, *id;
	} cases[] = {
		{ "system type\t\t: x\ncpu model\t\t: Loongson-3\n", "Loongson-3", "-" },
		{ "processor\t: 0\ncpu\t\t: POWER9, altivec\nclock : 1\n", "POWER9, altivec", "-" },
		{ "Processor\t: ARMv7 rev 2\n", "ARMv7 rev 2", "-" },
		{ "cpu\t: second\nmodel name : first\n", "first", "-" },
		{ "model name\n", "-", "-" },
		{ "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1\nstepping\t: 1\n", "-",
		  "AuthenticAMD-25-1-1" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *host;

		root_put("proc/cpuinfo", cases[i].cpuinfo);
		host = describe();
		ck_assert_str_eq(text_of(host, "cpu_model"), cases[i].model);
		ck_assert_str_eq(text_of(host, "cpu_id"), cases[i].id);
		if (cases[i].id[0] == '-')
			ck_assert_str_eq(text_of(host, "microarchitecture"), "-");
		json_decref(host);
	}
}
END_TEST

START_TEST(operating_system)
{
	json_t *host;

	root_put("usr/lib/os-release", "PRETTY_NAME=Plain 1\n");
	root_put("etc/os-release", "NAME=x\n");
	host = describe();
	ck_assert_str_eq(text_of(host, "os"), "Plain 1");
	json_decref(host);
	root_remove_path("etc");
	host = describe();
	ck_assert_str_eq(text_of(host, "os"), "Plain 1");
	json_decref(host);
}
END_TEST

/* A limit counts where it is lower than what there is. */
START_TEST(memory_limits)
{
	static const struct {
		int64_t limit;
		json_int_t want;
	} cases[] = {
		{ 16000000LL * 1024 - 1, 15999999 },
		{ 16000000LL * 1024, 0 },
		{ 17000000LL * 1024, 0 },
		{ 1024 * 77, 77 },
		{ -1, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *host;

		limit = cases[i].limit;
		host = describe();
		ck_assert_int_eq(json_integer_value(json_object_get(host, "memory_limit_kb")), cases[i].want);
		ck_assert_int_eq(json_object_get(host, "memory_limit_kb") != NULL, cases[i].want > 0);
		json_decref(host);
	}
	/* Of a host whose memory is not known it counts, too. */
	limit = 2048;
	root_put("proc/meminfo", "MemTotal: much\n");
	{
		json_t *host = describe();

		ck_assert_int_eq(json_integer_value(json_object_get(host, "memory_limit_kb")), 2);
		ck_assert_ptr_null(json_object_get(host, "memory_kb"));
		json_decref(host);
	}
}
END_TEST

START_TEST(processes)
{
	char name[32] = "";
	int64_t parent = -7;

	root_put("proc/42/stat", "42 (a b) c) S 7 8 9 0 -1 4194304 10 11 12 13 100 20 3000 400 20 0 1 0 987654 "
				 "1000 50 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0\n");
	ck_assert_int_eq(pm_host_starttime(42), 987654);
	ck_assert_int_eq(pm_host_parent(42), 7);
	/* 3520 ticks of 4 ms */
	ck_assert_int_eq(pm_host_cpu_us(42), 14080000);
	ticks = 100;
	ck_assert_int_eq(pm_host_cpu_us(42), 35200000);
	ck_assert_int_eq(pm_host_program(42, name, sizeof name, &parent), 0);
	ck_assert_str_eq(name, "a b) c");
	ck_assert_int_eq(parent, 7);
	ck_assert_int_eq(pm_host_program(42, name, 4, &parent), 0);
	ck_assert_str_eq(name, "a b");
	parent = -7;
	for (int i = 43; i < 45; i++) {
		ck_assert_int_eq(pm_host_starttime(i), -1);
		ck_assert_int_eq(pm_host_parent(i), -1);
		ck_assert_int_eq(pm_host_cpu_us(i), -1);
		ck_assert_int_eq(pm_host_program(i, name, sizeof name, &parent), -1);
		ck_assert_int_eq(parent, -7);
		root_put("proc/44/stat", "44 (x");
	}
}
END_TEST

START_TEST(kernel)
{
	struct stat st;
	char self[32] = "";

	ck_assert_int_eq(pm_host_delayacct(), 0);
	root_put("proc/sys/kernel/task_delayacct", "0\n");
	ck_assert_int_eq(pm_host_delayacct(), 0);
	root_put("proc/sys/kernel/task_delayacct", "1\n");
	ck_assert_int_eq(pm_host_delayacct(), 1);
	if (readlink("/proc/self", self, sizeof self - 1) > 0 && atol(self) == getpid() &&
	    stat("/proc/self/stat", &st) == 0)
		ck_assert_int_eq(pm_host_proc_dev(), st.st_dev);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("host");
	TCase *t = tcase_create("host");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, all_that_is_known);
	tcase_add_test(t, little_that_is_known);
	tcase_add_test(t, processors);
	tcase_add_test(t, operating_system);
	tcase_add_test(t, memory_limits);
	tcase_add_test(t, processes);
	tcase_add_test(t, kernel);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
