/*
 * Source "resctrl": bandwidth of memory and use of the last cache, by cache, of all processes that
 * are in no monitoring group of their own, from /sys/fs/resctrl/mon_data where it is mounted
 * (the kernel's Documentation/filesystems/resctrl.rst).
 */
#include "config.h"

#include "sampler/devices/setsource.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "sys/fs/resctrl/mon_data"

enum { TOTAL, LOCAL, OCCUPANCY, METRICS };

static const struct pm_metric metrics[METRICS] = {
	[TOTAL] = { "memory_bytes", "B", "bytes that the CPUs of a cache read and wrote", "cache",
		    true, PM_METRIC_COUNTER },
	[LOCAL] = { "memory_local_bytes", "B", "those of the memory of the same node", "cache",
		    true, PM_METRIC_COUNTER },
	[OCCUPANCY] = { "cache_used", "B", "part of the cache that is in use", "cache", true,
			PM_METRIC_GAUGE },
};

static const char *const files[METRICS] = {
	[TOTAL] = "mbm_total_bytes",
	[LOCAL] = "mbm_local_bytes",
	[OCCUPANCY] = "llc_occupancy",
};

/* A number, or "Unavailable" where the counter has no value yet, "Unassigned" where there is no
 * counter, "Error" where the hardware had none. */
static int parse_value(const char *text, size_t n, int64_t *value)
{
	static const char *const words[] = { "Unavailable", "Unassigned", "Error" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t length = strlen(words[i]);

		if (n >= length && memcmp(text, words[i], length) == 0) {
			errno = ENODATA;
			return -1;
		}
	}
	return pm_devicefile_parse(text, n, "", value);
}

/* Look for all caches. Returns how many there are, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, int64_t now_us)
{
	static const char prefix[] = "mon_L3_";
	struct dirent **list;
	const int n = pm_deviceset_list(set, FOLDER, &list);
	const int saved = errno;
	size_t found;

	pm_deviceset_begin(set, now_us);
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		struct pm_device *d = NULL;

		if (strncmp(name, prefix, sizeof prefix - 1) == 0)
			d = pm_deviceset_get(set, name + strlen("mon_"));
		for (size_t k = 0; d && k < METRICS; k++) {
			struct pm_devicevalue *v = NULL;
			char path[400];

			snprintf(path, sizeof path, FOLDER "/%s/%s", name, files[k]);
			if (pm_deviceset_has(set, path))
				v = pm_deviceset_file(set, d, k, path);
			if (v)
				v->parse = parse_value;
		}
		free(list[i]);
	}
	free(list);
	found = pm_deviceset_end(set);
	errno = n < 0 ? saved : ENOENT;
	return found ? (ssize_t)found : -1;
}

static int resctrl_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	return pm_setsource_open(state, look, target, sink,
				 "resctrl is not mounted, or monitors nothing: /" FOLDER, why);
}

const struct pm_source pm_source_resctrl = {
	.name = "resctrl",
	.help = "bandwidth of memory and use of the last cache, where resctrl is mounted",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = resctrl_open,
	.sample = pm_setsource_sample,
	.describe = pm_setsource_describe,
	.close = pm_setsource_close,
};
