/* Redact JSON. Programs only. */
#ifndef PM_COMMON_SECRETS_REDACT_JSON_H
#define PM_COMMON_SECRETS_REDACT_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Redact in place: an array of arguments, an array of any texts, an object of variables, an object
 * of names and values separated by `mark` (pm_redact_pair), a whole job-HOST.json document. NULL
 * counts as empty. Each returns the number of texts changed, or -1 if out of memory. */
int64_t pm_redact_list(json_t *list);
int64_t pm_redact_texts(json_t *list);
int64_t pm_redact_map(json_t *map);
int64_t pm_redact_pairs(json_t *map, char mark);
int64_t pm_redact_metadata(json_t *doc);

#endif
