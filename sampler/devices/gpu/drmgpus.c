/* GPUs whose driver tells their values by files of /sys. */
#include "config.h"

#include "sampler/devices/gpu/drmgpus.h"

#include "common/grow.h"
#include "common/now.h"
#include "sampler/devices/gpu/suspended.h"
#include "sampler/kernel/procfile.h"
#include "sampler/kernel/sysfslist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time between two looks. */
#define LOOK_US 60000000

/* Where the kernel lists cards, and under other names their outputs. */
#define CARDS "sys/class/drm"

/* Length of a path below the root, with the NUL. */
#define PATH_SIZE 256

struct gpu {
	char name[64];
	char address[32]; /* on the PCI bus */
	char driver[16];
	char card[64];             /* folder below the root */
	bool seen;                 /* by the latest look */
	bool lost;                 /* not read before the next look */
	bool asleep;               /* suspended by the kernel, and not to be woken */
	struct pm_procfile status; /* whether it is (suspended.h) */
	/* By row. */
	int series[PM_DRMGPUS_ROWS];
	struct pm_procfile file[PM_DRMGPUS_ROWS]; /* path NULL: could not be opened */
	const struct pm_drmgpus_file *is[PM_DRMGPUS_ROWS];
	enum pm_reason reason[PM_DRMGPUS_ROWS]; /* why it could not be opened */
	struct pm_counter counter[PM_DRMGPUS_ROWS];
};

struct state {
	const struct pm_drmgpus_kind *kind;
	const char *root;
	struct gpu *gpu; /* owned */
	size_t count, capacity;
	size_t asleep;   /* GPUs that were asleep before they told who they are */
	int64_t look_us; /* when to look again, on the monotonic clock */
};

/* --- files ------------------------------------------------------------------------------------ */

/* Read a small file once. Returns its length, at most size - 1, or -1 with errno set. */
static ssize_t read_once(const char *root, const char *path, char *to, size_t size)
{
	struct pm_procfile f;
	const char *text;
	ssize_t n;

	if (pm_procfile_open(&f, root, path) < 0)
		return -1;
	n = pm_procfile_read(&f, &text);
	snprintf(to, size, "%s", n >= 0 ? text : "");
	pm_procfile_close(&f);
	return n;
}

/* Find the hwmon folder of a GPU: that with its driver's name where parts of it have others, as
 * with i915, else the first. Returns its number, or -1 with errno set. */
static int find_hwmon(const char *root, const struct gpu *g)
{
	char path[PATH_SIZE], name[32];
	int64_t *number;
	ssize_t n, at = 0;
	int hwmon;

	snprintf(path, sizeof path, "%s/device/hwmon", g->card);
	n = pm_sysfslist_directory(root, path, "hwmon", &number);
	if (n <= 0) {
		if (n == 0)
			errno = ENOENT;
		free(number);
		return -1;
	}
	for (ssize_t i = 0; n > 1 && i < n; i++) {
		snprintf(path, sizeof path, "%s/device/hwmon/hwmon%d/name", g->card,
			 (int)number[i]);
		if (read_once(root, path, name, sizeof name) < 0)
			continue;
		name[strcspn(name, "\n")] = '\0';
		if (strcmp(name, g->driver) == 0)
			at = i;
	}
	hwmon = (int)number[at];
	free(number);
	return hwmon;
}

/* Write the path of a file of a GPU. Returns 0, or -1 with errno set where it has no such folder.
 */
static int file_path(const char *root, const struct gpu *g, const char *file, char path[PATH_SIZE])
{
	int hwmon;

	if (strncmp(file, "hwmon/", 6) != 0) {
		snprintf(path, PATH_SIZE, "%s/%s", g->card, file);
		return 0;
	}
	hwmon = find_hwmon(root, g);
	if (hwmon < 0)
		return -1;
	snprintf(path, PATH_SIZE, "%s/device/hwmon/hwmon%d/%s", g->card, hwmon, file + 6);
	return 0;
}

/* Open the file of a row. */
static void open_row(const struct state *s, struct gpu *g, size_t row)
{
	const struct pm_drmgpus_row *r = &s->kind->rows[row];
	char path[PATH_SIZE];

	g->reason[row] = PM_REASON_absent;
	for (size_t i = 0; i < PM_DRMGPUS_FILES && r->file[i].path && !g->file[row].path; i++) {
		g->is[row] = &r->file[i];
		if (file_path(s->root, g, r->file[i].path, path) == 0 &&
		    pm_procfile_open(&g->file[row], s->root, path) == 0)
			return;
		memset(&g->file[row], 0, sizeof g->file[row]);
		/* Of several files the one that is there. */
		if (g->reason[row] == PM_REASON_absent)
			g->reason[row] = pm_reason_errno(errno);
	}
}

static void close_files(const struct state *s, struct gpu *g)
{
	for (size_t row = 0; row < s->kind->count; row++)
		pm_procfile_close(&g->file[row]);
	pm_procfile_close(&g->status);
}

/* Open what is not open. */
static void open_files(const struct state *s, struct gpu *g)
{
	char device[PATH_SIZE];

	for (size_t row = 0; row < s->kind->count; row++)
		if (!g->file[row].path)
			open_row(s, g, row);
	file_path(s->root, g, "device", device);
	if (!g->status.path)
		pm_suspended_open(&g->status, s->root, device);
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
	char path[PATH_SIZE], text[1024];

	file_path(s->root, g, "device/uevent", path);
	if (read_once(s->root, path, text, sizeof text) < 0)
		return false;
	copy_key(text, "DRIVER=", g->driver, sizeof g->driver);
	copy_key(text, "PCI_SLOT_NAME=", g->address, sizeof g->address);
	for (const char *const *driver = s->kind->drivers; *driver; driver++)
		if (strcmp(g->driver, *driver) == 0)
			return g->address[0] != '\0';
	return false;
}

/* The unique id of a GPU, "" where its driver tells none. */
static void read_unique(const struct state *s, struct gpu *g)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	char path[PATH_SIZE], text[64];
	size_t n;

	g->name[0] = '\0';
	if (!s->kind->unique)
		return;
	file_path(s->root, g, s->kind->unique, path);
	if (read_once(s->root, path, text, sizeof text) < 0)
		return;
	n = strspn(text, digits);
	if (n && text[strspn(text, "0")] != '\n' && (text[n] == '\n' || text[n] == '\0'))
		snprintf(g->name, sizeof g->name, "%.*s", (int)n, text);
}

static struct gpu *find_gpu(struct state *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->gpu[i].name, name) == 0)
			return &s->gpu[i];
	return NULL;
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
	const struct gpu *other;

	read_unique(s, g);
	other = g->name[0] ? find_gpu(s, g->name) : NULL;
	if (other && strcmp(other->address, g->address) != 0 && other->seen) {
		if (same_device(other->address, g->address))
			return false;
		g->name[0] = '\0'; /* the ids are not unique */
	}
	if (!g->name[0])
		snprintf(g->name, sizeof g->name, "%s", g->address);
	return true;
}

/* Note a card that the look found. */
static void note_card(struct state *s, struct pm_sink *sink, int64_t number, int64_t now_us)
{
	struct gpu found = { .seen = true }, *g;
	char device[PATH_SIZE];

	snprintf(found.card, sizeof found.card, CARDS "/card%d", (int)number);
	if (!is_ours(s, &found))
		return;
	for (size_t i = 0; i < s->count; i++) {
		g = &s->gpu[i];
		if (!g->lost && strcmp(g->address, found.address) == 0 &&
		    strcmp(g->card, found.card) == 0) {
			g->seen = true;
			if (!pm_suspended_read(&g->status))
				open_files(s, g);
			return;
		}
	}
	file_path(s->root, &found, "device", device);
	if (pm_suspended_now(s->root, device)) {
		s->asleep++;
		return;
	}
	if (!name_gpu(s, &found))
		return;
	g = find_gpu(s, found.name);
	if (!g) {
		if (!PM_GROW(s->gpu, s->count, s->capacity, 8))
			return;
		for (size_t row = 0; row < s->kind->count; row++)
			found.series[row] =
				pm_sink_series(sink, PM_DRMGPUS_FIRST + row, found.name);
		g = &s->gpu[s->count++];
		*g = found;
	} else {
		close_files(s, g);
		memcpy(g->card, found.card, sizeof g->card);
		memcpy(g->address, found.address, sizeof g->address);
		/* A fall of its counters is no wrap: its driver was loaded anew. */
		for (size_t row = 0; row < s->kind->count; row++)
			g->counter[row].time_us = now_us;
	}
	g->seen = true;
	g->lost = false;
	open_files(s, g);
}

static void look(struct state *s, struct pm_sink *sink, int64_t now_us)
{
	int64_t *number;
	ssize_t n = pm_sysfslist_directory(s->root, CARDS, "card", &number);

	s->look_us = now_us + LOOK_US;
	s->asleep = 0;
	for (size_t i = 0; i < s->count; i++)
		s->gpu[i].seen = false;
	for (ssize_t i = 0; i < n; i++)
		note_card(s, sink, number[i], now_us);
	free(number);
	for (size_t i = 0; i < s->count; i++)
		s->gpu[i].lost = !s->gpu[i].seen;
}

/* --- values ----------------------------------------------------------------------------------- */

/* One number, without a unit. */
static int parse_number(const char *text, size_t n, int64_t *value, enum pm_reason *reason)
{
	const bool below = *text == '-';
	const char *p = text + below;

	*reason = strncmp(text, "N/A", 3) == 0 ? PM_REASON_unsupported : PM_REASON_parse;
	if (pm_procfile_number(&p, text + n + 1, value) < 0)
		return -1;
	while (p < text + n && (*p == '\0' || *p == ' ' || *p == '\n'))
		p++;
	*value *= below ? -1 : 1;
	return p == text + n ? 0 : -1;
}

/* The reason why a file that is open cannot be read: a GPU that is being reset refuses. */
static enum pm_reason read_reason(int error)
{
	return error == EPERM || error == EBUSY ? PM_REASON_late : pm_reason_errno(error);
}

/* Put a value that was read, in the file's unit. */
static void put_value(const struct state *s, struct gpu *g, size_t row, int64_t raw,
		      struct pm_sink *sink, int64_t now_us)
{
	const struct pm_drmgpus_row *r = &s->kind->rows[row];
	const int64_t scale = g->is[row]->scale;
	const int64_t divisor = g->is[row]->divisor ? g->is[row]->divisor : 1;
	const bool counts = sink->source->metrics[PM_DRMGPUS_FIRST + row].kind == PM_METRIC_COUNTER;
	uint64_t count = (uint64_t)raw;

	if (raw == 0 && r->never_zero) {
		pm_sink_unknown(sink, g->series[row], PM_REASON_unsupported);
	} else if (counts && (raw < 0 || !pm_counter_next(&g->counter[row], &r->rule, count, now_us,
							  &count))) {
		pm_sink_unknown(sink, g->series[row],
				raw < 0 ? PM_REASON_parse : PM_REASON_wrapped);
	} else {
		const int64_t value = (int64_t)count, whole = value / divisor;

		if (whole >= INT64_MAX / scale || whole <= -(INT64_MAX / scale))
			pm_sink_unknown(sink, g->series[row], PM_REASON_parse);
		else
			pm_sink_value(sink, g->series[row],
				      whole * scale + value % divisor * scale / divisor);
	}
}

/* Read a file and put its value. Returns whether the device is still there. */
static bool sample_row(const struct state *s, struct gpu *g, size_t row, struct pm_sink *sink,
		       int64_t now_us)
{
	const struct pm_drmgpus_file *is = g->is[row];
	enum pm_reason reason;
	const char *text;
	int64_t raw;
	ssize_t n = pm_procfile_read(&g->file[row], &text);

	if (n < 0) {
		const int error = errno;

		pm_sink_unknown(sink, g->series[row], read_reason(error));
		return pm_reason_errno(error) != PM_REASON_absent;
	}
	if ((is->parse ? is->parse : parse_number)(text, (size_t)n, &raw, &reason) == 0)
		put_value(s, g, row, raw, sink, now_us);
	else
		pm_sink_unknown(sink, g->series[row], reason);
	return true;
}

/* Put the values of a GPU; those of one that is lost or asleep are absent. */
static void sample_gpu(const struct state *s, struct gpu *g, struct pm_sink *sink, int64_t now_us)
{
	size_t read = 0, there = 0;

	g->asleep = !g->lost && pm_suspended_read(&g->status);
	if (g->lost || g->asleep)
		return;
	for (size_t row = 0; row < s->kind->count; row++) {
		if (!g->file[row].path) {
			pm_sink_unknown(sink, g->series[row], g->reason[row]);
			continue;
		}
		read++;
		there += sample_row(s, g, row, sink, now_us);
	}
	g->lost = read && !there;
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
	s->root = target->root;
	look(s, sink, pm_now_monotonic_us());
	if (s->count || s->asleep) {
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

	if (now_us >= s->look_us)
		look(s, sink, now_us);
	for (size_t i = 0; i < s->count; i++) {
		sample_gpu(s, &s->gpu[i], sink, now_us);
		lost += s->gpu[i].lost;
	}
	pm_sink_value(sink, PM_DRMGPUS_GPUS, (int64_t)(s->count - lost));
	pm_sink_value(sink, PM_DRMGPUS_LOST, (int64_t)lost);
}

void pm_drmgpus_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	const struct state *s = state;

	for (size_t i = 0; i < s->count; i++) {
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

	for (size_t i = 0; i < s->count; i++)
		close_files(s, &s->gpu[i]);
	free(s->gpu);
	free(s);
}
