/* Archives as streams of members: what is taken, what is passed over, and where it goes on behind
 * damage. */
#include "config.h"

#include "common/config.h"
#include "common/log.h"
#include "submit/input/archive.h"
#include "tests/unit/main.h"

#include <string.h>
#include <sys/mman.h>

static char tape[4 << 20];
static size_t tape_n;

/* Append bytes in whole blocks. */
static void put(const char *p, size_t n)
{
	memcpy(tape + tape_n, p, n);
	memset(tape + tape_n + n, 0, (512 - n % 512) % 512);
	tape_n += (n + 511) / 512 * 512;
}

static void head(const char *name, char type, size_t size, const char *magic)
{
	char block[512] = "";
	unsigned sum = 0;

	memcpy(block, name, strlen(name));
	snprintf(block + 124, 12, "%011zo", size);
	memset(block + 148, ' ', 8);
	block[156] = type;
	memcpy(block + 257, magic, strlen(magic));
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
	put(block, 512);
}

static void member(const char *name, char type, const char *data, size_t n)
{
	head(name, type, n, "ustar");
	put(data, n);
}

/*
 * Write the blocks of a list of words:
 *	TYPE:NAME:DATA  a member       TYPE@SIZE  a header of the type with that many bytes of data
 *	x=KEY=VALUE     a pax header   z          a block of zeros     ?  a block that is none
 *	v:NAME:DATA     of v7's tar    <N         less the last N bytes
 */
static void record(const char *words)
{
	static char big[2 << 20];
	char copy[1024], *rest = copy;

	tape_n = 0;
	snprintf(copy, sizeof copy, "%s", words);
	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		char *data = strrchr(word, ':'), text[256];
		size_t n = 0;

		if (word[0] == 'z' || word[0] == '?') {
			memset(text, word[0] == 'z' ? 0 : '?', sizeof text);
			put("", 0);
			memset(tape + tape_n, text[0], 512);
			tape_n += 512;
		} else if (word[0] == '<') {
			tape_n -= strtoul(word + 1, NULL, 10);
		} else if (word[1] == '@') {
			n = strtoul(word + 2, NULL, 10);
			memset(big, 'n', n);
			member("extended", word[0], big, n);
		} else if (word[1] == '=') {
			while (n != (size_t)snprintf(text, sizeof text, "%zu %s\n", n, word + 2))
				n++;
			member("pax", word[0], text, n);
		} else {
			*data++ = '\0';
			if (word[0] == 'v') {
				head(word + 2, '0', strlen(data), "");
				put(data, strlen(data));
			} else {
				member(word + 2, word[0], data, strlen(data));
			}
		}
	}
}

static char got[65536];
static size_t got_n;

#define SAY(...) (got_n += (size_t)snprintf(got + got_n, sizeof got - got_n, __VA_ARGS__))

static int begin(void *ctx, const char *path, struct pm_err *e)
{
	(void)ctx;
	if (strcmp(path, "stop") == 0)
		return pm_err(e, "stopped");
	SAY("%s:", strlen(path) > 40 ? "long" : path);
	return path[0] != '-';
}

static int data(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	(void)ctx;
	if (n == 4 && memcmp(p, "full", 4) == 0)
		return pm_err(e, "no room");
	SAY("%.*s", n > 40 ? 40 : (int)n, p);
	return 0;
}

static int end(void *ctx, bool whole, struct pm_err *e)
{
	(void)ctx;
	SAY(whole ? ". " : "! ");
	return strstr(got, "last:") ? pm_err(e, "enough") : 0;
}

static void skipped(void *ctx, const char *path, const char *why)
{
	(void)ctx;
	SAY("(%s: %s) ", path, why);
}

static const struct pm_archive_sink sink = { begin, data, end, skipped, NULL };

START_TEST(members)
{
	static const struct {
		const char *words;
		int rc;
		const char *got, *why;
	} c[] = {
		{ "0:a:x z z", 0, "a:x. ", "" },
		{ "0:a:x 5:d/: 0:d/b:y 0:c: z z", 0, "a:x. d/b:y. c:. ", "" },
		{ "0:-a:x 0:b:y z z", 0, "-a:b:y. ", "" },
		/* how it ends */
		{ "0:a:x z", 0, "a:x. ", "" },
		{ "0:a:x z <1", 1, "a:x. ", "t: header of a member: it ends too early" },
		{ "0:a:x", 1, "a:x. ", "t: header of a member: it ends too early" },
		{ "0:a:x <1", 1, "a:! ", "t: a: it ends too early" },
		{ "0:-a:x <1", 1, "-a:", "t: -a: it ends too early" },
		{ "0:a:x <513", 1, "",
		  "t: no archive, or cut in its first header: it ends too early" },
		{ "0:a:x <1024", 1, "",
		  "t: no archive, or cut in its first header: it ends too early" },
		{ "0:a:x z z z z z", 0, "a:x. ", "" },
		{ "0:a:x z 0:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x z z 0:b:y", 1, "a:x. b:y. ", "t: header of a member: it ends too early" },
		{ "0:a:x z z 0:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x z z ?", 1, "a:x. ",
		  "t: something behind its end, block 5: it is passed over" },
		{ "0:a:x z z ? 0:b:y z z", 1, "a:x. b:y. ",
		  "t: something behind its end, block 5: it is passed over" },
		{ "z z", 1, "", "t: no archive, or cut in its first header: it ends too early" },
		{ "?", -1, "", "t: not a tar archive" },
		{ "? 0:a:x z z", -1, "", "t: not a tar archive" },
		/* damage: the next header is looked for, which v7's headers do not say to be */
		{ "0:a:x ? ? 0:b:y z z", 1, "a:x. b:y. ",
		  "t: a damaged header, block 3: it is passed over" },
		{ "v:a:x v:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x ? v:b:y 0:c:z v:d:w z z", 1, "a:x. c:z. d:w. ",
		  "t: a damaged header, block 3: it is passed over" },
		{ "0:a:x ? v:b:y z z", 1, "a:x. ",
		  "t: a damaged header, block 3: it is passed over" },
		{ "0:a:x x=path=b ? 0:c:y z z", 1, "a:x. c:y. ",
		  "t: a damaged header, block 5: it is passed over" },
		/* extended headers */
		{ "x=path=long 0:a:x 0:b:y z z", 0, "long:x. b:y. ", "" },
		{ "L:x:long 0:a:x 0:b:y z z", 0, "long:x. b:y. ", "" },
		{ "K:x:link 0:a:x z z", 0, "a:x. ", "" },
		{ "g=path=all 0:a:x z z", 0, "a:x. ", "" },
		{ "x=size=1 0:a:xyz z z", 0, "a:x. ", "" },
		{ "x=GNU.sparse.major=1 0:a:x 0:b:y z z", 0, "(a: a sparse file) b:y. ", "" },
		{ "x:x:garbage 0:a:x 0:b:y z z", 1, "(a: its extended header is damaged) b:y. ",
		  "t: a damaged extended header, block 2: it is passed over" },
		{ "x:x:garbage ? 0:a:x z z", 1, "a:x. ",
		  "t: a damaged extended header, block 2: it is passed over" },
		{ "L@65536 0:a:x z z", 0, "long:x. ", "" },
		{ "L@65537 0:a:x 0:b:y z z", 1, "(a: its extended header is too long) b:y. ",
		  "t: an extended header that is too long, block 1: it is passed over" },
		{ "K@65537 0:a:x z z", 1, "(a: its extended header is too long) ",
		  "t: an extended header that is too long, block 1: it is passed over" },
		{ "x@1048576 0:a:x z z", 1, "(a: its extended header is damaged) ",
		  "t: a damaged extended header, block 2049: it is passed over" },
		{ "x@1048577 0:a:x 0:b:y z z", 1, "(a: its extended header is too long) b:y. ",
		  "t: an extended header that is too long, block 1: it is passed over" },
		{ "g@1048576 0:a:x z z", 0, "a:x. ", "" },
		{ "g@1048577 0:a:x z z", 0, "a:x. ", "" },
		{ "x@1000 <512", 1, "", "t: an extended header: it ends too early" },
		{ "x@1048577 <512", 1, "", "t: an extended header: it ends too early" },
		/* what is not taken */
		{ "2:a: 0:../b:x 0:/c:x 1:d:xyz 0:e:y z z", 1,
		  "(a: a symbolic link) (../b: a path with ..) (/c: an absolute path) (d: a hard "
		  "link) "
		  "e:y. ",
		  "t: a damaged header, block 7: it is passed over" },
		/* who takes them says stop */
		{ "0:a:x 0:stop:x 0:b:y z z", -1, "a:x. ", "stopped" },
		{ "0:a:full 0:b:y z z", -1, "a:", "no room" },
		{ "0:last:x 0:b:y z z", -1, "last:x. ", "enough" },
		{ "0:last:x <1", -1, "last:! ", "enough" },
	};

	pm_log_level = -1;
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		int fd = memfd_create("archive", MFD_CLOEXEC), rc;
		struct pm_err e = { "" };

		record(c[i].words);
		got_n = 0;
		got[0] = '\0';
		ck_assert_int_ge(fd, 0);
		PM_SURE(write(fd, tape, tape_n) == (ssize_t)tape_n && lseek(fd, 0, SEEK_SET) == 0);
		rc = pm_archive_read_fd(fd, "t", &sink, &e);
		close(fd);
		ck_assert_msg(rc == c[i].rc && strcmp(got, c[i].got) == 0 &&
				      strcmp(e.text, c[i].why) == 0,
			      "%s: %d %s%s", c[i].words, rc, got, e.text);
	}
	{
		struct pm_err e;

		ck_assert_int_eq(pm_archive_read("/nonexistent/a.tar", &sink, &e), -1);
		ck_assert_str_eq(e.text, "/nonexistent/a.tar: No such file or directory");
	}
}
END_TEST

/* What is longer than a block comes in order and without what fills the last block. */
START_TEST(long_members)
{
	static const size_t size[] = { 511, 512, 513, 1024, 5000 };
	struct pm_err e = { "" };
	int fd;

	for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
		static char text[5000];

		for (size_t k = 0; k < size[i]; k++)
			text[k] = (char)('a' + k % 26 + k / 512 % 2);
		tape_n = 0;
		member("a", '0', text, size[i]);
		put("", 0);
		memset(tape + tape_n, 0, 1024);
		tape_n += 1024;
		fd = memfd_create("archive", MFD_CLOEXEC);
		PM_SURE(write(fd, tape, tape_n) == (ssize_t)tape_n && lseek(fd, 0, SEEK_SET) == 0);
		got_n = 0;
		ck_assert_int_eq(pm_archive_read_fd(fd, "t", &sink, &e), 0);
		close(fd);
		for (size_t at = 0, k = 0; k < size[i]; k += 512, at += 40)
			ck_assert_int_eq(
				memcmp(got + 2 + at, text + k, size[i] - k < 40 ? size[i] - k : 40),
				0);
		ck_assert_uint_eq(got_n, 2 + size[i] / 512 * 40 +
						 (size[i] % 512 < 40 ? size[i] % 512 : 40) + 2);
	}
}
END_TEST

START_TEST(names)
{
	static const char *const yes[] = {
		"a.tar",   "a.tar.gz",  "a.tgz",  "x/a.tar.zst", "a.tzst", ".a.tar.xz",
		"a.b.txz", "a.tar.bz2", "a.tbz2", "a.tbz",       " .tar",
	};
	static const char *const no[] = { ".tar",  ".tar.gz.", "tar",   "a.tarx", "a.gz",
					  "a.zip", "",         "a.TAR", ".tgz",   "a.tar/" };

	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		ck_assert_msg(pm_archive_named(yes[i]) == 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		ck_assert_msg(pm_archive_named(no[i]) == 0, "%s", no[i]);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/input/archive.c");
	TCase *t = tcase_create("archives");

	tcase_add_test(t, members);
	tcase_add_test(t, long_members);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
