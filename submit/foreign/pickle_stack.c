/* Opcodes of a pickle that work on its stack: marks, the memo, lists and dicts. */
#include "config.h"

#include "submit/foreign/pickle_ops.h"

/* Number of values that an opcode may use: those above the last mark. */
static size_t above_mark(const struct pm_pickle *p)
{
	size_t mark = p->marks ? p->mark[p->marks - 1] : 0;

	return p->depth > mark ? p->depth - mark : 0;
}

int pm_pickle_need(struct pm_pickle_run *r, size_t n)
{
	return above_mark(r->p) < n ? pm_pickle_bad(r, "the stack is empty") : 0;
}

static int push_index(struct pm_pickle_run *r, uint32_t value)
{
	return pm_pickle_push(r->p, value) < 0 ? pm_pickle_bad(r, "its stack is too deep") : 0;
}

int pm_pickle_op_mark(struct pm_pickle_run *r, int a, int b)
{
	(void)a, (void)b;
	return pm_pickle_mark(r->p) < 0 ? pm_pickle_bad(r, "too many marks") : 0;
}

/* Remove the last mark. *from gets the start of the values above it. Returns 0 or -1. */
static int pop_mark(struct pm_pickle_run *r, size_t *from)
{
	struct pm_pickle *p = r->p;

	if (p->marks == 0 || p->mark[p->marks - 1] > p->depth)
		return pm_pickle_bad(r, "a mark is missing");
	*from = p->mark[--p->marks];
	return 0;
}

int pm_pickle_op_pop_mark(struct pm_pickle_run *r, int a, int b)
{
	size_t from = 0;

	(void)a, (void)b;
	if (pop_mark(r, &from) < 0)
		return -1;
	r->p->depth = from;
	return 0;
}

int pm_pickle_op_pop(struct pm_pickle_run *r, int a, int b)
{
	struct pm_pickle *p = r->p;

	(void)a, (void)b;
	/* Like Python, pop the mark if no value is above it. */
	if (p->marks && p->mark[p->marks - 1] == p->depth)
		p->marks--;
	else if (pm_pickle_need(r, 1) < 0)
		return -1;
	else
		p->depth--;
	return 0;
}

int pm_pickle_op_dup(struct pm_pickle_run *r, int a, int b)
{
	(void)a, (void)b;
	return pm_pickle_need(r, 1) < 0 ? -1 : push_index(r, r->p->stack[r->p->depth - 1]);
}

/* Read the number of a memo entry: see pickle_ops.h. Returns 0 or -1. */
static int memo_number(struct pm_pickle_run *r, int width, uint64_t *at)
{
	struct pm_pickle_value v;
	const char *line = NULL;
	size_t n = 0;

	if (width < 0) {
		*at = r->p->memos;
		return 0;
	}
	if (width > 0)
		return pm_pickle_take_size(r, width, at);
	if (pm_pickle_take_line(r, &line, &n) < 0)
		return -1;
	if (pm_pickle_number(&v, 'L', line, n) < 0 || v.type != PM_PICKLE_INT || v.u.number < 0)
		return pm_pickle_bad(r, "a number is malformed");
	*at = (uint64_t)v.u.number;
	return 0;
}

int pm_pickle_op_put(struct pm_pickle_run *r, int width, int b)
{
	struct pm_pickle *p = r->p;
	uint64_t at;

	(void)b;
	if (memo_number(r, width, &at) < 0)
		return -1;
	if (p->depth == 0)
		return pm_pickle_bad(r, "the stack is empty");
	return pm_pickle_memo(p, at, p->stack[p->depth - 1]) < 0
		       ? pm_pickle_bad(r, "its memo is too large")
		       : 0;
}

int pm_pickle_op_get(struct pm_pickle_run *r, int width, int b)
{
	struct pm_pickle *p = r->p;
	uint64_t at;

	(void)b;
	if (memo_number(r, width, &at) < 0)
		return -1;
	if (at >= p->memos || p->memo[at] == PM_PICKLE_NONE)
		return pm_pickle_bad(r, "it refers to a memo entry that does not exist");
	return push_index(r, p->memo[at]);
}

/* Move the values from `from` to `end` into a container; for a dict they are keys and values in
 * turn. Returns 0 or -1. */
static int append_values(struct pm_pickle_run *r, uint32_t container, int type, size_t from,
			 size_t end)
{
	struct pm_pickle *p = r->p;
	size_t step = type == PM_PICKLE_DICT ? 2 : 1;

	for (size_t i = from; i < end; i += step)
		if (pm_pickle_append(p, container, step == 2 ? p->stack[i] : PM_PICKLE_NONE,
				     p->stack[i + step - 1]) < 0)
			return pm_pickle_bad(r, "too many values");
	p->depth = from;
	return 0;
}

/* Find the top `count` values of the stack, or for 0 those above the mark; *from gets their start.
 * Returns 0, or -1 unless `more` values are below them. */
static int find_items(struct pm_pickle_run *r, size_t count, size_t more, size_t *from)
{
	if (count == 0)
		return pop_mark(r, from);
	if (pm_pickle_need(r, count + more) < 0)
		return -1;
	*from = r->p->depth - count;
	return 0;
}

int pm_pickle_op_collect(struct pm_pickle_run *r, int type, int count)
{
	struct pm_pickle *p = r->p;
	uint32_t container;
	size_t from = 0, end;

	if (find_items(r, (size_t)count, 0, &from) < 0)
		return -1;
	end = p->depth;
	if (type == PM_PICKLE_DICT && (end - from) % 2)
		return pm_pickle_bad(r, "a key without a value");
	if (pm_pickle_op_simple(r, type, false) < 0)
		return -1;
	container = p->stack[p->depth - 1];
	return append_values(r, container, type, from, end) < 0 ? -1 : push_index(r, container);
}

int pm_pickle_op_extend(struct pm_pickle_run *r, int type, int count)
{
	struct pm_pickle *p = r->p;
	uint32_t container;
	size_t from = 0;

	if (find_items(r, (size_t)count, 1, &from) < 0)
		return -1;
	/* Values below a mark that is still open must not change. */
	if (from > p->depth || from == 0 || (p->marks && p->mark[p->marks - 1] >= from))
		return pm_pickle_bad(r, "the stack is empty");
	container = p->stack[from - 1];
	if (p->value[container].type != type || (type == PM_PICKLE_DICT && (p->depth - from) % 2))
		return pm_pickle_bad(r, "it adds items to a value that has no items");
	return append_values(r, container, type, from, p->depth);
}
