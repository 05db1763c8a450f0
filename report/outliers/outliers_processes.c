/* outliers processes and threads: those of one program, and of the same tags. */
#include "config.h"

#include "analysis/outliers/processfeatures.h"
#include "report/outliers/outliers_found.h"
#include "report/print/format.h"
#include "report/print/values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What was done. */
struct tally {
	size_t groups, rows;
	size_t alone; /* rows of smaller groups */
};

static int judge_group(const struct pm_outliers_look *l, const struct pm_processfeatures_view *v,
		       struct pm_outliers_list *list, struct tally *t, struct pm_err *e)
{
	struct pm_judge g = {
		.how = &l->how, .x = &v->x, .by = &v->x, .jobs = v->x.jobs, .by_jobs = v->x.jobs
	};
	const struct pm_outliers_found like = { .program = v->program, .key = v->key };
	const size_t before = list->count;
	int rc;

	if (!pm_judge_is_possible(&g)) {
		t->alone += v->x.jobs;
		return 0;
	}
	t->groups++;
	t->rows += v->x.jobs;
	rc = pm_judge_run(&g, e);
	if (rc == 0)
		rc = pm_outliers_add(list, &g, &like, e);
	for (size_t i = 0; rc == 0 && i < g.count; i++) {
		list->found[before + i].process = v->row[g.found[i].job].process;
		list->found[before + i].thread = v->row[g.found[i].job].thread;
	}
	pm_judge_free(&g);
	return rc;
}

static int print_json(const struct pm_outliers_look *l, const struct pm_outliers_list *list,
		      const struct pm_processfeatures *x, const struct tally *t, struct pm_err *e)
{
	json_t *found = pm_outliers_pack_found(l, list, e);
	const size_t n = json_array_size(found);

	return found ? pm_values_dump(
			       json_pack("{s:I, s:I, s:I, s:I, s:o, s:I}", "jobs",
					 (json_int_t)x->jobs.jobs, "groups", (json_int_t)t->groups,
					 "compared", (json_int_t)t->rows, "not_compared",
					 (json_int_t)(t->alone + x->unnamed), "outliers", found,
					 "outliers_left_out", (json_int_t)(list->count - n)),
			       e)
		     : -1;
}

/* Name of so many rows, without the s of many. */
static const char *thing(const struct pm_processfeatures *x, size_t n)
{
	return x->kind == PM_ROWS_THREADS ? "thread" : n == 1 ? "process" : "processe";
}

static int print_text(const struct pm_outliers_look *l, const struct pm_outliers_list *list,
		      const struct pm_processfeatures *x, const struct tally *t, struct pm_err *e)
{
	const struct pm_page *p = &l->page;
	char rows[PM_FORMAT_MAX], groups[PM_FORMAT_MAX];

	if (pm_outliers_print(l, list, e) < 0)
		return -1;
	if (list->count == 0)
		fprintf(p->f, "nothing stands out of %s in %s\n",
			pm_format_things(rows, (int64_t)t->rows, thing(x, t->rows)),
			pm_format_things(groups, (int64_t)t->groups, "group"));
	if (t->alone)
		fprintf(p->f, "not compared, as there are too few alike: %s\n",
			pm_format_things(rows, (int64_t)t->alone, thing(x, t->alone)));
	if (x->unnamed)
		fprintf(p->f, "not compared, as their program is not known: %s\n",
			pm_format_things(rows, (int64_t)x->unnamed, thing(x, x->unnamed)));
	return 0;
}

/* Say why no group could be judged. Returns -1 with e filled. */
static int fail_alone(const struct pm_outliers_look *l, const struct pm_processfeatures *x,
		      struct pm_err *e)
{
	const char *what = x->kind == PM_ROWS_THREADS ? "threads" : "processes";

	if (x->rows == 0)
		return pm_err(e,
			      "outliers %s: of %zu jobs, there are none with a known program and "
			      "the tags that are asked for",
			      what, x->jobs.jobs);
	return pm_err(e, "outliers %s: of %zu %s, no %d are of the same program%s", what, x->rows,
		      what, l->how.good ? PM_MODEL_LEAST : PM_JUDGE_LEAST,
		      l->how.good ? " in good jobs" : " and tags");
}

int pm_outliers_rows(const struct pm_outliers_look *l, enum pm_rowkind kind, struct pm_err *e)
{
	struct pm_outliers_list list = { .kind = kind };
	struct pm_processfeatures_view v;
	struct pm_processfeatures x;
	struct tally t = { .groups = 0 };
	size_t at = 0;
	int rc = pm_processfeatures_read(&x, kind, l->db, &l->filter, &l->select, l->features, e);
	const bool meant = rc == 0 || errno != EINVAL;

	while (rc == 0 && (rc = pm_processfeatures_next(&x, &at, &v, e)) > 0) {
		rc = judge_group(l, &v, &list, &t, e);
		pm_processfeatures_view_free(&v);
	}
	if (rc == 0 && t.groups == 0)
		rc = fail_alone(l, &x, e);
	pm_outliers_rank(&list);
	if (rc == 0)
		rc = l->json ? print_json(l, &list, &x, &t, e) : print_text(l, &list, &x, &t, e);
	free(list.found);
	pm_processfeatures_free(&x);
	return rc == 0 ? PM_EXIT_OK : meant ? PM_EXIT_FAILED : PM_EXIT_USAGE;
}
