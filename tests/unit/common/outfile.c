/* common/outfile.c: a file is whole or is not there, whoever else has one of its name. */
#include "config.h"

#include "common/outfile.h"
#include "tests/unit/main.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char path[] = "out";

/* How many files the directory has. */
static int files(void)
{
	DIR *d = opendir(".");
	int n = 0;

	ck_assert_ptr_ne(d, NULL);
	for (const struct dirent *entry; (entry = readdir(d));)
		n += *entry->d_name != '.';
	closedir(d);
	return n;
}

/* What the file of a name has, at most 63 bytes. */
static const char *content(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");
	size_t n;

	ck_assert_ptr_ne(f, NULL);
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_ne(f, NULL);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Write a text to the file of the name. */
static int write_file(const char *name, const char *text, struct pm_err *e)
{
	struct pm_outfile o;

	if (pm_outfile_open(&o, name, e) < 0)
		return -1;
	fputs(text, o.f);
	return pm_outfile_commit(&o, e);
}

static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU };

/* A signal ends the writer as it would without a file, and takes the file along. */
START_TEST(signals_take_the_file_along)
{
	const int sig = ends[_i];
	int status;
	pid_t pid;

	put(path, "before\n");
	pid = fork();
	if (pid == 0) {
		const struct rlimit no_core = { 0, 0 };
		struct pm_outfile o;
		struct pm_err e;

		setrlimit(RLIMIT_CORE, &no_core);
		signal(sig, SIG_DFL);
		if (pm_outfile_open(&o, path, &e) < 0 || files() != 2)
			_exit(1);
		fputs("half", o.f);
		fflush(o.f);
		raise(sig);
		_exit(2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), sig);
	ck_assert_int_eq(files(), 1);
	ck_assert_str_eq(content(path), "before\n");
}
END_TEST

/* What is ignored stays ignored, and a handler is left in place; all is as before afterwards. */
START_TEST(signals_of_others)
{
	struct pm_outfile o;
	struct sigaction now;
	struct pm_err e;

	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	ck_assert_int_eq(pm_outfile_open(&o, path, &e), 0);
	raise(SIGHUP);
	sigaction(SIGTERM, NULL, &now);
	ck_assert(now.sa_handler != SIG_DFL);
	ck_assert_int_eq(pm_outfile_commit(&o, &e), 0);
	sigaction(SIGTERM, NULL, &now);
	ck_assert(now.sa_handler == SIG_DFL);
	sigaction(SIGHUP, NULL, &now);
	ck_assert(now.sa_handler == SIG_IGN);
	signal(SIGHUP, SIG_DFL);
	ck_assert_int_eq(files(), 1);
}
END_TEST

/* Two at once: each takes its name or is gone. */
START_TEST(several)
{
	struct pm_outfile a, b;
	static const char second[] = "second";
	struct pm_err e;

	ck_assert_int_eq(pm_outfile_open(&a, path, &e), 0);
	ck_assert_int_eq(pm_outfile_open(&b, second, &e), 0);
	fputs("b", b.f);
	ck_assert_int_eq(pm_outfile_commit(&b, &e), 0);
	pm_outfile_abandon(&a);
	pm_outfile_abandon(&a);
	ck_assert_int_eq(files(), 1);
	ck_assert_str_eq(content(second), "b");
}
END_TEST

/* A limit of the size is an error that is told, and what was there stays. */
START_TEST(limit_of_size)
{
	const struct rlimit small = { 4096, RLIM_INFINITY };
	static char large[10000];
	struct rlimit before;
	struct pm_err e;
	int rc;

	memset(large, 'x', sizeof large - 1);
	put(path, "before\n");
	getrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = write_file(path, large, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	ck_assert_int_eq(rc, -1);
	ck_assert_ptr_ne(strstr(e.text, "File too large"), NULL);
	ck_assert_int_eq(files(), 1);
	ck_assert_str_eq(content(path), "before\n");
}
END_TEST

/* A file that is replaced keeps its mode, its group and its owner. */
START_TEST(owner_and_mode)
{
	struct stat st;
	struct pm_err e;

	put(path, "before\n");
	ck_assert_int_eq(chmod(path, 0640), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(chown(path, 65533, 65532), 0);
	ck_assert_int_eq(write_file(path, "after\n", &e), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	if (geteuid() == 0) {
		ck_assert_int_eq((int)st.st_uid, 65533);
		ck_assert_int_eq((int)st.st_gid, 65532);
	}
	ck_assert_str_eq(content(path), "after\n");
}
END_TEST

/* Errors that say what to do, each without a wait and without a file left. */
START_TEST(errors)
{
	struct pm_err e;

	ck_assert_int_eq(symlink("nowhere", "link"), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(write_file("", "", &e), -1);
	ck_assert_int_eq(write_file("link", "", &e), -1);
	ck_assert_ptr_ne(strstr(e.text, "link to a file that does not exist"), NULL);
	ck_assert_int_eq(write_file("fifo", "", &e), -1);
	ck_assert_ptr_ne(strstr(e.text, "nobody reads it"), NULL);
	ck_assert_int_eq(write_file("/nonexistent/out", "", &e), -1);
	ck_assert_ptr_ne(strstr(e.text, "No such file"), NULL);
	ck_assert_int_eq(files(), 2);
}
END_TEST

/* A link keeps pointing to its file, which gets the new text. */
START_TEST(link_to_a_file)
{
	struct stat st;
	struct pm_err e;

	put(path, "before\n");
	ck_assert_int_eq(symlink(path, "link"), 0);
	ck_assert_int_eq(write_file("link", "after\n", &e), 0);
	ck_assert_int_eq(lstat("link", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	ck_assert_str_eq(content(path), "after\n");
	ck_assert_int_eq(files(), 2);
}
END_TEST

/* More links than the kernel follows, and links that the kernel has itself. */
START_TEST(links)
{
	char name[64], text[16];
	struct pm_err e;
	int fds[2], fd;

	ck_assert_int_eq(symlink("round", "round"), 0);
	ck_assert_int_eq(write_file("round", "", &e), -1);
	ck_assert_ptr_ne(strstr(e.text, "Too many levels"), NULL);
	ck_assert_int_eq(mkdir("d", 0700) | symlink("d", "dir") | symlink("../out", "d/up"), 0);
	ck_assert_int_eq(symlink("dir/up", "link"), 0);
	put(path, "before\n");
	ck_assert_int_eq(write_file("link", "after\n", &e), 0);
	ck_assert_str_eq(content(path), "after\n");
	ck_assert_int_eq(pipe(fds), 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fds[1]);
	ck_assert_int_eq(write_file(name, "piped\n", &e), 0);
	ck_assert_int_eq((int)read(fds[0], text, sizeof text), 6);
	fd = open(path, O_RDONLY);
	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	ck_assert_int_eq(write_file(name, "again\n", &e), 0);
	ck_assert_str_eq(content(path), "again\n");
	ck_assert_int_eq(write_file("d/", "", &e), -1);
	ck_assert_int_eq(write_file("no/", "", &e), -1);
	ck_assert_int_eq(files(), 5);
}
END_TEST

/* The directory is the one that was there when the file was begun. */
START_TEST(directory_exchanged)
{
	struct pm_outfile o;
	struct pm_err e;

	ck_assert_int_eq(mkdir("d", 0700) | mkdir("other", 0700), 0);
	put("other/out", "precious");
	put("d/out", "before");
	ck_assert_int_eq(pm_outfile_open(&o, "d/out", &e), 0);
	fputs("after", o.f);
	ck_assert_int_eq(rename("d", "moved") | symlink("other", "d"), 0);
	ck_assert_int_eq(pm_outfile_commit(&o, &e), 0);
	ck_assert_str_eq(content("other/out"), "precious");
	ck_assert_str_eq(content("moved/out"), "after");
}
END_TEST

/* --- root, and what users have put where it writes -----------------------------------------------
 */

#define USER 65533

static void own(const char *name)
{
	ck_assert_int_eq(lchown(name, USER, USER), 0);
}

static uid_t owner(const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(name, &st), 0);
	return st.st_uid;
}

/* Whose files root replaces, and in whose directories. */
START_TEST(root_gives)
{
	static const struct {
		uid_t directory, file;
		mode_t mode; /* of the directory */
		bool given;
	} t[] = {
		{ USER, USER, 0700, true },      { USER, USER, 01777, true },
		{ 0, USER, 0755, true },         { 0, USER, 01777, false },
		{ 0, USER, 0777, false },        { USER, USER + 1, 0700, false },
		{ USER + 1, USER, 0755, false }, { USER, 0, 0700, true },
		{ 0, 0, 01777, true },
	};
	struct pm_err e;

	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		ck_assert_int_eq(mkdir("d", 0700), 0);
		put("d/out", "before");
		ck_assert_int_eq(chown("d/out", t[i].file, 0), 0);
		ck_assert_int_eq(chown("d", t[i].directory, 0) | chmod("d", t[i].mode), 0);
		ck_assert_int_eq(write_file("d/out", "after", &e), t[i].given ? 0 : -1);
		ck_assert_str_eq(content("d/out"), t[i].given ? "after" : "before");
		ck_assert_uint_eq(owner("d/out"), t[i].file);
		if (!t[i].given)
			ck_assert_msg(strstr(e.text, "get what root writes"), "%s", e.text);
		ck_assert_int_eq(unlink("d/out") | rmdir("d"), 0);
	}
}
END_TEST

/* A user's links lead root nowhere. */
START_TEST(root_follows)
{
	struct pm_err e;

	if (geteuid() != 0)
		return;
	put("target", "precious");
	ck_assert_int_eq(mkdir("d", 0700) | symlink("../target", "d/out"), 0);
	ck_assert_int_eq(symlink("/dev/null", "d/null"), 0);
	own("d");
	own("d/out");
	own("d/null");
	ck_assert_int_eq(write_file("d/out", "after", &e), -1);
	ck_assert_msg(strstr(e.text, "link of another user's"), "%s", e.text);
	ck_assert_int_eq(write_file("d/null", "after", &e), -1);
	ck_assert_str_eq(content("target"), "precious");
	ck_assert_int_eq(symlink("d/out", "link"), 0);
	ck_assert_int_eq(write_file("link", "after", &e), -1);
	ck_assert_str_eq(content("target"), "precious");
}
END_TEST

/* A user who exchanges a file of the user's with a link of root's to a file of root's, all the
 * time, gets no file of root's. */
START_TEST(root_in_a_race)
{
	struct pm_err e;
	pid_t child;
	int done = 0;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(mkdir("d", 0700) | mkdir("safe", 0700), 0);
	put("safe/target", "before");
	put("d/out", "before");
	ck_assert_int_eq(symlink("../safe/target", "d/link"), 0);
	own("d");
	own("d/out");
	child = fork();
	if (child == 0)
		for (;;)
			renameat2(AT_FDCWD, "d/out", AT_FDCWD, "d/link", RENAME_EXCHANGE);
	for (int i = 0; i < 200 && owner("safe/target") == 0; i++) {
		done += write_file("d/out", "after", &e) == 0;
		/* It may have replaced the link. */
		PM_SURE(symlink("../safe/target", "new") == 0 && rename("new", "d/link") == 0);
		put("new", "before");
		PM_SURE(lchown("new", USER, USER) == 0 && rename("new", "d/out") == 0);
	}
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_uint_eq(owner("safe/target"), 0);
	ck_assert_int_gt(done, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("outfile");
	TCase *t = tcase_create("outfile");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_loop_test(t, signals_take_the_file_along, 0, sizeof ends / sizeof *ends);
	tcase_add_test(t, signals_of_others);
	tcase_add_test(t, several);
	tcase_add_test(t, limit_of_size);
	tcase_add_test(t, owner_and_mode);
	tcase_add_test(t, errors);
	tcase_add_test(t, link_to_a_file);
	tcase_add_test(t, links);
	tcase_add_test(t, directory_exchanged);
	tcase_add_test(t, root_gives);
	tcase_add_test(t, root_follows);
	tcase_add_test(t, root_in_a_race);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
