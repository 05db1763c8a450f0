/* Samples in HDF5 files: a group for each series. */
#include "config.h"

#include "export/hdf5_samples.h"

#include "common/bytes.h"
#include "common/grow.h"
#include "common/utf8.h"
#include "db/samples.h"

#include <stdlib.h>
#include <string.h>

/* Reasons have numbers of 7 bits; the last one is all others. */
#define REASONS 127

/* A series that is being written. */
struct series {
	struct pm_hdf5 *h;
	int64_t group;
	struct pm_hdf5_dataset *time, *monotonic, *value;
	struct pm_hdf5_dataset *reason; /* NULL: every value so far is known */
	char *reasons[REASONS];         /* owned, but the first one, which is "" */
	size_t count;
	size_t rows;
	char *unit, *kind;
};

/* The group of a host. */
struct host {
	int64_t id, group;
};

/* What is written. */
struct job {
	struct pm_hdf5 *h;
	int64_t group;
	struct host *host;
	size_t hosts, room;
	struct pm_samples *samples; /* of all series */
	struct pm_sample next;      /* the first that is not written yet */
	bool at_end;
	struct pm_hdf5_faults *faults;
};

/* The columns of the question below. */
enum { ID, HOST_ID, HOSTNAME, SOURCE, METRIC, OBJECT, UNIT, KIND };

/* Add a text of the database to a name, with a blank between it and the part before. */
static void add_part(struct pm_bytes *name, struct pm_stmt *q, int column)
{
	size_t n = 0;
	const char *p = pm_db_text(q, column, &n);

	if (!p || n == 0)
		return;
	if (name->n > 0)
		pm_bytes_byte(name, ' ');
	pm_bytes_add(name, p, n);
}

/* Copy a text of the database as UTF-8 without NUL. Returns what is to be freed, or NULL with e
 * filled. */
static char *text_of(struct pm_stmt *q, int column, struct pm_err *e)
{
	struct pm_bytes text = { .p = NULL };
	size_t n = 0;
	const char *p = pm_db_text(q, column, &n);

	pm_utf8_add_text(&text, p ? p : "", p ? n : 0);
	pm_bytes_byte(&text, 0);
	if (text.failed) {
		pm_bytes_free(&text);
		pm_err(e, "out of memory");
	}
	return (char *)text.p;
}

/* Note a text of the database, by its column. Returns 0, or -1 with e filled. */
static int note(struct pm_hdf5 *h, int64_t group, struct pm_stmt *q, int column, struct pm_err *e)
{
	char *text = text_of(q, column, e);
	const int rc =
		text ? pm_hdf5_note_text(h, group, pm_db_column_name(q, column), text, e) : -1;

	free(text);
	return rc;
}

/* Create the group of a series. Returns it, or -1 with e filled. */
static int64_t make_group(struct pm_hdf5 *h, int64_t parent, struct pm_stmt *q, struct pm_err *e)
{
	struct pm_bytes name = { .p = NULL };
	int64_t group = -1;

	for (int i = SOURCE; i <= OBJECT; i++)
		add_part(&name, q, i);
	if (name.failed)
		pm_err(e, "out of memory");
	else
		group = pm_hdf5_group(h, parent, (const char *)name.p, name.n, pm_db_int(q, ID), e);
	pm_bytes_free(&name);
	for (int i = HOSTNAME; group >= 0 && i <= KIND; i++)
		if (note(h, group, q, i, e) < 0)
			goto failed;
	if (group < 0 || pm_hdf5_note_integer(h, group, "series_id", pm_db_int(q, ID), e) == 0)
		return group;
failed:
	pm_hdf5_group_close(h, group);
	return -1;
}

/* Begin the datasets of a series. Returns 0, or -1 with e filled. */
static int begin(struct series *s, struct pm_err *e)
{
	const struct pm_hdf5_about time = { .name = "time_us",
					    .type = PM_HDF5_INTEGER,
					    .unit = "us" },
				   monotonic = { .name = "monotonic_us",
						 .type = PM_HDF5_INTEGER,
						 .unit = "us" },
				   value = { .name = "value",
					     .type = PM_HDF5_INTEGER,
					     .unit = s->unit,
					     .kind = s->kind };

	s->time = pm_hdf5_dataset_new(s->h, s->group, &time, e);
	s->monotonic = s->time ? pm_hdf5_dataset_new(s->h, s->group, &monotonic, e) : NULL;
	s->value = s->monotonic ? pm_hdf5_dataset_new(s->h, s->group, &value, e) : NULL;
	return s->value ? 0 : -1;
}

/* The number of a reason. Returns -1 if out of memory. */
static int number_of(struct series *s, const char *reason)
{
	if (s->count == 0)
		s->reasons[s->count++] = (char *)(uintptr_t) "";
	for (size_t i = 1; i < s->count; i++)
		if (strcmp(s->reasons[i], reason) == 0)
			return (int)i;
	if (s->count == REASONS)
		return REASONS - 1;
	s->reasons[s->count] = strdup(s->count == REASONS - 1 ? "others" : reason);
	return s->reasons[s->count] ? (int)s->count++ : -1;
}

/* Begin the reasons, with those of the rows so far, which are known. Returns 0, or -1 with e
 * filled. */
static int begin_reasons(struct series *s, struct pm_err *e)
{
	const struct pm_hdf5_about reason = { .name = "reason",
					      .type = PM_HDF5_CODE,
					      .help = "0: the value is known; else why not, by the "
						      "attribute reasons" };

	s->reason = pm_hdf5_dataset_new(s->h, s->group, &reason, e);
	for (size_t i = 0; s->reason && i < s->rows; i++) {
		pm_hdf5_dataset_code(s->reason, 0);
		if (pm_hdf5_dataset_fit(s->reason, e) < 0)
			return -1;
	}
	return s->reason ? 0 : -1;
}

/* Add a sample. Returns 0, or -1 with e filled. */
static int add(struct series *s, const struct pm_sample *x, struct pm_err *e)
{
	int number = 0;

	if (!x->known) {
		number = number_of(s, x->reason ? x->reason : "unknown");
		if (number < 0)
			return pm_err(e, "out of memory");
		if (!s->reason && begin_reasons(s, e) < 0)
			return -1;
	}
	pm_hdf5_dataset_integer(s->time, x->time_us);
	pm_hdf5_dataset_integer(s->monotonic, x->monotonic_us);
	pm_hdf5_dataset_integer(s->value, x->known ? x->value : PM_HDF5_UNKNOWN);
	if (s->reason)
		pm_hdf5_dataset_code(s->reason, (uint8_t)number);
	s->rows++;
	return pm_hdf5_dataset_fit(s->time, e) < 0 || pm_hdf5_dataset_fit(s->monotonic, e) < 0 ||
			       pm_hdf5_dataset_fit(s->value, e) < 0 ||
			       (s->reason && pm_hdf5_dataset_fit(s->reason, e) < 0)
		       ? -1
		       : 0;
}

/* Complete the datasets. Returns 0, or -1 with e filled. */
static int finish(struct series *s, struct pm_err *e)
{
	int rc = pm_hdf5_dataset_finish(s->time, NULL, NULL, 0, e);

	s->time = NULL;
	if (rc == 0) {
		rc = pm_hdf5_dataset_finish(s->monotonic, NULL, NULL, 0, e);
		s->monotonic = NULL;
	}
	if (rc == 0) {
		rc = pm_hdf5_dataset_finish(s->value, NULL, NULL, 0, e);
		s->value = NULL;
	}
	if (rc == 0) {
		rc = pm_hdf5_dataset_finish(s->reason, "reasons", (const char *const *)s->reasons,
					    s->count, e);
		s->reason = NULL;
	}
	return rc;
}

static void release(struct series *s)
{
	pm_hdf5_dataset_free(s->time);
	pm_hdf5_dataset_free(s->monotonic);
	pm_hdf5_dataset_free(s->value);
	pm_hdf5_dataset_free(s->reason);
	for (size_t i = 1; i < s->count; i++)
		free(s->reasons[i]);
	free(s->unit);
	free(s->kind);
}

/* Read the next sample of the job; a block that is damaged is left out and counted. Returns 0, or
 * -1 with e filled. */
static int read_on(struct job *j, struct pm_err *e)
{
	for (;;) {
		const int rc = pm_samples_next(j->samples, &j->next, e);

		j->at_end = rc == 0;
		if (rc >= 0)
			return 0;
		if (!pm_samples_damage(j->samples))
			return -1;
		j->faults->damaged++;
		j->faults->damage = *e;
	}
}

/* Begin to read the samples. Returns 0, or -1 with e filled. */
static int begin_samples(struct job *j, struct pm_db *db, int64_t job, struct pm_err *e)
{
	j->samples = pm_samples_of_job(db, job, e);
	return j->samples ? read_on(j, e) : -1;
}

/* Write all samples of a series. Returns 0, or -1 with e filled. */
static int write_samples(struct series *s, struct job *j, int64_t series, struct pm_err *e)
{
	/* Blocks without a series are those of one that is being deleted. */
	while (!j->at_end && j->next.series <= series) {
		if (j->next.series == series && add(s, &j->next, e) < 0)
			return -1;
		if (read_on(j, e) < 0)
			return -1;
	}
	return finish(s, e);
}

/* Write the series of the current row. Returns 0, or -1 with e filled. */
static int write_series(struct job *j, int64_t parent, struct pm_stmt *q, struct pm_err *e)
{
	struct series s = { .h = j->h,
			    .group = make_group(j->h, parent, q, e),
			    .unit = text_of(q, UNIT, e) };
	int rc = s.group < 0 || !s.unit || !(s.kind = text_of(q, KIND, e)) ? -1 : begin(&s, e);

	if (rc == 0)
		rc = write_samples(&s, j, pm_db_int(q, ID), e);
	release(&s);
	pm_hdf5_group_close(j->h, s.group);
	return rc;
}

/* Find the group of the host of the current row, or create it. Returns it, or -1 with e filled. */
static int64_t host_group(struct job *j, struct pm_stmt *q, struct pm_err *e)
{
	const int64_t id = pm_db_int(q, HOST_ID);
	size_t i = j->hosts, n = 0;
	const char *name;

	/* Nearly always it is the latest. */
	while (i > 0 && j->host[i - 1].id != id)
		i--;
	if (i > 0)
		return j->host[i - 1].group;
	if (!PM_GROW(j->host, j->hosts, j->room, 8))
		return pm_err(e, "out of memory");
	name = pm_db_text(q, HOSTNAME, &n);
	j->host[j->hosts] = (struct host){ id, pm_hdf5_group(j->h, j->group, name ? name : "",
							     name ? n : 0, id, e) };
	if (j->host[j->hosts].group < 0)
		return -1;
	return j->host[j->hosts++].group;
}

/* Write all series in the order of their numbers, in which their samples are read. Returns 0, or
 * -1 with e filled. */
static int write_job(struct job *j, struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.id, s.host_id, h.hostname, s.source, s.metric, s.object, s.unit, s.kind "
		"FROM series s JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id "
		"WHERE s.job_id = ? ORDER BY s.id";
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		const int64_t host = host_group(j, q, e);

		/* Only now, behind the first series: what a server sends of an earlier question is
		 * kept until that is asked for again, and of both the samples are more. */
		if (host < 0 || (!j->samples && begin_samples(j, db, job, e) < 0) ||
		    write_series(j, host, q, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	return rc;
}

int pm_hdf5_samples_write(struct pm_hdf5 *h, int64_t parent, struct pm_db *db, int64_t job,
			  struct pm_hdf5_faults *f, struct pm_err *e)
{
	struct job j = { .h = h,
			 .faults = f,
			 .group = pm_hdf5_group(h, parent, "samples", strlen("samples"), 0, e) };
	int rc = j.group < 0 ? -1 : 0;

	if (rc == 0)
		rc = write_job(&j, db, job, e);
	for (size_t i = 0; i < j.hosts; i++)
		pm_hdf5_group_close(h, j.host[i].group);
	free(j.host);
	pm_samples_free(j.samples);
	pm_hdf5_group_close(h, j.group);
	return rc;
}
