/* The verb list: print the contents of the database as a table, JSON or CSV. */
#include "config.h"

#include "report/list_tables.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "report/select.h"

#include "common/cli/verb.h"

#include <stdio.h>
#include <string.h>

/* Subjects of list: the first operand of the verb. */
#define SUBJECTS                                                                                   \
	"jobs, processes, threads, counters, hosts, summaries, energy, phases, tags or metrics"

static const struct subject {
	const char *name;
	enum pm_values_text text;
	/* Queries of every column, for JSON and CSV; LIMIT can be appended. sql has the rows of one
	 * job, all those without a job; NULL: there is no such question. */
	const char *sql, *all;
	const struct pm_list_table *table; /* for people: neither JSON nor CSV */
} subjects[] = {
	{ "jobs", PM_VALUES_PLAIN, "SELECT * FROM job WHERE id = ?",
	  "SELECT * FROM job ORDER BY start_us DESC NULLS LAST, id DESC", &pm_list_jobs },
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

static int print_raw(const struct subject *subject, const struct pm_selection *s, int64_t limit,
		     bool csv, struct pm_err *e)
{
	bool of_job = s->job && subject->sql;
	char sql[512];
	struct pm_stmt *q;
	int rc;

	snprintf(sql, sizeof sql, "%s LIMIT ?", of_job ? subject->sql : subject->all);
	if (pm_db_prepare(s->db, sql, &q, e) < 0)
		return -1;
	if (of_job)
		pm_db_bind_int(q, 1, s->job);
	pm_db_bind_int(q, of_job ? 2 : 1, limit);
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
	struct pm_selection s = { 0 };
	struct pm_page page;
	int64_t limit;

	if (cli->argc > operands + 1) {
		pm_err(e, "list %s: " SUBJECTS ", then one job", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	if (cli->given[PM_OPT_json] && cli->given[PM_OPT_csv]) {
		pm_err(e, "list: --json or --csv, not both");
		return PM_EXIT_USAGE;
	}
	if (pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, 0, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (!subject)
		subject = &subjects[0];
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
	if (cli->given[PM_OPT_json] || cli->given[PM_OPT_csv]) {
		if (print_raw(subject, &s, limit, cli->given[PM_OPT_csv], e) < 0)
			goto out;
	} else if (pm_list_print(subject->table, &page, s.db, s.job, limit, e) < 0) {
		goto out;
	}
	if (pm_options_flush(e) == 0)
		rc = PM_EXIT_OK;
out:
	pm_select_close(&s);
	return rc;
}
