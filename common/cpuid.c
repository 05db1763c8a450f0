/* Identities of processors. */
#include "config.h"

#include "common/cpuid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of the first line "key<blanks>: value", up to the end of the line; NULL without one. */
static const char *find_value(const char *text, const char *key)
{
	const size_t n = strlen(key);

	while (text) {
		const char *p = text + n;

		if (strncmp(text, key, n) == 0) {
			p += strspn(p, " \t");
			if (*p == ':')
				return p + 1 + strspn(p + 1, " \t");
		}
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return NULL;
}

int pm_cpuid(const char *cpuinfo, char id[PM_CPUID_MAX])
{
	static const char *const key[] = { "cpu family", "model", "stepping" };
	const char *vendor = find_value(cpuinfo, "vendor_id");
	unsigned long n[3];
	size_t vendor_n;

	if (!vendor)
		return -1;
	for (size_t i = 0; i < 3; i++) {
		const char *value = find_value(cpuinfo, key[i]);
		char *end;

		if (!value)
			return -1;
		n[i] = strtoul(value, &end, 10);
		if (end == value)
			return -1;
	}
	vendor_n = strcspn(vendor, "\n");
	if (vendor_n > PM_CPUID_MAX - 64)
		return -1;
	snprintf(id, PM_CPUID_MAX, "%.*s-%lu-%lX-%lX", (int)vendor_n, vendor, n[0], n[1], n[2]);
	return 0;
}
