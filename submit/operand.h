/* One operand of submit or convert: opened and identified in one place. */
#ifndef PM_SUBMIT_OPERAND_H
#define PM_SUBMIT_OPERAND_H

#include "common/err.h"
#include "submit/unpacked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* The name of standard input among operands. */
#define PM_OPERAND_INPUT "-"

enum pm_operand_kind {
	PM_OPERAND_UNKNOWN,   /* not identified yet, or unusable */
	PM_OPERAND_DIRECTORY, /* the directory of a job, perfmon's or another tool's */
	PM_OPERAND_ARCHIVE,   /* an archive of jobs, or what standard input brings */
	PM_OPERAND_DATABASE,  /* a database in SQLite, perfmon's or EPMT's */
};

struct pm_operand {
	const char *path; /* as given; the caller's */
	const char *name; /* the name in messages */
	bool input;       /* standard input */
	bool lent;        /* the descriptor is the caller's */
	enum pm_operand_kind kind;
	int fd;                           /* -1: not open */
	uint64_t size;                    /* see pm_operand_measure */
	struct stat st;                   /* state when it was opened */
	struct pm_unpacked_part unpacked; /* content of an archive that was read already */
};

/* Start with an operand that is not open; or with an open archive `fd`, -1: none, that `path` is
 * the name of. */
void pm_operand_init(struct pm_operand *o, const char *path, int fd);

/*
 * Open an operand unless it is open, and identify it. A database is not kept open: SQLite opens it
 * by its name, and closing another descriptor would drop SQLite's locks. Returns 0 or -1 with e
 * filled: it cannot be opened, or is nothing that can be loaded.
 */
int pm_operand_open(struct pm_operand *o, struct pm_err *e);

/* Close an operand that this process has opened; it can be opened again. */
void pm_operand_close(struct pm_operand *o);

/* Set o->size to the bytes to read from an operand that is open, 0 if unknown. */
void pm_operand_measure(struct pm_operand *o);

#endif
