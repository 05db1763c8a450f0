/* Check rows against the data they were computed from. */
#include "config.h"

#include "submit/rows/verify.h"

#include "common/digest.h"
#include "common/memtext.h"
#include "common/now.h"
#include "db/erase.h"
#include "db/foreignkeys.h"
#include "db/integrity.h"
#include "submit/rows/files.h"
#include "submit/rows/jobsummary.h"
#include "submit/rows/tagrow.h"
#include "submit/rows/verify_energy.h"
#include "submit/rows/verify_rollups.h"
#include "submit/rows/verify_samples.h"
#include "submit/rows/verify_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative difference up to which two ratios are equal: engines add in different orders. */
#define EPSILON 1e-9

struct verify {
	struct pm_db *db;
	int64_t job;
	pm_verify_fn *each;
	void *ctx;
};

/* A check in SQL. The query returns the row, what it has and what it should have. A parameter after
 * '>' is the latest acceptable time, any other is the job. */
struct check {
	const char *check;
	const char *sql;
};

/* Tolerance for times in the future, since clocks of hosts differ. */
#define AHEAD_US ((int64_t)3600 * 1000000)

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define EARLIEST        TEXT(PM_VERIFY_EARLIEST_US)

/* Check that times of a table's rows are in order, and between the year 2000 and now. */
/* clang-format off */
#define ODD_TIME(column) column " < " EARLIEST " OR " column " > ?"
#define TIMES(row, table, from, end)                                                               \
	"SELECT " row ","                                                                          \
	" CASE WHEN " ODD_TIME(from) " THEN '" from " ' || " from " ELSE '" end " ' || " end " END," \
	" CASE WHEN " ODD_TIME(from) " OR " ODD_TIME(end)                                          \
	" THEN 'a time from 2000 on, and not in the future' ELSE '" from " ' || " from             \
	" || ' or later' END FROM " table " = ? AND"                                               \
	" (" ODD_TIME(from) " OR " ODD_TIME(end) " OR " end " < " from ") ORDER BY id"
/* clang-format on */

/* Checks that also hold for a retired job. */
static const struct check times[] = {
	{ "times", TIMES("'job'", "job WHERE id", "start_us", "end_us") },
	{ "times", TIMES("'job'", "job WHERE id", "submit_us", "start_us") },
	{ "times", TIMES("'host ' || id", "host WHERE job_id", "start_time_us", "stop_time_us") },
};

/* Checks of processes, for which pm_verify_tree() has seen that something is wrong. */
static const struct check tree[] = {
	/* Rows are numbered depth-first, parents first: if each parent_id is smaller, there is no
	 * cycle. */
	{ "tree", "SELECT 'process ' || p.id, 'parent_id ' || p.parent_id, 'a process before it'"
		  " FROM process p WHERE p.job_id = ? AND p.parent_id IS NOT NULL AND (p.parent_id"
		  " >= p.id OR (SELECT 1 FROM process q WHERE q.job_id = ? AND q.id ="
		  " p.parent_id LIMIT 1) IS NULL) ORDER BY p.id" },
	{ "tree", "SELECT 'process ' || p.id, coalesce('depth ' || p.depth, 'no depth'),"
		  " 'depth ' || coalesce(q.depth + 1, 0)"
		  " FROM process p LEFT JOIN process q ON q.job_id = p.job_id AND q.id ="
		  " p.parent_id WHERE p.job_id = ? AND coalesce(p.depth, -1) <> coalesce(q.depth +"
		  " 1, 0) ORDER BY p.id" },
	{ "times", "SELECT 'process ' || p.id, coalesce('cpu_time ' || p.cpu_time, 'no cpu_time'),"
		   " coalesce('cpu_time ' || (p.usertime + p.systemtime), 'none') FROM process p"
		   " WHERE p.job_id = ? AND coalesce(p.cpu_time, -1) <>"
		   " coalesce(p.usertime + p.systemtime, -1) ORDER BY p.id" },
	{ "times",
	  "SELECT 'process ' || p.id, coalesce('inclusive_cpu_time ' || p.inclusive_cpu_time,"
	  " 'no inclusive_cpu_time'), coalesce('inclusive_cpu_time ' || coalesce(p.cpu_time + "
	  "c.cpu,"
	  " p.cpu_time, c.cpu), 'none') FROM process p LEFT JOIN (SELECT parent_id,"
	  " CAST(sum(inclusive_cpu_time) AS bigint) AS cpu FROM process WHERE job_id = ?"
	  " GROUP BY parent_id) c ON c.parent_id = p.id WHERE p.job_id = ? AND"
	  " coalesce(p.inclusive_cpu_time, -1) <>"
	  " coalesce(p.cpu_time + c.cpu, p.cpu_time, c.cpu, -1) ORDER BY p.id" },
};

/* The same for their times; of a retired job, some may be left. */
static const struct check process_times = {
	"times", TIMES("'process ' || id", "process WHERE job_id", "start_us", "end_us")
};

/* Values that cannot be, as of clocks that disagree between the CPUs of a process. */
#define BELOW_ZERO(row, table, column)                                                             \
	"SELECT " row ", '" column " ' || " column ", '0 or more' FROM " table                     \
	" WHERE job_id = ? AND " column " < 0 ORDER BY id"

static const struct check checks[] = {
	{ "times", TIMES("'thread ' || id || ' of process ' || process_id",
			 "thread_row WHERE job_id", "start_us", "end_us") },
	{ "times", BELOW_ZERO("'process ' || id", "process", "rdtsc_duration") },
	{ "times", BELOW_ZERO("'thread ' || id || ' of process ' || process_id", "thread_row",
			      "rdtsc_duration") },
	{ "threads", "SELECT 'process ' || process_id, 'threads up to number ' || max(id),"
		     " count(*) || ' of them' FROM thread_row WHERE job_id = ? GROUP BY process_id"
		     " HAVING max(id) <> count(*) OR min(id) <> 1 ORDER BY process_id" },
	{ "threads", "SELECT 'counter ' || c.name || ' of process ' || c.process_id, 'thread ' ||"
		     " c.thread_id, 'a thread it has' FROM counter c WHERE c.job_id = ? AND"
		     " c.thread_id <> 0 AND NOT EXISTS (SELECT 1 FROM thread_row t WHERE t.job_id"
		     " = c.job_id AND t.process_id = c.process_id AND t.id = c.thread_id)"
		     " ORDER BY c.process_id, c.thread_id, c.name" },
	{ "tags", "SELECT 'process ' || p.id, 'tag_set ' || p.tag_set, 'tags of the job'"
		  " FROM process p WHERE p.job_id = ? AND p.tag_set IS NOT NULL AND NOT EXISTS"
		  " (SELECT 1 FROM tag_set s WHERE s.job_id = p.job_id AND s.id = p.tag_set)"
		  " ORDER BY p.id" },
	{ "tags", "SELECT 'tag ' || s.name, 'set ' || s.id, 'a process that has it' FROM tag_set s"
		  " WHERE s.job_id = ? AND s.id <> 0 AND s.id NOT IN (SELECT tag_set FROM process"
		  " WHERE job_id = ? AND tag_set IS NOT NULL) ORDER BY s.id, s.name" },
	{ "files", "SELECT 'file ' || l.id || ' ' || l.file, l.rejected || ' lines rejected of ' ||"
		   " l.lines, coalesce(r.n, 0) || ' rejected' FROM load l LEFT JOIN (SELECT"
		   " load_id, count(*) AS n FROM reject WHERE job_id = ? GROUP BY load_id) r ON"
		   " r.load_id = l.id WHERE l.job_id = ? AND (l.rejected <> coalesce(r.n, 0) OR"
		   " l.rejected > l.lines) ORDER BY l.id" },
};

/* Rejected lines must belong to a file of the job; also checked for a retired job. */
static const struct check left = {
	"files",
	"SELECT 'rejected line ' || r.id, 'file ' || r.load_id || ' ' || r.file, 'a file of the "
	"job'"
	" FROM reject r WHERE r.job_id = ? AND NOT EXISTS (SELECT 1 FROM load l WHERE l.job_id ="
	" r.job_id AND l.id = r.load_id) ORDER BY r.id"
};

static int report_fault(const struct verify *v, const char *check, const char *what,
			const char *stored, const char *expected, struct pm_err *e)
{
	struct pm_verify_fault f = { v->job, check, what, stored, expected };

	return v->each(v->ctx, &f, e);
}

static int run_check(const struct verify *v, const struct check *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc, parameter = 0;

	if (pm_db_prepare(v->db, c->sql, &q, e) < 0)
		return -1;
	for (const char *p = c->sql; (p = strchr(p, '?')) != NULL; p++)
		pm_db_bind_int(q, ++parameter, p[-2] == '>' ? pm_now_us() + AHEAD_US : v->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (report_fault(v, c->check, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
				 pm_db_text(q, 2, NULL), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int run_checks(const struct verify *v, const struct check *c, size_t n, struct pm_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (run_check(v, &c[i], e) < 0)
			return -1;
	return 0;
}

static int check_processes(const struct verify *v, struct pm_err *e)
{
	int sound = pm_verify_tree(v->db, v->job, pm_now_us() + AHEAD_US, e);

	if (sound != 0)
		return sound < 0 ? -1 : 0;
	return run_checks(v, tree, COUNT(tree), e) < 0 ? -1 : run_check(v, &process_times, e);
}

/* Report rows that refer to a missing row. */
static int report_dangling(void *ctx, const struct pm_foreignkey *f, int64_t job, int64_t rows,
			   struct pm_err *e)
{
	struct verify v = *(struct verify *)ctx;
	char what[160], expected[96];

	v.job = job;
	snprintf(what, sizeof what, "%" PRId64 " rows of table %s", rows, f->table);
	snprintf(expected, sizeof expected, "a row of table %s", f->parent);
	return report_fault(&v, "foreign keys", what, "they point to no row", expected, e);
}

/* --- content ---------------------------------------------------------------------------------- */

struct read_back {
	struct pm_digest digest;
	int64_t bytes;
};

static int take_back(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct read_back *r = ctx;

	(void)e;
	pm_digest_add(&r->digest, p, n);
	r->bytes += (int64_t)n;
	return 0;
}

/* Check that the stored content of a file, the current row of q, is what was loaded. */
static int check_file(const struct verify *v, struct pm_stmt *q, struct pm_decoder *decoder,
		      struct pm_err *e)
{
	char what[320], stored[128], expected[128], digest[PM_DIGEST_TEXT];
	const char *want = pm_db_text(q, 2, NULL);
	struct read_back r = { .bytes = 0 };
	struct pm_err why = { "" };
	int rc;

	snprintf(what, sizeof what, "file %" PRId64 " %s", pm_db_int(q, 0), pm_db_text(q, 1, NULL));
	pm_digest_init(&r.digest);
	decoder->ctx = &r;
	rc = pm_files_decode(v->db, v->job, pm_db_int(q, 0), decoder, &why);
	pm_digest_text(&r.digest, digest);
	/* If the database itself fails, other queries will fail, too. */
	if (rc < 0)
		return report_fault(v, "content", what, why.text, "its content", e);
	/* Compare only the digest: for a foreign file, the row's size is that of the original
	 * file. */
	if (rc == 0 || strcmp(digest, want) == 0)
		return 0;
	snprintf(stored, sizeof stored, "%" PRId64 " bytes, SHA-256 %.12s...", r.bytes, digest);
	snprintf(expected, sizeof expected, "SHA-256 %.12s...", want);
	return report_fault(v, "content", what, stored, expected, e);
}

static int check_content(const struct verify *v, struct pm_err *e)
{
	struct pm_decoder decoder = { .take = take_back };
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(v->db, "SELECT id, file, digest FROM load WHERE job_id = ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, v->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (check_file(v, q, &decoder, e) < 0) {
			rc = -1;
			break;
		}
	pm_decoder_end(&decoder);
	pm_db_finish(q);
	return rc;
}

/* --- samples and totals
 * ---------------------------------------------------------------------------- */

static int report_samples(void *ctx, const char *what, const char *stored, const char *expected,
			  struct pm_err *e)
{
	return report_fault(ctx, "samples", what, stored, expected, e);
}

static int report_program(void *ctx, const char *what, const char *stored, const char *expected,
			  struct pm_err *e)
{
	return report_fault(ctx, "programs", what, stored, expected, e);
}

static int report_tags(void *ctx, const char *what, const char *stored, const char *expected,
		       struct pm_err *e)
{
	return report_fault(ctx, "tags", what, stored, expected, e);
}

static int report_day(void *ctx, const char *what, const char *stored, const char *expected,
		      struct pm_err *e)
{
	return report_fault(ctx, "days", what, stored, expected, e);
}

static int report_energy(void *ctx, const char *what, const char *stored, const char *expected,
			 struct pm_err *e)
{
	return report_fault(ctx, "energy", what, stored, expected, e);
}

/* --- summary ---------------------------------------------------------------------------------- */

static void format_value(char *dst, size_t cap, const struct pm_jobsummary_value *x)
{
	if (!x->known)
		snprintf(dst, cap, "no %s", x->column);
	else if (x->real)
		snprintf(dst, cap, "%s %.9g", x->column, x->r);
	else
		snprintf(dst, cap, "%s %" PRId64, x->column, x->i);
}

static bool is_equal(const struct pm_jobsummary_value *x, const struct pm_jobsummary_value *y)
{
	if (!x->known || !y->known)
		return x->known == y->known;
	if (!x->real)
		return x->i == y->i;
	return fabs(x->r - y->r) <= EPSILON * (fabs(x->r) + fabs(y->r));
}

/* Compare computed values with a row. Returns 0 or -1 with e filled. */
static int compare_row(const struct verify *v, const struct pm_jobsummary *s, const char *table,
		       const char *key, int64_t host, struct pm_err *e)
{
	char *sql = NULL, what[48];
	struct pm_stmt *q;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < s->n; i++)
		fprintf(out, "%s%s", i ? ", " : "SELECT ", s->value[i].column);
	fprintf(out, " FROM %s WHERE %s", table, key);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(v->db, sql, &q, e)
				       : pm_err(e, "out of memory");
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, v->job);
	if (host)
		pm_db_bind_int(q, 2, host);
	snprintf(what, sizeof what, host ? "host %" PRId64 : "summary", host);
	rc = pm_db_step(q, e);
	for (size_t i = 0; rc > 0 && i < s->n; i++) {
		struct pm_jobsummary_value is = { .column = s->value[i].column,
						  .real = s->value[i].real };
		char stored[128], expected[128];

		is.known = !pm_db_is_null(q, (int)i);
		is.i = pm_db_int(q, (int)i);
		is.r = pm_db_real(q, (int)i);
		if (is_equal(&is, &s->value[i]))
			continue;
		format_value(stored, sizeof stored, &is);
		format_value(expected, sizeof expected, &s->value[i]);
		if (report_fault(v, "summary", what, stored, expected, e) < 0)
			rc = -1;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int compare_host(void *ctx, int64_t host, const struct pm_jobsummary *s, struct pm_err *e)
{
	return compare_row(ctx, s, "host", "job_id = ? AND id = ?", host, e);
}

/* Check the totals of processes: those of tags, and the job's and its hosts' summary. */
static int check_totals(struct verify *v, struct pm_err *e)
{
	struct pm_knownsum all[PM_TAGSUM_FIGURES];
	struct pm_total column[PM_COLUMNS] = { 0 };
	struct pm_jobsummary s;

	if (pm_verify_tagsums(v->db, v->job, all, report_tags, v, e) < 0)
		return -1;
	for (int i = 0; i < PM_TAGSUM_FIGURES; i++)
		if (pm_tagrow_column[i] >= 0 && all[i].sum != PM_KNOWNSUM_UNKNOWN)
			column[pm_tagrow_column[i]] =
				(struct pm_total){ .known = true, .v = all[i].sum };
	if (pm_jobsummary_compute(v->db, v->job, column, &s, e) < 0 ||
	    compare_row(v, &s, "job", "id = ?", 0, e) < 0)
		return -1;
	return pm_jobsummary_hosts(v->db, v->job, compare_host, v, e);
}

/* --- all checks ------------------------------------------------------------------------------- */

int pm_verify_job(struct pm_db *db, int64_t job, pm_verify_fn *each, void *ctx, struct pm_err *e)
{
	struct verify v = { db, job, each, ctx };
	bool retired = false, thinned = false;
	struct pm_stmt *q;
	int rc;

	/* Only times, files and sums of programs can be checked for a retired job, since its
	 * processes are gone. */
	if (pm_db_prepare(db,
			  "SELECT CASE WHEN " PM_ERASE_GONE_PROCESSES
			  " THEN 1 ELSE 0 END, CASE WHEN " PM_ERASE_GONE_SAMPLES
			  " THEN 1 ELSE 0 END FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		retired = pm_db_int(q, 0) != 0;
		thinned = pm_db_int(q, 1) != 0;
	}
	/* While this query stays open, all reads see one snapshot. */
	if (rc > 0 && pm_foreignkeys_check(db, job, report_dangling, &v, e) < 0)
		rc = -1;
	if (rc > 0 && (retired ? run_check(&v, &process_times, e) : check_processes(&v, e)) < 0)
		rc = -1;
	if (rc > 0 && !retired && run_checks(&v, checks, COUNT(checks), e) < 0)
		rc = -1;
	if (rc > 0 && (run_checks(&v, times, COUNT(times), e) < 0 || run_check(&v, &left, e) < 0))
		rc = -1;
	if (rc > 0 &&
	    (check_content(&v, e) < 0 || pm_verify_samples(db, job, report_samples, &v, e) < 0 ||
	     (!thinned && (pm_verify_series(db, job, report_samples, &v, e) < 0 ||
			   pm_verify_meters(db, job, report_energy, &v, e) < 0)) ||
	     pm_verify_energy(db, job, report_energy, &v, e) < 0 ||
	     (retired ? pm_verify_program_sums(db, job, report_program, &v, e) < 0
		      : (pm_verify_programs(db, job, report_program, &v, e) < 0 ||
			 check_totals(&v, e) < 0))))
		rc = -1;
	pm_db_finish(q);
	return rc;
}

/* Report rows of jobs that do not exist; rows of other jobs are checked job by job. */
static int report_orphans(void *ctx, const struct pm_foreignkey *f, int64_t job, int64_t rows,
			  struct pm_err *e)
{
	struct verify *v = ctx;
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(v->db, "SELECT 1 FROM job WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc == 0 ? report_dangling(ctx, f, job, rows, e) : rc < 0 ? -1 : 0;
}

static int report_unsound(void *ctx, const char *complaint, struct pm_err *e)
{
	return report_fault(ctx, "database", "the file", complaint, "sound structures", e);
}

int pm_verify_database(struct pm_db *db, pm_verify_fn *each, void *ctx, struct pm_err *e)
{
	struct verify v = { db, 0, each, ctx };

	if (pm_integrity_database(db, report_unsound, &v, e) < 0 ||
	    pm_verify_days(db, report_day, &v, e) < 0)
		return -1;
	return pm_foreignkeys_check(db, 0, report_orphans, &v, e);
}
