/* Conditions on table job, as SQL with parameters, of what the user wrote. */
#include "config.h"

#include "analysis/jobfilter.h"

#include "analysis/when.h"
#include "analysis/wordlist.h"
#include "common/grow.h"
#include "common/memtext.h"
#include "common/safe/tsv.h"
#include "sql/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each is a level of an expression, of which SQLite takes a thousand; so are the pairs of one. */
#define ALTERNATIVES_MAX 400

/* A filter in the making. */
struct making {
	struct pm_jobfilter *f;
	FILE *sql;
	bool any; /* a condition is there */
};

static int add_value(struct making *m, const char *text, int64_t number, struct pm_err *e)
{
	struct pm_jobfilter *f = m->f;
	char *copy = NULL;

	if ((text && !(copy = strdup(text))) || !PM_GROW(f->value, f->values, f->capacity, 8)) {
		free(copy);
		return pm_err(e, "out of memory");
	}
	f->value[f->values++] = (struct pm_jobfilter_value){ copy, number };
	return 0;
}

/* Begin a condition. */
static void begin(struct making *m)
{
	fputs(m->any ? " AND " : " WHERE ", m->sql);
	m->any = true;
}

/* One alternative of a list: write its condition. */
typedef int alternative(struct making *m, char *word, const char *about, struct pm_err *e);

/* Write a condition of alternatives. Returns 0, or -1 with e filled. */
static int add_list(struct making *m, const char *list, alternative *each, const char *about,
		    struct pm_err *e)
{
	char *copy, *rest, *word;
	int rc = 0;

	if (!list)
		return 0;
	copy = rest = strdup(list);
	if (!copy)
		return pm_err(e, "out of memory");
	begin(m);
	fputc('(', m->sql);
	for (int n = 0; rc == 0 && (word = pm_wordlist_next(&rest, ',')) != NULL; n++) {
		if (n == ALTERNATIVES_MAX) {
			rc = pm_err(e, "a list has more than %d alternatives", ALTERNATIVES_MAX);
			break;
		}
		if (n)
			fputs(" OR ", m->sql);
		rc = each(m, word, about, e);
	}
	fputc(')', m->sql);
	free(copy);
	return rc;
}

static int is_user(struct making *m, char *word, const char *about, struct pm_err *e)
{
	(void)about;
	fputs("\"user\" = ?", m->sql);
	return add_value(m, word, 0, e);
}

/* The index has the beginning of the text. */
static int is_text(struct making *m, char *word, const char *about, struct pm_err *e)
{
	fprintf(m->sql, "(substr(%s, 1, 100)) = substr(?, 1, 100) AND %s || '' = ?", about, about);
	return add_value(m, word, 0, e) < 0 ? -1 : add_value(m, word, 0, e);
}

static int is_host(struct making *m, char *word, const char *about, struct pm_err *e)
{
	int rc;

	(void)about;
	fputs("id IN (SELECT job_id FROM host WHERE ", m->sql);
	rc = is_text(m, word, "hostname", e);
	fputc(')', m->sql);
	return rc;
}

static int has_status(struct making *m, char *word, const char *about, struct pm_err *e)
{
	static const struct {
		const char *word, *condition;
	} known[] = {
		/* Most jobs: sorting them all would take longer than to look at each in order. */
		{ "ok", "+exit_status = 0 AND exit_signal IS NULL AND coalesce(running, 0) = 0" },
		{ "failed", PM_SCHEMA_JOB_FAILED },
		{ "killed", "exit_signal IS NOT NULL" },
		{ "running", PM_SCHEMA_JOB_RUNNING },
		{ "unknown",
		  "exit_status IS NULL AND exit_signal IS NULL AND coalesce(running, 0) = 0" },
	};
	int64_t number;

	(void)about;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].word, word) == 0)
			return fputs(known[i].condition, m->sql) < 0 ? -1 : 0;
	if (pm_tsv_number(word, strlen(word), &number) < 0)
		return pm_err(e,
			      "'%s' is no status: ok, failed, killed, running, unknown or the exit "
			      "status",
			      word);
	fputs("exit_status = ?", m->sql);
	return add_value(m, NULL, number, e);
}

/* All pairs of an alternative. `about`: SQL of the jobs that have a pair. */
static int has_pairs(struct making *m, char *word, const char *about, struct pm_err *e)
{
	char *rest = word, *pair;
	int n = 0, rc = 0;

	fputc('(', m->sql);
	while (rc == 0 && (pair = pm_wordlist_next(&rest, ';')) != NULL) {
		char *value = strchr(pair, ':');

		if (value)
			*value++ = '\0';
		if (!*pair)
			return pm_err(e,
				      "a pair is NAME:VALUE, or NAME alone; the name is missing");
		if (n == ALTERNATIVES_MAX)
			return pm_err(e, "a group has more than %d pairs", ALTERNATIVES_MAX);
		fprintf(m->sql, "%sid IN (%s)", n++ ? " AND " : "", about);
		rc = add_value(m, pair, 0, e);
		for (int i = 0; rc == 0 && i < 2; i++)
			rc = add_value(m, value ? value : "1", 0, e);
	}
	fputc(')', m->sql);
	return rc;
}

#define HAS_PAIR(table)                                                                            \
	"SELECT job_id FROM " table " name = ? AND (substr(value, 1, 100)) = substr(?, 1, 100) "   \
	"AND value = ?"

static int add_time(struct making *m, const char *text, const char *condition, int times,
		    int64_t now_us, struct pm_err *e)
{
	int64_t us;

	if (!text)
		return 0;
	if (pm_when_parse(text, now_us, &us, e) < 0)
		return -1;
	begin(m);
	fputs(condition, m->sql);
	for (int i = 0; i < times; i++)
		if (add_value(m, NULL, us, e) < 0)
			return -1;
	return 0;
}

/* A job that runs still is not over, although some of its processes ended. */
#define NOT_OVER(time) "(" PM_SCHEMA_JOB_END("") " >= " time " OR " PM_SCHEMA_JOB_RUNNING ")"

static const char ran_at[] = "start_us <= ? AND " NOT_OVER("?");
static const char ran_beside[] = "start_us <= (SELECT " PM_SCHEMA_JOB_END(
	"o.") " FROM job o WHERE o.id = ?)"
	      " AND " NOT_OVER("(SELECT o.start_us FROM job o WHERE o.id = ?)") " AND id <> ?";

static int add_other(struct making *m, int64_t other, struct pm_err *e)
{
	if (!other)
		return 0;
	begin(m);
	fputs(ran_beside, m->sql);
	for (int i = 0; i < 3; i++)
		if (add_value(m, NULL, other, e) < 0)
			return -1;
	return 0;
}

static int add_all(struct making *m, const struct pm_jobfilter_words *w, int64_t now_us,
		   struct pm_err *e)
{
	const struct {
		const char *list;
		alternative *each;
		const char *about;
	} lists[] = {
		{ w->user, is_user, NULL },
		{ w->name, is_text, "name" },
		{ w->account, is_text, "account" },
		{ w->queue, is_text, "queue" },
		{ w->host, is_host, NULL },
		{ w->status, has_status, NULL },
		{ w->tag, has_pairs, HAS_PAIR("tag_set WHERE id = 0 AND") },
		{ w->annotation, has_pairs, HAS_PAIR("annotation WHERE") },
	};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		if (add_list(m, lists[i].list, lists[i].each, lists[i].about, e) < 0)
			return -1;
	if (add_time(m, w->after, "start_us >= ?", 1, now_us, e) < 0 ||
	    add_time(m, w->before, "start_us < ?", 1, now_us, e) < 0 ||
	    add_time(m, w->when, ran_at, 2, now_us, e) < 0)
		return -1;
	return add_other(m, w->when_job, e);
}

int pm_jobfilter_make(struct pm_jobfilter *f, const struct pm_jobfilter_words *w, int64_t now_us,
		      struct pm_err *e)
{
	struct making m = { .f = f };
	size_t n;
	int rc;

	*f = (struct pm_jobfilter){ .order = NULL };
	f->order = pm_joborder_find(w->order ? w->order : "start", e);
	if (!f->order)
		return -1;
	m.sql = open_memstream(&f->where, &n);
	if (!m.sql)
		return pm_err(e, "out of memory");
	rc = add_all(&m, w, now_us, e);
	if (!pm_memtext_end(m.sql, &f->where))
		return pm_err(e, "out of memory");
	return rc;
}

int pm_jobfilter_bind(const struct pm_jobfilter *f, struct pm_stmt *q, int from)
{
	for (size_t i = 0; i < f->values; i++, from++)
		if (f->value[i].text)
			pm_db_bind_str(q, from, f->value[i].text);
		else
			pm_db_bind_int(q, from, f->value[i].number);
	return from;
}

void pm_jobfilter_free(struct pm_jobfilter *f)
{
	for (size_t i = 0; i < f->values; i++)
		free(f->value[i].text);
	free(f->value);
	free(f->where);
	*f = (struct pm_jobfilter){ .order = NULL };
}
