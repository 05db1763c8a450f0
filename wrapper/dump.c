/* perfmon dump: job metadata as `key value` lines or JSON. */
#include "config.h"

#include "common/tsv.h"
#include "wrapper/job.h"
#include "wrapper/metadata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What may be in front of each line: the host, when a job has several. */
struct printer {
	const char *host;
};

/* Print text for a terminal and for grep: one line, escaped as a TSV field. */
static void put(const char *text)
{
	size_t n = strlen(text);
	char *mem = malloc(4 * n + 1);
	struct pm_buf b;

	if (!mem)
		abort();
	pm_buf_init(&b, mem, 4 * n);
	pm_tsv_escape(&b, text, n);
	fwrite(b.p, 1, b.len, stdout);
	free(mem);
}

static void put_time(int64_t us)
{
	time_t s = (time_t)(us / 1000000);
	char text[64];
	struct tm tm;

	if (us > 0 && gmtime_r(&s, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
		printf("%s.%06dZ", text, (int)(us % 1000000));
	else
		printf("%lld", (long long)us);
}

static void put_value(enum pm_job_type type, const json_t *value)
{
	if (json_is_string(value))
		put(json_string_value(value));
	else if (json_is_integer(value) && type == PM_JOB_TYPE_TIME)
		put_time(json_integer_value(value));
	else if (json_is_integer(value))
		printf("%lld", (long long)json_integer_value(value));
	else if (json_is_null(value))
		fputs("(unset)", stdout);
}

static void put_line(const struct printer *p, const char *key, const char *sub,
		     enum pm_job_type type, const json_t *value)
{
	if (p->host)
		printf("%s ", p->host);
	fputs(key, stdout);
	if (sub) {
		putchar('.');
		put(sub);
	}
	putchar(' ');
	put_value(type, value);
	putchar('\n');
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_map(const struct printer *p, const char *key, const json_t *map)
{
	size_t count = json_object_size(map), n = 0;
	const char **name = calloc(count ? count : 1, sizeof *name), *member;
	json_t *value;

	if (!name)
		abort();
	json_object_foreach ((json_t *)(uintptr_t)map, member, value) {
		(void)value;
		name[n++] = member;
	}
	qsort(name, n, sizeof *name, by_name);
	for (size_t i = 0; i < n; i++)
		put_line(p, key, name[i], PM_JOB_TYPE_TEXT, json_object_get(map, name[i]));
	free(name);
}

static void put_list(const struct printer *p, const char *key, const json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach (list, i, item) {
		char sub[24];

		snprintf(sub, sizeof sub, "%zu", i);
		put_line(p, key, sub, PM_JOB_TYPE_TEXT, item);
	}
}

/* Keys in the order of their printed names. */
static int by_column(const void *a, const void *b)
{
	return strcmp(pm_job_info[*(const int *)a].column, pm_job_info[*(const int *)b].column);
}

static void print_lines(const json_t *doc, const char *host)
{
	struct printer p = { host };
	int order[PM_JOB_KEYS];

	for (int k = 0; k < PM_JOB_KEYS; k++)
		order[k] = k;
	qsort(order, PM_JOB_KEYS, sizeof order[0], by_column);
	for (int i = 0; i < PM_JOB_KEYS; i++) {
		const struct pm_job_info *info = &pm_job_info[order[i]];
		const json_t *value = pm_metadata_get(doc, (enum pm_job_key)order[i]);

		if (!value)
			continue;
		if (json_is_object(value))
			put_map(&p, info->column, value);
		else if (json_is_array(value))
			put_list(&p, info->column, value);
		else
			put_line(&p, info->column, NULL, info->type, value);
	}
}

/* Metadata of a file, whatever its name. Returns NULL with e filled. */
static json_t *read_file(const char *path, struct pm_err *e)
{
	json_error_t why;
	json_t *doc = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	const char *format = json_string_value(json_object_get(doc, "format"));

	if (!doc) {
		pm_err(e, "%s: line %d: %s", path, why.line, why.text);
	} else if (!format || strcmp(format, PM_JOB_FORMAT) != 0) {
		pm_err(e, "%s: not job metadata in format %s", path, PM_JOB_FORMAT);
		json_decref(doc);
		doc = NULL;
	}
	return doc;
}

/* Every host's metadata of a directory, as an array. NULL with e filled where there is none. */
static json_t *read_directory(const struct pm_jobdir *d, struct pm_err *e)
{
	struct dirent **entry;
	json_t *all = json_array();
	int n = scandirat(d->fd, ".", &entry, NULL, alphasort);

	e->text[0] = '\0';
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);

		if (len > 9 && strncmp(entry[i]->d_name, "job-", 4) == 0 &&
		    strcmp(entry[i]->d_name + len - 5, ".json") == 0) {
			char host[256];
			json_t *doc;

			snprintf(host, sizeof host, "%.*s", (int)len - 9, entry[i]->d_name + 4);
			doc = pm_metadata_read(d->fd, host, e);
			if (doc)
				json_array_append_new(all, doc);
		}
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	if (json_array_size(all) > 0)
		return all;
	if (!e->text[0])
		pm_err(e, "%s: no job metadata", d->path);
	json_decref(all);
	return NULL;
}

/* What the operand names: a directory, a metadata file or a job. NULL with e filled. */
static json_t *read_operand(const struct pm_cli *cli, struct pm_err *e)
{
	const char *operand = cli->argc > 0 ? cli->argv[0] : NULL;
	struct pm_cli by_job = *cli;
	struct pm_jobdir d;
	struct stat st;
	json_t *all, *doc;

	if (operand && stat(operand, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			if (pm_jobdir_open(operand, &d, e) < 0)
				return NULL;
			all = read_directory(&d, e);
			pm_jobdir_close(&d);
			return all;
		}
		doc = read_file(operand, e);
		return doc ? json_pack("[o]", doc) : NULL;
	}
	if (operand && strchr(operand, '/')) {
		pm_err(e, "%s: %m", operand);
		return NULL;
	}
	if (operand)
		by_job.value[PM_OPT_job] = operand;
	if (pm_job_find(&by_job, PM_JOB_ANY, &d, e) != 0)
		return NULL;
	all = read_directory(&d, e);
	pm_jobdir_close(&d);
	return all;
}

int pm_verb_dump(const struct pm_cli *cli, struct pm_err *e)
{
	json_t *all, *doc;
	size_t i;

	if (cli->argc > 1) {
		pm_err(e, "dump takes one job, directory or file");
		return PM_EXIT_USAGE;
	}
	all = read_operand(cli, e);
	if (!all)
		return PM_EXIT_FAILED;
	if (cli->given[PM_OPT_json]) {
		/* One host, the usual case, is its document; several are an array of them. */
		doc = json_array_size(all) == 1 ? json_array_get(all, 0) : all;
		json_dumpf(doc, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
	} else {
		json_array_foreach (all, i, doc)
			print_lines(doc, json_array_size(all) > 1
						 ? pm_metadata_get_text(doc, PM_JOB_host_hostname)
						 : NULL);
	}
	json_decref(all);
	return e->text[0] ? PM_EXIT_FAILED : PM_EXIT_OK;
}
