/* common/record/processname.c: what processes are called. */
#include "config.h"

#include "common/record/processname.h"
#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

START_TEST(labels)
{
	static const struct {
		const char *exename, *args, *label;
	} want[] = {
		{ "cc1", "-quiet x.c", "cc1" },
		{ "python3.11", "/home/a/train.py --lr 0.1", "python3.11 train.py" },
		{ "python3", "-u -W ignore train.py", "python3 train.py" },
		{ "python3", "-m pip install x", "python3 -m pip" },
		{ "python3", "-c import\\x20os", "python3 -c 'import ...'" },
		{ "python3", "", "python3" },
		{ "python3", NULL, "python3" },
		{ "pythonista", "x.py", "pythonista" },
		{ "bash", "job.sh a b", "bash job.sh" },
		{ "bash", "-x -e /opt/run/job.sh", "bash job.sh" },
		{ "bash", "-o pipefail job.sh", "bash job.sh" },
		{ "sh", "-c make", "sh -c 'make'" },
		{ "sh", "-c gcc\\x20-c\\x20x.c", "sh -c 'gcc ...'" },
		{ "sh", "-ec gcc\\x20-c\\x20x.c", "sh -ec 'gcc ...'" },
		{ "dash", "-c \\x20\\x20ls", "dash -c 'ls'" },
		{ "perl", "x.pl", "perl x.pl" },
		{ "perl5.36.0", "-I lib -w x.pl", "perl5.36.0 x.pl" },
		{ "perl", "-e print", "perl -e 'print'" },
		{ "java", "-Xmx4g -jar /opt/a.jar run", "java -jar a.jar" },
		{ "java", "-cp lib/x.jar Main 1", "java Main" },
		{ "Rscript", "--vanilla fit.R", "Rscript fit.R" },
		{ "R", "--no-echo --no-restore --file=fit.R", "R fit.R" },
		{ "gawk", "-F : {print\\x20$1}", "gawk '{print ...'" },
		{ "gawk", "-f x.awk in", "gawk -f x.awk" },
		{ "julia", "-t 4 sim.jl", "julia sim.jl" },
		{ "bash", "\\x1b[31m.sh", "bash \\x1b[31m.sh" },
		{ "ba\\x09d", "x", "ba\\td" },
		{ NULL, "x", "(unknown program)" },
		{ "", NULL, "(unknown program)" },
		{ "sh", "\\+99999:0123456789abcdef", "sh" },
	};
	char label[PM_PROCESSNAME_MAX];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		ck_assert_str_eq(pm_processname(label, want[i].exename, want[i].args, NULL, false),
				 want[i].label);
}
END_TEST

/* A label is the same in every locale; as it is shown, it has the characters of the terminal. */
START_TEST(labels_are_shown_in_ascii)
{
	static const struct {
		const char *exename, *args, *label, *shown;
	} want[] = {
		{ "sh", "-c a\\x20b", "sh -c 'a \xe2\x80\xa6'", "sh -c 'a ...'" },
		{ "caf\xc3\xa9", NULL, "caf\xc3\xa9", "caf\\xc3\\xa9" },
		{ "a\\\\b\\xff", NULL, "a\\b\\xff", "a\\b\\xff" },
	};
	char label[PM_PROCESSNAME_MAX], shown[PM_PROCESSNAME_MAX], name[200];

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		pm_processname_label(label, want[i].exename, want[i].args, NULL);
		ck_assert_str_eq(label, want[i].label);
		ck_assert_str_eq(pm_processname_shown(shown, label, true), label);
		ck_assert_str_eq(pm_processname_shown(shown, label, false), want[i].shown);
		ck_assert_str_eq(pm_processname(shown, want[i].exename, want[i].args, NULL, false),
				 want[i].shown);
	}
	/* Each character takes more room in ASCII: the label is cut. */
	for (size_t i = 0; i < sizeof name - 2; i += 2)
		memcpy(name + i, "\xc3\xa9", 3);
	pm_processname(shown, name, NULL, NULL, false);
	ck_assert_uint_lt(strlen(shown), sizeof shown);
	ck_assert_uint_gt(strlen(shown), sizeof shown - 16);
	ck_assert_str_eq(shown + strlen(shown) - 3, "...");
	ck_assert_int_eq(shown[strlen(shown) - 7], '\\');
}
END_TEST

START_TEST(multi_call_programs)
{
	char label[PM_PROCESSNAME_MAX];

	ck_assert_str_eq(pm_processname(label, "busybox", NULL, "ls", true), "busybox ls");
	ck_assert_str_eq(pm_processname(label, "busybox", NULL, "busybox", true), "busybox");
	ck_assert_str_eq(pm_processname(label, "cc1", NULL, "worker", true), "cc1");
	ck_assert_str_eq(pm_processname(label, NULL, NULL, "ls", true), "ls");
	ck_assert_str_eq(pm_processname(label, "  ", NULL, NULL, true), "'  '");
}
END_TEST

START_TEST(command_lines)
{
	char line[PM_COMMAND_MAX];

	ck_assert_str_eq(pm_processname_command(line, sizeof line, "cc", "-o a\\x20b \\e $x", true),
			 "cc -o 'a b' '' '$x'");
	ck_assert_str_eq(pm_processname_command(line, sizeof line, "echo", "it's a", true),
			 "echo 'it'\\''s' a");
	ck_assert_str_eq(pm_processname_command(line, sizeof line, "cc", NULL, true), "cc");
	ck_assert_str_eq(pm_processname_command(line, sizeof line, NULL, "a", true),
			 "(unknown program) a");
	ck_assert_str_eq(pm_processname_command(line, sizeof line, "cc", "a \\+40000:00", false),
			 "cc a ...");
	ck_assert_str_eq(pm_processname_command(line, sizeof line, "echo", "\\x1b[2J \\xff", true),
			 "echo '\\x1b[2J' '\\xff'");
	/* Letters of all languages need no quotes. */
	ck_assert_str_eq(
		pm_processname_command(line, sizeof line, "echo", "caf\xc3\xa9 a*\xc3\xa9", true),
		"echo caf\xc3\xa9 'a*\xc3\xa9'");
}
END_TEST

START_TEST(long_command_lines_are_cut)
{
	size_t n = 200000;
	char *args = malloc(n + 1), line[PM_COMMAND_MAX];

	for (size_t i = 0; i < n; i++)
		args[i] = i % 2 ? ' ' : 'a';
	args[n - 1] = '\0';
	pm_processname_command(line, sizeof line, "x", args, true);
	ck_assert_uint_lt(strlen(line), sizeof line);
	ck_assert_uint_gt(strlen(line), sizeof line / 2);
	ck_assert_str_eq(line + strlen(line) - 3, "\xe2\x80\xa6");
	memset(args, 'a', n);
	args[n] = '\0';
	pm_processname_command(line, sizeof line, "x", args, false);
	ck_assert_uint_lt(strlen(line), sizeof line);
	ck_assert_str_eq(line + strlen(line) - 3, "...");
	free(args);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_label");
	TCase *t = tcase_create("label");

	tcase_add_test(t, labels);
	tcase_add_test(t, labels_are_shown_in_ascii);
	tcase_add_test(t, multi_call_programs);
	tcase_add_test(t, command_lines);
	tcase_add_test(t, long_command_lines_are_cut);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
