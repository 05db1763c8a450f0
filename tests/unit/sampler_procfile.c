/* Parsers of /proc files: exact values, and refusal of everything cut or garbled. */
#include "config.h"

#include "sampler/procfile.h"

#include "tests/unit/sampler_root.h"

#define NUMBERS                                                                                    \
	" S 17 42 43 34816 99 4194304 101 102 103 104 250 50 30 20 20 0 7 0 123456 8192000 321 "   \
	"18446744073709551615 1 2 140736 4 5 0 0 0 65536 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

static int parse(struct pm_procstat *s, const char *text)
{
	return pm_procfile_stat(s, text, strlen(text));
}

START_TEST(stat_fields)
{
	struct pm_procstat s;

	ck_assert_int_eq(parse(&s, "42 (sh)" NUMBERS), 0);
	ck_assert_int_eq(s.state, 'S');
	ck_assert_int_eq(s.ppid, 17);
	ck_assert_int_eq(s.utime, 250);
	ck_assert_int_eq(s.stime, 50);
	ck_assert_int_eq(s.cutime, 30);
	ck_assert_int_eq(s.cstime, 20);
	ck_assert_int_eq(s.threads, 7);
	ck_assert_int_eq(s.starttime, 123456);
	ck_assert_int_eq(pm_procfile_is_thread("42 (sh)" NUMBERS, strlen("42 (sh)" NUMBERS)), 0);
}
END_TEST

/* The name of a command may hold anything, what looks like the fields after it too. */
static const char *const names[] = { "", ")", ") S 1 2 3", "a b", "((", "))", "\n", "\xff\t(x) R" };

START_TEST(stat_names)
{
	char text[1024];
	struct pm_procstat s;

	snprintf(text, sizeof text, "42 (%s)%s", names[_i], NUMBERS);
	ck_assert_int_eq(parse(&s, text), 0);
	ck_assert_int_eq(s.ppid, 17);
	ck_assert_int_eq(s.starttime, 123456);
}
END_TEST

START_TEST(stat_cut)
{
	const char *whole = "42 (a) b)" NUMBERS;
	/* The last field that each of them uses is number 22 and 38, and a blank must follow. */
	size_t stat = (size_t)(strstr(whole, "123456 ") - whole) + strlen("123456 ");
	size_t thread = (size_t)(strstr(whole, " 17 1 0 0") - whole) + strlen(" 17 ");
	struct pm_procstat s;

	for (size_t n = 0; n < strlen(whole); n++) {
		/* Every cut in its own memory, so that a read beyond it is seen. */
		char *copy = malloc(n ? n : 1);

		memcpy(copy, whole, n);
		if ((pm_procfile_stat(&s, copy, n) == 0) != (n >= stat))
			ck_abort_msg("cut to %zu bytes", n);
		if (pm_procfile_is_thread(copy, n) != (n >= thread ? 0 : -1))
			ck_abort_msg("cut to %zu bytes: thread", n);
		free(copy);
	}
}
END_TEST

START_TEST(thread)
{
	static const char text[] =
		"42 (-1) S 17 42 43 34816 99 4194304 101 102 103 104 250 50 30 20 "
		"20 0 7 0 123456 8192000 321 18446744073709551615 1 2 140736 4 5 0 "
		"0 0 65536 0 0 0 -1 1 0 0 0 0 0\n";

	ck_assert_int_eq(pm_procfile_is_thread(text, strlen(text)), 1);
	for (size_t n = 0; text[n]; n++)
		if (strncmp(text + n, "-1 1 0", 6) == 0)
			ck_assert_int_eq(pm_procfile_is_thread(text, n + 2), -1);
}
END_TEST

static const char *const garbage[] = {
	"",
	"42",
	"42 (sh",
	"42 (sh)",
	"42 (sh) S",
	"42 (sh) S x 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
	"30 "
	"31 32 33 34 35 36 37\n",
	"42 (sh)  S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
	"30 31 32 33 34 35 36 37\n",
	/* utime negative, beyond 64 bits */
	"42 (sh) S 1 2 3 4 5 6 7 8 9 10 -11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
	"30 31 32 33 34 35 36 37\n",
	"42 (sh) S 1 2 3 4 5 6 7 8 9 10 99999999999999999999 12 13 14 15 16 17 18 19 20 21 22 23 "
	"24 25 26 27 28 29 30 31 32 33 34 35 36 37\n",
};

START_TEST(stat_garbage)
{
	struct pm_procstat s;

	ck_assert_int_eq(parse(&s, garbage[_i]), -1);
}
END_TEST

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

	tcase_add_test(parsers, stat_fields);
	tcase_add_loop_test(parsers, stat_names, 0, COUNT(names));
	tcase_add_test(parsers, stat_cut);
	tcase_add_test(parsers, thread);
	tcase_add_loop_test(parsers, stat_garbage, 0, COUNT(garbage));
	tcase_add_loop_test(parsers, key, 0, COUNT(keys));
	suite_add_tcase(s, parsers);
	tcase_add_checked_fixture(files, root_make, root_remove);
	tcase_add_test(files, read_long);
	tcase_add_test(files, open_absent);
	tcase_add_test(files, read_kept);
	suite_add_tcase(s, files);
	return s;
}

PM_UNIT_MAIN(suite)
