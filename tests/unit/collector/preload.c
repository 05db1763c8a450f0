/* What is left of LD_PRELOAD where the collector's library is out of reach. */
#include "config.h"

#include "libperfmon/base/preload.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/stack.h"
#include "tests/unit/main.h"

#include <string.h>

/* In place of the collector's: where ld.so found it, and whether the stack is large. */
static const char *self = "/gone/libperfmon.so";
static bool large = true;

const char *pm_nextsymbol_self(void)
{
	return self;
}

bool pm_stack_has_room(void)
{
	return large;
}

static const struct {
	const char *value, *left; /* NULL: no variable is left, "=": all is passed as it is */
} row[] = {
	{ "/gone/libperfmon.so", NULL },
	{ "/gone/libperfmon.so:", NULL },
	{ "/a.so:/gone/libperfmon.so", "/a.so" },
	{ "/gone/libperfmon.so:/a.so", "/a.so" },
	{ "/a.so /gone/libperfmon.so /b.so", "/a.so /b.so" },
	{ "/a.so:/gone/libperfmon.so /gone/libperfmon.so:/b.so", "/a.so:/b.so" },
	{ "libperfmon.so:/a.so", "/a.so" },
	{ "/a.so:/usr/$LIB/libperfmon.so", "/a.so" },
	{ "/other/libperfmon.so", "=" },
	{ "/gone/libperfmon.so2:xlibperfmon.so:libperfmon.s", "=" },
	{ "/a.so::/b.so", "=" },
	{ "", "=" },
};

START_TEST(values)
{
	char variable[128], want[128], *room[64];

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char *envp[] = { (char *)(uintptr_t) "A=1",
				 variable,
				 variable,
				 (char *)(uintptr_t) "XLD_PRELOAD=/gone/libperfmon.so",
				 (char *)(uintptr_t) "LD_PRELOAD=/a.so",
				 (char *)(uintptr_t) "B=1",
				 NULL };
		const char *left = row[i].left;
		char *const *got = room;
		size_t size;

		snprintf(variable, sizeof variable, "LD_PRELOAD=%s", row[i].value);
		size = pm_preload_room(envp);
		ck_assert_msg((size == 0) == (left && *left == '='), "%s", row[i].value);
		if (size == 0)
			continue;
		ck_assert_uint_le(size, sizeof room);
		memset(room, 'x', sizeof room);
		ck_assert_ptr_eq(pm_preload_without(envp, room), room);
		ck_assert_ptr_eq(*got++, envp[0]);
		for (int k = 0; left && k < 2; k++) {
			snprintf(want, sizeof want, "LD_PRELOAD=%s", left);
			ck_assert_str_eq(*got++, want);
		}
		ck_assert_ptr_eq(*got++, envp[3]);
		ck_assert_ptr_eq(*got++, envp[4]);
		ck_assert_ptr_eq(*got++, envp[5]);
		ck_assert_ptr_null(*got);
		/* It took no more than it said. */
		for (size_t k = size; k < sizeof room; k++)
			ck_assert_int_eq(((char *)room)[k], 'x');
	}
}
END_TEST

/* Of a small stack next to nothing is taken, of any not much: then all is passed as it is. */
START_TEST(room)
{
	static char long_name[7000];
	char *envp[] = { (char *)(uintptr_t) "LD_PRELOAD=libperfmon.so:/a.so", long_name, NULL };

	memset(long_name, 'A', sizeof long_name - 1);
	ck_assert_uint_eq(pm_preload_room(NULL), 0);
	ck_assert_uint_gt(pm_preload_room(envp), 0);
	memcpy(long_name, "LD_PRELOAD=libperfmon.so:", 25);
	ck_assert_uint_eq(pm_preload_room(envp), 0);
	long_name[5000] = '\0';
	ck_assert_uint_gt(pm_preload_room(envp), 5000);
	large = false;
	ck_assert_uint_eq(pm_preload_room(envp), 0);
	long_name[150] = '\0';
	ck_assert_uint_gt(pm_preload_room(envp), 150);
	self = NULL;
	ck_assert_uint_eq(pm_preload_room(envp), 0);
	self = "libperfmon.so";
	ck_assert_uint_eq(pm_preload_room(envp), 0);
}
END_TEST

/* A program that confines itself is asked before, and no more behind that. */
START_TEST(confined)
{
	char *envp[] = { (char *)(uintptr_t) "LD_PRELOAD=libperfmon.so", NULL };

	pm_preload_confine();
	self = "/proc/self/exe";
	envp[0] = (char *)(uintptr_t) "LD_PRELOAD=/proc/self/exe";
	ck_assert_uint_gt(pm_preload_room(envp), 0);
	pm_preload_release();
	ck_assert_uint_eq(pm_preload_room(envp), 0);
	pm_preload_confine();
	self = "/gone/libperfmon.so";
	envp[0] = (char *)(uintptr_t) "LD_PRELOAD=/gone/libperfmon.so";
	ck_assert_uint_eq(pm_preload_room(envp), 0);
	pm_preload_release();
	ck_assert_uint_gt(pm_preload_room(envp), 0);
	/* A file below what is no directory, or without an end, is no file. */
	self = "/proc/self/exe/libperfmon.so";
	envp[0] = (char *)(uintptr_t) "LD_PRELOAD=libperfmon.so";
	ck_assert_uint_gt(pm_preload_room(envp), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/base/preload.c");
	TCase *t = tcase_create("preload");

	tcase_add_test(t, values);
	tcase_add_test(t, room);
	tcase_add_test(t, confined);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
