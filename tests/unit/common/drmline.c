/* Lines about a client of a DRM driver, each read where it may not be left. */
#include "config.h"

#include "common/safe/drmline.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST INT64_MAX

static const struct {
	const char *line;
	int rc;
	enum pm_drmline_key key;
	const char *name;
	int64_t value;
} lines[] = {
	{ "drm-driver:\tamdgpu\n", 1, PM_DRMLINE_DRIVER, "amdgpu", 0 },
	{ "drm-driver: \t v3d\n", 1, PM_DRMLINE_DRIVER, "v3d", 0 },
	{ "drm-driver:\ttwo words\n", 0, 0, NULL, 0 },
	{ "drm-driver:\t\n", 0, 0, NULL, 0 },
	{ "drm-pdev:\t0000:04:00.0\n", 1, PM_DRMLINE_DEVICE, "0000:04:00.0", 0 },
	{ "drm-client-id:\t12\n", 1, PM_DRMLINE_CLIENT, "", 12 },
	{ "drm-client-id:\tx\n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t5 ns\n", 1, PM_DRMLINE_NS, "gfx", 5 },
	{ "drm-engine-gfx:\t0\n", 1, PM_DRMLINE_NS, "gfx", 0 },
	{ "drm-engine-gfx:\t9223372036854775807 ns\n", 1, PM_DRMLINE_NS, "gfx", LARGEST },
	{ "drm-engine-gfx:\t9223372036854775808 ns\n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t-5 ns\n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t5 s\n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t5 ns \n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t\n", -1, 0, NULL, 0 },
	{ "drm-engine-gfx:\t5 ns", 0, 0, NULL, 0 },
	{ "drm-engine-:\t5 ns\n", 0, 0, NULL, 0 },
	{ "drm-engine-gfx\n", 0, 0, NULL, 0 },
	{ "drm-engine-\n", 0, 0, NULL, 0 },
	{ "drm-engine-capacity-gfx:\t2\n", 1, PM_DRMLINE_CAPACITY, "gfx", 2 },
	{ "drm-cycles-rcs:\t282\n", 1, PM_DRMLINE_CYCLES, "rcs", 282 },
	{ "drm-total-cycles-rcs:\t7655\n", 1, PM_DRMLINE_TOTAL_CYCLES, "rcs", 7655 },
	{ "drm-total-vram:\t3 KiB\n", 1, PM_DRMLINE_TOTAL, "vram", 3072 },
	{ "drm-shared-vram:\t3 MiB\n", 1, PM_DRMLINE_SHARED, "vram", 3 << 20 },
	{ "drm-resident-vram:\t3 B\n", 1, PM_DRMLINE_RESIDENT, "vram", 3 },
	{ "drm-memory-vram:\t1 GiB\n", 1, PM_DRMLINE_MEMORY, "vram", 1 << 30 },
	{ "drm-memory-vram:\t8589934592 GiB\n", -1, 0, NULL, 0 },
	{ "drm-memory-vram:\t8589934591 GiB\n", 1, PM_DRMLINE_MEMORY, "vram", 8589934591 << 30 },
	{ "drm-purgeable-vram:\t3 KiB\n", 0, 0, NULL, 0 },
	{ "drm-maxfreq-gfx:\t2400 MHz\n", 0, 0, NULL, 0 },
	{ "amd-requested-vram:\t1 KiB\n", 0, 0, NULL, 0 },
	{ "flags:\t02100002\n", 0, 0, NULL, 0 },
	{ "drm-\n", 0, 0, NULL, 0 },
	{ "\n", 0, 0, NULL, 0 },
	{ "", 0, 0, NULL, 0 },
};

START_TEST(one_line)
{
	const size_t n = strlen(lines[_i].line);
	char *copy = malloc(n ? n : 1); /* a sanitizer sees what is read behind it */
	struct pm_drmline l;

	PM_SURE(copy != NULL);
	memcpy(copy, lines[_i].line, n);
	ck_assert_int_eq(pm_drmline_parse(&l, copy, n), lines[_i].rc);
	if (lines[_i].rc > 0) {
		ck_assert_int_eq(l.key, lines[_i].key);
		ck_assert_uint_eq(l.name.n, strlen(lines[_i].name));
		ck_assert_mem_eq(l.name.p, lines[_i].name, l.name.n);
		if (l.key > PM_DRMLINE_DEVICE)
			ck_assert_int_eq(l.value, lines[_i].value);
	}
	free(copy);
}
END_TEST

/* Whatever is cut off, nothing of the line is taken. */
START_TEST(cut)
{
	const size_t n = strlen(lines[_i].line);
	struct pm_drmline l;

	for (size_t k = 0; k < n; k++) {
		char *copy = malloc(k ? k : 1);

		PM_SURE(copy != NULL);
		memcpy(copy, lines[_i].line, k);
		ck_assert_int_eq(pm_drmline_parse(&l, copy, k), 0);
		free(copy);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("drmline");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, one_line, 0, sizeof lines / sizeof lines[0]);
	tcase_add_loop_test(t, cut, 0, sizeof lines / sizeof lines[0]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
