/* job-<host>.json: reading, writing, and its values by the keys of job.def. */
#ifndef PM_WRAPPER_METADATA_H
#define PM_WRAPPER_METADATA_H

#include "common/err.h"
#include "common/job.h"

#include <jansson.h>
#include <stdint.h>

/* A new document with format and version, no values. The caller decrefs it; NULL: no memory. */
json_t *pm_metadata_new(void);

/*
 * Read job-<host>.json of an open job directory; "" for host reads that of any host. Bounded,
 * regular files of the directory's owner only.
 * Returns a document that the caller decrefs, or NULL with e filled and errno (ENOENT: none).
 */
json_t *pm_metadata_read(int dir, const char *host, struct pm_err *e);

/* Write job-<host>.json, mode 0600, as one: readers see the old or the new one whole, also after
 * a crash or on a full disk. Returns 0 or -1 with e filled and errno. */
int pm_metadata_write(int dir, const char *host, json_t *doc, struct pm_err *e);

/* The same where a file of the directory that nobody needs has room on the disk: write over it, and
 * rename it. Returns 0 or -1 with e filled. */
int pm_metadata_write_over(int dir, const char *file, const char *host, const json_t *doc,
			   struct pm_err *e);

/* Size of job-<host>.json in bytes, 0 where there is none. */
int64_t pm_metadata_size(int dir, const char *host);

/* Set a value; the key's type is the function's. Text of any bytes: what is not UTF-8 is stored
 * as escaped TSV text. NULL sets nothing. A json value is stolen. */
void pm_metadata_text(json_t *doc, enum pm_job_key key, const char *text);
void pm_metadata_int(json_t *doc, enum pm_job_key key, int64_t v);
void pm_metadata_json(json_t *doc, enum pm_job_key key, json_t *value);

/* Read a value: borrowed, NULL where it is absent or of another type. */
const char *pm_metadata_get_text(const json_t *doc, enum pm_job_key key);
const json_t *pm_metadata_get(const json_t *doc, enum pm_job_key key);

/* An integer, or `otherwise`. */
int64_t pm_metadata_get_int(const json_t *doc, enum pm_job_key key, int64_t otherwise);

/* A JSON string of any bytes, as pm_metadata_text. NULL: no memory. */
json_t *pm_metadata_string(const char *text);

/* 1 when the job has been stopped. */
int pm_metadata_is_closed(const json_t *doc);

/* Forget the stop half: the job is open again. */
void pm_metadata_reopen(json_t *doc);

/* Add job tags NAME:VALUE;NAME:VALUE; later ones replace earlier ones of the same name. A value
 * may hold ':' and '='; a bare NAME has value "1". */
void pm_metadata_add_tags(json_t *doc, const char *tags);

#endif
