/* Job metadata as text: `key value` lines, or one value. */
#include "config.h"

#include "wrapper/dump/dump.h"

#include "common/nomem.h"
#include "common/terminal.h"
#include "wrapper/metadata/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Prefix of each line: the host if a job has several hosts, else NULL. */
struct printer {
	const char *host;
};

/* Print untrusted text on one line: escaped as a TSV field and safe for a terminal. */
static void put_text(const char *text)
{
	pm_terminal_put(stdout, text, strlen(text), true);
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
		put_text(json_string_value(value));
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
	if (p->host) {
		put_text(p->host);
		putchar(' ');
	}
	fputs(key, stdout);
	if (sub) {
		putchar('.');
		put_text(sub);
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
		pm_nomem();
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
		char sub[64];

		snprintf(sub, sizeof sub, "%s%s%zu", json_is_object(item) ? key : "",
			 json_is_object(item) ? "." : "", i);
		if (json_is_object(item))
			put_map(p, sub, item);
		else
			put_line(p, key, sub, PM_JOB_TYPE_TEXT, item);
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Print "events.NAME STATE (REASON or DOMAIN): why; formula of terms". */
static void put_event(const struct printer *p, const json_t *event)
{
	const char *reason = text_of(event, "reason"), *why = text_of(event, "why");
	const json_t *terms = json_object_get(event, "terms"), *term;
	size_t i;

	if (p->host) {
		put_text(p->host);
		putchar(' ');
	}
	fputs("events.", stdout);
	put_text(text_of(event, "name"));
	putchar(' ');
	put_text(text_of(event, "state"));
	fputs(" (", stdout);
	put_text(*reason ? reason : text_of(event, "domain"));
	putchar(')');
	if (*why) {
		fputs(": ", stdout);
		put_text(why);
	}
	json_array_foreach (terms, i, term) {
		if (i == 0)
			fputs("; ", stdout);
		if (i == 0 && json_object_get(event, "formula")) {
			put_text(text_of(event, "formula"));
			fputs(" of ", stdout);
		}
		if (i > 0)
			fputs(", ", stdout);
		if (json_is_string(term))
			put_text(json_string_value(term));
	}
	putchar('\n');
}

/* Compare keys by their printed names, for qsort(3). */
static int by_column(const void *a, const void *b)
{
	return strcmp(pm_job_info[*(const int *)a].column, pm_job_info[*(const int *)b].column);
}

void pm_dump_lines(const json_t *doc, const char *host)
{
	struct printer p = { host };
	const json_t *events = json_object_get(doc, "events"), *event;
	int order[PM_JOB_KEYS];
	size_t k;

	for (int i = 0; i < PM_JOB_KEYS; i++)
		order[i] = i;
	qsort(order, PM_JOB_KEYS, sizeof order[0], by_column);
	for (int i = 0; i < PM_JOB_KEYS; i++) {
		const struct pm_job_info *info = &pm_job_info[order[i]];
		const json_t *value = pm_metadata_get(doc, (enum pm_job_key)order[i]);

		if (strcmp(info->column, "events") > 0) {
			json_array_foreach (events, k, event)
				put_event(&p, event);
			events = NULL;
		}
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

/* Print the members of an object, one on a line. */
static void put_object(const json_t *value)
{
	const char *name;
	json_t *item;

	json_object_foreach ((json_t *)(uintptr_t)value, name, item) {
		put_text(name);
		putchar(' ');
		put_value(PM_JOB_TYPE_TEXT, item);
		putchar('\n');
	}
}

void pm_dump_value(const char *host, enum pm_job_type type, const json_t *value)
{
	json_t *item;
	size_t i;

	if (host) {
		put_text(host);
		putchar(' ');
	}
	if (json_is_object(value)) {
		put_object(value);
	} else if (json_is_array(value)) {
		json_array_foreach (value, i, item) {
			if (json_is_object(item)) {
				put_object(item);
				continue;
			}
			put_value(PM_JOB_TYPE_TEXT, item);
			putchar('\n');
		}
	} else {
		put_value(type, value);
		putchar('\n');
	}
}
