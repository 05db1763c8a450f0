/* Records in few bytes: which values are set, then those. */
#include "config.h"

#include "submit/pack.h"

#include <stdlib.h>
#include <string.h>

/* Longest encoded record beside its texts: the bitmap and 10 bytes per value. */
#define ENCODED_HEAD (sizeof((struct pm_record *)0)->set + PM_COLUMNS * 10)

/* Integers as zigzag and seven bits per byte, low ones first. */
static unsigned char *put_number(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static const unsigned char *get_number(const unsigned char *p, uint64_t *v)
{
	int shift = 0;

	for (*v = 0; *p & 0x80; p++, shift += 7)
		*v |= (uint64_t)(*p & 0x7f) << shift;
	*v |= (uint64_t)*p << shift;
	return p + 1;
}

uint64_t pm_pack_put(struct pm_store *s, const struct pm_record *r, struct pm_err *e)
{
	unsigned char small[8192], *mem = small, *p;
	size_t need = ENCODED_HEAD;
	uint64_t offset;

	for (int c = 0; c < PM_COLUMNS; c++)
		if (pm_column_is_text[c] && pm_record_has(r, (enum pm_column)c))
			need += r->v[c].s.n;
	if (need > sizeof small && !(mem = malloc(need))) {
		pm_err(e, "out of memory");
		return 0;
	}
	memcpy(mem, r->set, sizeof r->set);
	p = mem + sizeof r->set;
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!pm_record_has(r, (enum pm_column)c))
			continue;
		if (pm_column_is_text[c]) {
			p = put_number(p, r->v[c].s.n);
			if (r->v[c].s.n)
				memcpy(p, r->v[c].s.p, r->v[c].s.n);
			p += r->v[c].s.n;
		} else {
			uint64_t v = (uint64_t)r->v[c].i;

			p = put_number(p, v << 1 ^ (0 - (v >> 63)));
		}
	}
	offset = pm_store_put(s, mem, (size_t)(p - mem), e);
	if (mem != small)
		free(mem);
	return offset;
}

int pm_pack_get(struct pm_store *s, uint64_t offset, struct pm_record *r, struct pm_err *e)
{
	const unsigned char *p;
	struct pm_str item;
	uint64_t v;

	if (pm_store_get(s, offset, &item, e) < 0)
		return -1;
	p = (const unsigned char *)item.p;
	memcpy(r->set, p, sizeof r->set);
	p += sizeof r->set;
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!pm_record_has(r, (enum pm_column)c))
			continue;
		p = get_number(p, &v);
		if (pm_column_is_text[c]) {
			r->v[c].s.p = (const char *)p;
			r->v[c].s.n = v;
			p += v;
		} else {
			r->v[c].i = (int64_t)(v >> 1 ^ (0 - (v & 1)));
		}
	}
	return 0;
}
