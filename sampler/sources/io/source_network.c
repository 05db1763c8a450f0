/* Source "network": traffic of the node's network interfaces, from /proc/net/dev. */
#include "config.h"

#include "sampler/sources/dynobjects.h"
#include "sampler/sources/io/netrule.h"
#include "sampler/sources/onefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* X(name, unit, field of the line, help) */
#define FIELDS(X) \
	X("rx_bytes", "B", 0, "bytes received") \
	X("rx_packets", "n", 1, "packets received") \
	X("rx_errors", "n", 2, "packets received with errors") \
	X("rx_drops", "n", 3, "incoming packets dropped") \
	X("tx_bytes", "B", 8, "bytes sent") \
	X("tx_packets", "n", 9, "packets sent") \
	X("tx_errors", "n", 10, "packets sent with errors") \
	X("tx_drops", "n", 11, "outgoing packets dropped")

static const struct pm_metric metrics[] = {
#define METRIC(name, unit, field, help) { name, unit, help, "interface", true, PM_METRIC_COUNTER },
	FIELDS(METRIC)
};

static const struct pm_dynobjects_column columns[] = {
#define COLUMN(name, unit, field, help) { 1, 64 },
	FIELDS(COLUMN)
};

static const int field_of[] = {
#define FIELD(name, unit, field, help) field,
	FIELDS(FIELD)
};
/* clang-format on */

#define COLUMNS (sizeof columns / sizeof columns[0])

/* Numbers in a line. */
#define LINE_FIELDS 16

/* Maximum number of interfaces with series of their own. */
#define INTERFACES_MAX 64

struct state {
	void *file; /* onefile.h */
	const char *root;
	bool hardware; /* the node had interfaces with a device when the source was opened */
	struct pm_dynobjects interfaces;
};

/* A line "name: numbers", by pointers into the text of the file. */
struct line {
	const char *name;
	size_t name_n;
	const char *numbers, *newline;
};

/* Find the next interface's line at *text. Returns false after the last complete line. */
static bool next_line(const char **text, const char *end, struct line *line)
{
	for (const char *p = *text, *newline; p < end; p = newline + 1) {
		const char *colon;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		while (p < newline && *p == ' ')
			p++;
		colon = memchr(p, ':', (size_t)(newline - p));
		if (!colon || colon == p) /* a line of the heading */
			continue;
		*line = (struct line){ p, (size_t)(colon - p), colon + 1, newline };
		*text = newline + 1;
		return true;
	}
	return false;
}

/* The class of a line's interface. */
static enum pm_netrule_class classify_line(const char *root, const struct line *line)
{
	char *name = strndup(line->name, line->name_n);
	enum pm_netrule_class class = PM_NETRULE_UNKNOWN;

	/* The name becomes a part of a path. */
	if (name && !strchr(name, '/'))
		class = pm_netrule_classify(root, name);
	free(name);
	return class;
}

static int network_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	const char *text;
	struct line line;
	ssize_t n;

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/net/dev");
	if (pm_onefile_open(&s->file, target, "proc/net/dev", why) < 0) {
		free(s);
		return -1;
	}
	n = pm_procfile_read(s->file, &text);
	if (n < 0) {
		pm_source_unavailable(why, "/proc/net/dev");
		pm_onefile_close(s->file);
		free(s);
		return -1;
	}
	for (const char *end = text + n; next_line(&text, end, &line);)
		if (classify_line(target->root, &line) == PM_NETRULE_HARDWARE)
			s->hardware = true;
	s->root = target->root;
	pm_dynobjects_init(&s->interfaces, columns, COLUMNS, INTERFACES_MAX);
	*state = s;
	return 0;
}

/* Whether an interface counts in the sums: hardware does. In a container nothing is hardware, but
 * one end of a veth pair may lead outside. */
static bool is_counted(const struct state *s, enum pm_netrule_class class)
{
	return class == PM_NETRULE_HARDWARE || (class == PM_NETRULE_UPLINK && !s->hardware);
}

/* Read the numbers of a line. Returns false where the line is malformed. */
static bool read_numbers(const struct line *line, int64_t number[LINE_FIELDS])
{
	const char *p = line->numbers;

	for (int i = 0; i < LINE_FIELDS; i++) {
		while (p < line->newline && *p == ' ')
			p++;
		if (pm_procfile_number(&p, line->newline + 1, &number[i]) < 0)
			return false;
	}
	return p == line->newline || *p == ' ';
}

static void network_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	struct line line;
	const char *text;
	ssize_t n = pm_onefile_read(s->file, sink, &text);

	if (n < 0)
		return;
	pm_dynobjects_begin(&s->interfaces);
	for (const char *end = text + n; next_line(&text, end, &line);) {
		int64_t number[LINE_FIELDS];
		bool fresh, good = read_numbers(&line, number);
		struct pm_object *interface =
			pm_dynobjects_get(&s->interfaces, line.name, line.name_n, &fresh);

		if (!interface)
			continue;
		if (fresh)
			interface->part = is_counted(s, classify_line(s->root, &line))
						  ? PM_DYNOBJECTS_COUNTED
						  : PM_DYNOBJECTS_APART;
		for (size_t c = 0; c < COLUMNS; c++)
			if (good)
				pm_dynobjects_value(&s->interfaces, sink, interface, c,
						    number[field_of[c]]);
			else
				pm_dynobjects_unknown(&s->interfaces, sink, interface, c,
						      PM_REASON_parse);
	}
	pm_dynobjects_end(&s->interfaces, sink);
	pm_dynobjects_sum(&s->interfaces, sink);
}

static void network_close(void *state)
{
	struct state *s = state;

	pm_onefile_close(s->file);
	pm_dynobjects_free(&s->interfaces);
	free(s);
}

const struct pm_source pm_source_network = {
	.name = "network",
	.help = "the node's network interfaces, each, and all external ones in total",
	.metrics = metrics,
	.metrics_count = COLUMNS,
	.open = network_open,
	.sample = network_sample,
	.close = network_close,
};
