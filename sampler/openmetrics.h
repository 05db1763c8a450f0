/*
 * The latest values of all sources as text for Prometheus: the text format that node_exporter's
 * textfile collector reads, or OpenMetrics 1.0.0. perfmon-sample(1) has the rules of names, units
 * and labels. Lines are made once and kept until the series of their source change. No I/O.
 */
#ifndef PM_SAMPLER_OPENMETRICS_H
#define PM_SAMPLER_OPENMETRICS_H

#include "common/bytes.h"
#include "common/err.h"
#include "sampler/clock.h"
#include "sampler/source.h"

/* Most series in a text; the others are left out and counted. */
#define PM_OPENMETRICS_SERIES_MAX 8192

/* What every text begins with. */
#define PM_OPENMETRICS_BEGIN "# HELP perfmon_sample_timestamp_seconds "

/* Longest label of a series in bytes, escaped as a field of perfmon-tsv(5). A series whose object
 * is longer is left out and counted; the labels of a job are cut. */
#define PM_OPENMETRICS_LABEL_MAX 256

/* Whose values they are. NULL: no such label. */
struct pm_openmetrics_labels {
	const char *host;
	const char *jobid, *user;        /* of every series of a job */
	const char *account, *partition; /* of the series perfmon_job_info alone */
};

/* The lines of one source. */
struct pm_openmetrics_source {
	const struct pm_sink *sink; /* NULL: none made yet */
	uint32_t changes;           /* sink->changes when they were made */
	struct pm_openmetrics_family *family;
	size_t families, family_room;
	struct pm_openmetrics_line *line;
	size_t lines, line_room;
	uint64_t left_out;    /* series that have no line although they should */
	struct pm_bytes text; /* of headings and lines, without the values */
};

struct pm_openmetrics {
	bool job;               /* of a job and its processes; else of the node */
	bool strict;            /* OpenMetrics 1.0.0; else what the textfile collector reads */
	struct pm_bytes labels; /* of every series, without braces */
	struct pm_bytes info;   /* the labels of perfmon_job_info */
	struct pm_openmetrics_source source[PM_SOURCES];
};

/*
 * Prepare the text of a job or of the node; the labels are copied. Returns 0, or -1 with e filled
 * (no memory). Call pm_openmetrics_free() in both cases.
 */
int pm_openmetrics_init(struct pm_openmetrics *o, const struct pm_openmetrics_labels *labels,
			bool job, bool strict, struct pm_err *e);

/*
 * Write the text into `capacity` bytes, which hold the few lines that are in every text at least;
 * series that do not fit are left out and counted. at: time of the values. sinks: those of the
 * sources by enum pm_source_id, NULL for none; a series that is unknown has no line. Returns the
 * length of the text, or 0 when memory is short.
 */
size_t pm_openmetrics_write(struct pm_openmetrics *o, struct pm_moment at,
			    const struct pm_sink *const sinks[PM_SOURCES], char *text,
			    size_t capacity);

/*
 * The name of the family of a metric, with its unit, and in the textfile form with _total for
 * counters. whole: of all objects together, where the metric has a series for each, too. Returns
 * false where the metric is never written: it tells of single processes, or has no base unit.
 */
bool pm_openmetrics_name(const struct pm_source *source, const struct pm_metric *metric, bool whole,
			 bool strict, struct pm_bytes *name);

void pm_openmetrics_free(struct pm_openmetrics *o);

#endif
