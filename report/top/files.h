/* The files of a job directory, followed as they grow. */
#ifndef PM_REPORT_TOP_FILES_H
#define PM_REPORT_TOP_FILES_H

#include "common/err.h"
#include "report/top/model.h"
#include "report/top/picture.h"

#include <stdint.h>

struct pm_top_files;

/* Open a job directory. Returns its files, or NULL with e filled. */
struct pm_top_files *pm_top_files_open(const char *directory, struct pm_top_model *m,
				       struct pm_err *e);
void pm_top_files_close(struct pm_top_files *f);

/* Read what is new into the model, until this time (CLOCK_MONOTONIC) at most. Returns 0, or -1 with
 * e filled. */
int pm_top_files_read(struct pm_top_files *f, int64_t until_us, struct pm_err *e);

/* Describe the job by its metadata, and how much is left to read. */
void pm_top_files_describe(const struct pm_top_files *f, struct pm_top_picture *p);

#endif
