/*
 * Formulas of derived presets. PAPI's papi_internal.c defines the kinds: handle_derived() and the
 * functions that it calls.
 */
#include "config.h"

#include "wrapper/events/eventname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A formula under construction; depth: values on the stack after evaluating the formula so far. */
struct building {
	char *text;
	size_t len;
	unsigned depth;
	int failed;
};

static void put_token(struct building *b, const char *token)
{
	int n = snprintf(b->text + b->len, PM_EVENTNAME_FORMULA_MAX - b->len, "%s%s",
			 b->len ? " " : "", token);

	if (n < 0 || (size_t)n >= PM_EVENTNAME_FORMULA_MAX - b->len)
		b->failed = 1;
	else
		b->len += (size_t)n;
}

static void put_value(struct building *b, const char *token)
{
	put_token(b, token);
	b->depth++;
}

static void put_term(struct building *b, unsigned i)
{
	char token[16];

	snprintf(token, sizeof token, "N%u", i);
	put_value(b, token);
}

static void put_operator(struct building *b, const char *token)
{
	if (b->depth < 2)
		b->failed = 1;
	else
		b->depth--;
	put_token(b, token);
}

static void put_hz(struct building *b, double hz)
{
	char token[32];

	if (hz <= 0)
		b->failed = 1;
	snprintf(token, sizeof token, "%.0f", hz);
	put_value(b, token);
}

/* Append the terms from `first` on, joined by an operator. */
static void put_chain(struct building *b, unsigned first, unsigned terms, const char *operator)
{
	for (unsigned i = first; i < terms; i++) {
		put_term(b, i);
		if (i > first)
			put_operator(b, operator);
	}
	b->failed |= first >= terms;
}

/* Append PAPI's own postfix, whose tokens end with a |. */
static void put_postfix(struct building *b, const char *postfix, unsigned terms, double hz)
{
	while (*postfix) {
		size_t n = strcspn(postfix, "|");
		char token[32], *end;

		if (n >= sizeof token) {
			b->failed = 1;
			return;
		}
		memcpy(token, postfix, n);
		token[n] = '\0';
		postfix += n + (postfix[n] == '|');
		if (n == 0)
			continue;
		if (token[0] == 'N' && n > 1) {
			unsigned long i = strtoul(token + 1, &end, 10);

			b->failed |= *end || token[1] < '0' || token[1] > '9' || i >= terms;
			put_value(b, token);
		} else if (token[0] == '#' && n == 1) {
			put_hz(b, hz);
		} else if (n == 1 && strchr("+-*/", token[0])) {
			put_operator(b, token);
		} else {
			b->failed |= token[strspn(token, "0123456789.")] != '\0';
			put_value(b, token);
		}
	}
}

int pm_eventname_formula(const char *derived, const char *postfix, unsigned terms, double hz,
			 char formula[PM_EVENTNAME_FORMULA_MAX])
{
	struct building b = { .text = formula };

	formula[0] = '\0';
	if (strcmp(derived, "NOT_DERIVED") == 0) {
		put_chain(&b, 0, terms, "");
	} else if (strcmp(derived, "DERIVED_ADD") == 0) {
		put_chain(&b, 0, terms, "+");
	} else if (strcmp(derived, "DERIVED_SUB") == 0) {
		put_chain(&b, 0, terms, "-");
	} else if (strcmp(derived, "DERIVED_PS") == 0 || strcmp(derived, "DERIVED_ADD_PS") == 0) {
		/* A rate per second; the first term counts cycles. */
		put_chain(&b, 1, strcmp(derived, "DERIVED_PS") == 0 && terms > 2 ? 2 : terms, "+");
		put_hz(&b, hz);
		put_operator(&b, "*");
		put_term(&b, 0);
		put_operator(&b, "/");
	} else if (strcmp(derived, "DERIVED_POSTFIX") == 0) {
		put_postfix(&b, postfix, terms, hz);
	} else {
		return -1;
	}
	return b.failed || b.depth != 1 ? -1 : 0;
}
