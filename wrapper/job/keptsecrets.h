/* What users say of a job, as the setting args lets it be stored: without secrets unless it is full. */
#ifndef PM_WRAPPER_KEPT_H
#define PM_WRAPPER_KEPT_H

#include <jansson.h>
#include <stdbool.h>

/* Whether secrets are stored, too. */
bool pm_kept_whole(void);

/* Copy a text as it may be stored. Returns a new text, or NULL without memory. */
char *pm_kept_text(const char *text);

/* Add the tags of the setting job_tags to the job's metadata. */
void pm_kept_job_tags(json_t *doc);

#endif
