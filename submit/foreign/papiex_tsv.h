/*
 * Parser of papiex's collated TSV: each line is a process with all of its threads. The column names
 * are in a separate file.
 */
#ifndef PM_SUBMIT_FOREIGN_PAPIEX_TSV_H
#define PM_SUBMIT_FOREIGN_PAPIEX_TSV_H

#include "submit/foreign/papiex.h"

/* Layout of the fields of a line. */
struct pm_papiex_tsv {
	size_t fields;    /* number of fields, including the one in braces */
	size_t in_braces; /* index of the field in braces */
	size_t metrics;   /* values per thread in braces */
	size_t numtids;   /* index of the value with the number of threads */
	struct pm_str *value;
};

/*
 * Parse the line of names from HOST-papiex-header.tsv: the metrics of a thread comma-separated in
 * braces, the other names separated by tabs. They become the columns of x, and t must be freed.
 * Returns the same as pm_papiex_columns().
 */
int pm_papiex_tsv_names(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
			const char **why, struct pm_err *e);
void pm_papiex_tsv_free(struct pm_papiex_tsv *t);

/* Parse a line, without its newline, with the column names read earlier. A line is accepted or
 * rejected as a whole. Returns the same as pm_papiex_row(). */
int pm_papiex_tsv_line(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
		       const char **why, const char **column, struct pm_err *e);

/* The names that papiex writes if no counters are requested. */
extern const char pm_papiex_tsv_default[];

#endif
