/* The host's hardware (Documentation/ABI of Linux: sysfs-devices-system-cpu, -node). */
#include "config.h"

#include "wrapper/node/hardware.h"

#include "common/safe/tsv.h"
#include "wrapper/node/sysfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "sys/devices/system/cpu"

/* A set of texts that counts how often each was added. */
struct set {
	struct {
		char *text;
		int64_t count;
	} * entry;
	size_t count;
};

static void set_add(struct set *s, const char *text)
{
	size_t i = 0;
	void *more;

	while (i < s->count && strcmp(s->entry[i].text, text) != 0)
		i++;
	if (i == s->count) {
		more = realloc(s->entry, (s->count + 1) * sizeof *s->entry);
		if (!more)
			return;
		s->entry = more;
		s->entry[i].count = 0;
		s->entry[i].text = strdup(text);
		if (!s->entry[i].text)
			return;
		s->count++;
	}
	s->entry[i].count++;
}

static void set_free(struct set *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->entry[i].text);
	free(s->entry);
}

/* Count sockets and cores; CPUs that are offline have no topology. */
static void read_topology(const char *root, struct pm_hardware *h)
{
	struct set packages = { NULL, 0 }, cores = { NULL, 0 };
	DIR *dir = pm_sysfile_open(root, CPUS);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		char topology[512], text[4096];

		if (!pm_sysfile_is_numbered(entry->d_name, "cpu"))
			continue;
		snprintf(topology, sizeof topology, CPUS "/%s/topology", entry->d_name);
		/* -1: the firmware does not say. */
		if (pm_sysfile_text(text, sizeof text, root, topology, "physical_package_id") > 0 &&
		    text[0] != '-')
			set_add(&packages, text);
		/* thread_siblings_list is the older name of core_cpus_list. */
		if (pm_sysfile_text(text, sizeof text, root, topology, "core_cpus_list") > 0 ||
		    pm_sysfile_text(text, sizeof text, root, topology, "thread_siblings_list") > 0)
			set_add(&cores, text);
	}
	if (dir)
		closedir(dir);
	h->sockets = packages.count ? (int64_t)packages.count : -1;
	h->cores = cores.count ? (int64_t)cores.count : -1;
	for (size_t i = 0; i < cores.count; i++)
		if (cores.entry[i].count > h->threads_per_core)
			h->threads_per_core = cores.entry[i].count;
	set_free(&packages);
	set_free(&cores);
}

/* Convert a cache's size, such as "48K" or "2M", to kB; -1: malformed. */
static int64_t size_kb(const char *text)
{
	size_t n = strspn(text, "0123456789");
	int64_t value;

	if (pm_tsv_number(text, n, &value) < 0 || value > INT32_MAX)
		return -1;
	if (strcmp(text + n, "K") == 0)
		return value;
	return strcmp(text + n, "M") == 0 ? value * 1024 : -1;
}

static void read_caches(const char *root, struct pm_hardware *h)
{
	const struct {
		const char *level, *type;
		int64_t *kb;
	} cache[] = {
		{ "1", "Data", &h->l1d_kb },
		{ "1", "Instruction", &h->l1i_kb },
		{ "2", "Unified", &h->l2_kb },
		{ "3", "Unified", &h->l3_kb },
	};
	DIR *dir = pm_sysfile_open(root, CPUS "/cpu0/cache");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		char index[512], level[16], type[32], size[32];

		if (!pm_sysfile_is_numbered(entry->d_name, "index"))
			continue;
		snprintf(index, sizeof index, CPUS "/cpu0/cache/%s", entry->d_name);
		if (pm_sysfile_text(level, sizeof level, root, index, "level") <= 0 ||
		    pm_sysfile_text(type, sizeof type, root, index, "type") <= 0 ||
		    pm_sysfile_text(size, sizeof size, root, index, "size") <= 0)
			continue;
		for (size_t i = 0; i < sizeof cache / sizeof cache[0]; i++)
			if (strcmp(cache[i].level, level) == 0 && strcmp(cache[i].type, type) == 0)
				*cache[i].kb = size_kb(size);
	}
	if (dir)
		closedir(dir);
}

static void count_nodes(const char *root, struct pm_hardware *h)
{
	DIR *dir = pm_sysfile_open(root, "sys/devices/system/node");
	struct dirent *entry;
	int64_t n = 0;

	while (dir && (entry = readdir(dir)) != NULL)
		n += pm_sysfile_is_numbered(entry->d_name, "node");
	if (dir)
		closedir(dir);
	h->numa_nodes = n ? n : -1;
}

/* Read maker and product from the firmware's DMI tables, else the model from the device tree. */
static void read_system(const char *root, struct pm_hardware *h)
{
	static const char dmi[] = "sys/class/dmi/id";
	char maker[120], product[120];
	ssize_t n;

	if (pm_sysfile_text(maker, sizeof maker, root, dmi, "sys_vendor") < 0)
		maker[0] = '\0';
	if (pm_sysfile_text(product, sizeof product, root, dmi, "product_name") < 0)
		product[0] = '\0';
	snprintf(h->system, sizeof h->system, "%s%s%s", maker, maker[0] && product[0] ? " " : "",
		 product);
	if (h->system[0])
		return;
	n = pm_sysfile_text(h->system, sizeof h->system, root, "proc/device-tree", "model");
	if (n < 0)
		h->system[0] = '\0';
}

void pm_hardware_read(const char *root, struct pm_hardware *h)
{
	memset(h, 0, sizeof *h);
	h->threads_per_core = h->l1d_kb = h->l1i_kb = h->l2_kb = h->l3_kb = -1;
	read_topology(root, h);
	read_caches(root, h);
	count_nodes(root, h);
	read_system(root, h);
}
