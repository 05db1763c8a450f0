/* Answers of the bulk interface. */
#include "config.h"

#include "export/bulk/answer.h"

#include "common/text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Take type and reason of an error, as text that a terminal can have. */
static void take_reason(const json_t *error, char why[PM_BULK_WHY])
{
	const char *type = json_string_value(json_object_get(error, "type"));
	const char *reason = json_string_value(json_object_get(error, "reason"));
	char text[2 * PM_BULK_WHY];

	if (json_is_string(error))
		reason = json_string_value(error);
	snprintf(text, sizeof text, "%s%s%s", type ? type : "", type && reason ? ": " : "",
		 reason ? reason : "");
	pm_text_safe(why, PM_BULK_WHY, text, strlen(text), false);
}

void pm_bulk_reason(const void *p, size_t length, char why[PM_BULK_WHY])
{
	json_t *answer = length ? json_loadb(p, length, 0, NULL) : NULL;

	why[0] = '\0';
	if (answer)
		take_reason(json_object_get(answer, "error"), why);
	json_decref(answer);
}

/* Take what became of a document. Returns 0, or -1: the item is none. */
static int take_item(const json_t *item, enum pm_bulk_fate *fate, char why[PM_BULK_WHY])
{
	const json_t *of = json_object_get(item, "index"), *status = json_object_get(of, "status");
	const json_int_t code = json_integer_value(status);

	if (!json_is_integer(status))
		return -1;
	*fate = code >= 200 && code < 300                     ? PM_BULK_TAKEN
		: code == 429 || (code >= 502 && code <= 504) ? PM_BULK_AGAIN
							      : PM_BULK_REFUSED;
	if (*fate == PM_BULK_REFUSED && !*why) {
		take_reason(json_object_get(of, "error"), why);
		if (!*why)
			snprintf(why, PM_BULK_WHY, "status %lld", (long long)code);
	}
	return 0;
}

int pm_bulk_answer(const void *p, size_t length, size_t n, enum pm_bulk_fate *fate,
		   char why[PM_BULK_WHY], struct pm_err *e)
{
	json_t *answer = length ? json_loadb(p, length, 0, NULL) : NULL;
	const json_t *items = json_object_get(answer, "items"),
		     *errors = json_object_get(answer, "errors");
	int rc = json_is_boolean(errors) && json_array_size(items) == n ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = take_item(json_array_get(items, i), &fate[i], why);
	json_decref(answer);
	return rc < 0 ? pm_err(e, "the answer is not that of a bulk interface") : 0;
}
