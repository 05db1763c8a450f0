/*
 * A directory of archives: DIR/CLUSTER/YYYY-MM.db, databases of the ordinary schema by the UTC
 * month in which a job ended, and DIR/_index.db, a database of the same schema with the own row and
 * the tags of each job, among them `archive`, the file that has it. The archives decide: an index
 * that is lost is made from them.
 */
#ifndef PM_MANAGE_ARCHIVEDIR_H
#define PM_MANAGE_ARCHIVEDIR_H

#include "db/erase.h"
#include "manage/archivename.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file name of the index; no folder of a cluster has it. */
#define PM_ARCHIVEDIR_INDEX "_index.db"

/* The tag that the index adds to a job. */
#define PM_ARCHIVEDIR_TAG "archive"

/* What `problems` of a job has at its end where only an archive, whose name follows, has all of it.
 */
#define PM_ARCHIVEDIR_NOTE PM_ERASE_NOTE_PROCESSES ", but in "

struct pm_archivedir_file {
	char name[PM_ARCHIVENAME];
	struct pm_db *db;
};

struct pm_archivedir {
	char *path;          /* as it was given, for messages */
	char *real;          /* without links, to open files by */
	int dir;             /* -1 in a dry run: it does not exist yet */
	int lock;            /* the locked file, or -1 */
	bool incomplete;     /* the index lacks archives that could not be read */
	bool busy;           /* another process has the lock */
	bool dry;            /* nothing is written */
	struct pm_db *index; /* NULL in a dry run: it does not exist yet */
	struct pm_archivedir_file *file;
	size_t files, room;
};

/*
 * Open a directory of archives and its index. A missing directory is created, though not its
 * parents; an index without jobs is made from the archives. The directory, each folder and each
 * file must belong to the effective user or root, no other user may write to it, and symbolic links
 * are not followed; nor may another user be able to exchange a directory above. Until it is closed,
 * no other process can open it but in a dry run. Returns 0, or -1 with e filled; either way the
 * caller calls pm_archivedir_close.
 */
int pm_archivedir_open(struct pm_archivedir *a, const char *path, bool dry, struct pm_err *e);

void pm_archivedir_close(struct pm_archivedir *a);

/* Name the archive for a job of `db`: the one that the index says has it, else by its cluster and
 * its end. Returns 1, 0 if there is no such job, or -1 with e filled. */
int pm_archivedir_place(struct pm_archivedir *a, struct pm_db *db, int64_t job,
			char name[PM_ARCHIVENAME], struct pm_err *e);

/* Open an archive, or find it among the open ones. A missing one is created, with its folder; in a
 * dry run *db gets NULL. Returns 0 or -1 with e filled. */
int pm_archivedir_file(struct pm_archivedir *a, const char *name, struct pm_db **db,
		       struct pm_err *e);

/* Close the archives. */
void pm_archivedir_shut(struct pm_archivedir *a);

/* Note in the index, inside a transaction of a->index, that an archive has a job of `db`. Returns 0
 * or -1 with e filled. */
int pm_archivedir_note(struct pm_archivedir *a, struct pm_db *db, int64_t job, const char *name,
		       struct pm_err *e);

/* Take a job of `db`, which no archive has, out of the index, inside a transaction of a->index.
 * Returns 0 or -1 with e filled. */
int pm_archivedir_forget(struct pm_archivedir *a, struct pm_db *db, int64_t job, struct pm_err *e);

/* Add the note about an archive to a job's `problems`. Returns 0 or -1 with e filled. */
int pm_archivedir_mark(struct pm_db *db, int64_t job, const char *name, struct pm_err *e);

/*
 * Open the directory that is an entry of another, whose path messages call `path`; no other user
 * may be able to change it. It is created if missing, unless in a dry run: then -1 with errno
 * ENOENT and e empty. Returns a descriptor, or -1 with e filled.
 */
int pm_archivedir_folder(int parent, const char *entry, const char *path, bool dry,
			 struct pm_err *e);

/* Write the entries of an open directory, that of `path`, to disk: a file whose own entry was never
 * written is lost. Returns 0 or -1 with e filled. */
int pm_archivedir_sync(int dir, const char *path, struct pm_err *e);

/* Find all archives with names as pm_archivename_make() gives, whether they can be opened or not:
 * a copy of one beside it has the same jobs. Returns 0 with *name of *n names, to be
 * freed by the caller, or -1 with e filled. */
int pm_archivedir_names(struct pm_archivedir *a, char (**name)[PM_ARCHIVENAME], size_t *n,
			struct pm_err *e);

/* The rest is between the files of archivedir. */

/* Find the archive of a job by the index. Returns 1, 0 or -1 with e filled. */
int pm_archivedir_find(struct pm_archivedir *a, struct pm_db *db, int64_t job,
		       char name[PM_ARCHIVENAME], struct pm_err *e);

/* Check an entry of an open directory, which messages call `path`: a regular file, or with `folder`
 * a directory, that no other user can change. Returns 1, 0 if there is none, or -1 with e filled.
 */
int pm_archivedir_check(int dir, const char *entry, const char *path, bool folder,
			struct pm_err *e);

/*
 * Open the database that is an entry of an open directory, by a path that begins with a->path. One
 * of an earlier schema version is upgraded, and a missing one created by PM_DB_WRITE_SURE; a dry
 * run only looks. Returns 1; 0 with *db NULL if there is none; -1 with e filled.
 */
int pm_archivedir_database(struct pm_archivedir *a, int dir, const char *entry, const char *path,
			   enum pm_db_mode mode, struct pm_db **db, struct pm_err *e);

/* Open the index, and make it from the archives where it has no job. Returns 0 or -1 with e filled.
 */
int pm_archivedir_index(struct pm_archivedir *a, struct pm_err *e);

#endif
