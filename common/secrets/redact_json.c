/* Redact JSON: lists of arguments, objects of variables, whole job metadata. */
#include "config.h"

#include "common/secrets/redact_json.h"

#include "common/secrets/redact.h"

#include <stdlib.h>
#include <string.h>

/* Replace the string value by `clean`, which is freed. Returns 1 if they differ, 0 if not, or -1 if
 * out of memory. */
static int replace_string(json_t *value, char *clean)
{
	int rc = -1;

	if (clean && strcmp(json_string_value(value), clean) == 0)
		rc = 0;
	else if (clean && json_string_set(value, clean) == 0)
		rc = 1;
	free(clean);
	return rc;
}

int64_t pm_redact_list(json_t *list)
{
	struct pm_secrets s = { 0 };
	int64_t count = 0;
	json_t *value;
	size_t i;

	json_array_foreach (list, i, value) {
		int rc = json_is_string(value)
				 ? replace_string(value,
						  pm_redact_argument(&s, json_string_value(value)))
				 : 0;

		if (rc < 0)
			return -1;
		count += rc;
	}
	return count;
}

int64_t pm_redact_map(json_t *map)
{
	const char *name;
	int64_t count = 0;
	json_t *value;

	json_object_foreach (map, name, value) {
		int rc =
			json_is_string(value)
				? replace_string(value,
						 pm_redact_variable(name, json_string_value(value)))
				: 0;

		if (rc < 0)
			return -1;
		count += rc;
	}
	return count;
}

/* Add a redacted name and value to the map `to`. Returns the same as replace_string(). */
static int add_pair(json_t *to, const char *name, json_t *value, char mark)
{
	char *clean[2];
	int rc = json_is_string(value)
			 ? pm_redact_pair(name, mark, json_string_value(value), clean)
			 : 0;

	if (rc < 0)
		return -1;
	if (rc == 0)
		return json_object_set(to, name, value) < 0 ? -1 : 0;
	rc = json_object_set_new(to, clean[0], json_string(clean[1])) < 0 ? -1 : 1;
	free(clean[0]);
	free(clean[1]);
	return rc;
}

int64_t pm_redact_pairs(json_t *map, char mark)
{
	json_t *clean = json_object(), *value;
	const char *name;
	int64_t count = 0;

	json_object_foreach (map, name, value) {
		int rc = count < 0 ? 0 : add_pair(clean, name, value, mark);

		count = rc < 0 ? -1 : count + rc;
	}
	if (!clean || (count > 0 && (json_object_clear(map) < 0 ||
				     json_object_update(map, clean) < 0)))
		count = -1;
	json_decref(clean);
	return count;
}

static int64_t redact_tags(json_t *map)
{
	return pm_redact_pairs(map, ':');
}

static int64_t redact_annotations(json_t *map)
{
	return pm_redact_pairs(map, '=');
}

static int64_t redact_text(json_t *value)
{
	return json_is_string(value)
		       ? replace_string(value, pm_redact_value(json_string_value(value)))
		       : 0;
}

int64_t pm_redact_texts(json_t *list)
{
	int64_t count = 0;
	json_t *value;
	size_t i;

	json_array_foreach (list, i, value) {
		int64_t n = redact_text(value);

		if (n < 0)
			return -1;
		count += n;
	}
	return count;
}

int64_t pm_redact_metadata(json_t *doc)
{
	static const struct {
		const char *section, *key;
		int64_t (*redact)(json_t *value);
	} part[] = {
		{ "job", "name", redact_text },
		{ "job", "script", redact_text },
		{ "job", "facts", pm_redact_map },
		{ "job", "tags", redact_tags },
		{ "job", "annotations", redact_annotations },
		{ "start", "cwd", redact_text },
		{ "start", "modules", pm_redact_texts },
		{ "start", "command", pm_redact_list },
		{ "start", "environment", pm_redact_map },
		{ "stop", "environment_changes", pm_redact_map },
	};
	int64_t count = 0;

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		int64_t n = part[i].redact(
			json_object_get(json_object_get(doc, part[i].section), part[i].key));

		if (n < 0)
			return -1;
		count += n;
	}
	return count;
}
