/* Rank the tags of processes. */
#include "config.h"

#include "analysis/ops/ops.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

/* Processes of each operation, which is a tag here. */
struct counting {
	struct pm_opsets sets;
	int64_t *processes;
	size_t counted, room;
};

static int count_job(struct counting *c, struct pm_db *db, struct pm_stmt *q, int64_t job,
		     struct pm_err *e)
{
	int rc;

	pm_opsets_clear(&c->sets);
	if (pm_opsets_add(&c->sets, db, job, e) < 0)
		return -1;
	for (; c->counted < c->sets.ops; c->processes[c->counted++] = 0)
		if (!PM_GROW(c->processes, c->counted, c->room, 16))
			return pm_err(e, "out of memory");
	pm_db_reset(q);
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		size_t n;
		const uint32_t *of = pm_opsets_of(&c->sets, job, pm_db_int(q, 0), &n);

		for (size_t i = 0; i < n; i++)
			c->processes[of[i]] += pm_db_int(q, 1);
	}
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pm_opkey *)a)->name, ((const struct pm_opkey *)b)->name);
}

static int by_rank(const void *a, const void *b)
{
	const struct pm_opkey *x = a, *y = b;

	if (x->processes != y->processes)
		return x->processes < y->processes ? 1 : -1;
	if (x->values != y->values)
		return x->values < y->values ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Make one of all values of a name. Returns how many names are left. */
static size_t join(struct pm_opkey *key, size_t n)
{
	size_t last = 0;

	qsort(key, n, sizeof *key, by_name);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(key[i].name, key[last].name) != 0) {
			key[++last] = key[i];
			continue;
		}
		key[last].processes += key[i].processes;
		key[last].values++;
		free(key[i].name);
	}
	return last + 1;
}

static int rank(const struct counting *c, struct pm_opkey **key, size_t *keys, struct pm_err *e)
{
	size_t n = 0;

	*key = calloc(c->sets.ops + 1, sizeof **key);
	if (!*key)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < c->sets.ops; i++) {
		const char *at = c->sets.op[i].key, *name, *value;
		size_t names, values;

		if (!c->processes[i] || !pm_opselect_next(&at, &name, &names, &value, &values))
			continue;
		(*key)[n] = (struct pm_opkey){ strndup(name, names), c->processes[i], 1 };
		*keys = n + 1;
		if (!(*key)[n++].name)
			return pm_err(e, "out of memory");
	}
	if (n) {
		*keys = join(*key, n);
		qsort(*key, *keys, sizeof **key, by_rank);
	}
	return 0;
}

int pm_opkeys_read(struct pm_opkey **key, size_t *keys, struct pm_db *db, const int64_t *job,
		   size_t jobs, struct pm_err *e)
{
	const struct pm_opselect each = { .mode = PM_OPSELECT_EACH };
	struct counting c = { .processes = NULL };
	struct pm_stmt *q;
	int rc = 0;

	*key = NULL;
	*keys = 0;
	pm_opsets_init(&c.sets, &each, false);
	if (pm_db_prepare(
		    db,
		    "SELECT tag_set, COUNT(*) FROM process WHERE job_id = ? AND tag_set IS NOT "
		    "NULL GROUP BY tag_set",
		    &q, e) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < jobs; i++)
		rc = count_job(&c, db, q, job[i], e);
	pm_db_finish(q);
	if (rc == 0)
		rc = rank(&c, key, keys, e);
	free(c.processes);
	pm_opsets_free(&c.sets);
	return rc;
}

void pm_opkeys_free(struct pm_opkey *key, size_t keys)
{
	for (size_t i = 0; i < keys; i++)
		free(key[i].name);
	free(key);
}
