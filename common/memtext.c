/* Texts written by open_memstream(3). */
#include "config.h"

#include "common/memtext.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

char *pm_memtext_end(FILE *stream, char **text)
{
	bool whole = fflush(stream) == 0 && !ferror(stream);

	if (fclose(stream) == 0 && whole && *text)
		return *text;
	free(*text);
	*text = NULL;
	errno = ENOMEM;
	return NULL;
}
