/*
 * Compare a job with its copy. Engines sort texts differently, so rows are compared in no order: by
 * their number and by the sum of their hashes. That tells faults of disks, programs and people; it
 * is no defence against rows made up to have equal sums.
 */
#include "config.h"

#include "db/copy.h"

#include "common/memtext.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

struct rows {
	int64_t n;
	uint64_t sum;
};

static uint64_t add_bytes(uint64_t hash, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * FNV_PRIME;
	return hash;
}

/* Spread a hash over all bits, so that sums of hashes do not cancel each other: the end of
 * MurmurHash3. */
static uint64_t spread(uint64_t hash)
{
	hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
	hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53u;
	return hash ^ (hash >> 33);
}

static uint64_t add_column(uint64_t hash, struct pm_stmt *q, int i)
{
	unsigned char type = (unsigned char)pm_db_type(q, i);
	const void *p = NULL;
	size_t n = 0;
	int64_t v;
	double d;

	hash = add_bytes(hash, &type, 1);
	switch (type) {
	case PM_DB_INTEGER:
		v = pm_db_int(q, i);
		return add_bytes(hash, &v, sizeof v);
	case PM_DB_REAL:
		d = pm_db_real(q, i);
		return add_bytes(hash, &d, sizeof d);
	case PM_DB_TEXT:
		p = pm_db_text(q, i, &n);
		break;
	case PM_DB_BLOB:
		p = pm_db_blob(q, i, &n);
		break;
	}
	/* The length keeps texts of neighbouring columns apart. */
	hash = add_bytes(hash, &n, sizeof n);
	return n ? add_bytes(hash, p, n) : hash;
}

/* Whether a job has rows in a table that a copy must have, too: analyses may be made again at any
 * time, of a job that an archive has meanwhile. */
static bool is_compared(const struct pm_schema_table *t)
{
	return pm_schema_of_job(t) && strcmp(t->name, "analysis") != 0;
}

/* Prepare the query of a job's rows without its number there, and for its own row without
 * `problems` and when it was analyzed; `more` is a further condition, or "". */
static int prepare_rows(struct pm_db *db, const struct pm_schema_table *t, int64_t job,
			const char *more, struct pm_stmt **q, struct pm_err *e)
{
	bool own = strcmp(t->name, "job") == 0;
	const char *key = own ? "id" : "job_id";
	char *sql = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < t->columns; i++)
		if (strcmp(t->column[i].name, key) != 0 &&
		    (!own || (strcmp(t->column[i].name, "problems") != 0 &&
			      strcmp(t->column[i].name, "analyzed_us") != 0)))
			fprintf(out, "%s\"%s\"", n++ ? ", " : "SELECT ", t->column[i].name);
	fprintf(out, " FROM %s WHERE %s = ?%s", t->name, key, more);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc == 0)
		pm_db_bind_int(*q, 1, job);
	return rc;
}

static int sum_rows(struct pm_db *db, const struct pm_schema_table *t, int64_t job,
		    const char *more, struct rows *rows, struct pm_err *e)
{
	struct pm_stmt *q = NULL;
	int rc = prepare_rows(db, t, job, more, &q, e);

	*rows = (struct rows){ 0 };
	while (rc >= 0 && (rc = pm_db_step(q, e)) > 0) {
		uint64_t hash = FNV_BASIS;

		for (int i = 0; i < pm_db_columns(q); i++)
			hash = add_column(hash, q, i);
		rows->n++;
		rows->sum += spread(hash);
	}
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "%s: table %s", pm_db_name(db), t->name) : 0;
}

/* A job in two databases. */
struct pair {
	struct pm_db *db[2];
	int64_t job[2];
};

static int sum_both(const struct pair *p, const struct pm_schema_table *t, const char *more,
		    struct rows rows[2], struct pm_err *e)
{
	for (int i = 0; i < 2; i++)
		if (sum_rows(p->db[i], t, p->job[i], more, &rows[i], e) < 0)
			return -1;
	return 0;
}

static bool are_equal(const struct rows rows[2])
{
	return rows[0].n == rows[1].n && rows[0].sum == rows[1].sum;
}

/* Read `problems`, to be freed, NULL if there are none. Returns 0 or -1 with e filled. */
static int read_problems(struct pm_db *db, int64_t job, char **problems, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	*problems = NULL;
	if (pm_db_prepare(db, "SELECT problems FROM job WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0 && !pm_db_is_null(q, 0) && !(*problems = strdup(pm_db_text(q, 0, NULL))))
		rc = pm_err(e, "out of memory");
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Whether the job's own rows are equal, `problems` included, and whether those are the copy's with
 * the note behind. Returns 0 or -1 with e filled. */
static int compare_own(const struct pair *p, const char *note, bool *same, bool *noted,
		       struct pm_err *e)
{
	char *problems[2] = { NULL, NULL }, *expected = NULL;
	struct rows rows[2];
	int rc = sum_both(p, pm_schema_find("job"), "", rows, e);

	for (int i = 0; i < 2 && rc == 0; i++)
		rc = read_problems(p->db[i], p->job[i], &problems[i], e);
	if (rc == 0 && asprintf(&expected, "%s%s%s", problems[1] ? problems[1] : "",
				problems[1] ? "; " : "", note) < 0) {
		expected = NULL;
		rc = pm_err(e, "out of memory");
	}
	if (rc == 0) {
		*same = are_equal(rows) && !problems[0] == !problems[1] &&
			(!problems[0] || strcmp(problems[0], problems[1]) == 0);
		*noted = are_equal(rows) && problems[0] && strcmp(problems[0], expected) == 0;
	}
	free(problems[0]);
	free(problems[1]);
	free(expected);
	return rc;
}

/* What the job has to have of its copy for that to be older, whatever the values: keys of two
 * columns of text, and which of a job's rows have them. */
static const struct part {
	const char *table, *key, *where;
} parts[] = {
	{ "load", "file, digest", "" },
	{ "annotation", "name, ''", "" },
	{ "tag_set", "name, ''", " AND id = 0" },
};

/* Compare the keys in the current rows. */
static int compare_keys(struct pm_stmt *a, struct pm_stmt *b)
{
	int c = strcmp(pm_db_text(a, 0, NULL), pm_db_text(b, 0, NULL));

	return c ? c : strcmp(pm_db_text(a, 1, NULL), pm_db_text(b, 1, NULL));
}

/* Whether each key of `copy` is one of `job`, both in order. Returns 1, 0 or -1 with e filled. */
static int is_subset(struct pm_stmt *copy, struct pm_stmt *job, struct pm_err *e)
{
	int has = pm_db_step(job, e), rc = has < 0 ? -1 : 1;

	while (rc > 0 && (rc = pm_db_step(copy, e)) > 0) {
		while (has > 0 && compare_keys(job, copy) < 0)
			has = pm_db_step(job, e);
		if (has < 0)
			return -1;
		if (has == 0 || compare_keys(job, copy) > 0)
			return 0;
	}
	return rc < 0 ? -1 : 1;
}

/* Whether the job has all keys that its copy has of a part. Returns 1, 0 or -1 with e filled. */
static int has_part(const struct pair *p, const struct part *part, struct pm_err *e)
{
	struct pm_stmt *q[2] = { NULL, NULL };
	char sql[128];
	int rc = 0;

	snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE job_id = ?%s ORDER BY 1, 2", part->key,
		 part->table, part->where);
	for (int i = 0; i < 2 && rc == 0; i++) {
		rc = pm_db_prepare(p->db[i], sql, &q[i], e);
		if (rc == 0)
			pm_db_bind_int(q[i], 1, p->job[i]);
	}
	if (rc == 0)
		rc = is_subset(q[1], q[0], e);
	pm_db_finish(q[0]);
	pm_db_finish(q[1]);
	return rc;
}

/* Whether the job has whatever its copy has of all parts; else *table gets the first one of which
 * it lacks something. Returns 1, 0 or -1 with e filled. */
static int has_parts(const struct pair *p, const char **table, struct pm_err *e)
{
	int rc = 1;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc > 0; i++) {
		rc = has_part(p, &parts[i], e);
		if (rc == 0)
			*table = parts[i].table;
	}
	return rc;
}

/* Count the rows of a table. Returns 0 or -1 with e filled. */
static int count_rows(struct pm_db *db, const char *table, int64_t job, int64_t *n,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	char sql[96];
	int rc;

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE job_id = ?", table);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	*n = rc > 0 ? pm_db_int(q, 0) : 0;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Whether rows of a table can be what deletion has left. Tables of which pm_erase_part deletes a
 * part are only counted: they were compared before the first part went, and their rows may be many.
 * Returns 1, 0 or -1 with e filled. */
static int may_be_rest(const struct pair *p, const struct pm_schema_table *t, struct pm_err *e)
{
	struct rows rows[2];

	if (t->kept_with == PM_SCHEMA_SUMMARY && strcmp(t->name, "reject") != 0)
		return sum_both(p, t, "", rows, e) < 0 ? -1 : are_equal(rows);
	for (int i = 0; i < 2; i++)
		if (count_rows(p->db[i], t->name, p->job[i], &rows[i].n, e) < 0)
			return -1;
	if (rows[0].n > rows[1].n)
		return 0;
	if (strcmp(t->name, "tag_set") != 0)
		return 1;
	/* Set 0 has the tags of the job itself, which stay to the end. */
	return sum_both(p, t, " AND id = 0", rows, e) < 0 ? -1 : are_equal(rows);
}

static int compare_rest(const struct pair *p, enum pm_copy_match *match, const char **table,
			struct pm_err *e)
{
	const struct pm_schema_table *t;
	size_t n;
	int rc = 1;

	t = pm_schema_tables(&n);
	*match = PM_COPY_REST;
	*table = "job";
	for (size_t i = 0; i < n && rc > 0; i++) {
		if (!is_compared(&t[i]))
			continue;
		rc = may_be_rest(p, &t[i], e);
		if (rc == 0) {
			*match = PM_COPY_OTHER;
			*table = t[i].name;
		}
	}
	return rc < 0 ? -1 : 0;
}

static int compare_tables(const struct pair *p, const char *note, enum pm_copy_match *match,
			  const char **table, struct pm_err *e)
{
	bool same = false, noted = false, more = true;
	const struct pm_schema_table *t;
	struct rows rows[2];
	size_t n;
	int rc;

	if (compare_own(p, note, &same, &noted, e) < 0)
		return -1;
	if (noted)
		return compare_rest(p, match, table, e);
	if (!same)
		*table = "job";
	t = pm_schema_tables(&n);
	for (size_t i = 0; i < n; i++) {
		if (!is_compared(&t[i]))
			continue;
		if (sum_both(p, &t[i], "", rows, e) < 0)
			return -1;
		if (!are_equal(rows) && !*table)
			*table = t[i].name;
		more = more && rows[0].n >= rows[1].n;
	}
	rc = *table && more ? has_parts(p, table, e) : 0;
	*match = !*table ? PM_COPY_SAME : rc > 0 ? PM_COPY_MORE : PM_COPY_OTHER;
	return rc < 0 ? -1 : 0;
}

int pm_copy_compare(struct pm_db *from, int64_t job, struct pm_db *to, const char *note,
		    enum pm_copy_match *match, const char **table, struct pm_err *e)
{
	struct pair p = { { from, to }, { job, 0 } };
	int rc = pm_copy_find(from, job, to, &p.job[1], e);

	*match = PM_COPY_NONE;
	*table = NULL;
	return rc <= 0 ? rc : compare_tables(&p, note, match, table, e);
}
