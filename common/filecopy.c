/* Copy files. */
#include "config.h"

#include "common/filecopy.h"

#include "common/writeall.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes at a time. */
#define PART (256 * 1024)

/* Copy up to `most` bytes. Returns how many there were, or -1 with errno. */
static off_t copy(int from, int to, off_t most)
{
	char *part = malloc(PART);
	off_t done = 0;
	ssize_t n = 1;
	int why;

	if (!part || lseek(from, 0, SEEK_SET) < 0)
		n = -1;
	while (n > 0 && done < most) {
		n = read(from, part, most - done < PART ? (size_t)(most - done) : PART);
		if (n > 0 && pm_write_all(to, part, (size_t)n) < 0)
			n = -1;
		done += n > 0 ? n : 0;
	}
	why = errno;
	free(part);
	errno = why;
	return n < 0 ? -1 : done;
}

int pm_filecopy(int from, int to)
{
	return copy(from, to, INT64_MAX) < 0 ? -1 : 0;
}

int pm_filecopy_part(int from, int to, off_t n)
{
	const off_t done = copy(from, to, n);

	if (done == n)
		return 0;
	if (done >= 0)
		errno = ENODATA;
	return -1;
}
