/*
 * Every metric of every source as the sampler shows it to Prometheus, with made-up values.
 *	openmetrics job|node textfile|strict
 * Objects have odd names. For a job and for the node there are two objects of each kind.
 */
#include "config.h"

#include "sampler/openmetrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const objects[] = { "a \"quoted\" {name}\\, with=\xff\n", "ünï" };

/* A sink with a value for each series that a source may have. */
static int fill(struct pm_sink *sink, const struct pm_source *source)
{
	if (pm_sink_init(sink, source) < 0)
		return -1;
	for (size_t i = 0; i < source->metrics_count; i++)
		for (size_t k = 0; source->metrics[i].object && k < 2; k++)
			if (pm_sink_series(sink, i, objects[k]) < 0)
				return -1;
	for (size_t i = 0; i < sink->count; i++)
		pm_sink_value(sink, (int)i, (int64_t)(i * 1234567));
	return 0;
}

int main(int argc, char **argv)
{
	const struct pm_openmetrics_labels labels = { .host = "host",
						      .jobid = objects[0],
						      .user = objects[1],
						      .account = objects[0],
						      .partition = "p" };
	const size_t room = (size_t)4 << 20;
	static struct pm_sink sink[PM_SOURCES];
	const struct pm_sink *sinks[PM_SOURCES];
	struct pm_openmetrics text;
	char *out = malloc(room);
	struct pm_err e;
	size_t n = 0;

	if (argc != 3 || !out)
		return 2;
	for (size_t id = 0; id < PM_SOURCES; id++) {
		if (fill(&sink[id], pm_source_table[id]) < 0)
			return 1;
		sinks[id] = &sink[id];
	}
	if (pm_openmetrics_init(&text, &labels, strcmp(argv[1], "job") == 0,
				strcmp(argv[2], "strict") == 0, &e) == 0)
		n = pm_openmetrics_write(&text, (struct pm_moment){ 1795228141795007, 1, 0 }, sinks,
					 out, room);
	fwrite(out, 1, n, stdout);
	pm_openmetrics_free(&text);
	for (size_t id = 0; id < PM_SOURCES; id++)
		pm_sink_free(&sink[id]);
	free(out);
	return n == 0;
}
