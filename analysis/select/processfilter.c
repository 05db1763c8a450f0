/* Conditions on table process, as SQL with parameters, of what the user wrote. */
#include "config.h"

#include "analysis/select/processfilter.h"

#include "analysis/select/opselect.h"
#include "common/memtext.h"
#include "common/record/processname.h"
#include "common/safe/buf.h"
#include "common/safe/tsv.h"
#include "common/settings/config_parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of a program by which jobs are chosen; labels of longer ones are cut. */
#define NAME_MAX_LABEL 150

/* Names of executables are stored as in records. */
static int is_program(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	const size_t n = strlen(word), room = 4 * n + 1;
	char *stored = malloc(room);
	struct pm_buf b;
	int rc;

	(void)about;
	if (!stored)
		return pm_err(e, "out of memory");
	pm_buf_init(&b, stored, room - 1);
	pm_tsv_escape(&b, word, n);
	stored[b.len] = '\0';
	fputs("process.exename = ?", m->sql);
	rc = pm_parameters_add(m->values, stored, 0, e);
	free(stored);
	return rc;
}

/* The label of a program is its name; of an interpreter, it may go on behind a blank. */
static int ran_program(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	const bool whole = pm_processname_uses(word) == PM_PROCESSNAME_EXENAME;

	(void)about;
	fputs("s.program = ?", m->sql);
	if (pm_parameters_add(m->values, word, 0, e) < 0)
		return -1;
	if (whole)
		return 0;
	fprintf(m->sql, " OR substr(s.program, 1, %zu) = ? || ' '", strlen(word) + 1);
	return pm_parameters_add(m->values, word, 0, e);
}

/* The label that stands for all programs where there are too many: of a job with this many
 * processes at least (db/programs.c). */
static int ran_various(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	(void)word;
	(void)about;
	(void)e;
	fputs("s.program = '(various programs)'", m->sql);
	return 0;
}

#define VARIOUS_PROCESSES "8192"

static int is_pid(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	int64_t pid;

	(void)about;
	if (pm_tsv_number(word, strlen(word), &pid) < 0)
		return pm_err(e, "'%s' is no process id", word);
	fputs("process.pid = ?", m->sql);
	return pm_parameters_add(m->values, NULL, pid, e);
}

/* Whether all names are their labels' beginning: no sign in them is shown otherwise, and none is
 * cut. */
static bool names_are_plain(const char *list)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._+-";

	while (*list) {
		size_t n = strspn(list, plain);

		if (n == 0 || n > NAME_MAX_LABEL || (list[n] && list[n] != ','))
			return false;
		list += n + (list[n] == ',');
	}
	return true;
}

/* PostgreSQL may read the rows of all jobs into a hash for EXISTS, which is the quickest for all
 * jobs, and does not for the first row. */
struct way {
	const char *begin, *end;
	const char *tag; /* begin of the condition that a process has a tag; see has_tags() */
};
#define TAG_OF_JOB "SELECT 1 FROM tag_set t WHERE t.job_id = job.id AND t.id > 0 AND "
static const struct way exists = { "EXISTS (", ")", "EXISTS (" TAG_OF_JOB };
static const struct way first_row = { "(", " LIMIT 1) = 1", "1 = (" TAG_OF_JOB };

#define TAG_OF_ROW                                                                                 \
	"EXISTS (SELECT 1 FROM tag_set t WHERE t.job_id = process.job_id AND t.id = "              \
	"process.tag_set AND "

/* Write that there is a tag, of any value or of one. */
static int has_tag(struct pm_conditions *m, const struct pm_optag *tag, struct pm_err *e)
{
	fputs(tag->value ? PM_CONDITIONS_PAIR : "name = ?", m->sql);
	if (pm_parameters_add(m->values, tag->name, 0, e) < 0)
		return -1;
	for (int i = 0; tag->value && i < 2; i++)
		if (pm_parameters_add(m->values, tag->value, 0, e) < 0)
			return -1;
	return 0;
}

/* A group of tags, all of which must be there, as verb ops takes it. about: what is before the
 * condition on a tag. */
static int has_tags(struct pm_conditions *m, char *word, const char *about, struct pm_err *e)
{
	struct pm_opselect s = { .group = NULL };
	int rc = pm_opselect_take(&s, word, e);
	const struct pm_opselect_group *g = s.group;

	if (rc == 0 && g->tags > PM_CONDITIONS_MOST)
		rc = pm_err(e, "a group has more than %d tags", PM_CONDITIONS_MOST);
	fputc('(', m->sql);
	for (size_t i = 0; rc == 0 && i < g->tags; i++) {
		fprintf(m->sql, "%s%s", i ? " AND " : "", about);
		rc = has_tag(m, &g->tag[i], e);
		fputs(" LIMIT 1)", m->sql);
	}
	fputc(')', m->sql);
	pm_opselect_free(&s);
	return rc;
}

static int add_rows(struct pm_conditions *m, const struct pm_processfilter_words *w,
		    int64_t longer_us, struct pm_err *e)
{
	if (pm_conditions_list(m, w->program, is_program, NULL, e) < 0 ||
	    pm_conditions_list(m, w->tag, has_tags, TAG_OF_ROW, e) < 0 ||
	    pm_conditions_list(m, w->pid, is_pid, NULL, e) < 0)
		return -1;
	if (w->longer) {
		pm_conditions_begin(m);
		fputs("process.duration_us >= ?", m->sql);
		if (pm_parameters_add(m->values, NULL, longer_us, e) < 0)
			return -1;
	}
	if (w->failed) {
		pm_conditions_begin(m);
		fputs("(process.exitcode <> 0 OR process.exitsignal IS NOT NULL OR "
		      "process.end_reason = 'signal')",
		      m->sql);
	}
	return 0;
}

/* Write that the totals of programs have one such as these. Returns 0, or -1 with e filled. */
static int add_program(struct pm_conditions *m, const struct pm_processfilter_words *w,
		       int64_t longer_us, pm_conditions_alternative *each, const struct way *way,
		       struct pm_err *e)
{
	struct pm_conditions of = { m->sql, m->values, " AND ", false };
	int rc = 0;

	fprintf(m->sql, "%sSELECT 1 FROM program_summary s WHERE s.job_id = job.id", way->begin);
	if (each)
		rc = pm_conditions_list(&of, w->program, each, NULL, e);
	if (w->longer && rc == 0) {
		fputs(" AND s.duration_us >= ?", m->sql);
		rc = pm_parameters_add(m->values, NULL, longer_us, e);
	}
	if (w->failed)
		fputs(" AND s.failed > 0", m->sql);
	fputs(way->end, m->sql);
	return rc;
}

/* The totals of programs say of each job which programs ran, how long at most, and which failed. */
static int add_jobs(struct pm_conditions *m, const struct pm_processfilter_words *w,
		    int64_t longer_us, const struct way *way, struct pm_err *e)
{
	const bool program = w->program && names_are_plain(w->program);
	int rc;

	if (pm_conditions_list(m, w->tag, has_tags, way->tag, e) < 0)
		return -1;
	/* There is no index: whoever asks asks about few jobs. */
	if (w->pid) {
		struct pm_conditions of = { m->sql, m->values, " AND ", false };

		pm_conditions_begin(m);
		fputs("(SELECT 1 FROM process WHERE process.job_id = job.id", m->sql);
		if (pm_conditions_list(&of, w->pid, is_pid, NULL, e) < 0)
			return -1;
		fputs(" LIMIT 1) = 1", m->sql);
	}
	if (w->failed) {
		pm_conditions_begin(m);
		fputs("failed > 0", m->sql);
	}
	if (!program && !w->longer)
		return 0;
	pm_conditions_begin(m);
	fputc('(', m->sql);
	rc = add_program(m, w, longer_us, program ? ran_program : NULL, way, e);
	if (program && rc == 0) {
		fputs(" OR (processes > " VARIOUS_PROCESSES " AND ", m->sql);
		rc = add_program(m, w, longer_us, ran_various, way, e);
		fputc(')', m->sql);
	}
	fputc(')', m->sql);
	return rc;
}

static int add_all_jobs(struct pm_conditions *m, const struct pm_processfilter_words *w,
			int64_t longer_us, struct pm_err *e)
{
	return add_jobs(m, w, longer_us, &exists, e);
}

static int add_few_jobs(struct pm_conditions *m, const struct pm_processfilter_words *w,
			int64_t longer_us, struct pm_err *e)
{
	return add_jobs(m, w, longer_us, &first_row, e);
}

/* A function that writes conditions. */
typedef int add_fn(struct pm_conditions *m, const struct pm_processfilter_words *w,
		   int64_t longer_us, struct pm_err *e);

static int make(char **sql, struct pm_parameters *values, add_fn *add,
		const struct pm_processfilter_words *w, int64_t longer_us, struct pm_err *e)
{
	struct pm_conditions m = { .values = values, .lead = "" };
	size_t n;
	int rc;

	m.sql = open_memstream(sql, &n);
	if (!m.sql)
		return pm_err(e, "out of memory");
	rc = add(&m, w, longer_us, e);
	return pm_memtext_end(m.sql, sql) ? rc : pm_err(e, "out of memory");
}

int pm_processfilter_make(struct pm_processfilter *f, const struct pm_processfilter_words *w,
			  struct pm_err *e)
{
	struct pm_parameters same = { .n = 0 };
	int64_t longer_us = 0;
	int rc;

	*f = (struct pm_processfilter){ .rows = NULL };
	if (w->longer && *w->longer && isdigit((unsigned char)w->longer[strlen(w->longer) - 1]))
		return pm_err(e, "--longer %s: a unit is needed, as 90s or 1h", w->longer);
	if (w->longer && pm_duration_parse(w->longer, &longer_us, e) < 0)
		return -1;
	rc = make(&f->rows, &f->row_values, add_rows, w, longer_us, e);
	if (rc == 0)
		rc = make(&f->jobs, &f->job_values, add_all_jobs, w, longer_us, e);
	if (rc == 0)
		rc = make(&f->few, &same, add_few_jobs, w, longer_us, e);
	pm_parameters_free(&same);
	return rc;
}

void pm_processfilter_free(struct pm_processfilter *f)
{
	free(f->rows);
	free(f->jobs);
	free(f->few);
	pm_parameters_free(&f->row_values);
	pm_parameters_free(&f->job_values);
	*f = (struct pm_processfilter){ .rows = NULL };
}
