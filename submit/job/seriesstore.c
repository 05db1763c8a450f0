/* Blocks of samples in memory, or in a temporary file where they are many. */
#include "config.h"

#include "submit/job/seriesstore.h"

#include "common/grow.h"
#include "submit/job/images.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

#define TIMES (PM_SAMPLEBLOCK_MAX * sizeof(int64_t))

void pm_series_init(struct pm_series *s)
{
	memset(s, 0, sizeof *s);
	pm_blobs_init(&s->store);
}

static void free_texts(char **text)
{
	for (int k = 0; k < 5 && text; k++)
		free(text[k]);
	free(text);
}

void pm_series_free(struct pm_series *s)
{
	for (size_t i = 0; i < s->texts_count; i++)
		free_texts(s->texts[i]);
	free(s->texts);
	free(s->info);
	pm_hashindex_free(&s->by_texts);
	pm_hashindex_free(&s->by_text);
	pm_series_spend(s);
	pm_series_init(s);
}

void pm_series_spend(struct pm_series *s)
{
	free(s->window);
	free(s->ticks);
	pm_filemem_free(s->block);
	s->window = NULL;
	s->ticks = NULL;
	s->block = NULL;
	s->windows = s->windows_cap = s->ticks_count = s->ticks_cap = s->blocks = s->blocks_cap = 0;
	pm_hashmap_free(&s->again);
	pm_blobs_free(&s->store);
}

static uint64_t series_hash(uint32_t host, const struct pm_str *text)
{
	uint64_t hash = host;

	for (int k = 0; k < 5; k++)
		hash = pm_hashmap_mix(pm_hashmap_mix_bytes(hash, text[k].p, text[k].n), text[k].n);
	return hash;
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool are_texts(const struct pm_str text[5], char *const *are)
{
	int k = 0;

	while (k < 5 && is_text(text[k], are[k]))
		k++;
	return k == 5;
}

/* The texts as series keep them, added if they are new. Returns NULL if out of memory. */
static char **keep_texts(struct pm_series *s, const struct pm_str text[5])
{
	uint64_t hash = series_hash(PM_NONE, text);
	char **kept;
	size_t at = 0;
	uint32_t i;

	while ((i = pm_hashindex_next(&s->by_texts, hash, &at)) != PM_NONE)
		if (are_texts(text, s->texts[i]))
			return s->texts[i];
	kept = calloc(5, sizeof *kept);
	for (int k = 0; k < 5 && kept; k++) {
		kept[k] = strndup(text[k].p, text[k].n);
		if (!kept[k]) {
			free_texts(kept);
			kept = NULL;
		}
	}
	if (!kept || !PM_GROW(s->texts, s->texts_count, s->texts_cap, 16) ||
	    pm_hashindex_add(&s->by_texts, hash, (uint32_t)s->texts_count) < 0) {
		free_texts(kept);
		return NULL;
	}
	s->texts[s->texts_count++] = kept;
	return kept;
}

uint32_t pm_series_find(struct pm_series *s, uint32_t host, const struct pm_str text[5])
{
	uint64_t hash = series_hash(host, text);
	struct pm_series_info *info;
	size_t at = 0;
	char **kept;
	uint32_t i;

	while ((i = pm_hashindex_next(&s->by_text, hash, &at)) != PM_NONE)
		if (s->info[i].host == host && are_texts(text, s->info[i].text))
			return i;
	kept = keep_texts(s, text);
	if (!kept || !PM_GROW(s->info, s->count, s->cap, 16) ||
	    pm_hashindex_add(&s->by_text, hash, (uint32_t)s->count) < 0)
		return PM_NONE;
	info = &s->info[s->count];
	*info = (struct pm_series_info){ .host = host, .text = kept };
	info->role = pm_nodesummary_role(kept[0], kept[1], kept[2], kept[4]);
	info->energy = pm_energy_kind(kept[0], kept[1], kept[2], kept[3], kept[4]);
	return (uint32_t)s->count++;
}

int pm_series_add_window(struct pm_series *s, const struct pm_series_window *w,
			 const int64_t *time_us, const int64_t *monotonic_us, struct pm_err *e)
{
	size_t size = w->ticks * sizeof *time_us;
	char item[2 * TIMES];
	struct pm_series_window *to;

	if (!PM_GROW(s->window, s->windows, s->windows_cap, 16))
		return pm_err(e, "out of memory");
	memcpy(item, time_us, size);
	memcpy(item + size, monotonic_us, size);
	to = &s->window[s->windows];
	*to = *w;
	to->at = pm_blobs_put(&s->store, item, 2 * size, e);
	if (to->at == 0)
		return -1;
	s->windows++;
	return 0;
}

int pm_series_add_ticks(struct pm_series *s, const uint16_t *tick, size_t n, struct pm_err *e)
{
	struct pm_series_ticks *to;

	if (!PM_GROW(s->ticks, s->ticks_count, s->ticks_cap, 16))
		return pm_err(e, "out of memory");
	to = &s->ticks[s->ticks_count];
	to->window = (uint32_t)(s->windows - 1);
	to->ticks = (uint32_t)n;
	to->at = pm_blobs_put(&s->store, tick, n * sizeof *tick, e);
	if (to->at == 0)
		return -1;
	s->ticks_count++;
	return 0;
}

/* Make room for one more block. Returns 0 or -1 with e filled. */
static int grow_blocks(struct pm_series *s, struct pm_err *e)
{
	size_t cap = s->blocks_cap ? 2 * s->blocks_cap : 64;
	struct pm_series_block *p;

	if (s->blocks < s->blocks_cap)
		return 0;
	p = s->blocks < PM_NONE / 2 ? pm_filemem_realloc(s->block, cap * sizeof *p) : NULL;
	if (!p)
		return pm_err(e, "out of memory, or too many samples");
	s->block = p;
	s->blocks_cap = cap;
	return 0;
}

int pm_series_add_block(struct pm_series *s, const struct pm_series_block *b,
			const struct pm_samplecode *c, struct pm_err *e)
{
	const struct pm_series_coded head = {
		.block = c->block,
		.least = c->least,
		.greatest = c->greatest,
		.mean = c->mean,
		.samples = c->samples,
		.known = c->known,
		.bytes = (uint32_t)c->bytes,
	};
	size_t size = sizeof head + c->bytes + c->unknown_size;
	char *item = malloc(size);
	uint64_t at;

	if (!item || grow_blocks(s, e) < 0) {
		free(item);
		return pm_err(e, "out of memory, or too many samples");
	}
	memcpy(item, &head, sizeof head);
	memcpy(item + sizeof head, c->deviations, c->bytes);
	if (c->unknown_size)
		memcpy(item + sizeof head + c->bytes, c->unknown, c->unknown_size);
	at = pm_blobs_put(&s->store, item, size, e);
	free(item);
	if (at == 0)
		return -1;
	s->block[s->blocks] = *b;
	s->block[s->blocks++].at = at;
	pm_filemem_trim();
	return 0;
}

int pm_series_get_times(struct pm_series *s, const struct pm_series_window *w, int64_t *time_us,
			int64_t *monotonic_us, struct pm_err *e)
{
	size_t size = w->ticks * sizeof *time_us;
	struct pm_str item;

	if (pm_blobs_get(&s->store, w->at, &item, e) < 0)
		return -1;
	memcpy(time_us, item.p, size);
	memcpy(monotonic_us, item.p + size, size);
	return 0;
}

int pm_series_get_ticks(struct pm_series *s, const struct pm_series_ticks *t, uint16_t *tick,
			struct pm_err *e)
{
	struct pm_str item;

	if (pm_blobs_get(&s->store, t->at, &item, e) < 0)
		return -1;
	memcpy(tick, item.p, t->ticks * sizeof *tick);
	return 0;
}

int pm_series_get_coded(struct pm_series *s, const struct pm_series_block *b,
			struct pm_series_coded *coded, struct pm_str *deviations,
			struct pm_str *unknown, struct pm_err *e)
{
	struct pm_str item;

	if (pm_blobs_get(&s->store, b->at, &item, e) < 0)
		return -1;
	memcpy(coded, item.p, sizeof *coded);
	deviations->p = item.p + sizeof *coded;
	deviations->n = coded->bytes;
	unknown->p = deviations->p + coded->bytes;
	unknown->n = item.n - sizeof *coded - coded->bytes;
	return 0;
}

int pm_series_get_values(struct pm_series *s, const struct pm_series_block *b,
			 struct pm_series_values *v, struct pm_err *e)
{
	struct pm_str deviations, gaps, reason;
	uint16_t tick[PM_SAMPLEBLOCK_MAX];
	uint32_t at, n;

	if (pm_series_get_ticks(s, &s->ticks[b->ticks], tick, e) < 0 ||
	    pm_series_get_coded(s, b, &v->coded, &deviations, &v->unknown, e) < 0)
		return -1;
	memcpy(v->tick, tick + b->tick, v->coded.samples * sizeof *tick);
	memset(v->known, 1, v->coded.samples);
	for (gaps = v->unknown; pm_samplecode_next_gap(&gaps, &at, &n, &reason) > 0;) {
		if (at > v->coded.samples || n > v->coded.samples - at)
			return pm_err(e, "temporary data is damaged");
		memset(v->known + at, 0, n);
	}
	if (pm_sampleblock_decode(&v->coded.block, (const uint8_t *)deviations.p, deviations.n,
				  v->value, v->coded.samples) < 0)
		return pm_err(e, "temporary data is damaged");
	return 0;
}
