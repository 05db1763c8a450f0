/* The verb report: explain a job. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/memtext.h"
#include "common/outfile.h"
#include "common/safe/tsv.h"
#include "common/text.h"
#include "report/job/report_json.h"
#include "report/job/report_pdf.h"
#include "report/job/report_text.h"
#include "report/jobwords.h"
#include "report/plot/document.h"
#include "report/print/options.h"
#include "report/print/pager.h"
#include "report/query/query.h"
#include "report/select.h"
#include "report/shellword.h"
#include "report/verbpage.h"
#include "report/web/webjobs.h"
#include "report/web/webpage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Default number of rows per table, and the largest effective --limit. */
#define ROWS     5
#define ROWS_MAX 1000

/* How a job is reported. */
enum form { FORM_HTML, FORM_PDF, FORM_JSON, FORM_BRIEF, FORM_SCREEN, FORM_SECTIONS, FORM_WHOLE };

/* What the options ask for. */
struct order {
	enum form form;
	struct pm_page page;
	size_t rows;
	bool all;
	uint32_t sections;
	const char *html;        /* the file of FORM_HTML */
	int64_t page_rows;       /* processes of it that stay as they are */
	const char *pdf, *paper; /* the file of FORM_PDF, and the size of its pages */
	const char *named;       /* the job, if one is; else NULL */
};

static int print_job(const struct order *o, const struct pm_facts *f)
{
	switch (o->form) {
	case FORM_HTML:
	case FORM_PDF:
		break;
	case FORM_JSON:
		return pm_report_json(stdout, f);
	case FORM_BRIEF:
		pm_report_brief(&o->page, f);
		return 0;
	case FORM_SCREEN:
		pm_report_screen(&o->page, f);
		return 0;
	case FORM_SECTIONS:
		return pm_report_sections(&o->page, f, o->all, o->sections);
	case FORM_WHOLE:
		break;
	}
	return pm_report_text(&o->page, f, o->all);
}

/* Note what further commands need to mean a job: the word that named it, NULL for none, and the
 * database. Returns 0, or -1 with e filled. */
static int note_name(struct pm_facts *f, const char *word, bool utf8, struct pm_err *e)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	if (to && word)
		pm_shellword_put(to, word);
	if (to)
		pm_shellword_put_db(to);
	if (!to || !pm_memtext_end(to, &text))
		return pm_err(e, "out of memory");
	/* A command that is cut would mean another job. */
	if (strlen(text) < sizeof f->named / 4)
		pm_text_safe(f->named, sizeof f->named, text, strlen(text), utf8);
	free(text);
	return 0;
}

/* Read the facts of the job that is selected, which `word` named, NULL for none. Its name is put
 * before an error. Returns 0, or -1 with e filled. */
static int read_facts(const struct order *o, const struct pm_selection *s, const char *word,
		      struct pm_facts *f, struct pm_err *e)
{
	const bool utf8 = o->form <= FORM_JSON || (o->page.utf8 && o->form != FORM_BRIEF);

	if (note_name(f, word, utf8, e) < 0)
		return -1;
	if ((o->form == FORM_BRIEF ? pm_query_brief : pm_query_facts)(s->db, s->job, utf8, f, e) ==
	    0)
		return 0;
	return f->job < 0 ? -1
			  : pm_err_prefix(e, "job %s%s%s", f->jobid, *f->array_task ? "_" : "",
					  f->array_task);
}

/* Write the page of the job that is selected. Returns 0, or -1 with e filled. */
static int report_page(const struct order *o, const struct pm_selection *s, struct pm_err *e)
{
	struct pm_outfile out = { 0 };
	struct pm_facts facts;
	int rc = -1;

	pm_facts_init(&facts, o->rows);
	facts.fold_wanted = true;
	if (read_facts(o, s, o->named, &facts, e) == 0 && pm_outfile_open(&out, o->html, e) == 0 &&
	    pm_webpage_write(out.f, s->db, &facts, o->page_rows, e) == 0)
		rc = pm_outfile_commit(&out, e);
	pm_outfile_abandon(&out);
	pm_facts_free(&facts);
	return rc;
}

/* Write the report of a job whose facts were read. Returns 0, or -1 with e filled. */
static int write_job(const struct order *o, const struct pm_selection *s, struct pm_facts *f,
		     struct pm_err *e)
{
	int rc;

	if (o->form == FORM_PDF)
		return pm_report_pdf(o->pdf, o->paper, s->db, f, o->all, e);
	rc = print_job(o, f);
	if (rc < 0 && !ferror(stdout))
		pm_err(e, "report: out of memory");
	return rc;
}

/* Report on the job that is selected. Returns 0, or -1 with e filled. */
static int report_job(const struct order *o, const struct pm_selection *s, struct pm_err *e)
{
	struct pm_facts facts;
	int rc;

	pm_facts_init(&facts, o->rows);
	rc = read_facts(o, s, o->named, &facts, e);
	if (rc == 0)
		rc = write_job(o, s, &facts, e);
	pm_facts_free(&facts);
	return rc;
}

/* The jobs of a report of several: those with these ids, which options select, else operands. */
struct jobs {
	const struct pm_cli *cli;
	int64_t *id; /* owned */
	size_t n;
};

/* Room for the word that names a job by its number. */
#define WORD_MAX 32

/* Select the next job; *word gets what names it, in room if there is no operand. Returns 0, or -1
 * with e filled. */
static int select_next(const struct jobs *j, size_t i, struct pm_selection *s, char room[WORD_MAX],
		       const char **word, struct pm_err *e)
{
	if (j->cli->argc == 0) {
		s->job = j->id[i];
		snprintf(room, WORD_MAX, "#%lld", (long long)s->job);
		*word = room;
		return 0;
	}
	*word = j->cli->argv[i];
	pm_select_close(s);
	return pm_select_job(j->cli, *word, s, e);
}

/* What a page of several jobs is made of. */
struct several {
	const struct order *o;
	const struct jobs *j;
	struct pm_selection *s;
	size_t *unread; /* jobs that cannot be read, which were told */
};

/* Fill e with how many of the jobs could not be read. Returns -1. */
static int fail_unread(size_t unread, size_t jobs, struct pm_err *e)
{
	return pm_err(e, "report: %zu of %zu jobs cannot be read", unread, jobs);
}

/* Add each job that can be read to a page. Returns 0, or -1 with e filled. */
static int add_jobs(const struct several *of, struct pm_webjobs *w, struct pm_err *e)
{
	int rc = 0;

	for (size_t i = 0; i < of->j->n && rc == 0; i++) {
		struct pm_facts facts;
		char room[WORD_MAX];
		const char *word;

		pm_facts_init(&facts, of->o->rows);
		rc = select_next(of->j, i, of->s, room, &word, e);
		if (rc == 0 && read_facts(of->o, of->s, word, &facts, e) < 0) {
			pm_warn("%s", e->text);
			++*of->unread;
		} else if (rc == 0) {
			rc = pm_webjobs_add(w, &facts, e);
		}
		pm_facts_free(&facts);
	}
	return rc;
}

/* Print the table of the jobs and their parts: a pm_verbpage_fn. */
static int put_jobs(const void *ctx, const struct pm_page *page, struct pm_err *e)
{
	const struct several *of = ctx;
	struct pm_webjobs w = { .parts = NULL };
	int rc = pm_webjobs_begin(&w, page, e);
	struct pm_err why;

	if (rc == 0)
		rc = add_jobs(of, &w, e);
	if (rc == 0)
		rc = pm_webjobs_end(&w, e);
	if (rc == 0 && *of->unread > 0) {
		fail_unread(*of->unread, of->j->n, &why);
		pm_page_text(page, "", why.text);
	}
	pm_webjobs_free(&w);
	return rc;
}

/* Write the page of several jobs. Returns 0, or -1 with e filled. */
static int jobs_page(const struct order *o, const struct jobs *j, struct pm_selection *s,
		     struct pm_err *e)
{
	size_t unread = 0;
	const struct several of = { o, j, s, &unread };
	char title[PM_VERBPAGE_TITLE], jobs[PM_FORMAT_MAX];

	snprintf(title, sizeof title, "Report of %s", pm_format_things(jobs, (int64_t)j->n, "job"));
	if (pm_verbpage_write(j->cli, title, put_jobs, &of, e) < 0)
		return -1;
	return unread > 0 ? fail_unread(unread, j->n, e) : 0;
}

/* Print the reports of several jobs, one after another; as JSON, an array. Those that cannot be
 * read are told and left out. Returns 0, or -1 with e filled. */
static int print_jobs(const struct order *o, const struct jobs *j, struct pm_selection *s,
		      struct pm_err *e)
{
	const bool json = o->form == FORM_JSON;
	size_t printed = 0, unread = 0;
	int rc = 0;

	if (json)
		fputs("[\n", stdout);
	else if (j->n == 0)
		puts("no jobs");
	for (size_t i = 0; i < j->n && rc == 0; i++) {
		struct pm_facts facts;
		char room[WORD_MAX];
		const char *word;

		pm_facts_init(&facts, o->rows);
		rc = select_next(j, i, s, room, &word, e);
		if (rc == 0 && read_facts(o, s, word, &facts, e) < 0) {
			pm_warn("%s", e->text);
			unread++;
		} else if (rc == 0) {
			if (printed++ > 0)
				puts(json ? "," : "");
			rc = write_job(o, s, &facts, e);
		}
		pm_facts_free(&facts);
	}
	if (json)
		fputs("]\n", stdout);
	return rc == 0 && unread > 0 ? fail_unread(unread, j->n, e) : rc;
}

/* Report on the jobs that operands name or options select. Returns an exit status, with e filled
 * unless it is 0. */
static int report_jobs(const struct pm_cli *cli, const struct order *o, struct pm_selection *s,
		       struct pm_err *e)
{
	struct jobs j = { .cli = cli, .n = (size_t)cli->argc };
	const char *newest = cli->value[PM_OPT_newest];
	int64_t limit = INT64_MAX;
	int status = PM_EXIT_OK;

	if (newest && (pm_tsv_number(newest, strlen(newest), &limit) < 0 || limit < 1)) {
		pm_err(e, "--newest %s: a number of jobs is needed", newest);
		return PM_EXIT_USAGE;
	}
	if (cli->argc == 0)
		status = pm_jobwords_find(cli, s->db, limit, &j.id, &j.n, e);
	if (status == PM_EXIT_OK &&
	    (o->form == FORM_HTML ? jobs_page(o, &j, s, e) : print_jobs(o, &j, s, e)) < 0)
		status = PM_EXIT_FAILED;
	free(j.id);
	return status;
}

/* How many processes of a page stay as they are. Returns 0 or -1 with e filled. */
static int read_page_rows(const struct pm_cli *cli, int64_t *rows, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_page_rows];

	*rows = PM_WEBPAGE_ROWS;
	if (given && (pm_tsv_number(given, strlen(given), rows) < 0 || *rows < 1))
		return pm_err(e, "--page-rows %s: a number of rows is needed", given);
	if (given && !cli->given[PM_OPT_html])
		return pm_err(e, "--page-rows: of a page, which needs --html FILE");
	return 0;
}

/* Check the options of a PDF. Returns 0, or -1 with e filled. */
static int check_pdf(const struct order *o, bool several, struct pm_err *e)
{
	if (!o->pdf)
		return o->paper ? pm_err(e, "report: --paper goes with --pdf") : 0;
	if (several)
		return pm_err(e, "report: a PDF is of one job");
	if (strcmp(o->pdf, "-") == 0 && isatty(STDOUT_FILENO))
		return pm_err(e, "report: a terminal cannot show a PDF: redirect standard output");
	return o->paper ? pm_document_paper(o->paper, e) : 0;
}

/* Read the options on form and page. On a terminal a report begins with one screen; elsewhere
 * programs may read it, and it is whole. Returns 0, or -1 with e filled. */
static int read_order(const struct pm_cli *cli, bool several, struct order *o, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json], brief = cli->given[PM_OPT_brief];
	const char *sections = cli->value[PM_OPT_section];
	int64_t limit;

	o->html = cli->value[PM_OPT_html];
	o->pdf = cli->value[PM_OPT_pdf];
	o->paper = cli->value[PM_OPT_paper];
	o->named = cli->argc > 0 ? cli->argv[0] : cli->value[PM_OPT_job];
	if (json + brief + (sections != NULL) + (o->html != NULL) + (o->pdf != NULL) > 1)
		return pm_err(e, "report: one of --html, --pdf, --json, --brief and --section at a "
				 "time");
	if (cli->value[PM_OPT_page_rows] && several)
		return pm_err(e, "report: --page-rows is of the page of one job");
	if (check_pdf(o, several, e) < 0)
		return -1;
	o->all = cli->given[PM_OPT_all];
	if (pm_options_page(cli, &o->page, e) < 0 ||
	    pm_options_limit(cli,
			     !o->html  ? ROWS
			     : several ? PM_WEBJOBS_PROGRAMS
				       : PM_WEBPAGE_PROGRAMS,
			     &limit, e) < 0 ||
	    read_page_rows(cli, &o->page_rows, e) < 0)
		return -1;
	o->rows = (size_t)(limit < ROWS_MAX ? limit : ROWS_MAX);
	if (sections && pm_report_find_sections(sections, &o->sections, e) < 0)
		return -1;
	o->form = o->html                            ? FORM_HTML
		  : o->pdf                           ? FORM_PDF
		  : json                             ? FORM_JSON
		  : brief                            ? FORM_BRIEF
		  : sections                         ? FORM_SECTIONS
		  : o->all || !isatty(STDOUT_FILENO) ? FORM_WHOLE
						     : FORM_SCREEN;
	return 0;
}

/* Find the job or jobs and report. Returns an exit status, with e filled unless it is 0. */
static int report(const struct pm_cli *cli, const struct order *o, bool several, struct pm_err *e)
{
	const bool paged = o->form >= FORM_SCREEN && !cli->given[PM_OPT_no_pager];
	struct pm_selection s = { 0 };
	int status = PM_EXIT_FAILED;
	struct pm_err late = { 0 };

	if (o->form == FORM_PDF && pm_document_can(e) < 0)
		return PM_EXIT_FAILED;
	if (cli->argc > 1 ||
	    (several ? pm_select_database(cli, NULL, &s, e)
		     : pm_select_job(cli, cli->argc ? cli->argv[0] : NULL, &s, e)) == 0) {
		if (paged && pm_pager_begin(e) < 0)
			status = PM_EXIT_FAILED;
		else if (several)
			status = report_jobs(cli, o, &s, e);
		else if ((o->form == FORM_HTML ? report_page(o, &s, e) : report_job(o, &s, e)) == 0)
			status = PM_EXIT_OK;
	}
	if (status == PM_EXIT_OK && !pm_pager_left() && pm_options_flush(e) < 0)
		status = PM_EXIT_FAILED;
	if (pm_pager_end(&late) < 0 && status == PM_EXIT_OK) {
		*e = late;
		status = PM_EXIT_FAILED;
	}
	pm_select_close(&s);
	return status;
}

int pm_verb_report(const struct pm_cli *cli, struct pm_err *e)
{
	const bool chosen = pm_jobwords_given(cli), named = cli->argc > 0 || cli->value[PM_OPT_job],
		   several = chosen || cli->argc > 1;
	struct order o = { 0 };

	if (cli->argc > 0 && cli->value[PM_OPT_job]) {
		pm_err(e, "report: name jobs, or one by --job, not both");
		return PM_EXIT_USAGE;
	}
	if ((named && chosen) || (cli->value[PM_OPT_newest] && !chosen)) {
		pm_err(e,
		       named && chosen
			       ? "report: name a job, or say by options which, not both"
			       : "report: --newest N of which jobs? Such as those of --user NAME");
		return PM_EXIT_USAGE;
	}
	return read_order(cli, several, &o, e) < 0 ? PM_EXIT_USAGE : report(cli, &o, several, e);
}
