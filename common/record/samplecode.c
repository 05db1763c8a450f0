/* Code samples with their roll-up. */
#include "config.h"

#include "common/record/samplecode.h"

#include "common/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a gap in the text of column unknown: brackets, numbers and a reason, each byte of which
 * may take two. */
#define GAP_ROOM (2 * PM_SAMPLEGAP_REASON + 64)

/* Bytes of a reason that are whole characters. */
static size_t whole_size(struct pm_str reason)
{
	size_t most = reason.n < PM_SAMPLEGAP_REASON ? reason.n : PM_SAMPLEGAP_REASON;
	size_t n = 0, length;

	for (; n < most; n += length) {
		length = 1;
		if ((unsigned char)reason.p[n] >= 0x80)
			length = pm_tsv_character(reason.p + n, most - n);
		if (length == 0)
			break;
	}
	return n;
}

int pm_samplegaps_add(struct pm_samplegaps *g, struct pm_samplereasons *r, size_t at,
		      struct pm_str reason)
{
	struct pm_samplegap *last = g->n ? &g->gap[g->n - 1] : NULL;
	size_t size = whole_size(reason);

	if (last && last->at + last->n == at && last->reason_size == size &&
	    memcmp(r->text + last->reason, reason.p, size) == 0) {
		last->n++;
		return 0;
	}
	if (!PM_GROW(g->gap, g->n, g->cap, 4) ||
	    !PM_GROW_BY(r->text, r->n, PM_SAMPLEGAP_REASON, r->cap, 1024))
		return -1;
	g->gap[g->n++] = (struct pm_samplegap){ (uint32_t)at, 1, (uint32_t)r->n, (uint32_t)size };
	memcpy(r->text + r->n, reason.p, size);
	r->n += size;
	return 0;
}

void pm_samplerun_prepare(const struct pm_samplerun *r)
{
	size_t unknown = 0;

	for (size_t i = 0; i < r->gaps->n && r->gaps->gap[i].at == unknown; i++)
		unknown += r->gaps->gap[i].n;
	for (size_t i = 0; i < unknown && unknown < r->n; i++)
		r->value[i] = r->value[unknown];
}

size_t pm_samplerun_end(const struct pm_samplerun *r, size_t from)
{
	size_t to = from + 1;

	while (to < r->n && pm_sampleblock_follows(r->value[to - 1], r->value[to]))
		to++;
	return to;
}

/* Write a valid field (pm_tsv_valid) as the inside of a JSON string. Returns its length. */
static size_t put_json(char *to, const char *p, size_t n)
{
	char *const begin = to;

	for (; n > 0; n--, p++) {
		if (*p == '"' || *p == '\\')
			*to++ = '\\';
		*to++ = *p;
	}
	return (size_t)(to - begin);
}

/* Write the gaps in the values from..to. Returns 0, or -1 if out of memory. */
static int write_gaps(const struct pm_samplerun *r, size_t from, size_t to, struct pm_samplecode *c)
{
	size_t n = 0;

	for (size_t i = 0; i < r->gaps->n; i++) {
		const struct pm_samplegap *gap = &r->gaps->gap[i];
		size_t begin = gap->at > from ? gap->at : from;
		size_t end = gap->at + gap->n < to ? gap->at + gap->n : to;

		if (begin >= end)
			continue;
		if (!PM_GROW_BY(c->unknown, n, GAP_ROOM, c->unknown_cap, 1024))
			return -1;
		n += (size_t)snprintf(c->unknown + n, GAP_ROOM, "%s[%zu,%zu,\"", n ? "," : "[",
				      begin - from, end - begin);
		n += put_json(c->unknown + n, r->reasons->text + gap->reason, gap->reason_size);
		c->unknown[n++] = '"';
		c->unknown[n++] = ']';
	}
	if (n)
		c->unknown[n++] = ']';
	c->unknown_size = n;
	return 0;
}

/* Compute least, greatest and mean of the known values from..to. */
static void sum_up(const struct pm_samplerun *r, size_t from, size_t to, struct pm_samplecode *c)
{
	const struct pm_samplegap *gap = r->gaps->gap, *end = gap + r->gaps->n;
	long double sum = 0;
	uint32_t known = 0;

	for (size_t i = from; i < to; i++) {
		int64_t v = r->value[i];

		while (gap < end && gap->at + gap->n <= i)
			gap++;
		if (gap < end && gap->at <= i)
			continue;
		c->least = known && c->least < v ? c->least : v;
		c->greatest = known && c->greatest > v ? c->greatest : v;
		sum += (long double)v;
		known++;
	}
	c->samples = (uint32_t)(to - from);
	c->known = known;
	c->mean = known ? (double)(sum / known) : 0;
}

int pm_samplerun_code(const struct pm_samplerun *r, size_t from, size_t to, struct pm_samplecode *c)
{
	if (write_gaps(r, from, to, c) < 0)
		return -1;
	sum_up(r, from, to, c);
	c->bytes = pm_sampleblock_encode(&c->block, r->value + from, to - from, c->deviations);
	return 0;
}

void pm_samplecode_free(struct pm_samplecode *c)
{
	free(c->unknown);
	c->unknown = NULL;
	c->unknown_cap = 0;
}

/* Step over a character that has to follow. */
static bool step_over(const char **p, const char *end, char c)
{
	return *p < end && *(*p)++ == c;
}

/* Step over a number of at most six digits. */
static bool step_number(const char **p, const char *end, uint32_t *v)
{
	const char *begin = *p;

	for (*v = 0; *p < end && **p >= '0' && **p <= '9' && *p - begin < 6; (*p)++)
		*v = 10 * *v + (uint32_t)(**p - '0');
	return *p > begin;
}

int pm_samplecode_next_gap(struct pm_str *unknown, uint32_t *at, uint32_t *n, struct pm_str *reason)
{
	/* [[0,3,"late"],[7,1,"absent"]] */
	const char *p = unknown->p, *end = p + unknown->n;

	if (p == end)
		return 0;
	if (*p == ']')
		return p + 1 == end ? 0 : -1;
	if ((*p != '[' && *p != ',') || !step_over(&p, end, *p) || !step_over(&p, end, '[') ||
	    !step_number(&p, end, at) || !step_over(&p, end, ',') || !step_number(&p, end, n) ||
	    !step_over(&p, end, ',') || !step_over(&p, end, '"'))
		return -1;
	reason->p = p;
	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	if (p >= end)
		return -1;
	reason->n = (size_t)(p - reason->p);
	p++;
	if (!step_over(&p, end, ']') || p == end)
		return -1;
	unknown->n = (size_t)(end - p);
	unknown->p = p;
	return 1;
}
