/* Secrets of a pair: three ways to look at it, of which the first secret counts. */
#include "config.h"

#include "common/pairs.h"

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

/* Go on to the first secret behind `from`, of a text that begins at an offset of the pair's. */
static void seek(struct pm_pairs_search *f, const char *text, size_t offset, size_t from)
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

	seek(&p->whole, p->text, 0, from);
	seek(&p->alone, p->text, p->value, from);
	*at = (size_t)-1;
	for (int i = 0; i < 3; i++)
		if (found[i]->n && found[i]->at >= from && found[i]->at < *at) {
			*at = found[i]->at;
			end = *at + found[i]->n;
		}
	/* Those that begin inside of it may be longer. */
	for (int i = 0; i < 3 && end; i++)
		if (found[i]->n && found[i]->at >= from && found[i]->at < end &&
		    found[i]->at + found[i]->n > end)
			end = found[i]->at + found[i]->n;
	return end ? end - *at : 0;
}
