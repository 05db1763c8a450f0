/* The dictionary of a column chunk. */
#include "config.h"

#include "export/parquet/dictionary.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

/* Slots looked at for a value. Values that were made to collide make a dictionary full, not slow.
 */
#define MOST_PROBES 64

/* An odd number of random bits, for hashes by multiplication. */
#define MIX UINT64_C(0x9e3779b97f4a7c15)

void pm_dictionary_init(struct pm_dictionary *d, uint32_t most, size_t most_bytes)
{
	*d = (struct pm_dictionary){ .most = most, .most_bytes = most_bytes };
}

void pm_dictionary_reset(struct pm_dictionary *d)
{
	pm_bytes_free(&d->plain);
	pm_bytes_free(&d->at);
	free(d->slot);
	d->slot = NULL;
	d->slots = 0;
	d->n = 0;
}

static uint32_t text_begin(const struct pm_dictionary *d, uint32_t i)
{
	uint32_t at;

	memcpy(&at, d->at.p + i * sizeof at, sizeof at);
	return at;
}

void pm_dictionary_close(struct pm_dictionary *d, uint32_t n)
{
	if (n < d->n)
		d->plain.n = d->at.p ? text_begin(d, n) : 8 * (size_t)n;
	if (n == 0)
		pm_bytes_free(&d->plain);
	d->n = n;
	pm_bytes_free(&d->at);
	free(d->slot);
	d->slot = NULL;
	d->slots = 0;
}

size_t pm_dictionary_memory(const struct pm_dictionary *d)
{
	return d->plain.room + d->at.room + d->slots * sizeof *d->slot;
}

static uint64_t load(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, p, n);
	return v;
}

/* Spread all bits over the lower half, by which slots are chosen. */
static uint64_t hash_number(uint64_t v)
{
	v = (v ^ v >> 32) * MIX;
	v = (v ^ v >> 29) * MIX;
	return v ^ v >> 32;
}

static uint64_t hash_text(const unsigned char *p, size_t n)
{
	uint64_t hash = n;

	for (; n >= 8; p += 8, n -= 8) {
		hash = (hash ^ load(p, 8)) * MIX;
		hash ^= hash >> 32;
	}
	return hash_number(hash ^ load(p, n));
}

static const unsigned char *text_at(const struct pm_dictionary *d, uint32_t i, uint32_t *n)
{
	uint32_t at = text_begin(d, i);
	uint32_t next = i + 1 < d->n ? text_begin(d, i + 1) : (uint32_t)d->plain.n;

	*n = next - at - 4;
	return d->plain.p + at + 4;
}

static uint64_t hash_entry(const struct pm_dictionary *d, uint32_t i)
{
	const unsigned char *p;
	uint32_t n;

	if (!d->at.p)
		return hash_number(load(d->plain.p + 8 * (size_t)i, 8));
	p = text_at(d, i, &n);
	return hash_text(p, n);
}

/* Double the slots, half of which are in use at most. Returns false if out of memory. */
static bool grow_slots(struct pm_dictionary *d)
{
	size_t slots = d->slots ? 2 * d->slots : FIRST_SLOTS, at;
	uint32_t *slot = calloc(slots, sizeof *slot);

	if (!slot)
		return false;
	for (uint32_t i = 0; i < d->n; i++) {
		at = hash_entry(d, i) & (slots - 1);
		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
	free(d->slot);
	d->slot = slot;
	d->slots = slots;
	return true;
}

/* Whether there is room for one more entry. */
static bool has_room(struct pm_dictionary *d)
{
	return 2 * ((size_t)d->n + 1) <= d->slots || grow_slots(d);
}

uint32_t pm_dictionary_number(struct pm_dictionary *d, const unsigned char *p)
{
	uint64_t v = load(p, 8), at = hash_number(v);

	if (!has_room(d))
		return PM_DICTIONARY_FULL;
	for (unsigned probe = 0; probe < MOST_PROBES; probe++, at++) {
		uint32_t *slot = &d->slot[at & (d->slots - 1)];

		if (*slot) {
			if (load(d->plain.p + 8 * (size_t)(*slot - 1), 8) == v)
				return *slot - 1;
			continue;
		}
		if (d->n == d->most || d->plain.n + 8 > d->most_bytes)
			return PM_DICTIONARY_FULL;
		pm_bytes_add(&d->plain, p, 8);
		if (d->plain.failed)
			return PM_DICTIONARY_FULL;
		*slot = ++d->n;
		return d->n - 1;
	}
	return PM_DICTIONARY_FULL;
}

static bool add_text(struct pm_dictionary *d, const unsigned char *p, uint32_t n)
{
	uint32_t at = (uint32_t)d->plain.n;

	if (d->n == d->most || d->plain.n + 4 + n > d->most_bytes ||
	    !pm_bytes_room(&d->plain, 4 + (size_t)n) || !pm_bytes_room(&d->at, sizeof at))
		return false;
	pm_bytes_add(&d->at, &at, sizeof at);
	pm_bytes_little(&d->plain, n, 4);
	pm_bytes_add(&d->plain, p, n);
	d->n++;
	return true;
}

uint32_t pm_dictionary_text(struct pm_dictionary *d, const unsigned char *p, uint32_t n)
{
	uint64_t at;

	if (!has_room(d))
		return PM_DICTIONARY_FULL;
	at = hash_text(p, n);
	for (unsigned probe = 0; probe < MOST_PROBES; probe++, at++) {
		uint32_t *slot = &d->slot[at & (d->slots - 1)], length;
		const unsigned char *text;

		if (!*slot) {
			if (!add_text(d, p, n))
				return PM_DICTIONARY_FULL;
			*slot = d->n;
			return d->n - 1;
		}
		text = text_at(d, *slot - 1, &length);
		if (length == n && memcmp(text, p, n) == 0)
			return *slot - 1;
	}
	return PM_DICTIONARY_FULL;
}
