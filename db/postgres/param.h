/* The parameters of a statement as texts, as PostgreSQL takes them. Programs only. */
#ifndef PM_DB_PGPARAM_H
#define PM_DB_PGPARAM_H

#include <stddef.h>
#include <stdint.h>

struct pm_pgparam {
	int count;
	const char **value; /* texts, NULL for NULL */
	char **text;        /* where they are kept */
	size_t *cap;
	int bad; /* errno of the first value that could not be set, or 0 */
};

/* Begin with `count` parameters, all NULL. Returns 0 or -1 without memory; pm_pgparam_free does for
 * both. */
int pm_pgparam_init(struct pm_pgparam *p, int count);
void pm_pgparam_free(struct pm_pgparam *p);

/* Set all NULL, and forget failures. */
void pm_pgparam_clear(struct pm_pgparam *p);

/* Set parameter i, from 1. A value is copied; text is made such as pm_plaintext_copy has it, bytes
 * the text of a bytea, a number that is none NULL. */
void pm_pgparam_int(struct pm_pgparam *p, int i, int64_t v);
void pm_pgparam_real(struct pm_pgparam *p, int i, double v);
void pm_pgparam_text(struct pm_pgparam *p, int i, const char *text, size_t n);
void pm_pgparam_blob(struct pm_pgparam *p, int i, const void *bytes, size_t n);
void pm_pgparam_null(struct pm_pgparam *p, int i);

#endif
