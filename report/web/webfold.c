/* Which processes of a large job a page folds. */
#include "config.h"

#include "report/web/webfold.h"

#include "common/grow.h"
#include "report/rows/query_row.h"

#include "report/print/format.h"

#include <stdlib.h>
#include <string.h>

/* Limits that are tried: powers of the square root of 2, in us, up to months. */
#define LIMITS 87 /* the next one is beyond 64 bits on the way */

struct pm_webfold {
	int32_t *parent; /* of each process, its number; -1: none */
	unsigned char
		*size; /* of each: how many limits its wall time reaches, LIMITS where unknown */
	size_t n, room;
};

/* The limit number i in us. */
static int64_t limit_us(int i)
{
	static const int64_t half[] = { 1000000, 1414213 };

	return (half[i % 2] << (i / 2)) / 1000000;
}

/* How many limits a wall time reaches. */
static unsigned char size_of(int64_t us)
{
	int n = 0;

	if (us == PM_UNKNOWN)
		return LIMITS;
	while (n < LIMITS && us >= limit_us(n))
		n++;
	return (unsigned char)n;
}

/* Read parents and wall times. The way from the root is kept to find a parent's number. */
static int read_processes(struct pm_webfold *p, struct pm_stmt *q, struct pm_err *e)
{
	struct way {
		int64_t id;
		int32_t number;
	} *way = NULL;
	size_t ways = 0, way_room = 0, parent_room = 0;
	int rc;

	while ((rc = pm_db_step(q, e)) > 0) {
		size_t n = ways;

		if (p->n == INT32_MAX || !PM_GROW(p->parent, p->n, parent_room, 4096) ||
		    !PM_GROW(p->size, p->n, p->room, 4096) || !PM_GROW(way, ways, way_room, 64)) {
			rc = pm_err(e, "fold processes: out of memory");
			break;
		}
		if (pm_db_is_null(q, 1))
			n = 0;
		while (n > 0 && way[n - 1].id != pm_db_int(q, 1))
			n--;
		p->parent[p->n] = n ? way[n - 1].number : -1;
		p->size[p->n] = size_of(pm_query_int(q, 2));
		way[n] = (struct way){ pm_db_int(q, 0), (int32_t)p->n };
		ways = n + 1;
		p->n++;
	}
	free(way);
	return rc;
}

/* Raise the size of each process to that of the largest below it: a parent comes before. */
static void raise_parents(struct pm_webfold *p)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->parent[i] >= 0 && p->size[p->parent[i]] < p->size[i])
			p->size[p->parent[i]] = p->size[i];
}

int pm_webfold_limit(const struct pm_webfold *p, int64_t most)
{
	int64_t of_size[LIMITS + 1] = { 0 }, kept = 0;
	int limit;

	for (size_t i = 0; i < p->n; i++)
		of_size[p->size[i]]++;
	for (limit = LIMITS; limit > 0; limit--) {
		if (kept + of_size[limit] > most && limit < LIMITS)
			break;
		kept += of_size[limit];
	}
	return limit + 1;
}

struct pm_webfold *pm_webfold_read(struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] = "SELECT id, parent_id, duration_us FROM process WHERE job_id = ?"
				  " ORDER BY id";
	struct pm_webfold *p = calloc(1, sizeof *p);
	struct pm_stmt *q;
	int rc;

	if (!p) {
		pm_err(e, "fold processes: out of memory");
		return NULL;
	}
	rc = pm_query_prepare(db, sql, job, &q, e);
	if (rc == 0) {
		rc = read_processes(p, q, e);
		pm_db_finish(q);
	}
	if (rc < 0) {
		pm_webfold_free(p);
		return NULL;
	}
	raise_parents(p);
	return p;
}

void pm_webfold_free(struct pm_webfold *p)
{
	if (!p)
		return;
	free(p->parent);
	free(p->size);
	free(p);
}

bool pm_webfold_folds(const struct pm_webfold *p, int limit, int64_t n)
{
	return n >= 0 && (size_t)n < p->n && p->size[n] < limit;
}

int64_t pm_webfold_limit_us(int limit)
{
	return limit > 0 ? limit_us(limit - 1) : 0;
}
