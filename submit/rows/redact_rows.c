/* Redact rows whose key includes a text. All rows are read before any is written. */
#include "config.h"

#include "submit/rows/redact_rows.h"

#include "common/grow.h"
#include "common/secrets/redact.h"
#include "common/secrets/redact_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row: its key, and its new name and value. */
struct row {
	int64_t id;
	char *name, *clean[2];
};

struct rows {
	struct row *row;
	size_t n, room;
};

/* A table whose key includes a text. */
struct table {
	const char *select; /* id, name, value */
	const char *remove; /* job, id if `numbered`, name; NULL: `insert` updates the row */
	const char *insert; /* job, id if `numbered`, new name, value; for an update new name, job,
			     * old name */
	bool numbered;
	int64_t (*redact)(const struct row *row, const char *value, char *clean[2]);
};

static int64_t redact_annotation(const struct row *row, const char *value, char *clean[2])
{
	return pm_redact_pair(row->name, '=', value, clean);
}

/* Tags of processes are escaped; tags of the job, set 0, are not. */
static int64_t redact_tag(const struct row *row, const char *value, char *clean[2])
{
	char *text, *pair = NULL, *colon;
	int64_t count;

	if (row->id == 0 || strcmp(value, "1") == 0)
		return pm_redact_pair(row->name, ':', value, clean);
	if (asprintf(&text, "%s:%s", row->name, value) < 0)
		return -1;
	count = pm_redact_tags_field(text, &pair);
	free(text);
	if (count <= 0)
		return count;
	colon = strchr(pair, ':');
	clean[1] = strdup(colon ? colon + 1 : "");
	if (colon)
		*colon = '\0';
	clean[0] = pair;
	return clean[1] ? count : -1;
}

static int64_t redact_phase(const struct row *row, const char *value, char *clean[2])
{
	(void)value;
	return pm_redact_field(row->name, &clean[0]);
}

static const struct table table[] = {
	{ "SELECT id, name, value FROM tag_set WHERE job_id = ?",
	  "DELETE FROM tag_set WHERE job_id = ? AND id = ? AND name = ?",
	  "INSERT INTO tag_set (job_id, id, name, value) VALUES (?, ?, ?, ?) "
	  "ON CONFLICT (job_id, id, name) DO UPDATE SET value = excluded.value",
	  true, redact_tag },
	{ "SELECT 0, name, value FROM annotation WHERE job_id = ?",
	  "DELETE FROM annotation WHERE job_id = ? AND name = ?",
	  "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) "
	  "ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value",
	  false, redact_annotation },
	{ "SELECT DISTINCT 0, name, '' FROM phase WHERE job_id = ?", NULL,
	  "UPDATE phase SET name = ? WHERE job_id = ? AND name = ?", false, redact_phase },
};

/* Store the row if it has a secret. Returns 0 or -1 with e filled. */
static int note_row(struct rows *r, const struct table *t, struct pm_stmt *q, int64_t *count,
		    struct pm_err *e)
{
	const char *name = pm_db_text(q, 1, NULL), *value = pm_db_text(q, 2, NULL);
	struct row row = { .id = pm_db_int(q, 0), .name = strdup(name ? name : "") };
	int64_t n = row.name ? t->redact(&row, value ? value : "", row.clean) : -1;

	if (n > 0 && PM_GROW(r->row, r->n, r->room, 64)) {
		r->row[r->n++] = row;
		*count += n;
		return 0;
	}
	free(row.name);
	free(row.clean[0]);
	free(row.clean[1]);
	return n == 0 ? 0 : pm_err(e, "out of memory");
}

static int write_row(const struct table *t, const struct row *row, int64_t job,
		     struct pm_stmt *remove, struct pm_stmt *insert, struct pm_err *e)
{
	int at = 1;

	if (!remove) {
		pm_db_bind_str(insert, 1, row->clean[0]);
		pm_db_bind_int(insert, 2, job);
		pm_db_bind_str(insert, 3, row->name);
		return pm_db_run(insert, e);
	}
	pm_db_bind_int(remove, 1, job);
	pm_db_bind_int(insert, 1, job);
	if (t->numbered) {
		pm_db_bind_int(remove, ++at, row->id);
		pm_db_bind_int(insert, at, row->id);
	}
	pm_db_bind_str(remove, at + 1, row->name);
	pm_db_bind_str(insert, at + 1, row->clean[0]);
	pm_db_bind_str(insert, at + 2, row->clean[1]);
	return pm_db_run(remove, e) < 0 ? -1 : pm_db_run(insert, e);
}

static int write_rows(struct pm_db *db, const struct table *t, const struct rows *r, int64_t job,
		      struct pm_err *e)
{
	struct pm_stmt *remove = NULL, *insert = NULL;
	int rc = t->remove ? pm_db_prepare(db, t->remove, &remove, e) : 0;

	if (rc == 0)
		rc = pm_db_prepare(db, t->insert, &insert, e);
	for (size_t i = 0; i < r->n && rc == 0; i++)
		rc = write_row(t, &r->row[i], job, remove, insert, e);
	pm_db_finish(insert);
	pm_db_finish(remove);
	return rc;
}

static int redact_table(struct pm_db *db, const struct table *t, int64_t job, int64_t *count,
			struct pm_err *e)
{
	struct rows r = { .n = 0 };
	struct pm_stmt *q;
	int rc = pm_db_prepare(db, t->select, &q, e);

	if (rc < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (note_row(&r, t, q, count, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	if (rc == 0 && r.n > 0)
		rc = write_rows(db, t, &r, job, e);
	for (size_t i = 0; i < r.n; i++) {
		free(r.row[i].name);
		free(r.row[i].clean[0]);
		free(r.row[i].clean[1]);
	}
	free(r.row);
	return rc;
}

int pm_redact_rows(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (redact_table(db, &table[i], job, count, e) < 0)
			return -1;
	return 0;
}
