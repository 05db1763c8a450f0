/* Job metadata from arbitrary bytes: what parses is written and parses again to the same. */
#include "config.h"

#include "submit/job/meta.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static int count(void *ctx, const char *name, const char *value)
{
	(void)value;
	FUZZ_SURE(name != NULL);
	++*(size_t *)ctx;
	return 0;
}

static void check_meta(const struct pm_meta *m)
{
	char *text = pm_meta_text(m);
	struct pm_meta back;
	struct pm_err e;

	FUZZ_SURE(text != NULL);
	FUZZ_SURE(pm_meta_parse(&back, text, strlen(text), &e) == 0 && back.wrong == 0);
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		size_t members = 0;

		FUZZ_SURE(m->set[k] == back.set[k]);
		if (!m->set[k])
			continue;
		if (pm_job_info[k].type == PM_JOB_TYPE_INT ||
		    pm_job_info[k].type == PM_JOB_TYPE_TIME)
			FUZZ_SURE(m->number[k] == back.number[k]);
		else
			FUZZ_SURE(strcmp(m->text[k], back.text[k]) == 0);
		if (pm_job_info[k].type == PM_JOB_TYPE_MAP)
			FUZZ_SURE(pm_meta_each(m->text[k], count, &members) == 0);
	}
	pm_meta_free(&back);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* A copy of exact size: a sanitizer sees a read behind it. */
	char *copy = malloc(n ? n : 1);
	struct pm_err e = { "" };
	struct pm_meta m;

	memcpy(copy, data, n);
	if (pm_meta_parse(&m, copy, n, &e) == 0) {
		FUZZ_SURE((m.wrong == 0) == (e.text[0] == '\0'));
		check_meta(&m);
	} else {
		FUZZ_SURE(e.text[0] != '\0');
	}
	pm_meta_free(&m);
	free(copy);
	return 0;
}
