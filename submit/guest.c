/* The user of the file being read. */
#include "config.h"

#include "submit/guest.h"

#include <string.h>

int64_t pm_guest_named(const char *file, struct pm_str hostname)
{
	const char *digits = file + hostname.n + 1;
	size_t n;
	int64_t uid;

	if (hostname.n == 0 || strncmp(file, hostname.p, hostname.n) != 0 ||
	    file[hostname.n] != '-')
		return -1;
	n = strspn(digits, "0123456789");
	if (digits[n] != '.' || pm_tsv_number(digits, n, &uid) < 0 || uid > UINT32_MAX)
		return -1;
	return uid;
}

void pm_guest_enter(struct pm_guests *g, int64_t uid)
{
	uint8_t i = 0;

	g->now = 0;
	if (uid < 0)
		return;
	while (i < g->count && g->uid[i] != (uint32_t)uid)
		i++;
	if (i == g->count && i < PM_GUESTS_MAX)
		g->uid[g->count++] = (uint32_t)uid;
	g->now = (uint8_t)(i + 1);
}
