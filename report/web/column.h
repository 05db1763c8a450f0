/*
 * A column of a page's data: numbers or texts, coded in few bytes, compressed, and added up. The
 * browser code that reads it is page/decode.js.
 */
#ifndef PM_REPORT_WEB_COLUMN_H
#define PM_REPORT_WEB_COLUMN_H

#include "common/err.h"
#include "common/workqueue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum pm_column_code {
	PM_COLUMN_PLAIN,        /* numbers of 0 and above: 1 more than each, seven bits a byte */
	PM_COLUMN_DELTA,        /* numbers: the difference to the one before, in the same way */
	PM_COLUMN_PLANES,       /* as PLAIN; of many numbers first all lowest bytes, and so on */
	PM_COLUMN_DELTA_PLANES, /* as DELTA, in this order of bytes */
	PM_COLUMN_TEXT,         /* texts, each with a NUL */
};

/* Numbers whose bytes are in one order: a byte that says how many bytes each has comes first. */
#define PM_COLUMN_GROUP 16384

/* Room for a sum as text. */
#define PM_COLUMN_SUM 48

struct pm_column {
	enum pm_column_code code;
	int64_t last;       /* the known number before */
	uint64_t low, high; /* sum of the known numbers: high * 10^18 + low */
	int64_t unknown;    /* how many are not known */
	int64_t most;       /* the largest number */
	uint64_t *group;    /* numbers whose bytes are to be ordered; NULL in other codes */
	size_t grouped;
	struct pm_column_piece *piece; /* bytes not compressed yet */
	struct pm_workqueue *queue;    /* that compresses pieces; NULL: the caller does */
	/* Of whoever compresses: */
	void *stream;          /* of the library */
	unsigned char *packed; /* what is compressed */
	size_t size, room;
	bool failed; /* memory ran out */
};

/* The name of a code in the index of a page. */
const char *pm_column_code(enum pm_column_code code);

/* Make a thread that compresses columns, to be freed by pm_workqueue_free before the columns are.
 * NULL if out of memory. */
struct pm_workqueue *pm_column_queue(void);

/* Begin a column, which the queue compresses, or this thread where it is NULL. Returns it, or NULL
 * if out of memory; to be freed by pm_column_free. */
struct pm_column *pm_column_new(enum pm_column_code code, struct pm_workqueue *queue);
void pm_column_free(struct pm_column *c);

/* Add a number, INT64_MIN for one that is unknown. Those of PM_COLUMN_PLAIN are not negative; one
 * that the coding does not have is unknown. Failures are told by pm_column_finish. */
void pm_column_add(struct pm_column *c, int64_t v);

/* Add a text, NULL for one that is unknown. */
void pm_column_add_text(struct pm_column *c, const char *text);

/* End the column: its bytes are complete. Returns 0, or -1 with e filled where memory ran out. */
int pm_column_finish(struct pm_column *c, struct pm_err *e);

/* The sum of the known numbers in decimal. Returns dst. */
const char *pm_column_sum(const struct pm_column *c, char dst[PM_COLUMN_SUM]);

/* Whether a number, or the sum, is beyond what a double holds exactly. */
bool pm_column_wide(const struct pm_column *c);

/* Write the bytes of a finished column as base64. */
void pm_column_write(const struct pm_column *c, FILE *f);

/* The name of the coding of the bytes: "deflate" (RFC 1950), or "none" in a build without zlib. */
const char *pm_column_coding(void);

#endif
