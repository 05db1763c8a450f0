/* Blocks of a tar archive, for builds without libtar. */
#include "config.h"

#include "submit/input/tarblocks.h"

#ifndef HAVE_LIBTAR

#include <stdlib.h>

/* Offset and length of the check sum field, which is summed as blanks (POSIX.1, pax, "ustar
 * Interchange Format"). */
enum { SUM = 148, SUM_LEN = 8 };

struct pm_tarblocks {
	pm_tarblocks_fn *read;
	void *ctx;
	char header[PM_TARBLOCKS_SIZE];
};

struct pm_tarblocks *pm_tarblocks_open(const char *path, pm_tarblocks_fn *read, void *ctx)
{
	struct pm_tarblocks *t = calloc(1, sizeof *t);

	(void)path;
	if (t) {
		t->read = read;
		t->ctx = ctx;
	}
	return t;
}

ssize_t pm_tarblocks_read(struct pm_tarblocks *t, char p[PM_TARBLOCKS_SIZE])
{
	return t->read(t->ctx, p, PM_TARBLOCKS_SIZE);
}

char *pm_tarblocks_header(struct pm_tarblocks *t)
{
	return t->header;
}

bool pm_tarblocks_sums(struct pm_tarblocks *t, int sum)
{
	int of_unsigned = 0, of_signed = 0;

	for (int i = 0; i < PM_TARBLOCKS_SIZE; i++) {
		char c = i >= SUM && i < SUM + SUM_LEN ? ' ' : t->header[i];

		of_unsigned += (unsigned char)c;
		of_signed += (signed char)c;
	}
	return sum == of_unsigned || sum == of_signed;
}

void pm_tarblocks_close(struct pm_tarblocks *t)
{
	free(t);
}

#endif
