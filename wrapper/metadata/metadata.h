/* job-<host>.json: read and write the document, and its values by the keys of job.def. */
#ifndef PM_WRAPPER_METADATA_METADATA_H
#define PM_WRAPPER_METADATA_METADATA_H

#include "common/err.h"
#include "common/job/job.h"

#include <jansson.h>
#include <stdint.h>

/* Make a document with format and version but no values. The caller decrefs it; NULL: no memory. */
json_t *pm_metadata_new(void);

/*
 * Read job-<host>.json of an open job directory; host "": that of any host. Reads only regular
 * files of limited size that belong to the directory's owner. Returns a document that the caller
 * decrefs, or NULL with e filled and errno (ENOENT: no such file).
 */
json_t *pm_metadata_read(int dir, const char *host, struct pm_err *e);

/* Write job-<host>.json atomically, mode 0600: readers see the whole old or the whole new document,
 * also after a crash or on a full disk. Returns 0 or -1 with e filled and errno. */
int pm_metadata_write(int dir, const char *host, json_t *doc, struct pm_err *e);

/* Write job-<host>.json on a full disk: overwrite `file`, whose blocks are allocated and whose
 * contents are not needed, and rename it. Returns 0 or -1 with e filled. */
int pm_metadata_write_over(int dir, const char *file, const char *host, const json_t *doc,
			   struct pm_err *e);

/* Size of job-<host>.json in bytes; 0: no such file. */
int64_t pm_metadata_size(int dir, const char *host);

/* Set a value by the function for the key's type. Text may have any bytes; if it is not UTF-8, it
 * is stored as escaped TSV text. NULL sets nothing. pm_metadata_json steals the reference to value.
 */
void pm_metadata_text(json_t *doc, enum pm_job_key key, const char *text);
void pm_metadata_int(json_t *doc, enum pm_job_key key, int64_t v);
void pm_metadata_json(json_t *doc, enum pm_job_key key, json_t *value);

/* Get a value as a borrowed reference; NULL: absent or of another type. */
const char *pm_metadata_get_text(const json_t *doc, enum pm_job_key key);
const json_t *pm_metadata_get(const json_t *doc, enum pm_job_key key);

/* Get an integer; `otherwise` if it is absent or of another type. */
int64_t pm_metadata_get_int(const json_t *doc, enum pm_job_key key, int64_t otherwise);

/* Make a JSON string of any bytes, escaped as by pm_metadata_text. NULL: no memory. */
json_t *pm_metadata_string(const char *text);

/* Whether the job has been stopped. */
int pm_metadata_is_closed(const json_t *doc);

/* Open the job again: remove the stop half, and count the reopening. */
void pm_metadata_reopen(json_t *doc);

/* Add job tags NAME:VALUE;NAME:VALUE; later ones replace earlier ones of the same name. A value
 * may hold ':' and '='; a bare NAME has value "1". */
void pm_metadata_add_tags(json_t *doc, const char *tags);

#endif
