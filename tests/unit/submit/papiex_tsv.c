/* papiex's collated TSV, and rows of papiex that come by several loads. */
#include "config.h"

#include "submit/foreign/papiex_csv.h"
#include "submit/foreign/papiex_tsv.h"
#include "tests/unit/main.h"
#include "tests/unit/submit/papiex.h"

#include <stdlib.h>

/* Names and lines of the collated form. */
static int read_tsv(struct told *t, const char *names, const char *const *line, const char **why)
{
	struct pm_papiex *x = calloc(1, sizeof *x);
	struct pm_papiex_tsv form = { .value = NULL };
	const char *column;
	struct pm_err e;
	int rc;

	ck_assert_ptr_nonnull(x);
	memset(t, 0, sizeof *t);
	pm_papiex_init(x, tell, t);
	x->named.odd = tell_odd;
	x->named.ctx = t;
	rc = pm_papiex_tsv_names(&form, x, names, strlen(names), why, &e);
	for (; rc == 0 && *line; line++)
		rc = pm_papiex_tsv_line(&form, x, *line, strlen(*line), why, &column, &e);
	ck_assert_int_eq(pm_papiex_finish(x, &e), 0);
	pm_papiex_tsv_free(&form);
	pm_papiex_free(x);
	free(x);
	return rc;
}

#define FORM    "{ usertime , EV}\tnumtids\tpid\tstart\thostname\targs"
#define UNEQUAL "the number of values does not match the threads and column names"
#define ONE     "start pid=100 image_us=1000 hostname=n1 "

START_TEST(collated)
{
	static const struct {
		const char *line, *why;
		const char *want; /* part of the records */
	} c[] = {
		{ "{1,2}\t1\t100\t1000\tn1\ta b", NULL,
		  "args=a b start_us=1000 version=papiex ;end " },
		{ "{1,2}\t1\t100\t1000\tn1\ta b", NULL, "numtids=1 usertime=1 counters=EV=2 ;" },
		{ "{1, 2 }\t1\t100\t1000\tn1\tx\r", NULL, "args=x start_us" },
		{ "{1,2,3,5}\t2\t100\t1000\tn1\tx", NULL,
		  "tid=100 hostname=n1 usertime=1 counters=EV=2 ;thread " },
		{ "{1,2,3,5}\t2\t100\t1000\tn1\tx", NULL,
		  "tid=-1 hostname=n1 usertime=3 counters=EV=5 ;end " },
		{ "{1,2,3,5}\t2\t100\t1000\tn1\tx", NULL, "numtids=2 usertime=4 counters=EV=7 ;" },
		{ "{1,2,3,5}\t3\t100\t1000\tn1\tx", UNEQUAL, NULL },
		{ "{1,2,3,5}\t1\t100\t1000\tn1\tx", UNEQUAL, NULL },
		{ "{1,2,3}\t1\t100\t1000\tn1\tx", UNEQUAL, NULL },
		{ "{}\t1\t100\t1000\tn1\tx", UNEQUAL, NULL },
		/* such a number says nothing against what there is */
		{ "{1,2,3,5}\t\t100\t1000\tn1\tx", NULL, "usertime=4 counters=EV=7 ;" },
		{ "{1,2,3,5}\t-1\t100\t1000\tn1\tx", NULL, "usertime=4 counters=EV=7 ;" },
		{ "{1,2,3,5}\t0\t100\t1000\tn1\tx", NULL, "usertime=4 counters=EV=7 ;" },
		{ "{1,2,3,5}\t4194305\t100\t1000\tn1\tx", NULL, "usertime=4 counters=EV=7 ;" },
		{ "{1,2,3,5}\t4194304\t100\t1000\tn1\tx", UNEQUAL, NULL },
		{ "{1,2}\t1\t100\t1000\tn1", "too few fields: the line is cut", NULL },
		{ "{1,2}\t1\t100\t1000\tn1\tx\ty", "too many fields", NULL },
		{ "1,2\t1\t100\t1000\tn1\tx", "no metrics in braces", NULL },
		{ "{1,2\t1\t100\t1000\tn1\tx", "no metrics in braces", NULL },
		{ "1,2}\t1\t100\t1000\tn1\tx", "no metrics in braces", NULL },
		{ "{\t1\t100\t1000\tn1\tx", "no metrics in braces", NULL },
		{ "{1,2}\t1\t0\t1000\tn1\tx", "missing or out of range", NULL },
		/* quoted as Python's csv does it, and not */
		{ "{1,2}\t1\t100\t1000\tn1\t\"say \"\"a\"\"\"", NULL, "args=say \"a\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"\"\"\"", NULL, "args=\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"ab\"", NULL, "args=\"ab\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"a\"\"b", NULL, "args=\"a\"\"b start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\ta\"\"b\"", NULL, "args=a\"\"b\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"a\"b\"", NULL, "args=\"a\"b\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"a\"\"b\"c\"", NULL, "args=\"a\"\"b\"c\" start_us" },
		{ "{1,2}\t1\t100\t1000\tn1\t\"\"\"", NULL, "args=\"\"\" start_us" },
	};
	struct told t;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *why = NULL;
		int rc = read_tsv(&t, FORM, (const char *const[]){ c[i].line, NULL }, &why);

		ck_assert_msg(rc == (c[i].why != NULL), "%s: %d", c[i].line, rc);
		if (rc) {
			ck_assert_msg(strcmp(why, c[i].why) == 0, "%s: %s", c[i].line, why);
			ck_assert_str_eq(t.text, "");
			continue;
		}
		ck_assert_msg(strncmp(t.text, ONE, strlen(ONE)) == 0 &&
				      strstr(t.text, c[i].want) != NULL,
			      "%s: %s", c[i].line, t.text);
	}
}
END_TEST

/* Where the names of the columns are wrong; wherever the braces are. */
START_TEST(collated_names)
{
	static const struct {
		const char *names, *why;
	} c[] = {
		{ "numtids\tpid\tstart", "not a line of column names" },
		{ "{EV\tnumtids\tpid\tstart", "not a line of column names" },
		{ "{EV}\tnumtids\tpid", "columns pid and start are missing" },
		{ "{EV,pid}\tnumtids\tpid\tstart", "a column is named twice" },
	};
	char many[8 * PM_PAPIEX_COLUMNS] = "{EV", *p = many + 3;
	const char *why;
	struct told t;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		ck_assert_int_eq(read_tsv(&t, c[i].names, (const char *const[]){ NULL }, &why), 1);
		ck_assert_str_eq(why, c[i].why);
	}
	ck_assert_int_eq(read_tsv(&t, "pid\tstart\t{usertime}\tnumtids\r",
				  (const char *const[]){ "7\t1000\t{5}\t1", NULL }, &why),
			 0);
	ck_assert_ptr_nonnull(strstr(t.text, ";end pid=7 image_us=1000 "));
	ck_assert_ptr_nonnull(strstr(t.text, "usertime=5 ;"));
	for (int i = 3; i < PM_PAPIEX_COLUMNS; i++)
		p += sprintf(p, ",EV");
	strcpy(p, "}\tpid\tstart");
	ck_assert_int_eq(read_tsv(&t, many, (const char *const[]){ NULL }, &why), 0);
	strcpy(p, ",EV}\tpid\tstart");
	ck_assert_int_eq(read_tsv(&t, many, (const char *const[]){ NULL }, &why), 1);
	ck_assert_str_eq(why, "too many columns");
}
END_TEST

/* What came of loads one after the other. */
struct loads {
	struct told told;  /* of the last */
	uint64_t hash[64]; /* of rows: those of earlier loads, then those of this one */
	size_t hashes, before;
};

/* Whether a load before this one had the row. */
static int known(void *ctx, uint64_t hash, struct pm_err *e)
{
	struct loads *l = ctx;

	(void)e;
	for (size_t i = 0; i < l->before; i++)
		if (l->hash[i] == hash)
			return 1;
	ck_assert_uint_lt(l->hashes, 64);
	l->hash[l->hashes++] = hash;
	return 0;
}

/* Rows of a host in a load of its own. Returns the last line's result. */
static int load_rows(struct pm_papiex *x, const char *host, const char *const *line,
		     const char **why)
{
	struct loads *l = x->ctx;
	const char *column;
	struct pm_err e;
	int rc = 0;

	l->before = l->hashes;
	l->told.n = 0;
	l->told.text[0] = '\0';
	pm_papiex_host(x, host, strlen(host));
	for (; *line; line++)
		rc = pm_papiex_csv_line(x, *line, strlen(*line), why, &column, &e);
	ck_assert_int_eq(pm_papiex_end(x, &e), 0);
	return rc;
}

#define NAMES "numtids,pid,start,end,usertime,rssmax,EV"

/* Rows that come again, with others of their processes: what was summed goes on, once. */
START_TEST(rows_of_several_loads)
{
	static const char first[] = "3,100,1000,1009,1,30,5", second[] = ",,1001,1005,2,50,6",
			  third[] = ",,1001,1005,4,20,7", other[] = "2,200,1000,1009,8,30,9";
	struct pm_papiex *x = calloc(1, sizeof *x);
	const char *why = NULL;
	struct loads l = { .told.n = 0 };
	struct pm_err e;

	ck_assert_ptr_nonnull(x);
	pm_papiex_init(x, tell, &l);
	x->known = known;
	/* Two processes that lack threads. */
	ck_assert_int_eq(load_rows(x, "h1",
				   (const char *const[]){ NAMES, other, first, second, NULL },
				   &why),
			 0);
	ck_assert_ptr_null(strstr(l.told.text, ";end "));
	ck_assert_ptr_nonnull(strstr(l.told.text, " pid=100 image_us=1000 hostname=h1 "));
	/* The same again adds nothing. */
	ck_assert_int_eq(
		load_rows(x, "h1", (const char *const[]){ NAMES, first, second, NULL }, &why), 0);
	ck_assert(x->again);
	ck_assert_str_eq(l.told.text, "");
	/* All of one: its end. */
	ck_assert_int_eq(load_rows(x, "h1",
				   (const char *const[]){ NAMES, first, second, third, NULL },
				   &why),
			 0);
	ck_assert(!x->again);
	ck_assert_ptr_nonnull(
		strstr(l.told.text, "thread pid=100 image_us=1000 tid=-2 hostname=h1 "));
	ck_assert_ptr_nonnull(strstr(l.told.text, ";end pid=100 image_us=1000 hostname=h1 "));
	ck_assert_ptr_nonnull(
		strstr(l.told.text, " numtids=3 usertime=7 rssmax=50 counters=EV=18 ;"));
	ck_assert_ptr_null(strstr(l.told.text, "pid=200"));
	/* One more than all. */
	ck_assert_int_eq(load_rows(x, "h1",
				   (const char *const[]){ NAMES, first, second, third,
							  ",,1001,1005,3,20,7", NULL },
				   &why),
			 1);
	ck_assert_str_eq(why, "a thread of a process whose threads are already complete");
	/* The same rows of another host, or of other columns, are others. */
	ck_assert_int_eq(load_rows(x, "h2", (const char *const[]){ NAMES, other, NULL }, &why), 0);
	ck_assert_ptr_nonnull(strstr(l.told.text, "start pid=200 image_us=1000 hostname=h2 "));
	ck_assert_int_eq(
		load_rows(x, "h1",
			  (const char *const[]){ "numtids,pid,start,end,usertime,rssmax,FV", other,
						 NULL },
			  &why),
		0);
	ck_assert_ptr_nonnull(strstr(l.told.text, "start pid=200 image_us=1000 hostname=h1 "));
	/* What never came is missing, and so are the sums. */
	l.told.n = 0;
	ck_assert_int_eq(pm_papiex_finish(x, &e), 0);
	ck_assert_uint_eq(x->missing, 3);
	ck_assert_ptr_nonnull(strstr(l.told.text, "end pid=200 image_us=1000 hostname=h1 "));
	ck_assert_ptr_nonnull(strstr(l.told.text, " numtids=2 rssmax=30 ;"));
	ck_assert_ptr_null(strstr(l.told.text, "usertime"));
	ck_assert_ptr_null(strstr(l.told.text, "counters"));
	pm_papiex_free(x);
	free(x);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("collated rows of papiex");
	TCase *t = tcase_create("papiex");

	tcase_add_test(t, collated);
	tcase_add_test(t, collated_names);
	tcase_add_test(t, rows_of_several_loads);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
