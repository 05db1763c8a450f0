/* Programs of a job in the database: computed from its processes, written, given other labels. */
#include "config.h"

#include "db/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What pm_program_process consists of. */
static const char processes_sql[] =
	"SELECT p.exename, p.args, p.thread_name, p.end_reason, p.last_call, p.exitcode,"
	" p.exitsignal, p.numtids, p.num_threads, CASE WHEN p.generation = 0 AND p.end_reason ="
	" 'exec' THEN CASE WHEN EXISTS (SELECT 1 FROM process q WHERE q.job_id = ? AND q.id"
	" = p.parent_id AND q.path = p.path AND COALESCE(q.args, '') = COALESCE(p.args, '')) THEN 1"
	" ELSE 0 END ELSE 0 END, p.cpu_time, p.systemtime, p.duration_us, p.rssmax, p.rchar,"
	" p.wchar, p.syscr, p.syscw, p.read_bytes, p.write_bytes FROM process p WHERE p.job_id = ?";

/* The values that it has, in this order. */
static const enum pm_program_value read_values[] = {
	PM_PROGRAM_CPU,   PM_PROGRAM_SYSTEM, PM_PROGRAM_DURATION, PM_PROGRAM_RSS,  PM_PROGRAM_RCHAR,
	PM_PROGRAM_WCHAR, PM_PROGRAM_SYSCR,  PM_PROGRAM_SYSCW,    PM_PROGRAM_READ, PM_PROGRAM_WRITE,
};

static struct pm_str text_of(struct pm_stmt *q, int i)
{
	struct pm_str s = { NULL, 0 };

	s.p = pm_db_text(q, i, &s.n);
	return s;
}

static int64_t number_of(struct pm_stmt *q, int i)
{
	return pm_db_is_null(q, i) ? PM_PROGRAM_UNKNOWN : pm_db_int(q, i);
}

int pm_programs_query(struct pm_programs *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, processes_sql, &q, e) < 0)
		return -1;
	/* Twice, so that PostgreSQL looks into no partition but the job's. */
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_program_process p = {
			.exename = text_of(q, 0),
			.args = text_of(q, 1),
			.comm = text_of(q, 2),
			.end_reason = text_of(q, 3),
			.last_call = text_of(q, 4),
			.exitcode = number_of(q, 5),
			.exitsignal = number_of(q, 6),
			.numtids = number_of(q, 7),
			.num_threads = number_of(q, 8),
			.copy = pm_db_int(q, 9) != 0,
		};

		for (size_t i = 0; i < sizeof read_values / sizeof read_values[0]; i++)
			p.value[read_values[i]] = number_of(q, 10 + (int)i);
		if (pm_programs_add(s, &p) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "group processes by program") : 0;
}

void pm_programs_take(struct pm_program *p, struct pm_stmt *q, int at)
{
	size_t n;
	const char *label = pm_db_text(q, at++, &n);

	memset(p, 0, sizeof *p);
	/* A row that perfmon did not write may have any label. */
	if (label)
		memcpy(p->label, label, n < sizeof p->label ? n : sizeof p->label - 1);
	for (int i = 0; i < PM_PROGRAM_COUNTS; i++)
		p->count[i] = pm_db_int(q, at++);
	for (int i = 0; i < PM_PROGRAM_VALUES; i++)
		p->value[i] = number_of(q, at++);
}

static int write_rows(struct pm_db *db, int64_t job, const struct pm_program *row, size_t n,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_insert(db, "program_summary", false, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++) {
		int at = 1;

		pm_db_bind_int(q, at++, job);
		pm_db_bind_str(q, at++, row[i].label);
		for (int k = 0; k < PM_PROGRAM_COUNTS; k++)
			pm_db_bind_int(q, at++, row[i].count[k]);
		for (int k = 0; k < PM_PROGRAM_VALUES; k++, at++)
			if (row[i].value[k] != PM_PROGRAM_UNKNOWN)
				pm_db_bind_int(q, at, row[i].value[k]);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc;
}

int pm_programs_write(const struct pm_programs *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	size_t n;
	struct pm_program *row = pm_programs_rows(s, &n);
	int rc = row ? write_rows(db, job, row, n, e) : pm_err(e, "out of memory");

	free(row);
	return rc < 0 ? pm_err_prefix(e, "write programs") : 0;
}

static int delete_rows(struct pm_db *db, int64_t job, struct pm_err *e)
{
	return pm_db_run_about(db, "DELETE FROM program_summary WHERE job_id = ?", job, e);
}

int pm_programs_renew(struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_programs *s = pm_programs_new();
	int rc = s ? pm_programs_query(s, db, job, e) : pm_err(e, "out of memory");

	if (rc == 0)
		rc = delete_rows(db, job, e);
	if (rc == 0)
		rc = pm_programs_write(s, db, job, e);
	pm_programs_free(s);
	return rc;
}

/* Read the rows of a job, change their labels, and put them into `s`. Returns the number of
 * changes, or -1 with e filled. */
static int64_t read_changed(struct pm_programs *s, struct pm_db *db, int64_t job,
			    int (*change)(char label[PM_PROCESSNAME_MAX], struct pm_err *e),
			    struct pm_err *e)
{
	char sql[512];
	struct pm_stmt *q;
	int64_t count = 0;
	int rc;

	snprintf(sql, sizeof sql, "SELECT %s FROM program_summary WHERE job_id = ?",
		 pm_programs_columns);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_program row;
		int changes;

		pm_programs_take(&row, q, 0);
		changes = change(row.label, e);
		rc = changes < 0 ? -1 : pm_programs_put(s, &row);
		if (rc < 0 && changes >= 0)
			pm_err(e, "out of memory");
		if (rc < 0)
			break;
		count += changes;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : count;
}

int64_t pm_programs_relabel(struct pm_db *db, int64_t job,
			    int (*change)(char label[PM_PROCESSNAME_MAX], struct pm_err *e),
			    struct pm_err *e)
{
	struct pm_programs *s = pm_programs_new();
	int64_t count = s ? read_changed(s, db, job, change, e) : pm_err(e, "out of memory");

	if (count > 0 && (delete_rows(db, job, e) < 0 || pm_programs_write(s, db, job, e) < 0))
		count = -1;
	pm_programs_free(s);
	return count;
}
