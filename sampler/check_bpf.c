/* perfmon check: whether the sampler can take a census. */
#include "config.h"

#include "common/cli/check.h"
#include "sampler/tree/census.h"

void pm_check_kernel_bpf(struct pm_check *c)
{
	struct pm_census *census = pm_census_open();
	struct pm_err e = { "out of memory" };

	if (census && pm_census_prepare(census, &e) == 0)
		pm_check_report(c, PM_CHECK_PASS, "",
				"the sampler can read all processes at once with BPF");
	else
		pm_check_report(c, PM_CHECK_PASS, "",
				"the sampler reads processes one by one from /proc: %s", e.text);
	pm_census_close(census);
}
