/* JSON through descriptors in one piece: jansson's own functions take a system call per byte. */
#ifndef PM_WRAPPER_JSONFILE_H
#define PM_WRAPPER_JSONFILE_H

#include "common/err.h"

#include <jansson.h>

/* Largest document that is read: far above what start writes, far below what hurts. */
#define PM_JSONFILE_MAX (16 << 20)

/* Read a document from a regular file. Returns it, for the caller to decref, or NULL with e
 * filled: not regular, too large, not JSON. */
json_t *pm_jsonfile_read(int fd, struct pm_err *e);

/* Write a document and a newline, and see both on disk. Returns 0 or -1 with errno. */
int pm_jsonfile_write(int fd, const json_t *doc, size_t flags);

/* Write n bytes whatever interrupts it. Returns 0 or -1 with errno. */
int pm_jsonfile_write_all(int fd, const char *p, size_t n);

#endif
