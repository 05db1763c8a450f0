/* Redact the rows of a loaded job. All rows of a query are read before any is written: not every
 * engine can do both at once. */
#include "config.h"

#include "submit/rows/redact.h"

#include "common/grow.h"
#include "common/secrets/redact.h"
#include "common/secrets/redact_file.h"
#include "common/secrets/redact_json.h"
#include "common/text.h"
#include "db/erase.h"
#include "db/programs.h"
#include "submit/memory/coder.h"
#include "submit/memory/filecontent.h"
#include "submit/rows/files.h"
#include "submit/rows/redact_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new value of a row. */
struct change {
	int64_t id;
	char *file; /* file name, if the row is in table load */
	char *text;
	size_t n;
};

struct redacting {
	struct pm_db *db;
	int64_t job, count;
	struct change *change;
	size_t changes, room;
};

/* A column to redact. `select` returns the row's id, its key within the job, then the value. */
struct column {
	const char *select, *update;
	bool bytes;
	/* One of the two: of a column that holds JSON, or of any other. */
	int64_t (*json)(json_t *value);
	int64_t (*redact)(struct pm_stmt *q, char **out, size_t *n);
};

static int64_t redact_json(struct pm_stmt *q, char **out, size_t *n,
			   int64_t (*redact)(json_t *value))
{
	const char *text = pm_db_text(q, 1, n);
	json_t *value = text ? json_loadb(text, *n, JSON_DECODE_ANY, NULL) : NULL;
	int64_t count = value ? redact(value) : 0;

	if (count > 0) {
		*out = json_dumps(value, JSON_COMPACT);
		*n = *out ? strlen(*out) : 0;
		count = *out ? count : -1;
	}
	json_decref(value);
	return count;
}

/* Take ownership of `clean`, the redacted text. Returns 1 with *out set, 0 if nothing changed, -1
 * if out of memory. */
static int64_t take_replacement(const char *text, char *clean, char **out, size_t *n)
{
	*out = clean;
	if (clean && strcmp(clean, text) != 0) {
		*n = strlen(clean);
		return 1;
	}
	free(clean);
	*out = NULL;
	return clean ? 0 : -1;
}

static int64_t redact_args(struct pm_stmt *q, char **out, size_t *n)
{
	const char *args = pm_db_text(q, 1, NULL);
	int64_t count = args ? pm_redact_args(pm_db_text(q, 2, NULL), args, out) : 0;

	*n = count > 0 ? strlen(*out) : 0;
	return count;
}

static int64_t redact_job_tags(json_t *map)
{
	return pm_redact_pairs(map, ':');
}

static int64_t redact_annotations(json_t *map)
{
	return pm_redact_pairs(map, '=');
}

static int64_t redact_tags(struct pm_stmt *q, char **out, size_t *n)
{
	const char *tags = pm_db_text(q, 1, NULL);
	int64_t count = tags ? pm_redact_tags_field(tags, out) : 0;

	*n = count > 0 ? strlen(*out) : 0;
	return count;
}

static int64_t redact_text(struct pm_stmt *q, char **out, size_t *n)
{
	const char *value = pm_db_text(q, 1, NULL);

	return value ? take_replacement(value, pm_redact_value(value), out, n) : 0;
}

static int64_t redact_bytes(struct pm_stmt *q, char **out, size_t *n)
{
	size_t len;
	const char *p = pm_db_blob(q, 1, &len);

	return len > 0 ? pm_redact_line(p, len, out, n) : 0;
}

static const struct column column[] = {
	{ "SELECT id, args, exename FROM process WHERE job_id = ? AND args <> ''",
	  "UPDATE process SET args = ? WHERE job_id = ? AND id = ?", false, NULL, redact_args },
	{ "SELECT id, tags FROM process WHERE job_id = ? AND tags <> ''",
	  "UPDATE process SET tags = ? WHERE job_id = ? AND id = ?", false, NULL, redact_tags },
	{ "SELECT id, name FROM job WHERE id = ?",
	  "UPDATE job SET name = ? WHERE id = ? AND id = ?", false, NULL, redact_text },
	{ "SELECT id, script FROM job WHERE id = ?",
	  "UPDATE job SET script = ? WHERE id = ? AND id = ?", false, NULL, redact_text },
	{ "SELECT id, tags FROM job WHERE id = ?",
	  "UPDATE job SET tags = ? WHERE id = ? AND id = ?", false, redact_job_tags, NULL },
	{ "SELECT id, facts FROM job WHERE id = ?",
	  "UPDATE job SET facts = ? WHERE id = ? AND id = ?", false, pm_redact_map, NULL },
	{ "SELECT id, annotations FROM job WHERE id = ?",
	  "UPDATE job SET annotations = ? WHERE id = ? AND id = ?", false, redact_annotations,
	  NULL },
	{ "SELECT id, start_cwd FROM host WHERE job_id = ?",
	  "UPDATE host SET start_cwd = ? WHERE job_id = ? AND id = ?", false, NULL, redact_text },
	{ "SELECT id, start_modules FROM host WHERE job_id = ?",
	  "UPDATE host SET start_modules = ? WHERE job_id = ? AND id = ?", false, pm_redact_texts,
	  NULL },
	{ "SELECT id, start_command FROM host WHERE job_id = ?",
	  "UPDATE host SET start_command = ? WHERE job_id = ? AND id = ?", false, pm_redact_list,
	  NULL },
	{ "SELECT id, start_environment FROM host WHERE job_id = ?",
	  "UPDATE host SET start_environment = ? WHERE job_id = ? AND id = ?", false, pm_redact_map,
	  NULL },
	{ "SELECT id, stop_environment_changes FROM host WHERE job_id = ?",
	  "UPDATE host SET stop_environment_changes = ? WHERE job_id = ? AND id = ?", false,
	  pm_redact_map, NULL },
	{ "SELECT id, bytes FROM reject WHERE job_id = ?",
	  "UPDATE reject SET bytes = ? WHERE job_id = ? AND id = ?", true, NULL, redact_bytes },
};

static void forget_changes(struct redacting *r)
{
	for (size_t i = 0; i < r->changes; i++) {
		free(r->change[i].file);
		free(r->change[i].text);
	}
	r->changes = 0;
}

/* Store the new value of a row if it has secrets. Returns 0 or -1 with e filled. */
static int note_change(struct redacting *r, const struct column *c, struct pm_stmt *q,
		       struct pm_err *e)
{
	struct change new = { .id = pm_db_int(q, 0) };
	int64_t count = c->json ? redact_json(q, &new.text, &new.n, c->json)
				: c->redact(q, &new.text, &new.n);

	if (count == 0)
		return 0;
	if (count < 0 || !PM_GROW(r->change, r->changes, r->room, 64)) {
		free(count > 0 ? new.text : NULL);
		return pm_err(e, "out of memory");
	}
	r->change[r->changes++] = new;
	r->count += count;
	return 0;
}

static int write_changes(struct redacting *r, const struct column *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (r->changes == 0)
		return 0;
	rc = pm_db_prepare(r->db, c->update, &q, e);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < r->changes && rc == 0; i++) {
		if (c->bytes)
			pm_db_bind_blob(q, 1, r->change[i].text, r->change[i].n);
		else
			pm_db_bind_text(q, 1, r->change[i].text, r->change[i].n);
		pm_db_bind_int(q, 2, r->job);
		pm_db_bind_int(q, 3, r->change[i].id);
		rc = pm_db_run(q, e);
	}
	pm_db_finish(q);
	return rc;
}

static int redact_column(struct redacting *r, const struct column *c, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->db, c->select, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	while ((rc = pm_db_step(q, e)) > 0)
		if (note_change(r, c, q, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	if (rc == 0)
		rc = write_changes(r, c, e);
	forget_changes(r);
	return rc;
}

/* Redaction of a file's stored content. */
struct kept {
	struct pm_redact_file *file;
	struct pm_filecontent *keep;
	int64_t before, after; /* bytes */
	struct pm_stmt *insert;
	int64_t job, load, part;
};

static int take_old(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct kept *k = ctx;

	k->before += (int64_t)n;
	return pm_redact_file_feed(k->file, p, n, e);
}

static int take_new(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct kept *k = ctx;

	(void)e;
	k->after += (int64_t)n;
	pm_filecontent_add(k->keep, p, n);
	return 0;
}

static int write_piece(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	struct kept *k = ctx;

	pm_db_bind_int(k->insert, 1, k->job);
	pm_db_bind_int(k->insert, 2, k->load);
	pm_db_bind_int(k->insert, 3, ++k->part);
	pm_db_bind_str(k->insert, 4, pm_coder_name());
	pm_db_bind_blob(k->insert, 5, p, n);
	return pm_db_run(k->insert, e);
}

/* Replace a file's stored content, digest and size. Returns 0 or -1 with e filled. */
static int replace_content(struct redacting *r, struct kept *k, struct pm_err *e)
{
	uint32_t number = pm_filecontent_end(k->keep);
	const char *digest;
	struct pm_stmt *q;
	int rc;

	if (pm_filecontent_wait(k->keep, e) < 0 ||
	    !(digest = pm_filecontent_digest(k->keep, number, e)) ||
	    pm_db_prepare(r->db, "DELETE FROM content WHERE job_id = ? AND load_id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	pm_db_bind_int(q, 2, k->load);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	if (rc == 0 && (rc = pm_db_insert(r->db, "content", false, &k->insert, e)) == 0) {
		rc = pm_filecontent_each(k->keep, number, write_piece, k, e);
		pm_db_finish(k->insert);
	}
	if (rc < 0 ||
	    pm_db_prepare(r->db,
			  "UPDATE load SET digest = ?, bytes = CASE WHEN bytes = ? THEN ? "
			  "ELSE bytes END WHERE job_id = ? AND id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, digest);
	pm_db_bind_int(q, 2, k->before);
	pm_db_bind_int(q, 3, k->after);
	pm_db_bind_int(q, 4, r->job);
	pm_db_bind_int(q, 5, k->load);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

static int redact_content(struct redacting *r, const struct change *load, struct pm_err *e)
{
	struct kept k = { .job = r->job, .load = load->id };
	int rc;

	if (!pm_redact_is_file(load->file))
		return 0;
	k.keep = pm_filecontent_new(e);
	k.file = k.keep ? pm_redact_file_new(load->file, take_new, &k, e) : NULL;
	rc = k.file ? pm_files_read(r->db, r->job, load->id, take_old, &k, e) : -1;
	if (rc > 0) {
		rc = pm_redact_file_end(k.file, e);
		r->count += pm_redact_file_count(k.file);
		if (rc == 0 && pm_redact_file_count(k.file) > 0)
			rc = replace_content(r, &k, e);
	}
	pm_redact_file_free(k.file);
	pm_filecontent_free(k.keep);
	return rc < 0 ? pm_err_prefix(e, "content of %s", load->file) : 0;
}

static int redact_contents(struct redacting *r, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(r->db, "SELECT id, file FROM load WHERE job_id = ? ORDER BY id", &q, e) <
	    0)
		return -1;
	pm_db_bind_int(q, 1, r->job);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct change load = { .id = pm_db_int(q, 0) };

		load.file = strdup(pm_db_text(q, 1, NULL));
		if (!load.file || !PM_GROW(r->change, r->changes, r->room, 64)) {
			free(load.file);
			rc = pm_err(e, "out of memory");
			break;
		}
		r->change[r->changes++] = load;
	}
	pm_db_finish(q);
	for (size_t i = 0; i < r->changes && rc == 0; i++)
		rc = redact_content(r, &r->change[i], e);
	forget_changes(r);
	return rc;
}

static int redact_label(char label[PM_PROCESSNAME_MAX], struct pm_err *e)
{
	char *clean = pm_redact_value(label);
	int count;

	if (!clean)
		return pm_err(e, "out of memory");
	count = strcmp(clean, label) != 0;
	pm_text_fit(label, PM_PROCESSNAME_MAX, clean, PM_PROCESSNAME_MAX, true);
	free(clean);
	return count;
}

/* Labels of programs follow from the arguments of their processes; where these are retired, labels
 * are all there is. Returns 0 or -1 with e filled. */
static int redact_programs(struct redacting *r, struct pm_err *e)
{
	int64_t count = 0;
	int rc = pm_erase_noted(r->db, r->job, PM_ERASE_NOTE_PROCESSES, e);

	if (rc > 0)
		count = pm_programs_relabel(r->db, r->job, redact_label, e);
	else if (rc == 0 && r->count > 0)
		rc = pm_programs_renew(r->db, r->job, e);
	r->count += count > 0 ? count : 0;
	return rc < 0 || count < 0 ? -1 : 0;
}

int pm_redact_job(struct pm_db *db, int64_t job, int64_t *count, struct pm_err *e)
{
	struct redacting r = { .db = db, .job = job };
	int rc = pm_erase_lock(db, job, e);

	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < sizeof column / sizeof column[0] && rc > 0; i++)
		if (redact_column(&r, &column[i], e) < 0)
			rc = -1;
	if (rc > 0 && redact_programs(&r, e) < 0)
		rc = -1;
	if (rc > 0 && (pm_redact_rows(db, job, &r.count, e) < 0 || redact_contents(&r, e) < 0))
		rc = -1;
	free(r.change);
	*count = r.count;
	return rc;
}
