/* Numbers for texts. */
#include "config.h"

#include "report/rows/names.h"

int pm_names_init(struct pm_names *n)
{
	n->number = json_object();
	n->list = json_array();
	return n->number && n->list ? 0 : -1;
}

void pm_names_free(struct pm_names *n)
{
	json_decref(n->number);
	json_decref(n->list);
}

int64_t pm_names_number(struct pm_names *n, const char *text)
{
	const json_t *known = json_object_get(n->number, text);
	size_t next = json_array_size(n->list);

	if (known)
		return json_integer_value(known);
	if (json_object_set_new(n->number, text, json_integer((json_int_t)next)) < 0 ||
	    json_array_append_new(n->list, json_string(text)) < 0)
		return -1;
	return (int64_t)next;
}
