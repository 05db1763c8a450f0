/* Names of events, entries of PERFMON_EVENTS and lists of words, from arbitrary bytes. */
#include "config.h"

#include "common/safe/events.h"

#include "common/record/formulas.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

/* An entry that parses is written as one that parses to the same. */
static void check_entry(const char *s, size_t n, char *text)
{
	struct pm_event e, again;
	struct pm_buf b;

	if (pm_event_parse(&e, s, n) < 0)
		return;
	FUZZ_SURE(e.name.n > 0 && e.name.p + e.name.n == s + n);
	FUZZ_SURE(e.reason.n <= PM_EVENT_REASON_MAX && e.exclude <= PM_EXCLUDE_ALL);
	pm_buf_init(&b, text, n + PM_EVENT_ENTRY_MAX);
	pm_event_format(&b, &e);
	FUZZ_SURE(!b.truncated && memchr(text, ' ', b.len) == NULL);
	FUZZ_SURE(pm_event_parse(&again, text, b.len) == 0);
	FUZZ_SURE(again.type == e.type && again.config == e.config && again.config1 == e.config1 &&
		  again.config2 == e.config2 && again.bp_type == e.bp_type &&
		  again.exclude == e.exclude && again.name.n == e.name.n &&
		  again.reason.n == e.reason.n && again.scope == e.scope &&
		  again.papi.n == e.papi.n);
	FUZZ_SURE(memcmp(again.name.p, e.name.p, e.name.n) == 0);
	FUZZ_SURE(e.papi.n == 0 || memcmp(again.papi.p, e.papi.p, e.papi.n) == 0);
	FUZZ_SURE(e.reason.n == 0 || memcmp(again.reason.p, e.reason.p, e.reason.n) == 0);
}

/* What is found counts something, and keeps its name. */
static void check_name(const char *s, size_t n)
{
	struct pm_event e;

	if (pm_event_find(&e, s, n) < 0)
		return;
	FUZZ_SURE(e.name.p == s && e.name.n == n && e.reason.n == 0);
	FUZZ_SURE(e.exclude <= PM_EXCLUDE_ALL);
	FUZZ_SURE((e.exclude & (PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV)) !=
		  (PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV));
}

/* Words and their commas make up the list. */
static void check_list(const char *list)
{
	const char *p = list;

	while (*p) {
		size_t n = pm_event_word(p);

		FUZZ_SURE(n <= strlen(p) && (p[n] == ',' || p[n] == '\0'));
		check_name(p, n);
		pm_event_is_flag(p, n);
		p += n + (p[n] == ',');
	}
}

static long double one(void *ctx, const char *token, size_t n)
{
	(void)ctx;
	FUZZ_SURE(n > 0 && !memchr(token, ' ', n));
	return 1;
}

/* Any text is the name of an event at hand, or a formula. */
static void check_formula(const char *text)
{
	const char *name[] = { text, "cycles", "instructions:u" };
	double value[] = { 2, 3, 4 };
	struct pm_formula *list;
	int n = pm_formula_find(name, 3, "skx", &list);

	FUZZ_SURE(n >= 0);
	for (int i = 0; i < n; i++) {
		FUZZ_SURE(list[i].terms > 0 && list[i].terms <= PM_FORMULA_TERMS);
		for (size_t k = 0; k < list[i].terms; k++)
			FUZZ_SURE(list[i].term[k] < 3);
		FUZZ_SURE(!isinf(pm_formula_value(&list[i], value, 1)));
	}
	free(list);
	FUZZ_SURE(!isinf(pm_formula_rpn(text, one, NULL)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* Exact sizes, so that a sanitizer sees the first byte too far. */
	char *s = malloc(n ? n : 1), *list = malloc(n + 1), *text = malloc(n + PM_EVENT_ENTRY_MAX);

	memcpy(s, data, n);
	memcpy(list, data, n);
	list[n] = '\0';
	check_entry(s, n, text);
	check_name(s, n);
	check_list(list);
	check_formula(list);
	free(s);
	free(list);
	free(text);
	return 0;
}
