/* The parameters of a statement as texts, as PostgreSQL takes them. */
#ifndef PM_DB_POSTGRES_PARAM_H
#define PM_DB_POSTGRES_PARAM_H

#include <stddef.h>
#include <stdint.h>

struct pm_pgparam {
	int count;
	const char **value; /* texts, NULL for NULL */
	char **text;        /* buffers of the values, and their capacities */
	size_t *cap;
	int bad; /* errno of the first value that could not be set, or 0 */
};

/* Begin with `count` parameters, all NULL. Returns 0, or -1 if out of memory; either way the caller
 * calls pm_pgparam_free. */
int pm_pgparam_init(struct pm_pgparam *p, int count);
void pm_pgparam_free(struct pm_pgparam *p);

/* Set all parameters to NULL, and forget failures. */
void pm_pgparam_clear(struct pm_pgparam *p);

/* Set parameter i, counted from 1, to a copy of a value. Text is escaped by pm_plaintext_copy,
 * bytes become the text of a bytea, NaN becomes NULL. */
void pm_pgparam_int(struct pm_pgparam *p, int i, int64_t v);
void pm_pgparam_real(struct pm_pgparam *p, int i, double v);
void pm_pgparam_text(struct pm_pgparam *p, int i, const char *text, size_t n);
void pm_pgparam_blob(struct pm_pgparam *p, int i, const void *bytes, size_t n);
void pm_pgparam_null(struct pm_pgparam *p, int i);

#endif
