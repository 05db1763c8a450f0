/* Files that are written anew in place of old ones: jobs without their secrets, in directories and
 * archives, and the archives themselves. */
#include "config.h"

#include "common/log.h"
#include "common/tarwrite.h"
#include "tests/unit/sampler/root.h"
#include "wrapper/stage/pack.h"
#include "wrapper/stage/redact.h"
#include "wrapper/stage/repack.h"

#include <sys/syscall.h>

static struct pm_jobdir d;
static struct pm_err e;
static int synced;

int fsync(int fd)
{
	synced++;
	return (int)syscall(SYS_fsync, fd);
}

static void begin(void)
{
	root_make();
	PM_SURE(pm_jobdir_open(root, &d, &e) == 0);
	PM_SURE(chdir(root) == 0);
	synced = 0;
}

static void end(void)
{
	PM_SURE(chdir("/") == 0);
	pm_jobdir_close(&d);
	root_remove();
}

/* The text of a small file, "none" where there is none. */
static const char *text_of(const char *name)
{
	static char text[4096];
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return "none";
	text[n] = '\0';
	return text;
}

/* --- directories --------------------------------------------------------------------------------
 */

#define RECORDS "perfmon-tsv-1\trecord\tpid\targs\t.\n1\tstart\t7\tx --password=%s\t.\n"
#define PHASES  "perfmon-phase-1\th\tb\tbegin\tpassword=%s\t1\t2\t3\t.\n"

static void put_secret(const char *name, const char *form)
{
	char text[512];

	/* The form is a constant of ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, form, "Zq7x");
#pragma GCC diagnostic pop
	root_put(name, text);
}

START_TEST(directories)
{
	char want[512];
	struct stat st;
	int64_t n = -1;
	ino_t was;

	put_secret("h-0.tsv", RECORDS);
	put_secret("h.phases", PHASES);
	root_put("h-1.tsv", "perfmon-tsv-1\trecord\tpid\targs\t.\n1\tstart\t7\tx y\t.\n");
	put_secret("notes.txt", RECORDS);
	put_secret("elsewhere", RECORDS);
	PM_SURE(symlink("elsewhere", "h-2.tsv") == 0 && mkfifo("h-3.tsv", 0600) == 0);
	/* What a killed one left. */
	root_put(".redact-new", "perfmon");
	PM_SURE(chmod("h-0.tsv", 0640) == 0);
	PM_SURE(stat("h-1.tsv", &st) == 0);
	was = st.st_ino;
	/* Said, not done. */
	ck_assert_int_eq(pm_redact_directory(&d, true, &n, &e), 0);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(synced, 0);
	snprintf(want, sizeof want, RECORDS, "Zq7x");
	ck_assert_str_eq(text_of("h-0.tsv"), want);
	/* Done: on disk, each file and then their names. */
	ck_assert_int_eq(pm_redact_directory(&d, false, &n, &e), 0);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(synced, 3);
	snprintf(want, sizeof want, RECORDS, "[redacted]");
	ck_assert_str_eq(text_of("h-0.tsv"), want);
	snprintf(want, sizeof want, PHASES, "[redacted]");
	ck_assert_str_eq(text_of("h.phases"), want);
	PM_SURE(stat("h-0.tsv", &st) == 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	/* What has no secret is not written anew, and what is not the job's is left alone. */
	PM_SURE(stat("h-1.tsv", &st) == 0);
	ck_assert_uint_eq(st.st_ino, was);
	snprintf(want, sizeof want, RECORDS, "Zq7x");
	ck_assert_str_eq(text_of("notes.txt"), want);
	ck_assert_str_eq(text_of("elsewhere"), want);
	ck_assert_str_eq(text_of(".redact-new"), "none");
	ck_assert_int_eq(pm_redact_directory(&d, false, &n, &e), 0);
	ck_assert_int_eq(n, 0);
}
END_TEST

/* As root: files keep their owner, and those of strangers stay. */
START_TEST(owners)
{
	char want[512];
	struct stat st;
	int64_t n;

	if (geteuid() != 0)
		return;
	put_secret("h-0.tsv", RECORDS);
	put_secret("h-1.tsv", RECORDS);
	put_secret("h-2.tsv", RECORDS);
	PM_SURE(chown(root, 65533, 65533) == 0 && chown("h-0.tsv", 65533, 65532) == 0 &&
		chown("h-1.tsv", 65531, 65531) == 0);
	ck_assert_int_eq(pm_redact_directory(&d, false, &n, &e), 0);
	ck_assert_int_eq(n, 2);
	PM_SURE(stat("h-0.tsv", &st) == 0);
	ck_assert(st.st_uid == 65533 && st.st_gid == 65532);
	snprintf(want, sizeof want, RECORDS, "Zq7x");
	ck_assert_str_eq(text_of("h-1.tsv"), want);
	snprintf(want, sizeof want, RECORDS, "[redacted]");
	ck_assert_str_eq(text_of("h-2.tsv"), want);
}
END_TEST

/* --- tar ----------------------------------------------------------------------------------------
 */

static uint64_t octal(const char *field)
{
	return strtoull(field, NULL, 8);
}

/* A header is whole: its name, size and type, with a sum that is right. */
static void is_header(const unsigned char *p, const char *name, uint64_t size, char type)
{
	const char *text = (const char *)p;
	unsigned sum = 0;

	for (int i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : p[i];
	ck_assert_uint_eq(octal(text + 148), sum);
	ck_assert_int_eq(strncmp(text, name, 100), 0);
	ck_assert_uint_eq(octal(text + 124), size);
	ck_assert_int_eq(text[156], type);
	ck_assert_int_eq(memcmp(text + 257, "ustar\00000", 8), 0);
	ck_assert_uint_eq(octal(text + 108) + octal(text + 116), 0);
}

START_TEST(archives)
{
	static unsigned char text[20480];
	int fd = open("a.tar", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char name[1002], want[1100];
	struct pm_tarwrite t;
	ssize_t size;

	memset(name, 'n', sizeof name);
	name[100] = '\0';
	ck_assert_int_eq(pm_tarwrite_begin(&t, fd, false, &e), 0);
	ck_assert_int_eq(pm_tarwrite_member(&t, name, 5, &e), 0);
	ck_assert_int_eq(pm_tarwrite_data(&t, "hello", 5, &e), 0);
	ck_assert_int_lt(pm_tarwrite_data(&t, "x", 1, &e), 0);
	t.mode = 0600;
	t.mtime = 1234567890;
	name[100] = 'n';
	name[101] = '\0';
	ck_assert_int_eq(pm_tarwrite_member(&t, name, 511, &e), 0);
	ck_assert_int_eq(pm_tarwrite_data(&t, (char *)text, 500, &e), 0);
	ck_assert_int_eq(pm_tarwrite_data(&t, (char *)text, 11, &e), 0);
	name[101] = 'n';
	name[990] = '\0';
	t.mtime = -1;
	ck_assert_int_eq(pm_tarwrite_member(&t, name, 0, &e), 0);
	ck_assert_int_eq(pm_tarwrite_end(&t, &e), 0);
	ck_assert_int_eq(synced, 1);
	pm_tarwrite_free(&t);
	size = pread(fd, text, sizeof text, 0);
	close(fd);
	/* Header, data; pax header, its data, header, data; pax header, 2 of data, header; 2. */
	ck_assert_int_eq(size, (2 + 4 + 4 + 2) * 512);
	name[100] = '\0';
	is_header(text, name, 5, '0');
	ck_assert_uint_eq(octal((char *)text + 100), 0644);
	ck_assert_uint_eq(octal((char *)text + 136), 0);
	ck_assert_int_eq(memcmp(text + 512, "hello\0\0", 7), 0);
	is_header(text + 1024, "pax", 111, 'x');
	name[100] = 'n';
	name[101] = '\0';
	snprintf(want, sizeof want, "111 path=%s\n", name);
	ck_assert_str_eq((char *)text + 1536, want);
	is_header(text + 2048, name, 511, '0');
	ck_assert_uint_eq(octal((char *)text + 2048 + 100), 0600);
	ck_assert_uint_eq(octal((char *)text + 2048 + 136), 1234567890);
	/* A length that has one digit more with itself. */
	name[101] = 'n';
	name[990] = '\0';
	is_header(text + 3072, "pax", 1001, 'x');
	snprintf(want, sizeof want, "1001 path=%s\n", name);
	ck_assert_str_eq((char *)text + 3584, want);
	is_header(text + 4608, name, 0, '0');
	ck_assert_uint_eq(octal((char *)text + 4608 + 136), 0);
	for (int i = 5120; i < size; i++)
		PM_SURE(text[i] == 0);
}
END_TEST

START_TEST(large_members)
{
	static unsigned char text[8192];
	int fd = open("a.tar", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct pm_tarwrite t;

	/* The largest size of a header, and one beyond. */
	ck_assert_int_eq(pm_tarwrite_begin(&t, fd, false, &e), 0);
	ck_assert_int_eq(pm_tarwrite_member(&t, "a", 8589934591, &e), 0);
	ck_assert_int_lt(pm_tarwrite_end(&t, &e), 0);
	pm_tarwrite_free(&t);
	ck_assert_int_eq(pm_tarwrite_begin(&t, fd, false, &e), 0);
	ck_assert_int_eq(pm_tarwrite_member(&t, "b", 8589934592, &e), 0);
	pm_tarwrite_free(&t);
	ck_assert_int_eq(pread(fd, text, sizeof text, 0), 4 * 512);
	close(fd);
	is_header(text, "a", 8589934591, '0');
	is_header(text + 512, "pax", 19, 'x');
	ck_assert_str_eq((char *)text + 1024, "19 size=8589934592\n");
	is_header(text + 1536, "b", 0, '0');
}
END_TEST

START_TEST(names_of_archives)
{
	ck_assert(pm_tarwrite_can("a.tar") && !pm_tarwrite_can("a.zip"));
	ck_assert(!pm_tarwrite_can(".tar") && !pm_tarwrite_can("tar") && !pm_tarwrite_can(""));
	ck_assert(!pm_tarwrite_can("a.tar.xz") && !pm_tarwrite_can("a.gz"));
#ifdef HAVE_ZLIB
	ck_assert(pm_tarwrite_can("a.tar.gz") && pm_tarwrite_can("a.tgz"));
#endif
}
END_TEST

#ifdef HAVE_ZLIB

/* --- archives of jobs ---------------------------------------------------------------------------
 */

static void pack(const char *path, const char *stem)
{
	struct pm_pack p = { NULL, 0 };
	json_t *about = json_object();
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);

	put_secret("h-0.tsv", RECORDS);
	root_put("job-h.json", "{}\n");
	PM_SURE(pm_pack_add(&p, "job-h.json") == 0 && pm_pack_add(&p, "h-0.tsv") == 0);
	ck_assert_msg(pm_pack_write(fd, d.fd, stem, &p, about, &e) == 0, "%s", e.text);
	PM_SURE(fchmod(fd, 0640) == 0);
	pm_pack_free(&p);
	json_decref(about);
	close(fd);
	PM_SURE(unlink("h-0.tsv") == 0 && unlink("job-h.json") == 0);
}

/* How a change ends, and what it found in the file of records. */
static int outcome;
static char found[512];

static int change(void *ctx, const struct pm_jobdir *unpacked, struct pm_err *why)
{
	int fd = openat(unpacked->fd, "h-0.tsv", O_RDWR | O_CLOEXEC);
	ssize_t n = read(fd, found, sizeof found - 1);

	PM_SURE(n > 0 && faccessat(unpacked->fd, "manifest.json", F_OK, 0) < 0);
	found[n] = '\0';
	if (outcome)
		PM_SURE(ftruncate(fd, 0) == 0 && pwrite(fd, "new\n", 4, 0) == 4);
	close(fd);
	*(int *)ctx += 1;
	return outcome < 0 ? pm_err(why, "no") : outcome;
}

START_TEST(changed_archives)
{
	char want[512];
	struct stat st;
	int times = 0;
	int64_t n = 0;
	ino_t was;

	pack("a.tgz", "job");
	PM_SURE(stat("a.tgz", &st) == 0);
	was = st.st_ino;
	snprintf(want, sizeof want, RECORDS, "Zq7x");
	/* Nothing to change, and a change that fails: the archive is as it was. */
	for (outcome = 0; outcome >= -1; outcome--) {
		/* What a killed one left is in nobody's way. */
		root_put(".a.tgz.unpacked/left", "");
		root_put(".a.tgz.new", "left");
		ck_assert_int_eq(pm_repack("a.tgz", change, &times, &e), outcome);
		ck_assert_str_eq(found, want);
		PM_SURE(stat("a.tgz", &st) == 0);
		ck_assert_uint_eq(st.st_ino, was);
		ck_assert_int_lt(access(".a.tgz.unpacked", F_OK), 0);
	}
	ck_assert_str_eq(e.text, "a.tgz: no");
	outcome = 1;
	synced = 0;
	ck_assert_msg(pm_repack("a.tgz", change, &times, &e) == 0, "%s", e.text);
	ck_assert_int_eq(times, 3);
	ck_assert_int_eq(synced, 2);
	PM_SURE(stat("a.tgz", &st) == 0);
	ck_assert_uint_ne(st.st_ino, was);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	ck_assert_int_lt(access(".a.tgz.unpacked", F_OK), 0);
	ck_assert_int_lt(access(".a.tgz.new", F_OK), 0);
	outcome = 0;
	ck_assert_int_eq(pm_repack("a.tgz", change, &times, &e), 0);
	ck_assert_str_eq(found, "new\n");
	/* Whose it is. */
	if (geteuid() == 0) {
		PM_SURE(chown("a.tgz", 65533, 65532) == 0);
		outcome = 1;
		ck_assert_int_eq(pm_repack("a.tgz", change, &times, &e), 0);
		PM_SURE(stat("a.tgz", &st) == 0);
		ck_assert(st.st_uid == 65533 && st.st_gid == 65532);
		ck_assert_int_eq(st.st_mode & 07777, 0640);
	}
	/* Its secrets. */
	pack("b.tgz", "job");
	ck_assert_int_eq(pm_redact_archive("b.tgz", true, &n, &e), 0);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(pm_redact_archive("b.tgz", false, &n, &e), 0);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(pm_redact_archive("b.tgz", false, &n, &e), 0);
	ck_assert_int_eq(n, 0);
	/* None that can be written, or be found. */
	ck_assert_int_lt(pm_repack("a.zip", change, &times, &e), 0);
	ck_assert_int_lt(pm_repack("none.tgz", change, &times, &e), 0);
	PM_SURE(symlink("a.tgz", "link.tgz") == 0 && mkdir("dir.tgz", 0700) == 0);
	ck_assert_int_lt(pm_repack("link.tgz", change, &times, &e), 0);
	ck_assert_int_lt(pm_repack("dir.tgz", change, &times, &e), 0);
}
END_TEST

#endif

static Suite *suite(void)
{
	Suite *s = suite_create("rewriting");
	TCase *c = tcase_create("rewriting");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, directories);
	tcase_add_test(c, owners);
	tcase_add_test(c, archives);
	tcase_add_test(c, large_members);
	tcase_add_test(c, names_of_archives);
#ifdef HAVE_ZLIB
	tcase_add_test(c, changed_archives);
#endif
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
