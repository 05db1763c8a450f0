/* A picture of a running job: numbers of one moment, and their text and JSON. */
#ifndef PM_REPORT_TOP_PICTURE_H
#define PM_REPORT_TOP_PICTURE_H

#include "report/print/page.h"
#include "report/top/model.h"

#include <jansson.h>

/* Unknown integers are -1, unknown reals NAN. */
struct pm_top_line {
	char name[128];
	int64_t running, started;
	double cpus; /* busy since the picture before, or between the last two ticks */
	int64_t cpu_us, rss;
	double read, written; /* bytes per second by calls */
};

struct pm_top_picture {
	int64_t now_us;
	char jobid[256], name[256], user[256];
	int64_t start_us, end_us; /* end: of a job that was closed on all hosts, else 0 */
	int64_t limit_us;         /* when the batch system ends the job; 0: not known */
	int64_t hosts, closed;
	int64_t cpus;               /* allocated or allowed, on hosts where that is known */
	int64_t memory;             /* bytes, likewise */
	double busy;                /* CPUs */
	double rate[PM_TOP_COUNTS]; /* per second; that of CPU is unset */
	int64_t cpu_us, rss, running, ended;
	int64_t records_us, ticks_us; /* last time seen there; 0: nothing */
	int64_t behind, bytes;        /* bytes of files that are not read yet; of all */
	int64_t damaged, skipped;     /* lines that cannot be read; files beyond the limit */
	bool live_cut;                /* more processes run here than are read */
	bool living;                  /* some run on this host, seen in /proc */
	struct pm_top_line *line;     /* most CPUs busy first, then most CPU time; owned */
	size_t lines;
};

void pm_top_picture_free(struct pm_top_picture *p);

/* Add hosts and programs of the model, whose totals are kept for the next picture, `elapsed_us`
 * after the one before (0: the first). Returns 0, or -1 if out of memory. */
int pm_top_picture_fill(struct pm_top_picture *p, struct pm_top_model *m, int64_t elapsed_us);

/* Print it, with at most `limit` programs. Returns 0, or -1 if out of memory. */
int pm_top_picture_print(const struct pm_page *page, const struct pm_top_picture *p, int64_t limit);

/* The same as an object. Returns a new reference, NULL if out of memory. */
json_t *pm_top_picture_json(const struct pm_top_picture *p, int64_t limit);

#endif
