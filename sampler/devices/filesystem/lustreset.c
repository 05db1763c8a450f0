/* Mounts of Lustre and their statistics. */
#include "config.h"

#include "sampler/devices/filesystem/lustreset.h"

#include "common/grow.h"
#include "common/now.h"
#include "sampler/kernel/counter.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/kernel/procfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time between two looks, and where a file was lost. */
#define LOOK_US      60000000
#define LOOK_LOST_US 10000000

/* Mounts with series, at most. */
#define MOUNTS_MAX 64

/* Where versions have their files: up to 2.11, in part 2.12 and later, most of 2.12 and later. */
static const char *const places[] = { "proc/fs/lustre", "sys/fs/lustre",
				      "sys/kernel/debug/lustre" };

#define PLACES (sizeof places / sizeof places[0])

/* Debugfs is root's, from Linux 3.7 on: its folder alone, as the files in it may be read by all. */
#define REMEDY                                                                                     \
	"run the sampler as root, or let users pass: chmod a+x %s/sys/kernel/debug, which lets "   \
	"them to other files of debugfs, too"

/* A file of a mount or of a server. */
struct file {
	const struct pm_lustreset_kind *kind;
	char *directory; /* its name in the class; owned */
	size_t place;
	struct pm_procfile file; /* path NULL: not open */
	int error;               /* why it is not open */
	bool seen;
	int64_t start_ns;
	struct pm_counter counter[PM_LUSTRESTATS_ROWS];
};

struct pm_lustreset_mount {
	char *name; /* owned */
	bool seen;
	struct file *file;
	size_t count, capacity;
	int series[PM_LUSTRESET_METRICS];
	int64_t gone[PM_LUSTRESET_METRICS]; /* counted by files that are gone */
};

/* A sum of values, as far as they are known. */
struct total {
	int64_t value;
	bool unknown;
	enum pm_reason reason;
};

static void add_value(struct total *t, int64_t value)
{
	if (__builtin_add_overflow(t->value, value, &t->value)) {
		t->unknown = true;
		t->reason = PM_REASON_parse;
	}
}

static void add_unknown(struct total *t, enum pm_reason reason)
{
	t->unknown = true;
	t->reason = reason;
}

static void put_total(struct pm_sink *sink, int series, const struct total *t)
{
	if (t->unknown)
		pm_sink_unknown(sink, series, t->reason);
	else
		pm_sink_value(sink, series, t->value);
}

/* --- looking ---------------------------------------------------------------------------------- */

/* Call visit for each directory of a class in each place. */
static void each_directory(const char *root, const char *class,
			   void (*visit)(const char *name, void *arg), void *arg)
{
	for (size_t i = 0; i < PLACES; i++) {
		struct dirent *entry;
		char path[512];
		DIR *dir;

		if (snprintf(path, sizeof path, "%s/%s/%s", root, places[i], class) >=
		    (int)sizeof path)
			continue;
		dir = opendir(path);
		while (dir && (entry = readdir(dir)) != NULL)
			if (entry->d_name[0] != '.' && strchr(entry->d_name, '-'))
				visit(entry->d_name, arg);
		if (dir)
			closedir(dir);
	}
}

static struct pm_lustreset_mount *find_mount(struct pm_lustreset *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->mount[i].name, name) == 0)
			return &s->mount[i];
	return NULL;
}

static void note_mount(const char *name, void *arg)
{
	struct pm_lustreset *s = arg;
	struct pm_lustreset_mount *m = find_mount(s, name);

	if (!m) {
		if (s->count == MOUNTS_MAX || !PM_GROW(s->mount, s->count, s->capacity, 4))
			return;
		m = &s->mount[s->count];
		*m = (struct pm_lustreset_mount){ .name = strdup(name) };
		if (!m->name)
			return;
		s->count++;
		for (size_t i = 0; i < s->sink->source->metrics_count; i++)
			m->series[i] = pm_sink_series(s->sink, i, name);
	}
	m->seen = true;
}

/* Open a file where a version has it. */
static void open_file(const struct pm_lustreset *s, struct file *f)
{
	f->error = ENOENT;
	for (f->place = 0; f->place < PLACES; f->place++) {
		char path[512];

		if (snprintf(path, sizeof path, "%s/%s/%s/%s", places[f->place], f->kind->class,
			     f->directory, f->kind->file) >= (int)sizeof path)
			continue;
		if (pm_procfile_open(&f->file, s->root, path) == 0) {
			f->error = 0;
			return;
		}
		if (errno != ENOENT && errno != ENOTDIR)
			f->error = errno;
	}
}

static void note_file(struct pm_lustreset *s, struct pm_lustreset_mount *m,
		      const struct pm_lustreset_kind *kind, const char *directory)
{
	struct file *f = m->file;

	while (f < m->file + m->count && (f->kind != kind || strcmp(f->directory, directory) != 0))
		f++;
	if (f == m->file + m->count) {
		if (!PM_GROW(m->file, m->count, m->capacity, 2))
			return;
		f = &m->file[m->count];
		*f = (struct file){ .kind = kind, .directory = strdup(directory) };
		if (!f->directory)
			return;
		m->count++;
	}
	f->seen = true;
	if (!f->file.path)
		open_file(s, f);
}

/* What a look for servers hands on. */
struct look {
	struct pm_lustreset *s;
	const struct pm_lustreset_kind *kind;
};

/* Note a server "FS-OST0000-osc-INSTANCE" with its mount "FS-INSTANCE". Those of other servers,
 * which a server has too ("FS-OST0000-osc-MDT0000"), are of no mount. */
static void note_server(const char *name, void *arg)
{
	struct look *look = arg;
	const char *instance = strrchr(name, '-'), *end = NULL;
	struct pm_lustreset_mount *m;
	char between[16], mount[300];

	snprintf(between, sizeof between, "-%s-", look->kind->class);
	for (const char *p = name; (p = strstr(p, between)) != NULL; p++)
		end = p;
	if (!end || end + strlen(between) != instance + 1)
		return;
	while (end > name && *--end != '-')
		;
	snprintf(mount, sizeof mount, "%.*s%s", (int)(end - name), name, instance);
	m = find_mount(look->s, mount);
	if (m && m->seen)
		note_file(look->s, m, look->kind, name);
}

/* Let go of a file that is gone; what it counted stays in the mount's sums. */
static void drop_file(struct pm_lustreset_mount *m, struct file *f)
{
	for (size_t i = 0; i < f->kind->rows; i++)
		if (f->counter[i].held)
			m->gone[f->kind->metric + i] +=
				(int64_t)(f->counter[i].base + f->counter[i].raw);
	pm_procfile_close(&f->file);
	free(f->directory);
}

static void drop_files(struct pm_lustreset_mount *m, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++)
		if (!all && m->file[i].seen)
			m->file[kept++] = m->file[i];
		else
			drop_file(m, &m->file[i]);
	m->count = kept;
}

/* Let go of a mount that is gone; what it counted stays in the whole. */
static void drop_mount(struct pm_lustreset *s, struct pm_lustreset_mount *m, bool forget)
{
	drop_files(m, true);
	for (size_t i = 0; i < s->sink->source->metrics_count; i++) {
		s->gone[i] += m->gone[i];
		if (forget)
			pm_sink_forget(s->sink, m->series[i]);
	}
	free(m->file);
	free(m->name);
}

static void look(struct pm_lustreset *s, int64_t now_us)
{
	size_t kept = 0;

	s->looked_us = now_us;
	s->lost = false;
	for (size_t i = 0; i < s->count; i++) {
		s->mount[i].seen = false;
		for (size_t k = 0; k < s->mount[i].count; k++)
			s->mount[i].file[k].seen = false;
	}
	each_directory(s->root, "llite", note_mount, s);
	for (size_t i = 0; i < s->kinds; i++) {
		struct look look = { s, &s->kind[i] };

		if (strcmp(s->kind[i].class, "llite") != 0) {
			each_directory(s->root, s->kind[i].class, note_server, &look);
			continue;
		}
		for (size_t k = 0; k < s->count; k++)
			if (s->mount[k].seen)
				note_file(s, &s->mount[k], &s->kind[i], s->mount[k].name);
	}
	for (size_t i = 0; i < s->count; i++)
		if (s->mount[i].seen) {
			drop_files(&s->mount[i], false);
			s->mount[kept++] = s->mount[i];
		} else {
			drop_mount(s, &s->mount[i], true);
		}
	s->count = kept;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Read and parse a file. Returns PM_REASON_COUNT, or why there is nothing. */
static enum pm_reason read_file(struct pm_lustreset *s, struct file *f, struct pm_lustrestats *out)
{
	const char *text;
	ssize_t n;
	int error;

	if (!f->file.path) {
		if (s->keep || f->error)
			return pm_reason_errno(f->error);
		open_file(s, f);
		s->lost = s->lost || f->error;
		if (!f->file.path)
			return pm_reason_errno(f->error);
	}
	n = pm_procfile_read(&f->file, &text);
	error = errno;
	if (n >= 0 && pm_lustrestats_parse(text, (size_t)n, f->kind->row, f->kind->rows, out) < 0)
		error = EBADMSG;
	else if (n >= 0)
		error = 0;
	if (n < 0) {
		/* Of a mount that is gone it says EIO. */
		f->error = error == EIO ? ENODEV : error;
		s->lost = true;
	}
	if (n < 0 || !s->keep)
		pm_procfile_close(&f->file);
	return error ? pm_reason_errno(n < 0 ? f->error : error) : PM_REASON_COUNT;
}

/* Whether the file was cleared since the latest reading, which is of all its counters: some may
 * have grown beyond their latest value since. */
static bool was_cleared(struct file *f, const struct pm_lustrestats *stats)
{
	bool cleared = f->start_ns && stats->start_ns && f->start_ns != stats->start_ns;

	f->start_ns = stats->start_ns;
	for (size_t i = 0; i < f->kind->rows; i++)
		cleared = cleared || (f->counter[i].held && stats->row[i].known &&
				      (uint64_t)stats->row[i].value < f->counter[i].raw);
	return cleared;
}

/* Add the values of a file to those of its mount. */
static void add_file(struct pm_lustreset *s, struct file *f, struct total *total, int64_t now_us)
{
	static const struct pm_counter_rule never = { 0 };
	struct pm_lustrestats stats;
	const enum pm_reason reason = read_file(s, f, &stats);
	const bool cleared = reason == PM_REASON_COUNT && was_cleared(f, &stats);

	for (size_t i = 0; i < f->kind->rows; i++) {
		struct total *t = &total[f->kind->metric + i];
		uint64_t count;

		if (cleared && f->counter[i].held)
			pm_counter_restart(&f->counter[i]);
		if (reason != PM_REASON_COUNT)
			add_unknown(t, reason);
		else if (!stats.row[i].known)
			add_unknown(t, stats.row[i].reason);
		else if (!pm_counter_next(&f->counter[i], &never, (uint64_t)stats.row[i].value,
					  now_us, &count))
			add_unknown(t, PM_REASON_wrapped);
		else if (count > INT64_MAX)
			add_unknown(t, PM_REASON_parse);
		else
			add_value(t, (int64_t)count);
	}
}

void pm_lustreset_sample(struct pm_lustreset *s)
{
	const int64_t now_us = pm_now_monotonic_us();
	const size_t metrics = s->sink->source->metrics_count;
	struct total whole[PM_LUSTRESET_METRICS] = { 0 };

	if (now_us - s->looked_us >= (s->lost ? LOOK_LOST_US : LOOK_US))
		look(s, now_us);
	for (size_t c = 0; c < metrics; c++)
		add_value(&whole[c], s->gone[c]);
	for (size_t i = 0; i < s->count; i++) {
		struct pm_lustreset_mount *m = &s->mount[i];
		struct total total[PM_LUSTRESET_METRICS] = { 0 };
		bool any[PM_LUSTRESET_METRICS] = { false };

		for (size_t k = 0; k < m->count; k++) {
			add_file(s, &m->file[k], total, now_us);
			for (size_t c = 0; c < m->file[k].kind->rows; c++)
				any[m->file[k].kind->metric + c] = true;
		}
		for (size_t c = 0; c < metrics; c++) {
			add_value(&total[c], m->gone[c]);
			if (!any[c])
				add_unknown(&total[c], PM_REASON_absent);
			put_total(s->sink, m->series[c], &total[c]);
			if (total[c].unknown)
				add_unknown(&whole[c], total[c].reason);
			else
				add_value(&whole[c], total[c].value);
		}
	}
	for (size_t c = 0; c < metrics; c++)
		put_total(s->sink, (int)c, &whole[c]);
}

/* --- the set ---------------------------------------------------------------------------------- */

/* Whether any file can be read; if not, *error is errno of one that cannot. */
static bool is_readable(const struct pm_lustreset *s, int *error)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->mount[i].count; k++) {
			if (s->mount[i].file[k].file.path)
				return true;
			*error = s->mount[i].file[k].error;
		}
	return false;
}

int pm_lustreset_open(struct pm_lustreset *s, const char *root, struct pm_sink *sink,
		      const struct pm_lustreset_kind *kind, size_t kinds, bool keep,
		      struct pm_unavailable *why)
{
	int error = ENOENT;

	*s = (struct pm_lustreset){
		.root = root, .sink = sink, .kind = kind, .kinds = kinds, .keep = keep
	};
	look(s, pm_now_monotonic_us());
	if (is_readable(s, &error))
		return 0;
	errno = error;
	if (!s->count) {
		why->reason = PM_REASON_absent;
		pm_err(&why->err, "no Lustre file system is mounted: none below /proc/fs/lustre, "
				  "/sys/fs/lustre, /sys/kernel/debug/lustre");
	} else {
		why->reason = pm_reason_errno(error);
		pm_err(&why->err, "%s of %s: %m%s", kind->file, s->mount[0].name,
		       error == EACCES ? "; " : "");
		if (error == EACCES) {
			const size_t n = strlen(why->err.text);

			snprintf(why->err.text + n, sizeof why->err.text - n, REMEDY, root);
		}
	}
	pm_lustreset_close(s);
	return -1;
}

/* What a look for files to hold hands on. */
struct hold {
	const char *root;
	const struct pm_lustreset_kind *kind;
};

static void hold_mount(const char *name, void *arg)
{
	const struct hold *h = arg;

	for (size_t i = 0; i < PLACES; i++) {
		char path[512];

		if (snprintf(path, sizeof path, "%s/%s/%s/%s", places[i], h->kind->class, name,
			     h->kind->file) < (int)sizeof path)
			pm_devicefile_hold(h->root, path);
	}
}

void pm_lustreset_hold(const char *root, const struct pm_lustreset_kind *kind)
{
	struct hold h = { root, kind };

	each_directory(root, kind->class, hold_mount, &h);
}

void pm_lustreset_describe(const struct pm_lustreset *s, const struct pm_sink *sink, FILE *out)
{
	bool closed = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct pm_lustreset_mount *m = &s->mount[i];
		size_t place = PLACES;

		for (size_t k = 0; k < m->count; k++) {
			if (!m->file[k].error)
				place = m->file[k].place;
			closed = closed || m->file[k].error == EACCES;
		}
		fprintf(out, "%s: files of statistics: %zu%s%s\n", m->name, m->count,
			place < PLACES ? ", below /" : "", place < PLACES ? places[place] : "");
		pm_sink_describe(sink, m->name, out);
	}
	if (closed)
		fprintf(out, "to read what this user may not: " REMEDY "\n", s->root);
}

void pm_lustreset_close(struct pm_lustreset *s)
{
	for (size_t i = 0; i < s->count; i++)
		drop_mount(s, &s->mount[i], false);
	free(s->mount);
	*s = (struct pm_lustreset){ .count = 0 };
}
