/* Write the series file. */
#include "config.h"

#include "sampler/writer.h"

#include "common/buf.h"
#include "common/tsv.h"
#include "sampler/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longest text of one value: " id=value" with the longest reason or number. */
#define VALUE_MAX 48

/* Longest declaration without its names, which are counted apart; likewise header and tick. */
#define LINE_MAX_FIXED 128

/* --- opening ---------------------------------------------------------------------------------- */

/* Copy text escaped as a field; an empty one is unknown. Returns memory of the caller or NULL. */
static char *escaped(const char *text, size_t n)
{
	size_t capacity = 4 * n + sizeof PM_TSV_NULL;
	char *copy = malloc(capacity);
	struct pm_buf b;

	if (!copy)
		return NULL;
	pm_buf_init(&b, copy, capacity - 1);
	if (n)
		pm_tsv_escape(&b, text, n);
	else
		pm_buf_str(&b, PM_TSV_NULL);
	copy[b.len] = '\0';
	return copy;
}

static char *read_boot_id(const char *root)
{
	struct pm_procfile f;
	const char *text = "";
	ssize_t n = -1;
	char *copy;

	if (pm_procfile_open(&f, root, "proc/sys/kernel/random/boot_id") < 0)
		return escaped("", 0);
	n = pm_procfile_read(&f, &text);
	copy = escaped(text, n > 0 ? strcspn(text, "\n") : 0);
	pm_procfile_close(&f);
	return copy;
}

/* Check the opened file, and lock it. Returns 0 or -1 with e filled. */
static int claim(struct pm_writer *w, const char *name, struct pm_err *e)
{
	struct stat st;

	if (fstat(w->fd, &st) < 0)
		return pm_err(e, "%s: %m", name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return pm_err(e, "%s: not a regular file of this user", name);
	/* The lock goes with the process, however it ends. Where the file system has none, do
	 * without. */
	if (flock(w->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return pm_err(e, "%s: another sampler writes to it", name);
	w->newline_due = st.st_size > 0;
	return 0;
}

static int open_file(struct pm_writer *w, const char *directory, const char *hostname,
		     struct pm_err *e)
{
	char name[HOST_NAME_MAX + sizeof ".series"];
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return pm_err(e, "open %s: %m", directory);
	snprintf(name, sizeof name, "%s.series", hostname);
	/* Not blocking: the name might be a pipe, which claim refuses. */
	w->fd = openat(dir, name,
		       O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (w->fd < 0)
		pm_err(e, "open %s/%s: %m", directory, name);
	close(dir);
	if (w->fd < 0)
		return -1;
	w->own_fd = true;
	return claim(w, name, e);
}

int pm_writer_open(struct pm_writer *w, const char *directory, int fd, int64_t interval_us,
		   const char *root, struct pm_err *e)
{
	char hostname[HOST_NAME_MAX + 1] = "";

	memset(w, 0, sizeof *w);
	w->fd = fd;
	w->interval_us = interval_us;
	w->header_due = true;
	/* A name cut to fit need not be terminated; one with a slash is no file name. */
	if (gethostname(hostname, sizeof hostname - 1) < 0 || !hostname[0])
		snprintf(hostname, sizeof hostname, "localhost");
	for (char *p = hostname; *p; p++)
		if (*p == '/')
			*p = '_';
	w->hostname = escaped(hostname, strlen(hostname));
	w->boot_id = read_boot_id(root);
	if (!w->hostname || !w->boot_id)
		pm_err(e, "series file: out of memory");
	else if (!directory || open_file(w, directory, hostname, e) == 0)
		return 0;
	pm_writer_close(w);
	return -1;
}

void pm_writer_close(struct pm_writer *w)
{
	if (w->own_fd && w->fd >= 0)
		close(w->fd);
	free(w->hostname);
	free(w->boot_id);
	free(w->text);
	memset(w, 0, sizeof *w);
	w->fd = -1;
}

/* --- one tick --------------------------------------------------------------------------------- */

static void put_field(struct pm_buf *b, const char *text)
{
	pm_buf_ch(b, '\t');
	pm_buf_str(b, text);
}

static void put_end(struct pm_buf *b)
{
	pm_buf_ch(b, '\t');
	pm_buf_ch(b, PM_TSV_END);
	pm_buf_ch(b, '\n');
}

static void put_header(const struct pm_writer *w, struct pm_buf *b)
{
	pm_buf_str(b, "perfmon-series-1");
	put_field(b, w->hostname);
	put_field(b, w->boot_id);
	pm_buf_ch(b, '\t');
	pm_buf_i64(b, w->interval_us);
	put_end(b);
}

static void put_declaration(struct pm_writer *w, struct pm_buf *b, const struct pm_source *source,
			    struct pm_series *s)
{
	const struct pm_metric *m = &source->metrics[s->metric];

	if (!s->id)
		s->id = ++w->last_id;
	pm_buf_str(b, "series\t");
	pm_buf_u64(b, s->id);
	put_field(b, source->name);
	put_field(b, m->name);
	pm_buf_ch(b, '\t');
	pm_tsv_escape(b, s->object, strlen(s->object));
	put_field(b, m->unit);
	put_field(b, m->kind == PM_METRIC_COUNTER ? "counter" : "gauge");
	put_end(b);
}

static void put_value(struct pm_buf *b, const struct pm_series *s)
{
	pm_buf_u64(b, s->id);
	pm_buf_ch(b, '=');
	if (s->known) {
		pm_buf_i64(b, s->value);
	} else {
		pm_buf_str(b, PM_TSV_NULL ":");
		pm_buf_str(b, pm_reason_name(s->reason));
	}
}

/* Make room for header, declarations and tick, however long. Returns 0 or -1. */
static int make_room(struct pm_writer *w, const struct pm_sink *sinks, size_t count)
{
	size_t need = 2 * LINE_MAX_FIXED + strlen(w->hostname) + strlen(w->boot_id);
	char *more;

	for (size_t i = 0; i < count; i++) {
		const struct pm_source *source = sinks[i].source;

		for (size_t j = 0; j < sinks[i].count; j++) {
			const struct pm_series *s = &sinks[i].series[j];

			need += VALUE_MAX;
			if (s->declared && !w->header_due)
				continue;
			need += LINE_MAX_FIXED + strlen(source->name) + 4 * strlen(s->object) +
				strlen(source->metrics[s->metric].name) +
				strlen(source->metrics[s->metric].unit);
		}
	}
	if (need <= w->capacity)
		return 0;
	more = realloc(w->text, need);
	if (!more)
		return -1;
	w->text = more;
	w->capacity = need;
	return 0;
}

/* Write it all in one call if the file lets us. Returns 0, or -1 with errno set. */
static int write_text(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

int pm_writer_tick(struct pm_writer *w, struct pm_moment at, struct pm_sink *sinks, size_t count)
{
	struct pm_buf b;
	bool declaring = w->header_due, first = true;

	if (make_room(w, sinks, count) < 0)
		return -1;
	pm_buf_init(&b, w->text, w->capacity);
	if (w->newline_due)
		pm_buf_ch(&b, '\n');
	if (w->header_due)
		put_header(w, &b);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sinks[i].count; j++) {
			struct pm_series *s = &sinks[i].series[j];

			if (s->declared && !w->header_due)
				continue;
			put_declaration(w, &b, sinks[i].source, s);
			s->declared = true;
			declaring = true;
		}
	pm_buf_str(&b, "tick\t");
	pm_buf_i64(&b, at.real_us);
	pm_buf_ch(&b, '\t');
	pm_buf_i64(&b, at.monotonic_us);
	pm_buf_ch(&b, '\t');
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sinks[i].count; j++) {
			if (!first)
				pm_buf_ch(&b, ' ');
			first = false;
			put_value(&b, &sinks[i].series[j]);
		}
	put_end(&b);
	if (b.truncated) {
		errno = EOVERFLOW;
		return -1;
	}
	if (write_text(w->fd, b.p, b.len) < 0) {
		/* What part of it is in the file cannot be known: begin anew. */
		w->newline_due = true;
		w->header_due = w->header_due || declaring;
		return -1;
	}
	w->newline_due = w->header_due = false;
	return 0;
}
