/* The Parquet files of archives, brought to what the archives have. */
#include "config.h"

#include "manage/daysync.h"

#include "common/digest.h"
#include "common/grow.h"
#include "common/log.h"
#include "manage/dayfile.h"
#include "sql/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Columns of table job that differ where rows of a file would: those that the file has, and sums
 * over the processes. A job that is loaded further, replaced or retired has others.
 */
#define DECIDING                                                                                   \
	"id, cluster, \"user\", jobid, array_task, restart_count, epoch_us, name, account, queue," \
	" start_us, end_us, processes, threads, failed, killed, running, without_end,"             \
	" reaped_only, hosts, ranks, cpu_time, folded, lost, rejected, late, problems, usertime,"  \
	" systemtime, rssmax, vmpeak, minflt, majflt, vol_ctxsw, invol_ctxsw, rchar, wchar,"       \
	" read_bytes, write_bytes, time_oncpu, time_waiting, own_overhead_us"

/* What files are made of: counts up where they would have other columns or rows of the same jobs.
 */
#define FORM 1

struct days {
	struct pm_dayfile_day *day;
	size_t n, room;
	struct pm_digest digest; /* of the last */
	int64_t jobs;            /* of it */
};

/* Complete the last day. */
static void end_day(struct days *d)
{
	char text[PM_DIGEST_TEXT];

	if (d->n == 0)
		return;
	pm_digest_text(&d->digest, text);
	snprintf(d->day[d->n - 1].note, PM_DAYFILE_NOTE, "%d %" PRId64 " %" PRId64 " %s", FORM,
		 d->jobs, d->day[d->n - 1].retired, text);
}

static int begin_day(struct days *d, int64_t day, struct pm_err *e)
{
	end_day(d);
	if (!PM_GROW(d->day, d->n, d->room, 32))
		return pm_err(e, "out of memory");
	d->day[d->n++] = (struct pm_dayfile_day){ .day = day };
	pm_digest_init(&d->digest);
	d->jobs = 0;
	return 0;
}

/* Add a value to the digest: its type, its length and its bytes. */
static void add_value(struct pm_digest *d, struct pm_stmt *q, int i)
{
	const enum pm_db_type type = pm_db_type(q, i);
	struct {
		int64_t type, n;
	} head = { type, 0 };
	const char *p = NULL;
	size_t n = 0;
	double real;

	if (type == PM_DB_INTEGER)
		head.n = pm_db_int(q, i);
	if (type == PM_DB_REAL) {
		real = pm_db_real(q, i);
		memcpy(&head.n, &real, sizeof head.n);
	}
	if (type == PM_DB_TEXT || type == PM_DB_BLOB) {
		p = type == PM_DB_TEXT ? pm_db_text(q, i, &n) : pm_db_blob(q, i, &n);
		head.n = (int64_t)n;
	}
	pm_digest_add(d, &head, sizeof head);
	if (p)
		pm_digest_add(d, p, n);
}

static int add_job(struct days *d, struct pm_stmt *q, struct pm_err *e)
{
	const int64_t day = pm_dayfile_day(pm_db_int(q, 0));

	if ((d->n == 0 || d->day[d->n - 1].day != day) && begin_day(d, day, e) < 0)
		return -1;
	d->day[d->n - 1].retired += pm_db_int(q, 1);
	for (int i = 2; i < pm_db_columns(q); i++)
		add_value(&d->digest, q, i);
	d->jobs++;
	return 0;
}

/* Find the days of an archive's jobs. Returns 0 or -1 with e filled. */
static int find_days(struct days *d, struct pm_db *archive, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(archive,
			  "SELECT " PM_SCHEMA_JOB_END("") ", CASE WHEN " PM_SCHEMA_JOB_RETIRED(
				  "") " THEN 1 ELSE 0 END, " DECIDING
				      " FROM job ORDER BY " PM_SCHEMA_JOB_END("") ", id",
			  &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (add_job(d, q, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	end_day(d);
	return rc;
}

/* Bring the file of a day to what the archive has. If it is left and has to be `right`, that is an
 * error. Returns 0, or -1 with e filled. */
static int sync_day(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		    struct pm_db *archive, bool right, struct pm_err *e)
{
	int64_t retired;
	int rc = pm_dayfile_fits(f, day, &retired, e);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (day->retired <= retired)
		return pm_dayfile_write(f, day, archive, e);
	return right ? pm_err(e,
			      "a file in %s has processes that were retired in %s itself, and "
			      "would lose them: move it elsewhere, so that it is written anew",
			      f->path, pm_db_name(archive))
		     : 0;
}

int pm_daysync_archive(struct pm_archivedir *a, const char *archive, int64_t day, struct pm_err *e)
{
	struct pm_dayfile_folder f = { .dir = -1 };
	struct days d = { .day = NULL };
	struct pm_db *db;
	int rc = pm_archivedir_file(a, archive, &db, e);

	if (rc == 0)
		rc = find_days(&d, db, e);
	if (rc == 0)
		rc = pm_dayfile_open(&f, a, archive, d.n > 0, e);
	if (rc == 0 && f.dir >= 0)
		rc = pm_dayfile_sweep(&f, d.day, d.n, e);
	for (size_t i = 0; i < d.n && rc == 0; i++)
		rc = sync_day(&f, &d.day[i], db, d.day[i].day == day, e);
	pm_dayfile_close(&f);
	free(d.day);
	return rc;
}

int pm_daysync_all(struct pm_archivedir *a, size_t *failed, struct pm_err *e)
{
	char(*name)[PM_ARCHIVENAME];
	struct pm_err why;
	size_t n;
	int rc = pm_archivedir_names(a, &name, &n, e);

	*failed = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (pm_daysync_archive(a, name[i], PM_DAYSYNC_NONE, &why) < 0) {
			pm_warn("the Parquet files of %s/%s are not what it has: %s", a->path,
				name[i], why.text);
			++*failed;
		}
		pm_archivedir_shut(a);
	}
	free(name);
	return rc;
}
