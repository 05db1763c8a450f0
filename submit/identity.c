/* Who a gathered job is. */
#include "config.h"

#include "submit/job.h"

#include "submit/big.h"

#include "common/log.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add metadata that says nothing. Returns it or NULL. */
static struct pm_meta *add_meta(struct pm_gather *g)
{
	struct pm_meta *p = realloc(g->meta, (g->metas + 1) * sizeof *p);

	if (!p)
		return NULL;
	g->meta = p;
	g->metas_cap = g->metas + 1;
	memset(&p[g->metas], 0, sizeof *p);
	p[g->metas].host = PM_NONE;
	return &p[g->metas++];
}

/* The earliest start record: what a job without metadata is named by. Returns 0 or -1. */
static int from_records(struct pm_gather *g, struct pm_meta *m, struct pm_err *e)
{
	struct pm_images *images = &g->images;
	uint32_t best = PM_NONE;
	int64_t first = INT64_MAX;
	int rc = 0;

	for (size_t i = 0; i < images->images; i++, pm_big_trim())
		if (images->image[i].start && images->image[i].image_us < first) {
			first = images->image[i].image_us;
			best = (uint32_t)i;
		}
	if (best != PM_NONE) {
		struct pm_record r;

		rc = pm_images_read(images, images->image[best].start, &r, e);
		if (rc == 0 && pm_record_has(&r, PM_COL_jobid) && !m->set[PM_JOB_job_jobid]) {
			char *id = strndup(r.v[PM_COL_jobid].s.p, r.v[PM_COL_jobid].s.n);

			rc = id ? pm_meta_set_text(m, PM_JOB_job_jobid, id) : -1;
			free(id);
		}
		if (!m->set[PM_JOB_job_epoch_us]) {
			m->number[PM_JOB_job_epoch_us] = first;
			m->set[PM_JOB_job_epoch_us] = true;
		}
	}
	return rc;
}

/* Base name of the gathered directory, or of the archive where its files are at the top. */
static void base_name(const struct pm_gather *g, char *name, size_t size)
{
	const char *p =
		g->directory[0] && strcmp(g->directory, ".") != 0 ? g->directory : g->source;
	size_t n = strlen(p), start;

	while (n > 0 && p[n - 1] == '/')
		n--;
	for (start = n; start > 0 && p[start - 1] != '/'; start--)
		continue;
	snprintf(name, size, "%.*s", (int)(n - start), p + start);
}

/* The user is who owns the files, unless they say the same, are root's or the submitter's own. */
static int check_owner(struct pm_gather *g, struct pm_meta *m)
{
	struct passwd *pw;
	char name[32];

	/* Other tools name the user alone. */
	if (m->set[PM_JOB_job_user] &&
	    (g->owner == 0 || g->owner == geteuid() ||
	     (m->set[PM_JOB_job_uid] && m->number[PM_JOB_job_uid] == (int64_t)g->owner)))
		return 0;
	pw = getpwuid(g->owner);
	snprintf(name, sizeof name, "%u", (unsigned)g->owner);
	if (m->set[PM_JOB_job_uid] && m->number[PM_JOB_job_uid] != (int64_t)g->owner)
		pm_gather_problem(
			g, "the files say uid %lld but belong to uid %u, whose job this becomes",
			(long long)m->number[PM_JOB_job_uid], (unsigned)g->owner);
	m->number[PM_JOB_job_uid] = (int64_t)g->owner;
	m->set[PM_JOB_job_uid] = true;
	return pm_meta_set_text(m, PM_JOB_job_user, pw ? pw->pw_name : name);
}

static void default_number(struct pm_meta *m, enum pm_job_key k)
{
	m->set[k] = true; /* its number is 0 where it was not set */
}

struct pm_meta *pm_job_identity(struct pm_gather *g, struct pm_err *e)
{
	static const enum pm_job_key text[] = { PM_JOB_job_cluster, PM_JOB_job_array_task };
	struct pm_meta *m = g->metas ? &g->meta[0] : NULL;
	char name[NAME_MAX + 1];
	int rc = 0;

	if (!m) {
		pm_gather_problem(g, "no usable metadata: the job is what the records say");
		m = add_meta(g);
		if (!m) {
			pm_err(e, "out of memory");
			return NULL;
		}
	}
	if ((!m->set[PM_JOB_job_jobid] || !m->set[PM_JOB_job_epoch_us]) &&
	    from_records(g, m, e) < 0)
		return NULL;
	if (!m->set[PM_JOB_job_jobid]) {
		base_name(g, name, sizeof name);
		rc = pm_meta_set_text(m, PM_JOB_job_jobid, name);
	}
	if (rc == 0)
		rc = check_owner(g, m);
	for (size_t i = 0; i < sizeof text / sizeof text[0] && rc == 0; i++)
		if (!m->set[text[i]])
			rc = pm_meta_set_text(m, text[i], "");
	default_number(m, PM_JOB_job_restart_count);
	default_number(m, PM_JOB_job_epoch_us);
	if (rc < 0) {
		pm_err(e, "out of memory");
		return NULL;
	}
	return m;
}
