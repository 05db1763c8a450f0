/* Write annotations and tags of a job, as rows and in the job's row. */
#include "config.h"

#include "db/annotations.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A map of names and values in a table of its own and as JSON in the job's row. */
struct map {
	const char *select;
	const char *update; /* where the map has members, or had some */
	const char *clear;  /* where it has none: a job that never had any has no text of them */
};

static const struct map annotations = {
	"SELECT name, value FROM annotation WHERE job_id = ? ORDER BY name",
	"UPDATE job SET annotations = ? WHERE id = ?",
	"UPDATE job SET annotations = ? WHERE id = ? AND annotations IS NOT NULL",
};

static const struct map tags = {
	"SELECT name, value FROM tag_set WHERE job_id = ? AND id = 0 ORDER BY name",
	"UPDATE job SET tags = ? WHERE id = ?",
	"UPDATE job SET tags = ? WHERE id = ? AND tags IS NOT NULL",
};

/* Collect the members of a job's map. Returns 0 or -1 with e filled. */
static int collect(struct pm_db *db, const struct map *m, int64_t job, json_t *map,
		   struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, m->select, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0)
		json_object_set_new(map, pm_db_text(q, 0, NULL),
				    pm_db_is_null(q, 1) ? json_null()
							: json_string(pm_db_text(q, 1, NULL)));
	pm_db_finish(q);
	return rc;
}

static int write_text(struct pm_db *db, const char *sql, int64_t job, const char *text,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, text);
	pm_db_bind_int(q, 2, job);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

static int store(struct pm_db *db, const struct map *m, int64_t job, struct pm_err *e)
{
	json_t *map = json_object();
	char *text = NULL;
	int rc = map ? collect(db, m, job, map, e) : pm_err(e, "out of memory");

	if (rc == 0) {
		text = json_dumps(map, JSON_COMPACT);
		rc = text ? write_text(db, json_object_size(map) > 0 ? m->update : m->clear, job,
				       text, e)
			  : pm_err(e, "out of memory");
	}
	free(text);
	json_decref(map);
	return rc;
}

int pm_annotations_store(struct pm_db *db, int64_t job, struct pm_err *e)
{
	return store(db, &annotations, job, e);
}

/* Write one tag NAME:VALUE. Returns 0 or -1 with e filled. */
static int write_tag(struct pm_db *db, int64_t job, const char *tag, size_t n, struct pm_err *e)
{
	const char *colon = memchr(tag, ':', n);
	size_t name = colon ? (size_t)(colon - tag) : n;
	struct pm_stmt *q;
	int rc;

	if (name == 0)
		return 0;
	if (pm_db_prepare(db,
			  "INSERT INTO tag_set (job_id, id, name, value) VALUES (?, 0, ?, ?) "
			  "ON CONFLICT (job_id, id, name) DO UPDATE SET value = excluded.value",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_text(q, 2, tag, name);
	pm_db_bind_text(q, 3, colon ? colon + 1 : "1", colon ? n - name - 1 : 1);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_annotations_set_tags(struct pm_db *db, int64_t job, const char *text, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "DELETE FROM tag_set WHERE job_id = ? AND id = 0", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	while (rc == 0 && *text) {
		size_t n;

		text += strspn(text, "; \t");
		n = strcspn(text, ";");
		rc = write_tag(db, job, text, n, e);
		text += n;
	}
	return rc < 0 ? -1 : store(db, &tags, job, e);
}
