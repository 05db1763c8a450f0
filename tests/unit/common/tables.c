/* columns.c, header.c, job.c, verb.c: what the tables must keep for their users' sake. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/job/job.h"
#include "common/safe/columns.h"
#include "common/safe/tsv.h"
#include "tests/unit/main.h"

#include <string.h>

static int is_name(const char *s)
{
	return s[0] >= 'a' && s[0] <= 'z' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(s);
}

START_TEST(columns_are_well_formed)
{
	for (int c = 0; c < PM_COLUMNS; c++) {
		const struct pm_column_info *i = &pm_column_info[c];

		ck_assert_msg(is_name(i->name), "%s", i->name);
		ck_assert_uint_eq(i->namelen, strlen(i->name));
		ck_assert_int_eq(pm_column_find(i->name, i->namelen), c); /* unique, too */
		ck_assert_uint_eq(strspn(i->records, "STELRUX"), strlen(i->records));
		ck_assert_int_ge(i->since, 1);
		ck_assert_int_le(i->since, PM_FORMAT_VERSION);
		ck_assert_msg(i->help[0] && i->source[0], "%s", i->name);
		ck_assert_int_eq(i->text, pm_column_is_text[c]);
		ck_assert_int_eq(i->text, i->kind == PM_KIND_TEXT || i->kind == PM_KIND_LIST);
		ck_assert_str_ne(pm_kind_name(i->kind), "");
		/* New columns go to the end, so that positions never change. */
		ck_assert(c == 0 || i->since >= pm_column_info[c - 1].since);
	}
}
END_TEST

START_TEST(unknown_columns_are_not_found)
{
	ck_assert_int_eq(pm_column_find("", 0), -1);
	ck_assert_int_eq(pm_column_find("pi", 2), -1);
	ck_assert_int_eq(pm_column_find("pidx", 4), -1);
	ck_assert_int_eq(pm_column_find("pidx", 3), PM_COL_pid);
	ck_assert_int_eq(pm_column_find("PID", 3), -1);
}
END_TEST

START_TEST(header_names_every_column)
{
	struct pm_str f[PM_COLUMNS + 2];

	ck_assert_uint_eq(strlen(pm_column_header), pm_column_header_len);
	ck_assert_int_eq(pm_column_header[pm_column_header_len - 1], '\n');
	ck_assert_uint_eq(
		pm_tsv_split(pm_column_header, pm_column_header_len - 1, f, PM_COLUMNS + 2),
		PM_COLUMNS + 2);
	ck_assert_uint_eq(f[0].n, strlen("perfmon-tsv-2"));
	ck_assert_mem_eq(f[0].p, "perfmon-tsv-2", f[0].n);
	for (int c = 0; c < PM_COLUMNS; c++)
		ck_assert_int_eq(pm_column_find(f[c + 1].p, f[c + 1].n), c);
	ck_assert(f[PM_COLUMNS + 1].n == 1 && f[PM_COLUMNS + 1].p[0] == '.');
}
END_TEST

/* A record needs the columns that say which process it is about. */
START_TEST(every_kind_of_record_has_its_key)
{
	static const enum pm_column key[] = { PM_COL_record, PM_COL_boot_id, PM_COL_pid_ns,
					      PM_COL_pid, PM_COL_hostname };

	for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
		ck_assert_str_eq(pm_column_info[key[i]].records, "STELRUX");
	ck_assert_str_eq(pm_column_info[PM_COL_image_us].records, "STELUX");
	ck_assert_str_eq(pm_column_info[PM_COL_starttime].records, "STELUX");
}
END_TEST

START_TEST(job_keys_are_well_formed)
{
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		const struct pm_job_info *i = &pm_job_info[k];

		ck_assert(is_name(i->name) && is_name(i->column));
		ck_assert(i->help[0]);
		if (i->section == PM_JOB_IN_start || i->section == PM_JOB_IN_stop)
			ck_assert(strncmp(i->column, i->section_name, strlen(i->section_name)) ==
				  0);
		else
			ck_assert_str_eq(i->column, i->name);
		/* Sections are contiguous, columns unique within their SQL table. */
		ck_assert(k == 0 || i->section >= pm_job_info[k - 1].section);
		for (int other = 0; other < k; other++)
			if ((pm_job_info[other].section == PM_JOB_IN_job) ==
			    (i->section == PM_JOB_IN_job))
				ck_assert_str_ne(i->column, pm_job_info[other].column);
	}
}
END_TEST

START_TEST(options_are_unique)
{
	for (int a = 0; a < PM_OPTIONS; a++) {
		ck_assert(pm_option_info[a].help[0]);
		for (int b = 0; b < a; b++) {
			ck_assert_str_ne(pm_option_info[a].name, pm_option_info[b].name);
			if (!pm_option_info[a].letter ||
			    pm_option_info[a].letter != pm_option_info[b].letter)
				continue;
			/* A letter that two share takes an argument in both or in none, and each
			 * verb knows one of them. */
			ck_assert(!*pm_option_info[a].arg == !*pm_option_info[b].arg);
			for (int v = 0; v < PM_VERBS; v++)
				ck_assert(!pm_verb_takes((enum pm_verb)v, (enum pm_option)a) ||
					  !pm_verb_takes((enum pm_verb)v, (enum pm_option)b));
		}
	}
}
END_TEST

START_TEST(verbs_take_their_options)
{
	ck_assert(pm_verb_takes(PM_VERB_start, PM_OPT_help));
	ck_assert(pm_verb_takes(PM_VERB_run, PM_OPT_auto));
	ck_assert(!pm_verb_takes(PM_VERB_start, PM_OPT_auto));
	/* Names that contain another: sources takes --json, source does not; both directions. */
	ck_assert(pm_verb_takes(PM_VERB_sources, PM_OPT_json));
	ck_assert(!pm_verb_takes(PM_VERB_source, PM_OPT_json));
	ck_assert(pm_verb_takes(PM_VERB_source, PM_OPT_shell));
	ck_assert(!pm_verb_takes(PM_VERB_sources, PM_OPT_shell));
	/* Every word of every list is a verb: the lists' words and the verbs taking them agree. */
	for (int o = 0; o < PM_OPTIONS; o++) {
		const char *list = pm_option_info[o].verbs;
		int words = 0, takers = 0;

		for (const char *p = list; *p; p++)
			words += *p != ' ' && (p == list || p[-1] == ' ');
		for (int v = 0; v < PM_VERBS; v++)
			takers += pm_verb_takes((enum pm_verb)v, (enum pm_option)o);
		ck_assert_int_eq(takers, strcmp(list, "*") == 0 ? PM_VERBS : words);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tables");
	TCase *t = tcase_create("tables");

	tcase_add_test(t, columns_are_well_formed);
	tcase_add_test(t, unknown_columns_are_not_found);
	tcase_add_test(t, header_names_every_column);
	tcase_add_test(t, every_kind_of_record_has_its_key);
	tcase_add_test(t, job_keys_are_well_formed);
	tcase_add_test(t, options_are_unique);
	tcase_add_test(t, verbs_take_their_options);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
