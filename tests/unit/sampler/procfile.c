/* Parsers of /proc files: exact values, and refusal of everything cut or garbled. */
#include "config.h"

#include "sampler/kernel/procfile.h"

#include "tests/unit/sampler/root.h"

#include <fcntl.h>

static const struct {
	const char *text, *unit;
	int result, error;
	int64_t value;
} keys[] = {
	{ "MemTotal:      16 kB\nMemFree: 5 kB\n", "kB", 0, 0, 16 },
	{ "MemTotalHigh: 3 kB\nMemTotal:\t16 kB\n", "kB", 0, 0, 16 },
	{ "MemFree: 5 kB\n", "kB", -1, ENOENT, 0 },
	{ "", "kB", -1, ENOENT, 0 },
	{ " MemTotal: 16 kB\n", "kB", -1, ENOENT, 0 },
	{ "MemTotal: 16 kB", "kB", -1, EBADMSG, 0 }, /* cut: might be kBx */
	{ "MemTotal: 16 k", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: 16", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: 16\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: 16 MB\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: -16 kB\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: kB\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal:", "kB", -1, EBADMSG, 0 },
	{ "MemTotal:\n16 kB\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: 9223372036854775807 kB\n", "kB", 0, 0, INT64_MAX },
	{ "MemTotal: 9223372036854775808 kB\n", "kB", -1, EBADMSG, 0 },
	{ "MemTotal: 16\n", "", 0, 0, 16 },
	{ "MemTotal: 16 \n", "", -1, EBADMSG, 0 },
	{ "MemTotal: 16", "", -1, EBADMSG, 0 },
};

START_TEST(key)
{
	size_t n = strlen(keys[_i].text);
	char *copy = malloc(n ? n : 1);
	int64_t value = -1;

	memcpy(copy, keys[_i].text, n);
	errno = 0;
	ck_assert_int_eq(pm_procfile_key(copy, n, "MemTotal:", keys[_i].unit, &value),
			 keys[_i].result);
	if (keys[_i].result == 0)
		ck_assert_int_eq(value, keys[_i].value);
	else
		ck_assert_int_eq(errno, keys[_i].error);
	free(copy);
}
END_TEST

/* A file longer than the first buffer is read whole; a changed one anew. */
START_TEST(read_long)
{
	static char text[100000];
	struct pm_procfile f;
	const char *got;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + i % 26);
	root_put_bytes("proc/long", text, sizeof text);
	ck_assert_int_eq(pm_procfile_open(&f, root, "proc/long"), 0);
	ck_assert_int_eq(pm_procfile_read(&f, &got), sizeof text);
	ck_assert_mem_eq(got, text, sizeof text);
	ck_assert_int_eq(got[sizeof text], '\0');
	root_put("proc/long", "short");
	ck_assert_int_eq(pm_procfile_read(&f, &got), 5);
	ck_assert_str_eq(got, "short");
	root_remove_path("proc/long");
	ck_assert_int_eq(pm_procfile_read(&f, &got), -1);
	ck_assert_int_eq(errno, ENOENT);
	pm_procfile_close(&f);
}
END_TEST

START_TEST(open_absent)
{
	struct pm_procfile f;

	ck_assert_int_eq(pm_procfile_open(&f, root, "proc/none"), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* A kept descriptor of the machine's own /proc gives a new snapshot at every read. */
/* A source is closed with files that it never opened: descriptor 0 is another's. */
START_TEST(close_unopened)
{
	struct pm_procfile f = { 0 };
	int kept = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);

	ck_assert_int_eq(dup2(null, STDIN_FILENO), STDIN_FILENO);
	pm_procfile_close(&f);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	pm_procfile_close(&f);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	ck_assert_int_eq(f.fd, -1);
	if (kept >= 0)
		dup2(kept, STDIN_FILENO);
}
END_TEST

START_TEST(read_kept)
{
	struct pm_procfile f;
	const char *got;
	char first[64];

	ck_assert_int_eq(pm_procfile_open(&f, "", "proc/self/stat"), 0);
	ck_assert_int_ge(f.fd, 0);
	ck_assert_int_gt(pm_procfile_read(&f, &got), 0);
	snprintf(first, sizeof first, "%.20s", got);
	ck_assert_int_gt(pm_procfile_read(&f, &got), 0);
	ck_assert_int_eq(strncmp(first, got, 5), 0);
	pm_procfile_close(&f);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_procfile");
	TCase *parsers = tcase_create("parsers"), *files = tcase_create("files");

	tcase_add_loop_test(parsers, key, 0, COUNT(keys));
	suite_add_tcase(s, parsers);
	tcase_add_checked_fixture(files, root_make, root_remove);
	tcase_add_test(files, read_long);
	tcase_add_test(files, open_absent);
	tcase_add_test(files, read_kept);
	tcase_add_test(files, close_unopened);
	suite_add_tcase(s, files);
	return s;
}

PM_UNIT_MAIN(suite)
