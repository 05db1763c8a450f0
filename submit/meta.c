/* Job metadata: JSON with every type checked. The only file of the loader that knows JSON. */
#include "config.h"

#include "submit/meta.h"

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

/* Store a value where its type is that of the table. Returns 1, 0 for a wrong type, -1 without
 * memory. */
static int store(struct pm_meta *m, enum pm_job_key k, const json_t *value)
{
	switch (pm_job_info[k].type) {
	case PM_JOB_TYPE_INT:
	case PM_JOB_TYPE_TIME:
		if (!json_is_integer(value))
			return 0;
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
	}
	m->text[k] = json_dumps(value, JSON_COMPACT);
	m->set[k] = m->text[k] != NULL;
	return m->set[k] ? 1 : -1;
}

int pm_meta_parse(struct pm_meta *m, const char *text, size_t n, struct pm_err *e)
{
	json_error_t where;
	const char *format;
	json_t *root;
	int rc = 0;

	memset(m, 0, sizeof *m);
	e->text[0] = '\0';
	/* Its depth is bounded by the library (2048), its size by the caller. */
	root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &where);
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
		int stored;

		if (!value || json_is_null(value))
			continue;
		stored = store(m, (enum pm_job_key)k, value);
		if (stored < 0) {
			rc = pm_err(e, "out of memory");
		} else if (stored == 0) {
			m->wrong++;
			pm_err(e, "%s.%s has a wrong type", info->section_name, info->name);
		}
	}
out:
	json_decref(root);
	return rc;
}

void pm_meta_free(struct pm_meta *m)
{
	for (int k = 0; k < PM_JOB_KEYS; k++)
		free(m->text[k]);
	memset(m, 0, sizeof *m);
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
