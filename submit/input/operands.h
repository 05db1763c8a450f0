/* Operands that are glob patterns: they can match more archives than a command line can hold. */
#ifndef PM_SUBMIT_INPUT_OPERANDS_H
#define PM_SUBMIT_INPUT_OPERANDS_H

#include "common/err.h"

#include <stddef.h>

/*
 * Expand operands to names. An operand is kept as it is, but a pattern of glob(7) that does not
 * itself name a file is replaced by its matches, in order. A file named twice counts once.
 * `missing` is called for each pattern that matches nothing or needs an unreadable directory; the
 * other operands still count. Returns 0, or 1 if `missing` was called, with *out a list of *n
 * texts, to be freed with pm_operands_free; -1 with e filled if out of memory.
 */
int pm_operands_expand(char *const *operand, size_t count,
		       void (*missing)(const struct pm_err *why), char ***out, size_t *n,
		       struct pm_err *e);
void pm_operands_free(char **list, size_t n);

#endif
