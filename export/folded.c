/* The process tree as stacks for flame graphs. */
#include "config.h"

#include "export/jobfile.h"

#include "common/grow.h"
#include "common/record/processname.h"

#include <stdlib.h>
#include <string.h>

/* Levels of a stack: deeper ones are left out between, as tools draw no more. */
#define LEVELS 1000

enum measure { CPU, WALL, IO };

/* A process whose descendants are being read. */
struct frame {
	int64_t id;
	char name[PM_PROCESSNAME_MAX];
	int64_t value;      /* by the measure; -1: unknown */
	int64_t begin, end; /* us; end < begin: unknown */
	int64_t covered;    /* us of it in which a child ran */
	int64_t until;      /* end of the latest child so far */
};

struct stacks {
	FILE *f;
	enum measure measure;
	struct frame *frame;
	size_t depth, room;
	int64_t unknown;
};

/* Write the names of a stack, in which nothing else separates them. */
static void put_stack(const struct stacks *s)
{
	const size_t from = s->depth > LEVELS ? s->depth - LEVELS + 1 : 1;

	for (size_t i = 0; i < s->depth; i++) {
		if (i > 0 && i < from) {
			i = from - 1;
			fputs(";...", s->f);
			continue;
		}
		if (i > 0)
			fputc(';', s->f);
		for (const char *p = s->frame[i].name; *p; p++)
			fputc(*p == ';' ? ',' : *p, s->f);
	}
}

/* All descendants of the last process of the stack were read. */
static void pop(struct stacks *s)
{
	const struct frame *last = &s->frame[s->depth - 1];
	int64_t value = last->value;

	if (s->measure == WALL && value >= 0)
		value = value > last->covered ? value - last->covered : 0;
	if (value < 0) {
		s->unknown++;
	} else if (value > 0) {
		put_stack(s);
		fprintf(s->f, " %lld\n", (long long)value);
	}
	s->depth--;
}

/* Count the time of a child in that of its parent: siblings come by their start. */
static void cover(struct frame *parent, const struct frame *child)
{
	int64_t from = child->begin > parent->until ? child->begin : parent->until;
	int64_t to = child->end < parent->end ? child->end : parent->end;

	if (from < parent->begin)
		from = parent->begin;
	if (to > from) {
		parent->covered += to - from;
		parent->until = to;
	}
}

/* Put a process on the stack, below its parent. Returns 0, or -1 if out of memory. */
static int push(struct stacks *s, struct pm_stmt *q)
{
	const int64_t parent = pm_db_int(q, 1), start = pm_db_int(q, 4), duration = pm_db_int(q, 5);
	struct frame *new;

	while (s->depth > 0 && s->frame[s->depth - 1].id != parent)
		pop(s);
	if (!PM_GROW(s->frame, s->depth, s->room, 64))
		return -1;
	new = &s->frame[s->depth++];
	*new = (struct frame){ .id = pm_db_int(q, 0), .value = -1, .until = INT64_MIN, .end = -1 };
	pm_processname(new->name, pm_db_text(q, 2, NULL), pm_db_text(q, 3, NULL), NULL, true);
	if (!pm_db_is_null(q, 6) && pm_db_int(q, 6) >= 0)
		new->value = pm_db_int(q, 6);
	if (pm_db_is_null(q, 4) || pm_db_is_null(q, 5) || duration < 0 ||
	    __builtin_add_overflow(start, duration, &new->end))
		return 0;
	new->begin = start;
	if (s->depth > 1 && new[-1].end >= new[-1].begin)
		cover(&new[-1], new);
	return 0;
}

int pm_export_folded(FILE *f, struct pm_db *db, int64_t job, const char *measure, int64_t *unknown,
		     struct pm_err *e)
{
	/* The last column is the measure; a process comes behind its parent, before the next one.
	 */
	static const char *const sql[] = {
#define TREE "SELECT id, parent_id, exename, args, start_us, duration_us, "
#define OF   " FROM process WHERE job_id = ? ORDER BY id"
		[CPU] = TREE "cpu_time" OF,
		[WALL] = TREE "duration_us" OF,
		[IO] = TREE "rchar + wchar" OF,
	};
	struct stacks s = { .f = f,
			    .measure = strcmp(measure, "cpu") == 0    ? CPU
				       : strcmp(measure, "wall") == 0 ? WALL
								      : IO };
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql[s.measure], &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (push(&s, q) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	while (s.depth > 0)
		pop(&s);
	pm_db_finish(q);
	free(s.frame);
	*unknown = s.unknown;
	return rc;
}
