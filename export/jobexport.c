/* What the verb export writes of one job as a whole. */
#include "config.h"

#include "export/jobexport.h"

#include "export/jobfile.h"

#include "common/log.h"
#include "analysis/select/retired.h"
#include "export/target.h"
#include "report/retired.h"
#include "report/select.h"

#include <string.h>

#define TRACE  "trace"
#define FOLDED "folded"

bool pm_jobexport_knows(const char *kind)
{
	return strcmp(kind, TRACE) == 0 || strcmp(kind, FOLDED) == 0;
}

/* Check that the options fit the kind. Returns 0, or -1 with e filled. */
static int check_usage(const struct pm_cli *cli, struct pm_err *e)
{
	static const bool fits[PM_OPTIONS] = {
		[PM_OPT_job] = true,   [PM_OPT_file] = true,    [PM_OPT_measure] = true,
		[PM_OPT_quiet] = true, [PM_OPT_verbose] = true,
	};
	const char *kind = cli->argv[0], *measure = cli->value[PM_OPT_measure];

	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && !fits[o])
			return pm_err(e, "export %s: --%s is for rows; this is of one job", kind,
				      pm_option_info[o].name);
	if (cli->argc > 2 || (cli->argc > 1 && cli->value[PM_OPT_job]))
		return pm_err(e, "export %s: name one job", kind);
	if (measure && strcmp(kind, FOLDED) != 0)
		return pm_err(e, "export %s: --measure is for folded", kind);
	if (measure && strcmp(measure, "cpu") != 0 && strcmp(measure, "wall") != 0 &&
	    strcmp(measure, "io") != 0)
		return pm_err(e, "export folded: --measure is one of " PM_EXPORT_MEASURES);
	return 0;
}

int pm_jobexport(const struct pm_cli *cli, struct pm_err *e)
{
	const char *path = cli->value[PM_OPT_file] ? cli->value[PM_OPT_file] : "-";
	const char *measure = cli->value[PM_OPT_measure] ? cli->value[PM_OPT_measure] : "cpu";
	const bool folded = strcmp(cli->argv[0], FOLDED) == 0;
	struct pm_selection s = { .db = NULL };
	struct pm_export_target out = { .f = NULL };
	struct pm_trace_gaps gaps = { .unknown = 0 };
	int64_t retired = 0;
	int rc;

	if (check_usage(cli, e) < 0)
		return PM_EXIT_USAGE;
	rc = pm_select_job(cli, cli->argc > 1 ? cli->argv[1] : NULL, &s, e);
	if (rc == 0)
		rc = pm_export_target_open(&out, path, false, cli->argv + 1, (size_t)cli->argc - 1,
					   e);
	if (rc == 0)
		rc = folded ? pm_export_folded(out.f, s.db, s.job, measure, &gaps.unknown, e)
			    : pm_export_trace(out.f, s.db, s.job, &gaps, e);
	if (rc == 0)
		rc = pm_export_target_commit(&out, e);
	if (rc == 0)
		rc = pm_retired_among(s.db, &s.job, 1, &retired, e);
	pm_export_target_abandon(&out);
	pm_select_close(&s);
	pm_retired_warn(retired);
	if (rc == 0 && gaps.unknown > 0)
		pm_warn("%lld %s are left out, since their %s not known", (long long)gaps.unknown,
			folded ? "processes" : "processes, threads and phases",
			folded ? "use is" : "starts are");
	if (rc == 0 && gaps.damaged > 0)
		rc = pm_err(e,
			    "%zu blocks of samples could not be read and are left out, such as: %s",
			    gaps.damaged, gaps.damage.text);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
