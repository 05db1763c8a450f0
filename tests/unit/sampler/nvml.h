/* A library that stands for NVIDIA's (nvml_fake.c): what it answers, how often it was called. */
#ifndef PM_TESTS_UNIT_SAMPLER_NVML_H
#define PM_TESTS_UNIT_SAMPLER_NVML_H

#include "common/settings/readconfig.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

static char script[512], calls[512];

/* Have the library answer this. */
static void answer(const char *text)
{
	char next[600];
	FILE *f;

	snprintf(next, sizeof next, "%s.next", script);
	f = fopen(next, "w");
	PM_SURE(f && fputs(text, f) >= 0 && fclose(f) == 0);
	PM_SURE(rename(next, script) == 0);
}

static void set_up(void)
{
	const char *top = getenv("abs_top_builddir");
	char library[512];
	struct pm_err e;

	root_make();
	snprintf(script, sizeof script, "%s/script", root);
	snprintf(calls, sizeof calls, "%s/calls", root);
	snprintf(library, sizeof library, "%s/tests/progs/nvml_fake.so", top ? top : ".");
	PM_SURE(setenv("NVML_FAKE", script, 1) == 0);
	PM_SURE(setenv("NVML_FAKE_CALLS", calls, 1) == 0);
	PM_SURE(pm_config_set(PM_SET_nvml_library, library, &e) == 0);
	answer("gpus 1\n");
}

/* How often the library was called: a function and GPU, such as "power 0". */
static int called(const char *call)
{
	FILE *f = fopen(calls, "r");
	char line[128];
	int n = 0;

	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		n += strcmp(line, call) == 0;
	}
	if (f)
		fclose(f);
	return n;
}

/* How often a GPU was asked for anything. */
__attribute__((unused)) static int asked(int gpu)
{
	FILE *f = fopen(calls, "r");
	char line[128], end[16];
	int n = 0;

	snprintf(end, sizeof end, " %d\n", gpu);
	while (f && fgets(line, sizeof line, f))
		n += strlen(line) > strlen(end) &&
		     strcmp(line + strlen(line) - strlen(end), end) == 0;
	if (f)
		fclose(f);
	return n;
}

#endif
