/* Secrets of a pair: three searches over the pair; the first secret found by any of them is
 * returned. */
#include "config.h"

#include "common/secrets/pairs.h"

#include <string.h>

void pm_pairs_begin(struct pm_pairs *p, const char *text, char mark)
{
	size_t n = strlen(text);
	const char *end = memchr(text, mark, n);

	memset(p, 0, sizeof *p);
	p->text = text;
	p->value = end ? (size_t)(end - text) + 1 : n;
	if (!end)
		return;
	p->named.n = pm_secrets_value(pm_secrets_name(text, p->value - 1), end + 1, n - p->value,
				      &p->named.at);
	p->named.at += p->value;
}

/* Advance a search to its first secret at or after `from`. The searched text begins at `offset` in
 * the pair. */
static void seek_secret(struct pm_pairs_search *f, const char *text, size_t offset, size_t from)
{
	if (f->begun && (f->n == 0 || f->at >= from))
		return;
	f->begun = 1;
	f->n = pm_secrets_text(&f->s, text + offset, from > offset ? from - offset : 0, &f->at);
	f->at += offset;
}

size_t pm_pairs_secret(struct pm_pairs *p, size_t from, size_t *at)
{
	const struct pm_pairs_search *const found[] = { &p->whole, &p->alone, &p->named };
	size_t end = 0;

	seek_secret(&p->whole, p->text, 0, from);
	seek_secret(&p->alone, p->text, p->value, from);
	*at = (size_t)-1;
	for (int i = 0; i < 3; i++)
		if (found[i]->n && found[i]->at >= from && found[i]->at < *at) {
			*at = found[i]->at;
			end = *at + found[i]->n;
		}
	/* Extend the secret over other secrets that begin inside it and end later. */
	for (int i = 0; i < 3 && end; i++)
		if (found[i]->n && found[i]->at >= from && found[i]->at < end &&
		    found[i]->at + found[i]->n > end)
			end = found[i]->at + found[i]->n;
	return end ? end - *at : 0;
}
