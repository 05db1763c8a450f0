/* Metadata of a running job on one host, job-HOST.json. */
#ifndef PM_REPORT_TOP_JOBFILE_H
#define PM_REPORT_TOP_JOBFILE_H

#include "report/top/picture.h"

#include <stdint.h>

struct pm_top_jobfile;

/* Read it. Returns what is known, or NULL where it is no metadata. */
struct pm_top_jobfile *pm_top_jobfile_read(int fd);
void pm_top_jobfile_free(struct pm_top_jobfile *j);

/* Add a host to the picture; *end_us gets the last end of a host. */
void pm_top_jobfile_add(const struct pm_top_jobfile *j, struct pm_top_picture *p, int64_t *end_us);

#endif
