/*
 * The GPUs of this host: of NVIDIA's by /proc/driver/nvidia, of others by cards of /sys/class/drm
 * that programs can compute on, which have a render node; graphics of a service processor has none
 * (Documentation/gpu/drm-uapi.rst, amdgpu/driver-misc.rst,
 * ABI/testing/sysfs-driver-intel-i915-hwmon of Linux).
 */
#include "config.h"

#include "wrapper/node/gpus.h"

#include "common/safe/tsv.h"
#include "wrapper/node/sysfile.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVIDIA  "proc/driver/nvidia"
#define CARDS   "sys/class/drm"
#define MODULES "sys/module/"

#define HEX "0123456789abcdefABCDEF"

/* Length of a path below the root. */
#define PATH_SIZE 384

struct found {
	const char *root;
	struct pm_gpu *gpu;
	size_t count;
};

/* --- texts ------------------------------------------------------------------------------------ */

/* Copy n bytes if they are printable and fit; else the text is unknown. */
static void copy_text(char to[PM_GPU_TEXT], const char *text, size_t n)
{
	to[0] = '\0';
	if (n >= PM_GPU_TEXT)
		return;
	for (size_t i = 0; i < n; i++)
		if (text[i] < ' ' || text[i] > '~')
			return;
	memcpy(to, text, n);
	to[n] = '\0';
}

/* Find the value of a line KEY<blanks>VALUE. Returns its length, 0: none. */
static size_t find_value(const char *text, const char *key, const char **value)
{
	size_t n = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;
		*value = line + n + strspn(line + n, " \t");
		n = strcspn(*value, "\n");
		while (n > 0 && ((*value)[n - 1] == ' ' || (*value)[n - 1] == '\t'))
			n--;
		return n;
	}
	return 0;
}

/* Whether a text is the address of a function on the PCI bus, such as 0000:c1:00.0. */
static bool is_address(const char *text)
{
	const size_t domain = strspn(text, HEX);

	if (domain < 4 || domain > 8 || strlen(text) != domain + 8)
		return false;
	text += domain;
	return text[0] == ':' && strspn(text + 1, HEX) == 2 && text[3] == ':' &&
	       strspn(text + 4, HEX) == 2 && text[6] == '.' && text[7] >= '0' && text[7] <= '7';
}

/* Whether two addresses are functions of one device. */
static bool same_device(const char *a, const char *b)
{
	const size_t n = strcspn(a, ".");

	return strcspn(b, ".") == n && strncmp(a, b, n) == 0;
}

/* A number in a file, -1: unknown. */
static int64_t read_number(const char *root, const char *directory, const char *name)
{
	char text[32];
	ssize_t n = pm_sysfile_text(text, sizeof text, root, directory, name);
	int64_t value;

	return n > 0 && pm_tsv_number(text, (size_t)n, &value) == 0 && value >= 0 ? value : -1;
}

/* The text of a file in a fact. */
static void read_fact(char to[PM_GPU_TEXT], const char *root, const char *directory,
		      const char *name)
{
	char text[PM_GPU_TEXT + 2];
	ssize_t n = pm_sysfile_text(text, sizeof text, root, directory, name);

	copy_text(to, text, n > 0 ? (size_t)n : 0);
}

/* --- what all have ---------------------------------------------------------------------------- */

static bool is_suspended(const char *root, const char *device)
{
	char path[PATH_SIZE], text[16];

	snprintf(path, sizeof path, "%s/power", device);
	return pm_sysfile_text(text, sizeof text, root, path, "runtime_status") > 0 &&
	       strcmp(text, "suspended") == 0;
}

/* The version of a driver's module: those of the kernel's own have none. */
static void read_version(struct pm_gpu *g, const char *root)
{
	char path[PATH_SIZE];

	if (strchr(g->driver, '/'))
		return;
	snprintf(path, sizeof path, MODULES "%s", g->driver);
	read_fact(g->driver_version, root, path, "version");
}

/* Note a GPU; NULL: there is no room, or it is there. */
static struct pm_gpu *add_gpu(struct found *f, const char *address)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->gpu[i].address, address) == 0)
			return NULL;
	if (f->count == PM_GPU_MAX)
		return NULL;
	pm_gpu_init(&f->gpu[f->count]);
	copy_text(f->gpu[f->count].address, address, strlen(address));
	return &f->gpu[f->count++];
}

/* --- NVIDIA ----------------------------------------------------------------------------------- */

/* The version in a line such as
 * "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023":
 * the first word of numbers and points. */
static void read_nvidia_version(char to[PM_GPU_TEXT], const char *root)
{
	char text[256];
	const char *word;
	size_t n;

	to[0] = '\0';
	if (pm_sysfile_text(text, sizeof text, root, NVIDIA, "version") <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	if (strncmp(text, "NVRM version:", 13) != 0)
		return;
	for (word = text + 13; *word; word += n) {
		word += strspn(word, " \t");
		n = strcspn(word, " \t");
		if (strspn(word, "0123456789.") == n && memchr(word, '.', n)) {
			copy_text(to, word, n);
			return;
		}
	}
}

/* A GPU that was not used since the driver was loaded may tell question marks as its UUID. */
static void read_uuid(char to[PM_GPU_TEXT], const char *text)
{
	const char *value;
	size_t n = find_value(text, "GPU UUID:", &value);

	if (n > 4 && strncmp(value, "GPU-", 4) == 0 && strspn(value + 4, HEX "-") == n - 4)
		copy_text(to, value, n);
}

static void read_nvidia(struct found *f)
{
	DIR *dir = pm_sysfile_open(f->root, NVIDIA "/gpus");
	char version[PM_GPU_TEXT];
	struct dirent *entry;

	if (!dir)
		return;
	read_nvidia_version(version, f->root);
	while ((entry = readdir(dir)) != NULL) {
		char path[PATH_SIZE], text[2048];
		const char *value;
		struct pm_gpu *g;
		size_t n;

		g = is_address(entry->d_name) ? add_gpu(f, entry->d_name) : NULL;
		if (!g)
			continue;
		copy_text(g->name, "NVIDIA", 6);
		copy_text(g->driver, "nvidia", 6);
		memcpy(g->driver_version, version, sizeof version);
		snprintf(path, sizeof path, "sys/bus/pci/devices/%s", g->address);
		/* The driver powers a GPU up to tell of it (nv_procfs_read_gpu_info() in NVIDIA's
		 * open-gpu-kernel-modules). */
		if (is_suspended(f->root, path)) {
			copy_text(g->state, "suspended", 9);
			continue;
		}
		snprintf(path, sizeof path, NVIDIA "/gpus/%s", g->address);
		if (pm_sysfile_text(text, sizeof text, f->root, path, "information") <= 0)
			continue;
		n = find_value(text, "Model:", &value);
		if (n)
			copy_text(g->name, value, n);
		read_uuid(g->uuid, text);
	}
	closedir(dir);
}

/* --- others ----------------------------------------------------------------------------------- */

/* Whether programs can compute on a card. */
static bool can_compute(const char *root, const char *device)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof path, "%s/drm", device);
	dir = pm_sysfile_open(root, path);
	while (dir && !found && (entry = readdir(dir)) != NULL)
		found = pm_sysfile_is_numbered(entry->d_name, "renderD");
	if (dir)
		closedir(dir);
	return found;
}

/* The name of a card without one: its maker, and the numbers of maker and model. */
static void name_card(struct pm_gpu *g, const char *root, const char *device)
{
	static const struct {
		const char *number, *name;
	} makers[] = { { "0x1002", "AMD " }, { "0x8086", "Intel " }, { "0x10de", "NVIDIA " } };
	char vendor[PM_GPU_TEXT], model[PM_GPU_TEXT], name[40];
	const char *maker = "";

	read_fact(vendor, root, device, "vendor");
	read_fact(model, root, device, "device");
	if (strncmp(vendor, "0x", 2) != 0 || strncmp(model, "0x", 2) != 0 || strlen(vendor) > 10 ||
	    strlen(model) > 10)
		return;
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
		if (strcmp(vendor, makers[i].number) == 0)
			maker = makers[i].name;
	snprintf(name, sizeof name, "%s%.8s:%.8s", maker, vendor + 2, model + 2);
	copy_text(g->name, name, strlen(name));
}

/* The power limit in a card's hwmon folders: the cap of AMD's, the maximum of Intel's. 0: none. */
static int64_t read_limit(const char *root, const char *device)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	int64_t limit = -1;
	DIR *dir;

	snprintf(path, sizeof path, "%s/hwmon", device);
	dir = pm_sysfile_open(root, path);
	while (dir && limit <= 0 && (entry = readdir(dir)) != NULL) {
		if (!pm_sysfile_is_numbered(entry->d_name, "hwmon") || strlen(entry->d_name) > 32)
			continue;
		snprintf(path, sizeof path, "%s/hwmon/%.32s", device, entry->d_name);
		limit = read_number(root, path, "power1_cap");
		if (limit <= 0)
			limit = read_number(root, path, "power1_max");
	}
	if (dir)
		closedir(dir);
	return limit > 0 ? limit : -1;
}

static void read_card(struct found *f, const char *card)
{
	char device[64], text[1024], address[PM_GPU_TEXT], name[PM_GPU_TEXT], id[PM_GPU_TEXT];
	const char *value = "";
	struct pm_gpu *g;
	size_t n;

	if (snprintf(device, sizeof device, CARDS "/%s/device", card) >= (int)sizeof device ||
	    pm_sysfile_text(text, sizeof text, f->root, device, "uevent") <= 0)
		return;
	n = find_value(text, "PCI_SLOT_NAME=", &value);
	copy_text(address, value, n);
	if (!is_address(address) || !can_compute(f->root, device))
		return;
	g = add_gpu(f, address);
	if (!g)
		return;
	n = find_value(text, "DRIVER=", &value);
	copy_text(g->driver, value, n);
	read_version(g, f->root);
	name_card(g, f->root, device);
	if (is_suspended(f->root, device)) {
		copy_text(g->state, "suspended", 9);
		return;
	}
	read_fact(name, f->root, device, "product_name");
	if (*name)
		memcpy(g->name, name, strlen(name) + 1);
	read_fact(id, f->root, device, "unique_id");
	if (id[strspn(id, HEX)] == '\0' && id[strspn(id, "0")])
		memcpy(g->uuid, id, strlen(id) + 1);
	g->memory_bytes = read_number(f->root, device, "mem_info_vram_total");
	g->power_limit_uw = read_limit(f->root, device);
}

static int by_address(const void *a, const void *b)
{
	return strcmp(((const struct pm_gpu *)a)->address, ((const struct pm_gpu *)b)->address);
}

/* Leave out partitions: further functions of a device whose unique id the first one has. */
static size_t drop_partitions(struct pm_gpu *gpu, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < kept && !(*gpu[i].uuid && strcmp(gpu[k].uuid, gpu[i].uuid) == 0 &&
				     same_device(gpu[k].address, gpu[i].address)))
			k++;
		if (k == kept && kept++ != i)
			gpu[k] = gpu[i];
	}
	return kept;
}

size_t pm_gpus_read(const char *root, struct pm_gpu gpu[PM_GPU_MAX])
{
	struct found f = { .root = root, .gpu = gpu };
	struct dirent *entry;
	DIR *dir;

	read_nvidia(&f);
	dir = pm_sysfile_open(root, CARDS);
	while (dir && (entry = readdir(dir)) != NULL)
		if (pm_sysfile_is_numbered(entry->d_name, "card"))
			read_card(&f, entry->d_name);
	if (dir)
		closedir(dir);
	qsort(gpu, f.count, sizeof *gpu, by_address);
	return drop_partitions(gpu, f.count);
}
