/* Print the critical path of a job. */
#include "config.h"

#include "report/show/show_path.h"

#include "report/job/pathprint.h"
#include "report/print/format.h"
#include "report/print/values.h"

static int print_text(const struct pm_page *p, const struct pm_criticalpath *path, int64_t limit)
{
	char wall[PM_FORMAT_MAX], steps[PM_FORMAT_MAX];

	if (path->retired) {
		fputs("no critical path: the processes of the job were retired\n", p->f);
		return 0;
	}
	if (path->steps == 0) {
		fputs("no critical path: neither the job nor its processes have both a start and "
		      "an "
		      "end\n",
		      p->f);
		return 0;
	}
	fprintf(p->f, "Critical path: %s in %s\n\n",
		pm_format_duration(wall, path->end_us - path->start_us),
		pm_format_things(steps, (int64_t)path->steps, "step"));
	if (pm_pathprint_programs(p, path, limit) < 0)
		return -1;
	fputc('\n', p->f);
	if (pm_pathprint_steps(p, path, limit) < 0)
		return -1;
	fputc('\n', p->f);
	pm_pathprint_notes(p, path);
	return 0;
}

int pm_show_path(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit, bool json,
		 struct pm_err *e)
{
	struct pm_criticalpath path;
	int rc = pm_criticalpath_read(&path, db, job, json || p->utf8, e);

	if (rc == 0 && json)
		rc = pm_values_dump(pm_pathprint_json(&path, limit), e);
	else if (rc == 0 && print_text(p, &path, limit) < 0)
		rc = pm_err(e, "print a table: out of memory");
	pm_criticalpath_free(&path);
	return rc;
}
