/* Facts of this host for job metadata, from uname(2), sysconf(3), /proc and os-release(5). */
#include "config.h"

#include "wrapper/metadata/describe.h"

#include "common/bootid.h"
#include "common/cpuid.h"
#include "common/record/formulas.h"
#include "common/safe/tsv.h"
#include "common/settings/readconfig.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/cgroup.h"
#include "wrapper/node/gpus.h"
#include "wrapper/node/hardware.h"
#include "wrapper/node/host.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Read the value of a file's first line `name<blanks><separator>value`. Returns 0 or -1. */
static int read_value(const char *path, const char *name, char separator, char *value, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(name);
	char line[4096];
	int rc = -1;

	if (!f)
		return -1;
	while (rc < 0 && fgets(line, sizeof line, f)) {
		char *p = line + len;

		if (strncmp(line, name, len) != 0)
			continue;
		while (isblank((unsigned char)*p))
			p++;
		if (*p++ != separator)
			continue;
		while (isblank((unsigned char)*p) || *p == '"')
			p++;
		p[strcspn(p, "\"\n")] = '\0';
		rc = snprintf(value, size, "%s", p) < (int)size ? 0 : -1;
	}
	fclose(f);
	return rc;
}

/* Set a number unless it is unknown (negative). */
static void set_known(json_t *doc, enum pm_job_key key, int64_t v)
{
	if (v >= 0)
		pm_metadata_int(doc, key, v);
}

static void identify_cpu(json_t *doc)
{
	char text[8192], id[PM_CPUID_MAX];

	/* The file begins with the lines of the first processor. */
	if (pm_host_text("/proc/cpuinfo", text, sizeof text) <= 0 || pm_cpuid(text, id) < 0)
		return;
	pm_metadata_text(doc, PM_JOB_host_cpu_id, id);
	pm_metadata_text(doc, PM_JOB_host_microarchitecture, pm_formula_march(id));
}

static void describe_cpu(json_t *doc)
{
	/* The line's name depends on the architecture. */
	static const char *const name[] = { "model name", "cpu model", "cpu", "Processor", NULL };
	char value[256];

	for (size_t i = 0; name[i]; i++)
		if (read_value("/proc/cpuinfo", name[i], ':', value, sizeof value) == 0) {
			pm_metadata_text(doc, PM_JOB_host_cpu_model, value);
			break;
		}
	identify_cpu(doc);
	set_known(doc, PM_JOB_host_cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	set_known(doc, PM_JOB_host_cpus_allowed, pm_cgroup_cpus_allowed());
}

static void describe_hardware(json_t *doc)
{
	struct pm_hardware h;
	char hypervisor[16];

	pm_hardware_read("", &h);
	pm_hardware_hypervisor(hypervisor);
	set_known(doc, PM_JOB_host_sockets, h.sockets);
	set_known(doc, PM_JOB_host_cores, h.cores);
	set_known(doc, PM_JOB_host_threads_per_core, h.threads_per_core);
	set_known(doc, PM_JOB_host_cache_l1d_kb, h.l1d_kb);
	set_known(doc, PM_JOB_host_cache_l1i_kb, h.l1i_kb);
	set_known(doc, PM_JOB_host_cache_l2_kb, h.l2_kb);
	set_known(doc, PM_JOB_host_cache_l3_kb, h.l3_kb);
	set_known(doc, PM_JOB_host_numa_nodes, h.numa_nodes);
	if (h.system[0])
		pm_metadata_text(doc, PM_JOB_host_system, h.system);
	if (hypervisor[0])
		pm_metadata_text(doc, PM_JOB_host_hypervisor, hypervisor);
}

static void describe_gpus(json_t *doc)
{
	struct pm_gpu gpu[PM_GPU_MAX];
	size_t n = pm_gpus_read(pm_config_get(PM_SET_root), gpu);
	json_t *list = n ? json_array() : NULL;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, pm_gpu_json(&gpu[i]));
	if (list)
		pm_metadata_json(doc, PM_JOB_host_gpus, list);
}

/* Set a key to the number of kB in a line of /proc/meminfo. */
static void set_memory(json_t *doc, enum pm_job_key key, const char *name)
{
	char value[256];
	int64_t kb;

	if (read_value("/proc/meminfo", name, ':', value, sizeof value) == 0 &&
	    pm_tsv_number(value, strcspn(value, " "), &kb) == 0)
		pm_metadata_int(doc, key, kb);
}

void pm_describe_host(json_t *doc)
{
	char value[256], boot[64];
	int64_t limit, memory_kb;
	struct utsname u;

	if (uname(&u) == 0) {
		pm_metadata_text(doc, PM_JOB_host_hostname, u.nodename);
		pm_metadata_text(doc, PM_JOB_host_kernel, u.release);
		pm_metadata_text(doc, PM_JOB_host_machine, u.machine);
	}
	pm_bootid_read(boot);
	if (boot[0])
		pm_metadata_text(doc, PM_JOB_host_boot_id, boot);
	if (read_value("/etc/os-release", "PRETTY_NAME", '=', value, sizeof value) == 0 ||
	    read_value("/usr/lib/os-release", "PRETTY_NAME", '=', value, sizeof value) == 0)
		pm_metadata_text(doc, PM_JOB_host_os, value);
	describe_cpu(doc);
	describe_hardware(doc);
	describe_gpus(doc);
	set_memory(doc, PM_JOB_host_memory_kb, "MemTotal");
	limit = pm_cgroup_memory_limit();
	memory_kb = pm_metadata_get_int(doc, PM_JOB_host_memory_kb, INT64_MAX);
	if (limit >= 0 && limit / 1024 < memory_kb)
		pm_metadata_int(doc, PM_JOB_host_memory_limit_kb, limit / 1024);
	set_memory(doc, PM_JOB_host_swap_kb, "SwapTotal");
	set_known(doc, PM_JOB_host_page_size, sysconf(_SC_PAGESIZE));
	set_known(doc, PM_JOB_host_clock_ticks, sysconf(_SC_CLK_TCK));
}
