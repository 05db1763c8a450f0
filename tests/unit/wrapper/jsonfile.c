/* wrapper/metadata/jsonfile.c: documents through descriptors that take and give less than they are asked for. */
#include "config.h"

#include "tests/unit/main.h"
#include "wrapper/metadata/jsonfile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

/* Most bytes that a call writes or reads; what the call after `good` more does: an error, once or for good. */
static size_t most = SIZE_MAX;
static int good = INT_MAX, error, syncs;
static bool once;

/* 0, or -1 with errno. */
static int fails(void)
{
	if (good-- > 0)
		return 0;
	good = once ? INT_MAX : 0;
	errno = error;
	return -1;
}

ssize_t write(int fd, const void *p, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (fd < 3)
		return real(fd, p, n);
	return fails() < 0 ? -1 : real(fd, p, n < most ? n : most);
}

ssize_t read(int fd, void *p, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "read");
	return fails() < 0 ? -1 : real(fd, p, n < most ? n : most);
}

int fsync(int fd)
{
	(void)fd;
	syncs++;
	return syncs > 1 ? -1 : 0;
}

/* What is in the file. */
static const char *content(const char *name)
{
	static char text[200];
	int fd = open(name, O_RDONLY);
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static int create(void)
{
	return open("f", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

START_TEST(written)
{
	json_t *doc = json_pack("{s:s}", "a", "b");
	int fd = create();

	most = 1;
	good = 4;
	error = EINTR;
	once = true;
	ck_assert_int_eq(pm_jsonfile_write(fd, doc, JSON_COMPACT), 0);
	ck_assert_str_eq(content("f"), "{\"a\":\"b\"}\n");
	/* On disk. */
	ck_assert_int_eq(syncs, 1);
	close(fd);
	fd = create();
	good = INT_MAX;
	ck_assert_int_eq(pm_jsonfile_write(fd, doc, JSON_COMPACT), -1);
	close(fd);
	/* No room for all of it. */
	syncs = 0;
	fd = create();
	good = 4;
	error = ENOSPC;
	once = false;
	ck_assert_int_eq(pm_jsonfile_write(fd, doc, JSON_COMPACT), -1);
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_str_eq(content("f"), "{\"a\"");
	ck_assert_int_eq(syncs, 0);
	close(fd);
	json_decref(doc);
}
END_TEST

/* A document of the text, or NULL. */
static json_t *parse(const char *text, struct pm_err *e)
{
	int fd = create();
	json_t *doc;

	most = SIZE_MAX;
	good = INT_MAX;
	ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	most = 3;
	good = 1;
	error = EINTR;
	once = true;
	doc = pm_jsonfile_read(fd, e);
	close(fd);
	return doc;
}

START_TEST(read_back)
{
	struct pm_err e = { "" };
	json_t *doc = parse("{\"a\":\n\"bcdefghij\"}", &e);
	int fd;

	ck_assert_msg(doc != NULL, "%s", e.text);
	ck_assert_str_eq(json_string_value(json_object_get(doc, "a")), "bcdefghij");
	json_decref(doc);
	ck_assert_ptr_null(parse("{\"a\":1,\n\"a\":2}", &e));
	ck_assert(strncmp(e.text, "line 2: ", 8) == 0);
	ck_assert_ptr_null(parse("", &e));
	ck_assert_ptr_null(parse("{\"a\":1} {}", &e));
	/* What cannot be read, is no file, or too long. */
	fd = create();
	most = SIZE_MAX;
	good = INT_MAX;
	ck_assert_int_eq(ftruncate(fd, PM_JSONFILE_MAX), 0);
	good = 0;
	error = EIO;
	once = false;
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	ck_assert_str_eq(e.text, "Input/output error");
	good = INT_MAX;
	ck_assert_int_eq(ftruncate(fd, (off_t)PM_JSONFILE_MAX + 1), 0);
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	ck_assert(strncmp(e.text, "not a regular file of at most ", 30) == 0);
	close(fd);
	fd = open(".", O_RDONLY);
	e.text[0] = '\0';
	ck_assert_ptr_null(pm_jsonfile_read(fd, &e));
	ck_assert(strncmp(e.text, "not a regular file of at most ", 30) == 0);
	close(fd);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jsonfile");
	TCase *t = tcase_create("jsonfile");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, written);
	tcase_add_test(t, read_back);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
