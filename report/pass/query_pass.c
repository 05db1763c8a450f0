/* Facts of a job that need each of its processes, by one pass over them. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/pass/processparts.h"

static const struct pm_processpart *const parts[] = {
	&pm_processpart_counts, &pm_processpart_failures, &pm_processpart_unrecorded,
	&pm_processpart_phases, &pm_processpart_path,     &pm_processpart_fold,
};

#define PARTS (sizeof parts / sizeof parts[0])

/* Give the processes to the parts that have begun. Returns 0, or -1 with e filled. */
static int pass(const struct pm_processpart_job *j, void *const begun[PARTS], struct pm_err *e)
{
	struct pm_processpass_taker taker[PARTS];
	size_t n = 0;

	for (size_t i = 0; i < PARTS; i++)
		if (begun[i])
			taker[n++] = (struct pm_processpass_taker){ parts[i]->take, begun[i] };
	return n > 0 ? pm_processpass(j->db, j->job, j->labels, taker, n, e) : 0;
}

int pm_query_pass(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	const struct pm_processpart_job j = { db, job, utf8, f, pm_labels_new(utf8) };
	void *begun[PARTS] = { NULL };
	int rc = j.labels ? 0 : pm_err(e, "label processes: out of memory");

	for (size_t i = 0; i < PARTS && rc == 0; i++)
		rc = parts[i]->begin(&begun[i], &j, e);
	if (rc == 0 && !f->retired)
		rc = pass(&j, begun, e);
	for (size_t i = 0; i < PARTS; i++) {
		if (rc == 0 && begun[i])
			rc = parts[i]->finish(begun[i], &j, e);
		if (begun[i])
			parts[i]->free(begun[i]);
	}
	pm_labels_free(j.labels);
	return rc;
}
