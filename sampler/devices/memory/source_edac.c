/*
 * Source "edac": errors of memory that were corrected, or could not be, by memory controller and
 * by DIMM, from /sys/devices/system/edac/mc (the kernel's ABI sysfs-devices-edac). The kernel
 * counts in 32 bits since its driver began, or since reset_counters was written.
 */
#include "config.h"

#include "sampler/devices/setsource.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "sys/devices/system/edac/mc"

enum { CORRECTED, UNCORRECTED, DIMM_CORRECTED, DIMM_UNCORRECTED, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[CORRECTED] = { "corrected", "n", "errors of memory that were corrected", "controller",
			true, PM_METRIC_COUNTER },
	[UNCORRECTED] = { "uncorrected", "n", "errors of memory that could not be corrected",
			  "controller", true, PM_METRIC_COUNTER },
	[DIMM_CORRECTED] = { "dimm_corrected", "n", "errors of a DIMM that were corrected", "dimm",
			     false, PM_METRIC_COUNTER },
	[DIMM_UNCORRECTED] = { "dimm_uncorrected", "n",
			       "errors of a DIMM that could not be corrected", "dimm", false,
			       PM_METRIC_COUNTER },
};

/* Whether an entry is prefix and a number: mc0, dimm12. */
static bool is_numbered(const char *name, const char *prefix)
{
	const size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 && isdigit((unsigned char)name[n]);
}

/* The device of this look by this name, or where one has it already, by the name and a number. */
static struct pm_device *get_named(struct pm_deviceset *set, const char *name, const char *about)
{
	char numbered[256];
	struct pm_device *d;
	bool taken;

	snprintf(numbered, sizeof numbered, "%s", name);
	for (int i = 2;; i++) {
		taken = false;
		for (size_t k = 0; k < set->count; k++)
			taken = taken ||
				(set->device[k].seen && strcmp(set->device[k].name, numbered) == 0);
		if (!taken)
			break;
		snprintf(numbered, sizeof numbered, "%.230s (%d)", name, i);
	}
	d = pm_deviceset_get(set, numbered);
	if (d)
		pm_deviceset_about(d, about);
	return d;
}

/* Note one file of a device, if it is there. */
static void note(struct pm_deviceset *set, struct pm_device *d, size_t metric, const char *folder,
		 const char *file)
{
	char path[640];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (d && pm_deviceset_has(set, path))
		pm_deviceset_file(set, d, metric, path);
}

/* Note a DIMM of a controller: by its label, as on the board, else as the kernel has it. */
static void note_dimm(struct pm_deviceset *set, const char *mc, const char *entry)
{
	char folder[560], path[640], label[128], about[300];
	struct pm_device *d;

	snprintf(folder, sizeof folder, FOLDER "/%.200s/%.200s", mc, entry);
	snprintf(about, sizeof about, "%.100s/%.100s", mc, entry);
	snprintf(path, sizeof path, "%s/dimm_label", folder);
	if (pm_devicefile_name(set->root, path, label, sizeof label) <= 0)
		snprintf(label, sizeof label, "%.60s/%.60s", mc, entry);
	d = get_named(set, label, about);
	note(set, d, DIMM_CORRECTED, folder, "dimm_ce_count");
	note(set, d, DIMM_UNCORRECTED, folder, "dimm_ue_count");
}

static void note_controller(struct pm_deviceset *set, const char *mc)
{
	char folder[320], path[400], name[128];
	struct dirent **list;
	struct pm_device *d;
	int n;

	snprintf(folder, sizeof folder, FOLDER "/%.200s", mc);
	snprintf(path, sizeof path, "%s/mc_name", folder);
	if (pm_devicefile_name(set->root, path, name, sizeof name) <= 0)
		snprintf(name, sizeof name, "%.100s", mc);
	d = get_named(set, name, mc);
	note(set, d, CORRECTED, folder, "ce_count");
	note(set, d, UNCORRECTED, folder, "ue_count");
	n = pm_deviceset_list(set, folder, &list);
	for (int i = 0; i < n; i++) {
		if (is_numbered(list[i]->d_name, "dimm") || is_numbered(list[i]->d_name, "rank"))
			note_dimm(set, mc, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

/* Look for all controllers. Returns how many devices there are, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, int64_t now_us)
{
	struct dirent **list;
	const int n = pm_deviceset_list(set, FOLDER, &list);
	const int saved = errno;
	size_t found;

	pm_deviceset_begin(set, now_us);
	for (int i = 0; i < n; i++) {
		if (is_numbered(list[i]->d_name, "mc"))
			note_controller(set, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	found = pm_deviceset_end(set);
	errno = n < 0 ? saved : ENOENT;
	return found ? (ssize_t)found : -1;
}

static int edac_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	return pm_setsource_open(state, look, target, sink, "no memory controllers in /" FOLDER,
				 why);
}

const struct pm_source pm_source_edac = {
	.name = "edac",
	.help = "errors of memory, by controller and DIMM",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.open = edac_open,
	.sample = pm_setsource_sample,
	.describe = pm_setsource_describe,
	.close = pm_setsource_close,
};
