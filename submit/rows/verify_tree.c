/* One pass over a job's processes that sees whether anything is wrong with them. Which of them, and
 * what, is told by the queries of verify.c, each of which reads them all again. */
#include "config.h"

#include "submit/rows/verify_tree.h"

#include "common/grow.h"

#include <stdlib.h>

/* A number that may be unknown. */
struct number {
	bool known;
	int64_t v;
};

/* A process whose descendants are being read. */
struct above {
	int64_t id, depth;
	struct number cpu, inclusive;
	struct number children; /* sum of the inclusive CPU times of its children */
};

struct walk {
	struct above *above; /* the ancestors of the last row, the root first, and that row */
	size_t n, cap;
};

/* Columns of the query. */
enum column { ID, PARENT, DEPTH, CPU, USER, SYSTEM, INCLUSIVE, START, END, COLUMNS };

static struct number take(struct pm_stmt *q, enum column c)
{
	return (struct number){ !pm_db_is_null(q, (int)c), pm_db_int(q, (int)c) };
}

/* Add what is known. Returns whether the sum is in range. */
static bool add(struct number *sum, struct number x)
{
	if (!x.known)
		return true;
	sum->known = true;
	return !__builtin_add_overflow(sum->v, x.v, &sum->v);
}

static bool is_equal(struct number a, struct number b)
{
	return a.known == b.known && (!a.known || a.v == b.v);
}

/* Leave the last process: all of its descendants were read. Returns whether its sum is right. */
static bool leave(struct walk *w)
{
	struct above *x = &w->above[--w->n];
	struct number sum = x->children;

	return add(&sum, x->cpu) && is_equal(sum, x->inclusive) &&
	       (w->n == 0 || add(&w->above[w->n - 1].children, x->inclusive));
}

static bool is_odd(struct number t, int64_t latest_us)
{
	return t.known && (t.v < PM_VERIFY_EARLIEST_US || t.v > latest_us);
}

static bool has_times(struct pm_stmt *q, int64_t latest_us)
{
	struct number start = take(q, START), end = take(q, END), cpu = take(q, USER);

	if (is_odd(start, latest_us) || is_odd(end, latest_us) ||
	    (start.known && end.known && end.v < start.v))
		return false;
	if (pm_db_is_null(q, SYSTEM))
		cpu.known = false;
	return (!cpu.known || add(&cpu, take(q, SYSTEM))) && is_equal(cpu, take(q, CPU));
}

/* Whether the row has integers alone: SQLite keeps what else somebody writes. */
static bool has_integers(struct pm_stmt *q)
{
	for (int i = 0; i < COLUMNS; i++)
		if (!pm_db_is_null(q, i) && pm_db_type(q, i) != PM_DB_INTEGER)
			return false;
	return true;
}

/* Take the next process. Returns 1 where it is sound so far, 0 where not, or -1 with e filled. */
static int enter(struct walk *w, struct pm_stmt *q, struct pm_err *e)
{
	struct number parent = take(q, PARENT), depth = take(q, DEPTH);
	struct above *x;

	while (w->n && (!parent.known || w->above[w->n - 1].id != parent.v))
		if (!leave(w))
			return 0;
	/* A parent comes before its children, and between them only their descendants. */
	if ((parent.known && !w->n) || !depth.known ||
	    depth.v != (w->n ? w->above[w->n - 1].depth + 1 : 0))
		return 0;
	if (!PM_GROW(w->above, w->n, w->cap, 64))
		return pm_err(e, "out of memory");
	x = &w->above[w->n++];
	*x = (struct above){ .id = pm_db_int(q, ID), .depth = depth.v };
	x->cpu = take(q, CPU);
	x->inclusive = take(q, INCLUSIVE);
	return 1;
}

int pm_verify_tree(struct pm_db *db, int64_t job, int64_t latest_us, struct pm_err *e)
{
	struct walk w = { .n = 0 };
	struct pm_stmt *q;
	int sound = 1, rc;

	if (pm_db_prepare(db,
			  "SELECT id, parent_id, depth, cpu_time, usertime, systemtime, "
			  "inclusive_cpu_time, start_us, end_us FROM process WHERE job_id = ? "
			  "ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while (sound > 0 && (rc = pm_db_step(q, e)) != 0)
		sound = rc < 0                                       ? -1
			: has_integers(q) && has_times(q, latest_us) ? enter(&w, q, e)
								     : 0;
	while (sound > 0 && w.n)
		sound = leave(&w);
	pm_db_finish(q);
	free(w.above);
	return sound;
}
