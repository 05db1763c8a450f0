/* Ports of RDMA devices. */
#include "config.h"

#include "sampler/devices/network/ibports.h"

#include "common/now.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLASS "sys/class/infiniband"

/* The driver of a device, by the name of its module, or by the device's where that is not to be
 * seen. */
static void find_driver(const char *root, const char *device, char *driver, size_t size)
{
	char path[512], target[512];
	ssize_t n;

	snprintf(path, sizeof path, "%s/" CLASS "/%s/device/driver", root, device);
	n = readlink(path, target, sizeof target - 1);
	target[n > 0 ? n : 0] = '\0';
	snprintf(driver, size, "%s",
		 n > 0 && strrchr(target, '/') ? strrchr(target, '/') + 1 : device);
}

/* Append ", TEXT" of a file of a device to about. Returns whether there is one. */
static bool append_name(const char *root, const char *path, const char *before, char *about,
			size_t size)
{
	const size_t n = strlen(about);
	char text[128];

	if (pm_devicefile_name(root, path, text, sizeof text) < 0)
		return false;
	snprintf(about + n, size - n, "%s%s%s", n ? ", " : "", before, text);
	return true;
}

/* Say who a port is. */
static void describe_port(const char *root, struct pm_device *d, const char *device,
			  const char *port)
{
	static const struct {
		const char *file, *before;
	} files[] = {
		{ "hca_type", "" },
		{ "board_id", "board " },
		{ "fw_ver", "firmware " },
	};
	char path[560], about[640] = "";

	snprintf(path, sizeof path, CLASS "/%s/ports/%s/link_layer", device, port);
	append_name(root, path, "", about, sizeof about);
	snprintf(path, sizeof path, CLASS "/%s/ports/%s/rate", device, port);
	append_name(root, path, "", about, sizeof about);
	snprintf(path, sizeof path, CLASS "/%s/ports/%s/state", device, port);
	append_name(root, path, "state ", about, sizeof about);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, CLASS "/%s/%s", device, files[i].file);
		append_name(root, path, files[i].before, about, sizeof about);
	}
	if (d->apart) {
		const size_t n = strlen(about);

		snprintf(about + n, sizeof about - n,
			 "%sa virtual function with the counters of its port, not in the sums",
			 n ? ", " : "");
	}
	if (about[0])
		pm_deviceset_about(d, about);
}

/* Note a metric of a port, in the first place where it is. */
static void note_metric(struct pm_deviceset *set, struct pm_device *d, size_t metric,
			const char *folder, const struct pm_ibports_row *row, bool wide)
{
	const struct pm_ibports_place *place = NULL;
	struct pm_devicevalue *v;
	char path[640];

	for (int i = 0; i < PM_IBPORTS_PLACES && row->place[i].file && !place; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, row->place[i].file);
		if (pm_deviceset_has(set, path))
			place = &row->place[i];
	}
	if (!place && row->always) {
		place = &row->place[0];
		snprintf(path, sizeof path, "%s/%s", folder, place->file);
	}
	v = place ? pm_deviceset_file(set, d, metric, path) : NULL;
	if (!v)
		return;
	v->scale = place->scale;
	v->parse = row->parse;
	v->rule = (struct pm_counter_rule){ 0 };
	if (place->bits && !wide) {
		v->rule.modulus = UINT64_C(1) << place->bits;
		v->rule.saturates = true;
	}
	if (place->plus) {
		snprintf(path, sizeof path, "%s/%s", folder, place->plus);
		pm_deviceset_plus(set, v, 0, path);
	}
}

static void note_port(struct pm_deviceset *set, const char *device, const char *port,
		      const struct pm_ibports_row *row)
{
	char name[128], folder[560], path[560], driver[256];
	struct pm_device *d;

	if (strspn(port, "0123456789") != strlen(port) ||
	    snprintf(name, sizeof name, "%s/%s", device, port) >= (int)sizeof name)
		return;
	d = pm_deviceset_get(set, name);
	if (!d)
		return;
	find_driver(set->root, device, driver, sizeof driver);
	/* The functions of an mlx4 on their host have the counters of the port, each. */
	snprintf(path, sizeof path, CLASS "/%s/device/physfn", device);
	d->apart = strncmp(driver, "mlx4", 4) == 0 && pm_deviceset_has(set, path);
	describe_port(set->root, d, device, port);
	snprintf(folder, sizeof folder, CLASS "/%s/ports/%s", device, port);
	for (size_t i = 0; i < set->sink->source->metrics_count; i++)
		/* Omni-Path counts everything in 64 bits. */
		note_metric(set, d, i, folder, &row[i], strncmp(driver, "hfi1", 4) == 0);
}

static void free_list(struct dirent **list, int n)
{
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

/* Look for all ports. Returns how many there are, or -1 with errno set. */
static ssize_t look(struct pm_deviceset *set, const struct pm_ibports_row *row, int64_t now_us)
{
	struct dirent **device, **port;
	const int n = pm_deviceset_list(set, CLASS, &device);
	const int saved = errno;
	size_t found;

	pm_deviceset_begin(set, now_us);
	for (int i = 0; i < n; i++) {
		char path[512];
		int ports;

		snprintf(path, sizeof path, CLASS "/%s/ports", device[i]->d_name);
		ports = pm_deviceset_list(set, path, &port);
		for (int k = 0; k < ports; k++)
			note_port(set, device[i]->d_name, port[k]->d_name, row);
		free_list(port, ports);
	}
	free_list(device, n);
	found = pm_deviceset_end(set);
	errno = n < 0 ? saved : ENOENT;
	return found ? (ssize_t)found : -1;
}

int pm_ibports_open(struct pm_deviceset *set, const struct pm_target *target, struct pm_sink *sink,
		    const struct pm_ibports_row *row, struct pm_unavailable *why)
{
	pm_deviceset_init(set, target->root, sink);
	if (look(set, row, pm_now_monotonic_us()) > 0)
		return 0;
	pm_source_unavailable(why, "no ports in /" CLASS);
	pm_deviceset_free(set);
	return -1;
}

void pm_ibports_sample(struct pm_deviceset *set, const struct pm_ibports_row *row)
{
	const int64_t now_us = pm_now_monotonic_us();

	if (pm_deviceset_is_due(set, now_us))
		look(set, row, now_us);
	pm_deviceset_read(set, now_us);
}
