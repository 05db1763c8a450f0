/* Copy files. */
#include "config.h"

#include "common/filecopy.h"

#include "common/writeall.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes at a time. */
#define PART (256 * 1024)

int pm_filecopy(int from, int to)
{
	char *part = malloc(PART);
	ssize_t n = 0;
	int why;

	if (!part || lseek(from, 0, SEEK_SET) < 0)
		n = -1;
	while (n >= 0 && (n = read(from, part, PART)) > 0)
		if (pm_write_all(to, part, (size_t)n) < 0)
			n = -1;
	why = errno;
	free(part);
	errno = why;
	return n < 0 ? -1 : 0;
}
