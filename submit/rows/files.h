/* The files of a job in the database: tables load, content and reject. Programs only. */
#ifndef PM_CONTENT_H
#define PM_CONTENT_H

#include "db/db.h"
#include "submit/gather.h"
#include "submit/write.h"

/*
 * Write the gathered files: a row each, what was in them and the rejected lines. Those that are in
 * the database already get their numbers anew, those superseded go. Sets load_id of each. Returns 0
 * or -1 with e filled.
 */
int pm_content_write(struct pm_db *db, struct pm_gather *g, struct pm_keep *keep,
		     const struct pm_write_base *base, struct pm_err *e);

/* Read the content of a loaded file. Returns 1, 0 where it was not kept, or -1 with e filled. */
int pm_content_read(struct pm_db *db, int64_t job, int64_t load,
		    int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		    struct pm_err *e);

/* Pass the kept content of a gathered file, by its number, to `take`. Returns 0 or -1 with e
 * filled. */
int pm_content_kept(struct pm_keep *keep, uint32_t file,
		    int (*take)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		    struct pm_err *e);

#endif
