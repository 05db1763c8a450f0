/* Texts of commands and files that are imported, from arbitrary bytes between two good lines. */
#include "config.h"

#include "sampler/devices/import/importparse.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static const char first[] = "first_line 1 W\n", last[] = "\nlast_line 2 W";

static int seen_first, seen_last;

static void check_name(const char *name, enum pm_importmetric metric)
{
	FUZZ_SURE(*name && strlen(name) < PM_IMPORT_NAME_MAX);
	for (const char *p = name; *p; p++)
		FUZZ_SURE(*p >= ' ' && *p <= '~');
	FUZZ_SURE((unsigned)metric < PM_IMPORT_TOOK);
}

static void take_value(void *arg, const char *name, enum pm_importmetric metric, int64_t value)
{
	(void)arg;
	check_name(name, metric);
	seen_first |= strcmp(name, "first_line") == 0 && value == 1000000;
	seen_last |= strcmp(name, "last_line") == 0 && value == 2000000;
}

static void take_unknown(void *arg, const char *name, enum pm_importmetric metric,
			 enum pm_reason reason)
{
	(void)arg;
	check_name(name, metric);
	FUZZ_SURE((unsigned)reason < PM_REASON_COUNT);
}

static void refuse(void *arg, const char *why, const char *what)
{
	(void)arg;
	FUZZ_SURE(*why && what);
}

static void parse(const uint8_t *data, size_t n, size_t before, size_t after, bool power)
{
	const struct pm_importtake take = { NULL, take_value, take_unknown, refuse };
	/* In memory of its own, so that a read beyond it is seen. */
	char *text = malloc(before + n + after + 1);

	FUZZ_SURE(text);
	memcpy(text, first, before);
	if (n)
		memcpy(text + before, data, n);
	memcpy(text + before + n, last, after);
	seen_first = seen_last = 0;
	pm_importparse_text(text, before + n + after, power, &take);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	parse(data, n, 0, 0, false);
	parse(data, n, strlen(first), strlen(last), true);
	FUZZ_SURE(seen_first && seen_last);
	return 0;
}
