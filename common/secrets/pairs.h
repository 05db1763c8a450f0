/*
 * Secrets in name-value pairs: an annotation NAME=VALUE, a tag NAME:VALUE. Allocates nothing, knows
 * no locale; safe in the preload.
 */
#ifndef PM_COMMON_SECRETS_PAIRS_H
#define PM_COMMON_SECRETS_PAIRS_H

#include "common/secrets/secrets.h"

/* State of one search over a pair: offset and length of its current secret; n is 0 without one. */
struct pm_pairs_search {
	struct pm_secrets s;
	size_t at, n;
	unsigned char begun;
};

/* A pair: the whole pair and its value alone are searched. */
struct pm_pairs {
	const char *text;
	size_t value; /* offset of the value; length of the text for a bare name without a value */
	struct pm_pairs_search whole, alone, named; /* named: the secret that the name implies */
};

/* Begin to search a pair: a text whose value begins after the first `mark`. */
void pm_pairs_begin(struct pm_pairs *p, const char *text, char mark);

/*
 * Find the next secret of the pair: the value if the name implies one, and the secrets that
 * pm_secrets_text() finds in the whole pair or in the value. Call it with `from` 0 and then with
 * the end of the previous secret. Returns the secret's length, with *at its offset; 0 at the end.
 */
size_t pm_pairs_secret(struct pm_pairs *p, size_t from, size_t *at);

#endif
