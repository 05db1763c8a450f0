/*
 * Encoding of a record: the number of its column set, then the values in column order. Times are
 * differences to the previous time, common texts are numbers of interned words.
 */
#include "config.h"

#include "submit/memory/packed.h"

#include <stdlib.h>
#include <string.h>

/* Longest encoded record without its texts: the set and 10 bytes per value. */
#define ENCODED_HEAD (1 + sizeof(struct pm_packed_set) + PM_COLUMNS * 10)

/* Encoding of a column's values. */
enum { NUMBER, TIME, TEXT, WORD };

static const uint8_t way[PM_COLUMNS] = {
#define PM_COLUMN(id, kind, unit, scope, records, since, source, help)                             \
	[PM_COL_##id] = PM_KIND_##kind == PM_KIND_LIST   ? TEXT                                    \
			: PM_KIND_##kind == PM_KIND_TEXT ? WORD                                    \
			: PM_KIND_##kind == PM_KIND_TIME || PM_COL_##id == PM_COL_image_us         \
				? TIME                                                             \
				: NUMBER,
#include "common/safe/columns.def"
#undef PM_COLUMN
};

_Static_assert(PM_PACKED_WORDS == 2, "the hash of a set has both words");

void pm_packed_init(struct pm_packed *k)
{
	memset(k, 0, sizeof *k);
	pm_blobs_init(&k->store);
}

void pm_packed_free(struct pm_packed *k)
{
	pm_blobs_free(&k->store);
	pm_interned_free(&k->words);
	free(k->set);
	pm_packed_init(k);
}

/* Variable-length integers: seven bits per byte, low bits first; signed ones as zigzag. */
static unsigned char *put_number(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static const unsigned char *get_number(const unsigned char *p, uint64_t *v)
{
	int shift = 7;

	*v = *p & 0x7f;
	for (; *p & 0x80; shift += 7)
		*v |= (uint64_t)(*++p & 0x7f) << shift;
	return p + 1;
}

/* Number of a column set, from 1; 0 if there are too many. */
static unsigned set_number(struct pm_packed *k, const uint64_t *bits)
{
	uint64_t hash = bits[0] * 0x9e3779b97f4a7c15 ^ bits[1] * 0xc2b2ae3d27d4eb4f;
	uint8_t *at = &k->at[hash >> 56];

	if (*at && memcmp(k->set[*at - 1].bits, bits, sizeof k->set[0]) == 0)
		return *at;
	for (size_t i = 0; i < k->sets; i++)
		if (memcmp(k->set[i].bits, bits, sizeof k->set[0]) == 0)
			return *at = (uint8_t)(i + 1);
	if (!k->set && !(k->set = malloc(PM_PACKED_SETS * sizeof k->set[0])))
		return 0;
	if (k->sets == PM_PACKED_SETS)
		return 0;
	memcpy(k->set[k->sets].bits, bits, sizeof k->set[0]);
	return *at = (uint8_t)++k->sets;
}

/* Intern a column's text; most often it equals that of the previous record. */
static uint32_t word_of(struct pm_packed *k, size_t c, struct pm_str s)
{
	uint32_t i;

	if (k->last[c]) {
		struct pm_str last = pm_interned_get(&k->words, k->last[c] - 1);

		if (last.n == s.n && memcmp(last.p, s.p, s.n) == 0)
			return k->last[c] - 1;
	}
	i = pm_interned_add(&k->words, s.p, s.n);
	if (i != PM_INTERNED_NONE)
		k->last[c] = i + 1;
	return i;
}

/* Encode a text: an interned word as number << 1 | 1, any other as length << 1, then its bytes. */
static unsigned char *put_text(struct pm_packed *k, unsigned char *p, size_t c, struct pm_str s)
{
	uint32_t i = way[c] == WORD ? word_of(k, c, s) : PM_INTERNED_NONE;

	if (i != PM_INTERNED_NONE)
		return put_number(p, (uint64_t)i << 1 | 1);
	p = put_number(p, (uint64_t)s.n << 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	return p + s.n;
}

static unsigned char *put_record(struct pm_packed *k, unsigned char *p, const struct pm_record *r)
{
	uint64_t time = 0;

	*p = (unsigned char)set_number(k, r->set);
	if (*p++ == 0) {
		memcpy(p, r->set, sizeof r->set);
		p += sizeof r->set;
	}
	for (size_t w = 0; w < PM_PACKED_WORDS; w++) {
		for (uint64_t bits = r->set[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);
			uint64_t v;

			if (way[c] >= TEXT) {
				p = put_text(k, p, c, r->v[c].s);
				continue;
			}
			v = (uint64_t)r->v[c].i;
			if (way[c] == TIME) {
				v -= time;
				time += v;
			}
			p = put_number(p, v << 1 ^ (0 - (v >> 63)));
		}
	}
	return p;
}

uint64_t pm_packed_put(struct pm_packed *k, const struct pm_record *r, struct pm_err *e)
{
	unsigned char small[8192], *mem = small;
	size_t need = ENCODED_HEAD;
	uint64_t offset;

	for (int c = 0; c < PM_COLUMNS; c++)
		if (way[c] >= TEXT && pm_record_has(r, (enum pm_column)c))
			need += r->v[c].s.n;
	if (need > sizeof small && !(mem = malloc(need))) {
		pm_err(e, "out of memory");
		return 0;
	}
	offset = pm_blobs_put(&k->store, mem, (size_t)(put_record(k, mem, r) - mem), e);
	if (mem != small)
		free(mem);
	return offset;
}

int pm_packed_get(struct pm_packed *k, uint64_t offset, struct pm_record *r, struct pm_err *e)
{
	const unsigned char *p;
	struct pm_str item;
	uint64_t time = 0, v;

	if (pm_blobs_get(&k->store, offset, &item, e) < 0)
		return -1;
	p = (const unsigned char *)item.p;
	if (*p) {
		memcpy(r->set, k->set[*p++ - 1].bits, sizeof r->set);
	} else {
		memcpy(r->set, p + 1, sizeof r->set);
		p += 1 + sizeof r->set;
	}
	for (size_t w = 0; w < PM_PACKED_WORDS; w++) {
		for (uint64_t bits = r->set[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);
			union pm_value *to = &r->v[c];

			p = get_number(p, &v);
			if (way[c] < TEXT) {
				v = v >> 1 ^ (0 - (v & 1));
				if (way[c] == TIME)
					v = time += v;
				to->i = (int64_t)v;
			} else if (v & 1) {
				to->s = pm_interned_get(&k->words, (uint32_t)(v >> 1));
			} else {
				to->s.p = (const char *)p;
				to->s.n = v >> 1;
				p += v >> 1;
			}
		}
	}
	return 0;
}
