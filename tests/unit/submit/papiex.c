/* Rows and lines of papiex. */
#include "config.h"

#include "submit/foreign/papiex_csv.h"
#include "tests/unit/submit/papiex.h"
#include "tests/unit/submit/submit.h"

/* Read lines of CSV, ended by NULL. Returns the last line's result. */
static int read_csv(struct told *t, const char *const *line, const char **why, const char **column)
{
	struct pm_papiex *x = calloc(1, sizeof *x);
	struct pm_err e;
	int rc = 0;

	ck_assert_ptr_nonnull(x);
	memset(t, 0, sizeof *t);
	pm_papiex_init(x, tell, t);
	x->named.odd = tell_odd;
	x->named.ctx = t;
	for (; *line; line++)
		rc = pm_papiex_csv_line(x, *line, strlen(*line), why, column, &e);
	ck_assert_int_eq(pm_papiex_finish(x, &e), 0);
	pm_papiex_free(x);
	free(x);
	return rc;
}

#define NUMTIDS "4194304"
#define INT     "2147483647"
#define INT_1   "2147483648"

/* One process of one thread. `want` is part of its records, or the column that they lack. */
START_TEST(values)
{
	static const struct {
		const char *names, *values, *want, *odd;
		bool lacks;
	} c[] = {
		{ "exitcode", "7", "exitcode=7", "", false },
		{ "exitcode", "0", "exitcode=0", "", false },
		{ "exitcode", "256", "exitcode=0", "", false },
		{ "exitcode", "-1", "exitcode=255", "", false },
		{ "exitcode", INT, "exitcode=255", "", false },
		{ "exitcode", INT_1, "exitcode=", "exitcode range", true },
		{ "exitcode", "-2147483649", "exitcode=", "exitcode negative", true },
		{ "exitcode,exitsignal", "7,1", "exitcode=", "", true },
		{ "exitsignal", "0", "end_reason=exit", "", false },
		{ "exitsignal", "127", "end_reason=signal", "", false },
		{ "exitsignal", "127", "exitsignal=", "", true },
		{ "exitsignal", "128", "end_reason=exit", "exitsignal range", false },
		{ "exitsignal", "-1", "end_reason=exit", "exitsignal negative", false },
		{ "tid", "0", "tid=", "tid range", true },
		{ "tid", INT_1, "tid=", "tid range", true },
		{ "mpinumranks,mpirank", "4,3", "mpirank=3", "", false },
		{ "mpinumranks,mpirank", "4,3", "numranks=4", "", false },
		{ "mpinumranks,mpirank", "0,0", "numranks=", "", true },
		{ "mpinumranks,mpirank", "0,0", "mpirank=", "", true },
		{ "mpinumranks,mpirank", ",3", "mpirank=", "", true },
		{ "mpinumranks,mpirank", INT "," INT, "mpirank=" INT, "", false },
		{ "mpinumranks,mpirank", INT "," INT_1, "mpirank=", "mpirank range", true },
		{ "mpinumranks", INT_1, "numranks=", "mpinumranks range", true },
		{ "ppid", INT, "ppid=" INT, "", false },
		{ "ppid", INT_1, "ppid=", "ppid range", true },
		{ "pgid", INT, "pgid=" INT, "", false },
		{ "pgid", INT_1, "pgid=", "pgid range", true },
		{ "sid", INT, "sid=" INT, "", false },
		{ "sid", INT_1, "sid=", "sid range", true },
		{ "sid", "-1", "sid=", "sid negative", true },
		{ "delayacct_blkio_time", "19999", "guest_time=1", "", false },
		{ "delayacct_blkio_time", "9999", "guest_time=0", "", false },
		{ "delayacct_blkio_time", "1", "blkio", "", true },
		{ "guest_time", "10000", "guest_time", "", true },
		{ "num_threads", "2", "num_threads", "", true },
		{ "starttime", "2", "starttime", "", true },
		{ "processor", "2", "processor", "", true },
		{ "generation", "2", "generation", "", true },
		{ "end", "1000", "duration_us=0 ", "", false },
		{ "end", "1001", "duration_us=1 ", "", false },
		{ "end", "999", "duration_us", "", true },
		{ "finish", "1002", "end_us=1002 ", "", false },
		{ "end", "4102444800000001", "end_us", "end range", true },
		{ "usertime", "5.0", "usertime=5 ", "", false },
		{ "usertime", "5.000", "usertime=5 ", "", false },
		{ "usertime", "5.", "usertime", "usertime no number", true },
		{ "usertime", "5.01", "usertime", "usertime no number", true },
		{ "usertime", "5.10", "usertime", "usertime no number", true },
		{ "usertime", ".0", "usertime", "usertime no number", true },
		{ "usertime", "-", "usertime", "usertime no number", true },
		{ "usertime", "5e3", "usertime", "usertime no number", true },
		{ "usertime", " 5", "usertime", "usertime no number", true },
		{ "usertime", "-5", "usertime", "usertime negative", true },
		{ "usertime", "9223372036854775808", "usertime", "usertime range", true },
		{ "usertime", "-9223372036854775809", "usertime", "usertime negative", true },
		{ "usertime", "4000000000000000", "usertime=4000000000000000 ", "", false },
		{ "usertime", "4000000000000001", "usertime", "usertime range", true },
		{ "usertime", "", "usertime", "", true },
		{ "EV", "4000000000000000000", "counters=EV=4000000000000000000 ", "", false },
		{ "EV", "4000000000000000001", "counters=EV=?implausible ", "EV range", false },
		{ "EV", "-1", "counters=EV=?implausible ", "EV negative", false },
		{ "EV", "x", "counters=EV=?implausible ", "EV no number", false },
		{ "EV", "", "counters", "", true },
		{ "EV,A\\,B", "1,2", "counters=EV=1 A,B=2 ", "", false },
		{ "path", "/a/b", "exename=b ", "", false },
		{ "path,exename", "/a/b,c", "exename=b ", "", false },
		{ "exename", "x/c", "exename=c ", "", false },
		{ "exename", "x/c", "path", "", true },
		{ "args", "a b", "args=a b ", "", false },
		{ "args", "a\\,b \\\\ \\n\\t\\r\\x", "args=a,b \\\\ \\n\\t\\r\\\\x ", "", false },
		{ "hostname", "n1", "hostname=n1 ", "", false },
		{ "tags", "a:b;c", "tags=a:b;c ", "", false },
		{ "EV", "5\r", "counters=EV=5 ", "", false },
		{ "EV\r", "5", "counters=EV=5 ", "", false },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char names[128], row[256];
		const char *why, *column;
		struct told t;

		snprintf(names, sizeof names, "numtids,pid,start,%s", c[i].names);
		snprintf(row, sizeof row, "1,100,1000,%s", c[i].values);
		ck_assert_int_eq(
			read_csv(&t, (const char *const[]){ names, row, NULL }, &why, &column), 0);
		ck_assert_msg((strstr(t.text, c[i].want) == NULL) == c[i].lacks, "%s %s: %s",
			      c[i].names, c[i].values, t.text);
		ck_assert_msg(strcmp(t.odd, c[i].odd) == 0, "%s %s: %s", c[i].names, c[i].values,
			      t.odd);
	}
}
END_TEST

/* Of how many threads a process is believed to have. */
START_TEST(numbers_of_threads)
{
	static const struct {
		const char *value, *want, *odd;
	} c[] = {
		{ NUMTIDS, " numtids=" NUMTIDS " ", "" },
		{ "4194305", NULL, "numtids range" },
		{ "0", NULL, "numtids range" },
		{ "-1", NULL, "numtids negative" },
		{ "", NULL, "" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *why, *column;
		char row[64];
		struct told t;

		snprintf(row, sizeof row, "%s,100,1000,5", c[i].value);
		ck_assert_int_eq(
			read_csv(&t,
				 (const char *const[]){ "numtids,pid,start,usertime", row, NULL },
				 &why, &column),
			0);
		ck_assert_msg(c[i].want ? strstr(t.text, c[i].want) != NULL
					: strstr(t.text, " numtids=") == NULL,
			      "%s: %s", c[i].value, t.text);
		ck_assert_str_eq(t.odd, c[i].odd);
		/* Others of its threads never came: no sums. */
		ck_assert_msg((strstr(strstr(t.text, ";end "), "usertime=5") == NULL) ==
				      (c[i].want != NULL),
			      "%s", t.text);
	}
}
END_TEST

START_TEST(lines)
{
	static const struct {
		const char *row, *why, *column;
	} c[] = {
		{ "1,100,1000,5", NULL, NULL },
		{ "1," INT ",4102444800000000,5", NULL, NULL },
		{ "1,0,1000,5", "missing or out of range", "pid" },
		{ "1,-1,1000,5", "missing or out of range", "pid" },
		{ "1," INT_1 ",1000,5", "missing or out of range", "pid" },
		{ "1,x,1000,5", "not a number", "pid" },
		{ "1,100,0,5", "missing or out of range", "start" },
		{ "1,100,-1,5", "missing or out of range", "start" },
		{ "1,100,,5", "missing or out of range", "start" },
		{ "1,100,4102444800000001,5", "missing or out of range", "start" },
		{ "1,100,now,5", "not a number", "start" },
		{ "1,,1000,5", "a thread without a process: no line before it has a pid", NULL },
		{ "1,100,1000", "too few fields: the line is cut", NULL },
		{ "1,100,1000,5,6", "too many fields", NULL },
		{ "1,100,1000,5\\,6", NULL, NULL },
		{ "numtids,pid,start,pid", "a column is named twice", NULL },
		{ "numtids,pid,start", NULL, NULL },
		{ "# 1,100,1000", "too few fields: the line is cut", NULL },
	};
	const char *why, *column;
	struct told t;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		int rc = read_csv(&t,
				  (const char *const[]){ "# a comment", "numtids,pid,start,EV",
							 c[i].row, NULL },
				  &why, &column);

		ck_assert_msg(rc == (c[i].why != NULL), "%s: %d", c[i].row, rc);
		if (!rc)
			continue;
		ck_assert_str_eq(why, c[i].why);
		ck_assert_msg(column == NULL ? c[i].column == NULL
					     : c[i].column && strcmp(column, c[i].column) == 0,
			      "%s: %s", c[i].row, column);
	}
	ck_assert_int_eq(read_csv(&t, (const char *const[]){ "1,100,1000,5", NULL }, &why, &column),
			 1);
	ck_assert_str_eq(why, "no line with the column names before it");
	ck_assert_int_eq(
		read_csv(&t,
			 (const char *const[]){ "numtids,pid,start", "1,0,1000", "1,,1001", NULL },
			 &why, &column),
		1);
	ck_assert_str_eq(why, "a thread of a process whose own line was rejected");
}
END_TEST

START_TEST(columns)
{
	static const struct {
		const char *name[3], *why;
	} c[] = {
		{ { "pid", "start", "EV" }, NULL },
		{ { "pid", "EV", "EV" }, "columns pid and start are missing" },
		{ { "start", "EV", "tid" }, "columns pid and start are missing" },
		{ { "EV", "tid", "ppid" }, "columns pid and start are missing" },
		{ { "pid", "start", "start" }, "a column is named twice" },
	};
	static struct pm_str many[PM_PAPIEX_COLUMNS + 1];
	struct pm_papiex *x = calloc(1, sizeof *x);
	const char *why = NULL;
	struct pm_err e;

	ck_assert_ptr_nonnull(x);
	pm_papiex_init(x, tell, NULL);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_str name[3];

		for (size_t k = 0; k < 3; k++)
			name[k] = (struct pm_str){ c[i].name[k], strlen(c[i].name[k]) };
		ck_assert_int_eq(pm_papiex_columns(x, name, 3, &why, &e), c[i].why != NULL);
		if (c[i].why)
			ck_assert_str_eq(why, c[i].why);
	}
	many[0] = (struct pm_str){ "pid", 3 };
	many[1] = (struct pm_str){ "start", 5 };
	for (size_t i = 2; i <= PM_PAPIEX_COLUMNS; i++)
		many[i] = (struct pm_str){ "EV", 2 };
	ck_assert_int_eq(pm_papiex_columns(x, many, PM_PAPIEX_COLUMNS, &why, &e), 0);
	ck_assert_int_eq(pm_papiex_columns(x, many, PM_PAPIEX_COLUMNS + 1, &why, &e), 1);
	ck_assert_str_eq(why, "too many columns");
	pm_papiex_free(x);
	free(x);
}
END_TEST

#define KEY   "pid=100 image_us=1000 tid=100 "
#define START "start " KEY "start_us=1000 version=papiex "
#define THREAD(n, start, end, took, used, count)                                                   \
	";thread pid=100 image_us=1000 tid=10" n " start_us=" start " end_us=" end                 \
	" duration_us=" took " usertime=" used " counters=EV=" count " "
#define END(n) ";end " KEY "start_us=1000 end_us=1009 duration_us=9 end_reason=exit numtids=" n " "

/* Threads: what is summed, what is the most of them, what is unknown of one. */
START_TEST(threads)
{
	static const char names[] = "numtids,pid,start,end,tid,usertime,rssmax,EV";
	const char *why, *column;
	struct told t;

	ck_assert_int_eq(read_csv(&t,
				  (const char *const[]){ names, "3,100,1000,1009,100,1,30,5",
							 ",,1001,1005,101,2,50,6",
							 ",,1002,1003,102,4,40,7", NULL },
				  &why, &column),
			 0);
	ck_assert_str_eq(t.text, START THREAD("0", "1000", "1009", "9", "1",
					      "5") THREAD("1", "1001", "1005", "4", "2", "6")
					 THREAD("2", "1002", "1003", "1", "4", "7")
						 END("3") "usertime=7 rssmax=50 counters=EV=18 ;");
	ck_assert_int_eq(read_csv(&t,
				  (const char *const[]){ names, "2,100,1000,1009,100,1,30,5",
							 ",,1001,1005,101,,50,", NULL },
				  &why, &column),
			 0);
	ck_assert_ptr_nonnull(strstr(t.text, END("2") "rssmax=50 ;"));
	/* One is missing. */
	ck_assert_int_eq(read_csv(&t,
				  (const char *const[]){ names, "3,100,1000,1009,100,1,30,5",
							 ",,1001,1005,101,2,50,6", NULL },
				  &why, &column),
			 0);
	ck_assert_ptr_nonnull(strstr(t.text, END("3") "rssmax=50 ;"));
	/* None is known to be there before the second one comes. */
	ck_assert_int_eq(read_csv(&t,
				  (const char *const[]){ names, ",100,1000,1009,100,1,30,5",
							 ",,1001,1005,101,2,50,6", NULL },
				  &why, &column),
			 0);
	ck_assert_str_eq(t.text,
			 START THREAD("0", "1000", "1009", "9", "1", "5") THREAD(
				 "1", "1001", "1005", "4", "2",
				 "6") ";end " KEY "start_us=1000 end_us=1009 duration_us=9 "
				      "end_reason=exit usertime=3 rssmax=50 counters=EV=11 ;");
}
END_TEST

#define CSV "numtids,pid,start,end,tid,usertime,EV\n"

static void csv(struct test_job *j, const char *name, const char *rows)
{
	char text[1024];

	test_file(j, name, text, (size_t)snprintf(text, sizeof text, CSV "%s", rows));
}

/* Counters are those of their process, also where files come one by one. */
START_TEST(late_files)
{
	struct test_job j;

	test_begin(&j);
	csv(&j, "n1-papiex-1-0.csv", "1,100,1000,1009,100,1,5\n1,101,1000,1009,101,2,6\n");
	test_load(&j);
	csv(&j, "n1-papiex-2-0.csv",
	    "2,102,1000,1009,102,3,7\n,,1000,1009,103,1,1\n2,104,1000,1009,104,4,9\n");
	test_load(&j);
	ck_assert_str_eq(test_query(&j, "SELECT p.pid, p.usertime, c.value FROM process p LEFT "
					"JOIN counter c ON c.process_id = p.id AND c.thread_id = 0 "
					"ORDER BY p.pid"),
			 "100 1 5;101 2 6;102 4 8;104 - -");
	test_end(&j);
}
END_TEST

/* Threads without an id come behind those with one, in the order of their rows. */
START_TEST(order_of_threads)
{
	struct test_job j;

	test_begin(&j);
	csv(&j, "n1-papiex-1-0.csv",
	    "5,100,1000,1009,100,1,5\n,,1001,1009,,2,6\n,,1002,1009,99,3,7\n"
	    ",,1003,1009,,4,8\n,,1004,1009,103,5,9\n");
	test_load(&j);
	ck_assert_str_eq(test_query(&j, "SELECT id, tid, usertime FROM thread_row ORDER BY id"),
			 "1 99 3;2 100 1;3 103 5;4 - 2;5 - 4");
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("rows of papiex");
	TCase *t = tcase_create("papiex");

	tcase_add_test(t, values);
	tcase_add_test(t, numbers_of_threads);
	tcase_add_test(t, lines);
	tcase_add_test(t, columns);
	tcase_add_test(t, threads);
	tcase_add_test(t, late_files);
	tcase_add_test(t, order_of_threads);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
