/*
 * Virtual machine of pickles, without the part that runs Python: a stack, marks, a memo. Opcodes as
 * in Python's pickletools.
 */
#include "config.h"

#include "submit/foreign/pickle_ops.h"

#include <string.h>

int pm_pickle_bad(struct pm_pickle_run *r, const char *why)
{
	return pm_err(r->e, "not a pickle of data: %s", why);
}

const unsigned char *pm_pickle_take(struct pm_pickle_run *r, uint64_t n)
{
	const unsigned char *p = r->at;

	if (n > (uint64_t)(r->end - r->at)) {
		pm_pickle_bad(r, "it is truncated");
		return NULL;
	}
	r->at += n;
	return p;
}

int pm_pickle_take_size(struct pm_pickle_run *r, int n, uint64_t *out)
{
	const unsigned char *p = pm_pickle_take(r, (uint64_t)n);

	if (!p)
		return -1;
	*out = 0;
	for (int i = n; i > 0; i--)
		*out = *out << 8 | p[i - 1];
	return 0;
}

int pm_pickle_take_line(struct pm_pickle_run *r, const char **line, size_t *n)
{
	const unsigned char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (!newline)
		return pm_pickle_bad(r, "it is truncated");
	*line = (const char *)r->at;
	*n = (size_t)(newline - r->at);
	r->at = newline + 1;
	return 0;
}

static int op_protocol(struct pm_pickle_run *r, int a, int b)
{
	uint64_t n;

	(void)a, (void)b;
	if (pm_pickle_take_size(r, 1, &n) < 0)
		return -1;
	return n > 5 ? pm_pickle_bad(r, "its protocol is newer than 5") : 0;
}

static int op_frame(struct pm_pickle_run *r, int a, int b)
{
	uint64_t n;

	(void)a, (void)b;
	return pm_pickle_take_size(r, 8, &n);
}

static const struct {
	pm_pickle_op *op;
	int a, b;
} table[256] = {
	[0x80] = { op_protocol, 0, 0 },
	[0x95] = { op_frame, 0, 0 },

	['N'] = { pm_pickle_op_simple, PM_PICKLE_NULL, 0 },
	[0x88] = { pm_pickle_op_simple, PM_PICKLE_BOOL, true },
	[0x89] = { pm_pickle_op_simple, PM_PICKLE_BOOL, false },
	['J'] = { pm_pickle_op_int, 4, true },
	['K'] = { pm_pickle_op_int, 1, false },
	['M'] = { pm_pickle_op_int, 2, false },
	['G'] = { pm_pickle_op_real, 0, 0 },
	[0x8a] = { pm_pickle_op_long, 1, 0 },
	[0x8b] = { pm_pickle_op_long, 4, 0 },
	['I'] = { pm_pickle_op_line, 'I', 0 },
	['L'] = { pm_pickle_op_line, 'L', 0 },
	['F'] = { pm_pickle_op_line, 'F', 0 },
	['S'] = { pm_pickle_op_line, 'S', 0 },
	['V'] = { pm_pickle_op_line, 'V', 0 },
	['U'] = { pm_pickle_op_sized, PM_PICKLE_TEXT, 1 },
	['T'] = { pm_pickle_op_sized, PM_PICKLE_TEXT, 4 },
	[0x8c] = { pm_pickle_op_sized, PM_PICKLE_TEXT, 1 },
	['X'] = { pm_pickle_op_sized, PM_PICKLE_TEXT, 4 },
	[0x8d] = { pm_pickle_op_sized, PM_PICKLE_TEXT, 8 },
	['C'] = { pm_pickle_op_sized, PM_PICKLE_BYTES, 1 },
	['B'] = { pm_pickle_op_sized, PM_PICKLE_BYTES, 4 },
	[0x8e] = { pm_pickle_op_sized, PM_PICKLE_BYTES, 8 },

	['('] = { pm_pickle_op_mark, 0, 0 },
	['1'] = { pm_pickle_op_pop_mark, 0, 0 },
	['0'] = { pm_pickle_op_pop, 0, 0 },
	['2'] = { pm_pickle_op_dup, 0, 0 },
	['p'] = { pm_pickle_op_put, 0, 0 },
	['q'] = { pm_pickle_op_put, 1, 0 },
	['r'] = { pm_pickle_op_put, 4, 0 },
	[0x94] = { pm_pickle_op_put, -1, 0 },
	['g'] = { pm_pickle_op_get, 0, 0 },
	['h'] = { pm_pickle_op_get, 1, 0 },
	['j'] = { pm_pickle_op_get, 4, 0 },

	[']'] = { pm_pickle_op_simple, PM_PICKLE_LIST, 0 },
	[')'] = { pm_pickle_op_simple, PM_PICKLE_LIST, 0 },
	['}'] = { pm_pickle_op_simple, PM_PICKLE_DICT, 0 },
	['l'] = { pm_pickle_op_collect, PM_PICKLE_LIST, 0 },
	['t'] = { pm_pickle_op_collect, PM_PICKLE_LIST, 0 },
	['d'] = { pm_pickle_op_collect, PM_PICKLE_DICT, 0 },
	[0x85] = { pm_pickle_op_collect, PM_PICKLE_LIST, 1 },
	[0x86] = { pm_pickle_op_collect, PM_PICKLE_LIST, 2 },
	[0x87] = { pm_pickle_op_collect, PM_PICKLE_LIST, 3 },
	['e'] = { pm_pickle_op_extend, PM_PICKLE_LIST, 0 },
	['u'] = { pm_pickle_op_extend, PM_PICKLE_DICT, 0 },
	['a'] = { pm_pickle_op_extend, PM_PICKLE_LIST, 1 },
	['s'] = { pm_pickle_op_extend, PM_PICKLE_DICT, 2 },

	['c'] = { pm_pickle_op_name, false, 0 },
	[0x93] = { pm_pickle_op_name, true, 0 },
	['R'] = { pm_pickle_op_reduce, 0, 0 },
};

/* End of the pickle: exactly one value must be left. Returns 0 or -1. */
static int finish_stack(struct pm_pickle_run *r)
{
	if (r->p->depth != 1 || r->p->marks)
		return pm_pickle_bad(r, "it does not end with exactly one value");
	r->p->root = r->p->stack[0];
	return 0;
}

int pm_pickle_read(struct pm_pickle *p, const void *data, size_t n, struct pm_err *e)
{
	struct pm_pickle_run r = { p, data, (const unsigned char *)data + n, e };
	const unsigned char *op;

	memset(p, 0, sizeof *p);
	p->root = PM_PICKLE_NONE;
	if (n > PM_PICKLE_MAX)
		return pm_pickle_bad(&r, "it is too long");
	while ((op = pm_pickle_take(&r, 1)) != NULL) {
		if (*op == '.')
			return finish_stack(&r);
		if (!table[*op].op)
			return pm_err(e, "not a pickle of data: opcode 0x%02x", *op);
		if (table[*op].op(&r, table[*op].a, table[*op].b) < 0)
			return -1;
	}
	return -1;
}
