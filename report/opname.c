/* The name of an operation. */
#include "config.h"

#include "report/opname.h"

#include "analysis/select/opselect.h"
#include "common/text.h"
#include "report/print/values.h"

#include <stdlib.h>
#include <string.h>

int pm_opname_cell(struct pm_table *t, const char *key)
{
	char *text = pm_opselect_text(key), safe[1024];

	if (!text)
		return -1;
	pm_text_field(safe, sizeof safe, text, t->page->utf8);
	pm_table_cell(t, safe);
	free(text);
	return 0;
}

/* A member of tags. */
static int add_tag(json_t *tags, const char *name, size_t names, const char *value, size_t values)
{
	json_t *decoded = pm_values_escaped(name, names), *v = pm_values_escaped(value, values);
	char *plain = strndup(name, names);
	const char *text = json_is_string(decoded) ? json_string_value(decoded) : plain;
	const int rc = decoded && v && text ? json_object_set(tags, text, v) : -1;

	json_decref(decoded);
	json_decref(v);
	free(plain);
	return rc;
}

int pm_opname_pack(json_t *o, const char *key)
{
	const char *rest = key, *name, *value;
	char *text = pm_opselect_text(key);
	json_t *tags = json_object();
	size_t names, values;
	int rc = text && tags ? 0 : -1;

	while (rc == 0 && pm_opselect_next(&rest, &name, &names, &value, &values))
		rc = add_tag(tags, name, names, value, values);
	if (rc == 0)
		rc = json_object_set_new(o, "operation", pm_values_escaped(text, strlen(text)));
	if (rc == 0)
		rc = json_object_set(o, "tags", tags);
	json_decref(tags);
	free(text);
	return rc;
}
