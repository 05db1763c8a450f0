/* What the verb export writes of whole jobs into one file. */
#include "config.h"

#include "export/allexport.h"

#include "export/format.h"
#include "export/hdf5_job.h"
#include "export/otherformat.h"
#include "export/target.h"

#include "analysis/select/retired.h"
#include "report/retired.h"
#include "report/select.h"

#include <string.h>

/* What is written so far. */
struct all {
	const struct pm_cli *cli;
	const char *path;
	struct pm_export_target out;
	struct pm_hdf5 *file;
	int64_t retired; /* jobs whose processes were */
	struct pm_hdf5_faults faults;
};

/* Check that the options fit. Returns 0, or -1 with e filled. */
static int check_usage(const struct all *x, struct pm_err *e)
{
	static const bool fits[PM_OPTIONS] = {
		[PM_OPT_job] = true,   [PM_OPT_file] = true,    [PM_OPT_format] = true,
		[PM_OPT_quiet] = true, [PM_OPT_verbose] = true,
	};
	const struct pm_cli *cli = x->cli;
	const char *format = cli->value[PM_OPT_format];

	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && !fits[o])
			return pm_err(e, "export all: --%s is for rows; this is of whole jobs",
				      pm_option_info[o].name);
	if (cli->argc > 1 && cli->value[PM_OPT_job])
		return pm_err(e, "export all: jobs as operands or by --job, not both");
	if (format ? strcmp(format, pm_export_hdf5.name) != 0
		   : pm_export_format_of(x->path) != &pm_export_hdf5)
		return pm_otherformat_explain(cli, x->path, e)
			       ? -1
			       : pm_err(e, "export all: whole jobs are written as hdf5 alone: name "
					   "a file that "
					   "ends in .h5 with -o, or use --format hdf5");
	return 0;
}

/* Open the file. Returns 0, or -1 with e filled. */
static int begin(struct all *x, struct pm_err *e)
{
	if (pm_hdf5_check(e) < 0 || pm_export_target_open(&x->out, x->path, false, x->cli->argv + 1,
							  (size_t)x->cli->argc - 1, e) < 0)
		return -1;
	x->file = pm_hdf5_new(x->out.f, e);
	if (!x->file)
		return -1;
	return pm_hdf5_note_text(x->file, pm_hdf5_root(x->file), "perfmon", PACKAGE_VERSION, e);
}

/* Write a job, NULL for the one without an operand; with the first comes what is the same for all.
 * Returns 0, or -1 with e filled. */
static int write_job(struct all *x, const char *job, struct pm_err *e)
{
	struct pm_selection s = { .db = NULL };
	int64_t retired = 0;
	int rc = pm_select_job(x->cli, job, &s, e);

	if (rc == 0 && !x->file) {
		rc = begin(x, e);
		if (rc == 0)
			rc = pm_hdf5_job_metrics(x->file, s.db, &x->faults, e);
	}
	if (rc == 0)
		rc = pm_hdf5_job_write(x->file, s.db, s.job, x->cli, &x->faults, e);
	if (rc == 0)
		rc = pm_retired_among(s.db, &s.job, 1, &retired, e);
	x->retired += retired;
	pm_select_close(&s);
	return rc;
}

/* Complete the file. Returns 0, or -1 with e filled, which tells of faults of what was written,
 * too. */
static int finish(struct all *x, struct pm_err *e)
{
	const struct pm_hdf5_faults *f = &x->faults;

	if (pm_hdf5_finish(x->file, e) < 0)
		return pm_err_prefix(e, "%s", x->path);
	if (pm_export_target_commit(&x->out, e) < 0)
		return -1;
	pm_retired_warn(x->retired);
	if (f->damaged)
		return pm_err(e,
			      "%zu blocks of samples could not be read and are left out, such as: "
			      "%s",
			      f->damaged, f->damage.text);
	return f->odd ? pm_err(e,
			       "%zu values are not of the type of their column: the database is "
			       "damaged, or was edited",
			       f->odd)
		      : 0;
}

int pm_allexport(const struct pm_cli *cli, struct pm_err *e)
{
	struct all x = { .cli = cli,
			 .path = cli->value[PM_OPT_file] ? cli->value[PM_OPT_file] : "-" };
	int rc;

	if (check_usage(&x, e) < 0)
		return PM_EXIT_USAGE;
	rc = write_job(&x, cli->argc > 1 ? cli->argv[1] : NULL, e);
	for (int i = 2; rc == 0 && i < cli->argc; i++)
		if (!pm_cli_repeats(cli, 1, i))
			rc = write_job(&x, cli->argv[i], e);
	if (rc == 0)
		rc = finish(&x, e);
	pm_hdf5_free(x.file);
	pm_export_target_abandon(&x.out);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
