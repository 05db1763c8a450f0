/* perfmon config: print every setting with its value and the value's origin. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "wrapper/metadata/metadata.h"

#include <jansson.h>
#include <stdio.h>

static void print_json(void)
{
	json_t *all = json_object();
	char value[8192];

	for (int s = 0; s < PM_SETTINGS; s++) {
		const struct pm_setting_info *info = &pm_setting_info[s];
		json_t *one = json_object();

		pm_redact_url(pm_config_get((enum pm_setting)s), value, sizeof value);
		json_object_set_new(one, "value", pm_metadata_string(value));
		json_object_set_new(one, "origin",
				    pm_metadata_string(pm_config_origin((enum pm_setting)s)));
		json_object_set_new(one, "default", json_string(info->def));
		json_object_set_new(one, "option", json_string(info->option));
		json_object_set_new(one, "environment", json_string(info->env));
		json_object_set_new(one, "help", json_string(info->help));
		json_object_set_new(all, info->name, one);
	}
	json_dumpf(all, stdout, JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(all);
}

int pm_verb_config(const struct pm_cli *cli, struct pm_err *e)
{
	char value[8192];

	if (cli->argc > 0) {
		pm_err(e, "config takes no operand");
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_json]) {
		print_json();
		return PM_EXIT_OK;
	}
	for (int s = 0; s < PM_SETTINGS; s++) {
		pm_redact_url(pm_config_get((enum pm_setting)s), value, sizeof value);
		pm_terminal_print(stdout, "%s = %s  # %s\n", pm_setting_info[s].name, value,
				  pm_config_origin((enum pm_setting)s));
	}
	return PM_EXIT_OK;
}
