/* Parse the counters of a record, and compute derived ones. */
#include "config.h"

#include "submit/job/counters.h"

#include "common/record/formulas.h"
#include "common/safe/uncounted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parse a decimal fraction such as 0.25, whatever the locale. Returns 0 or -1. */
static int parse_fraction(const char *p, size_t n, double *out)
{
	double scale = 1, v = 0;
	bool point = false;
	size_t digits = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = v * 10 + (p[i] - '0');
		if (point)
			scale *= 10;
		digits++;
	}
	*out = v / scale;
	return digits ? 0 : -1;
}

int pm_counter_parse(struct pm_counter *c, struct pm_str item)
{
	/* Names of events may hold '=' themselves. */
	const char *equals = memrchr(item.p, '=', item.n), *end = item.p + item.n, *at;

	if (!equals || equals == item.p)
		return -1;
	*c = (struct pm_counter){ .name = { item.p, (size_t)(equals - item.p) }, .ratio = NAN };
	if (end - equals > 1 && equals[1] == '?') {
		c->reason = (struct pm_str){ equals + 2, (size_t)(end - equals - 2) };
		return 0;
	}
	at = memchr(equals, '@', (size_t)(end - equals));
	c->known =
		pm_tsv_number(equals + 1, (size_t)((at ? at : end) - equals - 1), &c->value) == 0;
	c->scope = at && end - at == 5 && memcmp(at, "@node", 5) == 0 ? "node" : NULL;
	if (at && parse_fraction(at + 1, (size_t)(end - at - 1), &c->ratio) < 0)
		c->ratio = NAN;
	return 0;
}

/* Find an event by name. Returns 0, or -1 if it is not in the list. */
static int find_counter(struct pm_str list, const char *name, struct pm_counter *c)
{
	size_t n = strlen(name);
	struct pm_str item;

	while (pm_tsv_next_item(&list, &item))
		if (pm_counter_parse(c, item) == 0 && c->name.n == n &&
		    memcmp(c->name.p, name, n) == 0)
			return 0;
	return -1;
}

struct terms {
	long double value[PM_DERIVED_TERMS];
	size_t n;
};

static long double term_value(void *ctx, const char *token, size_t n)
{
	const struct terms *t = ctx;
	size_t i = 0;

	if (n < 2 || n > 3 || token[0] != 'N')
		return NAN;
	for (size_t k = 1; k < n; k++) {
		if (token[k] < '0' || token[k] > '9')
			return NAN;
		i = 10 * i + (size_t)(token[k] - '0');
	}
	return i < t->n ? t->value[i] : NAN;
}

static struct pm_str text_constant(const char *text)
{
	return (struct pm_str){ text, strlen(text) };
}

int pm_counter_derive(struct pm_counter *c, const struct pm_derived *d, struct pm_str list)
{
	struct terms t = { .n = d->terms };
	size_t missing = 0;
	long double v;

	*c = (struct pm_counter){ .name = text_constant(d->name), .ratio = NAN };
	if (!d->formula) {
		c->reason = text_constant(d->reason);
		return 1;
	}
	if (strchr(d->formula, '/'))
		c->scope = "rate";
	for (size_t i = 0; i < d->terms; i++) {
		struct pm_counter term;

		t.value[i] = NAN;
		if (find_counter(list, d->term[i], &term) < 0) {
			missing++;
			continue;
		}
		if (term.known)
			t.value[i] = (long double)term.value;
		else if (c->reason.n == 0)
			c->reason = term.reason;
		if (!isnan(term.ratio) && !(c->ratio <= term.ratio))
			c->ratio = term.ratio;
	}
	if (missing == d->terms)
		return 0;
	v = pm_formula_rpn(d->formula, term_value, &t);
	/* 2^63 is the first integer that does not fit. */
	if (v >= 0 && v < 0x1p63L - 0.5L) {
		c->value = llroundl(v);
		c->known = true;
		c->reason.n = 0;
		return 1;
	}
	c->ratio = NAN;
	if (missing)
		c->reason = text_constant(PM_UNCOUNTED_TEXT(missing));
	else if (c->reason.n == 0)
		c->reason = text_constant(PM_UNCOUNTED_TEXT(range));
	return 1;
}

void pm_derived_free(struct pm_derived *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(d[i].name);
		free(d[i].formula);
		free(d[i].reason);
		for (size_t k = 0; k < d[i].terms; k++)
			free(d[i].term[k]);
	}
	free(d);
}
