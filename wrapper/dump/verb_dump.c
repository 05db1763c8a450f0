/* perfmon dump: print job metadata as `key value` lines or JSON. */
#include "config.h"

#include "wrapper/dump/dump.h"
#include "wrapper/metadata/metadata.h"

#include <stdio.h>

int pm_verb_dump(const struct pm_cli *cli, struct pm_err *e)
{
	json_t *all, *doc;
	size_t i;

	if (cli->argc > 1) {
		pm_err(e, "dump takes one job, directory or file");
		return PM_EXIT_USAGE;
	}
	all = pm_dump_read(cli, e);
	if (!all)
		return PM_EXIT_FAILED;
	if (cli->value[PM_OPT_key]) {
		struct pm_err why;

		if (pm_dump_key(all, cli->value[PM_OPT_key], cli->given[PM_OPT_json], &why) < 0)
			*e = why;
	} else if (cli->given[PM_OPT_json]) {
		/* Print the document of one host, the usual case, and an array for several hosts.
		 */
		doc = json_array_size(all) == 1 ? json_array_get(all, 0) : all;
		json_dumpf(doc, stdout, JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
	} else {
		json_array_foreach (all, i, doc)
			pm_dump_lines(doc, json_array_size(all) > 1
						   ? pm_metadata_get_text(doc, PM_JOB_host_hostname)
						   : NULL);
	}
	json_decref(all);
	return e->text[0] ? PM_EXIT_FAILED : PM_EXIT_OK;
}
