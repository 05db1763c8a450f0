/* Texts written by open_memstream(3). Programs only. */
#ifndef PM_MEMTEXT_H
#define PM_MEMTEXT_H

#include <stdio.h>

/*
 * Close the stream of a text. Returns the text, which is the caller's; or NULL with errno ENOMEM,
 * the text freed and *text NULL, if any of it is missing: after a failed allocation the stream
 * drops data, yet fclose(3) succeeds.
 */
char *pm_memtext_end(FILE *stream, char **text);

#endif
