/*
 * Convert EPMT's keys to keys of job.def by the table of common/record/epmt.def. A pickle or a row
 * of EPMT's database is first made an object, so that both share the conversion.
 */
#include "config.h"

#include "submit/foreign/epmt_meta.h"

#include "common/job/job.h"
#include "common/safe/tsv.h"
#include "common/secrets/redact.h"
#include "common/secrets/redact_json.h"
#include "common/settings/readconfig.h"
#include "submit/foreign/localtime.h"
#include "submit/foreign/pickle.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key;
	enum pm_job_key to;
	bool variable; /* the key is a variable of the job's environment */
} table[] = {
#define PM_EPMT(key, section, id)      { #key, PM_JOB_##section##_##id, false },
#define PM_EPMT_ENV(name, section, id) { #name, PM_JOB_##section##_##id, true },
#include "common/record/epmt.def"
#undef PM_EPMT
#undef PM_EPMT_ENV
};

#define ROWS (sizeof table / sizeof table[0])

/* Variables that tell the batch system of a job. */
static const char *const scheduler[][2] = {
	{ "SLURM_JOB_ID", "slurm" },
	{ "SLURM_JOBID", "slurm" },
	{ "PBS_JOBID", "pbs" },
	{ "LSB_JOBID", "lsf" },
};

json_t *pm_epmt_meta_string(const char *p, size_t n)
{
	json_t *s = memchr(p, '\0', n) ? NULL : json_stringn(p, n);
	struct pm_buf b;
	char *mem;

	if (s)
		return s;
	mem = malloc(4 * n + 1);
	if (!mem)
		return NULL;
	pm_buf_init(&b, mem, 4 * n);
	pm_tsv_escape(&b, p, n);
	s = json_stringn(b.p, b.len);
	free(mem);
	return s;
}

/* --- times ------------------------------------------------------------------------------------ */

json_t *pm_epmt_meta_time(int64_t clock_us, const char *zone)
{
	json_t *time = json_pack("{s:I}", "clock_us", (json_int_t)clock_us);

	if (time && zone)
		json_object_set_new(time, "zone", json_string(zone));
	return time;
}

static const json_t *environment(const json_t *object)
{
	const json_t *env = json_object_get(object, "job_pl_env");

	return env ? env : json_object_get(object, "env_dict");
}

int64_t pm_epmt_meta_utc(const json_t *object, const json_t *time)
{
	int64_t clock_us = json_integer_value(json_object_get(time, "clock_us"));
	const json_t *env = environment(object);
	const char *zone = json_string_value(json_object_get(time, "zone"));

	if (!pm_localtime_is_zone(zone))
		zone = json_string_value(json_object_get(env, "TZ"));
	if (!pm_localtime_is_zone(zone))
		zone = json_string_value(json_object_get(env, "TIMEZONE"));
	return pm_localtime_utc(clock_us, pm_localtime_is_zone(zone) ? zone : NULL);
}

/* --- a pickle as an object ----------------------------------------------------------------------
 */

static json_t *number_text(const char *format, double real, int64_t number)
{
	char text[64];

	if (format)
		snprintf(text, sizeof text, format, real);
	else
		snprintf(text, sizeof text, "%lld", (long long)number);
	return json_string(text);
}

/* Convert a scalar inside a dict or a list to a text; None becomes null. NULL for other types,
 * which are left out. */
static json_t *scalar_text(const struct pm_pickle_value *v)
{
	switch ((enum pm_pickle_type)v->type) {
	case PM_PICKLE_TEXT:
	case PM_PICKLE_BYTES:
		return pm_epmt_meta_string(v->u.text.p, v->u.text.n);
	case PM_PICKLE_INT:
		return number_text(NULL, 0, v->u.number);
	case PM_PICKLE_FLOAT:
		return number_text("%.17g", v->u.real, 0);
	case PM_PICKLE_BOOL:
		return json_string(v->u.truth ? "True" : "False");
	case PM_PICKLE_NULL:
		return json_null();
	default:
		return NULL;
	}
}

static json_t *time_of(const struct pm_pickle *p, const struct pm_pickle_value *v)
{
	const struct pm_pickle_value *name;
	char zone[64];

	if (v->status == PM_PICKLE_OFFSET)
		return pm_epmt_meta_time(v->u.number - v->offset_us, "UTC");
	if (v->status != PM_PICKLE_NAMED)
		return pm_epmt_meta_time(v->u.number, NULL);
	name = &p->value[v->first];
	snprintf(zone, sizeof zone, "%.*s",
		 (int)(name->u.text.n < sizeof zone ? name->u.text.n : sizeof zone),
		 name->u.text.p);
	return pm_epmt_meta_time(v->u.number, zone);
}

static json_t *list_of(const struct pm_pickle *p, const struct pm_pickle_value *v)
{
	json_t *list = json_array();

	for (uint32_t i = v->first; list && i != PM_PICKLE_NONE; i = p->item[i].next) {
		json_t *one = scalar_text(&p->value[p->item[i].value]);

		if (one && !json_is_null(one))
			json_array_append_new(list, one);
		else
			json_decref(one);
	}
	return list;
}

/* Convert a dict of texts. Only scalars inside it are converted, so there is no recursion. */
static json_t *dict_of(const struct pm_pickle *p, const struct pm_pickle_value *v)
{
	json_t *dict = json_object();

	for (uint32_t i = v->first; dict && i != PM_PICKLE_NONE; i = p->item[i].next) {
		const struct pm_pickle_value *k = &p->value[p->item[i].key];
		json_t *key = k->type == PM_PICKLE_TEXT || k->type == PM_PICKLE_BYTES
				      ? scalar_text(k)
				      : NULL;
		json_t *value = key ? scalar_text(&p->value[p->item[i].value]) : NULL;

		if (value)
			json_object_set_new(dict, json_string_value(key), value);
		json_decref(key);
	}
	return dict;
}

static json_t *value_of(const struct pm_pickle *p, const struct pm_pickle_value *v)
{
	switch ((enum pm_pickle_type)v->type) {
	case PM_PICKLE_INT:
		return json_integer(v->u.number);
	case PM_PICKLE_TIME:
		return time_of(p, v);
	case PM_PICKLE_LIST:
		return list_of(p, v);
	case PM_PICKLE_DICT:
		return dict_of(p, v);
	case PM_PICKLE_NULL:
		return NULL;
	default:
		return scalar_text(v);
	}
}

/* --- an object as metadata ----------------------------------------------------------------------
 */

static json_t *section(json_t *root, const char *name)
{
	json_t *s = json_object_get(root, name);

	if (!s) {
		s = json_object();
		json_object_set_new(root, name, s);
	}
	return s;
}

/* Parse tags in EPMT's text form, NAME:VALUE;NAME:VALUE; a bare NAME has the value 1. */
static json_t *tags_of(const char *text)
{
	json_t *map = json_object();

	while (map && *text) {
		size_t n = strcspn(text, ";"), colon = strcspn(text, ":");
		const char *name = text;

		text += n + (text[n] == ';');
		colon = colon < n ? colon : n;
		for (; colon && *name == ' '; name++, colon--, n--)
			continue;
		if (colon) {
			char *key = strndup(name, colon);

			if (key)
				json_object_set_new(map, key,
						    colon < n
							    ? pm_epmt_meta_string(name + colon + 1,
										  n - colon - 1)
							    : json_string("1"));
			free(key);
		}
	}
	if (pm_redact_pairs(map, ':') < 0)
		json_object_clear(map);
	return map;
}

static char *redact_value(const char *name, const char *value, bool secret)
{
	return !value ? NULL : secret ? pm_redact_variable(name, value) : strdup(value);
}

/* Copy a map's values as texts; with `secret` they are redacted by name and form. */
static json_t *map_of(const json_t *from, bool secret)
{
	json_t *map = json_object(), *value;
	const char *name;

	json_object_foreach ((json_t *)(uintptr_t)from, name, value) {
		char *clean, *other = NULL;

		/* A value of another type is kept as JSON text. */
		if (!json_is_string(value) && !json_is_null(value))
			other = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		clean = json_is_null(value)
				? NULL
				: redact_value(name, other ? other : json_string_value(value),
					       secret);
		if (clean)
			json_object_set_new(map, name, json_string(clean));
		else if (json_is_null(value))
			json_object_set(map, name, value);
		free(clean);
		free(other);
	}
	return map;
}

/* Convert a value to the key's type. NULL if that is not possible. */
static json_t *convert_value(const json_t *object, const json_t *value, enum pm_job_key k)
{
	bool environment = k == PM_JOB_start_environment || k == PM_JOB_stop_environment_changes;
	const char *text = json_string_value(value);
	int64_t number;

	switch (pm_job_info[k].type) {
	case PM_JOB_TYPE_TEXT:
		if (json_is_integer(value))
			return number_text(NULL, 0, json_integer_value(value));
		return text && *text ? json_string(text) : NULL;
	case PM_JOB_TYPE_INT:
		if (text && pm_tsv_number(text, strlen(text), &number) == 0)
			return json_integer(number);
		return json_is_integer(value) ? json_integer(json_integer_value(value)) : NULL;
	case PM_JOB_TYPE_TIME:
		return json_object_get(value, "clock_us")
			       ? json_integer(pm_epmt_meta_utc(object, value))
			       : NULL;
	case PM_JOB_TYPE_LIST:
		return json_is_array(value) ? json_incref((json_t *)(uintptr_t)value) : NULL;
	case PM_JOB_TYPE_OBJECTS: /* EPMT has none */
		return NULL;
	case PM_JOB_TYPE_MAP:
		if (text && k == PM_JOB_job_tags)
			return tags_of(text);
		if (environment && strcmp(pm_config_get(PM_SET_environment), "none") == 0)
			return NULL;
		return json_is_object(value)
			       ? map_of(value, environment || k == PM_JOB_job_annotations ||
						       k == PM_JOB_job_tags)
			       : NULL;
	}
	return NULL;
}

/* Changes from one environment to the other: new values, null for removed variables. */
static json_t *env_changes(const json_t *before, const json_t *after)
{
	json_t *map = json_object(), *value;
	const char *name;

	json_object_foreach ((json_t *)(uintptr_t)after, name, value)
		if (!json_equal(json_object_get(before, name), value))
			json_object_set(map, name, value);
	json_object_foreach ((json_t *)(uintptr_t)before, name, value)
		if (!json_object_get(after, name))
			json_object_set_new(map, name, json_null());
	return map;
}

/* Add values that the table does not cover: the batch system, the reason of the job's end, tags
 * among the annotations, and changes of the environment, computed here since EPMT records the old
 * values of removed variables. */
static void add_rest(json_t *root, const json_t *object)
{
	const json_t *env = environment(object), *stop_env = json_object_get(object, "job_el_env");
	const json_t *notes = json_object_get(object, "annotations");
	const char *reason = json_string_value(json_object_get(object, "job_el_reason"));
	json_t *facts = json_object(), *value, *changed;

	for (size_t i = 0; i < sizeof scheduler / sizeof scheduler[0]; i++)
		if (json_object_get(env, scheduler[i][0])) {
			json_object_set_new(section(root, "job"), "scheduler",
					    json_string(scheduler[i][1]));
			break;
		}
	value = json_object_get(notes, "EPMT_JOB_TAGS");
	if (json_is_string(value) && !json_object_get(json_object_get(root, "job"), "tags"))
		json_object_set_new(section(root, "job"), "tags",
				    tags_of(json_string_value(value)));
	if (reason && *reason && strcmp(reason, "none") != 0)
		json_object_set_new(facts, "exit_reason", json_string(reason));
	if (json_object_size(facts))
		json_object_set(section(root, "job"), "facts", facts);
	json_decref(facts);
	if (!json_is_object(env) || !json_is_object(stop_env))
		return;
	changed = env_changes(env, stop_env);
	value = convert_value(object, changed, PM_JOB_stop_environment_changes);
	json_decref(changed);
	if (value)
		json_object_set_new(section(root, "stop"), "environment_changes", value);
}

int pm_epmt_meta_object(const json_t *object, char **text, struct pm_err *e)
{
	json_t *root = json_object();

	json_object_set_new(root, "format", json_string(PM_JOB_FORMAT));
	for (size_t i = 0; i < ROWS; i++) {
		const struct pm_job_info *info = &pm_job_info[table[i].to];
		const json_t *from = table[i].variable ? environment(object) : object;
		json_t *value =
			convert_value(object, json_object_get(from, table[i].key), table[i].to);

		if (value && !json_object_get(section(root, info->section_name), info->name))
			json_object_set(section(root, info->section_name), info->name, value);
		json_decref(value);
	}
	add_rest(root, object);
	*text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return *text ? 0 : pm_err(e, "out of memory");
}

int pm_epmt_meta_pickle(const void *data, size_t n, char **text, struct pm_err *e)
{
	static const char *const more[] = { "job_el_env", "job_el_reason" };
	const struct pm_pickle_value *root;
	json_t *object = NULL;
	struct pm_pickle p;
	int rc = pm_pickle_read(&p, data, n, e);

	*text = NULL;
	if (rc == 0 && p.value[p.root].type != PM_PICKLE_DICT)
		rc = pm_err(e, "a pickle, but not of a dict");
	if (rc == 0 && !(object = json_object()))
		rc = pm_err(e, "out of memory");
	root = rc == 0 ? &p.value[p.root] : NULL;
	for (size_t i = 0; rc == 0 && i < ROWS + sizeof more / sizeof more[0]; i++) {
		const char *key = i < ROWS ? table[i].key : more[i - ROWS];
		const struct pm_pickle_value *v =
			i < ROWS && table[i].variable ? NULL : pm_pickle_get(&p, root, key);
		json_t *value = v && !json_object_get(object, key) ? value_of(&p, v) : NULL;

		if (value)
			json_object_set_new(object, key, value);
	}
	if (rc == 0 && json_object_size(object) == 0)
		rc = pm_err(e, "a pickle without data of a job");
	if (rc == 0)
		rc = pm_epmt_meta_object(object, text, e);
	json_decref(object);
	pm_pickle_free(&p);
	return rc;
}
