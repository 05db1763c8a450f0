/* Numbers as text. */
#include "config.h"

#include "export/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t pm_export_integer(char s[PM_EXPORT_NUMBER], int64_t v)
{
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char digits[PM_EXPORT_NUMBER];
	size_t n = 0, at = 0;

	do
		digits[n++] = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		s[at++] = '-';
	while (n > 0)
		s[at++] = digits[--n];
	s[at] = '\0';
	return at;
}

size_t pm_export_real(char s[PM_EXPORT_NUMBER], double v)
{
	int n = 0;

	if (isnan(v))
		n = snprintf(s, PM_EXPORT_NUMBER, "nan");
	else if (isinf(v))
		n = snprintf(s, PM_EXPORT_NUMBER, v < 0 ? "-inf" : "inf");
	else
		for (int digits = 15; digits <= 17; digits++) {
			n = snprintf(s, PM_EXPORT_NUMBER, "%.*g", digits, v);
			if (strtod(s, NULL) == v)
				break;
		}
	/* It stays a real number for whoever reads it. */
	if (isfinite(v) && !strpbrk(s, ".e")) {
		memcpy(s + n, ".0", 3);
		n += 2;
	}
	return (size_t)n;
}
