/* Answers of the bulk interface: what became of each document. */
#ifndef PM_EXPORT_BULK_ANSWER_H
#define PM_EXPORT_BULK_ANSWER_H

#include "common/err.h"

#include <stddef.h>

enum pm_bulk_fate {
	PM_BULK_TAKEN,
	PM_BULK_AGAIN, /* the server is busy: to be sent again */
	PM_BULK_REFUSED
};

/* Room for a reason as text. */
#define PM_BULK_WHY 256

/*
 * Read an answer of status 200 to n documents. fate[] gets what became of each; `why`, unless it is
 * full, the reason of the first refused one. Returns 0, or -1 with e filled: it is no such answer.
 */
int pm_bulk_answer(const void *p, size_t length, size_t n, enum pm_bulk_fate *fate,
		   char why[PM_BULK_WHY], struct pm_err *e);

/* Find the reason in an answer of another status; "" where there is none. */
void pm_bulk_reason(const void *p, size_t length, char why[PM_BULK_WHY]);

#endif
