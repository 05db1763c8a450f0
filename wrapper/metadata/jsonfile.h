/* Read and write JSON documents whole through descriptors: jansson's own functions make a system
 * call per byte. */
#ifndef PM_WRAPPER_METADATA_JSONFILE_H
#define PM_WRAPPER_METADATA_JSONFILE_H

#include "common/err.h"

#include <jansson.h>

/* Largest document that is read, bytes: far more than start writes, and small enough for memory. */
#define PM_JSONFILE_MAX (16 << 20)

/* Read a document from a regular file. Returns the document, for the caller to decref, or NULL with
 * e filled: not a regular file, too large, not JSON. */
json_t *pm_jsonfile_read(int fd, struct pm_err *e);

/* Write a document and a newline, and sync the file. Returns 0 or -1 with errno. */
int pm_jsonfile_write(int fd, const json_t *doc, size_t flags);

#endif
