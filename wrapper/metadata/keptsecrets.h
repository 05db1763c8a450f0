/* Texts that users give about a job, as they may be stored: without secrets unless the setting args
 * is "full". */
#ifndef PM_WRAPPER_METADATA_KEPTSECRETS_H
#define PM_WRAPPER_METADATA_KEPTSECRETS_H

#include <jansson.h>
#include <stdbool.h>

/* Whether texts are stored whole, with their secrets. */
bool pm_keptsecrets_whole(void);

/* Copy a text as it may be stored. Returns a new text, or NULL if out of memory. */
char *pm_keptsecrets_text(const char *text);

/* Add the tags of the setting job_tags to the job's metadata. */
void pm_keptsecrets_job_tags(json_t *doc);

#endif
