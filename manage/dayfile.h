/*
 * Parquet files beside the archives: DIR/parquet/month=YYYY-MM/YYYY-MM-DD.CLUSTER.parquet has the
 * processes of the jobs of archive CLUSTER/YYYY-MM.db that ended on that day, UTC. The archive
 * decides: a file that is lost, or is of other jobs than the archive has, is written anew. No name
 * begins with a dot or an underscore, which readers of such directories leave out.
 */
#ifndef PM_MANAGE_DAYFILE_H
#define PM_MANAGE_DAYFILE_H

#include "manage/archivedir.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Room for what tells the jobs of a file, and for its name. */
#define PM_DAYFILE_NOTE 128
#define PM_DAYFILE_NAME NAME_MAX

/* Room for the name of an archive's folder in that of a file. */
#define PM_DAYFILE_CLUSTER 220

/* The jobs of an archive that ended on a day. */
struct pm_dayfile_day {
	int64_t day;                /* since 1970, by pm_dayfile_day() */
	char note[PM_DAYFILE_NOTE]; /* differs where their rows differ */
	int64_t retired;            /* of how many no processes are left */
};

/* The folder of the files of an archive. */
struct pm_dayfile_folder {
	int dir;                          /* -1: there is none */
	char *path;                       /* for messages */
	char cluster[PM_DAYFILE_CLUSTER]; /* the folder of the archive */
};

/* The day of a time, us since 1970 UTC. All times before 1970 are one day, and all of the last day
 * of year 9999 or later. */
int64_t pm_dayfile_day(int64_t us);

/* The first time behind a day, us since 1970 UTC. */
int64_t pm_dayfile_end(int64_t day);

/*
 * Open the folder for the files of an archive. It is created if `make`, else it may be missing.
 * Returns 0, or -1 with e filled; either way the caller calls pm_dayfile_close().
 */
int pm_dayfile_open(struct pm_dayfile_folder *f, const struct pm_archivedir *a, const char *archive,
		    bool make, struct pm_err *e);
void pm_dayfile_close(struct pm_dayfile_folder *f);

/* Remove what is not of these n days, which are in order, and what calls that were killed have
 * left. Returns 0, or -1 with e filled. */
int pm_dayfile_sweep(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day, size_t n,
		     struct pm_err *e);

/* Whether the file of a day is there, complete and of these jobs. Returns 1; 0; -1 with e filled.
 * *retired gets of how many jobs no processes were left when it was written, INT64_MAX where it is
 * missing or not complete. */
int pm_dayfile_fits(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		    int64_t *retired, struct pm_err *e);

/*
 * Write the file of a day from its archive. It takes its name when it is on disk, and has as many
 * rows as the archive has processes. Returns 0, or -1 with e filled and what was there as it was.
 */
int pm_dayfile_write(const struct pm_dayfile_folder *f, const struct pm_dayfile_day *day,
		     struct pm_db *archive, struct pm_err *e);

#endif
