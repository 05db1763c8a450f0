/* Record files, perfmon-tsv(5), followed as they grow. */
#ifndef PM_REPORT_TOP_RECORDS_H
#define PM_REPORT_TOP_RECORDS_H

#include "common/safe/record.h"
#include "report/top/model.h"

/* A record file that is being read. */
struct pm_top_records {
	struct pm_top_model *model;
	struct pm_map map;
	bool header;     /* `map` is of the file's header */
	int64_t host;    /* of the last line, -1: none */
	int64_t damaged; /* lines that could not be read */
};

void pm_top_records_init(struct pm_top_records *r, struct pm_top_model *model);

/* Take a line. Returns 0, or -1 if out of memory. */
int pm_top_records_line(struct pm_top_records *r, const char *line, size_t n);

#endif
