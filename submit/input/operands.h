/* Operands that are patterns: of more archives than a command line has room for. Programs only. */
#ifndef PM_OPERANDS_H
#define PM_OPERANDS_H

#include "common/err.h"

#include <stddef.h>

/*
 * What operands name: each as it is, but a pattern of glob(7) that is itself the name of no file is
 * replaced by the names it stands for, in their order. What is named twice counts once. A pattern
 * that stands for nothing, or for what cannot be told, is told to `missing`, and the others count.
 * Returns 0, or 1 where one was, with *out a list of *n texts, to be freed with pm_operands_free;
 * -1 with e filled without memory.
 */
int pm_operands_expand(char *const *operand, size_t count,
		       void (*missing)(const struct pm_err *why), char ***out, size_t *n,
		       struct pm_err *e);
void pm_operands_free(char **list, size_t n);

#endif
