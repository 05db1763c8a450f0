/* Determine the identity of a gathered job. */
#include "config.h"

#include "submit/job.h"

#include "submit/job/keytext.h"
#include "submit/memory/filemem.h"

#include "common/log.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add empty metadata. Returns it or NULL. */
static struct pm_meta *add_meta(struct pm_gather *g)
{
	struct pm_meta *p = pm_filemem_realloc(g->meta, (g->metas + 1) * sizeof *p);

	if (!p)
		return NULL;
	g->meta = p;
	g->metas_cap = g->metas + 1;
	memset(&p[g->metas], 0, sizeof *p);
	p[g->metas].host = PM_NONE;
	return &p[g->metas++];
}

/* Identify a job by its earliest start record, from the job's own files if there are any. Returns 0
 * or -1. */
static int identify_by_records(struct pm_gather *g, struct pm_meta *m, struct pm_err *e)
{
	struct pm_images *images = &g->images;
	uint32_t best = PM_NONE;
	int64_t first = INT64_MAX, own = pm_gather_first_us(g);
	int rc = 0;

	for (size_t i = 0; i < images->images; i++, pm_filemem_trim())
		if (images->image[i].start &&
		    (images->image[i].image_us < first || images->image[i].image_us == own)) {
			first = images->image[i].image_us;
			best = (uint32_t)i;
			if (first == own)
				break;
		}
	if (best != PM_NONE) {
		struct pm_record r;

		rc = pm_images_read(images, images->image[best].start, &r, e);
		if (rc == 0 && pm_record_has(&r, PM_COL_jobid) && !m->set[PM_JOB_job_jobid]) {
			char *id = strndup(r.v[PM_COL_jobid].s.p, r.v[PM_COL_jobid].s.n);

			rc = id ? pm_meta_set_text(m, PM_JOB_job_jobid, id) : -1;
			free(id);
		}
		if (rc == 0 && g->nameless && pm_record_has(&r, PM_COL_uid) &&
		    pm_gather_is_trusted(g)) {
			m->number[PM_JOB_job_uid] =
				g->users.job >= 0 ? g->users.job : r.v[PM_COL_uid].i;
			m->set[PM_JOB_job_uid] = true;
		}
		if (!m->set[PM_JOB_job_epoch_us]) {
			m->number[PM_JOB_job_epoch_us] = first;
			m->set[PM_JOB_job_epoch_us] = true;
		}
	}
	return rc;
}

void pm_job_base_name(const struct pm_gather *g, char *name, size_t size)
{
	const char *p = g->directory[0] && strcmp(g->directory, ".") != 0 ? g->directory
									  : pm_gather_from(g);
	size_t n = strlen(p), start;

	while (n > 0 && p[n - 1] == '/')
		n--;
	for (start = n; start > 0 && p[start - 1] != '/'; start--)
		continue;
	snprintf(name, size, "%.*s", (int)(n - start), p + start);
}

/* Set the job's user to the owner of the files, unless the metadata name the same user, or the
 * files are root's or the submitter's own. Returns 0; 1 with e filled if a mismatch is an error; -1
 * if out of memory. */
static int check_owner(struct pm_gather *g, struct pm_meta *m, struct pm_err *e)
{
	bool says = m->set[PM_JOB_job_uid];
	int64_t uid = says ? m->number[PM_JOB_job_uid] : (int64_t)g->owner;
	struct passwd *pw;
	char name[32];

	/* Other tools record the user's name, but no uid. */
	if (m->set[PM_JOB_job_user] &&
	    (pm_gather_is_trusted(g) || (says && uid == (int64_t)g->owner)))
		return 0;
	if (says && uid != (int64_t)g->owner && !pm_gather_is_trusted(g)) {
		if (g->strict) {
			pm_err(e, "its metadata name uid %lld, but it belongs to uid %u",
			       (long long)uid, (unsigned)g->owner);
			return 1;
		}
		pm_gather_problem(g,
				  "the files name uid %lld but belong to uid %u: the job is "
				  "assigned to the latter",
				  (long long)uid, (unsigned)g->owner);
		uid = (int64_t)g->owner;
	}
	pw = getpwuid((uid_t)uid);
	snprintf(name, sizeof name, "%lld", (long long)uid);
	m->number[PM_JOB_job_uid] = uid;
	m->set[PM_JOB_job_uid] = true;
	return pm_meta_set_text(m, PM_JOB_job_user, pw ? pw->pw_name : name);
}

static void default_number(struct pm_meta *m, enum pm_job_key k)
{
	m->set[k] = true; /* a number that nobody set is 0 already */
}

/* The metadata of the first host by name. */
static struct pm_meta *first_host(struct pm_gather *g)
{
	struct pm_meta *first = &g->meta[0];

	for (size_t i = 1; i < g->metas; i++) {
		const char *name = g->meta[i].text[PM_JOB_host_hostname];
		const char *best = first->text[PM_JOB_host_hostname];

		if (name && (!best || strcmp(name, best) < 0))
			first = &g->meta[i];
	}
	return first;
}

/* Fill missing values of section job from other metadata. Returns 0 or -1. */
static int fill_missing(struct pm_gather *g, struct pm_meta *m)
{
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		if (pm_job_info[k].section != PM_JOB_IN_job)
			continue;
		for (size_t i = 0; i < g->metas && !m->set[k]; i++) {
			const struct pm_meta *o = &g->meta[i];

			if (!o->set[k])
				continue;
			if (o->text[k] && pm_meta_set_text(m, (enum pm_job_key)k, o->text[k]) < 0)
				return -1;
			m->number[k] = o->number[k];
			m->set[k] = true;
		}
	}
	return 0;
}

bool pm_job_is_part(const struct pm_gather *g)
{
	return g->nameless && !g->images.images && !g->images.reaped_count &&
	       (g->series.count || g->phases.count || g->tallies.count);
}

/* Use the first time in series and marks as epoch, to find the job that they belong to. */
static void identify_by_times(const struct pm_gather *g, struct pm_meta *m)
{
	int64_t first = g->series.first_us;

	for (size_t i = 0; i < g->phases.count; i++)
		if (first == 0 || g->phases.event[i].realtime_us < first)
			first = g->phases.event[i].realtime_us;
	m->number[PM_JOB_job_epoch_us] = first;
	m->set[PM_JOB_job_epoch_us] = true;
}

struct pm_meta *pm_job_identity(struct pm_gather *g, struct pm_err *e)
{
	static const enum pm_job_key text[] = { PM_JOB_job_cluster, PM_JOB_job_array_task,
						PM_JOB_job_user, PM_JOB_job_jobid };
	struct pm_meta *m;
	char name[NAME_MAX + 1];
	int rc = 0;

	g->nameless = g->metas == 0;
	m = g->nameless ? NULL : first_host(g);
	if (m && fill_missing(g, m) < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	if (!m) {
		m = add_meta(g);
		if (!m) {
			pm_err(e, "out of memory");
			return NULL;
		}
	}
	if ((!m->set[PM_JOB_job_jobid] || !m->set[PM_JOB_job_epoch_us]) &&
	    identify_by_records(g, m, e) < 0)
		return NULL;
	if (pm_job_is_part(g))
		identify_by_times(g, m);
	if (!m->set[PM_JOB_job_jobid]) {
		pm_job_base_name(g, name, sizeof name);
		rc = pm_meta_set_text(m, PM_JOB_job_jobid, name);
	}
	if (rc == 0)
		rc = check_owner(g, m, e);
	if (rc > 0)
		return NULL;
	for (size_t i = 0; i < sizeof text / sizeof text[0] && rc == 0; i++) {
		if (!m->set[text[i]])
			rc = pm_meta_set_text(m, text[i], "");
		if (rc == 0)
			pm_keytext_cut(m->text[text[i]]);
	}
	default_number(m, PM_JOB_job_restart_count);
	default_number(m, PM_JOB_job_epoch_us);
	if (rc < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	return m;
}

struct pm_jobidentity pm_job_identity_of(const struct pm_meta *m)
{
	struct pm_jobidentity id = {
		.cluster = m->text[PM_JOB_job_cluster],
		.user = m->text[PM_JOB_job_user],
		.jobid = m->text[PM_JOB_job_jobid],
		.array_task = m->text[PM_JOB_job_array_task],
		.restart_count = m->number[PM_JOB_job_restart_count],
		.epoch_us = m->number[PM_JOB_job_epoch_us],
	};

	return id;
}
