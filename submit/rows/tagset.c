/*
 * Cache of recent tag sets by their text: a job has a handful of them. A text that collides with
 * another, or is too long to cache, becomes a new set, so memory does not grow with jobs whose
 * processes all have different tags.
 */
#include "config.h"

#include "submit/rows/tagset.h"

#include "submit/job/keytext.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLACES   512  /* a power of two; each text has two of them */
#define KEPT_MAX 1024 /* longest text that is cached, in bytes */

struct pm_tagset {
	struct pm_stmt *q;
	int64_t job_id, last;
	struct place {
		char *text;
		size_t len;
		int64_t number;
	} place[PLACES];
};

struct pm_tagset *pm_tagset_new(struct pm_db *db, int64_t job_id, int64_t last, struct pm_err *e)
{
	struct pm_tagset *s = calloc(1, sizeof *s);

	if (!s) {
		pm_err(e, "out of memory");
		return NULL;
	}
	s->job_id = job_id;
	s->last = last;
	if (pm_db_insert(db, "tag_set", true, &s->q, e) == 0)
		return s;
	free(s);
	return NULL;
}

void pm_tagset_free(struct pm_tagset *s)
{
	if (!s)
		return;
	pm_db_finish(s->q);
	for (size_t i = 0; i < PLACES; i++)
		free(s->place[i].text);
	free(s);
}

/* Write the names and values of a new set, last to first: of one name the first row written wins.
 * Returns the set's number, 0 if it has no tags, or -1. */
static int64_t write_set(struct pm_tagset *s, struct pm_str tags, struct pm_err *e)
{
	const char *begin = tags.p, *stop = begin + tags.n;
	char room[PM_KEYTEXT_MAX + 1];
	int64_t number = 0;

	for (;;) {
		const char *semicolon = memrchr(begin, ';', (size_t)(stop - begin));
		const char *p = semicolon ? semicolon + 1 : begin;
		const char *colon = memchr(p, ':', (size_t)(stop - p));

		if (stop > p && colon != p) {
			struct pm_str name = { p, (size_t)((colon ? colon : stop) - p) };

			name = pm_keytext(name, room);
			number = s->last + 1;
			pm_db_bind_int(s->q, 1, s->job_id);
			pm_db_bind_int(s->q, 2, number);
			pm_db_bind_text(s->q, 3, name.p, name.n);
			if (colon)
				pm_db_bind_text(s->q, 4, colon + 1, (size_t)(stop - colon - 1));
			else
				pm_db_bind_text(s->q, 4, "1", 1);
			if (pm_db_run(s->q, e) < 0)
				return pm_err_prefix(e, "write tags");
		}
		if (!semicolon)
			break;
		stop = semicolon;
	}
	s->last += number != 0;
	return number;
}

static uint64_t tags_hash(struct pm_str tags)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < tags.n; i++)
		h = (h ^ (unsigned char)tags.p[i]) * 0x100000001b3;
	return h;
}

static bool has(const struct place *place, struct pm_str tags)
{
	return place->text && place->len == tags.n && memcmp(place->text, tags.p, tags.n) == 0;
}

int64_t pm_tagset_number(struct pm_tagset *s, struct pm_str tags, struct pm_err *e)
{
	struct place *place, *other;
	int64_t number;
	uint64_t hash;
	char *text;

	if (tags.n == 0)
		return 0;
	if (tags.n > KEPT_MAX)
		return write_set(s, tags, e);
	hash = tags_hash(tags);
	place = &s->place[hash % PLACES];
	if (has(place, tags))
		return place->number;
	other = &s->place[(hash >> 32) % PLACES];
	if (has(other, tags))
		return other->number;
	/* The empty one, else the older. */
	if (place->text && (!other->text || other->number < place->number))
		place = other;
	number = write_set(s, tags, e);
	if (number < 0)
		return -1;
	text = realloc(place->text, tags.n);
	if (!text)
		return pm_err(e, "out of memory");
	memcpy(text, tags.p, tags.n);
	*place = (struct place){ text, tags.n, number };
	return number;
}
