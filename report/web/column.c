/* Columns of a page's data. */
#include "config.h"

#include "report/web/column.h"

#include "common/base64.h"
#include "common/grow.h"
#include "report/web/deflate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the low part of a sum carries at. */
#define CARRY UINT64_C(1000000000000000000)

/* The largest integer below which doubles hold all: 2^53. */
#define EXACT (INT64_C(1) << 53)

/* Bytes turned into base64 at once: a multiple of 3. */
#define PIECE 12288

/* The text of an unknown text: no safe text has this character. */
#define UNKNOWN_TEXT "\x01"

/* Pieces that wait to be compressed: half a megabyte. */
#define QUEUED 32

/* Bytes of a column, to be compressed at once. */
struct pm_column_piece {
	struct pm_column *column;
	size_t n;
	bool last;
	unsigned char raw[PM_COLUMN_GROUP]; /* room for a byte of each number of a group */
};

static struct pm_column_piece *new_piece(struct pm_column *c)
{
	struct pm_column_piece *piece = malloc(sizeof *piece);

	if (piece) {
		piece->column = c;
		piece->n = 0;
		piece->last = false;
	}
	return piece;
}

const char *pm_column_code(enum pm_column_code code)
{
	static const char *const name[] = {
		[PM_COLUMN_PLAIN] = "u",         [PM_COLUMN_DELTA] = "d", [PM_COLUMN_PLANES] = "up",
		[PM_COLUMN_DELTA_PLANES] = "dp", [PM_COLUMN_TEXT] = "t",
	};

	return name[code];
}

static bool is_planes(enum pm_column_code code)
{
	return code == PM_COLUMN_PLANES || code == PM_COLUMN_DELTA_PLANES;
}

static bool is_delta(enum pm_column_code code)
{
	return code == PM_COLUMN_DELTA || code == PM_COLUMN_DELTA_PLANES;
}

struct pm_column *pm_column_new(enum pm_column_code code, struct pm_workqueue *queue)
{
	struct pm_column *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->code = code;
	c->most = INT64_MIN;
	c->queue = queue;
	c->stream = pm_deflate_new();
	c->piece = new_piece(c);
	if (is_planes(code))
		c->group = malloc(PM_COLUMN_GROUP * sizeof *c->group);
	if ((pm_deflate_needed() && !c->stream) || !c->piece || (is_planes(code) && !c->group)) {
		pm_column_free(c);
		return NULL;
	}
	return c;
}

void pm_column_free(struct pm_column *c)
{
	if (!c)
		return;
	pm_deflate_free(c->stream);
	free(c->group);
	free(c->piece);
	free(c->packed);
	free(c);
}

static int take(void *ctx, const unsigned char *p, size_t n)
{
	struct pm_column *c = ctx;

	if (!PM_GROW_BY(c->packed, c->size, n, c->room, 4096))
		return -1;
	memcpy(c->packed + c->size, p, n);
	c->size += n;
	return 0;
}

/* Compress a piece, in the queue's thread where there is one. */
static int compress(void *ctx, void *item, struct pm_err *e)
{
	struct pm_column_piece *piece = item;
	struct pm_column *c = piece->column;

	(void)ctx;
	(void)e;
	if (!c->failed && pm_deflate(c->stream, piece->raw, piece->n, piece->last, take, c) < 0)
		c->failed = true;
	return 0;
}

static void free_piece(void *ctx, void *item)
{
	(void)ctx;
	free(item);
}

struct pm_workqueue *pm_column_queue(void)
{
	return pm_workqueue_new(compress, free_piece, NULL, QUEUED);
}

/* Compress what is pending, and begin a new piece. */
static void compress_pending(struct pm_column *c, bool last)
{
	struct pm_column_piece *next = c->queue ? new_piece(c) : NULL;

	c->piece->last = last;
	if (next) {
		pm_workqueue_give(c->queue, c->piece, NULL);
		c->piece = next;
		return;
	}
	/* Without memory for another one it takes its turn behind those that wait. */
	if (c->queue)
		pm_workqueue_wait(c->queue, NULL);
	compress(NULL, c->piece, NULL);
	c->piece->n = 0;
}

/* The bytes of a number: seven bits each, the low ones first, the highest bit: more follow. */
static void add_seven_bits(struct pm_column *c, uint64_t v)
{
	if (c->piece->n + 10 > sizeof c->piece->raw)
		compress_pending(c, false);
	for (; v >= 0x80; v >>= 7)
		c->piece->raw[c->piece->n++] = (unsigned char)(v | 0x80);
	c->piece->raw[c->piece->n++] = (unsigned char)v;
}

/* Add the bytes of a group: their number for each, then all lowest ones, and so on. */
static void add_group(struct pm_column *c)
{
	uint64_t any = 0;
	unsigned char planes = 0;

	for (size_t i = 0; i < c->grouped; i++)
		any |= c->group[i];
	for (; any; any >>= 8)
		planes++;
	compress_pending(c, false);
	c->piece->raw[c->piece->n++] = planes;
	for (unsigned k = 0; k < planes; k++) {
		compress_pending(c, false);
		for (size_t i = 0; i < c->grouped; i++)
			c->piece->raw[c->piece->n++] = (unsigned char)(c->group[i] >> 8 * k);
	}
	c->grouped = 0;
}

/* Add a number in its code. */
static void add_code(struct pm_column *c, uint64_t v)
{
	if (!c->group) {
		add_seven_bits(c, v);
		return;
	}
	c->group[c->grouped++] = v;
	if (c->grouped == PM_COLUMN_GROUP)
		add_group(c);
}

static void add_up(struct pm_column *c, uint64_t v)
{
	c->high += v / CARRY;
	c->low += v % CARRY;
	if (c->low >= CARRY) {
		c->low -= CARRY;
		c->high++;
	}
}

/* Whether the coding has the number: damaged databases may have any. */
static bool can_code(const struct pm_column *c, int64_t v)
{
	int64_t step;

	if (!is_delta(c->code))
		return v >= 0 && v < INT64_MAX;
	return v != INT64_MIN && !__builtin_sub_overflow(v, c->last, &step) &&
	       step < INT64_MAX / 2 && step > INT64_MIN / 2;
}

/* Fold the sign into the lowest bit: 0, -1, 1, -2 become 0, 1, 2, 3. */
static uint64_t fold_sign(int64_t v)
{
	return v < 0 ? 2 * (uint64_t)(-1 - v) + 1 : 2 * (uint64_t)v;
}

void pm_column_add(struct pm_column *c, int64_t v)
{
	if (!can_code(c, v)) {
		c->unknown++;
		add_code(c, 0);
		return;
	}
	if (v > c->most)
		c->most = v;
	if (v > 0)
		add_up(c, (uint64_t)v);
	if (!is_delta(c->code)) {
		add_code(c, (uint64_t)v + 1);
		return;
	}
	add_code(c, fold_sign(v - c->last) + 1);
	c->last = v;
}

void pm_column_add_text(struct pm_column *c, const char *text)
{
	size_t n;

	c->unknown += !text;
	text = text ? text : UNKNOWN_TEXT;
	n = strlen(text) + 1;
	while (n > 0) {
		size_t room = sizeof c->piece->raw - c->piece->n, part = n < room ? n : room;

		memcpy(c->piece->raw + c->piece->n, text, part);
		c->piece->n += part;
		text += part;
		n -= part;
		if (c->piece->n == sizeof c->piece->raw)
			compress_pending(c, false);
	}
}

int pm_column_finish(struct pm_column *c, struct pm_err *e)
{
	if (c->grouped)
		add_group(c);
	compress_pending(c, true);
	if (c->queue)
		pm_workqueue_wait(c->queue, NULL);
	pm_deflate_free(c->stream);
	c->stream = NULL;
	return c->failed ? pm_err(e, "the page's data: out of memory") : 0;
}

const char *pm_column_sum(const struct pm_column *c, char dst[PM_COLUMN_SUM])
{
	if (c->high)
		snprintf(dst, PM_COLUMN_SUM, "%" PRIu64 "%018" PRIu64, c->high, c->low);
	else
		snprintf(dst, PM_COLUMN_SUM, "%" PRIu64, c->low);
	return dst;
}

bool pm_column_wide(const struct pm_column *c)
{
	return c->high || c->low >= (uint64_t)EXACT || c->most >= EXACT;
}

void pm_column_write(const struct pm_column *c, FILE *f)
{
	char text[PM_BASE64_LENGTH(PIECE) + 1];

	for (size_t at = 0; at < c->size; at += PIECE) {
		size_t n = c->size - at < PIECE ? c->size - at : PIECE;

		pm_base64(text, c->packed + at, n);
		fputs(text, f);
	}
}

const char *pm_column_coding(void)
{
	return pm_deflate_needed() ? "deflate" : "none";
}
