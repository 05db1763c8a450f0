/* Source import: what in a directory is no file, too large, or may be changed by others. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "tests/unit/sampler/source.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LARGE 300000

static void put_large(const char *name)
{
	char *text = malloc(LARGE + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, '#', LARGE);
	text[LARGE] = '\0';
	root_put(name, text);
	free(text);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return path;
}

/* They leave the others their values. */
START_TEST(beside_others)
{
	struct pm_err e;

	root_put("d/a.prom", "a 1\n");
	put_large("d/b.prom");
	root_put("d/c.prom", "c 3\n");
	ck_assert_int_eq(chmod(path_of("d/c.prom"), 0666), 0);
	ck_assert_int_eq(mkfifo(path_of("d/e.prom"), 0644), 0);
	ck_assert_int_eq(symlink("/nonexistent", path_of("d/f.prom")), 0);
	root_put("d/g.prom", "g 7\n");
	ck_assert_int_eq(pm_config_set(PM_SET_import_file, path_of("d"), &e), 0);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_known("level", "a", 1);
	check_known("level", "g", 7);
	ck_assert_int_eq(objects("level"), 2);
	ck_assert(series("took", "import_file")->known);
	/* Once it is no other's to change, it is read. */
	ck_assert_int_eq(chmod(path_of("d/c.prom"), 0644), 0);
	sample();
	check_known("level", "c", 3);
	end();
}
END_TEST

START_TEST(alone)
{
	struct pm_err e;

	put_large("values");
	ck_assert_int_eq(pm_config_set(PM_SET_import_file, path_of("values"), &e), 0);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_unknown("took", "import_file", PM_REASON_parse);
	end();
}
END_TEST

static Suite *import_odd_suite(void)
{
	Suite *s = suite_create("import_odd");
	TCase *t = tcase_create("import_odd");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, beside_others);
	tcase_add_test(t, alone);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(import_odd_suite)
