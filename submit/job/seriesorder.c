/* Order blocks, and resolve those that overlap. */
#include "config.h"

#include "submit/job/seriesorder.h"

#include "common/grow.h"
#include "submit/job/serieswindow.h"
#include "submit/memory/extsort.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

static void block_key(const void *ctx, uint32_t i, uint64_t key[2])
{
	const struct pm_series_block *b = &((const struct pm_series *)ctx)->block[i];

	key[0] = b->series;
	key[1] = pm_extsort_signed(b->begin_us);
}

static int compare_blocks(const void *a, const void *b, void *ctx)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x[2], y[2];

	block_key(ctx, i, x);
	block_key(ctx, k, y);
	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	if (x[1] != y[1])
		return x[1] < y[1] ? -1 : 1;
	return (i > k) - (i < k);
}

static int sort_blocks(struct pm_series *s, uint32_t **order, size_t *n, struct pm_err *e)
{
	const struct pm_extsort by = { block_key, compare_blocks, s };

	*n = 0;
	*order = pm_filemem_calloc(s->blocks + 1, sizeof **order);
	if (!*order)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < s->blocks; i++, pm_filemem_trim())
		if (!s->block[i].superseded)
			(*order)[(*n)++] = (uint32_t)i;
	return pm_extsort_sort(&by, *order, *n, e);
}

/* A sample of blocks that overlap. */
struct single {
	int64_t time_us, monotonic_us, value;
	bool known;
	uint32_t reason, reason_size; /* in overlap.text */
};

struct overlap {
	struct pm_series *s;
	struct single *single;
	size_t n, cap;
	char *text;
	size_t text_n, text_cap;
	struct pm_series_values values;
	int64_t time_us[PM_SAMPLEBLOCK_MAX], monotonic_us[PM_SAMPLEBLOCK_MAX];
};

/* Sort by time; of one time, the sample that is kept is first: the order of reading decides
 * nothing. */
static int by_time(const void *a, const void *b, void *text)
{
	const struct single *x = a, *y = b;
	int c;

	if (x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->monotonic_us != y->monotonic_us)
		return x->monotonic_us < y->monotonic_us ? -1 : 1;
	c = (x->reason_size < y->reason_size) - (x->reason_size > y->reason_size);
	return c || x->reason_size == 0 ? c
					: memcmp((const char *)text + x->reason,
						 (const char *)text + y->reason, x->reason_size);
}

/* Take the reasons of the unknown values of the block that was added last. Returns 0 or -1 if out
 * of memory. */
static int take_reasons(struct overlap *o, struct single *first)
{
	struct pm_str gaps = o->values.unknown, reason;
	uint32_t at, n;

	while (pm_samplecode_next_gap(&gaps, &at, &n, &reason) > 0) {
		uint32_t begin = (uint32_t)o->text_n, size;

		if (!PM_GROW_BY(o->text, o->text_n, reason.n, o->text_cap, 256))
			return -1;
		for (size_t i = 0; i < reason.n; i++) {
			i += reason.p[i] == '\\';
			o->text[o->text_n++] = reason.p[i];
		}
		size = (uint32_t)o->text_n - begin;
		for (uint32_t i = at; i < at + n; i++) {
			first[i].reason = begin;
			first[i].reason_size = size;
		}
	}
	return 0;
}

/* Decode a block into single samples. Returns 0 or -1 with e filled. */
static int take_block(struct overlap *o, const struct pm_series_block *b, struct pm_err *e)
{
	struct pm_series *s = o->s;
	const struct pm_series_values *v = &o->values;
	struct single *first;

	if (pm_series_get_times(s, &s->window[s->ticks[b->ticks].window], o->time_us,
				o->monotonic_us, e) < 0 ||
	    pm_series_get_values(s, b, &o->values, e) < 0)
		return -1;
	if (!PM_GROW_BY(o->single, o->n, v->coded.samples, o->cap, 2048))
		return pm_err(e, "out of memory");
	first = &o->single[o->n];
	for (uint32_t i = 0; i < v->coded.samples; i++, o->n++)
		o->single[o->n] = (struct single){
			.time_us = o->time_us[v->tick[i]],
			.monotonic_us = o->monotonic_us[v->tick[i]],
			.value = v->value[i],
			.known = v->known[i],
		};
	return take_reasons(o, first) < 0 ? pm_err(e, "out of memory") : 0;
}

/* Code the samples of successive blocks in `order`, n of them, anew. Returns 0 or -1 with e filled.
 */
static int code_again(struct overlap *o, const uint32_t *order, size_t n, struct pm_err *e)
{
	struct pm_series *s = o->s;
	const uint32_t series = s->block[order[0]].series;
	struct pm_serieswindow *w = malloc(sizeof *w);
	int rc = w ? 0 : pm_err(e, "out of memory");

	o->n = o->text_n = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = take_block(o, &s->block[order[i]], e);
		s->block[order[i]].superseded = true;
	}
	if (rc < 0) {
		free(w);
		return -1;
	}
	qsort_r(o->single, o->n, sizeof *o->single, by_time, o->text);
	pm_serieswindow_init(w, s, s->info[series].host);
	w->again = true;
	for (size_t i = 0; i < o->n && rc == 0; i++) {
		const struct single *x = &o->single[i];
		const struct pm_str reason = { o->text + x->reason, x->reason_size };

		if (i && x->time_us == x[-1].time_us)
			continue;
		rc = pm_serieswindow_tick(w, x->time_us, x->monotonic_us, e);
		if (rc == 0)
			rc = pm_serieswindow_add(w, series, x->known, x->value, reason, e);
	}
	if (rc == 0)
		rc = pm_serieswindow_close(w, e);
	pm_serieswindow_free(w);
	free(w);
	return rc;
}

/* Whether the blocks, as they were added, have rising times in each series: then none overlap.
 * Looking at them in this order brings each page once. Returns 1, 0 or -1 with e filled. */
static int are_rising(const struct pm_series *s, struct pm_err *e)
{
	int64_t *last = pm_filemem_calloc(s->count + 1, sizeof *last);
	int rising = 1;

	if (!last)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < s->count; i++)
		last[i] = INT64_MIN;
	for (size_t i = 0; i < s->blocks && rising; i++, pm_filemem_trim()) {
		const struct pm_series_block *b = &s->block[i];

		if (b->superseded)
			continue;
		rising = !b->falls && b->begin_us > last[b->series];
		if (b->end_us > last[b->series])
			last[b->series] = b->end_us;
	}
	pm_filemem_free(last);
	return rising;
}

int pm_series_order(struct pm_series *s, uint32_t **order, size_t *n, struct pm_err *e)
{
	struct overlap *o = NULL;
	int rising = are_rising(s, e), rc;

	*order = NULL;
	*n = 0;
	rc = rising < 0 ? -1 : sort_blocks(s, order, n, e);
	if (rising)
		return rc;
	for (size_t i = 0, end; i < *n && rc == 0; i = end, pm_filemem_trim()) {
		const struct pm_series_block *b = &s->block[(*order)[i]];
		const uint32_t series = b->series;
		int64_t last = b->end_us;

		for (end = i + 1; end < *n; end++) {
			b = &s->block[(*order)[end]];
			if (b->series != series || b->begin_us > last)
				break;
			last = b->end_us > last ? b->end_us : last;
		}
		if (end == i + 1 && !s->block[(*order)[i]].falls)
			continue;
		if (!o && (o = calloc(1, sizeof *o)))
			o->s = s;
		rc = o ? code_again(o, *order + i, end - i, e) : pm_err(e, "out of memory");
	}
	if (o) {
		free(o->single);
		free(o->text);
		free(o);
		pm_filemem_free(*order);
		*order = NULL;
		if (rc == 0)
			rc = sort_blocks(s, order, n, e);
	}
	return rc;
}
