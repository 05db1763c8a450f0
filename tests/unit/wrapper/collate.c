/* wrapper/job/collate.c: which files become one, what that one holds, and how each state that a kill leaves goes
 * on. Kills themselves are in tests/e2e/wrapper/collate.t. */
#include "config.h"

#include "common/safe/columns.h"
#include "tests/unit/main.h"
#include "wrapper/job/collate.h"
#include "wrapper/node/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that cannot be there: above every limit of the kernel. */
#define GONE "8888888"

static int dir;
static char collated[64], second[64], third[64];

static void set_up(void)
{
	pm_unit_set_up();
	dir = open(".", O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	snprintf(collated, sizeof collated, "h-%lu.tsv", (unsigned long)geteuid());
	snprintf(second, sizeof second, "h-%lu.2.tsv", (unsigned long)geteuid());
	snprintf(third, sizeof third, "h-%lu.3.tsv", (unsigned long)geteuid());
}

static void put(const char *name, const char *head, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert(f && fprintf(f, "%s%s", head, text) >= 0 && fclose(f) == 0);
}

/* Collate, and say how many files it says there were. */
static int collate(void)
{
	struct pm_err e = { "" };
	int n = pm_collate(dir, "h", &e);

	ck_assert_msg(n >= 0, "%s", e.text);
	return n;
}

/* The file is there and holds the header and these texts, else NULL: it is not there. */
static void check(const char *name, const char *head, const char *text)
{
	char want[16384], got[16384] = "";
	FILE *f = fopen(name, "r");

	if (!head) {
		ck_assert_msg(!f, "%s is there", name);
		return;
	}
	ck_assert_msg(f != NULL, "%s is not there", name);
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	fclose(f);
	snprintf(want, sizeof want, "%s%s", head, text);
	ck_assert_str_eq(got, want);
}

/* How many names the directory has. */
static int names(void)
{
	DIR *d = opendir(".");
	int n = -2;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

START_TEST(heads_and_ends)
{
	/* A header of another version stays with the records behind it, and one without gets ours. */
	static const char old[] = "perfmon-tsv-1\trecord\tpid\n";
	char want[16384];

	put("h-" GONE "-1.tsv", pm_column_header, "a\tb\nc\n");
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "a\tb\nc\n");
	ck_assert_int_eq(names(), 1);
	put("h-" GONE "-2.tsv", pm_column_header, "a\tb\nc");
	ck_assert_int_eq(collate(), 1);
	check(second, pm_column_header, "a\tb\nc\n");
	put("h-" GONE "-3.tsv", old, "x\n");
	ck_assert_int_eq(collate(), 1);
	snprintf(want, sizeof want, "%sx\n", old);
	check(third, pm_column_header, want);
	unlink(collated);
	put("h-" GONE "-4.tsv", "", "y\nz");
	ck_assert_int_eq(collate(), 1);
	snprintf(want, sizeof want, "%sy\nz\n", pm_column_header);
	check(collated, pm_column_header, want);
	unlink(collated);
	put("h-" GONE "-5.tsv", "", "");
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "");
	check(second, pm_column_header, "a\tb\nc\n");
	ck_assert_int_eq(names(), 3);
	/* Nothing to do is nothing done. */
	ck_assert_int_eq(collate(), 0);
	ck_assert_int_eq(names(), 3);
}
END_TEST

/* Longer than what is copied at once, by a line that ends behind it. */
START_TEST(long_files)
{
	char line[1024], *want = NULL, *got = NULL;
	size_t n, m;
	FILE *f = fopen("h-" GONE "-1.tsv", "w"), *all = open_memstream(&want, &n);

	memset(line, 'x', sizeof line);
	line[1000] = '\n';
	line[1001] = '\0';
	fputs(pm_column_header, f);
	fputs(pm_column_header, all);
	for (int i = 0; i < 200; i++) {
		line[i] = 'y';
		fputs(line, f);
		fputs(line, all);
	}
	fclose(f);
	fclose(all);
	ck_assert_int_eq(collate(), 1);
	got = malloc(n + 2);
	f = fopen(collated, "r");
	ck_assert(f != NULL);
	m = fread(got, 1, n + 1, f);
	fclose(f);
	ck_assert(m == n && memcmp(got, want, n) == 0);
	free(got);
	free(want);
}
END_TEST

START_TEST(files_of_processes)
{
	static const char *const other[] = {
		"h-1.tsv",	     "h-1-x.tsv",	"h-x-1.tsv",	  "h-1-2.tsvx", "h-1-2-3.tsv",
		"hh-" GONE "-1.tsv", "g-" GONE "-1.tsv", "h-" GONE "_1.tsv", "h--1.tsv",  "h-1-.tsv",
		"h",		     "h_1-2.tsv",
	};

	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		put(other[i], "", "kept\n");
	ck_assert(mkdir("h-" GONE "-7.tsv", 0700) == 0);
	ck_assert(symlink("h", "h-" GONE "-8.tsv") == 0);
	/* The collated one of host h-2, of user 1000. */
	put("h-2-1000.tsv", "", "other's\n");
	put("job-h-2.json", "", "{}");
	ck_assert_int_eq(collate(), 0);
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		check(other[i], "", "kept\n");
	check("h-2-1000.tsv", "", "other's\n");
	ck_assert_int_eq(names(), (int)(sizeof other / sizeof other[0]) + 4);
}
END_TEST

/* A process that lives may write on; ours has written all. */
START_TEST(living_processes)
{
	char living[64], reused[64], own[64];
	pid_t pid = fork();
	long long start;

	if (pid == 0) {
		pause();
		_exit(0);
	}
	start = pm_host_starttime(pid);
	ck_assert(start > 0);
	snprintf(living, sizeof living, "h-%ld-%lld.tsv", (long)pid, start);
	snprintf(reused, sizeof reused, "h-%ld-%lld.tsv", (long)pid, start - 1);
	snprintf(own, sizeof own, "h-%ld-%lld.tsv", (long)getpid(),
		 (long long)pm_host_starttime(getpid()));
	put(living, pm_column_header, "1\n");
	put(reused, pm_column_header, "2\n");
	ck_assert_int_eq(collate(), 1);
	check(living, pm_column_header, "1\n");
	check(reused, NULL, NULL);
	check(collated, pm_column_header, "2\n");
	put(own, pm_column_header, "3\n");
	ck_assert_int_eq(collate(), 1);
	check(second, pm_column_header, "3\n");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(collate(), 1);
	check(third, pm_column_header, "1\n");
}
END_TEST

/* --- what a kill leaves ------------------------------------------------------------------------- */

/* Length of the file that `records` are written to, with the header. */
static long length(const char *records)
{
	return (long)(pm_column_header_len + strlen(records));
}

static void put_journal(const char *name, long n)
{
	char text[128];

	snprintf(text, sizeof text, "{\"%s\":%ld}\n", name, n);
	put(".collate.journal", "", text);
}

/* Copied, but no journal: begun anew. */
START_TEST(killed_while_copying)
{
	put("h-" GONE "-1.tsv", pm_column_header, "a\n");
	put(".collate.new", pm_column_header, "half of");
	put(".collate.journal.new", "", "{\"h-");
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "a\n");
	ck_assert_int_eq(names(), 1);
	/* A journal that is none says nothing. */
	put("h-" GONE "-2.tsv", pm_column_header, "b\n");
	put(".collate.new", pm_column_header, "half of");
	put(".collate.journal", "", "{\"h-");
	ck_assert_int_eq(collate(), 1);
	check(second, pm_column_header, "b\n");
	check(".collate.new", NULL, NULL);
	ck_assert_int_eq(names(), 2);
}
END_TEST

/* Behind the journal: published, and the copies removed; and what came since is collated, too. */
START_TEST(killed_before_publishing)
{
	put("h-" GONE "-1.tsv", pm_column_header, "a\n");
	put("h-" GONE "-2.tsv", pm_column_header, "b\n");
	put(".collate.new", pm_column_header, "a\n");
	put_journal("h-" GONE "-1.tsv", length("a\n"));
	ck_assert_int_eq(collate(), 2);
	check(collated, pm_column_header, "a\n");
	check(second, pm_column_header, "b\n");
	ck_assert_int_eq(names(), 2);
}
END_TEST

START_TEST(killed_while_publishing)
{
	put("h-" GONE "-1.tsv", pm_column_header, "a\n");
	put(".collate.new", pm_column_header, "a\n");
	ck_assert(link(".collate.new", collated) == 0);
	put_journal("h-" GONE "-1.tsv", length("a\n"));
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "a\n");
	ck_assert_int_eq(names(), 1);
}
END_TEST

START_TEST(killed_while_removing)
{
	/* Of those in the journal some are gone, and one has grown. */
	put("h-" GONE "-1.tsv", pm_column_header, "a\nlater\n");
	put(collated, pm_column_header, "a\n");
	put_journal("h-" GONE "-1.tsv\":5,\"h-" GONE "-3.tsv\":5,\"h-" GONE "-1.tsv", 7);
	/* A name twice is no journal. */
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "a\n");
	check(second, pm_column_header, "a\nlater\n");
	unlink(second);
	put("h-" GONE "-1.tsv", pm_column_header, "a\nlater\n");
	put_journal("h-" GONE "-3.tsv\":5,\"h-" GONE "-1.tsv", length("a\n"));
	ck_assert_int_eq(collate(), 2);
	check(collated, pm_column_header, "a\n\nlater\n");
	ck_assert_int_eq(names(), 1);
}
END_TEST

/* The journal lies where its user may write; what it names is removed only if it is a record file. */
START_TEST(journals_of_anything)
{
	ck_assert(mkdir("in", 0700) == 0);
	put("in/h-1-1.tsv", "", "kept");
	put("job-h.json", "", "kept");
	put("g-" GONE "-1.tsv", "", "kept");
	put_journal("job-h.json\":0,\"in/h-1-1.tsv\":0,\"g-" GONE "-1.tsv\":0,\"h-1-1/../job-h.json", 0);
	ck_assert_int_eq(collate(), 0);
	check("in/h-1-1.tsv", "", "kept");
	check("job-h.json", "", "kept");
	check("g-" GONE "-1.tsv", "", "kept");
	check(".collate.journal", NULL, NULL);
	/* Nor is one read that a link leads to. */
	put("h-" GONE "-1.tsv", pm_column_header, "a\n");
	put("elsewhere", "", "{\"h-" GONE "-1.tsv\":1000}");
	ck_assert(symlink("elsewhere", ".collate.journal") == 0);
	ck_assert_int_eq(collate(), 1);
	check(collated, pm_column_header, "a\n");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("collate");
	TCase *t = tcase_create("collate");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, heads_and_ends);
	tcase_add_test(t, long_files);
	tcase_add_test(t, files_of_processes);
	tcase_add_test(t, living_processes);
	tcase_add_test(t, killed_while_copying);
	tcase_add_test(t, killed_before_publishing);
	tcase_add_test(t, killed_while_publishing);
	tcase_add_test(t, killed_while_removing);
	tcase_add_test(t, journals_of_anything);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
