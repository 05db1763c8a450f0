/* Tell a file's kind by its name. */
#include "config.h"

#include "submit/job/gather.h"

#include "common/record/phase.h"
#include "common/safe/tally.h"

#include <fnmatch.h>

enum pm_file_kind pm_gather_kind(const char *name)
{
	if (pm_foreign_kind(name) == PM_FOREIGN_PICKLE)
		return PM_FILE_META;
	if (pm_foreign_kind(name) != PM_FOREIGN_NONE)
		return PM_FILE_FOREIGN;
	/* A leading dot marks a temporary file of perfmon's, or a foreign file. */
	if (fnmatch("job-*.json", name, FNM_PERIOD) == 0)
		return PM_FILE_META;
	if (fnmatch("*.tsv", name, FNM_PERIOD) == 0)
		return PM_FILE_RECORDS;
	if (fnmatch("*.series", name, FNM_PERIOD) == 0)
		return PM_FILE_SERIES;
	if (fnmatch("*" PM_PHASE_SUFFIX, name, FNM_PERIOD) == 0)
		return PM_FILE_PHASES;
	if (fnmatch("*" PM_TALLY_SUFFIX, name, FNM_PERIOD) == 0)
		return PM_FILE_TALLY;
	return PM_FILE_OTHER;
}

bool pm_gather_kind_merges(enum pm_file_kind kind)
{
	return kind == PM_FILE_RECORDS || kind == PM_FILE_SERIES || kind == PM_FILE_PHASES ||
	       kind == PM_FILE_FOREIGN;
}
