/* Find sources with common jobs by their metadata, which are read in a first pass. */
#include "config.h"

#include "submit/loading.h"

#include "submit/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sources that stay open between the first pass and loading, at most; and as a part of the limit of
 * descriptors. */
#define OPEN_LIMIT 256
#define OPEN_PART  8

/* The key of an identified job, to be freed; NULL if out of memory. It begins unlike the keys of
 * jobs that are only known by their place. */
static char *identity_key(const struct pm_meta *m)
{
	const struct pm_jobidentity id = pm_job_identity_of(m);
	char *text = pm_jobidentity_text(&id), *key = NULL;

	if (text && asprintf(&key, "=%s", text) < 0)
		key = NULL;
	free(text);
	return key;
}

static int add_place(struct pm_load_set *s, size_t source, const char *directory, char *key)
{
	struct pm_load_place *p = realloc(s->place, (s->places + 1) * sizeof *p);

	if (!p)
		return -1;
	s->place = p;
	p[s->places].source = source;
	p[s->places].directory = strdup(directory);
	p[s->places].key = key;
	return p[s->places++].directory ? 0 : -1;
}

/* Add the jobs of one source. Returns 0 or -1 with e filled. */
static int scan_source(struct pm_load_set *s, size_t number, struct pm_err *e)
{
	struct pm_loading l = { .scan = true, .number = number, .unpacked = &s->unpacked };
	struct pm_operand *o = &s->operand[number];
	struct pm_err why;
	int rc = 0;

	/* Standard input can be read only once, so a job it has in common with other sources is
	 * merged in the database. */
	if (o->input)
		return 0;
	pm_load_read(&l, o, &why);
	for (size_t i = 0; i < l.jobs && rc == 0; i++) {
		struct pm_gather *g = &l.job[i]->gather;
		struct pm_meta *id = g->metas ? pm_job_identity(g, &why) : NULL;
		char *key = id ? identity_key(id) : NULL;

		if (key && add_place(s, number, g->directory, key) < 0) {
			free(key);
			rc = pm_err(e, "out of memory");
		}
	}
	pm_loading_free(&l);
	return rc;
}

/* Join the groups of sources a and b. */
static void join_groups(size_t *group, size_t n, size_t a, size_t b)
{
	size_t from = group[a] > group[b] ? group[a] : group[b];
	size_t to = group[a] > group[b] ? group[b] : group[a];

	for (size_t i = 0; i < n; i++)
		if (group[i] == from)
			group[i] = to;
}

/* Number of sources that may stay open: temporary files need descriptors, too. */
static size_t open_max(void)
{
	long n = sysconf(_SC_OPEN_MAX);

	return n > 0 && n / OPEN_PART < OPEN_LIMIT ? (size_t)(n / OPEN_PART) : OPEN_LIMIT;
}

/* Make a source that was scanned ready to be loaded: keep it open if it will be read. */
static void keep_source(struct pm_operand *o, size_t *open)
{
	if (o->fd < 0 || o->input)
		return;
	if (pm_unpacked_has(&o->unpacked) || *open >= open_max() ||
	    (o->kind == PM_OPERAND_ARCHIVE && lseek(o->fd, 0, SEEK_SET) != 0))
		pm_operand_close(o);
	else
		++*open;
}

int pm_load_group(struct pm_load_set *s, struct pm_err *e)
{
	size_t open = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (scan_source(s, i, e) < 0)
			return -1;
		keep_source(&s->operand[i], &open);
	}
	if (!pm_unpacked_settle(&s->unpacked))
		for (size_t i = 0; i < s->n; i++)
			s->operand[i].unpacked.first = 0;
	for (size_t i = 0; i < s->places; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(s->place[i].key, s->place[k].key) == 0)
				join_groups(s->group, s->n, s->place[i].source, s->place[k].source);
	return 0;
}

int pm_load_set_init(struct pm_load_set *s, const char *const *path, size_t n, struct pm_err *e)
{
	memset(s, 0, sizeof *s);
	pm_unpacked_init(&s->unpacked);
	s->operand = calloc(n + 1, sizeof *s->operand);
	s->group = calloc(n + 1, sizeof *s->group);
	if (!s->operand || !s->group) {
		pm_load_set_free(s);
		return pm_err(e, "out of memory");
	}
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		pm_operand_init(&s->operand[i], path[i], -1);
		s->group[i] = i;
	}
	return 0;
}

void pm_load_set_free(struct pm_load_set *s)
{
	for (size_t i = 0; i < s->places; i++) {
		free(s->place[i].directory);
		free(s->place[i].key);
	}
	for (size_t i = 0; i < s->n; i++)
		pm_operand_close(&s->operand[i]);
	free(s->place);
	free(s->group);
	free(s->operand);
	pm_unpacked_free(&s->unpacked);
}
