/* The layout ska: its files of metrics, and the columns of each. */
#ifndef PM_EXPORT_LAYOUT_SKA_H
#define PM_EXPORT_LAYOUT_SKA_H

#include "export/layout.h"
#include "export/layout/grid.h"
#include "export/layout/hosts.h"

#include <stdbool.h>
#include <stddef.h>

enum pm_ska_file { PM_SKA_CPU, PM_SKA_PERF, PM_SKA_GPU, PM_SKA_FILES };

/* Their names: cpu_metrics and so on. */
extern const char *const pm_ska_file_name[PM_SKA_FILES];

struct pm_ska_column {
	char *key, *sub; /* members in JSON; sub NULL: the first is all */
	char *header;    /* in tables */
	double table;    /* what divides values once more there */
	/* What it is of. The object and the formula differ from host to host. */
	struct pm_grid_column is;
	char *event;        /* of COUNT: its name */
	const char *metric; /* of FORMULA: an id of formulas.def */
	size_t zone;        /* of rapl_powercap: its place among the host's zones */
	bool is_zone;
};

/* The columns of a file: those that any host of the job has. */
struct pm_ska_columns {
	struct pm_ska_column *column;
	size_t n, room;
};

/* What a file has lists of: a host, or one of its GPUs. */
struct pm_ska_part {
	const char *object; /* of its series: the GPU; NULL: of the host */
	const struct pm_grid_series *ticks;
	char *name; /* HOST, or gpu-N.HOST */
};

/* Find the columns of each file. Returns 0, or -1 with e filled; to be freed in either case. */
int pm_ska_columns_find(struct pm_ska_columns columns[PM_SKA_FILES], struct pm_layout_ask *a,
			const struct pm_hosts *hosts, struct pm_err *e);
void pm_ska_columns_free(struct pm_ska_columns columns[PM_SKA_FILES]);

/* The columns of a file as they are computed on a host, or of an object of it. *out, an array of
 * x->n, and *formula are to be freed in either case. Returns 0, or -1 with e filled. */
int pm_ska_columns_of(const struct pm_ska_columns *x, const struct pm_grid *g, const char *march,
		      const char *object, struct pm_grid_column **out, struct pm_formula **formula,
		      const char *event[PM_GRID_EVENTS], struct pm_err *e);

/* Find the parts of a host in a file. *part, an array of *n, and the names in it are to be freed
 * in either case. Returns 0, or -1 with e filled. */
int pm_ska_parts_find(enum pm_ska_file file, struct pm_grid *g, const char *host,
		      struct pm_ska_part **part, size_t *n, struct pm_err *e);
void pm_ska_parts_free(struct pm_ska_part *part, size_t n);

#endif
