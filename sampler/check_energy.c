/* perfmon check: whether the sampler can read energy. */
#include "config.h"

#include "common/cli/check.h"
#include "common/settings/readconfig.h"
#include "sampler/probe.h"

#include <stdlib.h>
#include <string.h>

void pm_check_kernel_energy(struct pm_check *c)
{
	const struct pm_target target = { .root = pm_config_get(PM_SET_root) };
	struct pm_probe probe;
	char *remedy;

	pm_probe_run(&pm_source_rapl, &target, &probe);
	free(probe.devices);
	/* "why; what to do" */
	remedy = probe.available ? NULL : strstr(probe.why.err.text, "; ");
	if (remedy)
		*remedy = '\0';
	if (probe.available)
		pm_check_report(c, PM_CHECK_PASS, "",
				"the sampler can read the energy of processors");
	else if (probe.why.reason == PM_REASON_permission)
		pm_check_report(c, PM_CHECK_WARN, remedy ? remedy + 2 : "",
				"the sampler cannot read the energy of processors: %s",
				probe.why.err.text);
	else
		pm_check_report(c, PM_CHECK_PASS, "",
				"nothing here tells the energy of processors: %s",
				probe.why.err.text);
}
