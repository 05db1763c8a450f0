/* common/outfile.c: a file is whole or is not there, whoever else has one of its name. */
#include "config.h"

#include "common/outfile.h"
#include "tests/unit/main.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
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
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
