/* Texts written by open_memstream(3). Programs only. */
#ifndef PM_MEMTEXT_H
#define PM_MEMTEXT_H

#include <stdio.h>

/*
 * Close the stream of a text. Returns the text, which is the caller's; or NULL with errno ENOMEM,
 * the text freed and *text NULL, where any of it is missing: without memory in between the stream
 * drops what is written, and fclose(3) succeeds all the same.
 */
char *pm_memtext_end(FILE *stream, char **text);

#endif
