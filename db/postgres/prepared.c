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

/* Runs for each of which the server makes a plan of its own (PREPARE in PostgreSQL's manual). */
#define RUNS 5

static bool has_word(const char *sql, const char *word)
{
	static const char in_words[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t n = strlen(word);

	for (const char *p = sql; (p = strstr(p, word)) != NULL; p += n)
		if ((p == sql || !strchr(in_words, p[-1])) && (!p[n] || !strchr(in_words, p[n])))
			return true;
	return false;
}

/* Whether a statement may be about partitioned tables, or views of them. */
static bool is_parted(const char *sql)
{
	static const char *const view[] = { "process_tree", "tag",    "counter_summary",
					    "operation",    "thread", "sample" };
	const struct pm_schema_table *t;
	size_t n;

	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++)
		if (t[i].bulk && has_word(sql, t[i].name))
			return true;
	for (size_t i = 0; i < sizeof view / sizeof view[0]; i++)
		if (has_word(sql, view[i]))
			return true;
	return false;
}

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
	k->parted = is_parted(sql);
	snprintf(k->name, sizeof k->name, "perfmon_%zu", l->count);
	l->item[l->count++] = k;
	return k;
}

void pm_pgprepared_ran(struct pm_pgprepared *k)
{
	if (k->parted && ++k->runs == RUNS)
		k->there = false;
}

int pm_pgprepared_prepare(struct pm_pgprepared *k, struct pm_pgwire *w, struct pm_err *e)
{
	char forget[sizeof k->name + 16];
	struct pm_pgwire_shape *shape;
	char *sql = pm_placeholder_number(k->sql, &k->params);
	int rc = 0, error;

	if (!sql) {
		errno = ENOMEM;
		return pm_err(e, "out of memory");
	}
	if (k->runs) {
		snprintf(forget, sizeof forget, "DEALLOCATE %s", k->name);
		rc = pm_pgwire_command(w, forget, NULL, e);
	}
	if (rc == 0) {
		k->runs = 0;
		rc = pm_pgwire_prepare(w, k->name, sql, &shape, e);
	}
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
	for (size_t i = 0; i < l->count; i++) {
		l->item[i]->there = false;
		l->item[i]->runs = 0;
	}
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
