/* Files of a job in the database: tables load, content and reject. */
#ifndef PM_SUBMIT_ROWS_FILES_H
#define PM_SUBMIT_ROWS_FILES_H

#include "db/db.h"
#include "submit/job/gather.h"
#include "submit/rows/write.h"

/*
 * Write the gathered files: a row for each, their rejected lines and, unless all that they say is in
 * their samples, their content. Files already in the
 * database get new counts; superseded files are deleted. Sets load_id of each file. Returns 0 or -1
 * with e filled.
 */
int pm_files_write(struct pm_db *db, struct pm_gather *g, struct pm_filecontent *keep,
		   const struct pm_write_base *base, struct pm_err *e);

/* Pass the stored content of a loaded file to `take`. Returns 1, 0 if the content was not stored,
 * or -1 with e filled. */
int pm_files_read(struct pm_db *db, int64_t job, int64_t load,
		  int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		  struct pm_err *e);

/* The same with a decoder for several files, whose `take` gets the content. It is begun, not ended.
 */
int pm_files_decode(struct pm_db *db, int64_t job, int64_t load, struct pm_decoder *u,
		    struct pm_err *e);

/* Pass the stored content of a gathered file, by its number in `keep`, to `take`. Returns 0 or -1
 * with e filled. */
int pm_files_kept(struct pm_filecontent *keep, uint32_t file,
		  int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		  struct pm_err *e);

#endif
