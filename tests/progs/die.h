/* How programs of tests that make data up end where they cannot go on. */
#ifndef PM_TESTS_PROGS_DIE_H
#define PM_TESTS_PROGS_DIE_H

/* Write "PROGRAM: " and a message to standard error, and exit with 1. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The pointer, which was allocated, unless it is NULL: then die. */
void *checked(void *p);

#endif
