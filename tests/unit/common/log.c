/* log.c: levels, and nothing that steers a terminal. */
#include "config.h"

#include "common/log.h"

#include "common/descriptors.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char out[16384];

/* What the statement writes to standard error, into `out`. */
#define CAPTURE(statement)                                                                         \
	do {                                                                                       \
		int fds[2], saved = dup(STDERR_FILENO);                                            \
		ssize_t got;                                                                       \
                                                                                                   \
		ck_assert_int_eq(pipe(fds), 0);                                                    \
		dup2(fds[1], STDERR_FILENO);                                                       \
		close(fds[1]);                                                                     \
		statement;                                                                         \
		dup2(saved, STDERR_FILENO);                                                        \
		close(saved);                                                                      \
		got = read(fds[0], out, sizeof out - 1);                                           \
		out[got > 0 ? got : 0] = '\0';                                                     \
		close(fds[0]);                                                                     \
	} while (0)

START_TEST(levels)
{
	static const struct {
		int level;
		const char *want;
	} t[] = {
		{ -1, "perfmon: e\n" },
		{ 0, "perfmon: e\nperfmon: warning: w\n" },
		{ 1, "perfmon: e\nperfmon: warning: w\nperfmon: i\n" },
		{ 2, "perfmon: e\nperfmon: warning: w\nperfmon: i\nperfmon: debug: d\n" },
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		pm_log_level = t[i].level;
		CAPTURE({
			pm_error("%s", "e");
			pm_warn("%s", "w");
			pm_info("%s", "i");
			pm_debug("%s", "d");
		});
		ck_assert_str_eq(out, t[i].want);
	}
}
END_TEST

START_TEST(control_characters_are_shown)
{
	pm_log_level = 0;
	CAPTURE(pm_error("%s", "a\033[31mb\nc\x7f\t\xc3\xa9 \xc2\x9b \xe2\x80\xae \x9b"));
	ck_assert_str_eq(
		out, "perfmon: a\\x1b[31mb\\nc\\x7f\\t\xc3\xa9 \\xc2\\x9b \\xe2\\x80\\xae \\x9b\n");
}
END_TEST

START_TEST(errno_is_kept_and_shown)
{
	errno = EACCES;
	CAPTURE(pm_error("open: %m"));
	ck_assert_int_eq(errno, EACCES);
	ck_assert_str_eq(out, "perfmon: open: Permission denied\n");
}
END_TEST

/* Text that grows by escaping must not grow out of its buffer. */
START_TEST(longest_text)
{
	char text[9000];
	size_t n;

	memset(text, '\033', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	CAPTURE(pm_error("%s", text));
	n = strlen(out);
	ck_assert_uint_gt(n, 8000);
	ck_assert_uint_lt(n, 8193);
	ck_assert_int_eq(out[n - 1], '\n');
}
END_TEST

/* A thread's messages may be counted instead. */
START_TEST(held)
{
	int warnings = pm_log_warnings;

	pm_log_hold();
	CAPTURE(pm_error("no"); pm_warn("no"); pm_info("not asked for"));
	ck_assert_str_eq(out, "");
	ck_assert_uint_eq(pm_log_held(), 2);
	ck_assert_int_eq(pm_log_warnings, warnings);
	CAPTURE(pm_warn("yes"));
	ck_assert_str_eq(out, "perfmon: warning: yes\n");
	ck_assert_int_eq(pm_log_warnings, warnings + 1);
	/* A warning counts that -q does not show. */
	pm_log_level = -1;
	pm_log_hold();
	CAPTURE(pm_warn("no"));
	ck_assert_uint_eq(pm_log_held(), 1);
	pm_log_level = 2;
	pm_log_hold();
	CAPTURE(pm_debug("no"));
	ck_assert_str_eq(out, "");
	ck_assert_uint_eq(pm_log_held(), 1);
	pm_log_level = 0;
	pm_log_hold();
	ck_assert_uint_eq(pm_log_held(), 0);
}
END_TEST

/* The file of messages is beyond the numbers that a new process uses itself, and goes along. */
START_TEST(file_in_a_new_process)
{
	char text[4096];
	int status;
	ssize_t n;
	pid_t child;
	struct pm_err e;

	ck_assert_int_eq(pm_log_move(4), 4);
	ck_assert_int_eq(pm_log_also("log", &e), 0);
	pm_log_level = 0;
	child = fork();
	if (child == 0) {
		const int own = open("own", O_RDWR | O_CREAT, 0600);

		for (int fd = 3; fd < 10; fd++)
			PM_SURE(dup2(own, fd) == fd);
		PM_SURE(pm_log_move(4) == 5);
		pm_descriptors_close(5);
		PM_SURE(dup2(3, STDERR_FILENO) == STDERR_FILENO);
		pm_warn("w");
		PM_SURE(fcntl(4, F_GETFD) == FD_CLOEXEC);
		/* Of the two, only the line for standard error. */
		PM_SURE(lseek(3, 0, SEEK_END) == (off_t)strlen("perfmon: warning: w\n"));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	n = read(open("log", O_RDONLY), text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	ck_assert_msg(strstr(text, " | WARNING | ") && strstr(text, " | w\n"), "%s", text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("log");
	TCase *t = tcase_create("log");

	tcase_add_test(t, levels);
	tcase_add_test(t, control_characters_are_shown);
	tcase_add_test(t, errno_is_kept_and_shown);
	tcase_add_test(t, longest_text);
	tcase_add_test(t, held);
	suite_add_tcase(s, t);
	t = tcase_create("file");
	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, file_in_a_new_process);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
