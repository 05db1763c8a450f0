/* What the layout ska says of hosts. */
#include "config.h"

#include "export/layout/ska_meta.h"

#include "export/layout/jsontext.h"
#include "export/layout/layoutfile.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Columns of a question as members: their names, and how the values are written. */
enum form {
	PLAIN,
	JSON, /* a text that is JSON */
	TAG,  /* the member of this name of an object */
};

struct member {
	const char *name, *sql;
	enum form form;
};

/* Of table host; names as lscpu(1) has them, sizes in bytes. */
static const struct member hardware[] = {
	{ "Architecture", "h.machine", PLAIN },
	{ "CPU(s)", "h.cpus_online", PLAIN },
	{ "Thread(s) per core", "h.threads_per_core", PLAIN },
	{ "Core(s) per socket", "h.cores / nullif(h.sockets, 0)", PLAIN },
	{ "Socket(s)", "h.sockets", PLAIN },
	{ "NUMA node(s)", "h.numa_nodes", PLAIN },
	{ "Model name", "h.cpu_model", PLAIN },
	{ "CPU id", "h.cpu_id", PLAIN },
	{ "Micro architecture", "h.microarchitecture", PLAIN },
	{ "Hypervisor vendor", "h.hypervisor", PLAIN },
	{ "L1d cache", "h.cache_l1d_kb * 1024", PLAIN },
	{ "L1i cache", "h.cache_l1i_kb * 1024", PLAIN },
	{ "L2 cache", "h.cache_l2_kb * 1024", PLAIN },
	{ "L3 cache", "h.cache_l3_kb * 1024", PLAIN },
	{ "Memory", "h.memory_kb * 1024", PLAIN },
	{ "Swap", "h.swap_kb * 1024", PLAIN },
	{ "Operating system", "h.os", PLAIN },
	{ "Kernel", "h.kernel", PLAIN },
	{ "System", "h.system", PLAIN },
	{ "GPUs", "h.gpus", JSON },
};

/* Of a job on a host; names as its configuration has them. What the sampler was told and does not
 * record is null. */
static const struct member settings[] = {
	{ "job_id", "j.jobid", PLAIN },
	{ "scheduler", "j.scheduler", PLAIN },
	{ "user", "j.\"user\"", PLAIN },
	{ "num_nodes", "j.nodes", PLAIN },
	{ "node_name", "h.hostname", PLAIN },
	{ "master_node", "(SELECT hostname FROM host WHERE job_id = j.id ORDER BY id LIMIT 1)",
	  PLAIN },
	{ "check_point", "NULL", PLAIN },
	{ "launcher", "NULL", PLAIN },
	{ "prefix", "NULL", PLAIN },
	{ "pid", "NULL", PLAIN },
	{ "system", "j.tags", TAG },
	{ "partition", "j.tags", TAG },
	{ "env", "j.tags", TAG },
	{ "name", "j.tags", TAG },
	{ "sampling_freq",
	  "(SELECT CAST(u.end_us - u.begin_us AS DOUBLE PRECISION) / 1e6 / (u.samples - 1) "
	  "FROM series s "
	  "JOIN series_summary u ON u.job_id = s.job_id AND u.series_id = s.id "
	  "WHERE s.job_id = j.id AND s.host_id = h.id AND u.samples > 1 "
	  "ORDER BY u.samples DESC, s.id LIMIT 1)",
	  PLAIN },
	{ "num_nvidia_gpus",
	  "(SELECT count(DISTINCT object) FROM series WHERE job_id = j.id AND host_id = h.id "
	  "AND source = 'nvidia' AND metric = 'utilization')",
	  PLAIN },
};

#define MEMBERS(list) (sizeof(list) / sizeof(list)[0])

/* Ask for members of all hosts of the job, in the order of their numbers; these are the first
 * column. Returns 0, or -1 with e filled. */
static int ask(struct pm_stmt **q, const struct pm_layout_ask *a, const struct member *m, size_t n,
	       struct pm_err *e)
{
	char sql[2048];
	size_t at = (size_t)snprintf(sql, sizeof sql, "SELECT h.id");

	for (size_t i = 0; i < n && at < sizeof sql; i++)
		at += (size_t)snprintf(sql + at, sizeof sql - at, ", %s", m[i].sql);
	if (at < sizeof sql)
		at += (size_t)snprintf(sql + at, sizeof sql - at,
				       " FROM job j JOIN host h ON h.job_id = j.id "
				       "WHERE j.id = ? ORDER BY h.id");
	if (at >= sizeof sql)
		return pm_err(e, "a question is too long");
	if (pm_db_prepare(a->db, sql, q, e) < 0)
		return -1;
	pm_db_bind_int(*q, 1, a->job);
	return 0;
}

/* The rows of a question. */
struct answer {
	struct pm_stmt *q;
	int rc; /* of the last step; 1: a row that no host has yet */
};

/* Go on to the row of a host; the hosts are asked for in their order. Returns 1, 0 where the host
 * is gone, or -1 with e filled. */
static int find_host(struct answer *x, const struct pm_hosts_host *host, struct pm_err *e)
{
	while (x->rc > 0 && pm_db_int(x->q, 0) < host->id)
		x->rc = pm_db_step(x->q, e);
	return x->rc > 0 ? pm_db_int(x->q, 0) == host->id : x->rc;
}

/* Begin an answer with its first row. Returns as pm_db_step(); to be finished in either case. */
static int begin(struct answer *x, const struct pm_layout_ask *a, const struct member *m, size_t n,
		 struct pm_err *e)
{
	x->q = NULL;
	x->rc = ask(&x->q, a, m, n, e) < 0 ? -1 : pm_db_step(x->q, e);
	return x->rc;
}

/* Write a member of an object that is a text, null where it has none. */
static void put_tag(FILE *f, const char *text, size_t n, const char *name)
{
	json_t *tags = json_loadb(text, n, 0, NULL), *value = json_object_get(tags, name);

	if (json_is_string(value))
		pm_jsontext(f, json_string_value(value), json_string_length(value));
	else
		fputs("null", f);
	json_decref(tags);
}

/* Write a value of the row. */
static void put(FILE *f, struct pm_stmt *q, int i, const struct member *m)
{
	struct pm_export_value v = { .type = pm_db_type(q, i) };
	size_t n = 0;
	const char *text;

	if (v.type == PM_DB_INTEGER)
		v.integer = pm_db_int(q, i);
	else if (v.type == PM_DB_REAL)
		v.real = pm_db_real(q, i);
	if (v.type == PM_DB_INTEGER || v.type == PM_DB_REAL || v.type == PM_DB_NULL) {
		pm_jsontext_number(f, &v);
		return;
	}
	text = pm_db_text(q, i, &n);
	if (m->form == JSON)
		pm_jsontext_value(f, text, n);
	else if (m->form == TAG)
		put_tag(f, text, n, m->name);
	else
		pm_jsontext(f, text, n);
}

/* Write the hardware of a host. Returns 0, or -1 with e filled. */
static int write_host(FILE *f, struct answer *x, const struct pm_hosts_host *host, struct pm_err *e)
{
	const int rc = find_host(x, host, e);

	if (rc < 0)
		return -1;
	fputs(",\n", f);
	pm_jsontext_put(f, host->name);
	fputs(": {\n\"host_name\": ", f);
	pm_jsontext_put(f, host->name);
	for (size_t i = 0; rc > 0 && i < MEMBERS(hardware); i++) {
		fprintf(f, ",\n\"%s\": ", hardware[i].name);
		put(f, x->q, (int)i + 1, &hardware[i]);
	}
	fputs("}", f);
	return 0;
}

int pm_ska_meta_write(struct pm_layout_ask *a, const struct pm_hosts *hosts, struct pm_err *e)
{
	struct pm_export_target t;
	char path[PATH_MAX];
	struct answer x;
	int rc;

	if (pm_layoutfile_open(&t, path, a, a->path, "metrics/meta_data.json", e) < 0)
		return -1;
	fputs("{\n\"host_names\": [", t.f);
	for (size_t i = 0; i < hosts->n; i++) {
		fputs(i ? ", " : "", t.f);
		pm_jsontext_put(t.f, hosts->host[i].name);
	}
	fputs("]", t.f);
	rc = begin(&x, a, hardware, MEMBERS(hardware), e);
	for (size_t i = 0; rc >= 0 && i < hosts->n; i++)
		rc = write_host(t.f, &x, &hosts->host[i], e);
	pm_db_finish(x.q);
	fputs("\n}\n", t.f);
	if (rc >= 0)
		rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

/* Write how a host was sampled. Returns 0, or -1 with e filled. */
static int write_config(struct pm_layout_ask *a, struct answer *x, const struct pm_hosts_host *host,
			struct pm_err *e)
{
	char name[PM_HOSTS_FILE + 32], file[PM_HOSTS_FILE], path[PATH_MAX];
	struct pm_export_target t;
	int rc = find_host(x, host, e);

	pm_hosts_file(file, host);
	snprintf(name, sizeof name, "configs/%s_run_config.yml", file);
	if (rc < 0 || pm_layoutfile_open(&t, path, a, a->path, name, e) < 0)
		return -1;
	fputs("host_name: ", t.f);
	pm_jsontext_put(t.f, host->name);
	fputs("\nscript_name: perfmon\nverbose: true\nsave_dir: ", t.f);
	pm_jsontext_put(t.f, a->path);
	for (size_t i = 0; rc > 0 && i < MEMBERS(settings); i++) {
		fprintf(t.f, "\n%s: ", settings[i].name);
		put(t.f, x->q, (int)i + 1, &settings[i]);
	}
	fputs("\nexport: [", t.f);
	for (size_t i = 0; i < a->formats; i++)
		fprintf(t.f, "%s%s", i ? ", " : "", a->format[i]->name);
	fputs("]\nmetrics: [meta_data, cpu_metrics, perf_metrics, nv_gpu_metrics]\n", t.f);
	rc = pm_export_target_commit(&t, e);
	pm_export_target_abandon(&t);
	return rc;
}

int pm_ska_configs_write(struct pm_layout_ask *a, const struct pm_hosts *hosts, struct pm_err *e)
{
	struct answer x;
	int rc = begin(&x, a, settings, MEMBERS(settings), e);

	for (size_t i = 0; rc >= 0 && i < hosts->n; i++)
		rc = write_config(a, &x, &hosts->host[i], e);
	pm_db_finish(x.q);
	return rc < 0 ? -1 : 0;
}
