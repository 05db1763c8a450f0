/* export/bulk/: answers of a server, credentials and the spool, where they are not what they should
 * be. */
#include "config.h"

#include "export/bulk/answer.h"
#include "export/bulk/credentials.h"
#include "export/bulk/spool.h"

#include "tests/unit/main.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pm_err e;

/* --- answers ---------------------------------------------------------------------------------- */

/* Read an answer to n documents. Returns what became of each as letters, or "none". */
static const char *fates(const char *answer, size_t n, char why[PM_BULK_WHY])
{
	static char text[8];
	enum pm_bulk_fate fate[8];

	why[0] = '\0';
	if (pm_bulk_answer(answer, strlen(answer), n, fate, why, &e) < 0)
		return "none";
	for (size_t i = 0; i < n; i++)
		text[i] = "tar"[fate[i]];
	text[n] = '\0';
	return text;
}

#define ITEM(status) "{\"index\":{\"status\":" status "}}"

START_TEST(each_document_has_its_fate)
{
	char why[PM_BULK_WHY];

	ck_assert_str_eq(
		fates("{\"errors\":false,\"items\":[" ITEM("200") "," ITEM("201") "]}", 2, why),
		"tt");
	ck_assert_str_eq(fates("{\"errors\":true,\"items\":[" ITEM("429") "," ITEM("503") "," ITEM(
				       "400") "," ITEM("500") "," ITEM("302") "]}",
			       5, why),
			 "aarrr");
	ck_assert_str_eq(why, "status 400");
}
END_TEST

START_TEST(the_first_reason_is_told_safely)
{
	char why[PM_BULK_WHY];

	ck_assert_str_eq(fates("{\"errors\":true,\"items\":[{\"index\":{\"status\":400,\"error\":"
			       "{\"type\":\"t\",\"reason\":\"a\\u001b[31mb\"}}},{\"index\":{"
			       "\"status\":404,\"error\":\"other\"}}]}",
			       2, why),
			 "rr");
	ck_assert_int_eq(strncmp(why, "t: a", 4), 0);
	ck_assert_ptr_null(strchr(why, '\033'));
	pm_bulk_reason("{\"error\":\"closed\"}", 18, why);
	ck_assert_str_eq(why, "closed");
	pm_bulk_reason("<html>", 6, why);
	ck_assert_str_eq(why, "");
	pm_bulk_reason("", 0, why);
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(other_answers_are_none)
{
	static const char *const answers[] = {
		"",
		"{}",
		"[]",
		"null",
		"<html></html>",
		"{\"errors\":false}",
		"{\"errors\":false,\"items\":[]}",
		"{\"errors\":false,\"items\":[" ITEM("200") "," ITEM("200") "]}",
		"{\"items\":[" ITEM("200") "]}",
		"{\"errors\":\"no\",\"items\":[" ITEM("200") "]}",
		"{\"errors\":false,\"items\":[" ITEM("\"200\"") "]}",
		"{\"errors\":false,\"items\":[{\"create\":{\"status\":200}}]}",
		"{\"errors\":false,\"items\":[7]}",
		"{\"errors\":false,\"items\":{\"0\":7}}",
		"{\"errors\":false,\"items\":[" ITEM("200") "]",
		"{\"errors\":false,\"items\":[" ITEM("200") "]} trailing",
	};
	char why[PM_BULK_WHY];

	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		ck_assert_str_eq(fates(answers[i], 1, why), "none");
		ck_assert_str_eq(e.text, "the answer is not that of a bulk interface");
	}
}
END_TEST

/* --- credentials ------------------------------------------------------------------------------ */

static void write_file(const char *name, const void *p, size_t n, mode_t mode)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, p, n), (ssize_t)n);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

/* Read credentials from a file with this text. Returns whether they are `wanted`, NULL for none. */
static bool reads(const char *text, size_t n, mode_t mode, const char *wanted)
{
	char *got;
	bool same;

	write_file("key", text, n, mode);
	e.text[0] = '\0';
	got = pm_credentials_read("key", &e);
	same = got && wanted ? strcmp(got, wanted) == 0 : !got && !wanted && e.text[0];
	pm_credentials_free(got);
	return same;
}

START_TEST(credentials_are_a_line)
{
	char big[2 * PM_CREDENTIALS_MAX];

	ck_assert(reads("me:secret\n", 10, 0600, "me:secret"));
	ck_assert(reads("me:\r\nmore", 9, 0400, "me:"));
	ck_assert(reads("ApiKey abc==", 12, 0600, "ApiKey abc=="));
	ck_assert(reads("me:a:b c", 8, 0600, "me:a:b c"));
	ck_assert(reads("", 0, 0600, NULL));
	ck_assert(reads("\nme:secret\n", 11, 0600, NULL));
	ck_assert(reads("nobody\n", 7, 0600, NULL));
	ck_assert(reads(":secret\n", 8, 0600, NULL));
	ck_assert(reads("me:a\tb\n", 7, 0600, NULL));
	ck_assert(reads("me:a\033b\n", 7, 0600, NULL));
	memset(big, 'a', sizeof big);
	big[1] = ':';
	ck_assert(reads(big, sizeof big, 0600, NULL));
	ck_assert(reads(big, PM_CREDENTIALS_MAX - 1, 0600, NULL));
	big[PM_CREDENTIALS_MAX - 2] = '\0';
	ck_assert(reads(big, PM_CREDENTIALS_MAX - 2, 0600, big));
}
END_TEST

START_TEST(credentials_are_of_their_owner)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0666 };

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		ck_assert(reads("me:secret\n", 10, modes[i], NULL));
	ck_assert_ptr_null(pm_credentials_read("nosuch", &e));
	ck_assert_ptr_null(pm_credentials_read(".", &e));
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_ptr_null(pm_credentials_read("fifo", &e));
	pm_credentials_free(NULL);
}
END_TEST

/* --- the spool -------------------------------------------------------------------------------- */

static void free_names(char **name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(name[i]);
	free(name);
}

START_TEST(requests_come_back_in_order)
{
	struct pm_bytes text = { .p = NULL };
	struct pm_bulkspool s;
	char **name, one[2];
	size_t n;

	ck_assert_int_eq(pm_bulkspool_open(&s, "spool", 100, &e), 0);
	for (int i = 0; i < 12; i++) {
		snprintf(one, sizeof one, "%c", 'a' + i);
		ck_assert_int_eq(pm_bulkspool_add(&s, one, 1, &e), 0);
	}
	/* What is no whole request is left alone. */
	write_file("spool/note", "x", 1, 0600);
	write_file("spool/bulk-0.ndjson.new", "x", 1, 0600);
	ck_assert_int_eq(pm_bulkspool_list(&s, &name, &n, &e), 0);
	ck_assert_uint_eq(n, 12);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(pm_bulkspool_read(&s, name[i], 10, &text, &e), 1);
		ck_assert_uint_eq(text.n, 1);
		ck_assert_int_eq(text.p[0], 'a' + (int)i);
		ck_assert_int_eq(pm_bulkspool_remove(&s, name[i], &e), 0);
		ck_assert_int_eq(pm_bulkspool_remove(&s, name[i], &e), 0);
		ck_assert_int_eq(pm_bulkspool_read(&s, name[i], 10, &text, &e), 0);
	}
	free_names(name, n);
	pm_bytes_free(&text);
	pm_bulkspool_close(&s);
}
END_TEST

/* One export at a time; what one left that was killed is removed. */
START_TEST(a_spool_is_for_one)
{
	struct pm_bulkspool one, two;

	ck_assert_int_eq(mkdir("spool", 0700), 0);
	write_file("spool/.bulk-1.ndjson", "x", 1, 0600);
	ck_assert_int_eq(pm_bulkspool_open(&one, "spool", 100, &e), 0);
	ck_assert_int_eq(access("spool/.bulk-1.ndjson", F_OK), -1);
	ck_assert_int_eq(pm_bulkspool_open(&two, "spool", 100, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "another export uses it"));
	pm_bulkspool_close(&two);
	pm_bulkspool_close(&one);
	ck_assert_int_eq(pm_bulkspool_open(&two, "spool", 100, &e), 0);
	pm_bulkspool_close(&two);
}
END_TEST

START_TEST(a_spool_has_a_limit)
{
	struct pm_bulkspool s;
	char **name;
	size_t n;

	ck_assert_int_eq(pm_bulkspool_open(&s, "spool", 10, &e), 0);
	ck_assert_int_eq(pm_bulkspool_add(&s, "12345", 5, &e), 0);
	ck_assert_int_eq(pm_bulkspool_add(&s, "123456", 6, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "has 5 bytes and room for no more"));
	ck_assert_int_eq(pm_bulkspool_add(&s, "67890", 5, &e), 0);
	ck_assert_int_eq(pm_bulkspool_add(&s, "x", 1, &e), -1);
	ck_assert_int_eq(pm_bulkspool_list(&s, &name, &n, &e), 0);
	ck_assert_uint_eq(n, 2);
	free_names(name, n);
	pm_bulkspool_close(&s);
}
END_TEST

START_TEST(what_is_no_request_is_not_read)
{
	struct pm_bytes text = { .p = NULL };
	struct pm_bulkspool s;

	ck_assert_int_eq(pm_bulkspool_open(&s, "spool", 100, &e), 0);
	write_file("spool/bulk-1.ndjson", "12345678901", 11, 0600);
	ck_assert_int_eq(pm_bulkspool_read(&s, "bulk-1.ndjson", 10, &text, &e), -1);
	ck_assert_int_eq(pm_bulkspool_read(&s, "bulk-1.ndjson", 11, &text, &e), 1);
	ck_assert_int_eq(symlink("bulk-1.ndjson", "spool/bulk-2.ndjson"), 0);
	ck_assert_int_eq(pm_bulkspool_read(&s, "bulk-2.ndjson", 100, &text, &e), -1);
	ck_assert_int_eq(mkfifo("spool/bulk-3.ndjson", 0600), 0);
	ck_assert_int_eq(pm_bulkspool_read(&s, "bulk-3.ndjson", 100, &text, &e), -1);
	ck_assert_int_eq(mkdir("spool/bulk-4.ndjson", 0700), 0);
	ck_assert_int_eq(pm_bulkspool_read(&s, "bulk-4.ndjson", 1 << 20, &text, &e), -1);
	pm_bytes_free(&text);
	pm_bulkspool_close(&s);
}
END_TEST

START_TEST(a_spool_is_of_its_owner)
{
	struct pm_bulkspool s;
	struct stat st;

	ck_assert_int_eq(pm_bulkspool_open(&s, "mine", 10, &e), 0);
	pm_bulkspool_close(&s);
	ck_assert_int_eq(stat("mine", &st), 0);
	ck_assert_uint_eq(st.st_mode & 077, 0);
	ck_assert_int_eq(chmod("mine", 0777), 0);
	ck_assert_int_eq(pm_bulkspool_open(&s, "mine", 10, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "others may write there"));
	pm_bulkspool_close(&s);
	write_file("file", "", 0, 0600);
	ck_assert_int_eq(pm_bulkspool_open(&s, "file", 10, &e), -1);
	pm_bulkspool_close(&s);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("bulk");
	TCase *c = tcase_create("bulk");

	tcase_add_checked_fixture(c, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(c, each_document_has_its_fate);
	tcase_add_test(c, the_first_reason_is_told_safely);
	tcase_add_test(c, other_answers_are_none);
	tcase_add_test(c, credentials_are_a_line);
	tcase_add_test(c, credentials_are_of_their_owner);
	tcase_add_test(c, requests_come_back_in_order);
	tcase_add_test(c, a_spool_is_for_one);
	tcase_add_test(c, a_spool_has_a_limit);
	tcase_add_test(c, what_is_no_request_is_not_read);
	tcase_add_test(c, a_spool_is_of_its_owner);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
