/* Memory of a pickle: values, items, stack, marks and memo, each in one bounded array. */
#include "config.h"

#include "submit/foreign/pickle.h"

#include "common/grow.h"
#include "submit/foreign/pickle_parts.h"

#include <stdlib.h>
#include <string.h>

struct pm_pickle_block {
	struct pm_pickle_block *next;
	char text[];
};

/* Make room for one more element. False beyond the limit or when out of memory. */
#define ROOM(array, count, cap) ((count) < PM_PICKLE_LIMIT && PM_GROW(array, count, cap, 64))

uint32_t pm_pickle_add(struct pm_pickle *p, const struct pm_pickle_value *v)
{
	if (!ROOM(p->value, p->values, p->values_cap))
		return PM_PICKLE_NONE;
	p->value[p->values] = *v;
	return (uint32_t)p->values++;
}

static int push_index(uint32_t **array, size_t *count, size_t *cap, uint32_t value)
{
	if (!ROOM(*array, *count, *cap))
		return -1;
	(*array)[(*count)++] = value;
	return 0;
}

int pm_pickle_push(struct pm_pickle *p, uint32_t value)
{
	return push_index(&p->stack, &p->depth, &p->stack_cap, value);
}

int pm_pickle_mark(struct pm_pickle *p)
{
	return push_index(&p->mark, &p->marks, &p->mark_cap, (uint32_t)p->depth);
}

int pm_pickle_memo(struct pm_pickle *p, uint64_t at, uint32_t value)
{
	if (at >= PM_PICKLE_LIMIT)
		return -1;
	while (p->memos <= at)
		if (push_index(&p->memo, &p->memos, &p->memo_cap, PM_PICKLE_NONE) < 0)
			return -1;
	p->memo[at] = value;
	return 0;
}

int pm_pickle_append(struct pm_pickle *p, uint32_t container, uint32_t key, uint32_t value)
{
	struct pm_pickle_value *c = &p->value[container];

	if (!ROOM(p->item, p->items, p->items_cap))
		return -1;
	p->item[p->items].key = key;
	p->item[p->items].value = value;
	p->item[p->items].next = PM_PICKLE_NONE;
	if (c->first == PM_PICKLE_NONE)
		c->first = (uint32_t)p->items;
	else
		p->item[c->last].next = (uint32_t)p->items;
	c->last = (uint32_t)p->items++;
	c->u.count++;
	return 0;
}

/* Allocate memory for a decoded text. Returns it or NULL. */
static char *new_block(struct pm_pickle *p, size_t n)
{
	struct pm_pickle_block *b;

	if (n > 4 * PM_PICKLE_MAX - p->block_bytes)
		return NULL;
	b = malloc(sizeof *b + n + 1);
	if (!b)
		return NULL;
	p->block_bytes += n;
	b->next = p->block;
	p->block = b;
	return b->text;
}

char *pm_pickle_copy(struct pm_pickle *p, const char *text, size_t n)
{
	char *copy = new_block(p, n);

	if (copy && n)
		memcpy(copy, text, n);
	return copy;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse `digits` hexadecimal digits. Returns the number or -1. */
static long hex_number(const char *s, const char *end, int digits)
{
	long v = 0;

	if (end - s < digits)
		return -1;
	for (int i = 0; i < digits; i++) {
		int d = hex_digit(s[i]);

		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static char *put_utf8(char *to, unsigned long c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | (c >> 18 & 7));
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

const char *pm_pickle_quoted(struct pm_pickle *p, const char *line, size_t len, size_t *n)
{
	static const char code[] = "abfnrtv\\'\"", text[] = "\a\b\f\n\r\t\v\\'\"";
	const char *s = line, *end = line + len;
	char *out, *to;

	if (len < 2 || (line[0] != '\'' && line[0] != '"') || end[-1] != line[0])
		return NULL;
	s++;
	end--;
	to = out = new_block(p, len);
	if (!out)
		return NULL;
	while (s < end) {
		const char *known;
		long c;

		if (*s != '\\') {
			*to++ = *s++;
		} else if (s + 1 < end && s[1] == 'x') {
			c = hex_number(s + 2, end, 2);
			if (c < 0)
				return NULL;
			*to++ = (char)c;
			s += 4;
		} else if (s + 1 < end && s[1] && (known = strchr(code, s[1])) != NULL) {
			*to++ = text[known - code];
			s += 2;
		} else {
			return NULL;
		}
	}
	*n = (size_t)(to - out);
	return out;
}

const char *pm_pickle_unicode(struct pm_pickle *p, const char *line, size_t len, size_t *n)
{
	const char *s = line, *end = line + len;
	char *out = new_block(p, 2 * len), *to = out;

	if (!out)
		return NULL;
	while (s < end) {
		long c = (unsigned char)*s;
		int digits = 0;

		if (*s == '\\' && s + 1 < end && (s[1] == 'u' || s[1] == 'U')) {
			digits = s[1] == 'u' ? 4 : 8;
			c = hex_number(s + 2, end, digits);
			if (c < 0 || c > 0x10ffff)
				return NULL;
		}
		to = put_utf8(to, (unsigned long)c);
		s += digits ? 2 + digits : 1;
	}
	*n = (size_t)(to - out);
	return out;
}

void pm_pickle_free(struct pm_pickle *p)
{
	while (p->block) {
		struct pm_pickle_block *next = p->block->next;

		free(p->block);
		p->block = next;
	}
	free(p->value);
	free(p->item);
	free(p->stack);
	free(p->mark);
	free(p->memo);
	memset(p, 0, sizeof *p);
}

const struct pm_pickle_value *pm_pickle_get(const struct pm_pickle *p,
					    const struct pm_pickle_value *dict, const char *key)
{
	const struct pm_pickle_value *found = NULL;
	size_t n = strlen(key);

	if (!dict || dict->type != PM_PICKLE_DICT)
		return NULL;
	for (uint32_t i = dict->first; i != PM_PICKLE_NONE; i = p->item[i].next) {
		const struct pm_pickle_value *k = &p->value[p->item[i].key];

		if (k->type == PM_PICKLE_TEXT && k->u.text.n == n &&
		    memcmp(k->u.text.p, key, n) == 0)
			found = &p->value[p->item[i].value];
	}
	return found;
}
