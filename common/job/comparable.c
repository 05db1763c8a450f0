/* Write what makes jobs comparable. */
#include "config.h"

#include "common/job/comparable.h"

#include <jansson.h>

char *pm_comparable_json(struct pm_str name, const struct pm_str *component)
{
	json_t *list = component ? json_pack("[s%, s%]", name.p, name.n, component->p, component->n)
				 : json_pack("[s%]", name.p, name.n);
	char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;

	json_decref(list);
	return text;
}
