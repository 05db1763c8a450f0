/* The verb status: list the user's jobs, from running to loaded. */
#include "config.h"

#include "report/status.h"

#include "common/text.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/page.h"
#include "report/print/table.h"

#include "common/cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of jobs from the database shown without --limit. */
#define LOADED_SHOWN 20

static const struct pm_table_column columns[] = {
	{ "Job", false, 12, 0 },  { "State", false, 0, 0 },   { "Started", false, 0, 2 },
	{ "Name", false, 10, 3 }, { "Hosts", false, 10, -1 }, { "Remarks", false, 20, -1 },
};

/* The state of a job: the farthest stage that it has reached, unless it is still open. */
static const char *state_of(const json_t *job)
{
	if (json_is_true(json_object_get(job, "open")))
		return "open";
	if (json_object_get(job, "stale"))
		return "stale";
	if (json_is_true(json_object_get(job, "outdated")))
		return json_object_get(job, "directory") ? "recorded" : "staged";
	if (json_integer_value(json_object_get(job, "rejected")) > 0)
		return "rejected";
	if (json_is_true(json_object_get(job, "loaded")))
		return "loaded";
	return json_object_get(job, "archives") ? "staged" : "recorded";
}

static int64_t start_of(const json_t *job)
{
	return json_integer_value(json_object_get(job, "start_us"));
}

/* Sort the newest job last, as in a log: it is printed next to the prompt. */
static int by_start(const void *a, const void *b)
{
	int64_t x = start_of(*(json_t *const *)a), y = start_of(*(json_t *const *)b);

	return (x > y) - (x < y);
}

/* Sort the jobs and add their states. Returns an array of borrowed entries that the caller frees,
 * or NULL if out of memory. */
static json_t **sort_jobs(json_t *jobs, size_t *n)
{
	json_t **list = calloc(json_object_size(jobs) + 1, sizeof(json_t *)), *job;
	const char *key;

	*n = 0;
	if (!list)
		return NULL;
	json_object_foreach (jobs, key, job) {
		json_object_set_new(job, "state", json_string(state_of(job)));
		list[(*n)++] = job;
	}
	qsort(list, *n, sizeof(json_t *), by_start);
	return list;
}

static void put_cell(struct pm_table *t, const char *text)
{
	char safe[512];

	pm_text_safe(safe, sizeof safe, text, strlen(text), t->page->utf8);
	pm_table_cell(t, safe);
}

static const char *text_of(const json_t *job, const char *name)
{
	const char *text = json_string_value(json_object_get(job, name));

	return text ? text : "";
}

static void put_hosts(struct pm_table *t, const json_t *job)
{
	const json_t *hosts = json_object_get(job, "hosts");
	char text[256];
	size_t n = json_array_size(hosts);

	if (n > 1)
		snprintf(text, sizeof text, "%s and %zu more",
			 json_string_value(json_array_get(hosts, 0)), n - 1);
	else
		snprintf(text, sizeof text, "%s",
			 n ? json_string_value(json_array_get(hosts, 0)) : "");
	put_cell(t, text);
}

/* Slurm tasks that ran unrecorded, on all hosts. */
static long long unrecorded_tasks(const json_t *job)
{
	const json_t *hosts = json_object_get(job, "tasks_unrecorded"), *n;
	long long sum = 0;
	const char *host;

	json_object_foreach ((json_t *)(uintptr_t)hosts, host, n)
		sum += json_integer_value(n);
	return sum;
}

/* Append the cell with remarks: problems, and commands that solve them. */
static void put_remarks(struct pm_table *t, const json_t *job)
{
	const char *state = text_of(job, "state"),
		   *directory = strrchr(text_of(job, "directory"), '/');
	size_t archives = json_array_size(json_object_get(job, "archives"));
	long long tasks = unrecorded_tasks(job);
	long long rejected = json_integer_value(json_object_get(job, "rejected"));
	char text[512] = "";
	size_t len;

	if (strcmp(state, "stale") == 0)
		snprintf(text, sizeof text, "%s: perfmon stop -j %s", text_of(job, "stale"),
			 directory ? directory + 1 : "");
	else if (strcmp(state, "open") != 0 && json_is_true(json_object_get(job, "outdated")))
		snprintf(text, sizeof text, "%s",
			 json_object_get(job, "grown") ? "more was recorded after it was loaded"
						       : "loaded while still open");
	else if (strcmp(state, "rejected") == 0)
		snprintf(text, sizeof text, "loaded, %lld line%s rejected", rejected,
			 rejected == 1 ? "" : "s");
	else if (strcmp(state, "loaded") == 0 && directory)
		snprintf(text, sizeof text, "its directory is still there");
	else if (strcmp(state, "staged") == 0 && archives > 1)
		snprintf(text, sizeof text, "%zu archives", archives);
	len = strlen(text);
	if (tasks > 0)
		snprintf(text + len, sizeof text - len, "%s%lld task%s of Slurm went unrecorded",
			 len ? "; " : "", tasks, tasks == 1 ? "" : "s");
	put_cell(t, text);
}

static int print_table(const struct pm_page *page, json_t **list, size_t n, struct pm_err *e)
{
	struct pm_table t;

	pm_table_init(&t, page, columns, sizeof columns / sizeof columns[0], 0);
	for (size_t i = 0; i < n; i++) {
		const char *task = text_of(list[i], "array_task");
		char text[PM_FORMAT_MAX > 512 ? PM_FORMAT_MAX : 512];

		snprintf(text, sizeof text, "%s%s%s", text_of(list[i], "jobid"), *task ? "_" : "",
			 task);
		put_cell(&t, text);
		put_cell(&t, text_of(list[i], "state"));
		put_cell(&t, pm_format_minute(text,
					      start_of(list[i]) ? start_of(list[i]) : PM_UNKNOWN));
		put_cell(&t, text_of(list[i], "name"));
		put_hosts(&t, list[i]);
		put_remarks(&t, list[i]);
	}
	return pm_table_finish(&t) < 0 ? pm_err(e, "out of memory") : 0;
}

static int print_json(json_t **list, size_t n)
{
	json_t *array = json_array();
	int rc;

	for (size_t i = 0; i < n; i++)
		json_array_append(array, list[i]);
	rc = json_dumpf(array, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(array);
	return rc;
}

int pm_verb_status(const struct pm_cli *cli, struct pm_err *e)
{
	json_t *jobs = json_object(), **list = NULL;
	int rc = PM_EXIT_FAILED;
	struct pm_page page;
	int64_t limit;
	size_t n;

	if (cli->argc > 0) {
		pm_err(e, "status takes no operand");
		rc = PM_EXIT_USAGE;
	} else if (pm_options_page(cli, &page, e) < 0 ||
		   pm_options_limit(cli, LOADED_SHOWN, &limit, e) < 0) {
		rc = PM_EXIT_USAGE;
	} else if (pm_status_recorded(jobs, e) == 0 && pm_status_staged(jobs, e) == 0 &&
		   pm_status_loaded(jobs, limit, e) == 0 && (list = sort_jobs(jobs, &n)) != NULL) {
		/* The newest jobs are at the end. */
		size_t from =
			cli->given[PM_OPT_limit] && n > (uint64_t)limit ? n - (size_t)limit : 0;

		rc = (cli->given[PM_OPT_json]
			      ? print_json(list + from, n - from)
			      : print_table(&page, list + from, n - from, e)) == 0 &&
				     pm_options_flush(e) == 0
			     ? PM_EXIT_OK
			     : PM_EXIT_FAILED;
	}
	free(list);
	json_decref(jobs);
	return rc;
}
