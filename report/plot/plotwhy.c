/* Why a plot is empty. */
#include "config.h"

#include "report/plot/plotwhy.h"

#include "report/rows/query_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int pm_plotwhy_known(int64_t *known, struct pm_db *db, int64_t job,
		     const struct pm_plots_series *series, size_t metric, struct pm_err *e)
{
	static const char sql[] = "SELECT count(*), coalesce(sum(CAST(x.known AS double "
				  "precision)), 0)"
				  " FROM series s LEFT JOIN series_summary x"
				  " ON x.job_id = s.job_id AND x.series_id = s.id"
				  " WHERE s.job_id = ? AND s.source = ? AND s.metric = ?"
				  " AND (? IN ('', '*') OR s.object = ?)";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 2, series->source);
	/* Metrics of formulas.def are made of counts. */
	pm_db_bind_str(q, 3, series->formula ? "count" : series->metric[metric]);
	pm_db_bind_str(q, 4, series->object);
	pm_db_bind_str(q, 5, series->object);
	rc = pm_db_step(q, e);
	if (rc > 0)
		*known = pm_db_int(q, 0) > 0 ? (int64_t)fmin(pm_db_real(q, 1), 9e18) : -1;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* The sampler's reasons in words: perfmon-series(5). */
static const char *explain(const char *reason)
{
	static const char *const words[][2] = {
		{ "absent", "there is no such thing on the node" },
		{ "permission", "the kernel does not let this user read it" },
		{ "unsupported", "it cannot be read on the node" },
		{ "wrapped", "the counter wrapped and by how much cannot be told" },
		{ "multiplexed", "the counter did not run long enough" },
		{ "parse", "what was read is not what the kernel documents" },
		{ "late", "the source did not answer in time" },
		{ "budget", "reading it would have cost more than is allowed" },
		{ "failed", "the source failed" },
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i][0], reason) == 0)
			return words[i][1];
	return reason;
}

/* Append "source.metric" of each alternative. */
static size_t put_names(char *text, size_t size, const struct pm_plots_series *series, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s %s", i ? " or " : "",
					series[i].source, series[i].metric[0]);
	return len < size ? len : size - 1;
}

/* Whether the sampler read one of the sources. Returns 1, 0, or -1 with e filled. */
static int has_source(struct pm_db *db, int64_t job, const struct pm_plots_series *series, size_t n,
		      struct pm_err *e)
{
	static const char sql[] = "SELECT 1 FROM series WHERE job_id = ? AND source = ? LIMIT 1";
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct pm_stmt *q;

		if (pm_query_prepare(db, sql, job, &q, e) < 0)
			return -1;
		pm_db_bind_str(q, 2, series[i].source);
		rc = pm_db_step(q, e);
		pm_db_finish(q);
	}
	return rc;
}

int pm_plotwhy(char *text, size_t size, struct pm_db *db, int64_t job, bool sampled,
	       const struct pm_plots_series *series, size_t n,
	       const struct pm_plotseries_reasons *why, struct pm_err *e)
{
	const int source = has_source(db, job, series, n, e);
	bool there = false, known = false;
	size_t len;

	if (source < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int64_t values = -1;

		if (pm_plotwhy_known(&values, db, job, &series[i], 0, e) < 0)
			return -1;
		there = there || values >= 0;
		known = known || values > 0;
	}
	if (!sampled) {
		snprintf(text, size,
			 "Not sampled: no sampler ran beside the job. Record one with `perfmon -a "
			 "run --sample 1s`, or with PERFMON_SAMPLE=10s before `perfmon start`.");
		return 0;
	}
	len = (size_t)snprintf(text, size, "Not sampled: ");
	len += put_names(text + len, size - len, series, n);
	if (!there && series[0].formula)
		snprintf(text + len, size - len,
			 ": the sampler counted no events. `perfmon sample --perf %s` counts those "
			 "that it needs, where the processor has them.",
			 series[0].metric[0]);
	else if (!there && source)
		snprintf(text + len, size - len, ": there is none on the nodes.");
	else if (!there)
		snprintf(text + len, size - len,
			 ": the sampler did not read it, or the setting sources left it out.");
	else if (series[0].formula)
		snprintf(
			text + len, size - len,
			": events that make it were not counted. `perfmon sample --perf %s` counts "
			"them, where the processor has them.",
			series[0].metric[0]);
	else if (known && why->n == 0)
		snprintf(text + len, size - len,
			 ": it has too few samples, or they were deleted (perfmon retire).");
	else
		snprintf(text + len, size - len, ": %s (%s).",
			 why->n ? explain(why->reason[0].text) : "no value was known",
			 why->n ? why->reason[0].text : "unknown");
	return 0;
}
