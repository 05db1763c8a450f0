/* perfmon sample: the command line of the sampler. */
#include "config.h"

#include "common/config.h"
#include "common/config_parse.h"
#include "common/log.h"
#include "common/tsv.h"
#include "common/verb.h"
#include "sampler/loop.h"

#include <limits.h>
#include <string.h>

/* Without --interval and the setting sample. */
#define DEFAULT_INTERVAL_US 1000000

/* Below this the sampler would do little else. */
#define MIN_INTERVAL_US 10000

static int parse_interval(const struct pm_cli *cli, int64_t *us, struct pm_err *e)
{
	const char *text = cli->value[PM_OPT_interval];

	*us = pm_config_int(PM_SET_sample);
	if (text && pm_duration_parse(text, us, e) < 0)
		return pm_err_prefix(e, "--interval");
	if (!text && *us <= 0)
		*us = DEFAULT_INTERVAL_US;
	if (*us < MIN_INTERVAL_US)
		return pm_err(e, "--interval: at least %d ms", MIN_INTERVAL_US / 1000);
	return 0;
}

static int parse_pid(const struct pm_cli *cli, pid_t *pid, struct pm_err *e)
{
	const char *text = cli->value[PM_OPT_pid];
	int64_t number;

	*pid = 0;
	if (!text)
		return 0;
	if (pm_tsv_number(text, strlen(text), &number) < 0 || number <= 0 || number > INT_MAX)
		return pm_err(e, "--pid: '%s' is not a process id", text);
	*pid = (pid_t)number;
	return 0;
}

int pm_verb_sample(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_loop_options options = {
		.root = pm_config_get(PM_SET_root),
		.directory = cli->value[PM_OPT_directory],
	};

	if (cli->argc) {
		pm_err(e, "sample takes no operands: '%s'", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	if (parse_interval(cli, &options.interval_us, e) < 0 ||
	    parse_pid(cli, &options.pid, e) < 0 ||
	    pm_source_select(cli->value[PM_OPT_sources], options.selected, e) < 0)
		return PM_EXIT_USAGE;
	if (cli->given[PM_OPT_dry_run]) {
		pm_info("would sample every %lld us", (long long)options.interval_us);
		return PM_EXIT_OK;
	}
	return pm_loop_run(&options, e) < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
