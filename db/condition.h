/* A condition in SQL that a user wrote: what it may be made of, whatever the engine. */
#ifndef PM_DB_CONDITION_H
#define PM_DB_CONDITION_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest condition, bytes. */
#define PM_CONDITION_MAX 100000

/*
 * Check that a text is one expression once it stands between parentheses: every parenthesis and
 * quote that it opens it closes, no comment, semicolon or parameter is in it, nor any kind of
 * quoting that the engines read differently; and that it calls only functions of
 * pm_condition_calls(). Whether the expression is valid is for the engine to say, between
 * pm_db_guard() and pm_db_unguard(). Returns 0, or -1 with e filled.
 */
int pm_condition_check(const char *text, struct pm_err *e);

/* Whether a condition may call the function: one that computes a value, and nothing else. */
bool pm_condition_calls(const char *name, size_t n);

#endif
