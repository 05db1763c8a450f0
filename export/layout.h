/* Layouts: files of a job as other tools write them, so that what reads those reads these. */
#ifndef PM_EXPORT_LAYOUT_H
#define PM_EXPORT_LAYOUT_H

#include "export/format.h"

#include "common/cli/verb.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most formats that are named at once. */
#define PM_LAYOUT_FORMATS 8

/* What a layout is asked for. */
struct pm_layout_ask {
	struct pm_db *db;
	int64_t job;
	const char *path;  /* where to write; "-": standard output, where the layout is a file */
	char *const *read; /* of the command line: files that must not be written */
	size_t reads;
	const struct pm_export_format
		*format[PM_LAYOUT_FORMATS]; /* of tables beside; see `tables` */
	size_t formats;
	bool verbose;
	const char *names;   /* of --names; NULL: as is usual */
	const char *columns; /* of --columns, with blanks between; NULL: all */
	size_t damaged; /* blocks of samples that could not be read: what they held is unknown */
	struct pm_err damage; /* the last of them */
};

/*
 * A layout writes all there is to write of a job. `write` returns 0, or -1 with e filled: then
 * every file is whole, or as it was.
 */
struct pm_layout {
	const char *name;
	const char *kind;   /* of export, which may stay unnamed */
	const char *names;  /* words of --names, with blanks between; "": none */
	bool directory;     /* --file names a directory */
	bool columns;       /* --columns says what is written */
	const char *tables; /* formats in which it writes tables, too, if asked; "": none */
	int (*write)(struct pm_layout_ask *a, struct pm_err *e);
};

extern const struct pm_layout pm_layout_ska, pm_layout_perfpy, pm_layout_mlflow, pm_layout_colmet;

/* The names of all layouts, with commas between: for messages. */
#define PM_LAYOUT_NAMES "ska, perf.py, mlflow, colmet"

/* `perfmon export --layout`. Returns PM_EXIT_OK, or another exit status with e filled. */
int pm_layout_export(const struct pm_cli *cli, struct pm_err *e);

#endif
