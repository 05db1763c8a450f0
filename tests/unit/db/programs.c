/* db/programs.c: processes grouped by program, whatever their order, within bounds. */
#include "config.h"

#include "db/programs.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_err e;

static struct pm_str text(const char *s)
{
	return (struct pm_str){ s, s ? strlen(s) : 0 };
}

/* A process that ended well, of which nothing else is known. */
static struct pm_program_process process(const char *exename, const char *args)
{
	struct pm_program_process p = {
		.exename = text(exename),
		.args = text(args),
		.end_reason = text("exit"),
		.exitcode = 0,
		.exitsignal = PM_PROGRAM_UNKNOWN,
		.numtids = PM_PROGRAM_UNKNOWN,
		.num_threads = PM_PROGRAM_UNKNOWN,
	};

	for (int i = 0; i < PM_PROGRAM_VALUES; i++)
		p.value[i] = PM_PROGRAM_UNKNOWN;
	return p;
}

static void add(struct pm_programs *s, struct pm_program_process p)
{
	ck_assert_int_eq(pm_programs_add(s, &p), 0);
}

static struct pm_programs *new_programs(void)
{
	struct pm_programs *s = pm_programs_new();

	ck_assert_ptr_nonnull(s);
	return s;
}

/* The rows; frees the programs. */
static struct pm_program *rows(struct pm_programs *s, size_t *n)
{
	struct pm_program *row = pm_programs_rows(s, n);

	ck_assert_ptr_nonnull(row);
	pm_programs_free(s);
	return row;
}

START_TEST(sums_and_peaks_of_what_is_known)
{
	struct pm_programs *s = new_programs();
	struct pm_program_process p = process("cc", "a");
	struct pm_program *row;
	size_t n;

	p.value[PM_PROGRAM_CPU] = 5;
	p.value[PM_PROGRAM_RSS] = 7;
	add(s, p);
	p.value[PM_PROGRAM_CPU] = 6;
	p.value[PM_PROGRAM_RSS] = 3;
	p.numtids = 2;
	p.num_threads = 4;
	add(s, p);
	p.value[PM_PROGRAM_CPU] = p.value[PM_PROGRAM_RSS] = PM_PROGRAM_UNKNOWN;
	p.numtids = 3;
	p.num_threads = PM_PROGRAM_UNKNOWN;
	add(s, p);
	row = rows(s, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(row->label, "cc");
	ck_assert_int_eq(row->count[PM_PROGRAM_PROCESSES], 3);
	ck_assert_int_eq(row->count[PM_PROGRAM_RUNS], 3);
	ck_assert_int_eq(row->count[PM_PROGRAM_THREADS_KNOWN], 2);
	ck_assert_int_eq(row->value[PM_PROGRAM_CPU], 11);
	ck_assert_int_eq(row->value[PM_PROGRAM_RSS], 7);
	ck_assert_int_eq(row->value[PM_PROGRAM_THREADS], 4);
	ck_assert_int_eq(row->value[PM_PROGRAM_SYSTEM], PM_PROGRAM_UNKNOWN);
	ck_assert_int_eq(row->value[PM_PROGRAM_TINY_READS], PM_PROGRAM_UNKNOWN);
	free(row);
}
END_TEST

START_TEST(a_sum_out_of_range_is_unknown)
{
	struct pm_programs *s = new_programs();
	struct pm_program_process p = process("cc", NULL);
	struct pm_program *row;
	size_t n;

	p.value[PM_PROGRAM_CPU] = p.value[PM_PROGRAM_SYSTEM] = INT64_MAX;
	add(s, p);
	p.value[PM_PROGRAM_CPU] = 1;
	p.value[PM_PROGRAM_SYSTEM] = 0;
	add(s, p);
	row = rows(s, &n);
	ck_assert_int_eq(row->value[PM_PROGRAM_CPU], PM_PROGRAM_UNKNOWN);
	ck_assert_int_eq(row->value[PM_PROGRAM_SYSTEM], INT64_MAX);
	free(row);
}
END_TEST

START_TEST(runs_and_failures)
{
	static const struct {
		const char *end_reason, *last_call;
		int64_t exitcode, exitsignal;
		bool copy, run, failed, killed;
	} want[] = {
		{ "exit", NULL, 0, -1, true, true, false, false },
		{ "exec", NULL, -1, -1, false, true, false, false },
		{ "exec", NULL, -1, -1, true, false, false, false },
		{ "exit", NULL, 3, -1, false, true, true, false },
		{ "signal", NULL, -1, 9, false, true, true, true },
		{ "signal", NULL, -1, -1, false, true, true, true },
		{ "exit", "execve ENOENT", 127, -1, false, false, true, false },
		{ "exit", "execve failed", 127, -1, false, false, true, false },
		{ "exit", "execve static", 0, -1, false, true, false, false },
		{ NULL, NULL, -1, -1, false, true, false, false },
	};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct pm_programs *s = new_programs();
		struct pm_program_process p = process("a", NULL);
		struct pm_program *row;
		size_t n;

		p.end_reason = text(want[i].end_reason);
		p.last_call = text(want[i].last_call);
		p.exitcode = want[i].exitcode < 0 ? PM_PROGRAM_UNKNOWN : want[i].exitcode;
		p.exitsignal = want[i].exitsignal < 0 ? PM_PROGRAM_UNKNOWN : want[i].exitsignal;
		p.copy = want[i].copy;
		p.numtids = 1;
		add(s, p);
		row = rows(s, &n);
		ck_assert_msg(row->count[PM_PROGRAM_RUNS] == want[i].run, "%zu: runs", i);
		ck_assert_msg(row->count[PM_PROGRAM_THREADS_KNOWN] == want[i].run, "%zu: known", i);
		ck_assert_msg(row->count[PM_PROGRAM_FAILED] == want[i].failed, "%zu: failed", i);
		ck_assert_msg(row->count[PM_PROGRAM_KILLED] == want[i].killed, "%zu: killed", i);
		free(row);
	}
}
END_TEST

START_TEST(tiny_calls)
{
	/* 511 bytes per call, 512, no calls, no bytes known. */
	static const int64_t calls[] = { 10, 10, 0, 10 };
	static const int64_t bytes[] = { 5119, 5120, 0, PM_PROGRAM_UNKNOWN };
	struct pm_programs *s = new_programs();
	struct pm_program *row;
	size_t n;

	for (int i = 0; i < 4; i++) {
		struct pm_program_process p = process("a", NULL);

		p.value[PM_PROGRAM_SYSCR] = calls[i];
		p.value[PM_PROGRAM_RCHAR] = bytes[i];
		p.value[PM_PROGRAM_SYSCW] = 2 * calls[i];
		p.value[PM_PROGRAM_WCHAR] = bytes[i];
		add(s, p);
	}
	row = rows(s, &n);
	ck_assert_int_eq(row->value[PM_PROGRAM_TINY_READS], 10);
	ck_assert_int_eq(row->value[PM_PROGRAM_TINY_READ], 5119);
	ck_assert_int_eq(row->value[PM_PROGRAM_TINY_WRITES], 40);
	ck_assert_int_eq(row->value[PM_PROGRAM_TINY_WRITE], 5119 + 5120);
	ck_assert_int_eq(row->value[PM_PROGRAM_SYSCR], 30);
	free(row);
}
END_TEST

/* Add process i of `n`, which `scripts` scripts and `exes` executables share. */
static void add_one(struct pm_programs *s, int i, int scripts, int exes)
{
	char exename[32], args[1000];
	struct pm_program_process p;
	int len;

	snprintf(exename, sizeof exename, i % 2 ? "python%d" : "a%d", i / 2 % exes);
	/* Labels are made of the beginning of the arguments. */
	len = snprintf(args, sizeof args, "s%d.py ", i / 2 % scripts);
	memset(args + len, 'x', sizeof args - 1 - (size_t)len);
	snprintf(args + sizeof args - 12, 12, "%d", i);
	p = process(exename, args);
	p.value[PM_PROGRAM_CPU] = i;
	p.value[PM_PROGRAM_RSS] = i * 7919 % 10007;
	add(s, p);
}

/* Programs are the same in any order, and no more than there may be. */
START_TEST(the_order_of_processes_does_not_matter)
{
	static const struct {
		int scripts, exes;
		size_t programs;
		const char *first, *last;
	} want[] = {
		{ 50, 1, 51, "a0", "python0 s9.py" },
		{ 8191, 1, 8192, "a0", "python0 s999.py" },
		{ 8192, 1, 2, "a0", "python0" },      /* one more than there may be */
		{ 9000, 125, 250, "a0", "python99" }, /* 72 scripts each */
		{ 62 * 129, 129, 63 * 129, "a0", "python99 s99.py" },
		{ 9000, 129, 2 * 129, "a0", "python99" },
		{ 8, 4096, 2 * 4096, "a0", "python999 s7.py" },
		{ 9000, 9000, 1, "(various programs)", "(various programs)" },
	};
	const int n = 36000;
	size_t count[2];

	for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
		struct pm_programs *s[2] = { new_programs(), new_programs() };
		struct pm_program *row[2];
		int64_t processes = 0;

		for (int i = 0; i < n; i++) {
			add_one(s[0], i, want[k].scripts, want[k].exes);
			add_one(s[1], (int)((int64_t)i * 7919 % n), want[k].scripts, want[k].exes);
		}
		for (int i = 0; i < 2; i++)
			row[i] = rows(s[i], &count[i]);
		ck_assert_msg(count[0] == count[1] &&
				      memcmp(row[0], row[1], count[0] * sizeof *row[0]) == 0,
			      "%zu: %zu and %zu programs", k, count[0], count[1]);
		for (size_t i = 0; i < count[0]; i++)
			processes += row[0][i].count[PM_PROGRAM_PROCESSES];
		ck_assert_int_eq(processes, n);
		ck_assert_msg(count[0] == want[k].programs &&
				      strcmp(row[0][0].label, want[k].first) == 0 &&
				      strcmp(row[0][count[0] - 1].label, want[k].last) == 0,
			      "%zu: %zu programs, %s to %s", k, count[0], row[0][0].label,
			      row[0][count[0] - 1].label);
		free(row[0]);
		free(row[1]);
	}
}
END_TEST

/* Multi-call programs by the name of the thread; others not. */
START_TEST(what_a_label_is_made_of)
{
	struct pm_programs *s = new_programs();
	struct pm_program_process p = process("busybox", "x");
	struct pm_program *row;
	size_t n;

	p.comm = text("ls");
	add(s, p);
	p.comm = text("cat");
	add(s, p);
	p.exename = text("cc");
	add(s, p);
	p.exename = text(NULL);
	add(s, p);
	p.exename = text("");
	add(s, p);
	row = rows(s, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_str_eq(row[0].label, "(unknown program)");
	ck_assert_int_eq(row[0].count[PM_PROGRAM_PROCESSES], 2);
	ck_assert_str_eq(row[1].label, "busybox cat");
	ck_assert_str_eq(row[2].label, "busybox ls");
	ck_assert_str_eq(row[3].label, "cc");
	free(row);
}
END_TEST

static int to_x(char label[PM_PROCESSNAME_MAX], struct pm_err *why)
{
	if (label[0] == '!')
		return pm_err(why, "no");
	if (label[0] == 'b')
		return 0;
	snprintf(label, PM_PROCESSNAME_MAX, "x");
	return 1;
}

START_TEST(equal_labels_become_one_row)
{
	struct pm_db *db;
	struct pm_stmt *q;

	ck_assert_msg(pm_db_open(&db, "", PM_DB_MEMORY, &e) == 0, "%s", e.text);
	ck_assert_int_eq(
		pm_db_exec(db,
			   "INSERT INTO job (id, cluster, \"user\", jobid, array_task, "
			   "restart_count, epoch_us) VALUES (1, '', 'u', '1', '', 0, 1);"
			   "INSERT INTO program_summary (job_id, program, processes, runs, "
			   "threads_known, failed, killed, cpu_time, rssmax) VALUES "
			   "(1, 'a', 1, 1, 0, 0, 0, 5, 9), (1, 'b', 2, 1, 0, 0, 0, 7, NULL), "
			   "(1, 'c', 4, 3, 2, 1, 1, 6, 8)",
			   &e),
		0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_programs_relabel(db, 1, to_x, &e), 2);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	ck_assert_int_eq(pm_db_prepare(db,
				       "SELECT group_concat(program || ' ' || processes || ' ' || "
				       "runs || ' ' || threads_known || failed || killed || ' ' || "
				       "cpu_time || ' ' || coalesce(rssmax, 'none'), ', ') FROM "
				       "program_summary",
				       &q, &e),
			 0);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_str_eq(pm_db_text(q, 0, NULL), "b 2 1 000 7 none, x 5 4 211 11 9");
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_exec(db, "UPDATE program_summary SET program = '!'|| program", &e),
			 0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_programs_relabel(db, 1, to_x, &e), -1);
	ck_assert_str_eq(e.text, "no");
	pm_db_rollback(db);
	pm_db_close(db);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		sums_and_peaks_of_what_is_known,
		a_sum_out_of_range_is_unknown,
		runs_and_failures,
		tiny_calls,
		the_order_of_processes_does_not_matter,
		what_a_label_is_made_of,
		equal_labels_become_one_row,
	};
	Suite *s = suite_create("db_programs");
	TCase *t = tcase_create("programs");

	tcase_set_timeout(t, 120);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
