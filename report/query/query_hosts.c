/* Facts of a job: its hosts, and the command, modules and environment from their metadata. */
#include "config.h"

#include "report/query/query.h"

#include "common/record/processname.h"
#include "common/text.h"
#include "report/rows/hostgpus.h"
#include "report/rows/query_row.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Convert the command from job-<host>.json, an array of texts, to one line. */
static void command_line(char *dst, size_t cap, const char *json, bool utf8)
{
	json_t *list = json ? json_loads(json, JSON_ALLOW_NUL, NULL) : NULL, *item;
	size_t i, len = 0;
	char line[PM_COMMAND_MAX + 5 * 256];

	line[0] = '\0';
	json_array_foreach (list, i, item) {
		char text[256];
		const char *s = json_string_value(item);

		if (!s || len >= PM_COMMAND_MAX)
			continue;
		pm_text_safe(text, sizeof text, s, json_string_length(item), utf8);
		len = pm_processname_quote(line, sizeof line, len, text);
	}
	pm_text_fit(dst, cap, line, (int)sizeof line, utf8);
	json_decref(list);
}

/* Append the texts of an array, each with a prefix, to a list. */
static void append_names(char *dst, size_t cap, const char *json, const char *mark, bool utf8)
{
	json_t *list = json ? json_loads(json, JSON_ALLOW_NUL, NULL) : NULL, *item;
	size_t i, len = strlen(dst);

	json_array_foreach (list, i, item) {
		const char *s = json_string_value(item);
		char text[256];

		if (!s)
			continue;
		pm_text_safe(text, sizeof text, s, json_string_length(item), utf8);
		if (len + strlen(text) + 8 < cap)
			len += (size_t)snprintf(dst + len, cap - len, "%s%s%s", len ? ", " : "",
						mark, text);
	}
	json_decref(list);
}

/* Append the names of variables that existed and have changed. */
static void append_changed(char *dst, size_t cap, const char *changes, const char *added, bool utf8)
{
	json_t *map = changes ? json_loads(changes, JSON_ALLOW_NUL, NULL) : NULL, *value, *item;
	json_t *fresh = added ? json_loads(added, JSON_ALLOW_NUL, NULL) : NULL, *list;
	const char *name;
	size_t i;
	char *text;

	/* In metadata of versions that did not write the names of new variables, new and changed
	 * ones cannot be told apart. */
	if (!fresh) {
		json_decref(map);
		return;
	}
	json_array_foreach (fresh, i, item)
		json_object_del(map, json_string_value(item));
	/* Sort by name like the other lists. */
	text = map ? json_dumps(map, JSON_SORT_KEYS) : NULL;
	json_decref(map);
	map = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
	free(text);
	list = json_array();
	json_object_foreach (map, name, value)
		if (!json_is_null(value))
			json_array_append_new(list, json_string(name));
	text = json_dumps(list, 0);
	append_names(dst, cap, text, "", utf8);
	free(text);
	json_decref(list);
	json_decref(map);
	json_decref(fresh);
}

/* Keep the least memory that the job may use on any host: a control group may allow less than the
 * host has. */
static void add_memory(struct pm_facts *f, int64_t memory, int64_t limit)
{
	bool limited = limit >= 0 && (memory < 0 || limit < memory);

	memory = limited ? limit : memory;
	if (memory < 0 || (f->memory >= 0 && memory >= f->memory))
		return;
	f->memory = memory;
	f->limited = limited;
}

/* The hosts that have GPUs come in the order of f->host. */
struct adding {
	struct pm_facts *f;
	size_t at;
};

static int add_gpus(void *ctx, int64_t host, const char *hostname, const struct pm_gpu *gpu,
		    size_t n, struct pm_err *e)
{
	struct adding *a = ctx;
	struct pm_fact_host *h;

	(void)hostname;
	while (a->at < a->f->hosts && a->f->host[a->at].id < host)
		a->at++;
	if (a->at == a->f->hosts || a->f->host[a->at].id != host)
		return 0;
	h = &a->f->host[a->at];
	h->gpu = malloc(n * sizeof *gpu);
	if (!h->gpu)
		return pm_err(e, "out of memory");
	memcpy(h->gpu, gpu, n * sizeof *gpu);
	h->gpus = n;
	return 0;
}

int pm_query_hosts(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT hostname, cpu_model, cpus_online, cpus_allowed, memory_kb, stop_time_us,"
		" start_cwd, start_command, clock_ticks, cpus_allocated, coverage, start_modules,"
		" stop_exit_reason, stop_environment_changes, stop_environment_added,"
		" stop_environment_removed, memory_limit_kb,"
		" stop_cgroup_oom_kills, start_time_us, id, cpu_time, page_size, start_cgroup_own,"
		" start_cgroup_oom_kills"
		" FROM host WHERE job_id = ? ORDER BY id";
	int64_t ticks = 100;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		int64_t memory = pm_format_scale(pm_query_int(q, 4), PM_KERNEL_KB);
		int64_t limit = pm_format_scale(pm_query_int(q, 16), PM_KERNEL_KB);
		struct pm_fact_host *h;

		add_memory(f, memory, limit);
		if (!pm_db_is_null(q, 17) && !pm_db_is_null(q, 23) &&
		    pm_db_int(q, 17) >= pm_db_int(q, 23))
			f->oom_kills = pm_format_add(
				f->oom_kills, pm_format_since(pm_db_int(q, 17), pm_db_int(q, 23)));
		if (!pm_db_is_null(q, 5))
			f->stopped = true;
		else if (!pm_db_is_null(q, 18))
			f->open = true;
		if (!*f->cwd)
			pm_query_field(f->cwd, sizeof f->cwd, q, 6, utf8);
		if (!*f->command)
			command_line(f->command, sizeof f->command, pm_db_text(q, 7, NULL), utf8);
		if (!pm_db_is_null(q, 8) && pm_db_int(q, 8) > 0)
			ticks = pm_db_int(q, 8);
		if (!*f->modules)
			append_names(f->modules, sizeof f->modules, pm_db_text(q, 11, NULL), "",
				     utf8);
		if (!*f->exit_reason)
			pm_query_field(f->exit_reason, sizeof f->exit_reason, q, 12, utf8);
		f->unstarted = strcmp(f->exit_reason, "not-started") == 0;
		if (!*f->environment) {
			const char *added = pm_db_text(q, 14, NULL);

			append_names(f->environment, sizeof f->environment, added, "+", utf8);
			append_names(f->environment, sizeof f->environment, pm_db_text(q, 15, NULL),
				     "-", utf8);
			append_changed(f->environment, sizeof f->environment,
				       pm_db_text(q, 13, NULL), added, utf8);
		}
		h = pm_facts_host(f);
		if (!h) {
			rc = pm_err(e, "out of memory");
			break;
		}
		h->id = pm_db_int(q, 19);
		pm_query_field(h->name, sizeof h->name, q, 0, utf8);
		pm_query_field(h->cpu_model, sizeof h->cpu_model, q, 1, utf8);
		h->cpus_online = pm_query_int(q, 2);
		h->cpus_allowed = pm_query_int(q, 3);
		h->cpus_allocated = pm_query_int(q, 9);
		h->coverage = pm_query_real(q, 10);
		h->memory = memory;
		h->memory_limit = limit;
		h->cpu_us = pm_query_int(q, 20);
		h->own_cgroup = !pm_db_is_null(q, 22);
		h->page_size = pm_db_is_null(q, 21) ? 4096 : pm_db_int(q, 21);
	}
	pm_db_finish(q);
	if (f->blkio_us >= 0) /* still in clock ticks */
		f->blkio_us = pm_format_scale(f->blkio_us, 1000000 / ticks);
	if (rc < 0)
		return -1;
	return pm_query_hostgpus(db, job, utf8, add_gpus, &(struct adding){ .f = f }, e);
}
