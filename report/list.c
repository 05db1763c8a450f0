/* The verb list: print the contents of the database as a table, JSON or CSV. */
#include "config.h"

#include "report/jobwords.h"
#include "report/list_tables.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "report/select.h"

#include "common/cli/verb.h"

#include <stdio.h>
#include <string.h>

/* Subjects of list: the first operand of the verb. */
#define SUBJECTS                                                                                   \
	"jobs, processes, threads, counters, hosts, summaries, energy, phases, tags, analyses or " \
	"metrics"

static const struct subject {
	const char *name;
	enum pm_values_text text;
	/* Queries of every column, for JSON and CSV: see pm_list_prepare(). NULL: there is no such
	 * question. */
	const char *sql, *all;
	const struct pm_list_table *table; /* for people: neither JSON nor CSV */
} subjects[] = {
	{ "jobs", PM_VALUES_PLAIN, "SELECT * FROM job WHERE id = ?", "SELECT * FROM job",
	  &pm_list_jobs },
	{ "processes", PM_VALUES_ESCAPED,
	  "SELECT p.*, h.hostname, h.boot_id FROM process p"
	  " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id WHERE p.job_id = ?"
	  " ORDER BY p.id",
	  NULL, &pm_list_processes },
	{ "threads", PM_VALUES_ESCAPED,
	  "SELECT * FROM thread WHERE job_id = ? ORDER BY process_id, id", NULL, &pm_list_threads },
	{ "counters", PM_VALUES_ESCAPED,
	  "SELECT * FROM counter WHERE job_id = ? ORDER BY process_id, thread_id, name", NULL,
	  &pm_list_counters },
	{ "hosts", PM_VALUES_PLAIN, "SELECT * FROM host WHERE job_id = ? ORDER BY id", NULL,
	  &pm_list_hosts },
	{ "summaries", PM_VALUES_PLAIN,
	  "SELECT h.hostname, s.* FROM node_summary s JOIN host h ON h.job_id = s.job_id"
	  " AND h.id = s.host_id WHERE s.job_id = ? ORDER BY s.host_id",
	  NULL, &pm_list_summaries },
	{ "energy", PM_VALUES_ESCAPED,
	  "SELECT h.hostname, e.* FROM energy e JOIN host h ON h.job_id = e.job_id"
	  " AND h.id = e.host_id WHERE e.job_id = ? ORDER BY e.host_id, e.id",
	  NULL, &pm_list_energy },
	{ "phases", PM_VALUES_ESCAPED,
	  "SELECT p.*, h.hostname FROM phase p JOIN host h ON h.job_id = p.job_id"
	  " AND h.id = p.host_id WHERE p.job_id = ? ORDER BY p.host_id, p.id",
	  NULL, &pm_list_phases },
	{ "tags", PM_VALUES_ESCAPED, "SELECT * FROM tag WHERE job_id = ? ORDER BY process_id, name",
	  NULL, &pm_list_tags },
	{ "analyses", PM_VALUES_PLAIN,
	  "SELECT * FROM analysis WHERE job_id = ? ORDER BY name, model", NULL, &pm_list_analyses },
	{ "metrics", PM_VALUES_PLAIN, NULL, "SELECT * FROM metric ORDER BY name",
	  &pm_list_metrics },
};

static const struct subject *find_subject(const char *name)
{
	for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
		if (strcmp(subjects[i].name, name) == 0)
			return &subjects[i];
	return NULL;
}

static int print_raw(const struct subject *subject, struct pm_db *db, const struct pm_list_ask *ask,
		     bool csv, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_list_prepare(db, subject->sql, subject->all, ask, &q, e) < 0)
		return -1;
	if (csv) {
		rc = pm_values_csv(stdout, q, e);
	} else {
		rc = pm_values_json(stdout, q, subject->text, 2, e);
		putchar('\n');
	}
	pm_db_finish(q);
	return rc;
}

int pm_verb_list(const struct pm_cli *cli, struct pm_err *e)
{
	const struct subject *subject = cli->argc > 0 ? find_subject(cli->argv[0]) : NULL;
	int operands = subject ? 1 : 0, rc = PM_EXIT_FAILED;
	const char *job = cli->argc > operands ? cli->argv[operands] : NULL;
	struct pm_jobfilter_words words = { .user = NULL };
	struct pm_jobfilter filter = { .where = NULL };
	struct pm_list_ask ask = { .job = 0 };
	struct pm_selection s = { 0 };
	struct pm_page page;
	const char *which = pm_jobwords_take(cli, &words);

	if (cli->argc > operands + 1) {
		pm_err(e, "list %s: " SUBJECTS ", then one job", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_json] && cli->given[PM_OPT_csv]) {
		pm_err(e, "list: --json or --csv, not both");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, 0, &ask.limit, e) < 0 ||
	    pm_options_offset(cli, &ask.offset, e) < 0)
		return PM_EXIT_USAGE;
	if (!subject)
		subject = &subjects[0];
	if (which && (subject != &subjects[0] || job || cli->value[PM_OPT_job])) {
		pm_err(e,
		       "list: --%s says which of all jobs to list, as in: perfmon list jobs --%s "
		       "...",
		       which, which);
		return PM_EXIT_USAGE;
	}
	if ((!subject->all ? pm_select_job : pm_select_database)(cli, job, &s, e) < 0) {
		/* The operand may be a misspelt subject. */
		if (job && operands == 0) {
			struct pm_err why = *e;

			pm_err(e, "list takes " SUBJECTS ", or a job; %s", why.text);
			/* Job ids usually contain digits. */
			if (s.unknown && !strpbrk(job, "0123456789"))
				rc = PM_EXIT_USAGE;
		}
		goto out;
	}
	ask.job = s.job;
	if (!s.job && subject == &subjects[0]) {
		const int status = pm_jobwords_filter(&words, s.db, &filter, e);

		if (status != PM_EXIT_OK) {
			rc = status;
			goto out;
		}
		ask.filter = &filter;
	}
	if (cli->given[PM_OPT_json] || cli->given[PM_OPT_csv]) {
		if (print_raw(subject, s.db, &ask, cli->given[PM_OPT_csv], e) < 0)
			goto out;
	} else if (pm_list_print(subject->table, &page, s.db, &ask, e) < 0) {
		goto out;
	}
	if (pm_options_flush(e) == 0)
		rc = PM_EXIT_OK;
out:
	pm_jobfilter_free(&filter);
	pm_select_close(&s);
	return rc;
}
