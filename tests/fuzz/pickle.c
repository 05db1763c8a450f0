/* Pickles from arbitrary bytes: what is read is bounded and well-formed, and becomes metadata that
 * perfmon itself can read. */
#include "config.h"

#include "submit/foreign/epmt_meta.h"
#include "submit/foreign/pickle.h"
#include "submit/job/meta.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* Every index leads to something, every chain of items ends. */
static void check_values(const struct pm_pickle *p, size_t n)
{
	size_t items = 0;

	FUZZ_SURE(p->values <= PM_PICKLE_LIMIT && p->items <= PM_PICKLE_LIMIT);
	FUZZ_SURE(p->root < p->values);
	for (size_t i = 0; i < p->values; i++) {
		const struct pm_pickle_value *v = &p->value[i];
		size_t count = 0;

		FUZZ_SURE(v->type <= PM_PICKLE_NAME);
		if (v->type == PM_PICKLE_TIME && v->status == PM_PICKLE_NAMED)
			FUZZ_SURE(p->value[v->first].type == PM_PICKLE_TEXT);
		/* A byte of protocol 0 may be a character of two. */
		if (v->type == PM_PICKLE_TEXT || v->type == PM_PICKLE_BYTES)
			FUZZ_SURE(v->u.text.n <= 2 * n &&
				  (v->u.text.n == 0 || v->u.text.p != NULL));
		if (v->type != PM_PICKLE_LIST && v->type != PM_PICKLE_DICT)
			continue;
		for (uint32_t k = v->first; k != PM_PICKLE_NONE; k = p->item[k].next, count++) {
			FUZZ_SURE(k < p->items && p->item[k].value < p->values);
			FUZZ_SURE(v->type == PM_PICKLE_LIST || p->item[k].key < p->values);
		}
		FUZZ_SURE(count == v->u.count);
		items += count;
	}
	FUZZ_SURE(items <= p->items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* A copy of exact size: a sanitizer sees a read behind it. */
	char *copy = malloc(n ? n : 1), *text;
	struct pm_pickle p;
	struct pm_err e = { "" };

	memcpy(copy, data, n);
	if (pm_pickle_read(&p, copy, n, &e) == 0)
		check_values(&p, n);
	else
		FUZZ_SURE(e.text[0] != '\0');
	pm_pickle_free(&p);
	e.text[0] = '\0';
	if (pm_epmt_meta_pickle(copy, n, &text, &e) == 0) {
		struct pm_meta m;

		FUZZ_SURE(pm_meta_parse(&m, text, strlen(text), &e) == 0);
		/* Times and numbers that cannot be are left to the parser, which says so. */
		FUZZ_SURE(m.wrong == m.beyond);
		pm_meta_free(&m);
	} else {
		FUZZ_SURE(e.text[0] != '\0' && text == NULL);
	}
	free(text);
	free(copy);
	return 0;
}
