/* GPUs whose driver tells their values by files of /sys. */
#include "config.h"

#include "sampler/devices/gpu/drmgpus.h"

#include "common/now.h"
#include "sampler/devices/deviceset.h"
#include "sampler/devices/gpu/suspended.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/kernel/sysfslist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* GPUs that are known, at most. */
#define GPUS_MAX 64

/* Where the kernel lists cards, and under other names their outputs. */
#define CARDS "sys/class/drm"

/* Length of a path below the root, with the NUL. */
#define PATH_SIZE 256

/* Who a GPU is, beside what the set has. */
struct gpu {
	char name[64];
	char address[32]; /* on the PCI bus */
	char driver[16];
	char card[64];             /* folder below the root */
	bool lost;                 /* not read before the next look */
	bool asleep;               /* suspended by the kernel, and not to be woken */
	struct pm_procfile status; /* whether it is (suspended.h) */
	const struct pm_drmgpus_file *is[PM_DRMGPUS_ROWS]; /* by row: the file that is read */
};

struct state {
	const struct pm_drmgpus_kind *kind;
	struct pm_deviceset set;
	struct gpu gpu[GPUS_MAX]; /* by place in the set */
	size_t asleep;            /* GPUs that were asleep before they told who they are */
};

/* --- files ------------------------------------------------------------------------------------ */

/* Find the hwmon folder of a GPU: that with its driver's name where parts of it have others, as
 * with i915, else the first. Returns its number, or -1. */
static int find_hwmon(const char *root, const struct gpu *g)
{
	char path[PATH_SIZE], name[32];
	int64_t *number;
	int hwmon = -1;
	ssize_t n;

	snprintf(path, sizeof path, "%s/device/hwmon", g->card);
	n = pm_sysfslist_directory(root, path, "hwmon", &number);
	if (n > 0)
		hwmon = (int)number[0];
	for (ssize_t i = 0; n > 1 && i < n; i++) {
		snprintf(path, sizeof path, "%s/device/hwmon/hwmon%d/name", g->card,
			 (int)number[i]);
		if (pm_devicefile_name(root, path, name, sizeof name) > 0 &&
		    strcmp(name, g->driver) == 0)
			hwmon = (int)number[i];
	}
	free(number);
	return hwmon;
}

/* Write the path of a file of a GPU, whose hwmon folder has this number. */
static void file_path(const struct gpu *g, int hwmon, const char *file, char path[PATH_SIZE])
{
	if (strncmp(file, "hwmon/", 6) == 0)
		snprintf(path, PATH_SIZE, "%s/device/hwmon/hwmon%d/%s", g->card, hwmon, file + 6);
	else
		snprintf(path, PATH_SIZE, "%s/%s", g->card, file);
}

/* Note the files of a GPU in the set, and open those that are not open. */
static void note_files(struct state *s, struct gpu *g, struct pm_device *d)
{
	const int hwmon = find_hwmon(s->set.root, g);
	char path[PATH_SIZE];

	for (size_t row = 0; row < s->kind->count; row++) {
		const struct pm_drmgpus_row *r = &s->kind->rows[row];
		struct pm_devicevalue *v = NULL;

		for (size_t i = 0; i < PM_DRMGPUS_FILES && r->file[i].path; i++) {
			file_path(g, hwmon, r->file[i].path, path);
			v = pm_deviceset_file(&s->set, d, PM_DRMGPUS_FIRST + row, path);
			g->is[row] = &r->file[i];
			if (!v || v->file.error != ENOENT)
				break;
		}
		if (!v)
			continue;
		v->scale = g->is[row]->scale;
		v->rule = r->rule;
	}
	file_path(g, hwmon, "device", path);
	if (!g->status.path)
		pm_suspended_open(&g->status, s->set.root, path);
}

/* --- who is there ----------------------------------------------------------------------------- */

/* Copy the value of a line KEY=VALUE; "" where there is none. */
static void copy_key(const char *text, const char *key, char *to, size_t size)
{
	const size_t n = strlen(key);

	to[0] = '\0';
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, n) == 0)
			snprintf(to, size, "%.*s", (int)strcspn(p + n, "\n"), p + n);
	}
}

/* Find out whose card it is. Returns whether it is one of the kind, and on the PCI bus: partitions
 * of a GPU have cards of their own that are not. */
static bool is_ours(const struct state *s, struct gpu *g)
{
	char path[PATH_SIZE];
	struct pm_procfile uevent;
	const char *text;

	file_path(g, -1, "device/uevent", path);
	if (pm_procfile_open(&uevent, s->set.root, path) < 0)
		return false;
	if (pm_procfile_read(&uevent, &text) >= 0) {
		copy_key(text, "DRIVER=", g->driver, sizeof g->driver);
		copy_key(text, "PCI_SLOT_NAME=", g->address, sizeof g->address);
	}
	pm_procfile_close(&uevent);
	for (const char *const *driver = s->kind->drivers; *driver; driver++)
		if (strcmp(g->driver, *driver) == 0)
			return g->address[0] != '\0';
	return false;
}

/* The unique id of a GPU, "" where its driver tells none. */
static void read_unique(const struct state *s, struct gpu *g)
{
	char path[PATH_SIZE];

	if (!s->kind->unique)
		return;
	file_path(g, -1, s->kind->unique, path);
	if (pm_devicefile_name(s->set.root, path, g->name, sizeof g->name) < 0 ||
	    g->name[strspn(g->name, "0123456789abcdefABCDEF")] != '\0' ||
	    g->name[strspn(g->name, "0")] == '\0')
		g->name[0] = '\0';
}

/* The place of a GPU in the set, or its size. */
static size_t find_gpu(const struct state *s, const char *name)
{
	size_t at = 0;

	while (at < s->set.count && strcmp(s->gpu[at].name, name) != 0)
		at++;
	return at;
}

/* Whether two addresses are functions of one device. */
static bool same_device(const char *a, const char *b)
{
	const size_t n = strcspn(a, ".");

	return strcspn(b, ".") == n && strncmp(a, b, n) == 0;
}

/*
 * Give a GPU its name. Returns false for another function of one that has it: a partition, whose
 * values are those of the whole.
 */
static bool name_gpu(struct state *s, struct gpu *g)
{
	size_t at;

	read_unique(s, g);
	at = g->name[0] ? find_gpu(s, g->name) : s->set.count;
	if (at < s->set.count && s->set.device[at].seen &&
	    strcmp(s->gpu[at].address, g->address) != 0) {
		if (same_device(s->gpu[at].address, g->address))
			return false;
		g->name[0] = '\0'; /* the ids are not unique */
	}
	if (!g->name[0])
		snprintf(g->name, sizeof g->name, "%s", g->address);
	return true;
}

/* Whether a card is that of a known GPU, which has its name then. */
static bool is_known(const struct state *s, struct gpu *found)
{
	for (size_t i = 0; i < s->set.count; i++) {
		const struct gpu *g = &s->gpu[i];

		if (g->lost || strcmp(g->address, found->address) != 0 ||
		    strcmp(g->card, found->card) != 0)
			continue;
		memcpy(found->name, g->name, sizeof found->name);
		return true;
	}
	return false;
}

/* Note a card that the look found. */
static void note_card(struct state *s, int64_t number, int64_t now_us)
{
	char device[PATH_SIZE];
	struct gpu found = { .lost = false }, *g;
	struct pm_device *d;
	size_t at;

	snprintf(found.card, sizeof found.card, CARDS "/card%d", (int)number);
	if (!is_ours(s, &found))
		return;
	if (!is_known(s, &found)) {
		file_path(&found, -1, "device", device);
		if (pm_suspended_now(s->set.root, device)) {
			s->asleep++;
			return;
		}
		if (!name_gpu(s, &found))
			return;
	}
	at = find_gpu(s, found.name);
	d = at < GPUS_MAX ? pm_deviceset_get(&s->set, found.name) : NULL;
	if (!d)
		return;
	g = &s->gpu[at];
	if (g->lost || !g->name[0]) {
		/* A fall of its counters is no wrap: its driver was loaded anew. */
		for (size_t i = 0; i < d->count; i++)
			d->value[i].counter.time_us = now_us;
		pm_procfile_close(&g->status);
		*g = found;
	}
	note_files(s, g, d);
}

static void look(struct state *s, int64_t now_us)
{
	int64_t *number;
	ssize_t n = pm_sysfslist_directory(s->set.root, CARDS, "card", &number);

	s->asleep = 0;
	pm_deviceset_begin(&s->set, now_us);
	for (ssize_t i = 0; i < n; i++)
		note_card(s, number[i], now_us);
	free(number);
	pm_deviceset_end(&s->set);
	for (size_t i = 0; i < s->set.count; i++)
		s->gpu[i].lost = !s->set.device[i].seen;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Find the value in the text of a file. */
static int parse(const struct pm_drmgpus_file *is, const char *text, size_t n, int64_t *value)
{
	return is->parse ? is->parse(text, n, value) : pm_devicefile_parse(text, n, "", value);
}

/* Read a file and put its value. Returns whether the device is still there. */
static bool sample_value(struct state *s, const struct gpu *g, struct pm_devicevalue *v,
			 int64_t now_us)
{
	const size_t row = v->metric - PM_DRMGPUS_FIRST;
	char text[PM_DEVICEFILE_MAX + 2];
	const ssize_t n = pm_devicefile_text(&v->file, text, sizeof text - 1);
	int64_t value;

	if (n < 0) {
		/* A GPU that is being reset refuses, although its file could be opened. */
		if (!v->file.error && (errno == EPERM || errno == EBUSY))
			pm_sink_unknown(s->set.sink, v->series, PM_REASON_late);
		else
			pm_sink_unknown(s->set.sink, v->series, pm_reason_errno(errno));
		return !v->file.error;
	}
	text[n] = '\0';
	if (parse(g->is[row], text, (size_t)n, &value) < 0)
		pm_sink_unknown(s->set.sink, v->series, pm_reason_errno(errno));
	else if (value == 0 && s->kind->rows[row].never_zero)
		pm_sink_unknown(s->set.sink, v->series, pm_reason_errno(ENODATA));
	else
		pm_deviceset_put(&s->set, v, value, now_us);
	return true;
}

/* Put the values of a GPU; those of one that is lost or asleep are absent. */
static void sample_gpu(struct state *s, size_t at, int64_t now_us)
{
	struct pm_device *d = &s->set.device[at];
	struct gpu *g = &s->gpu[at];
	size_t read = 0, there = 0;

	g->asleep = !g->lost && pm_suspended_read(&g->status);
	if (g->lost || g->asleep)
		return;
	for (size_t i = 0; i < d->count; i++) {
		read += !d->value[i].file.error;
		there += sample_value(s, g, &d->value[i], now_us);
	}
	g->lost = read && !there;
	s->set.lost = s->set.lost || g->lost;
}

/* --- the source ------------------------------------------------------------------------------- */

int pm_drmgpus_open(void **state, const struct pm_drmgpus_kind *kind,
		    const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, sink->source->name);
	s->kind = kind;
	pm_deviceset_init(&s->set, target->root, sink);
	look(s, pm_now_monotonic_us());
	if (s->set.count || s->asleep) {
		*state = s;
		return 0;
	}
	pm_drmgpus_close(s);
	why->reason = PM_REASON_absent;
	return pm_err(&why->err, "no card of /" CARDS " is a GPU with a driver of %s's",
		      kind->vendor);
}

void pm_drmgpus_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();
	size_t lost = 0;

	if (pm_deviceset_is_due(&s->set, now_us))
		look(s, now_us);
	for (size_t i = 0; i < s->set.count; i++) {
		sample_gpu(s, i, now_us);
		lost += s->gpu[i].lost;
	}
	pm_sink_value(sink, PM_DRMGPUS_GPUS, (int64_t)(s->set.count - lost));
	pm_sink_value(sink, PM_DRMGPUS_LOST, (int64_t)lost);
}

void pm_drmgpus_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	const struct state *s = state;

	for (size_t i = 0; i < s->set.count; i++) {
		const struct gpu *g = &s->gpu[i];

		fprintf(out, "%s: %s, driver %s%s\n", g->name, g->address, g->driver,
			g->lost     ? ": the GPU is gone; look into the kernel's log"
			: g->asleep ? ": suspended, and not woken to be read"
				    : "");
		if (!g->lost && !g->asleep)
			pm_sink_describe(sink, g->name, out);
	}
	if (s->asleep)
		fprintf(out, "suspended GPUs, not woken to be read: %zu\n", s->asleep);
}

void pm_drmgpus_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->set.count; i++)
		pm_procfile_close(&s->gpu[i].status);
	pm_deviceset_free(&s->set);
	free(s);
}
