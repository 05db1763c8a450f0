/* List what can be plotted. */
#include "config.h"

#include "report/plot/plotlist.h"

#include "report/plot/plotwhy.h"
#include "report/print/cell.h"
#include "report/print/jsonvalue.h"
#include "report/print/values.h"
#include "report/rows/query_row.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

size_t pm_plotlist_series(const struct pm_plots_info *info,
			  struct pm_plots_series series[PM_PLOTLIST_SERIES])
{
	const char *text = info->series;
	size_t n = 0;

	while (n < PM_PLOTLIST_SERIES && pm_plots_next(&text, &series[n]))
		n++;
	return n;
}

/* Known values of the plot, as far as it has series. Returns 0 or -1 with e filled. */
static int count_known(int64_t *known, const struct pm_plots_info *info, struct pm_db *db,
		       int64_t job, struct pm_err *e)
{
	struct pm_plots_series series[PM_PLOTLIST_SERIES];
	const size_t n = pm_plotlist_series(info, series);

	*known = 0;
	for (size_t i = 0; i < n && *known <= 0; i++)
		if (pm_plotwhy_known(known, db, job, &series[i], 0, e) < 0)
			return -1;
	return 0;
}

/* Series alike on all nodes and of all objects. */
static const char series_sql[] =
	"SELECT s.source, s.metric, min(s.unit), min(s.kind), count(DISTINCT s.host_id),"
	" count(DISTINCT s.object), coalesce(sum(CAST(x.samples AS double precision)), 0),"
	" coalesce(sum(CAST(x.known AS double precision)), 0)"
	" FROM series s LEFT JOIN series_summary x"
	" ON x.job_id = s.job_id AND x.series_id = s.id"
	" WHERE s.job_id = ? AND s.kind IN ('gauge', 'counter')"
	" GROUP BY s.source, s.metric ORDER BY s.source, s.metric";

static int print_tables(const struct pm_page *p, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const struct pm_table_column plot_column[] = {
		{ "Plot", false, 12, 0 },
		{ "Name", false, 0, 0 },
		{ "Known values", true, 0, 0 },
	};
	static const struct pm_table_column column[] = {
		{ "Metric", false, 20, 0 }, { "Unit", false, 0, 0 },   { "Kind", false, 0, 1 },
		{ "Nodes", true, 0, 0 },    { "Objects", true, 0, 0 }, { "Values", true, 0, 2 },
		{ "Known", true, 0, 0 },
	};
	struct pm_table t;
	struct pm_stmt *q;
	int rc;

	pm_table_init(&t, p, plot_column, sizeof plot_column / sizeof plot_column[0], 0);
	for (size_t i = 0; i < PM_PLOTS; i++) {
		int64_t known;

		if (count_known(&known, &pm_plots_info[i], db, job, e) < 0) {
			pm_table_discard(&t);
			return -1;
		}
		pm_table_cell(&t, pm_plots_info[i].id);
		pm_table_cell(&t, pm_plots_info[i].name);
		pm_cell_count(&t, known > 0 ? known : 0);
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "out of memory");
	if (pm_query_prepare(db, series_sql, job, &q, e) < 0)
		return -1;
	fputc('\n', p->f);
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	while ((rc = pm_db_step(q, e)) > 0) {
		char source[PM_PLOTS_NAME], metric[PM_PLOTS_NAME], name[2 * PM_PLOTS_NAME + 2];

		pm_query_field(source, sizeof source, q, 0, p->utf8);
		pm_query_field(metric, sizeof metric, q, 1, p->utf8);
		snprintf(name, sizeof name, "%s.%s", source, metric);
		pm_table_cell(&t, name);
		pm_cell_plain(&t, q, 2);
		pm_cell_plain(&t, q, 3);
		for (int i = 4; i < 8; i++)
			pm_cell_count(&t, i < 6 ? pm_db_int(q, i) : pm_query_sum(q, i));
	}
	pm_db_finish(q);
	if (pm_table_finish(&t) < 0 && rc == 0)
		return pm_err(e, "out of memory");
	return rc < 0 ? -1 : 0;
}

static json_t *text_value(struct pm_stmt *q, int i)
{
	const char *text = pm_db_text(q, i, NULL);

	return text ? pm_values_safe(text) : json_null();
}

static int print_json(struct pm_db *db, int64_t job, struct pm_err *e)
{
	json_t *plots = json_array(), *series = json_array();
	struct pm_stmt *q = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < PM_PLOTS; i++) {
		int64_t known;

		rc = count_known(&known, &pm_plots_info[i], db, job, e);
		if (rc == 0)
			json_array_append_new(
				plots, json_pack("{s:s, s:s, s:I}", "plot", pm_plots_info[i].id,
						 "name", pm_plots_info[i].name, "known",
						 (json_int_t)(known > 0 ? known : 0)));
	}
	if (rc == 0)
		rc = pm_query_prepare(db, series_sql, job, &q, e);
	while (rc == 0 && (rc = pm_db_step(q, e)) > 0) {
		json_array_append_new(series, json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o}",
							"source", text_value(q, 0), "metric",
							text_value(q, 1), "unit", text_value(q, 2),
							"kind", text_value(q, 3), "nodes",
							(json_int_t)pm_db_int(q, 4), "objects",
							(json_int_t)pm_db_int(q, 5), "values",
							pm_json_int(pm_query_sum(q, 6)), "known",
							pm_json_int(pm_query_sum(q, 7))));
		rc = 0;
	}
	pm_db_finish(q);
	if (rc < 0) {
		json_decref(plots);
		json_decref(series);
		return -1;
	}
	return pm_values_dump(json_pack("{s:o, s:o}", "plots", plots, "series", series), e);
}

int pm_plotlist(const struct pm_page *p, bool json, struct pm_db *db, int64_t job, struct pm_err *e)
{
	return json ? print_json(db, job, e) : print_tables(p, db, job, e);
}
