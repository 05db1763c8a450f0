/* JSON without the secrets in it. Programs only. */
#ifndef PM_REDACT_JSON_H
#define PM_REDACT_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Redact in place an array of arguments, one of any texts, an object of variables, one of names and
 * values with `mark` between (pm_redact_pair), a whole job-HOST.json document; NULL counts as empty. Return how many texts were changed, or -1 without memory. */
int64_t pm_redact_list(json_t *list);
int64_t pm_redact_texts(json_t *list);
int64_t pm_redact_map(json_t *map);
int64_t pm_redact_pairs(json_t *map, char mark);
int64_t pm_redact_metadata(json_t *doc);

#endif
