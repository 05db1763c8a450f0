/*
 * Redact record files and job metadata, for `perfmon redact`. Equal input gives equal output
 * wherever it is stored, so that a redacted file and the redacted copy in a database still have the
 * same digest. Programs only.
 */
#ifndef PM_COMMON_SECRETS_REDACT_FILE_H
#define PM_COMMON_SECRETS_REDACT_FILE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* 1 for the name of a file that may hold secrets: job-*.json, *.tsv, *.csv, *.phases, and
 * job_metadata, of which a pickle is an error. */
int pm_redact_is_file(const char *name);

/* Receives the output. Returns 0 or -1 with e filled. */
typedef int pm_redact_take(void *ctx, const char *p, size_t n, struct pm_err *e);

struct pm_redact_file;

/* Begin to redact a file with this name. Returns a new object, which the caller frees with
 * pm_redact_file_free(), or NULL with e filled. */
struct pm_redact_file *pm_redact_file_new(const char *name, pm_redact_take *take, void *ctx,
					  struct pm_err *e);
void pm_redact_file_free(struct pm_redact_file *f);

/* Feed the bytes of the file in order, then end it. A truncated last line, and metadata that are
 * not JSON, are searched as text. Both return 0 or -1 with e filled, also where `take` fails. */
int pm_redact_file_feed(struct pm_redact_file *f, const char *p, size_t n, struct pm_err *e);
int pm_redact_file_end(struct pm_redact_file *f, struct pm_err *e);

/* Number of secrets replaced; with 0 the output equals the input. */
int64_t pm_redact_file_count(const struct pm_redact_file *f);

/*
 * Redact the list field args of a process (perfmon-tsv(5)); exename, escaped, may be NULL. Returns
 * the number of secrets replaced; if it is above 0, *out is the new list, which the caller frees.
 * Returns -1 if out of memory.
 */
int64_t pm_redact_args(const char *exename, const char *args, char **out);

/* Redact an escaped text of any meaning, and the field tags of a process. Both return the same as
 * pm_redact_args(). */
int64_t pm_redact_field(const char *field, char **out);
int64_t pm_redact_tags_field(const char *tags, char **out);

/* Redact a line of unknown format. Returns the same as pm_redact_args(), with *n the length of
 * *out. */
int64_t pm_redact_line(const char *line, size_t len, char **out, size_t *n);

#endif
