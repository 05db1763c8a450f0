/* What the opcodes of a pickle do: shared by the files of the virtual machine. */
#ifndef PM_PICKLE_OPS_H
#define PM_PICKLE_OPS_H

#include "submit/pickle_parts.h"

/* A pickle being read. */
struct pm_pickle_run {
	struct pm_pickle *p;
	const unsigned char *at, *end;
	struct pm_err *e;
};

/* Say what is wrong. Returns -1. */
int pm_pickle_bad(struct pm_pickle_run *r, const char *why);

/* Take `n` bytes. Returns them, or NULL where the pickle is cut. */
const unsigned char *pm_pickle_take(struct pm_pickle_run *r, uint64_t n);

/* Take a number of `n` bytes, low ones first; a line, which is without its newline then. Return 0
 * or -1. */
int pm_pickle_take_size(struct pm_pickle_run *r, int n, uint64_t *out);
int pm_pickle_take_line(struct pm_pickle_run *r, const char **line, size_t *n);

/* Make sure of `n` values above the last mark. Returns 0 or -1. */
int pm_pickle_need(struct pm_pickle_run *r, size_t n);

/*
 * The opcodes; what `a` and `b` mean is said of each. All return 0 or -1 with r->e filled.
 */
typedef int pm_pickle_op(struct pm_pickle_run *r, int a, int b);

/* Values: a type, of a BOOL which; an integer of `a` bytes, signed where b; a float; a long whose
 * length takes `a` bytes; a number or text of protocol 0, opcode `a`; a text or bytes, type `a`,
 * whose length takes b bytes. */
pm_pickle_op pm_pickle_op_simple, pm_pickle_op_int, pm_pickle_op_real, pm_pickle_op_long,
	pm_pickle_op_line, pm_pickle_op_sized;

/* The stack: mark, pop to the mark, pop, duplicate. The memo: set or get an entry, whose number is
 * in `a` bytes, 0 for a line, -1 for the next one. */
pm_pickle_op pm_pickle_op_mark, pm_pickle_op_pop_mark, pm_pickle_op_pop, pm_pickle_op_dup,
	pm_pickle_op_put, pm_pickle_op_get;

/* Containers: one of type `a`, of what lies above the mark, or of b values; items above the mark,
 * or of b values, to the one below. */
pm_pickle_op pm_pickle_op_collect, pm_pickle_op_extend;

/* Names: of two lines, or of two texts on the stack where `a`; what a constructor makes. */
pm_pickle_op pm_pickle_op_name, pm_pickle_op_reduce;

#endif
