/* Texts written by open_memstream(3). Programs only. */
#ifndef PM_COMMON_MEMTEXT_H
#define PM_COMMON_MEMTEXT_H

#include <stdio.h>

/*
 * Close a stream of open_memstream(3) and return its text, which the caller frees. If the stream
 * lost data for lack of memory, which fclose(3) does not report, free the text, set *text to NULL
 * and return NULL with errno ENOMEM.
 */
char *pm_memtext_end(FILE *stream, char **text);

#endif
