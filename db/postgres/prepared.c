/* Prepared statements by their text. */
#include "config.h"

#ifdef HAVE_PQ

#include "db/postgres/prepared.h"

#include "db/postgres/placeholder.h"

#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pm_pgprepared *pm_pgprepared_find(struct pm_pgprepared_list *l, const char *sql)
{
	struct pm_pgprepared *k, **grown;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->item[i]->sql, sql) == 0)
			return l->item[i];
	grown = realloc(l->item, (l->count + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	l->item = grown;
	k = calloc(1, sizeof *k);
	if (!k || !(k->sql = strdup(sql))) {
		free(k);
		return NULL;
	}
	snprintf(k->name, sizeof k->name, "perfmon_%zu", l->count);
	l->item[l->count++] = k;
	return k;
}

int pm_pgprepared_prepare(struct pm_pgprepared *k, struct pm_pgwire *w, struct pm_err *e)
{
	struct pm_pgwire_shape *shape;
	char *sql = pm_placeholder_number(k->sql, &k->params);
	int rc, error;

	if (!sql) {
		errno = ENOMEM;
		return pm_err(e, "out of memory");
	}
	rc = pm_pgwire_prepare(w, k->name, sql, &shape, e);
	error = errno;
	if (rc < 0)
		pm_debug("not prepared: %s", sql);
	free(sql);
	errno = error;
	if (rc < 0)
		return -1;
	pm_pgwire_shape_free(k->shape);
	k->shape = shape;
	k->there = true;
	return 0;
}

void pm_pgprepared_forget(struct pm_pgprepared_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->item[i]->there = false;
}

void pm_pgprepared_free(struct pm_pgprepared_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		pm_pgwire_shape_free(l->item[i]->shape);
		free(l->item[i]->sql);
		free(l->item[i]);
	}
	free(l->item);
}

#endif
