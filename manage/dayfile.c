/* Parquet files beside the archives. */
#include "config.h"

#include "manage/dayfile.h"

#include "export/parquet/readfooter.h"
#include "export/processfile.h"
#include "sql/schema.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER  "parquet"
#define MONTH   "month="
#define SUFFIX  ".parquet"
#define PARTIAL ".partial"

#define DAY_US   INT64_C(86400000000)
#define DAY_LAST INT64_C(2932896) /* 9999-12-31 */

/* Length of YYYY-MM-DD. */
#define DATE 10

/* Room for what is written at a time. */
#define BUFFER (256 * 1024)

int64_t pm_dayfile_day(int64_t us)
{
	const int64_t day = us / DAY_US;

	return us < 0 ? -1 : day < DAY_LAST ? day : DAY_LAST;
}

static int64_t day_begin(int64_t day)
{
	return day < 0 ? INT64_MIN : day * DAY_US;
}

int64_t pm_dayfile_end(int64_t day)
{
	return day < 0 ? 0 : day >= DAY_LAST ? INT64_MAX : (day + 1) * DAY_US;
}

/* Name the file of a day, or what is written of it so far. */
static void make_name(const struct pm_dayfile_folder *f, int64_t day, const char *suffix,
		      char name[PM_DAYFILE_NAME])
{
	const time_t at = (time_t)(day * (DAY_US / 1000000));
	char date[DATE + 1];
	struct tm tm;

	/* The day before 1970 is all of that time. */
	strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&at, &tm));
	snprintf(name, PM_DAYFILE_NAME, "%s.%s%s", date, f->cluster, suffix);
}

/* Open a folder, which is created if `make`, else may be missing: then -1 with errno ENOENT and e
 * empty. */
static int open_folder(int parent, const char *entry, const char *path, bool make, struct pm_err *e)
{
	return pm_archivedir_folder(parent, entry, path, !make, e);
}

int pm_dayfile_open(struct pm_dayfile_folder *f, const struct pm_archivedir *a, const char *archive,
		    bool make, struct pm_err *e)
{
	const char *file = strchr(archive, '/') + 1;
	char month[PM_ARCHIVENAME + sizeof MONTH];
	char *path;
	int parent;

	*f = (struct pm_dayfile_folder){ .dir = -1 };
	if (snprintf(f->cluster, sizeof f->cluster, "%.*s", (int)(file - 1 - archive), archive) >=
	    (int)sizeof f->cluster)
		return pm_err(e, "%s: the name of its folder is too long", archive);
	snprintf(month, sizeof month, MONTH "%.*s", (int)(strlen(file) - strlen(".db")), file);
	if (asprintf(&path, "%s/" FOLDER, a->path) < 0)
		return pm_err(e, "out of memory");
	parent = open_folder(a->dir, FOLDER, path, make, e);
	if (parent >= 0 && asprintf(&f->path, "%s/%s", path, month) < 0) {
		f->path = NULL;
		pm_err(e, "out of memory");
	}
	free(path);
	if (parent >= 0 && f->path)
		f->dir = open_folder(parent, month, f->path, make, e);
	if (parent >= 0)
		close(parent);
	return f->dir >= 0 || (!make && !e->text[0]) ? 0 : -1;
}

void pm_dayfile_close(struct pm_dayfile_folder *f)
{
	if (f->dir >= 0)
		close(f->dir);
	free(f->path);
	*f = (struct pm_dayfile_folder){ .dir = -1 };
}

/* What an entry is named behind its date; NULL where it is no file of this archive, or what is left
 * of one. */
static const char *suffix_of(const struct pm_dayfile_folder *f, const char *name)
{
	const size_t n = strlen(f->cluster);

	if (strlen(name) < DATE + 1 + n || name[DATE] != '.' ||
	    strncmp(name + DATE + 1, f->cluster, n) != 0)
		return NULL;
	name += DATE + 1 + n;
	return strcmp(name, SUFFIX) == 0 || strcmp(name, PARTIAL) == 0 ? name : NULL;
}

/* Whether an entry is the file of one of the days. */
static bool is_of(const struct pm_dayfile_folder *f, const char *entry,
		  const struct pm_dayfile_day *day, size_t n)
{
	char name[PM_DAYFILE_NAME];
	size_t low = 0, high = n;

	/* Dates of four digits for the year sort as texts; that before 1970 does so, too. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		int order;

		make_name(f, day[middle].day, SUFFIX, name);
		order = strcmp(entry, name);
		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

int pm_dayfile_sweep(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day, size_t n,
		     struct pm_err *e)
{
	int fd = openat(f->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool removed = false;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return pm_err(e, "%s: %m", f->path);
	}
	while (rc == 0 && (entry = readdir(d)) != NULL) {
		if (!suffix_of(f, entry->d_name) || is_of(f, entry->d_name, day, n))
			continue;
		rc = unlinkat(f->dir, entry->d_name, 0);
		if (rc < 0)
			pm_err(e, "remove %s/%s: %m", f->path, entry->d_name);
		removed = true;
	}
	closedir(d);
	return rc == 0 && removed ? pm_archivedir_sync(f->dir, f->path, e) : rc;
}

/* The number of retired jobs in the note of a file; INT64_MAX where it is no such note. */
static int64_t retired_in(const char *note)
{
	const char *word = strchr(note, ' ');
	char *end;
	int64_t n;

	word = word ? strchr(word + 1, ' ') : NULL;
	n = word ? strtoll(word + 1, &end, 10) : 0;
	return word && end > word + 1 && *end == ' ' ? n : INT64_MAX;
}

int pm_dayfile_fits(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		    int64_t *retired, struct pm_err *e)
{
	char name[PM_DAYFILE_NAME], note[PM_DAYFILE_NOTE], *path;
	int64_t rows;
	int fd, rc;

	*retired = INT64_MAX;
	make_name(f, day->day, SUFFIX, name);
	if (asprintf(&path, "%s/%s", f->path, name) < 0)
		return pm_err(e, "out of memory");
	rc = pm_archivedir_check(f->dir, name, path, false, e);
	if (rc > 0) {
		fd = pm_db_open_file(f->dir, name, O_NOFOLLOW | O_CLOEXEC);
		rc = fd < 0 ? pm_err(e, "%m")
			    : pm_parquet_readfooter(fd, PM_PROCESSFILE_NOTE, &rows, note,
						    sizeof note, e);
		if (fd >= 0)
			close(fd);
		if (rc < 0)
			pm_err_prefix(e, "read %s", path);
	}
	free(path);
	if (rc > 0)
		*retired = retired_in(note);
	return rc > 0 ? strcmp(note, day->note) == 0 : rc;
}

/* Count the processes of a day in its archive. Returns their number, or -1 with e filled. */
static int64_t count_processes(struct pm_db *archive, int64_t day, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n = -1;

	if (pm_db_prepare(archive,
			  "SELECT count(*) FROM process WHERE job_id IN "
			  "(SELECT id FROM job WHERE " PM_PROCESSFILE_JOBS ")",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, day_begin(day));
	pm_db_bind_int(q, 2, pm_dayfile_end(day));
	if (pm_db_step(q, e) > 0)
		n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

/* Open a new file for a day, with the rights of the one that it will replace. */
static FILE *open_new(const struct pm_dayfile_folder *f, const char *name, const char *partial)
{
	FILE *out = NULL;
	struct stat st;
	int fd;

	if (unlinkat(f->dir, partial, 0) < 0 && errno != ENOENT)
		return NULL;
	fd = openat(f->dir, partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && (fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			fchmod(fd, (st.st_mode & 0044) | 0600) == 0))
		out = fdopen(fd, "w");
	if (fd >= 0 && !out)
		close(fd);
	/* A failure leaves a smaller buffer. */
	if (out)
		(void)setvbuf(out, NULL, _IOFBF, BUFFER);
	return out;
}

/* Check what is on disk now. Returns 0, or -1 with e filled. */
static int check_written(int fd, const char *note, int64_t processes, struct pm_err *e)
{
	char has[PM_DAYFILE_NOTE];
	int64_t rows;
	int rc = pm_parquet_readfooter(fd, PM_PROCESSFILE_NOTE, &rows, has, sizeof has, e);

	if (rc <= 0)
		return -1;
	if (rows == processes && strcmp(has, note) == 0)
		return 0;
	return pm_err(e, "it has %" PRId64 " rows of %" PRId64 " processes", rows, processes);
}

/* Write the rows of a day to a file that gets its name when it is complete. Returns 0 or -1 with e
 * filled. */
static int write_rows(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		      struct pm_db *archive, int64_t processes, const char *name, struct pm_err *e)
{
	char partial[PM_DAYFILE_NAME];
	int64_t rows;
	FILE *out;
	int rc = 0;

	make_name(f, day->day, PARTIAL, partial);
	out = open_new(f, name, partial);
	if (!out)
		return pm_err(e, "%m");
	rows = pm_processfile_write(out, name, archive, day_begin(day->day),
				    pm_dayfile_end(day->day), day->note, e);
	if (rows < 0)
		rc = -1;
	else if (fflush(out) != 0 || fsync(fileno(out)) < 0)
		rc = pm_err(e, "%m");
	else
		rc = check_written(fileno(out), day->note, processes, e);
	if (fclose(out) != 0 && rc == 0)
		rc = pm_err(e, "%m");
	if (rc == 0 && renameat(f->dir, partial, f->dir, name) < 0)
		rc = pm_err(e, "%m");
	if (rc < 0)
		unlinkat(f->dir, partial, 0);
	return rc;
}

int pm_dayfile_write(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		     struct pm_db *archive, struct pm_err *e)
{
	char name[PM_DAYFILE_NAME];
	int64_t processes;
	int rc = -1;

	make_name(f, day->day, SUFFIX, name);
	/* Nobody changes the archive between the count and the last row. */
	if (pm_db_begin(archive, e) < 0)
		return -1;
	processes = count_processes(archive, day->day, e);
	if (processes >= 0)
		rc = write_rows(f, day, archive, processes, name, e);
	if (processes >= 0 && rc < 0)
		pm_err_prefix(e, "write %s/%s", f->path, name);
	pm_db_rollback(archive);
	return rc < 0 ? -1 : pm_archivedir_sync(f->dir, f->path, e);
}
