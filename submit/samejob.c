/* Find sources with common jobs by their metadata, which are read in a first pass. */
#include "config.h"

#include "submit/loading.h"

#include "submit/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The identity of a job as one text, to be freed; NULL if out of memory. */
static char *identity_key(const struct pm_meta *m)
{
	char *key;

	/* No name contains the separator. */
	return asprintf(&key, "=%s\n%s\n%s\n%s\n%lld\n%lld", m->text[PM_JOB_job_cluster],
			m->text[PM_JOB_job_user], m->text[PM_JOB_job_jobid],
			m->text[PM_JOB_job_array_task],
			(long long)m->number[PM_JOB_job_restart_count],
			(long long)m->number[PM_JOB_job_epoch_us]) < 0
		       ? NULL
		       : key;
}

static int add_place(struct pm_load_place **place, size_t *places, size_t source,
		     const char *directory, char *key)
{
	struct pm_load_place *p = realloc(*place, (*places + 1) * sizeof *p);

	if (!p)
		return -1;
	*place = p;
	p[*places].source = source;
	p[*places].directory = strdup(directory);
	p[*places].key = key;
	return p[(*places)++].directory ? 0 : -1;
}

/* Add the jobs of one source. Returns 0 or -1 with e filled. */
static int scan_source(const char *path, size_t number, struct pm_load_place **place,
		       size_t *places, struct pm_err *e)
{
	struct pm_loading l = { .scan = true, .number = number };
	struct pm_err why;
	int rc = 0;

	/* Standard input can be read only once, so a job it has in common with other sources is
	 * merged in the database. */
	if (strcmp(path, PM_LOAD_INPUT) == 0)
		return 0;
	pm_load_read(&l, path, -1, &why);
	for (size_t i = 0; i < l.jobs && rc == 0; i++) {
		struct pm_gather *g = &l.job[i]->gather;
		struct pm_meta *id = g->metas ? pm_job_identity(g, &why) : NULL;
		char *key = id ? identity_key(id) : NULL;

		if (key && add_place(place, places, number, g->directory, key) < 0) {
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

int pm_load_group(const char *const *path, size_t n, size_t *group, struct pm_load_place **place,
		  size_t *places, struct pm_err *e)
{
	*place = NULL;
	*places = 0;
	for (size_t i = 0; i < n; i++) {
		group[i] = i;
		if (scan_source(path[i], i, place, places, e) < 0) {
			pm_load_places_free(*place, *places);
			return -1;
		}
	}
	for (size_t i = 0; i < *places; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp((*place)[i].key, (*place)[k].key) == 0)
				join_groups(group, n, (*place)[i].source, (*place)[k].source);
	return 0;
}

void pm_load_places_free(struct pm_load_place *place, size_t places)
{
	for (size_t i = 0; i < places; i++) {
		free(place[i].directory);
		free(place[i].key);
	}
	free(place);
}
