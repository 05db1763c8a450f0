/* Facts of a job: causes of slowness that samples of its control groups and nodes tell. */
#include "config.h"

#include "report/query/query.h"

#include "report/rows/query_row.h"

#include <string.h>

/* How the series of one metric add up over the hosts. */
enum sum { GROWTH, LARGEST, SMALLEST };

#define PLACE(fact) offsetof(struct pm_facts, fact)

static const struct {
	const char *metric, *object;
	bool shared; /* applies to the job even if others are in its group */
	enum sum sum;
	size_t at;
} groups[] = {
	{ "quota_periods", "", true, GROWTH, PLACE(cgroup.periods) },
	{ "throttled", "", true, GROWTH, PLACE(cgroup.throttled) },
	{ "throttled_time", "", true, GROWTH, PLACE(cgroup.throttled_us) },
	{ "limit_hits", "", false, GROWTH, PLACE(cgroup.limit_hits) },
	{ "anonymous", "", false, LARGEST, PLACE(cgroup.anonymous) },
	{ "memory_limit", "", true, SMALLEST, PLACE(cgroup.limit) },
	{ "swap", "", false, LARGEST, PLACE(cgroup.swap) },
	{ "some", "io", false, GROWTH, PLACE(cgroup.io_us) },
	{ "some", "memory", false, GROWTH, PLACE(cgroup.memory_us) },
};

/* Columns of the query. */
enum column { HOST, SOURCE, METRIC, OBJECT, MINIMUM, MAXIMUM, MEAN };

/* Difference of two values of a counter, which never decreases unless it was reset. */
static int64_t growth(struct pm_stmt *q)
{
	return pm_format_since(pm_db_int(q, MAXIMUM), pm_db_int(q, MINIMUM));
}

static void take_group(struct pm_facts *f, struct pm_stmt *q, size_t i)
{
	int64_t *to = (int64_t *)((char *)f + groups[i].at);

	switch (groups[i].sum) {
	case GROWTH:
		*to = pm_format_add(*to, growth(q));
		break;
	case LARGEST:
		if (*to == PM_UNKNOWN || pm_db_int(q, MAXIMUM) > *to)
			*to = pm_db_int(q, MAXIMUM);
		break;
	case SMALLEST:
		if (*to == PM_UNKNOWN || pm_db_int(q, MINIMUM) < *to)
			*to = pm_db_int(q, MINIMUM);
		break;
	}
}

/* Keep a count of the host where it is the most. */
static void keep_count(struct pm_fact_node_count *x, const struct pm_fact_host *h, int64_t count,
		       int64_t of)
{
	if (count <= x->count)
		return;
	x->count = count;
	x->of = of;
	memcpy(x->host, h->name, sizeof x->host);
}

static void keep(struct pm_facts *f, const struct pm_fact_host *h)
{
	keep_count(&f->swapped, h, h->swapped, PM_UNKNOWN);
	keep_count(&f->retransmits, h, h->retransmits, h->segments);
	keep_count(&f->iowait_us, h, h->iowait_us, PM_UNKNOWN);
	keep_count(&f->refaulted, h, h->refaulted, PM_UNKNOWN);
}

/* What a group tells of its own host, beside the sums over all. */
static void take_memory(struct pm_fact_host *h, struct pm_stmt *q)
{
	const char *metric = pm_db_text(q, METRIC, NULL);

	if (strcmp(metric, "memory_limit") == 0)
		h->group_limit = pm_db_int(q, MINIMUM);
	else if (strcmp(metric, "anonymous") == 0 && h->own_cgroup)
		h->group_anonymous = pm_db_int(q, MAXIMUM);
}

static void take_node(struct pm_fact_host *h, struct pm_stmt *q)
{
	const char *metric = pm_db_text(q, METRIC, NULL);

	if (strcmp(metric, "pswpin") == 0 || strcmp(metric, "pswpout") == 0)
		h->swapped = pm_format_add(h->swapped, pm_format_scale(growth(q), h->page_size));
	else if (strcmp(metric, "refault_file") == 0)
		h->refaulted = pm_format_scale(growth(q), h->page_size);
	else if (strcmp(metric, "iowait") == 0)
		h->iowait_us = growth(q);
	else if (strcmp(metric, "retransmits") == 0)
		h->retransmits = growth(q);
	else if (strcmp(metric, "tx_segments") == 0)
		h->segments = growth(q);
	else if (strcmp(metric, "frequency") == 0)
		h->frequency_hz = pm_query_real(q, MEAN);
}

int pm_query_causes(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.host_id, s.source, s.metric, s.object, x.minimum, x.maximum, x.mean FROM "
		"series s JOIN series_summary x ON x.job_id = s.job_id AND x.series_id = s.id "
		"WHERE "
		"s.job_id = ? AND x.known > 0 AND s.kind IN ('counter', 'gauge') AND (s.source = "
		"'cgroup' OR (s.source = 'vmstat' AND s.metric IN ('pswpin', 'pswpout', "
		"'refault_file')) OR (s.source = "
		"'cpu' AND s.metric = 'iowait' AND s.object = '') OR "
		"(s.source = 'tcp' AND s.metric IN ('retransmits', 'tx_segments')) OR (s.source = "
		"'frequency' AND s.object = '')) ORDER BY s.host_id, s.id";
	struct pm_fact_host *h = NULL;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!h || h->id != pm_db_int(q, HOST)) {
			h = NULL;
			for (size_t i = 0; i < f->hosts && !h; i++)
				if (f->host[i].id == pm_db_int(q, HOST))
					h = &f->host[i];
			if (!h)
				continue;
		}
		if (strcmp(pm_db_text(q, SOURCE, NULL), "cgroup") != 0) {
			take_node(h, q);
			continue;
		}
		take_memory(h, q);
		for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
			if ((h->own_cgroup || groups[i].shared) &&
			    strcmp(pm_db_text(q, METRIC, NULL), groups[i].metric) == 0 &&
			    strcmp(pm_db_text(q, OBJECT, NULL), groups[i].object) == 0)
				take_group(f, q, i);
	}
	for (size_t i = 0; i < f->hosts; i++)
		keep(f, &f->host[i]);
	pm_db_finish(q);
	return rc;
}
