/* Opcodes of a pickle, shared by the files of the virtual machine. */
#ifndef PM_SUBMIT_FOREIGN_PICKLE_OPS_H
#define PM_SUBMIT_FOREIGN_PICKLE_OPS_H

#include "submit/foreign/pickle_parts.h"

/* A pickle being read. */
struct pm_pickle_run {
	struct pm_pickle *p;
	const unsigned char *at, *end;
	struct pm_err *e;
};

/* Fill r->e with the reason `why`. Returns -1. */
int pm_pickle_bad(struct pm_pickle_run *r, const char *why);

/* Consume `n` bytes. Returns them, or NULL if the pickle is cut. */
const unsigned char *pm_pickle_take(struct pm_pickle_run *r, uint64_t n);

/* Consume a little-endian number of `n` bytes; consume a line, returned without its newline. Return
 * 0 or -1. */
int pm_pickle_take_size(struct pm_pickle_run *r, int n, uint64_t *out);
int pm_pickle_take_line(struct pm_pickle_run *r, const char **line, size_t *n);

/* Check that there are `n` values above the last mark. Returns 0 or -1. */
int pm_pickle_need(struct pm_pickle_run *r, size_t n);

/*
 * Opcode functions; the meaning of `a` and `b` is given with each. All return 0 or -1 with r->e
 * filled.
 */
typedef int pm_pickle_op(struct pm_pickle_run *r, int a, int b);

/* Values: simple: a value of type `a`, for a BOOL the value `b`; int: an integer of `a` bytes,
 * signed if b; real: a float; long: a long whose length takes `a` bytes; line: a number or text of
 * protocol 0, opcode `a`; sized: a text or bytes, type `a`, whose length takes b bytes. */
pm_pickle_op pm_pickle_op_simple, pm_pickle_op_int, pm_pickle_op_real, pm_pickle_op_long,
	pm_pickle_op_line, pm_pickle_op_sized;

/* Stack: mark, pop to the mark, pop, duplicate. Memo: put or get an entry, whose number is in `a`
 * bytes; 0: in a line, -1: the next number. */
pm_pickle_op pm_pickle_op_mark, pm_pickle_op_pop_mark, pm_pickle_op_pop, pm_pickle_op_dup,
	pm_pickle_op_put, pm_pickle_op_get;

/* Containers: collect: make one of type `a` from the values above the mark, or from the top b
 * values; extend: append the values above the mark, or the top b values, to the container below
 * them. */
pm_pickle_op pm_pickle_op_collect, pm_pickle_op_extend;

/* Names: name: a constructor, named by two lines, or by two texts on the stack if `a`; reduce: call
 * a constructor. */
pm_pickle_op pm_pickle_op_name, pm_pickle_op_reduce;

#endif
