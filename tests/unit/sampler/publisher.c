/* The file for other programs: whole at any time, removed at the end, and no harm by what others
 * put in its place. */
#include "config.h"

#include "sampler/publisher.h"

#include "common/log.h"

#include "tests/unit/sampler/root.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char file[128], victim[128];

static void begin(void)
{
	root_make();
	snprintf(file, sizeof file, "%s/perfmon.prom", root);
	snprintf(victim, sizeof victim, "%s/victim", root);
	root_put("victim", "precious\n");
	pm_log_level = -1;
}

static void end(void)
{
	root_remove();
}

static const char *contents(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n < 0 ? NULL : text;
}

/* Wait until the process has done what it was asked. Returns the place of the next text. */
static char *idle(struct pm_publisher *p)
{
	char *text;

	while (!(text = pm_publisher_text(p)))
		usleep(1000);
	return text;
}

static void publish(struct pm_publisher *p, const char *text)
{
	strcpy(idle(p), text);
	pm_publisher_write(p, strlen(text));
	idle(p);
}

static size_t count_files(void)
{
	DIR *d = opendir(root);
	size_t n = 0;

	PM_SURE(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static struct pm_publisher *start(void)
{
	struct pm_err e = { "" };
	struct pm_publisher *p = pm_publisher_start(file, &e);

	ck_assert_msg(p != NULL, "%s", e.text);
	return p;
}

START_TEST(texts)
{
	struct pm_publisher *p = start();
	struct stat st;

	ck_assert(!contents(file));
	umask(077);
	publish(p, "one\n");
	ck_assert_str_eq(contents(file), "one\n");
	ck_assert_int_eq(stat(file, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0644);
	publish(p, "a longer one\n");
	ck_assert_str_eq(contents(file), "a longer one\n");
	publish(p, "2\n");
	ck_assert_str_eq(contents(file), "2\n");
	ck_assert_uint_eq(count_files(), 2);
	pm_publisher_end(p);
	ck_assert_uint_eq(count_files(), 1);
}
END_TEST

/* A reader never sees part of a text. */
START_TEST(whole)
{
	const size_t n = 300000;
	struct pm_publisher *p = start();
	pid_t writer;
	int status;

	publish(p, "0");
	writer = fork();
	if (writer == 0) {
		for (int i = 0; i < 300; i++) {
			char *text = idle(p);

			memset(text, 'a' + i % 26, n);
			pm_publisher_write(p, n);
		}
		_exit(0);
	}
	while (waitpid(writer, &status, WNOHANG) == 0) {
		static char text[400000];
		int fd = open(file, O_RDONLY);
		ssize_t got;

		PM_SURE(fd >= 0);
		got = read(fd, text, sizeof text);
		close(fd);
		ck_assert(got == 1 || got == (ssize_t)n);
		for (ssize_t i = 1; i < got; i++)
			if (text[i] != text[0])
				ck_abort_msg("torn");
	}
	pm_publisher_end(p);
	ck_assert(!contents(file));
}
END_TEST

/* Links in place of the file, or of the one beside it, are neither followed nor written through. */
START_TEST(links)
{
	struct pm_publisher *p;
	char beside[256];
	struct stat st;

	PM_SURE(symlink(victim, file) == 0);
	/* All names that the process may choose: the next pids. */
	for (int i = 0; i < 2000; i++) {
		snprintf(beside, sizeof beside, "%s/.perfmon.prom.%d", root, getpid() + i);
		PM_SURE(symlink(victim, beside) == 0);
	}
	p = start();
	publish(p, "text\n");
	ck_assert_str_eq(contents(file), "text\n");
	ck_assert_int_eq(lstat(file, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_str_eq(contents(victim), "precious\n");
	pm_publisher_end(p);
	ck_assert_str_eq(contents(victim), "precious\n");
	/* A hard link, too. */
	PM_SURE(link(victim, file) == 0);
	p = start();
	publish(p, "text\n");
	ck_assert_str_eq(contents(victim), "precious\n");
	pm_publisher_end(p);
	ck_assert_str_eq(contents(victim), "precious\n");
}
END_TEST

/* Another user's file in a directory that all may write to. */
START_TEST(others_files)
{
	struct pm_publisher *p;
	struct pm_err e;
	pid_t child;
	int status;

	if (geteuid() != 0)
		return;
	PM_SURE(chmod(root, 01777) == 0);
	root_put("perfmon.prom", "theirs\n");
	/* A user gets no file of root's ... */
	child = fork();
	if (child == 0) {
		PM_SURE(setgid(65534) == 0 && setuid(65534) == 0);
		p = start();
		publish(p, "text\n");
		pm_publisher_end(p);
		_exit(0);
	}
	PM_SURE(waitpid(child, &status, 0) == child && status == 0);
	ck_assert_str_eq(contents(file), "theirs\n");
	ck_assert_uint_eq(count_files(), 2);
	/* ... and root does not write into a user's. */
	PM_SURE(chown(file, 65534, 65534) == 0 && link(file, victim) < 0);
	PM_SURE(rename(victim, file) == 0 && chown(file, 65534, 65534) == 0 &&
		link(file, victim) == 0);
	p = pm_publisher_start(file, &e);
	PM_SURE(p);
	publish(p, "text\n");
	ck_assert_str_eq(contents(victim), "precious\n");
	ck_assert_str_eq(contents(file), "text\n");
	pm_publisher_end(p);
}
END_TEST

/* What is no file is refused, then and later. */
START_TEST(not_a_file)
{
	struct pm_publisher *p;
	struct stat st;
	struct pm_err e;

	PM_SURE(mkfifo(file, 0600) == 0);
	ck_assert(!pm_publisher_start(file, &e));
	ck_assert_msg(strstr(e.text, "name a file"), "%s", e.text);
	PM_SURE(unlink(file) == 0);
	p = start();
	publish(p, "text\n");
	PM_SURE(unlink(file) == 0 && mkfifo(file, 0600) == 0);
	publish(p, "text\n");
	ck_assert(lstat(file, &st) == 0 && S_ISFIFO(st.st_mode));
	ck_assert_uint_eq(count_files(), 2);
	pm_publisher_end(p);
	ck_assert(lstat(file, &st) == 0);
	ck_assert(!pm_publisher_start("/dev/null", &e));
	ck_assert(!pm_publisher_start(root, &e));
	ck_assert(!pm_publisher_start("", &e));
	ck_assert(!pm_publisher_start("/nowhere/at/all.prom", &e));
	ck_assert_msg(strstr(e.text, "/nowhere/at"), "%s", e.text);
}
END_TEST

/* However the sampler ends, the file goes; a file of somebody else's in its place stays. */
START_TEST(killed)
{
	struct pm_publisher *p;
	pid_t child;
	int status, pair[2];
	char byte;

	for (int i = 0; i < 20; i++) {
		PM_SURE(pipe(pair) == 0);
		child = fork();
		if (child == 0) {
			/* Not the test's, and no words to its file in an unfinished state. */
			signal(SIGTERM, SIG_DFL);
			p = pm_publisher_start(file, NULL);
			PM_SURE(p);
			publish(p, "text\n");
			PM_SURE(write(pair[1], "", 1) == 1);
			for (;;)
				publish(p, "more\n");
		}
		close(pair[1]);
		PM_SURE(read(pair[0], &byte, 1) == 1);
		usleep((useconds_t)i * 300);
		ck_assert(contents(file));
		kill(child, i % 2 ? SIGKILL : SIGTERM);
		PM_SURE(waitpid(child, &status, 0) == child);
		/* The process that wrote has the other end of the pipe closed: wait for the file.
		 */
		while (contents(file))
			usleep(1000);
		close(pair[0]);
		ck_assert_uint_eq(count_files(), 1);
	}
	p = start();
	publish(p, "text\n");
	PM_SURE(unlink(file) == 0);
	root_put("perfmon.prom", "theirs\n");
	pm_publisher_end(p);
	ck_assert_str_eq(contents(file), "theirs\n");
}
END_TEST

/* Lock a file, as the process does that writes it. Returns the descriptor. */
static int lock(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof path, "%s/%s", root, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	PM_SURE(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	return fd;
}

static bool is_there(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return contents(path) != NULL;
}

/* What a killed publisher left is removed, whatever process has its number now; what one that lives
 * is writing is not, even where its number is nobody's here: it is on another host, say. */
START_TEST(left_beside)
{
	struct pm_publisher *p;
	pid_t gone = fork();
	char name[64];
	int fd;

	if (gone == 0)
		_exit(0);
	PM_SURE(waitpid(gone, NULL, 0) == gone);
	snprintf(name, sizeof name, ".perfmon.prom.%ld", (long)gone);
	root_put(name, "of a living one");
	fd = lock(name);
	root_put(".perfmon.prom.1", "half");
	root_put(".perfmon.prom.1x", "of nobody");
	root_put(".perfmon.prom.", "of nobody");
	p = start();
	ck_assert(is_there(name) && !is_there(".perfmon.prom.1"));
	ck_assert(is_there(".perfmon.prom.1x") && is_there(".perfmon.prom."));
	ck_assert_uint_eq(count_files(), 4);
	pm_publisher_end(p);
	close(fd);
	p = start();
	ck_assert(!is_there(name));
	pm_publisher_end(p);
}
END_TEST

/* The file that a publisher has in place is its own: another one's sweep leaves it alone. */
START_TEST(in_use)
{
	struct pm_publisher *p = start();
	struct pm_err e;

	publish(p, "# MARK and more\n");
	ck_assert_int_eq(pm_publisher_sweep(root, "perf", ".prom", "# MARK", &e), 0);
	ck_assert(is_there("perfmon.prom"));
	pm_publisher_end(p);
	root_put("perfmon.prom", "# MARK and more\n");
	ck_assert_int_eq(pm_publisher_sweep(root, "perf", ".prom", "# MARK", &e), 0);
	ck_assert(!is_there("perfmon.prom"));
	/* One that is being written under the number of our own process. */
	snprintf(file, sizeof file, ".perfmon.prom.%ld", (long)getpid());
	root_put(file, "of a living one");
	lock(file);
	snprintf(file, sizeof file, "%s/perfmon.prom", root);
	ck_assert(!pm_publisher_start(file, &e));
	ck_assert_msg(strstr(e.text, "File exists"), "%s", e.text);
}
END_TEST

/* Where there is no room, there is no file: an old one would be taken for the truth. */
START_TEST(no_room)
{
	const struct rlimit small = { 100, RLIM_INFINITY };
	struct rlimit before;
	struct pm_publisher *p;
	struct pm_err e;

	PM_SURE(getrlimit(RLIMIT_FSIZE, &before) == 0 && setrlimit(RLIMIT_FSIZE, &small) == 0);
	p = pm_publisher_start(file, &e);
	PM_SURE(setrlimit(RLIMIT_FSIZE, &before) == 0 && p);
	publish(p, "text\n");
	ck_assert_str_eq(contents(file), "text\n");
	memset(idle(p), 'x', 1000);
	pm_publisher_write(p, 1000);
	idle(p);
	ck_assert(!contents(file));
	ck_assert_uint_eq(count_files(), 1);
	publish(p, "text\n");
	ck_assert_str_eq(contents(file), "text\n");
	pm_publisher_end(p);
}
END_TEST

/* The child of this process. */
static pid_t only_child(void)
{
	DIR *d = opendir("/proc");
	pid_t child = 0;

	PM_SURE(d);
	for (const struct dirent *entry; (entry = readdir(d)) != NULL;) {
		char path[sizeof entry->d_name + 16], *end;
		const char *stat;

		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		if (*entry->d_name < '0' || *entry->d_name > '9' || !(stat = contents(path)) ||
		    !(stat = strrchr(stat, ')')) || strtol(stat + 4, &end, 10) != getpid())
			continue;
		ck_assert_int_eq(child, 0);
		child = (pid_t)atol(entry->d_name);
	}
	closedir(d);
	ck_assert_int_gt(child, 0);
	return child;
}

/* When the process is gone, nothing waits for it. */
START_TEST(process_gone)
{
	struct pm_publisher *p = start();
	const pid_t child = only_child();

	publish(p, "text\n");
	PM_SURE(kill(child, SIGKILL) == 0);
	while (pm_publisher_text(p))
		usleep(1000);
	pm_publisher_write(p, 5);
	ck_assert(!pm_publisher_text(p));
	pm_publisher_end(p);
}
END_TEST

/* Only what publishers left of the files of jobs, whole or not, and nothing of anybody else's. */
START_TEST(sweep)
{
	static const struct {
		const char *name, *text;
		bool gone;
	} t[] = {
		{ "perfmon.job-1.prom", "# MARK of a job", true },
		{ ".perfmon.job-1.prom.17", "# MARK half", true },
		{ ".perfmon.job-2.prom.17", "# MA", true },
		{ ".perfmon.job-3.prom.17", "", true },
		{ "perfmon.job-2.prom", "other text", false },
		{ "perfmon.job-3.prom", "# MA", false },
		{ "perfmon.job-4.prom", "", false },
		{ "perfmon.job-2.prom.old", "# MARK", false },
		{ "perfmon.prom", "# MARK", false },
		{ "my.job-1.prom", "# MARK", false },
		{ ".perfmon.job-4.prom.17", "# mine", false },
		{ ".perfmon.job-5.prom.x", "# MARK", false },
		{ ".perfmon.job-notes", "# MARK", false },
		{ ".perfmon.job-notes.17", "# MARK", false },
	};
	struct pm_err e;
	char other[128];

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
		root_put(t[i].name, t[i].text);
	snprintf(other, sizeof other, "%s/perfmon.job-5.prom", root);
	PM_SURE(symlink(victim, other) == 0);
	ck_assert_int_eq(pm_publisher_sweep(root, "perfmon.job-", ".prom", "# MARK", &e), 0);
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
		ck_assert_msg(is_there(t[i].name) != t[i].gone, "%s", t[i].name);
	ck_assert(is_there("perfmon.job-5.prom"));
	ck_assert_int_eq(pm_publisher_sweep("/nowhere", "perfmon.job-", ".prom", "", &e), -1);
	if (geteuid() != 0)
		return;
	snprintf(other, sizeof other, "%s/perfmon.job-6.prom", root);
	root_put("perfmon.job-6.prom", "# MARK, another user's");
	PM_SURE(chown(other, 65534, 65534) == 0);
	ck_assert_int_eq(pm_publisher_sweep(root, "perfmon.job-", ".prom", "# MARK", &e), 0);
	ck_assert(is_there("perfmon.job-6.prom"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_publisher");
	TCase *t = tcase_create("publisher");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, texts);
	tcase_add_test(t, whole);
	tcase_add_test(t, links);
	tcase_add_test(t, others_files);
	tcase_add_test(t, not_a_file);
	tcase_add_test(t, killed);
	tcase_add_test(t, left_beside);
	tcase_add_test(t, in_use);
	tcase_add_test(t, no_room);
	tcase_add_test(t, process_gone);
	tcase_add_test(t, sweep);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
