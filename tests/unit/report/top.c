/* report/top/: records, ticks and totals of a running job, without files and terminals. */
#include "config.h"

#include "common/job/job.h"
#include "report/top/jobfile.h"
#include "report/top/picture.h"
#include "report/top/records.h"
#include "report/top/ticks.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct pm_top_model m;
static struct pm_top_records r;
static struct pm_top_ticks t;
static struct pm_top_picture p;

static void set_up(void)
{
	pm_top_model_init(&m);
	/* No test looks into /proc. */
	memcpy(m.own_host, "here", sizeof "here");
	memcpy(m.own_boot, "b", sizeof "b");
	pm_top_records_init(&r, &m);
	pm_top_ticks_init(&t, &m);
}

static void tear_down(void)
{
	pm_top_picture_free(&p);
	pm_top_ticks_free(&t);
	pm_top_model_free(&m);
}

static void line(const char *text)
{
	ck_assert_int_eq(pm_top_records_line(&r, text, strlen(text)), 0);
}

#define HEADER                                                                                     \
	"perfmon-tsv-2\trecord\tboot_id\tpid_ns\tpid\tstarttime\thostname\texename\tthread_name\t" \
	"start_us\tend_us\tend_reason\tusertime\tsystemtime\trchar\twchar\tread_bytes\t"           \
	"write_bytes\t."

static void start(const char *host, int pid, int ticks, const char *comm)
{
	char text[512];

	snprintf(text, sizeof text,
		 "2\tstart\tb\t1\t%d\t%d\t%s\tx\t%s\t1000\t\\N\t\\N\t10\t0\t\\N\t\\N\t\\N\t\\N\t.",
		 pid, ticks, host, comm);
	line(text);
}

static void end(const char *host, int pid, int ticks, const char *reason, int user, int rchar)
{
	char text[512];

	snprintf(text, sizeof text,
		 "2\tend\tb\t1\t%d\t%d\t%s\tx\tx\t1000\t9000\t%s\t%d\t5\t%d\t7\t8\t9\t.", pid,
		 ticks, host, reason, user, rchar);
	line(text);
}

static void tick(const char *text)
{
	ck_assert_int_eq(pm_top_ticks_line(&t, text, strlen(text), false), 0);
}

static const struct pm_top_picture *picture(int64_t elapsed_us)
{
	pm_top_picture_free(&p);
	memset(&p, 0, sizeof p);
	ck_assert_int_eq(pm_top_picture_fill(&p, &m, elapsed_us), 0);
	return &p;
}

static const struct pm_top_line *program(const char *name)
{
	for (size_t i = 0; i < p.lines; i++)
		if (strcmp(p.line[i].name, name) == 0)
			return &p.line[i];
	ck_abort_msg("no program %s", name);
	return NULL;
}

/* Totals of what ended are exact over images: the kernel counts on over exec. */
START_TEST(images)
{
	line(HEADER);
	start("here", 7, 70, "sh");
	start("here", 8, 80, "sh");
	ck_assert_uint_eq(m.running, 2);
	end("here", 8, 80, "exec", 100, 50);
	start("here", 8, 80, "cc1");
	end("here", 8, 80, "exit", 1100, 450);
	ck_assert_uint_eq(m.running, 1);
	picture(0);
	ck_assert_int_eq(program("sh")->cpu_us, 105);
	ck_assert_int_eq(program("sh")->started, 1);
	ck_assert_int_eq(program("sh")->running, 1);
	ck_assert_int_eq(program("cc1")->cpu_us, 1000);
	ck_assert_int_eq(program("cc1")->started, 1);
	ck_assert_int_eq(program("cc1")->running, 0);
	ck_assert_int_eq(p.cpu_us, 1105);
	ck_assert_int_eq(p.ended, 1);
	ck_assert_int_eq(p.records_us, 9000);
	ck_assert(isnan(p.busy));
}
END_TEST

/* Rates are of what came between two pictures; here alone, where /proc tells of what runs. */
START_TEST(rates)
{
	line(HEADER);
	start("here", 7, 70, "a");
	start("there", 7, 70, "a");
	picture(0);
	end("here", 7, 70, "exit", 999995, 4000000);
	end("there", 7, 70, "exit", 2000000, 1);
	picture(2000000);
	ck_assert(fabs(p.busy - 0.5) < 1e-9);
	ck_assert(fabs(program("a")->cpus - 0.5) < 1e-9);
	ck_assert(fabs(program("a")->read - 2000000) < 1e-6);
	ck_assert(fabs(p.rate[PM_TOP_READ] - 2000000) < 1e-6);
	ck_assert_int_eq(program("a")->cpu_us, 3000005);
	picture(2000000);
	ck_assert(p.busy == 0);
}
END_TEST

/* A pid that is used again, a record of its old process that comes late, and one that its parent
 * saw die. */
START_TEST(pids)
{
	line(HEADER);
	start("here", 7, 70, "a");
	start("here", 7, 99, "b");
	ck_assert_uint_eq(m.running, 1);
	end("here", 7, 70, "exit", 500, 0);
	picture(0);
	ck_assert_int_eq(program("a")->running, 0);
	ck_assert_int_eq(program("b")->running, 1);
	ck_assert_int_eq(program("b")->cpu_us, 0);
	line("2\treaped\tb\t1\t7\t\\N\there\t\\N\t\\N\t1\t900\t\\N\t1\t1\t\\N\t\\N\t\\N\t\\N\t.");
	ck_assert_uint_eq(m.running, 1);
	line("2\treaped\tb\t1\t7\t\\N\there\t\\N\t\\N\t1\t1900\t\\N\t1\t1\t\\N\t\\N\t\\N\t\\N\t.");
	ck_assert_uint_eq(m.running, 0);
	/* Of pid namespaces and hosts, equal pids are others. */
	start("here", 7, 99, "b");
	start("there", 7, 99, "b");
	ck_assert_uint_eq(m.running, 2);
}
END_TEST

START_TEST(damaged)
{
	line(HEADER);
	line("2\tstart\tcut");
	line("garbage");
	line("perfmon-tsv-2\tno such column\t.");
	ck_assert_int_eq(r.damaged, 2);
	ck_assert_uint_eq(m.running, 0);
	line("2\tthread\tcut");
	ck_assert_int_eq(r.damaged, 2);
}
END_TEST

/* The sampler's view: rates between ticks, levels, and what is gone. */
START_TEST(ticks)
{
	tick("perfmon-series-1\tthere\tb2\t1000000\t.");
	tick("series\t1\tprocess\tusertime\t\tus\tcounter\t.");
	tick("series\t2\tprocess\tsystemtime\t\tus\tcounter\t.");
	tick("series\t3\tprocess\trss\t\tB\tgauge\t.");
	tick("series\t4\tprograms\tcputime\tcc1\tus\tcounter\t.");
	tick("series\t5\tprograms\trss\tcc1\tB\tgauge\t.");
	tick("series\t6\tprograms\tprocesses\tcc1\tn\tgauge\t.");
	tick("series\t7\tvmstat\tpgfault\t\tn\tcounter\t.");
	tick("series\t8\tprocess\trss\t\tB\tmax\t.");
	tick("tick\t1000000\t5\t1=100 2=0 3=4096 4=50 5=4096 6=1 7=3 8=99999 9=1\t.");
	picture(0);
	ck_assert(isnan(p.busy));
	ck_assert_int_eq(p.rss, 4096);
	ck_assert_int_eq(p.ticks_us, 1000000);
	tick("tick\t3000000\t5\t1=1000100 2=1000000 3=8192 4=1000050 5=8192 6=2\t.");
	picture(0);
	ck_assert(fabs(p.busy - 1.0) < 1e-9);
	ck_assert(fabs(program("cc1")->cpus - 0.5) < 1e-9);
	ck_assert_int_eq(program("cc1")->cpu_us, 1000050);
	ck_assert_int_eq(program("cc1")->running, 2);
	ck_assert_int_eq(p.cpu_us, 2000100);
	tick("tick\t4000000\t5\t3=\\N:absent 5=\\N:absent 6=\\N:absent\t.");
	picture(0);
	ck_assert_int_eq(p.rss, -1);
	ck_assert_int_eq(program("cc1")->running, 0);
	/* Cut and old lines say nothing. */
	tick("tick\t5000000\t5\t3=1");
	ck_assert_int_eq(pm_top_ticks_line(&t, "tick\t6000000\t5\t3=1\t.", 20, true), 0);
	picture(0);
	ck_assert_int_eq(p.ticks_us, 4000000);
}
END_TEST

/* Records and samples are both lower bounds: the larger counts. */
START_TEST(both)
{
	line(HEADER);
	start("there", 7, 70, "cc1");
	end("there", 7, 70, "exit", 299995, 0);
	tick("perfmon-series-1\tthere\tb\t1000000\t.");
	tick("series\t4\tprograms\tcputime\tcc1\tus\tcounter\t.");
	tick("tick\t1000000\t5\t4=200000\t.");
	picture(0);
	ck_assert_uint_eq(m.hosts, 1);
	ck_assert_int_eq(program("cc1")->cpu_us, 300000);
	tick("tick\t2000000\t5\t4=400000\t.");
	picture(0);
	ck_assert_int_eq(program("cc1")->cpu_us, 400000);
}
END_TEST

/* Names are hostile, and programs without end are few lines. */
START_TEST(names)
{
	char name[32];

	line(HEADER);
	start("here", 1, 1, "\\x1b[31mred");
	picture(0);
	ck_assert_ptr_null(strchr(p.line[0].name, '\033'));
	for (int i = 0; i < PM_TOP_PROGRAMS + 100; i++) {
		snprintf(name, sizeof name, "p%d", i);
		start("here", 100 + i, 1, name);
	}
	picture(0);
	ck_assert_uint_eq(p.lines, PM_TOP_PROGRAMS + 1);
	ck_assert_int_eq(program("*")->running, 101);
}
END_TEST

START_TEST(long_names_of_hosts)
{
	char name[600];

	memset(name, 'h', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ck_assert_int_eq(pm_top_model_host(&m, name, strlen(name), "b", 1), 0);
	ck_assert_int_eq(pm_top_model_host(&m, name, strlen(name) - 1, "b", 1), 0);
	ck_assert_int_eq(pm_top_model_host(&m, "other", 5, name, strlen(name)), 1);
}
END_TEST

/* A host's metadata with numbers that no machine has. */
START_TEST(odd_metadata)
{
	static const char text[] =
		"{\"format\": \"" PM_JOB_FORMAT "\", \"job\": {\"epoch_us\": 9223372036854775000,"
		" \"facts\": {\"walltime_s\": \"3600\"}}, \"host\": {\"cpus_allowed\":"
		" 9223372036854775807}}";
	FILE *file = tmpfile();
	struct pm_top_jobfile *j;
	int64_t end_us = 0;

	ck_assert(file && fputs(text, file) >= 0 && fflush(file) == 0);
	rewind(file);
	j = pm_top_jobfile_read(fileno(file));
	ck_assert_ptr_nonnull(j);
	memset(&p, 0, sizeof p);
	pm_top_jobfile_add(j, &p, &end_us);
	pm_top_jobfile_add(j, &p, &end_us);
	ck_assert_int_eq(p.limit_us, 0);
	ck_assert_int_eq(p.cpus, INT64_MAX);
	pm_top_jobfile_free(j);
	fclose(file);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("top");
	TCase *c = tcase_create("top");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, images);
	tcase_add_test(c, rates);
	tcase_add_test(c, pids);
	tcase_add_test(c, damaged);
	tcase_add_test(c, ticks);
	tcase_add_test(c, both);
	tcase_add_test(c, names);
	tcase_add_test(c, long_names_of_hosts);
	tcase_add_test(c, odd_metadata);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
