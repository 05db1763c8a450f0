/*
 * Lines of papiex's collated TSV: a process with all of its threads each. The names of the columns
 * are in a file beside it. Programs only.
 */
#ifndef PM_PAPIEX_TSV_H
#define PM_PAPIEX_TSV_H

#include "submit/papiex.h"

/* How the fields of a line lie. */
struct pm_papiex_tsv {
	size_t fields;    /* of a line, that in braces included */
	size_t in_braces; /* which field that is */
	size_t metrics;   /* values of a thread inside it */
	size_t numtids;   /* which value of a row says how many threads there are */
	struct pm_str *value;
};

/*
 * Read the line of names, as papiex writes it into HOST-papiex-header.tsv: the metrics of a thread
 * in braces with commas between, tabs between the rest. They become the columns of x, and t must be
 * freed. Returns as pm_papiex_columns.
 */
int pm_papiex_tsv_names(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
			const char **why, struct pm_err *e);
void pm_papiex_tsv_free(struct pm_papiex_tsv *t);

/* Take a line, without its newline, by the names read before. Either all of it is taken or nothing.
 * Returns as pm_papiex_row. */
int pm_papiex_tsv_line(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
		       const char **why, const char **column, struct pm_err *e);

/* The names that papiex writes where no counters are asked for. */
extern const char pm_papiex_tsv_default[];

#endif
