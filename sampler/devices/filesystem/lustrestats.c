/* Parse statistics of a Lustre client. */
#include "config.h"

#include "sampler/devices/filesystem/lustrestats.h"

#include "sampler/kernel/procfile.h"

#include <string.h>

/* A word of a line. */
struct word {
	const char *p;
	size_t n;
};

/* Take the next word of a line off its front; of no bytes at the end. */
static struct word next_word(const char **p, const char *newline)
{
	struct word w;

	while (*p < newline && (**p == ' ' || **p == '\t'))
		(*p)++;
	w.p = *p;
	while (*p < newline && **p != ' ' && **p != '\t')
		(*p)++;
	w.n = (size_t)(*p - w.p);
	return w;
}

static bool is_word(struct word w, const char *text)
{
	return text && strlen(text) == w.n && memcmp(text, w.p, w.n) == 0;
}

/* The number that is a whole word. Returns 0, or -1. */
static int word_number(struct word w, int64_t *value)
{
	const char *p = w.p;

	/* A blank or the newline is behind each word. */
	return pm_procfile_number(&p, w.p + w.n + 1, value) < 0 || p != w.p + w.n ? -1 : 0;
}

/* Take the sum of a line, whose unit is w, if it is of this part. */
static enum pm_reason take_sum(const char *p, const char *newline, struct word unit,
			       enum pm_lustrestats_part part, int64_t *value)
{
	if (part == PM_LUSTRESTATS_BYTES ? !is_word(unit, "[bytes]")
					 : !is_word(unit, "[usec]") && !is_word(unit, "[usecs]"))
		return PM_REASON_unsupported;
	next_word(&p, newline); /* the least and the most may be of no sample, and too large */
	next_word(&p, newline);
	return word_number(next_word(&p, newline), value) < 0 ? PM_REASON_parse : PM_REASON_COUNT;
}

/* Give the rows of this line their values. */
static void take_line(struct word name, const char *p, const char *newline,
		      const struct pm_lustrestats_row *row, size_t count,
		      struct pm_lustrestats *out)
{
	const struct word samples = next_word(&p, newline), samples_word = next_word(&p, newline),
			  unit = next_word(&p, newline);

	for (size_t i = 0; i < count; i++) {
		enum pm_reason reason = PM_REASON_COUNT;

		if (!is_word(name, row[i].line) && !is_word(name, row[i].other))
			continue;
		if (word_number(samples, &out->row[i].value) < 0 ||
		    !is_word(samples_word, "samples") || !unit.n)
			reason = PM_REASON_parse;
		else if (row[i].part != PM_LUSTRESTATS_SAMPLES)
			reason = take_sum(p, newline, unit, row[i].part, &out->row[i].value);
		out->row[i].known = reason == PM_REASON_COUNT;
		out->row[i].reason = reason;
	}
}

int pm_lustrestats_parse(const char *text, size_t n, const struct pm_lustrestats_row *row,
			 size_t count, struct pm_lustrestats *out)
{
	const char *end = text + n;
	bool snapshot = false;

	if (!n || end[-1] != '\n')
		return -1;
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < count; i++) {
		out->row[i].known = true;
		out->row[i].reason = PM_REASON_absent; /* so far */
	}
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		struct word name;

		newline = memchr(p, '\n', (size_t)(end - p));
		name = next_word(&p, newline);
		if (is_word(name, "snapshot_time") || is_word(name, "snapshot_time:")) {
			snapshot = true;
		} else if (is_word(name, "start_time") || is_word(name, "start_time:")) {
			const struct word time = next_word(&p, newline);
			const char *digits = time.p;

			if (pm_procfile_decimal(&digits, newline + 1, 9, &out->start_ns) < 0)
				out->start_ns = 0;
		} else {
			take_line(name, p, newline, row, count, out);
		}
	}
	for (size_t i = 0; i < count; i++)
		if (row[i].part == PM_LUSTRESTATS_TIME && out->row[i].known &&
		    out->row[i].reason == PM_REASON_absent && out->row[row[i].count].value > 0) {
			out->row[i].known = false;
			out->row[i].reason = PM_REASON_unsupported;
		}
	return snapshot ? 0 : -1;
}
