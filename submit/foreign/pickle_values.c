/* Opcodes of a pickle that create one value: constants, numbers, texts and bytes, names. */
#include "config.h"

#include "submit/foreign/pickle_ops.h"

#include <string.h>

/* Store a value and push it. Returns 0 or -1. */
static int push_value(struct pm_pickle_run *r, const struct pm_pickle_value *v)
{
	uint32_t i = pm_pickle_add(r->p, v);

	if (i == PM_PICKLE_NONE || pm_pickle_push(r->p, i) < 0)
		return pm_pickle_bad(r, "too many values");
	return 0;
}

int pm_pickle_op_simple(struct pm_pickle_run *r, int type, int truth)
{
	struct pm_pickle_value v = { .type = (unsigned char)type,
				     .first = PM_PICKLE_NONE,
				     .last = PM_PICKLE_NONE };

	if (type == PM_PICKLE_BOOL)
		v.u.truth = truth;
	return push_value(r, &v);
}

int pm_pickle_op_int(struct pm_pickle_run *r, int width, int is_signed)
{
	struct pm_pickle_value v = { .type = PM_PICKLE_INT };
	uint64_t n;

	if (pm_pickle_take_size(r, width, &n) < 0)
		return -1;
	v.u.number = is_signed ? (int32_t)(uint32_t)n : (int64_t)n;
	return push_value(r, &v);
}

int pm_pickle_op_real(struct pm_pickle_run *r, int a, int b)
{
	struct pm_pickle_value v = { .type = PM_PICKLE_FLOAT };
	const unsigned char *s = pm_pickle_take(r, 8);
	uint64_t bits = 0;

	(void)a, (void)b;
	if (!s)
		return -1;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | s[i];
	memcpy(&v.u.real, &bits, sizeof bits);
	return push_value(r, &v);
}

int pm_pickle_op_long(struct pm_pickle_run *r, int width, int b)
{
	const unsigned char *s;
	struct pm_pickle_value v;
	uint64_t n;

	(void)b;
	if (pm_pickle_take_size(r, width, &n) < 0 || !(s = pm_pickle_take(r, n)))
		return -1;
	pm_pickle_long(&v, s, (size_t)n);
	return push_value(r, &v);
}

static int push_text(struct pm_pickle_run *r, int type, const char *s, size_t n)
{
	struct pm_pickle_value v = { .type = (unsigned char)type };

	if (!s)
		return pm_pickle_bad(r, "a text is damaged or too long");
	v.u.text.p = s;
	v.u.text.n = n;
	return push_value(r, &v);
}

int pm_pickle_op_sized(struct pm_pickle_run *r, int type, int width)
{
	const unsigned char *s;
	uint64_t n;

	if (pm_pickle_take_size(r, width, &n) < 0 || !(s = pm_pickle_take(r, n)))
		return -1;
	return push_text(r, type, (const char *)s, (size_t)n);
}

int pm_pickle_op_line(struct pm_pickle_run *r, int op, int b)
{
	struct pm_pickle_value v;
	const char *line = NULL, *text;
	size_t n = 0;

	(void)b;
	if (pm_pickle_take_line(r, &line, &n) < 0)
		return -1;
	switch (op) {
	case 'S':
		text = pm_pickle_quoted(r->p, line, n, &n);
		return push_text(r, PM_PICKLE_TEXT, text, n);
	case 'V':
		text = pm_pickle_unicode(r->p, line, n, &n);
		return push_text(r, PM_PICKLE_TEXT, text, n);
	default:
		if (pm_pickle_number(&v, op, line, n) < 0)
			return pm_pickle_bad(r, "a number is malformed");
		return push_value(r, &v);
	}
}

/* Push a constructor by name: only those of data are accepted. Returns 0 or -1. */
static int push_constructor(struct pm_pickle_run *r, const char *module, size_t module_n,
			    const char *what, size_t n)
{
	struct pm_pickle_value v;

	if (pm_pickle_name(&v, module, module_n, what, n) < 0)
		return pm_err(r->e, "it refers to %.*s.%.*s, which is not data",
			      (int)(module_n < 64 ? module_n : 64), module, (int)(n < 64 ? n : 64),
			      what);
	return push_value(r, &v);
}

int pm_pickle_op_name(struct pm_pickle_run *r, int stacked, int unused)
{
	const char *module = NULL, *what = NULL;
	size_t module_n = 0, n = 0;
	const struct pm_pickle_value *a, *b;

	(void)unused;
	if (!stacked) {
		if (pm_pickle_take_line(r, &module, &module_n) < 0 ||
		    pm_pickle_take_line(r, &what, &n) < 0)
			return -1;
		return push_constructor(r, module, module_n, what, n);
	}
	if (pm_pickle_need(r, 2) < 0)
		return -1;
	a = &r->p->value[r->p->stack[r->p->depth - 2]];
	b = &r->p->value[r->p->stack[r->p->depth - 1]];
	if (a->type != PM_PICKLE_TEXT || b->type != PM_PICKLE_TEXT)
		return pm_pickle_bad(r, "a name that is not text");
	r->p->depth -= 2;
	return push_constructor(r, a->u.text.p, a->u.text.n, b->u.text.p, b->u.text.n);
}

int pm_pickle_op_reduce(struct pm_pickle_run *r, int a, int b)
{
	struct pm_pickle *p = r->p;
	struct pm_pickle_value v;

	(void)a, (void)b;
	if (pm_pickle_need(r, 2) < 0)
		return -1;
	if (pm_pickle_construct(p, &v, p->stack[p->depth - 2], p->stack[p->depth - 1]) < 0)
		return pm_pickle_bad(r, "a constructor is missing or has wrong arguments");
	p->depth -= 2;
	return push_value(r, &v);
}
