/* report/facts/criticalpath.c and ranks*.c: the path and the ranks of a small database made by
 * hand. */
#include "config.h"

#include "report/job/pathprint.h"
#include "tests/unit/report/facts.h"

#include <math.h>
#include <string.h>

/* An image of a process of 1 CPU second: times in seconds, and further columns as SQL. */
static void image(int id, const char *parent, int host, const char *name, int from, int to,
		  const char *names, const char *values)
{
	char sql[1024];

	snprintf(sql, sizeof sql,
		 "INSERT INTO process (job_id, id, host_id, parent_id, pid, starttime, depth, "
		 "exename,"
		 " start_us, end_us, duration_us, end_reason, cpu_time, numtids%s%s) VALUES"
		 " (1, %d, %d, %s, %d, %d, 0, '%s', %lld, %lld, %lld, 'exit', 1000000, 1%s%s)",
		 *names ? ", " : "", names, id, host, parent, 100 + id, id, name,
		 (long long)from * 1000000, (long long)to * 1000000,
		 (long long)(to - from) * 1000000, *values ? ", " : "", values);
	run(sql);
}

static void check_step(const struct pm_criticalpath *p, size_t i, int64_t process, const char *name,
		       int from, int to)
{
	ck_assert_uint_lt(i, p->steps);
	ck_assert_int_eq(p->step[i].process, process);
	ck_assert_str_eq(p->program[p->step[i].program].label, name);
	ck_assert_int_eq(p->step[i].from_us, (int64_t)from * 1000000);
	ck_assert_int_eq(p->step[i].to_us, (int64_t)to * 1000000);
}

START_TEST(figures)
{
	run("UPDATE host SET clock_ticks = 100");
	image(1, "NULL", 1, "make", 2, 40, "time_waiting", "2000000000");
	image(2, "1", 1, "cc1", 3, 23, "delayacct_blkio_time, time_waiting", "300, 4000000000");
	image(3, "1", 1, "cc1", 4, 10, "", "");
	image(4, "1", 1, "ld", 25, 35, "", "");
	run("UPDATE process SET cpu_time = 30000000, numtids = 8 WHERE id = 4");
	facts();
	ck_assert_ptr_nonnull(f.path);
	ck_assert_uint_eq(f.path->steps, 7);
	check_step(f.path, 0, 0, "", 0, 2);
	check_step(f.path, 1, 1, "make", 2, 3);
	check_step(f.path, 2, 2, "cc1", 3, 23);
	check_step(f.path, 3, 1, "make", 23, 25);
	check_step(f.path, 4, 4, "ld", 25, 35);
	check_step(f.path, 5, 1, "make", 35, 40);
	check_step(f.path, 6, 0, "", 40, 48);
	/* 20 s: 1 on a CPU, 4 ready, 3 in block I/O. */
	ck_assert(fabs(f.path->step[2].doing.cpu_us - 1e6) < 1);
	ck_assert(fabs(f.path->step[2].doing.queue_us - 4e6) < 1);
	ck_assert(fabs(f.path->step[2].doing.io_us - 3e6) < 1);
	ck_assert(fabs(f.path->step[2].doing.other_us - 12e6) < 1);
	/* make's own 8 s are 1 s of CPU and 2 s ready; its step of 5 s has its share. */
	ck_assert(fabs(f.path->step[5].doing.queue_us - 2e6 * 5 / 8) < 1);
	ck_assert(isnan(f.path->step[5].doing.io_us));
	/* 30 CPU seconds of threads in 10 s are no more than these; how long they were ready
	 * nobody said. */
	ck_assert(fabs(f.path->step[4].doing.cpu_us - 10e6) < 1);
	ck_assert(isnan(f.path->step[4].doing.other_us));
	/* Programs by their time. */
	ck_assert_uint_eq(f.path->programs, 4);
	ck_assert_str_eq(f.path->program[0].label, "cc1");
	ck_assert_int_eq(f.path->program[0].wall_us, 20000000);
	ck_assert_str_eq(f.path->program[1].label, "");
	ck_assert_int_eq(pm_criticalpath_outside(f.path), 10000000);
	ck_assert_str_eq(pm_criticalpath_host(f.path, &f.path->step[2]), "a");
	ck_assert_str_eq(pm_criticalpath_host(f.path, &f.path->step[0]), "");
}
END_TEST

/* Without times there is no path, and its JSON is still an object. */
START_TEST(no_times)
{
	json_t *o;

	run("UPDATE job SET end_us = NULL");
	facts();
	ck_assert_uint_eq(f.path->steps, 0);
	o = pm_pathprint_json(f.path, 5);
	ck_assert(json_is_null(json_object_get(o, "start_us")));
	ck_assert_uint_eq(json_array_size(json_object_get(o, "longest_steps")), 0);
	json_decref(o);
}
END_TEST

/* The longest steps are in order of time. */
START_TEST(longest)
{
	json_t *o, *steps;

	image(1, "NULL", 1, "sh", 0, 48, "", "");
	image(2, "1", 1, "a", 1, 10, "", "");
	image(3, "1", 1, "b", 12, 40, "", "");
	facts();
	o = pm_pathprint_json(f.path, 2);
	steps = json_object_get(o, "longest_steps");
	ck_assert_uint_eq(json_array_size(steps), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(steps, 0), "program")),
			 "a");
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(steps, 1), "program")),
			 "b");
	ck_assert_int_eq(json_integer_value(json_object_get(o, "steps")), 5);
	json_decref(o);
}
END_TEST

/* --- ranks -------------------------------------------------------------------------------------
 */

/* Two runs of four ranks on two hosts, one of which is a shell with a child: a rank is all of it.
 */
static void make_ranks(void)
{
	char values[64], parent[16];
	int id = 1;

	run("UPDATE job SET ranks = 4, hosts = 2");
	image(id++, "NULL", 1, "mpirun", 0, 20, "", "");
	for (int round = 0; round < 2; round++)
		for (int rank = 0; rank < 4; rank++) {
			snprintf(values, sizeof values, "%d, 4, %d, '%d'", rank, 100 * (rank + 1),
				 round);
			image(id, rank < 2 ? "1" : "NULL", 1 + rank / 2, "sh", 1 + 10 * round,
			      9 + 10 * round, "mpirank, numranks, rchar, step", values);
			snprintf(parent, sizeof parent, "%d", id);
			image(id + 1, parent, 1 + rank / 2, "app", 2 + 10 * round,
			      4 + 10 * round + rank, "mpirank, numranks, rchar, step", values);
			id += 2;
		}
	/* CPU seconds: 2 of the others, 6 of rank 3 in round 0. */
	run("UPDATE process SET cpu_time = 5000000 WHERE id = 9");
}

START_TEST(ranks)
{
	const struct pm_ranks_run *r;

	make_ranks();
	facts();
	ck_assert_ptr_nonnull(f.parallel);
	ck_assert_uint_eq(f.parallel->runs, 2);
	r = &f.parallel->run[0];
	ck_assert_str_eq(r->label, "sh");
	ck_assert_str_eq(r->step, "0");
	ck_assert_int_eq(r->ranks, 4);
	ck_assert_int_eq(r->size, 4);
	ck_assert_int_eq(r->hosts, 2);
	ck_assert(r->spread[PM_RANKS_CPU].least == 2e6);
	ck_assert(r->spread[PM_RANKS_CPU].most == 6e6);
	ck_assert_int_eq(r->spread[PM_RANKS_CPU].most_at, 3);
	ck_assert(r->spread[PM_RANKS_CPU].mean == 3e6);
	ck_assert(r->spread[PM_RANKS_MOVED].least == 200);
	ck_assert(r->spread[PM_RANKS_WALL].most == 8e6);
	/* (6 - 3) / 6 of 8 s. */
	ck_assert(fabs(r->imbalance - 0.5) < 1e-12);
	ck_assert(fabs(r->cost_us - 4e6) < 1e-6);
	ck_assert(f.parallel->run[1].imbalance == 0);
	ck_assert_ptr_eq(pm_ranks_uneven(f.parallel), r);
	ck_assert_int_eq(r->busiest_host, 2);
	ck_assert_int_eq(f.parallel->run[1].start_us, 11000000);
}
END_TEST

/* What is unknown of a process is unknown of its rank, and of how even the ranks are. */
START_TEST(rank_of_an_unknown_process)
{
	const struct pm_ranks_spread *cpu;

	make_ranks();
	run("UPDATE process SET cpu_time = NULL, rchar = NULL WHERE id = 9");
	facts();
	cpu = &f.parallel->run[0].spread[PM_RANKS_CPU];
	ck_assert_int_eq(cpu->known, 3);
	ck_assert(cpu->least == 2e6 && cpu->most == 2e6);
	ck_assert_int_eq(f.parallel->run[0].spread[PM_RANKS_MOVED].known, 3);
	ck_assert_int_eq(f.parallel->run[0].spread[PM_RANKS_WALL].known, 4);
	ck_assert(isnan(f.parallel->run[0].imbalance));
	ck_assert_ptr_eq(pm_ranks_uneven(f.parallel), &f.parallel->run[1]);
	/* Totals are of what is known. */
	ck_assert_int_eq(f.parallel->step[0].value[PM_RANKS_CPU], 7000000);
}
END_TEST

START_TEST(steps_and_hosts)
{
	make_ranks();
	run("UPDATE process SET exitcode = 3 WHERE id = 2");
	facts();
	ck_assert_uint_eq(f.parallel->steps, 2);
	ck_assert_str_eq(f.parallel->step[0].step, "0");
	ck_assert_int_eq(f.parallel->step[0].processes, 8);
	ck_assert_int_eq(f.parallel->step[0].tasks, 4);
	ck_assert_int_eq(f.parallel->step[0].hosts, 2);
	ck_assert_int_eq(f.parallel->step[0].failed, 1);
	ck_assert_int_eq(f.parallel->step[0].value[PM_RANKS_CPU], 12000000);
	ck_assert_int_eq(f.parallel->step[0].value[PM_RANKS_WALL], 8000000);
	ck_assert_int_eq(f.parallel->step[1].value[PM_RANKS_MOVED], 2000);
	ck_assert_int_eq(f.parallel->hosts, 2);
	/* 9 images of host 1, 8 of host 2, one of which has 5 s. */
	ck_assert(f.parallel->host[PM_RANKS_CPU].least == 9e6);
	ck_assert(f.parallel->host[PM_RANKS_CPU].most == 12e6);
	ck_assert_int_eq(f.parallel->host[PM_RANKS_CPU].most_at, 2);
}
END_TEST

/* A figure unknown of some ranks is of the others; a single rank is no run; images are one rank. */
START_TEST(some_ranks)
{
	run("UPDATE job SET ranks = 2");
	image(1, "NULL", 1, "a", 0, 5, "mpirank, numranks", "0, 2");
	image(2, "NULL", 1, "a", 0, 9, "mpirank, numranks", "1, 2");
	image(3, "NULL", 1, "b", 0, 9, "mpirank, numranks", "7, 8");
	run("UPDATE process SET cpu_time = NULL WHERE id = 1");
	/* The exec of rank 1. */
	image(4, "NULL", 1, "a", 9, 12, "mpirank, numranks", "1, 2");
	run("UPDATE process SET pid = 102, starttime = 2 WHERE id = 4");
	facts();
	ck_assert_uint_eq(f.parallel->runs, 1);
	ck_assert_int_eq(f.parallel->run[0].ranks, 2);
	ck_assert_int_eq(f.parallel->run[0].spread[PM_RANKS_CPU].known, 1);
	ck_assert(f.parallel->run[0].spread[PM_RANKS_CPU].most == 2e6);
	ck_assert(f.parallel->run[0].spread[PM_RANKS_WALL].most == 12e6);
	ck_assert(isnan(f.parallel->run[0].imbalance));
}
END_TEST

START_TEST(no_ranks)
{
	image(1, "NULL", 1, "a", 0, 5, "", "");
	facts();
	ck_assert_ptr_null(f.parallel);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("path");
	TCase *t = tcase_create("path");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, figures);
	tcase_add_test(t, no_times);
	tcase_add_test(t, longest);
	tcase_add_test(t, ranks);
	tcase_add_test(t, rank_of_an_unknown_process);
	tcase_add_test(t, steps_and_hosts);
	tcase_add_test(t, some_ranks);
	tcase_add_test(t, no_ranks);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
