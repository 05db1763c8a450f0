/*
 * The virtual machine of pickles, without the part that runs Python: a stack, marks, a memo.
 * Opcodes as in Python's pickletools.
 */
#include "config.h"

#include "submit/pickle.h"

#include "submit/pickle_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct input {
	const unsigned char *at, *end;
	struct pm_err *e;
};

static int bad(struct input *in, const char *why)
{
	return pm_err(in->e, "not a pickle of data: %s", why);
}

/* Take `n` bytes. Returns them or NULL. */
static const unsigned char *take(struct input *in, uint64_t n)
{
	const unsigned char *p = in->at;

	if (n > (uint64_t)(in->end - in->at)) {
		bad(in, "it is cut");
		return NULL;
	}
	in->at += n;
	return p;
}

/* A number of `n` bytes, low ones first. Returns 0 or -1. */
static int take_size(struct input *in, int n, uint64_t *out)
{
	const unsigned char *p = take(in, (uint64_t)n);

	if (!p)
		return -1;
	*out = 0;
	for (int i = n; i > 0; i--)
		*out = *out << 8 | p[i - 1];
	return 0;
}

/* A line, without its newline. Returns 0 or -1. */
static int take_line(struct input *in, const char **line, size_t *n)
{
	const unsigned char *newline = memchr(in->at, '\n', (size_t)(in->end - in->at));

	if (!newline)
		return bad(in, "it is cut");
	*line = (const char *)in->at;
	*n = (size_t)(newline - in->at);
	in->at = newline + 1;
	return 0;
}

static int push_value(struct pm_pickle *p, struct input *in, const struct pm_pickle_value *v)
{
	uint32_t i = pm_pickle_add(p, v);

	if (i == PM_PICKLE_NONE || pm_pickle_push(p, i) < 0)
		return bad(in, "too many values");
	return 0;
}

static int push_int(struct pm_pickle *p, struct input *in, int64_t number)
{
	struct pm_pickle_value v = { .type = PM_PICKLE_INT, .u.number = number };

	return push_value(p, in, &v);
}

static int push_simple(struct pm_pickle *p, struct input *in, enum pm_pickle_type type, bool truth)
{
	struct pm_pickle_value v = { .type = (unsigned char)type,
				     .first = PM_PICKLE_NONE,
				     .last = PM_PICKLE_NONE };

	if (type == PM_PICKLE_BOOL)
		v.u.truth = truth;
	return push_value(p, in, &v);
}

static int push_text(struct pm_pickle *p, struct input *in, enum pm_pickle_type type, const char *s,
		     size_t n)
{
	struct pm_pickle_value v = { .type = (unsigned char)type };

	if (!s)
		return bad(in, "a text is damaged or too long");
	v.u.text.p = s;
	v.u.text.n = n;
	return push_value(p, in, &v);
}

/* A text or bytes whose length comes first, in `width` bytes. */
static int sized(struct pm_pickle *p, struct input *in, enum pm_pickle_type type, int width)
{
	const unsigned char *s;
	uint64_t n;

	if (take_size(in, width, &n) < 0 || !(s = take(in, n)))
		return -1;
	return push_text(p, in, type, (const char *)s, (size_t)n);
}

/* An integer of `n` bytes in two's complement. */
static int long_int(struct pm_pickle *p, struct input *in, uint64_t n)
{
	const unsigned char *s = take(in, n);
	struct pm_pickle_value v;

	if (!s)
		return -1;
	pm_pickle_long(&v, s, (size_t)n);
	return push_value(p, in, &v);
}

static int real(struct pm_pickle *p, struct input *in)
{
	struct pm_pickle_value v = { .type = PM_PICKLE_FLOAT };
	const unsigned char *s = take(in, 8);
	uint64_t bits = 0;

	if (!s)
		return -1;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | s[i];
	memcpy(&v.u.real, &bits, sizeof bits);
	return push_value(p, in, &v);
}

/* An opcode of protocol 0 whose argument is a line. */
static int line_op(struct pm_pickle *p, struct input *in, int op)
{
	struct pm_pickle_value v;
	const char *line = NULL, *text;
	size_t n = 0;

	if (take_line(in, &line, &n) < 0)
		return -1;
	switch (op) {
	case 'S':
		text = pm_pickle_quoted(p, line, n, &n);
		return push_text(p, in, PM_PICKLE_TEXT, text, n);
	case 'V':
		text = pm_pickle_unicode(p, line, n, &n);
		return push_text(p, in, PM_PICKLE_TEXT, text, n);
	default:
		if (pm_pickle_number(&v, op, line, n) < 0)
			return bad(in, "a number is none");
		return push_value(p, in, &v);
	}
}

/* Put the top of the stack into the memo. */
static int put(struct pm_pickle *p, struct input *in, uint64_t at)
{
	if (p->depth == 0)
		return bad(in, "the stack is empty");
	return pm_pickle_memo(p, at, p->stack[p->depth - 1]) < 0 ? bad(in, "its memo is too large")
								 : 0;
}

static int get(struct pm_pickle *p, struct input *in, uint64_t at)
{
	if (at >= p->memos || p->memo[at] == PM_PICKLE_NONE)
		return bad(in, "nothing is in the memo there");
	return pm_pickle_push(p, p->memo[at]) < 0 ? bad(in, "its stack is too deep") : 0;
}

static int memo_op(struct pm_pickle *p, struct input *in, int op)
{
	int width = op == 'q' || op == 'h' ? 1 : 4;
	struct pm_pickle_value v;
	const char *line = NULL;
	uint64_t at;
	size_t n = 0;

	if (op == 'p' || op == 'g') {
		if (take_line(in, &line, &n) < 0)
			return -1;
		if (pm_pickle_number(&v, 'L', line, n) < 0 || v.type != PM_PICKLE_INT ||
		    v.u.number < 0)
			return bad(in, "a number is none");
		at = (uint64_t)v.u.number;
	} else if (take_size(in, width, &at) < 0) {
		return -1;
	}
	return op == 'p' || op == 'q' || op == 'r' ? put(p, in, at) : get(p, in, at);
}

/* Where the values above the last mark begin; the mark is gone. Returns 0 or -1. */
static int pop_mark(struct pm_pickle *p, struct input *in, size_t *from)
{
	if (p->marks == 0 || p->mark[p->marks - 1] > p->depth)
		return bad(in, "a mark is missing");
	*from = p->mark[--p->marks];
	return 0;
}

/* Make a list or a dict of the values from `from` on. */
static int collect(struct pm_pickle *p, struct input *in, enum pm_pickle_type type, size_t from)
{
	size_t end = p->depth, step = type == PM_PICKLE_DICT ? 2 : 1;
	uint32_t container;

	if (from > end || (end - from) % step)
		return bad(in, "a key without a value");
	if (push_simple(p, in, type, false) < 0)
		return -1;
	container = p->stack[p->depth - 1];
	for (size_t i = from; i < end; i += step)
		if (pm_pickle_append(p, container,
				     type == PM_PICKLE_DICT ? p->stack[i] : PM_PICKLE_NONE,
				     p->stack[i + step - 1]) < 0)
			return bad(in, "too many values");
	p->depth = from;
	return pm_pickle_push(p, container);
}

/* Add the values from `from` on to the list or dict below them. */
static int extend(struct pm_pickle *p, struct input *in, enum pm_pickle_type type, size_t from)
{
	size_t step = type == PM_PICKLE_DICT ? 2 : 1;
	uint32_t container;

	/* Nothing below a mark that is still open is touched. */
	if (from > p->depth || from == 0 || (p->marks && p->mark[p->marks - 1] >= from))
		return bad(in, "the stack is empty");
	container = p->stack[from - 1];
	if (p->value[container].type != type || (p->depth - from) % step)
		return bad(in, "items of what has none");
	for (size_t i = from; i < p->depth; i += step)
		if (pm_pickle_append(p, container, step == 2 ? p->stack[i] : PM_PICKLE_NONE,
				     p->stack[i + step - 1]) < 0)
			return bad(in, "too many values");
	p->depth = from;
	return 0;
}

/* Values that are there for an opcode, above the last mark. */
static size_t above_mark(const struct pm_pickle *p)
{
	size_t mark = p->marks ? p->mark[p->marks - 1] : 0;

	return p->depth > mark ? p->depth - mark : 0;
}

static int container_op(struct pm_pickle *p, struct input *in, int op)
{
	size_t from = 0;

	switch (op) {
	case ']':
	case ')':
		return push_simple(p, in, PM_PICKLE_LIST, false);
	case '}':
		return push_simple(p, in, PM_PICKLE_DICT, false);
	case 'l':
	case 't':
		return pop_mark(p, in, &from) < 0 ? -1 : collect(p, in, PM_PICKLE_LIST, from);
	case 'd':
		return pop_mark(p, in, &from) < 0 ? -1 : collect(p, in, PM_PICKLE_DICT, from);
	case 'e':
		return pop_mark(p, in, &from) < 0 ? -1 : extend(p, in, PM_PICKLE_LIST, from);
	case 'u':
		return pop_mark(p, in, &from) < 0 ? -1 : extend(p, in, PM_PICKLE_DICT, from);
	case 'a':
		if (above_mark(p) < 2)
			return bad(in, "the stack is empty");
		return extend(p, in, PM_PICKLE_LIST, p->depth - 1);
	case 's':
		if (above_mark(p) < 3)
			return bad(in, "the stack is empty");
		return extend(p, in, PM_PICKLE_DICT, p->depth - 2);
	default: /* TUPLE1 to TUPLE3 */
		from = (size_t)(op - 0x84);
		if (above_mark(p) < from)
			return bad(in, "the stack is empty");
		return collect(p, in, PM_PICKLE_LIST, p->depth - from);
	}
}

/* A name: one of the few that are data. */
static int name(struct pm_pickle *p, struct input *in, const char *module, size_t module_n,
		const char *what, size_t n)
{
	struct pm_pickle_value v;

	if (pm_pickle_name(&v, module, module_n, what, n) < 0)
		return pm_err(in->e, "it asks for %.*s.%.*s, which is not data",
			      (int)(module_n < 64 ? module_n : 64), module, (int)(n < 64 ? n : 64),
			      what);
	return push_value(p, in, &v);
}

static int name_op(struct pm_pickle *p, struct input *in, int op)
{
	const struct pm_pickle_value *a, *b;
	const char *module = NULL, *what = NULL;
	size_t module_n = 0, n = 0;

	if (op == 'c') {
		if (take_line(in, &module, &module_n) < 0 || take_line(in, &what, &n) < 0)
			return -1;
		return name(p, in, module, module_n, what, n);
	}
	if (above_mark(p) < 2)
		return bad(in, "the stack is empty");
	a = &p->value[p->stack[p->depth - 2]];
	b = &p->value[p->stack[p->depth - 1]];
	if (a->type != PM_PICKLE_TEXT || b->type != PM_PICKLE_TEXT)
		return bad(in, "a name that is no text");
	p->depth -= 2;
	return name(p, in, a->u.text.p, a->u.text.n, b->u.text.p, b->u.text.n);
}

static int reduce(struct pm_pickle *p, struct input *in)
{
	struct pm_pickle_value v;

	if (above_mark(p) < 2)
		return bad(in, "the stack is empty");
	if (pm_pickle_construct(p, &v, p->stack[p->depth - 2], p->stack[p->depth - 1]) < 0)
		return bad(in, "a constructor with wrong arguments, or none");
	p->depth -= 2;
	return push_value(p, in, &v);
}

static int stack_op(struct pm_pickle *p, struct input *in, int op)
{
	size_t from;

	switch (op) {
	case '(':
		return pm_pickle_mark(p) < 0 ? bad(in, "too many marks") : 0;
	case '1':
		if (pop_mark(p, in, &from) < 0)
			return -1;
		p->depth = from;
		return 0;
	case '0':
		/* Python pops the mark where nothing lies above it. */
		if (p->marks && p->mark[p->marks - 1] == p->depth)
			p->marks--;
		else if (above_mark(p))
			p->depth--;
		else
			return bad(in, "the stack is empty");
		return 0;
	default: /* DUP */
		if (!above_mark(p))
			return bad(in, "the stack is empty");
		return pm_pickle_push(p, p->stack[p->depth - 1]) < 0
			       ? bad(in, "its stack is too deep")
			       : 0;
	}
}

static int number_op(struct pm_pickle *p, struct input *in, int op)
{
	uint64_t n = 0;

	switch (op) {
	case 'J':
		return take_size(in, 4, &n) < 0 ? -1 : push_int(p, in, (int32_t)(uint32_t)n);
	case 'K':
		return take_size(in, 1, &n) < 0 ? -1 : push_int(p, in, (int64_t)n);
	case 'M':
		return take_size(in, 2, &n) < 0 ? -1 : push_int(p, in, (int64_t)n);
	case 'G':
		return real(p, in);
	case 0x8a:
		return take_size(in, 1, &n) < 0 ? -1 : long_int(p, in, n);
	default:
		return take_size(in, 4, &n) < 0 ? -1 : long_int(p, in, n);
	}
}

/* Do one opcode. Returns 0 or -1. */
static int step(struct pm_pickle *p, struct input *in, int op)
{
	uint64_t n;

	switch (op) {
	case 0x80: /* PROTO */
		if (take_size(in, 1, &n) < 0)
			return -1;
		return n > 5 ? bad(in, "of a protocol later than 5") : 0;
	case 0x95: /* FRAME */
		return take_size(in, 8, &n);
	case 0x94: /* MEMOIZE */
		return put(p, in, p->memos);
	case 'p':
	case 'q':
	case 'r':
	case 'g':
	case 'h':
	case 'j':
		return memo_op(p, in, op);
	case 'N':
		return push_simple(p, in, PM_PICKLE_NULL, false);
	case 0x88:
	case 0x89:
		return push_simple(p, in, PM_PICKLE_BOOL, op == 0x88);
	case 'I':
	case 'L':
	case 'F':
	case 'S':
	case 'V':
		return line_op(p, in, op);
	case 'J':
	case 'K':
	case 'M':
	case 'G':
	case 0x8a:
	case 0x8b:
		return number_op(p, in, op);
	case 'X':
	case 'T':
		return sized(p, in, PM_PICKLE_TEXT, 4);
	case 0x8c:
	case 'U':
		return sized(p, in, PM_PICKLE_TEXT, 1);
	case 0x8d:
		return sized(p, in, PM_PICKLE_TEXT, 8);
	case 'B':
		return sized(p, in, PM_PICKLE_BYTES, 4);
	case 'C':
		return sized(p, in, PM_PICKLE_BYTES, 1);
	case 0x8e:
		return sized(p, in, PM_PICKLE_BYTES, 8);
	case ']':
	case ')':
	case '}':
	case 'l':
	case 't':
	case 'd':
	case 'e':
	case 'u':
	case 'a':
	case 's':
	case 0x85:
	case 0x86:
	case 0x87:
		return container_op(p, in, op);
	case 'c':
	case 0x93:
		return name_op(p, in, op);
	case 'R':
		return reduce(p, in);
	case '(':
	case '0':
	case '1':
	case '2':
		return stack_op(p, in, op);
	default:
		return pm_err(in->e, "not a pickle of data: opcode 0x%02x", (unsigned)op);
	}
}

int pm_pickle_read(struct pm_pickle *p, const void *data, size_t n, struct pm_err *e)
{
	struct input in = { data, (const unsigned char *)data + n, e };
	const unsigned char *op;

	memset(p, 0, sizeof *p);
	p->root = PM_PICKLE_NONE;
	if (n > PM_PICKLE_MAX)
		return bad(&in, "it is too long");
	while ((op = take(&in, 1)) != NULL) {
		if (*op == '.') {
			if (p->depth != 1 || p->marks)
				return bad(&in, "it ends with more than one value, or none");
			p->root = p->stack[0];
			return 0;
		}
		if (step(p, &in, *op) < 0)
			return -1;
	}
	return -1;
}
