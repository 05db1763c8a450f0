/* Pass the samples of a node to its summary and its energy meters, tick by tick. */
#include "config.h"

#include "submit/job/seriessummary.h"

#include "common/grow.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

/* A sample of a series that has a role, or tells energy. */
struct entry {
	uint32_t series;
	enum pm_energy_reason reason;
	int64_t value;
};

/* A window whose ticks are being passed on. Those of two samplers may overlap. */
struct reading {
	size_t window;
	int64_t monotonic_us[PM_SAMPLEBLOCK_MAX];
	uint16_t tick[PM_SAMPLEBLOCK_MAX]; /* those with samples, in the order of the monotonic
					      clock */
	uint32_t ticks, next;
	bool used[PM_SAMPLEBLOCK_MAX];          /* whether a tick has samples */
	uint32_t begin[PM_SAMPLEBLOCK_MAX + 1]; /* first entry of each tick */
	struct entry *entry;
};

struct summing {
	struct pm_series *s;
	struct pm_nodesummary *n;
	uint32_t *meter; /* series that tell energy, by host */
	size_t meters, meters_cap, taken;
	struct pm_energy_sum *energy; /* of those of the host */
	size_t *window;               /* by host and begin */
	size_t begun;
	uint32_t *block; /* blocks that are not superseded, by window; pm_filemem */
	uint32_t *first; /* of each window, and behind the last one: its first place in `block` */
	struct reading **reading;
	size_t readings, readings_cap;
	struct pm_series_values values;
	enum pm_energy_reason reason[PM_SAMPLEBLOCK_MAX]; /* of these values */
};

static int by_begin(const void *a, const void *b, void *ctx)
{
	const size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct pm_series *s = ctx;
	const struct pm_series_window *x = &s->window[i], *y = &s->window[k];

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->begin_us != y->begin_us)
		return x->begin_us < y->begin_us ? -1 : 1;
	return (i > k) - (i < k);
}

static int by_clock(const void *a, const void *b, void *ctx)
{
	const uint16_t i = *(const uint16_t *)a, k = *(const uint16_t *)b;
	const int64_t *monotonic_us = ctx;

	if (monotonic_us[i] != monotonic_us[k])
		return monotonic_us[i] < monotonic_us[k] ? -1 : 1;
	return (i > k) - (i < k);
}

static void free_reading(struct reading *r)
{
	if (r)
		free(r->entry);
	free(r);
}

static bool has_role(const struct pm_series *s, const struct pm_series_block *b)
{
	const struct pm_series_info *info = &s->info[b->series];

	return info->role.part != PM_NODESUMMARY_NOTHING || info->energy;
}

/* Read the values of a block and why they are unknown. Returns 0 or -1 with e filled. */
static int read_values(struct summing *m, const struct pm_series_block *b, struct pm_err *e)
{
	struct pm_series_values *v = &m->values;
	struct pm_str gaps, reason;
	uint32_t at, n;

	if (pm_series_get_values(m->s, b, v, e) < 0)
		return -1;
	memset(m->reason, 0, sizeof m->reason);
	for (gaps = v->unknown; pm_samplecode_next_gap(&gaps, &at, &n, &reason) > 0;)
		for (uint32_t i = at; i < at + n; i++)
			m->reason[i] = pm_energy_reason(reason.p, reason.n);
	return 0;
}

/* Note which ticks the samples of a block have. Returns 0 or -1 with e filled. */
static int note_used(struct summing *m, struct reading *r, const struct pm_series_block *b,
		     struct pm_err *e)
{
	struct pm_str deviations, unknown;
	uint16_t tick[PM_SAMPLEBLOCK_MAX];
	struct pm_series_coded coded;

	if (pm_series_get_ticks(m->s, &m->s->ticks[b->ticks], tick, e) < 0 ||
	    pm_series_get_coded(m->s, b, &coded, &deviations, &unknown, e) < 0)
		return -1;
	for (uint32_t i = 0; i < coded.samples; i++)
		r->used[tick[b->tick + i]] = true;
	return 0;
}

/* Read the entries of a window, sorted by tick, and which ticks are used. Returns 0 or -1 with e
 * filled. */
static int read_entries(struct summing *m, struct reading *r, struct pm_err *e)
{
	struct pm_series *s = m->s;
	const struct pm_series_window *w = &s->window[r->window];
	struct pm_series_values *v = &m->values;
	uint32_t place[PM_SAMPLEBLOCK_MAX + 1];

	/* Count the entries of each tick first, then put them there. */
	for (int put = 0; put < 2; put++) {
		for (uint32_t i = m->first[r->window]; i < m->first[r->window + 1]; i++) {
			const struct pm_series_block *b = &s->block[m->block[i]];

			if (!put && note_used(m, r, b, e) < 0)
				return -1;
			if (!has_role(s, b))
				continue;
			if (read_values(m, b, e) < 0)
				return -1;
			for (uint32_t k = 0; k < v->coded.samples; k++) {
				if (put)
					r->entry[place[v->tick[k]]++] = (struct entry){
						.series = b->series,
						.reason = m->reason[k],
						.value = v->value[k],
					};
				else
					r->begin[v->tick[k] + 1]++;
			}
		}
		if (put)
			break;
		for (uint32_t i = 0; i < w->ticks; i++)
			r->begin[i + 1] += r->begin[i];
		memcpy(place, r->begin, sizeof place);
		r->entry = calloc(r->begin[w->ticks] + 1, sizeof *r->entry);
		if (!r->entry)
			return pm_err(e, "out of memory");
	}
	return 0;
}

static int begin_reading(struct summing *m, size_t window, struct pm_err *e)
{
	const struct pm_series_window *w = &m->s->window[window];
	struct reading *r = calloc(1, sizeof *r);
	int64_t time_us[PM_SAMPLEBLOCK_MAX];

	if (!r || !PM_GROW(m->reading, m->readings, m->readings_cap, 4)) {
		free(r);
		return pm_err(e, "out of memory");
	}
	m->reading[m->readings++] = r;
	r->window = window;
	if (pm_series_get_times(m->s, w, time_us, r->monotonic_us, e) < 0 ||
	    read_entries(m, r, e) < 0)
		return -1;
	for (uint32_t i = 0; i < w->ticks; i++)
		if (r->used[i])
			r->tick[r->ticks++] = (uint16_t)i;
	qsort_r(r->tick, r->ticks, sizeof *r->tick, by_clock, r->monotonic_us);
	/* A window whose samples are all superseded has none. */
	if (r->ticks == 0)
		free_reading(m->reading[--m->readings]);
	return 0;
}

static int64_t next_time(const struct reading *r)
{
	return r->monotonic_us[r->tick[r->next]];
}

/* Whether a window goes on with a tick of this time. */
static bool has_time(const struct summing *m, int64_t monotonic_us)
{
	for (size_t i = 0; i < m->readings; i++)
		if (m->reading[i]->next < m->reading[i]->ticks &&
		    next_time(m->reading[i]) == monotonic_us)
			return true;
	return false;
}

/* Pass on the next tick of a window: ticks of several windows with the same time are one. Returns 0
 * or -1 with e filled. */
static int take_tick(struct summing *m, struct reading *r, struct pm_err *e)
{
	const int64_t monotonic_us = next_time(r);
	uint16_t tick = r->tick[r->next++];

	for (uint32_t i = r->begin[tick]; i < r->begin[tick + 1]; i++) {
		const struct entry *x = &r->entry[i];
		const struct pm_series_info *info = &m->s->info[x->series];

		if (info->energy)
			pm_energy_add(&m->energy[info->meter], info->energy->power, monotonic_us,
				      x->reason, x->value);
		else if (pm_nodesummary_value(m->n, info->role, x->reason == PM_ENERGY_KNOWN,
					      x->value, e) < 0)
			return -1;
	}
	if (!has_time(m, monotonic_us))
		pm_nodesummary_tick(m->n, monotonic_us);
	return 0;
}

/* The number of the window with the next tick. */
static size_t find_next(const struct summing *m)
{
	size_t next = 0;

	for (size_t i = 1; i < m->readings; i++)
		if (next_time(m->reading[i]) < next_time(m->reading[next]) ||
		    (next_time(m->reading[i]) == next_time(m->reading[next]) &&
		     m->reading[i]->window < m->reading[next]->window))
			next = i;
	return next;
}

static int sum_up_host(struct summing *m, uint32_t host, struct pm_err *e)
{
	const struct pm_series *s = m->s;

	for (;;) {
		size_t i = m->readings ? find_next(m) : 0;

		while (m->begun < s->windows && s->window[m->window[m->begun]].host == host &&
		       (m->readings == 0 ||
			s->window[m->window[m->begun]].begin_us <= next_time(m->reading[i]))) {
			if (begin_reading(m, m->window[m->begun++], e) < 0)
				return -1;
			i = m->readings ? find_next(m) : 0;
		}
		if (m->readings == 0)
			return 0;
		if (take_tick(m, m->reading[i], e) < 0)
			return -1;
		if (m->reading[i]->next == m->reading[i]->ticks) {
			free_reading(m->reading[i]);
			m->reading[i] = m->reading[--m->readings];
		}
	}
}

/* Sort the blocks that are not superseded by window. Returns 0 or -1 with e filled. */
static int sort_blocks(struct summing *m, struct pm_err *e)
{
	const struct pm_series *s = m->s;

	m->first = calloc(s->windows + 2, sizeof *m->first);
	m->block = pm_filemem_calloc(s->blocks + 1, sizeof *m->block);
	if (!m->first || !m->block)
		return pm_err(e, "out of memory");
	/* Count at the window after the next; after the sums, the next one has its first place,
	 * which moves behind its last one as its blocks are put. */
	for (size_t i = 0; i < s->blocks; i++, pm_filemem_trim())
		if (!s->block[i].superseded)
			m->first[s->ticks[s->block[i].ticks].window + 2]++;
	for (size_t i = 2; i < s->windows + 2; i++)
		m->first[i] += m->first[i - 1];
	for (size_t i = 0; i < s->blocks; i++, pm_filemem_trim())
		if (!s->block[i].superseded)
			m->block[m->first[s->ticks[s->block[i].ticks].window + 1]++] = (uint32_t)i;
	return 0;
}

static int by_host(const void *a, const void *b, void *ctx)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pm_series *s = ctx;

	if (s->info[i].host != s->info[k].host)
		return s->info[i].host < s->info[k].host ? -1 : 1;
	return (i > k) - (i < k);
}

/* List the series that tell energy, by host. Returns 0 or -1 with e filled. */
static int list_meters(struct summing *m, struct pm_err *e)
{
	for (size_t i = 0; i < m->s->count; i++) {
		if (!m->s->info[i].energy)
			continue;
		if (!PM_GROW(m->meter, m->meters, m->meters_cap, 16))
			return pm_err(e, "out of memory");
		m->meter[m->meters++] = (uint32_t)i;
	}
	if (m->meters)
		qsort_r(m->meter, m->meters, sizeof *m->meter, by_host, m->s);
	return 0;
}

/* Number the series of a host that tell energy. Returns their number, or -1 with e filled. */
static int64_t begin_meters(struct summing *m, uint32_t host, struct pm_err *e)
{
	const size_t first = m->taken;

	for (; m->taken < m->meters && m->s->info[m->meter[m->taken]].host == host; m->taken++)
		m->s->info[m->meter[m->taken]].meter = (uint32_t)(m->taken - first);
	m->energy = calloc(m->taken - first + 1, sizeof *m->energy);
	return m->energy ? (int64_t)(m->taken - first) : pm_err(e, "out of memory");
}

/* The meters of a host, from the sums of its n series. Returns 0 or -1 with e filled. */
static int take_meters(struct summing *m, size_t n, struct pm_energy_meters *meters,
		       struct pm_err *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct pm_series_info *info = &m->s->info[m->meter[m->taken - n + i]];

		pm_energy_end(&m->energy[i]);
		if (pm_energy_meters_add(meters, info->energy, info->text[2], &m->energy[i]) < 0)
			return pm_err(e, "out of memory");
	}
	pm_energy_meters_finish(meters);
	return 0;
}

/* Sum up a host and pass the result on. Returns 0 or -1 with e filled. */
static int pass_host(struct summing *m, uint32_t host, pm_series_summary_fn *each, void *ctx,
		     struct pm_err *e)
{
	struct pm_energy_meters meters = { .n = 0 };
	struct pm_nodesummary_of of;
	int64_t n = begin_meters(m, host, e);
	int rc = n < 0 ? -1 : 0;

	m->n = pm_nodesummary_new();
	if (rc == 0)
		rc = m->n ? sum_up_host(m, host, e) : pm_err(e, "out of memory");
	if (rc == 0)
		rc = take_meters(m, (size_t)n, &meters, e);
	if (rc == 0) {
		pm_nodesummary_finish(m->n, &of);
		rc = each(ctx, host, &of, &meters, e);
	}
	pm_energy_meters_free(&meters);
	pm_nodesummary_free(m->n);
	free(m->energy);
	return rc;
}

int pm_series_sum_up(struct pm_series *s, uint32_t hosts, pm_series_summary_fn *each, void *ctx,
		     struct pm_err *e)
{
	struct summing *m = calloc(1, sizeof *m);
	int rc = 0;

	if (m)
		m->window = calloc(s->windows + 1, sizeof *m->window);
	if (!m || !m->window) {
		free(m);
		return pm_err(e, "out of memory");
	}
	m->s = s;
	for (size_t i = 0; i < s->windows; i++)
		m->window[i] = i;
	qsort_r(m->window, s->windows, sizeof *m->window, by_begin, s);
	rc = sort_blocks(m, e);
	if (rc == 0)
		rc = list_meters(m, e);
	for (uint32_t host = 0; host < hosts && rc == 0; host++)
		rc = pass_host(m, host, each, ctx, e);
	while (m->readings)
		free_reading(m->reading[--m->readings]);
	free(m->reading);
	free(m->window);
	free(m->meter);
	free(m->first);
	pm_filemem_free(m->block);
	free(m);
	return rc;
}
