/*
 * Redact record files and job metadata, for `perfmon redact`. Equal input gives equal output
 * wherever it is stored, so that a file and the copy that a database keeps of it still have one
 * digest. Programs only.
 */
#ifndef PM_REDACT_FILE_H
#define PM_REDACT_FILE_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

/* 1 where a name is that of a file that may hold secrets: job-*.json, *.tsv, *.csv, *.phases,
 * and job_metadata, whose pickles are an error. */
int pm_redact_is_file(const char *name);

/* Takes the output. Returns 0 or -1 with e filled. */
typedef int pm_redact_take(void *ctx, const char *p, size_t n, struct pm_err *e);

struct pm_redact_file;

/* Begin a file of that name. Returns it, to be freed, or NULL with e filled. */
struct pm_redact_file *pm_redact_file_new(const char *name, pm_redact_take *take, void *ctx,
					  struct pm_err *e);
void pm_redact_file_free(struct pm_redact_file *f);

/* Feed bytes of the file in order, then end it. A truncated last line, and metadata that are not
 * JSON, are searched as text. Return 0 or -1 with e filled, as `take` does. */
int pm_redact_file_feed(struct pm_redact_file *f, const char *p, size_t n, struct pm_err *e);
int pm_redact_file_end(struct pm_redact_file *f, struct pm_err *e);

/* Number of secrets replaced; with 0 the output equals the input. */
int64_t pm_redact_file_count(const struct pm_redact_file *f);

/*
 * The list field args of a process (perfmon-tsv(5)); exename, escaped, may be NULL. Returns how
 * many secrets were replaced, with *out the new list, to be freed, where there were some; -1
 * without memory.
 */
int64_t pm_redact_args(const char *exename, const char *args, char **out);

/* The field tags of a process, and an escaped text of any meaning, as pm_redact_args. */
int64_t pm_redact_field(const char *field, char **out);
int64_t pm_redact_tags_field(const char *tags, char **out);

/* Redact a line of unknown format. As pm_redact_args, with *n the length of *out. */
int64_t pm_redact_line(const char *line, size_t len, char **out, size_t *n);

#endif
