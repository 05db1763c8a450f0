/* Write the series file. */
#include "config.h"

#include "sampler/writer.h"

#include "common/safe/buf.h"
#include "common/safe/tsv.h"
#include "common/version.h"
#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "perfmon-series-1"

/* Longest text of one value: " id=value" with the longest reason or number. */
#define VALUE_MAX 48

/* Longest declaration, header or tick, without names and values, which are counted apart. */
#define LINE_MAX_FIXED 128

/* --- opening ---------------------------------------------------------------------------------- */

/* Escape text as a field; empty text becomes the null mark. Returns memory that the caller frees,
 * or NULL. */
static char *escape_field(const char *text, size_t n)
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
		return escape_field("", 0);
	n = pm_procfile_read(&f, &text);
	copy = escape_field(text, n > 0 ? strcspn(text, "\n") : 0);
	pm_procfile_close(&f);
	return copy;
}

int pm_writer_open(struct pm_writer *w, const char *directory, int stream, int64_t interval_us,
		   const char *root, struct pm_err *e)
{
	char hostname[HOST_NAME_MAX + 1] = "";

	memset(w, 0, sizeof *w);
	w->output[PM_WRITER_FILE].fd = -1;
	pm_output_stream(&w->output[PM_WRITER_STREAM], stream, directory != NULL);
	w->interval_us = interval_us;
	w->header_due = true;
	/* A truncated name need not be terminated; a name with a slash is no file name. */
	if (gethostname(hostname, sizeof hostname - 1) < 0 || !hostname[0])
		snprintf(hostname, sizeof hostname, "localhost");
	for (char *p = hostname; *p; p++)
		if (*p == '/')
			*p = '_';
	w->hostname = escape_field(hostname, strlen(hostname));
	w->boot_id = read_boot_id(root);
	if (!w->hostname || !w->boot_id)
		pm_err(e, "series file: out of memory");
	else if (!directory ||
		 pm_output_open(&w->output[PM_WRITER_FILE], directory, hostname, e) == 0)
		return 0;
	pm_writer_close(w);
	return -1;
}

int pm_writer_rotate(struct pm_writer *w, int64_t interval_us, struct pm_err *e)
{
	w->interval_us = interval_us;
	w->header_due = true;
	if (w->output[PM_WRITER_FILE].fd < 0)
		return 0;
	return pm_output_rotate(&w->output[PM_WRITER_FILE], e);
}

void pm_writer_close(struct pm_writer *w)
{
	for (int i = 0; i < PM_WRITER_OUTPUTS; i++)
		pm_output_close(&w->output[i]);
	free(w->hostname);
	free(w->boot_id);
	free(w->text);
	memset(w, 0, sizeof *w);
	for (int i = 0; i < PM_WRITER_OUTPUTS; i++)
		w->output[i].fd = -1;
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
	pm_buf_str(b, MAGIC);
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
	put_field(b, pm_metric_kind_name(m->kind));
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

/* Whether the tick has to declare a series. */
static bool is_undeclared(const struct pm_writer *w, const struct pm_series *s)
{
	return !s->free && (w->header_due || s->header != w->headers);
}

/* Begin with a header if one is due: all earlier declarations are void after it. */
static void begin_text(struct pm_writer *w, struct pm_buf *b)
{
	if (!w->header_due)
		return;
	put_header(w, b);
	w->headers++;
	w->header_due = false;
}

/* Whether there is neither file nor stream. */
static bool is_silent(const struct pm_writer *w)
{
	return w->output[PM_WRITER_FILE].fd < 0 && w->output[PM_WRITER_STREAM].fd < 0;
}

/* Make room for header, declarations and tick. Returns 0 or -1. */
static int make_room(struct pm_writer *w, struct pm_sink *const *sinks, size_t count)
{
	size_t need = 3 * LINE_MAX_FIXED + strlen(w->hostname) + strlen(w->boot_id);
	char *more;

	for (size_t i = 0; i < count; i++) {
		const struct pm_source *source = sinks[i]->source;

		for (size_t j = 0; j < sinks[i]->count; j++) {
			const struct pm_series *s = &sinks[i]->series[j];

			need += s->free ? 0 : VALUE_MAX;
			if (!is_undeclared(w, s))
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

/* Write the text to file and stream. Returns 0, or -1 with errno set where it is lost. */
static int write_text(struct pm_writer *w, const struct pm_buf *b, bool declaring)
{
	struct pm_output *file = &w->output[PM_WRITER_FILE], *stream = &w->output[PM_WRITER_STREAM];
	int rc = 0, error = 0;

	if (stream->fd >= 0 && pm_output_write(stream, b->p, b->len) < 0) {
		rc = file->fd < 0 ? -1 : 0;
		error = errno;
		w->header_due = true;
		/* Give up a stream whose reader has gone. */
		if (file->fd >= 0 && error == EPIPE)
			stream->fd = -1;
	}
	if (file->fd >= 0 && pm_output_write(file, b->p, b->len) < 0) {
		/* An unknown part of the text is in the file, so declare the series anew. */
		rc = -1;
		error = errno;
		w->header_due = w->header_due || declaring;
	}
	if (rc == 0)
		w->written += b->len;
	errno = error;
	return rc;
}

int pm_writer_tick(struct pm_writer *w, struct pm_moment at, struct pm_sink *const *sinks,
		   size_t count)
{
	struct pm_buf b;
	bool declaring = w->header_due, first = true;

	if (is_silent(w))
		return 0;
	if (make_room(w, sinks, count) < 0)
		return -1;
	/* pm_output_write() needs a byte in front of the text. */
	pm_buf_init(&b, w->text + 1, w->capacity - 1);
	begin_text(w, &b);
	for (size_t i = 0; i < count; i++) {
		const size_t from = b.len;

		for (size_t j = 0; j < sinks[i]->count; j++) {
			struct pm_series *s = &sinks[i]->series[j];

			if (!is_undeclared(w, s))
				continue;
			put_declaration(w, &b, sinks[i]->source, s);
			s->header = w->headers;
			declaring = true;
		}
		sinks[i]->written += b.len - from;
	}
	pm_buf_str(&b, "tick\t");
	pm_buf_i64(&b, at.real_us);
	pm_buf_ch(&b, '\t');
	pm_buf_i64(&b, at.monotonic_us);
	pm_buf_ch(&b, '\t');
	for (size_t i = 0; i < count; i++) {
		const size_t from = b.len;

		for (size_t j = 0; j < sinks[i]->count; j++) {
			if (sinks[i]->series[j].free)
				continue;
			if (!first)
				pm_buf_ch(&b, ' ');
			first = false;
			put_value(&b, &sinks[i]->series[j]);
		}
		sinks[i]->written += b.len - from;
	}
	put_end(&b);
	if (b.truncated) {
		w->header_due = true;
		errno = EOVERFLOW;
		return -1;
	}
	return write_text(w, &b, declaring);
}

int pm_writer_thinned(struct pm_writer *w, const struct pm_source *source, uint64_t readings)
{
	const bool declaring = w->header_due;
	struct pm_sink none = { .source = source };
	struct pm_sink *const sinks[] = { &none };
	struct pm_buf b;

	if (is_silent(w))
		return 0;
	if (make_room(w, sinks, 1) < 0)
		return -1;
	pm_buf_init(&b, w->text + 1, w->capacity - 1);
	begin_text(w, &b);
	pm_buf_str(&b, "thinned");
	put_field(&b, source->name);
	pm_buf_ch(&b, '\t');
	pm_buf_u64(&b, readings);
	put_end(&b);
	return write_text(w, &b, declaring);
}

void pm_version_series(struct pm_version *v)
{
	pm_version_set(v, "%s", MAGIC);
}
