/* Whether tests can have the kernel tell about processes. */
#ifndef PM_TESTS_UNIT_SAMPLER_CENSUS_H
#define PM_TESTS_UNIT_SAMPLER_CENSUS_H

#include "sampler/tree/census.h"

#include <check.h>
#include <stdio.h>

/* One that can be taken at once. */
__attribute__((unused)) static struct pm_census *census_make(void)
{
	struct pm_census *c = pm_census_open();
	struct pm_err e = { "out of memory" };

	if (!c || pm_census_prepare(c, &e) < 0)
		ck_abort_msg("%s", e.text);
	return c;
}

/* Tells why not. */
static bool census_can_be_taken(void)
{
	struct pm_census *c = pm_census_open();
	struct pm_err e = { "out of memory" };
	const bool can = c && pm_census_prepare(c, &e) == 0;

	if (!can)
		printf("# no census: %s\n", e.text);
	fflush(stdout);
	pm_census_close(c);
	return can;
}

#endif
