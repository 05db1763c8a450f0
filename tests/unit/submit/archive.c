/* Archives as streams of members: what is taken, what is passed over, and where it goes on behind
 * damage. */
#include "config.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "submit/input/archive.h"
#include "submit/unpacked.h"
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
		  "t: not an archive, or truncated in its first header: it ends too early" },
		{ "0:a:x <1024", 1, "",
		  "t: not an archive, or truncated in its first header: it ends too early" },
		{ "0:a:x z z z z z", 0, "a:x. ", "" },
		{ "0:a:x z 0:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x z z 0:b:y", 1, "a:x. b:y. ", "t: header of a member: it ends too early" },
		{ "0:a:x z z 0:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x z z ?", 1, "a:x. ",
		  "t: data after its end, block 5: skipped" },
		{ "0:a:x z z ? 0:b:y z z", 1, "a:x. b:y. ",
		  "t: data after its end, block 5: skipped" },
		{ "z z", 1, "", "t: not an archive, or truncated in its first header: it ends too early" },
		{ "?", -1, "", "t: not a tar archive" },
		{ "? 0:a:x z z", -1, "", "t: not a tar archive" },
		/* damage: the next header is looked for, which v7's headers do not say to be */
		{ "0:a:x ? ? 0:b:y z z", 1, "a:x. b:y. ",
		  "t: a damaged header, block 3: skipped" },
		{ "v:a:x v:b:y z z", 0, "a:x. b:y. ", "" },
		{ "0:a:x ? v:b:y 0:c:z v:d:w z z", 1, "a:x. c:z. d:w. ",
		  "t: a damaged header, block 3: skipped" },
		{ "0:a:x ? v:b:y z z", 1, "a:x. ",
		  "t: a damaged header, block 3: skipped" },
		{ "0:a:x x=path=b ? 0:c:y z z", 1, "a:x. c:y. ",
		  "t: a damaged header, block 5: skipped" },
		/* extended headers */
		{ "x=path=long 0:a:x 0:b:y z z", 0, "long:x. b:y. ", "" },
		{ "L:x:long 0:a:x 0:b:y z z", 0, "long:x. b:y. ", "" },
		{ "K:x:link 0:a:x z z", 0, "a:x. ", "" },
		{ "g=path=all 0:a:x z z", 0, "a:x. ", "" },
		{ "x=size=1 0:a:xyz z z", 0, "a:x. ", "" },
		{ "x=GNU.sparse.major=1 0:a:x 0:b:y z z", 0, "(a: a sparse file) b:y. ", "" },
		{ "x:x:garbage 0:a:x 0:b:y z z", 1, "(a: its extended header is damaged) b:y. ",
		  "t: a damaged extended header, block 2: skipped" },
		{ "x:x:garbage ? 0:a:x z z", 1, "a:x. ",
		  "t: a damaged extended header, block 2: skipped" },
		{ "L@65536 0:a:x z z", 0, "long:x. ", "" },
		{ "L@65537 0:a:x 0:b:y z z", 1, "(a: its extended header is too long) b:y. ",
		  "t: an extended header that is too long, block 1: skipped" },
		{ "K@65537 0:a:x z z", 1, "(a: its extended header is too long) ",
		  "t: an extended header that is too long, block 1: skipped" },
		{ "x@1048576 0:a:x z z", 1, "(a: its extended header is damaged) ",
		  "t: a damaged extended header, block 2049: skipped" },
		{ "x@1048577 0:a:x 0:b:y z z", 1, "(a: its extended header is too long) b:y. ",
		  "t: an extended header that is too long, block 1: skipped" },
		{ "g@1048576 0:a:x z z", 0, "a:x. ", "" },
		{ "g@1048577 0:a:x z z", 0, "a:x. ", "" },
		{ "x@1000 <512", 1, "", "t: an extended header: it ends too early" },
		{ "x@1048577 <512", 1, "", "t: an extended header: it ends too early" },
		/* what is not taken */
		{ "2:a: 0:../b:x 0:/c:x 1:d:xyz 0:e:y z z", 1,
		  "(a: a symbolic link) (../b: a path with ..) (/c: an absolute path) (d: a hard "
		  "link) "
		  "e:y. ",
		  "t: a damaged header, block 7: skipped" },
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

/* --- archives that are kept unpacked ------------------------------------------------------------
 */

static int takes_none(void *ctx, const char *path, struct pm_err *e)
{
	(void)ctx, (void)path, (void)e;
	return 0;
}

static int takes_jobs(void *ctx, const char *path, struct pm_err *e)
{
	return begin(ctx, path, e) < 0 ? -1 : strstr(path, ".tsv") || strstr(path, ".json");
}

/* Of a piece its length does not matter, its bytes do. */
static int adds_up(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	unsigned *sum = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++)
		*sum = *sum * 31 + (unsigned char)p[i];
	return 0;
}

static int ends_sum(void *ctx, bool whole, struct pm_err *e)
{
	SAY("%x", *(unsigned *)ctx);
	return end(ctx, whole, e);
}

static int open_tape(void)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);

	PM_SURE(fd >= 0 && write(fd, tape, tape_n) == (ssize_t)tape_n &&
		lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* What is kept of an archive is passed on as the archive itself would be. */
START_TEST(kept)
{
	static const char *const words[] = {
		"0:j/n1-1.tsv:x 0:j/readme:y 0:j/job-n1.json:z z z",
		"0:j/n1-1.tsv:x 2:a: 0:../n1-1.tsv:x 0:j/n2-1.tsv: z z",
		"0:j/n1-1.tsv:x ? 0:j/n2-1.tsv:y z z",
		"0:j/n1-1.tsv:x 0:j/n2-1.tsv:yz <1",
		"0:j/n1-1.tsv:x 0:j/readme:yz <1",
		"0:j/n1-1.tsv:x",
		"0:@:x 0:j/n2-1.tsv:y z z",
		"z z",
	};
	const size_t archives = sizeof words / sizeof words[0];
	static char want[16][4096], want_why[16][1024];
	struct pm_unpacked_part part[16];
	struct pm_unpacked u;
	struct pm_err e;
	unsigned sum = 0;
	int want_rc[16];
	const struct pm_archive_sink direct = { takes_jobs, adds_up, ends_sum, skipped, &sum };
	const struct pm_archive_sink none = { takes_none, data, end, skipped, NULL };

	pm_log_level = -1;
	pm_unpacked_init(&u);
	for (size_t i = 0; i < archives; i++) {
		static char long_data[100000];
		int fd;

		record(words[i]);
		if (strchr(words[i], '@')) {
			for (size_t k = 0; k < sizeof long_data; k++)
				long_data[k] = (char)(k % 251);
			tape_n = 0;
			member("j/n1-1.tsv", '0', long_data, sizeof long_data);
			member("j/n2-1.tsv", '0', long_data, 32768);
			member("j/n3-1.tsv", '0', long_data, 0);
			memset(tape + tape_n, 0, 1024);
			tape_n += 1024;
		}
		fd = open_tape();
		got_n = sum = 0;
		got[0] = e.text[0] = '\0';
		want_rc[i] = pm_archive_read_fd(fd, "t", &direct, &e);
		snprintf(want[i], sizeof want[i], "%s", got);
		snprintf(want_why[i], sizeof want_why[i], "%s", want_rc[i] ? e.text : "");
		PM_SURE(lseek(fd, 0, SEEK_SET) == 0);
		ck_assert_int_eq(pm_unpacked_read(&u, &part[i], fd, "t", &none, &e), want_rc[i]);
		ck_assert_msg(pm_unpacked_has(&part[i]), "%s", words[i]);
		close(fd);
	}
	ck_assert(pm_unpacked_settle(&u));
	/* More than once, and in any order. */
	for (size_t turn = 0; turn < 2 * archives; turn++) {
		size_t i = turn % 2 ? archives - 1 - turn / 2 : turn / 2;
		int rc;

		got_n = sum = 0;
		got[0] = e.text[0] = '\0';
		rc = pm_unpacked_pass(&u, &part[i], &direct, &e);
		ck_assert_msg(rc == want_rc[i] && strcmp(got, want[i]) == 0, "%s: %d %s not %s",
			      words[i], rc, got, want[i]);
		ck_assert_str_eq(rc ? e.text : "", want_why[i]);
	}
	pm_unpacked_free(&u);
}
END_TEST

/* Without room, or where the store fails, an archive is not kept, and is read all the same. */
START_TEST(not_kept)
{
	const struct pm_archive_sink all = { begin, data, end, skipped, NULL };
	struct pm_unpacked_part part;
	struct pm_unpacked u;
	struct pm_err e;

	pm_log_level = -1;
	record("0:j/n1-1.tsv:xyz 0:j/n2-1.tsv:y z z");
	for (uint64_t room = 0; room < 64; room++) {
		int fd = open_tape();

		pm_unpacked_init(&u);
		u.asked = true;
		u.left = room;
		got_n = 0;
		ck_assert_int_eq(pm_unpacked_read(&u, &part, fd, "t", &all, &e), 0);
		close(fd);
		ck_assert_str_eq(got, "j/n1-1.tsv:xyz. j/n2-1.tsv:y. ");
		/* Two members: a path, data and an end, each with its kind. */
		ck_assert_msg(pm_unpacked_has(&part) == (room >= 2 * (12 + 1) + 5 + 1),
			      "room for %d", (int)room);
		pm_unpacked_free(&u);
	}
	{
		int fd = open_tape();

		pm_unpacked_init(&u);
		ck_assert_int_eq(pm_unpacked_read(&u, &part, fd, "t", &all, &e), 0);
		close(fd);
		ck_assert(pm_unpacked_has(&part) && pm_unpacked_settle(&u));
		u.store.sick = 1;
		ck_assert(!pm_unpacked_settle(&u));
		pm_unpacked_free(&u);
	}
	/* What cannot be read is not kept: reading it again tells why. */
	record("?");
	{
		int fd = open_tape();

		pm_unpacked_init(&u);
		ck_assert_int_eq(pm_unpacked_read(&u, &part, fd, "t", &all, &e), -1);
		close(fd);
		ck_assert(!pm_unpacked_has(&part));
		pm_unpacked_free(&u);
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
	tcase_add_test(t, kept);
	tcase_add_test(t, not_kept);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
