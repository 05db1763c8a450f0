/* Facts of jobs: environments, modules, settings, hosts, binaries; and those that differ. */
#include "config.h"

#include "analysis/compare/store.h"

#include "common/grow.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job's id in a value is replaced by this, as variables of batch systems and paths have it. Ids
 * that are as short as many a number are left alone. */
#define JOBID       "<jobid>"
#define JOBID_LEAST 3

/* Columns of tables job and host that are facts. */
static const struct {
	const char *column, *name;
} of_job[] = {
	{ "script", "script" }, { "queue", "queue" }, { "account", "account" }, { "nodes", "nodes" },
	{ "tasks", "tasks" },   { "cpus", "CPUs" },   { "hosts", "hosts" },     { "ranks", "ranks" },
	{ "scheduler", "scheduler" },
}, of_host[] = {
	{ "hostname", "host name" },
	{ "kernel", "kernel" },
	{ "os", "system" },
	{ "machine", "machine" },
	{ "cpu_model", "processor" },
	{ "cpus_online", "CPUs online" },
	{ "cpus_allowed", "CPUs allowed" },
	{ "cpus_allocated", "CPUs allocated" },
	{ "sockets", "sockets" },
	{ "threads_per_core", "threads per core" },
	{ "numa_nodes", "NUMA nodes" },
	{ "memory_kb", "memory, kB" },
	{ "memory_limit_kb", "memory limit, kB" },
	{ "swap_kb", "swap, kB" },
	{ "hypervisor", "hypervisor" },
	{ "system", "product" },
	{ "gpus", "GPUs" },
};

#define JOB_FACTS  (sizeof of_job / sizeof of_job[0])
#define HOST_FACTS (sizeof of_host / sizeof of_host[0])

/* --- values ----------------------------------------------------------------------------------- */

/* Add a value, with a word for the job's id in it. */
static int add(struct pm_compare *c, size_t job, enum pm_compare_about about, const char *name,
	       const char *text, struct pm_err *e)
{
	const char *id = c->job[job].jobid;
	const size_t n = strlen(id);
	char *plain = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (n < JOBID_LEAST || !strstr(text, id))
		return pm_compare_store_fact(c->store, about, name, job, text, strlen(text), e);
	out = open_memstream(&plain, &size);
	if (!out)
		return pm_err(e, "out of memory");
	for (const char *at; (at = strstr(text, id)) != NULL; text = at + n)
		fprintf(out, "%.*s" JOBID, (int)(at - text), text);
	fputs(text, out);
	if (fclose(out) != 0) {
		free(plain);
		return pm_err(e, "out of memory");
	}
	rc = pm_compare_store_fact(c->store, about, name, job, plain, size, e);
	free(plain);
	return rc;
}

/* Add the members of a map of texts, or the elements of a list as names. What is no such thing, as
 * in a damaged database, is left out. */
static int add_members(struct pm_compare *c, size_t job, enum pm_compare_about about,
		       const char *text, struct pm_err *e)
{
	json_t *all = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL, *value;
	const char *name;
	size_t i;
	int rc = 0;

	if (json_is_object(all))
		json_object_foreach (all, name, value)
			if (rc == 0 && json_is_string(value))
				rc = add(c, job, about, name, json_string_value(value), e);
	if (json_is_array(all))
		json_array_foreach (all, i, value)
			if (rc == 0 && json_is_string(value))
				rc = add(c, job, about, json_string_value(value), "loaded", e);
	json_decref(all);
	return rc;
}

/* A list of texts as one line. */
static int add_command(struct pm_compare *c, size_t job, const char *text, struct pm_err *e)
{
	json_t *list = text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL, *value;
	char *line = NULL;
	size_t i, size;
	FILE *out;
	int rc = 0;

	if (json_is_array(list)) {
		out = open_memstream(&line, &size);
		if (out) {
			json_array_foreach (list, i, value)
				fprintf(out, "%s%s", i ? " " : "",
					json_is_string(value) ? json_string_value(value) : "");
			if (fclose(out) != 0)
				out = NULL;
		}
		rc = out ? add(c, job, PM_COMPARE_SETTING, "command", line, e)
			 : pm_err(e, "out of memory");
		free(line);
	}
	json_decref(list);
	return rc;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int take_job(struct pm_compare *c, size_t job, struct pm_stmt *q, struct pm_err *e)
{
	for (size_t i = 0; i < JOB_FACTS; i++) {
		const char *text = pm_db_text(q, (int)i, NULL);

		if (text && *text && add(c, job, PM_COMPARE_SETTING, of_job[i].name, text, e) < 0)
			return -1;
	}
	return 0;
}

static int take_host(struct pm_compare *c, size_t job, struct pm_stmt *q, struct pm_err *e)
{
	const char *text;

	for (size_t i = 0; i < HOST_FACTS; i++) {
		text = pm_db_text(q, (int)i, NULL);
		if (text && *text && add(c, job, PM_COMPARE_HOST, of_host[i].name, text, e) < 0)
			return -1;
	}
	if (add_members(c, job, PM_COMPARE_ENVIRONMENT, pm_db_text(q, HOST_FACTS, NULL), e) < 0 ||
	    add_members(c, job, PM_COMPARE_MODULES, pm_db_text(q, HOST_FACTS + 1, NULL), e) < 0 ||
	    add_command(c, job, pm_db_text(q, HOST_FACTS + 2, NULL), e) < 0)
		return -1;
	text = pm_db_text(q, HOST_FACTS + 3, NULL);
	return text ? add(c, job, PM_COMPARE_SETTING, "directory", text, e) : 0;
}

static int take_binary(struct pm_compare *c, size_t job, struct pm_stmt *q, struct pm_err *e)
{
	const char *name = pm_db_text(q, 0, NULL), *path = pm_db_text(q, 1, NULL);

	return name && path ? add(c, job, PM_COMPARE_BINARY, name, path, e) : 0;
}

/* Run a statement about each job, those before as well where `all`. */
static int each(struct pm_compare *c, struct pm_db *db, const char *sql, bool all,
		int (*take)(struct pm_compare *c, size_t job, struct pm_stmt *q, struct pm_err *e),
		struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 0;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	for (size_t i = 0; i < c->jobs && rc == 0; i++) {
		if (!all && c->job[i].side == PM_DIFFERENCE_EARLIER)
			continue;
		pm_db_reset(q);
		pm_db_bind_int(q, 1, c->job[i].id);
		while ((rc = pm_db_step(q, e)) > 0)
			if (take(c, i, q, e) < 0) {
				rc = -1;
				break;
			}
	}
	pm_db_finish(q);
	return rc;
}

int pm_compare_read_facts(struct pm_compare *c, struct pm_db *db, struct pm_err *e)
{
	char sql[1024];
	size_t n = 0;

	for (size_t i = 0; i < JOB_FACTS; i++)
		n += (size_t)snprintf(sql + n, sizeof sql - n, "%s %s", i ? "," : "SELECT",
				      of_job[i].column);
	snprintf(sql + n, sizeof sql - n, " FROM job WHERE id = ?");
	if (each(c, db, sql, true, take_job, e) < 0)
		return -1;
	n = 0;
	for (size_t i = 0; i < HOST_FACTS; i++)
		n += (size_t)snprintf(sql + n, sizeof sql - n, "%s %s", i ? "," : "SELECT",
				      of_host[i].column);
	snprintf(sql + n, sizeof sql - n,
		 ", start_environment, start_modules, start_command, start_cwd FROM host"
		 " WHERE job_id = ? ORDER BY hostname, id");
	if (each(c, db, sql, true, take_host, e) < 0)
		return -1;
	return each(c, db,
		    "SELECT DISTINCT exename, path FROM process WHERE job_id = ? ORDER BY 1, 2",
		    false, take_binary, e);
}

/* --- what differs ----------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether a fact is the same in all jobs of a side; *value is it then. */
static bool is_constant(const struct pm_compare *c, char **text, enum pm_difference_side side,
			const char **value)
{
	bool first = true;

	*value = NULL;
	for (size_t j = 0; j < c->jobs; j++) {
		if (c->job[j].side != side)
			continue;
		if (!first && !same(text[j], *value))
			return false;
		*value = text[j];
		first = false;
	}
	return true;
}

static int add_fact(struct pm_compare *c, const struct pm_compare_fact *f, struct pm_err *e)
{
	if (!PM_GROW(c->fact, c->facts, c->fact_room, 32))
		return pm_err(e, "out of memory");
	c->fact[c->facts++] = *f;
	return 0;
}

/* The programs that all jobs of one side have, and none of the other. */
static int add_programs(struct pm_compare *c, struct pm_err *e)
{
	const struct pm_compare_store *s = c->store;
	size_t kinds;

	pm_compare_kinds(PM_COMPARE_PROGRAM, &kinds);
	for (size_t i = 0; i < s->of[PM_COMPARE_PROGRAM].ops; i++) {
		size_t in[PM_DIFFERENCE_SIDES] = { 0 }, known[PM_DIFFERENCE_SIDES] = { 0 };
		struct pm_compare_fact f = { .about = PM_COMPARE_ONLY_PROGRAM,
					     .name = s->of[PM_COMPARE_PROGRAM].op[i].key };

		for (size_t j = 0; j < c->jobs; j++) {
			/* The number of runs is always known. */
			const double *v = &s->value[PM_COMPARE_PROGRAM][(i * kinds + 1) * s->jobs];

			known[c->job[j].side] += s->known[PM_COMPARE_PROGRAM][j];
			in[c->job[j].side] += v[j] > 0;
		}
		if (known[0] != c->of[0] || known[1] != c->of[1])
			return 0;
		f.a = in[0] == c->of[0] ? "yes" : NULL;
		f.b = in[1] == c->of[1] ? "yes" : NULL;
		if (in[0] + in[1] == (f.a ? c->of[0] : 0) + (f.b ? c->of[1] : 0) && !f.a != !f.b &&
		    add_fact(c, &f, e) < 0)
			return -1;
	}
	return 0;
}

int pm_compare_choose_facts(struct pm_compare *c, struct pm_err *e)
{
	const struct pm_compare_store *s = c->store;

	for (size_t about = 0; about < PM_COMPARE_ABOUT; about++)
		for (size_t i = 0; i < s->fact[about].ops; i++) {
			char **text = &s->text[about][i * s->jobs];
			struct pm_compare_fact f = { .about = about,
						     .name = s->fact[about].op[i].key };
			const char *earlier;

			if (!is_constant(c, text, PM_DIFFERENCE_A, &f.a) ||
			    !is_constant(c, text, PM_DIFFERENCE_B, &f.b) || same(f.a, f.b))
				continue;
			/* A program that one side alone has is told by its name. */
			if (about == PM_COMPARE_BINARY && (!f.a || !f.b))
				continue;
			f.varies = !is_constant(c, text, PM_DIFFERENCE_EARLIER, &earlier) &&
				   about != PM_COMPARE_BINARY;
			if (add_fact(c, &f, e) < 0)
				return -1;
		}
	return add_programs(c, e);
}
