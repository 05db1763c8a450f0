/* Job metadata: JSON with every type checked. The only file of the loader that knows JSON. */
#include "config.h"

#include "submit/job/meta.h"

#include "common/safe/tsv.h"
#include "common/safe/uncounted.h"
#include "submit/input/bounds.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int all_text(const json_t *value, bool null_too)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_array(value)) {
		json_array_foreach (value, i, item) {
			if (!json_is_string(item))
				return 0;
		}
		return 1;
	}
	json_object_foreach ((json_t *)(uintptr_t)value, key, item) {
		if (!json_is_string(item) && !(null_too && json_is_null(item)))
			return 0;
	}
	return 1;
}

/* Whether an array has nothing but objects of texts and integers. */
static int all_objects(const json_t *list)
{
	const json_t *item;
	json_t *value;
	const char *name;
	size_t i;

	json_array_foreach (list, i, item) {
		if (!json_is_object(item))
			return 0;
		json_object_foreach ((json_t *)(uintptr_t)item, name, value)
			if (!json_is_string(value) && !json_is_integer(value))
				return 0;
	}
	return 1;
}

/* Store a value if it has the key's type in job.def. Returns 1; 0 for a wrong type or a number out
 * of range, which is counted; -1 if out of memory. */
static int store_value(struct pm_meta *m, enum pm_job_key k, const json_t *value)
{
	switch (pm_job_info[k].type) {
	case PM_JOB_TYPE_INT:
	case PM_JOB_TYPE_TIME:
		if (!json_is_integer(value))
			return 0;
		if (json_integer_value(value) < -1 ||
		    json_integer_value(value) > (pm_job_info[k].type == PM_JOB_TYPE_TIME
							 ? PM_BOUNDS_TIME
							 : PM_BOUNDS_NUMBER)) {
			m->beyond++;
			return 0;
		}
		m->number[k] = json_integer_value(value);
		m->set[k] = true;
		return 1;
	case PM_JOB_TYPE_TEXT:
		if (!json_is_string(value))
			return 0;
		return pm_meta_set_text(m, k, json_string_value(value)) < 0 ? -1 : 1;
	case PM_JOB_TYPE_LIST:
		if (!json_is_array(value) || !all_text(value, false))
			return 0;
		break;
	case PM_JOB_TYPE_MAP:
		if (!json_is_object(value) || !all_text(value, true))
			return 0;
		break;
	case PM_JOB_TYPE_OBJECTS:
		if (!json_is_array(value) || !all_objects(value))
			return 0;
		break;
	}
	m->text[k] = json_dumps(value, JSON_COMPACT);
	m->set[k] = m->text[k] != NULL;
	return m->set[k] ? 1 : -1;
}

/* Escape a name as an item of a list, as in records. Returns a new text or NULL. */
static char *item_text(const json_t *value)
{
	size_t n = json_string_length(value), room = 4 * n + 4;
	char *text = malloc(room + 1);
	struct pm_buf b;

	if (!text)
		return NULL;
	pm_buf_init(&b, text, room);
	pm_tsv_escape_item(&b, json_string_value(value), n, 1);
	text[b.len] = '\0';
	return text;
}

/* Whether an entry of array events has a valid formula over other events. */
static bool is_formula(const json_t *one)
{
	const json_t *terms = json_object_get(one, "terms");
	const json_t *formula = json_object_get(one, "formula");

	return json_is_string(formula) && json_string_length(formula) <= PM_DERIVED_FORMULA &&
	       json_is_array(terms) && json_array_size(terms) >= 1 &&
	       json_array_size(terms) <= PM_DERIVED_TERMS && all_text(terms, false);
}

/* Add an event that records do not hold: a derived one, or one beyond the limit. Returns 0, or -1
 * if out of memory. */
static int take_event(struct pm_meta *m, const json_t *one)
{
	const json_t *name = json_object_get(one, "name"), *terms = json_object_get(one, "terms");
	const char *reason = json_string_value(json_object_get(one, "reason"));
	bool beyond = reason && strcmp(reason, PM_UNCOUNTED_TEXT(E2BIG)) == 0;
	struct pm_derived *d;

	if (!json_is_string(name) || !json_string_length(name) || (!beyond && !is_formula(one)))
		return 0;
	d = realloc(m->derived, (m->deriveds + 1) * sizeof *d);
	if (!d)
		return -1;
	m->derived = d;
	d += m->deriveds++;
	memset(d, 0, sizeof *d);
	d->name = item_text(name);
	if (beyond) {
		d->reason = strdup(reason);
		return d->name && d->reason ? 0 : -1;
	}
	d->formula = strdup(json_string_value(json_object_get(one, "formula")));
	while (d->terms < json_array_size(terms)) {
		d->term[d->terms] = item_text(json_array_get(terms, d->terms));
		if (!d->term[d->terms++])
			return -1;
	}
	return d->name && d->formula ? 0 : -1;
}

static int take_events(struct pm_meta *m, const json_t *list, struct pm_err *e)
{
	const json_t *one;
	size_t i;

	if (list && !json_is_array(list)) {
		m->wrong++;
		pm_err(e, "events has a wrong type");
		return 0;
	}
	json_array_foreach ((json_t *)(uintptr_t)list, i, one)
		if (take_event(m, one) < 0)
			return pm_err(e, "out of memory");
	return 0;
}

int pm_meta_parse(struct pm_meta *m, const char *text, size_t n, struct pm_err *e)
{
	json_error_t where;
	const char *format;
	json_t *root;
	int rc = 0;

	memset(m, 0, sizeof *m);
	e->text[0] = '\0';
	/* Jansson limits the nesting depth (2048), the caller the size. */
	root = json_loadb(text ? text : "", n, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		return pm_err(e, "line %d: %s", where.line, where.text);
	format = json_string_value(json_object_get(root, "format"));
	if (!format || strcmp(format, PM_JOB_FORMAT) != 0) {
		rc = pm_err(e, "its format is not %s", PM_JOB_FORMAT);
		goto out;
	}
	for (int k = 0; k < PM_JOB_KEYS && rc == 0; k++) {
		const struct pm_job_info *info = &pm_job_info[k];
		const json_t *section = json_object_get(root, info->section_name);
		const json_t *value = json_object_get(section, info->name);
		int stored, beyond = m->beyond;

		if (!value || json_is_null(value))
			continue;
		stored = store_value(m, (enum pm_job_key)k, value);
		if (stored < 0) {
			rc = pm_err(e, "out of memory");
		} else if (stored == 0) {
			m->wrong++;
			pm_err(e, "%s.%s %s", info->section_name, info->name,
			       m->beyond > beyond ? "is out of range" : "has a wrong type");
		}
	}
	if (rc == 0)
		rc = take_events(m, json_object_get(root, "events"), e);
out:
	json_decref(root);
	return rc;
}

void pm_meta_free(struct pm_meta *m)
{
	for (int k = 0; k < PM_JOB_KEYS; k++)
		free(m->text[k]);
	pm_derived_free(m->derived, m->deriveds);
	memset(m, 0, sizeof *m);
}

char *pm_meta_text(const struct pm_meta *m)
{
	json_t *root = json_object();
	char *text;

	json_object_set_new(root, "format", json_string(PM_JOB_FORMAT));
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		const struct pm_job_info *info = &pm_job_info[k];
		json_t *section = json_object_get(root, info->section_name), *value;

		if (!m->set[k])
			continue;
		if (!section) {
			section = json_object();
			json_object_set_new(root, info->section_name, section);
		}
		if (info->type == PM_JOB_TYPE_INT || info->type == PM_JOB_TYPE_TIME)
			value = json_integer(m->number[k]);
		else if (info->type == PM_JOB_TYPE_TEXT)
			value = json_string(m->text[k]);
		else
			value = json_loads(m->text[k], 0, NULL);
		json_object_set_new(section, info->name, value);
	}
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text;
}

int pm_meta_set_text(struct pm_meta *m, enum pm_job_key k, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -1;
	free(m->text[k]);
	m->text[k] = copy;
	m->set[k] = copy != NULL;
	return 0;
}

int pm_meta_each(const char *map, int (*each)(void *ctx, const char *name, const char *value),
		 void *ctx)
{
	json_t *root = json_loads(map, 0, NULL);
	const char *name;
	json_t *value;
	int rc = json_is_object(root) ? 0 : -1;

	if (rc == 0) {
		json_object_foreach (root, name, value) {
			if (each(ctx, name, json_string_value(value)) < 0) {
				rc = -1;
				break;
			}
		}
	}
	json_decref(root);
	return rc;
}
