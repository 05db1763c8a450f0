/* The healthy job of advice.h on two hosts. */
#ifndef PM_TESTS_UNIT_REPORT_HOSTS_H
#define PM_TESTS_UNIT_REPORT_HOSTS_H

#include "tests/unit/report/advice.h"

#include <math.h>

#define SILENT_OF(rule) ck_assert_ptr_null(strstr(said(), rule))

/* Two hosts of 4 CPUs each, equally busy. */
static struct pm_fact_host hosts[3];

static void two_hosts(void)
{
	pm_facts_init(&f, 1);
	healthy();
	for (size_t i = 0; i < 3; i++) {
		struct pm_fact_host *h = &hosts[i];

		*h = (struct pm_fact_host){ .cpus_online = 4,
					    .cpus_allowed = 4,
					    .cpus_allocated = PM_UNKNOWN,
					    .cpu_us = 360LL * S,
					    .oncpu_us = 360LL * S,
					    .waiting_us = 10LL * S,
					    .frequency_hz = 3e9,
					    .memory = 16000000000,
					    .memory_limit = PM_UNKNOWN,
					    .rss = 2000000000,
					    .rss_peak = PM_UNKNOWN,
					    .group_limit = PM_UNKNOWN,
					    .group_anonymous = PM_UNKNOWN,
					    .id = (int64_t)i + 1 };
		snprintf(h->name, sizeof h->name, "n%zu", i);
		for (int k = 0; k < PM_NODESUMMARIES; k++)
			h->summary[k] = NAN;
	}
	f.host = hosts;
	f.hosts = 2;
	f.hosts_count = 2;
}

#endif
