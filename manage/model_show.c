/* perfmon model list and show. */
#include "config.h"

#include "manage/model.h"

#include "analysis/outliers/model.h"
#include "analysis/select/wordlist.h"
#include "common/grow.h"
#include "common/text.h"
#include "report/figure.h"
#include "report/judgewords.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/table.h"
#include "report/print/values.h"
#include "report/opname.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void safe_cell(struct pm_table *t, const char *text)
{
	char safe[256];

	text = text ? text : "";
	pm_text_safe(safe, sizeof safe, text, strlen(text), t->page->utf8);
	pm_table_cell(t, safe);
}

/* Count the jobs of a model that are still here. Returns the number, or -1 with e filled. */
static int64_t count_jobs(struct pm_db *db, const char *model, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n = -1;

	if (pm_db_prepare(db, "SELECT count(*) FROM model_job WHERE model = ?", &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, model);
	if (pm_db_step(q, e) > 0)
		n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *pack_head(const struct pm_model *m, int64_t stored)
{
	json_t *methods = json_array(), *tags = m->tags ? json_loads(m->tags, 0, NULL) : NULL;
	char *title = pm_model_title(m);
	json_t *all;

	for (size_t k = 0; k < PM_OUTLIER_METHODS; k++)
		if (m->methods & 1U << k)
			json_array_append_new(methods, json_string(pm_outlier_method_name(k)));
	all = json_pack("{s:o, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I}", "name",
			pm_values_safe(m->name), "enabled", m->enabled, "created_us",
			m->created_us ? json_integer(m->created_us) : json_null(), "created_by",
			m->created_by ? pm_values_safe(m->created_by) : json_null(), "jobs",
			(json_int_t)m->jobs, "jobs_stored", (json_int_t)stored, "group",
			m->group ? pm_values_safe(title ? title : "") : json_null(), "tags",
			tags ? tags : json_object(), "methods", methods, "components",
			(json_int_t)m->pca.pca.components);
	json_object_set_new(all, "operations", json_integer((json_int_t)m->ops));
	free(title);
	return all;
}

static json_t *pack_reference(const char *name, const char *unit, const struct pm_reference *r)
{
	json_t *one = json_pack("{s:s, s:s, s:I}", "name", name, "unit", unit, "known",
				(json_int_t)r->known);

	json_object_update_new(one, pm_figure_reference_json(r));
	return one;
}

static json_t *pack_features(const struct pm_model *m)
{
	json_t *list = json_array();

	for (size_t k = 0; k < m->features; k++)
		json_array_append_new(list, pack_reference(m->feature[k]->name, m->feature[k]->unit,
							   &m->reference[k]));
	return list;
}

/* Add what is kept of the operations to a list. Returns 0, or -1 if out of memory. */
static int pack_ops(json_t *list, const struct pm_model *m)
{
	for (size_t i = 0; i < m->ops; i++) {
		const struct pm_model_op *op = &m->op[i];
		json_t *one = json_object(), *features = json_array();

		for (size_t k = 0; k < op->features; k++)
			json_array_append_new(features, pack_reference(op->feature[k].feature->name,
								       op->feature[k].feature->unit,
								       &op->feature[k].reference));
		if (pm_opname_pack(one, op->key) < 0 ||
		    json_object_set_new(one, "features", features) < 0 ||
		    json_array_append_new(list, one) < 0)
			return -1;
	}
	return 0;
}

static json_t *pack_components(const struct pm_model *m)
{
	const struct pm_pca *p = &m->pca.pca;
	json_t *list = json_array();

	for (size_t c = 0; c < p->components; c++) {
		char name[PM_JOBPCA_NAME];
		json_t *one = pack_reference(pm_jobpca_name(name, c), "", &m->component[c]);

		json_object_set_new(one, "share", json_real(p->share[c]));
		json_object_set_new(one, "loadings", pm_figure_loadings_json(&m->pca, c));
		json_array_append_new(list, one);
	}
	return list;
}

/* Print a value, which is released. Returns an exit status, with e filled unless it is PM_EXIT_OK.
 */
static int dump(json_t *all, struct pm_err *e)
{
	return pm_values_dump(all, e) < 0 || pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* --- list ------------------------------------------------------------------------------------- */

/* Whether tags have all pairs NAME:VALUE of a group, which is cut; NAME alone is NAME:1. */
static bool has_group(const json_t *tags, char *group)
{
	bool has = true;
	char *pair;

	while (has && (pair = pm_wordlist_next(&group, ';')) != NULL) {
		char *want = strchr(pair, ':');
		const char *value;

		if (want)
			*want++ = '\0';
		value = json_string_value(json_object_get(tags, pair));
		has = value && strcmp(value, want ? want : "1") == 0;
	}
	return has;
}

/* Whether tags, as JSON, have one of the groups of a list, as --tag takes it. Returns 1, 0 or -1
 * with e filled. */
static int has_tags(const char *tags, const char *list, struct pm_err *e)
{
	char *copy = strdup(list), *rest = copy, *group;
	json_t *all = tags ? json_loads(tags, 0, NULL) : NULL;
	bool has = false;

	if (!copy) {
		json_decref(all);
		return pm_err(e, "out of memory");
	}
	while (!has && (group = pm_wordlist_next(&rest, ',')) != NULL)
		has = has_group(all, group);
	json_decref(all);
	free(copy);
	return has;
}

/* Read the names of all models whose tags fit, new texts. Returns 0 or -1 with e filled. */
static int read_names(struct pm_db *db, const char *tags, char ***name, size_t *n, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t room = 0;
	int rc;

	if (pm_db_prepare(db, "SELECT name, tags FROM model ORDER BY name", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		const int has = tags ? has_tags(pm_db_text(q, 1, NULL), tags, e) : 1;
		char *copy;

		if (has < 0)
			rc = -1;
		if (has < 0)
			break;
		if (!has)
			continue;
		copy = strdup(pm_db_text(q, 0, NULL));
		if (!copy || !PM_GROW(*name, *n, room, 16)) {
			free(copy);
			rc = pm_err(e, "out of memory");
			break;
		}
		(*name)[(*n)++] = copy;
	}
	pm_db_finish(q);
	return rc;
}

static void list_one(struct pm_table *t, const struct pm_model *m, int64_t stored)
{
	char *title = pm_model_title(m);
	char text[PM_FORMAT_MAX];

	safe_cell(t, m->name);
	pm_table_cell(t, m->enabled ? "yes" : "no");
	snprintf(text, sizeof text, "%zu", m->jobs);
	pm_table_cell(t, text);
	snprintf(text, sizeof text, "%lld", (long long)stored);
	pm_table_cell(t, stored == (int64_t)m->jobs ? "" : text);
	snprintf(text, sizeof text, "%zu", m->features);
	pm_table_cell(t, text);
	snprintf(text, sizeof text, "%zu", m->pca.pca.components);
	pm_table_cell(t, m->pca.pca.components ? text : "");
	snprintf(text, sizeof text, "%zu", m->ops);
	pm_table_cell(t, m->ops ? text : "");
	pm_table_cell(t, pm_format_minute(text, m->created_us ? m->created_us : PM_UNKNOWN));
	safe_cell(t, m->created_by);
	safe_cell(t, m->group ? title : "(not comparable)");
	free(title);
}

/* Read each model, and print it or add it to the list. Returns 0 or -1 with e filled. */
static int list_all(struct pm_db *db, char **name, size_t n, struct pm_table *t, json_t *list,
		    struct pm_err *e)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct pm_model m;
		const int64_t stored = count_jobs(db, name[i], e);

		rc = stored < 0 ? -1 : pm_model_read(&m, db, name[i], e);
		if (rc > 0 && list)
			json_array_append_new(list, pack_head(&m, stored));
		else if (rc > 0)
			list_one(t, &m, stored);
		if (stored >= 0)
			pm_model_free(&m);
	}
	return rc < 0 ? -1 : 0;
}

int pm_model_list(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Model", false, 8, 0 },      { "Enabled", false, 0, 3 },
		{ "Jobs", true, 0, 0 },        { "Left", true, 0, -1 },
		{ "Figures", true, 0, 0 },     { "Components", true, 0, -1 },
		{ "Operations", true, 0, -1 }, { "Made", false, 0, 2 },
		{ "By", false, 0, 4 },         { "Of jobs like", false, 16, 0 },
	};
	json_t *list = cli->given[PM_OPT_json] ? json_array() : NULL;
	char **name = NULL;
	struct pm_table t;
	struct pm_page page;
	size_t n = 0;
	int rc;

	if (pm_options_page(cli, &page, e) < 0)
		return json_decref(list), PM_EXIT_USAGE;
	rc = read_names(db, cli->value[PM_OPT_tag], &name, &n, e);
	pm_table_init(&t, &page, columns, sizeof columns / sizeof columns[0], 0);
	if (rc == 0)
		rc = list_all(db, name, n, &t, list, e);
	for (size_t i = 0; i < n; i++)
		free(name[i]);
	free(name);
	if (rc < 0 || list)
		pm_table_discard(&t);
	if (rc < 0)
		return json_decref(list), PM_EXIT_FAILED;
	if (list)
		return dump(list, e);
	if (n == 0) {
		pm_table_discard(&t);
		puts(cli->value[PM_OPT_tag] ? "no models with these tags"
					    : "no models; perfmon model create makes one");
	} else if (pm_table_finish(&t) < 0) {
		return pm_err(e, "print a table: out of memory"), PM_EXIT_FAILED;
	}
	return pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* --- show ------------------------------------------------------------------------------------- */

/* Print the ids of the jobs. Returns 0 or -1 with e filled. */
static int print_jobs(const struct pm_page *p, struct pm_db *db, const struct pm_model *m,
		      struct pm_err *e)
{
	char text[1024], number[32];
	struct pm_stmt *q;
	size_t n = 0, at = 0;
	int rc;

	if (pm_db_prepare(db, "SELECT job_id FROM model_job WHERE model = ? ORDER BY job_id", &q,
			  e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->name);
	text[0] = '\0';
	for (; (rc = pm_db_step(q, e)) > 0; n++) {
		snprintf(number, sizeof number, "%s#%lld", n ? " " : "",
			 (long long)pm_db_int(q, 0));
		if (at + strlen(number) + 8 < sizeof text)
			at = (size_t)(stpcpy(text + at, number) - text);
	}
	pm_db_finish(q);
	if (rc < 0)
		return -1;
	if (n < m->jobs)
		pm_page_pairf(p, "Jobs", "%s (%zu of %zu are no longer here)", text, m->jobs - n,
			      m->jobs);
	else
		pm_page_pair(p, "Jobs", text);
	return 0;
}

static int print_head(const struct pm_page *p, struct pm_db *db, const struct pm_model *m,
		      struct pm_err *e)
{
	char text[PM_FORMAT_MAX], safe[512], *title = pm_model_title(m);

	pm_text_safe(safe, sizeof safe, m->name, strlen(m->name), p->utf8);
	pm_page_pairf(p, "Model", "%s%s", safe, m->enabled ? "" : " (disabled)");
	pm_page_pair(p, "Made", pm_format_time(text, m->created_us ? m->created_us : PM_UNKNOWN));
	if (m->created_by) {
		pm_text_safe(safe, sizeof safe, m->created_by, strlen(m->created_by), p->utf8);
		pm_page_pair(p, "By", safe);
	}
	pm_text_safe(safe, sizeof safe, title ? title : "", title ? strlen(title) : 0, p->utf8);
	free(title);
	pm_page_pair(p, "Of jobs like", m->group ? safe : "(its jobs are not comparable)");
	if (m->tags && strcmp(m->tags, "{}") != 0) {
		pm_text_safe(safe, sizeof safe, m->tags, strlen(m->tags), p->utf8);
		pm_page_pair(p, "Tags", safe);
	}
	return print_jobs(p, db, m, e);
}

static void print_feature(struct pm_table *t, const struct pm_feature *feature,
			  const struct pm_reference *r)
{
	const double shown[] = { r->least, r->madz.centre, r->greatest, r->z.centre, r->z.spread };
	char text[PM_FORMAT_MAX];

	pm_table_cell(t, feature->name);
	snprintf(text, sizeof text, "%zu", r->known);
	pm_table_cell(t, text);
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
		pm_table_cell(t, pm_figure_format(text, shown[i], feature->unit));
}

static int print_op(struct pm_table *t, const struct pm_model_op *op)
{
	for (size_t k = 0; k < op->features; k++) {
		if (pm_opname_cell(t, op->key) < 0)
			return -1;
		print_feature(t, op->feature[k].feature, &op->feature[k].reference);
	}
	return 0;
}

static int print_features(const struct pm_page *p, const struct pm_model *m, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "Operation", false, 12, -1 }, { "Figure", false, 0, 0 },
		{ "Known", true, 0, 3 },        { "Least", true, 0, 0 },
		{ "Median", true, 0, 0 },       { "Most", true, 0, 0 },
		{ "Mean", true, 0, 1 },         { "Deviation", true, 0, 2 },
	};
	struct pm_table t;

	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t k = 0; k < m->features; k++) {
		pm_table_cell(&t, "");
		print_feature(&t, m->feature[k], &m->reference[k]);
	}
	for (size_t i = 0; i < m->ops; i++)
		if (print_op(&t, &m->op[i]) < 0) {
			pm_table_discard(&t);
			return pm_err(e, "print a table: out of memory");
		}
	return pm_table_finish(&t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

static void print_components(const struct pm_page *p, const struct pm_model *m)
{
	const struct pm_pca *pca = &m->pca.pca;
	size_t top[PM_JUDGEWORDS_TOP], n = pm_judgewords_top(&m->pca, top);
	char name[PM_JOBPCA_NAME], share[PM_FORMAT_MAX], text[512] = "";
	size_t at = 0;

	if (pca->components == 0)
		return;
	for (size_t c = 0; c < pca->components && at < sizeof text; c++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s", c ? ", " : "",
				       pm_jobpca_name(name, c),
				       pm_format_share(share, pca->share[c]));
	pm_page_pair(p, "Components", text);
	at = 0;
	for (size_t i = 0; i < n && at < sizeof text; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %.4f", i ? ", " : "",
				       m->pca.feature[top[i]]->name,
				       pm_pca_importance(pca, top[i]));
	pm_page_pair(p, "Most of them", text);
}

int pm_model_show(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e)
{
	struct pm_model m;
	struct pm_page page;
	int rc;

	if (pm_options_page(cli, &page, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_model_read(&m, db, cli->argv[1], e) <= 0)
		return pm_model_free(&m), PM_EXIT_FAILED;
	if (cli->given[PM_OPT_json]) {
		const int64_t stored = count_jobs(db, m.name, e);
		json_t *all = stored < 0 ? NULL : pack_head(&m, stored);

		json_object_set_new(all, "features", pack_features(&m));
		json_object_set_new(all, "pca", pack_components(&m));
		json_object_set_new(all, "operations", json_array());
		rc = stored < 0 || pack_ops(json_object_get(all, "operations"), &m) < 0
			     ? PM_EXIT_FAILED
			     : PM_EXIT_OK;
		if (rc == PM_EXIT_OK)
			rc = dump(all, e);
		else
			json_decref(all);
	} else {
		rc = print_head(&page, db, &m, e);
		if (rc == 0) {
			print_components(&page, &m);
			putchar('\n');
			rc = print_features(&page, &m, e);
		}
		rc = rc < 0 || pm_options_flush(e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
	}
	pm_model_free(&m);
	return rc;
}
