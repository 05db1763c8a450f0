/*
 * threads_df has one of three forms: a list with an object per thread, the first of which also
 * describes the process; pandas' form of such a table, names and rows; or one flat list of metrics,
 * whose names are in the job's info_dict.
 */
#include "config.h"

#include "submit/foreign/epmt_rows.h"

#include "common/grow.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that describe a process, and columns that each thread has itself. */
static const char *const of_process[] = {
	"tags", "hostname", "exename", "path", "args",    "exitcode",    "exitsignal",
	"pid",  "ppid",     "pgid",    "sid",  "numtids", "mpinumranks",
};
static const char *const of_thread[] = { "tid", "mpirank", "start", "end" };

#define PROCESS_NAMES (sizeof of_process / sizeof of_process[0])
#define THREAD_NAMES  (sizeof of_thread / sizeof of_thread[0])

/* Replace Python's NaN and Infinity, which JSON lacks, in place by values of the same length. */
static void replace_nan(char *text)
{
	static const char *const word[] = { "NaN", "-Infinity", "Infinity" };
	bool quoted = false;

	for (char *p = text; *p; p++) {
		if (quoted && *p == '\\' && p[1]) {
			p++;
			continue;
		}
		quoted ^= *p == '"';
		for (size_t i = 0; !quoted && i < sizeof word / sizeof word[0]; i++) {
			size_t n = strlen(word[i]);

			/* "null" does not fit in place of NaN; an empty string means the same here.
			 */
			if (strncmp(p, word[i], n) != 0)
				continue;
			memset(p, ' ', n);
			memcpy(p, n == 3 ? "\"\" " : "null", n == 3 ? 3 : 4);
			p += n - 1;
			break;
		}
	}
}

/* Parse JSON as Python writes it, with NaN and with numbers of any size. */
static json_t *parse_json(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
	char *copy = value ? NULL : strdup(text);

	if (!copy)
		return value;
	replace_nan(copy);
	value = json_loads(copy, JSON_DECODE_ANY, NULL);
	if (!value)
		value = json_loads(copy, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
	free(copy);
	return value;
}

json_t *pm_epmt_rows_json(const char *text)
{
	json_t *value = text ? parse_json(text) : NULL;

	/* Some versions stored the text of JSON as a text of JSON. */
	if (json_is_string(value)) {
		json_t *inner = parse_json(json_string_value(value));

		json_decref(value);
		value = inner;
	}
	return value;
}

static int add_bytes(struct pm_epmt_rows *w, const char *p, size_t n)
{
	if (!PM_GROW_BY(w->text, w->len, n + 1, w->cap, 4096))
		return -1;
	memcpy(w->text + w->len, p, n);
	w->len += n;
	w->text[w->len] = '\0';
	return 0;
}

/* Append a value, escaping separators. Returns 0, or -1 if out of memory. */
static int add_escaped(struct pm_epmt_rows *w, const char *s, size_t n)
{
	static const char text[] = "\n\t\r\\,", code[] = "ntr\\,";
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *found = s[i] ? strchr(text, s[i]) : NULL;

		if (found) {
			const char escape[2] = { '\\', code[found - text] };

			rc = add_bytes(w, escape, 2);
		} else {
			rc = add_bytes(w, s + i, 1);
		}
	}
	return rc;
}

static bool is_whole(double v)
{
	return v < -9e18 || v > 9e18 || (double)(int64_t)v == v;
}

static int add_value(struct pm_epmt_rows *w, const json_t *value)
{
	char number[400];

	if (json_is_string(value))
		return add_escaped(w, json_string_value(value), json_string_length(value));
	if (json_is_integer(value))
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		/* pandas writes a column of counts as reals if one is missing; other reals are not
		 * counts. */
		snprintf(number, sizeof number, is_whole(json_real_value(value)) ? "%.0f" : "%.17g",
			 json_real_value(value));
	else
		return 0;
	return add_bytes(w, number, strlen(number));
}

json_t *pm_epmt_rows_tags(const char *text)
{
	json_t *value = pm_epmt_rows_json(text), *outer;

	if (value || !text || !*text)
		return value;
	/* NAME:VALUE;..., perhaps as a text of JSON. */
	outer = parse_json(text);
	if (json_is_string(outer))
		return outer;
	json_decref(outer);
	return strchr(text, ':') && *text != '{' && *text != '[' ? json_string(text) : NULL;
}

/* Append a tag: a value of another type than text as JSON, null as none. Returns 0 or -1. */
static int add_tag(struct pm_epmt_rows *t, const char *name, const json_t *value)
{
	char *other = json_is_string(value) || json_is_null(value)
			      ? NULL
			      : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	const char *text = other ? other : json_string_value(value);
	int rc = t->len ? add_bytes(t, ";", 1) : 0;

	if (rc == 0)
		rc = add_bytes(t, name, strlen(name));
	if (rc == 0)
		rc = add_bytes(t, ":", 1);
	if (rc == 0 && text)
		rc = add_bytes(t, text, strlen(text));
	free(other);
	return rc;
}

/* Format tags as papiex does. Returns a new string, or NULL if there are none. */
static json_t *tags_text(const json_t *tags)
{
	struct pm_epmt_rows t = { .text = NULL };
	const char *name;
	json_t *value, *text;
	int rc = 0;

	if (json_is_string(tags))
		return json_incref((json_t *)(uintptr_t)tags);
	json_object_foreach ((json_t *)(uintptr_t)tags, name, value)
		if (rc == 0)
			rc = add_tag(&t, name, value);
	text = rc == 0 && t.len ? json_stringn(t.text, t.len) : NULL;
	free(t.text);
	return text;
}

static int is_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return 1;
	return 0;
}

/* --- the forms of threads_df -------------------------------------------------------------------
 */

/* Convert {"columns": [...], "data": [[...], ...]} to a list of objects. */
static json_t *from_pandas(const json_t *names, const json_t *data)
{
	json_t *list = json_array(), *row, *name;
	size_t i, k;

	json_array_foreach ((json_t *)(uintptr_t)data, i, row) {
		json_t *thread = json_object();

		json_array_foreach ((json_t *)(uintptr_t)names, k, name)
			if (json_is_string(name) && json_array_get(row, k))
				json_object_set(thread, json_string_value(name),
						json_array_get(row, k));
		json_array_append_new(list, thread);
	}
	return list;
}

/* Convert a flat list to a list of objects: every thread has one value per name. */
static json_t *from_flat(const json_t *values, const char *names)
{
	json_t *list = json_array();
	size_t i = 0, n = json_array_size(values);

	while (i < n && *names) {
		json_t *thread = json_object();

		for (const char *p = names; *p && i < n; i++) {
			size_t len = strcspn(p, ",");
			char *name = strndup(p, len);

			if (name)
				json_object_set(thread, name, json_array_get(values, i));
			free(name);
			p += len + (p[len] == ',');
		}
		json_array_append_new(list, thread);
	}
	return list;
}

/* Convert threads_df to a list of objects. Returns a new reference, or NULL. */
static json_t *threads_of(const struct pm_epmt_rows *w, const json_t *threads)
{
	if (json_is_object(threads))
		return from_pandas(json_object_get(threads, "columns"),
				   json_object_get(threads, "data"));
	if (json_is_array(threads) && json_is_object(json_array_get(threads, 0)))
		return json_incref((json_t *)(uintptr_t)threads);
	if (json_is_array(threads) && json_array_size(threads) && w->metrics)
		return from_flat(threads, w->metrics);
	return NULL;
}

int64_t pm_epmt_rows_start(const json_t *threads)
{
	struct pm_epmt_rows none = { .metrics = NULL };
	json_t *list = threads_of(&none, threads);
	int64_t start = json_integer_value(json_object_get(json_array_get(list, 0), "start"));

	json_decref(list);
	return start;
}

/* --- lines ---------------------------------------------------------------------------------------
 */

/* Names of a process's metrics: the keys of its first thread except descriptive columns. */
static json_t *metrics_of(const json_t *thread)
{
	json_t *list = json_array(), *value;
	const char *name;

	json_object_foreach ((json_t *)(uintptr_t)thread, name, value)
		if (!is_in(of_process, PROCESS_NAMES, name) &&
		    !is_in(of_thread, THREAD_NAMES, name) && strcmp(name, "generation") != 0 &&
		    strcmp(name, "finish") != 0)
			json_array_append_new(list, json_string(name));
	(void)value;
	return list;
}

static int add_names(struct pm_epmt_rows *w, const json_t *metrics)
{
	size_t i, from = w->len;
	json_t *name;
	int rc = 0;

	for (i = 0; i < PROCESS_NAMES && rc == 0; i++) {
		rc = i ? add_bytes(w, ",", 1) : 0;
		if (rc == 0)
			rc = add_bytes(w, of_process[i], strlen(of_process[i]));
	}
	for (i = 0; i < THREAD_NAMES && rc == 0; i++) {
		rc = add_bytes(w, ",", 1);
		if (rc == 0)
			rc = add_bytes(w, of_thread[i], strlen(of_thread[i]));
	}
	json_array_foreach ((json_t *)(uintptr_t)metrics, i, name)
		if (rc == 0 && (rc = add_bytes(w, ",", 1)) == 0)
			rc = add_value(w, name);
	if (rc == 0)
		rc = add_bytes(w, "\n", 1);
	if (rc < 0)
		return -1;
	/* Drop the line if it equals that of the previous process. */
	if (w->names && strcmp(w->names, w->text + from) == 0) {
		w->len = from;
		return 0;
	}
	free(w->names);
	w->names = strdup(w->text + from);
	return w->names ? 0 : -1;
}

/* Value of a column in the thread's object, else in the table. */
static const json_t *value_of(const json_t *thread, const json_t *column, const char *name)
{
	const json_t *value = json_object_get(thread, name);

	/* If the thread's time is implausible, the table's time counts. */
	if (value && !json_is_null(value) &&
	    !(json_is_string(value) && json_string_length(value) == 0) &&
	    !(json_is_integer(value) && json_integer_value(value) <= 0 &&
	      json_object_get(column, name) &&
	      (strcmp(name, "start") == 0 || strcmp(name, "end") == 0)))
		return value;
	return json_object_get(column, name);
}

static int add_row(struct pm_epmt_rows *w, const json_t *thread, const json_t *column,
		   const json_t *metrics)
{
	size_t i;
	json_t *name;
	int rc = 0;

	for (i = 0; i < PROCESS_NAMES && rc == 0; i++) {
		rc = i ? add_bytes(w, ",", 1) : 0;
		if (rc == 0 && column)
			rc = add_value(w, value_of(thread, column, of_process[i]));
	}
	for (i = 0; i < THREAD_NAMES && rc == 0; i++) {
		rc = add_bytes(w, ",", 1);
		if (rc == 0)
			rc = add_value(w, value_of(thread, column, of_thread[i]));
	}
	json_array_foreach ((json_t *)(uintptr_t)metrics, i, name)
		if (rc == 0 && (rc = add_bytes(w, ",", 1)) == 0)
			rc = add_value(w, json_object_get(thread, json_string_value(name)));
	return rc == 0 ? add_bytes(w, "\n", 1) : -1;
}

/* Make one row for all threads from their sums. Over several threads the sum of rssmax is not a
 * peak, so drop it. */
static json_t *from_sums(const struct pm_epmt_process *p)
{
	json_t *list = json_array(), *one = p->sums ? json_copy(p->sums) : json_object();
	const char *threads = json_string_value(json_object_get(p->column, "numtids"));

	if (!threads || strcmp(threads, "1") != 0) {
		json_object_del(one, "rssmax");
		json_object_del(p->column, "numtids");
	}
	json_array_append_new(list, one);
	return list;
}

int pm_epmt_rows_write(struct pm_epmt_rows *w, const struct pm_epmt_process *p, struct pm_err *e)
{
	json_t *threads = threads_of(w, p->threads), *tags = tags_text(p->tags), *metrics, *thread;
	char count[32];
	size_t i;
	int rc;

	if (json_array_size(threads) == 0) {
		json_decref(threads);
		threads = from_sums(p);
	} else {
		/* Count the threads present. */
		snprintf(count, sizeof count, "%zu", json_array_size(threads));
		json_object_set_new(p->column, "numtids", json_string(count));
	}
	if (tags)
		json_object_set_new(p->column, "tags", tags);
	metrics = metrics_of(json_array_get(threads, 0));
	w->len = 0;
	rc = add_names(w, metrics);
	json_array_foreach (threads, i, thread)
		if (rc == 0)
			rc = add_row(w, thread, i == 0 ? p->column : NULL, metrics);
	json_decref(metrics);
	json_decref(threads);
	if (rc < 0)
		return pm_err(e, "out of memory");
	return w->sink->data(w->sink->ctx, w->text, w->len, e);
}

void pm_epmt_rows_free(struct pm_epmt_rows *w)
{
	free(w->names);
	free(w->text);
	memset(w, 0, sizeof *w);
}
