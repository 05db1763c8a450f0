/*
 * Secrets in what people write as a name and its value: an annotation NAME=VALUE, a tag NAME:VALUE.
 * Allocates nothing, knows no locale; safe in the preload.
 */
#ifndef PM_PAIRS_H
#define PM_PAIRS_H

#include "common/secrets.h"

/* How far a search of a pair is: the secret that it came to, n 0 where there is none. */
struct pm_pairs_search {
	struct pm_secrets s;
	size_t at, n;
	unsigned char begun;
};

/* A pair: it is searched whole, and its value is searched by itself. */
struct pm_pairs {
	const char *text;
	size_t value; /* offset of the value; the length of the text where that is a bare name */
	struct pm_pairs_search whole, alone, named; /* named: what the name says of the value */
};

/* Begin a pair, a text whose value begins behind the first `mark`. */
void pm_pairs_begin(struct pm_pairs *p, const char *text, char mark);

/*
 * The next secret of the pair: what the name says of the value, and what pm_secrets_text finds in
 * either. Call it with `from` 0 and then with the end of the secret before. Returns its length,
 * with *at its offset; 0 where there is no further one.
 */
size_t pm_pairs_secret(struct pm_pairs *p, size_t from, size_t *at);

#endif
