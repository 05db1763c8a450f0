/* common/job/jobdir.c, jobdir_user.c, trusted.c: names, places, trust. What takes two users is in
 * tests/e2e/wrapper/users.t. */
#include "config.h"

#include "common/job/jobdir.h"
#include "common/settings/readconfig.h"
#include "common/trusted.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory a test makes, removed behind it. */
static char dir[] = "/tmp/perfmon-unit.XXXXXX";
static char prefix[64];

static void make_place(void)
{
	struct pm_err e;

	ck_assert_ptr_ne(mkdtemp(dir), NULL);
	snprintf(prefix, sizeof prefix, "%s/prefix", dir);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, prefix, &e), 0);
}

static void remove_place(void)
{
	char command[64];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	if (access(dir, F_OK) == 0 && system(command) != 0)
		abort();
}

/* Create a job directory with metadata. */
static void make_job(const char *name)
{
	struct pm_jobdir d;
	struct pm_err e;
	int fd;

	ck_assert_msg(pm_jobdir_create(name, &d, &e) == 0, "%s", e.text);
	fd = openat(d.fd, "job-h.json", O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	pm_jobdir_close(&d);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(names)
{
	static const char *const bad[] = { "", ".", "..", ".x", "a/b", "/", "a\nb", "\x7f" };
	char longest[202];

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!pm_jobdir_name_valid(bad[i]), "accepted: %s", bad[i]);
	memset(longest, 'x', sizeof longest);
	longest[201] = '\0';
	ck_assert(!pm_jobdir_name_valid(longest));
	longest[200] = '\0';
	ck_assert(pm_jobdir_name_valid(longest));
	ck_assert(pm_jobdir_name_valid("12[3].server"));
	ck_assert(pm_jobdir_name_valid("a b"));
	ck_assert(pm_jobdir_name_valid("\xc3\xa4"));
}
END_TEST

START_TEST(creation)
{
	struct pm_jobdir d, again;
	char user[PATH_MAX];
	struct pm_err e;
	int fd;

	fd = pm_jobdir_user(user, &e);
	ck_assert_msg(fd >= 0, "%s", e.text);
	close(fd);
	ck_assert_int_eq(strncmp(user, prefix, strlen(prefix)), 0);
	ck_assert_int_eq(mode_of(prefix), geteuid() == 0 ? 01777 : 0755);
	ck_assert_int_eq(mode_of(user), geteuid() == 0 ? 0711 : 0700);
	ck_assert_int_eq(pm_jobdir_create("1", &d, &e), 0);
	ck_assert_int_eq(mode_of(d.path), geteuid() == 0 ? 0711 : 0700);
	ck_assert_str_eq(d.name, "1");
	ck_assert_int_eq(pm_jobdir_create("1", &again, &e), 1);
	ck_assert_int_eq(again.fd, -1);
	ck_assert_int_lt(pm_jobdir_create("../1", &again, &e), 0);
	pm_jobdir_close(&d);
	pm_jobdir_close(&d);
}
END_TEST

START_TEST(numbers)
{
	struct pm_jobdir d;
	struct pm_err e;

	ck_assert_int_eq(pm_jobdir_create_next("7", &d, &e), 0);
	ck_assert_str_eq(d.name, "7-1");
	pm_jobdir_close(&d);
	make_job("7-41");
	make_job("7-5");
	make_job("7-x");
	make_job("7-43x");
	make_job("7.50");
	make_job("77-99");
	make_job("7-2147483647");
	ck_assert_int_eq(pm_jobdir_create_next("7", &d, &e), 0);
	ck_assert_str_eq(d.name, "7-42");
	pm_jobdir_close(&d);
}
END_TEST

START_TEST(names_of_a_job)
{
	static const struct {
		const char *directory, *name;
		int is;
	} cases[] = {
		{ "7", "7", 1 },      { "7.12", "7", 1 },    { "7.", "7", 0 }, { "7.1x", "7", 0 },
		{ "7.1.2", "7", 0 },  { "71", "7", 0 },      { "7", "71", 0 }, { "7-1", "7", 0 },
		{ "7.12", "7.1", 0 }, { "7.1.2", "7.1", 1 }, { "", "7", 0 },
	};
	char host[256], cut[4], want[256];
	FILE *f = fopen("/proc/sys/kernel/hostname", "re");

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_msg(pm_jobdir_is_named(cases[i].directory, cases[i].name) == cases[i].is,
			      "%s, %s", cases[i].directory, cases[i].name);
	if (f && fgets(want, sizeof want, f)) {
		want[strcspn(want, "\n")] = '\0';
		pm_jobdir_host(host, sizeof host);
		ck_assert_str_eq(host, want);
		pm_jobdir_host(cut, sizeof cut);
		ck_assert_int_eq(strncmp(cut, want, 3), 0);
		ck_assert_uint_le(strlen(cut), 3);
	}
	if (f)
		fclose(f);
}
END_TEST

/* The prefix as it may be written. */
START_TEST(prefixes)
{
	char user[PATH_MAX], want[256], longest[PATH_MAX + 1];
	struct pm_err e;
	int fd;

	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, "a/b//", &e), 0);
	fd = pm_jobdir_user(user, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(want, sizeof want, "%s/a/b/", dir);
	ck_assert_int_eq(strncmp(user, want, strlen(want)), 0);
	ck_assert_ptr_null(strchr(user + strlen(want), '/'));
	/* Parents are as the caller's mask has them. */
	umask(022);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, "c/d", &e), 0);
	fd = pm_jobdir_user(user, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(mode_of("c"), 0755);
	/* One that leaves no room for what comes behind it. */
	memset(longest, 'x', sizeof longest);
	longest[0] = '/';
	longest[PATH_MAX - 3 * 256 + 1] = '\0';
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, longest, &e), 0);
	ck_assert_int_lt(pm_jobdir_user(user, &e), 0);
	ck_assert_str_eq(e.text, "output_prefix is too long");
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

static int note(const struct pm_jobdir *d, void *arg)
{
	snprintf((char *)arg + strlen(arg), 4096 - strlen(arg), "%s\n", d->path);
	return 0;
}

/* A file in place of the user's directory: one of a random name, the same every time. */
START_TEST(taken_name)
{
	char user[PATH_MAX], again[PATH_MAX], paths[4096] = "", name[PATH_MAX + 16];
	struct pm_jobdir d;
	struct pm_err e;
	int fd = pm_jobdir_user(user, &e);

	close(fd);
	make_job("old");
	snprintf(name, sizeof name, "%s/away", prefix);
	ck_assert_int_eq(rename(user, name), 0);
	fd = open(user, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(name, sizeof name, "%s.", user);
	fd = pm_jobdir_user(again, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(strncmp(again, name, strlen(name)), 0);
	ck_assert_uint_eq(strspn(again + strlen(name), "abcdefghijklmnopqrstuvwxyz0123456789"), 6);
	ck_assert_uint_eq(strlen(again), strlen(name) + 6);
	ck_assert_int_eq(mode_of(again), geteuid() == 0 ? 0711 : 0700);
	ck_assert_int_eq(pm_jobdir_create("new", &d, &e), 0);
	snprintf(name, sizeof name, "%s/new", again);
	ck_assert_str_eq(d.path, name);
	pm_jobdir_close(&d);
	make_job("newer");
	/* Jobs there are found, and those in the directory of the plain name once it is back. */
	ck_assert_int_eq(pm_jobdir_each(note, paths, &e), 0);
	snprintf(name, sizeof name, "%s/newer\n", again);
	ck_assert_str_eq(paths, name);
	snprintf(name, sizeof name, "%s/away", prefix);
	ck_assert(unlink(user) == 0 && rename(name, user) == 0);
	paths[0] = '\0';
	ck_assert_int_eq(pm_jobdir_each(note, paths, &e), 0);
	ck_assert_ptr_nonnull(strstr(paths, "/newer\n"));
	ck_assert_ptr_nonnull(strstr(paths, "/old\n"));
	/* No other names than these. */
	snprintf(name, sizeof name, "%sx", again);
	ck_assert_int_eq(rename(again, name), 0);
	paths[0] = '\0';
	ck_assert_int_eq(pm_jobdir_each(note, paths, &e), 0);
	ck_assert_ptr_null(strstr(paths, "/newer\n"));
}
END_TEST

static bool is_b(const char *name, void *arg)
{
	(void)arg;
	return strcmp(name, "b") == 0;
}

/* What is no job: names of other files, and those of other hosts' or no metadata. */
START_TEST(wanted)
{
	static const char *const no[] = { "job-.json", "job-x.jsom", "jobx.json", "xjob-x.json" };
	struct pm_jobdir d;
	struct pm_err e;
	char paths[4096] = "";

	make_job("a");
	make_job("b");
	ck_assert_int_eq(pm_jobdir_each_wanted(is_b, note, paths, &e), 0);
	ck_assert_str_eq(strrchr(paths, '/'), "/b\n");
	ck_assert_ptr_null(strstr(paths, "/a\n"));
	ck_assert_int_eq(pm_jobdir_create("c", &d, &e), 0);
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
		close(openat(d.fd, no[i], O_WRONLY | O_CREAT, 0600));
		ck_assert_msg(!pm_jobdir_is_job(d.fd), "%s", no[i]);
	}
	close(openat(d.fd, "job-x.json", O_WRONLY | O_CREAT, 0600));
	ck_assert(pm_jobdir_is_job(d.fd));
	ck_assert(pm_jobdir_is_job(d.fd));
	pm_jobdir_close(&d);
	ck_assert_int_eq(d.fd, -1);
}
END_TEST

static int count(const struct pm_jobdir *d, void *arg)
{
	ck_assert_int_eq(pm_jobdir_is_job(d->fd), 1);
	++*(int *)arg;
	return strcmp(d->name, "stop") == 0 ? 5 : 0;
}

START_TEST(walk)
{
	char user[PATH_MAX];
	struct pm_jobdir d;
	struct pm_err e;
	int n = 0, fd;

	ck_assert_int_eq(pm_jobdir_each(count, &n, &e), 0);
	ck_assert_int_eq(n, 0);
	make_job("a");
	make_job("b");
	ck_assert_int_eq(pm_jobdir_create("without-metadata", &d, &e), 0);
	pm_jobdir_close(&d);
	fd = pm_jobdir_user(user, &e);
	ck_assert_int_eq(symlinkat("a", fd, "link"), 0);
	close(openat(fd, "file", O_WRONLY | O_CREAT, 0600));
	close(fd);
	ck_assert_int_eq(pm_jobdir_each(count, &n, &e), 0);
	ck_assert_int_eq(n, 2);
	make_job("stop");
	ck_assert_int_eq(pm_jobdir_each(count, &n, &e), 5);
}
END_TEST

START_TEST(opening)
{
	char path[256];
	struct pm_jobdir d;
	struct pm_err e;

	ck_assert_int_eq(pm_jobdir_open(dir, &d, &e), 0);
	ck_assert_str_eq(d.path, dir);
	ck_assert_str_eq(d.name, strrchr(dir, '/') + 1);
	pm_jobdir_close(&d);
	snprintf(path, sizeof path, "%s/link", dir);
	ck_assert_int_eq(symlink(dir, path), 0);
	ck_assert_int_lt(pm_jobdir_open(path, &d, &e), 0);
	snprintf(path, sizeof path, "%s/link///", dir);
	ck_assert_int_lt(pm_jobdir_open(path, &d, &e), 0);
	ck_assert_int_eq(d.fd, -1);
	snprintf(path, sizeof path, "%s///", dir);
	ck_assert_int_eq(pm_jobdir_open(path, &d, &e), 0);
	ck_assert_str_eq(d.path, dir);
	pm_jobdir_close(&d);
	ck_assert_int_lt(pm_jobdir_open("", &d, &e), 0);
	ck_assert_int_lt(pm_jobdir_open("/etc/passwd", &d, &e), 0);
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(pm_jobdir_open(".", &d, &e), 0);
	ck_assert_str_eq(d.path, dir);
	pm_jobdir_close(&d);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* A prefix that others may rewrite is not used; the sibling is. */
START_TEST(untrusted_prefix)
{
	char user[PATH_MAX], sibling[128];
	struct pm_err e;
	int fd;

	snprintf(sibling, sizeof sibling, "%s-%lu/", prefix, (unsigned long)geteuid());
	umask(025);
	ck_assert_int_eq(mkdir(prefix, 0700), 0);
	ck_assert_int_eq(chmod(prefix, 0777), 0);
	fd = pm_jobdir_user(user, &e);
	ck_assert_msg(fd >= 0, "%s", e.text);
	close(fd);
	ck_assert_int_eq(strncmp(user, sibling, strlen(sibling)), 0);
	ck_assert_int_eq(chmod(prefix, 01777), 0);
	fd = pm_jobdir_user(user, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_ne(strncmp(user, sibling, strlen(sibling)), 0);
	/* Jobs in either place are found. */
	make_job("one");
	ck_assert_int_eq(chmod(prefix, 0777), 0);
	make_job("two");
	ck_assert_int_eq(chmod(prefix, 01777), 0);
	fd = 0;
	ck_assert_int_eq(pm_jobdir_each(count, &fd, &e), 0);
	ck_assert_int_eq(fd, 2);
	/* The caller's files are as he wants them. */
	ck_assert_int_eq(umask(025), 025);
}
END_TEST

START_TEST(lax_user_directory)
{
	char user[PATH_MAX], again[PATH_MAX];
	struct pm_err e;
	int fd;

	close(pm_jobdir_user(user, &e));
	ck_assert_int_eq(chmod(user, 0777), 0);
	fd = pm_jobdir_user(again, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_str_eq(user, again);
	ck_assert_int_eq(mode_of(user), geteuid() == 0 ? 0711 : 0700);
}
END_TEST

/* Open a file of the place, by its rules. Returns 0, or the errno; *size is the file's then. */
static int trusted(const char *name, int flags, off_t *size)
{
	struct pm_err e = { "" };
	int at = open(dir, O_RDONLY | O_DIRECTORY), fd, saved;
	struct stat st;

	errno = 0;
	fd = pm_trusted_open(at, name, flags, 0600, &e);
	saved = errno;
	ck_assert_int_eq(fd < 0, e.text[0] != '\0');
	if (fd >= 0) {
		ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(close(fd), 0);
	}
	*size = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_size : -1;
	close(at);
	return fd < 0 ? saved : 0;
}

static void put_file(const char *name)
{
	FILE *f = fopen(name, "w");

	ck_assert(f && fputs("12345", f) >= 0 && fclose(f) == 0);
}

START_TEST(trusted_files)
{
	off_t size;

	ck_assert_int_eq(chdir(dir), 0);
	put_file("plain");
	put_file("two");
	ck_assert(link("two", "names") == 0 && symlink("plain", "link") == 0);
	ck_assert(mkfifo("fifo", 0600) == 0 && mkdir("dir", 0700) == 0);
	ck_assert_int_eq(trusted("none", O_RDONLY, &size), ENOENT);
	ck_assert_int_eq(trusted("plain", O_RDONLY, &size), 0);
	ck_assert_int_eq(trusted("plain", O_WRONLY | O_APPEND, &size), 0);
	ck_assert_int_eq(size, 5);
	ck_assert_int_eq(trusted("plain", O_WRONLY | O_TRUNC, &size), 0);
	ck_assert_int_eq(size, 0);
	ck_assert_int_eq(trusted("link", O_RDONLY, &size), ELOOP);
	ck_assert_int_eq(trusted("fifo", O_RDONLY, &size), EPERM);
	ck_assert_int_eq(trusted("fifo", O_RDWR, &size), EPERM);
	ck_assert_int_eq(trusted("dir", O_RDONLY, &size), EPERM);
	/* A second name may be one of a file elsewhere: nothing is written there. */
	ck_assert_int_eq(trusted("two", O_RDONLY, &size), 0);
	ck_assert_int_eq(trusted("two", O_WRONLY | O_TRUNC, &size), EMLINK);
	ck_assert_int_eq(trusted("two", O_RDWR, &size), EMLINK);
	ck_assert_int_eq(size, 5);
	ck_assert_int_eq(trusted("new", O_WRONLY | O_CREAT, &size), 0);
	ck_assert_int_eq(mode_of("new"), 0600);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

/* What root opens in the directory of user 65533. */
START_TEST(trusted_by_root)
{
	static const struct {
		uid_t owner;
		bool names;
		int reads, writes;
	} files[] = {
		{ 65533, false, 0, 0 },
		{ 65533, true, EMLINK, EMLINK },
		{ 0, false, 0, 0 },
		{ 0, true, EMLINK, EMLINK },
		{ 65532, false, EPERM, EPERM },
		{ 65532, true, EPERM, EPERM },
	};
	off_t size;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chdir(dir), 0);
	for (int own = 0; own < 2; own++) {
		if (chown(dir, own ? 0 : 65533, (gid_t)-1) < 0)
			break;
		for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
			put_file("f");
			ck_assert_int_eq(chown("f", files[i].owner, (gid_t)-1), 0);
			ck_assert(!files[i].names || link("f", "g") == 0);
			ck_assert_int_eq(trusted("f", O_RDONLY, &size), own ? 0 : files[i].reads);
			ck_assert_int_eq(trusted("f", O_WRONLY | O_TRUNC, &size),
					 own && files[i].owner ? EPERM : files[i].writes);
			unlink("f");
			unlink("g");
		}
	}
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jobdir");
	TCase *c = tcase_create("jobdir");

	tcase_add_checked_fixture(c, make_place, remove_place);
	tcase_add_test(c, names);
	tcase_add_test(c, creation);
	tcase_add_test(c, numbers);
	tcase_add_test(c, names_of_a_job);
	tcase_add_test(c, prefixes);
	tcase_add_test(c, taken_name);
	tcase_add_test(c, wanted);
	tcase_add_test(c, walk);
	tcase_add_test(c, opening);
	tcase_add_test(c, untrusted_prefix);
	tcase_add_test(c, lax_user_directory);
	tcase_add_test(c, trusted_files);
	tcase_add_test(c, trusted_by_root);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
