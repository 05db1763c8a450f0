/* Edit distance of two names. */
#include "config.h"

#include "common/edits.h"

#include <ctype.h>
#include <string.h>

size_t pm_edits(const char *a, const char *b, size_t limit)
{
	size_t n = strlen(a), m = strlen(b), row[PM_EDITS_MAX + 1];

	if (n >= PM_EDITS_MAX || m >= PM_EDITS_MAX || n > m + limit || m > n + limit)
		return limit + 1;
	for (size_t k = 0; k <= m; k++)
		row[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			size_t replaced = corner + (tolower((unsigned char)a[i - 1]) !=
						    tolower((unsigned char)b[k - 1]));
			size_t shorter = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;

			corner = row[k];
			row[k] = replaced < shorter ? replaced : shorter;
		}
	}
	return row[m];
}
