/* Run one pass over a spool. */
#include "config.h"

#include "submit/spool.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "submit/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pass {
	struct pm_spool spool;
	struct pm_db *db;
	struct pm_spool_pass *count;
	bool remove;
	struct pm_load_options load; /* options to load an archive */
	const struct pm_load_options *asked;
	int trouble;
	struct pm_err reason; /* faults of the current archive, joined by "; " */
};

static void add_reason(struct pass *p, const char *text)
{
	size_t n = strlen(p->reason.text);

	if (!text[0] || strstr(p->reason.text, text))
		return;
	if (n)
		snprintf(p->reason.text + n, sizeof p->reason.text - n, "; %s", text);
	else
		pm_err(&p->reason, "%s", text);
}

static void job_done(void *ctx, const struct pm_load_result *r)
{
	struct pass *p = ctx;
	char rejected[64];

	if (r->state != PM_LOAD_UNCHANGED) {
		if (r->faulty)
			add_reason(p, r->problems);
		snprintf(rejected, sizeof rejected, "%lld rejected lines", (long long)r->rejected);
		if (r->rejected)
			add_reason(p, rejected);
	}
	if (p->asked->done)
		p->asked->done(p->asked->ctx, r);
}

static void source_failed(void *ctx, const char *source, const struct pm_err *e)
{
	(void)source;
	add_reason(ctx, e->text);
}

/* Move the current archive; if that fails, report it and leave the archive in the spool. */
static void move_archive(struct pass *p, const char *name, const struct stat *st, bool aside)
{
	bool remove = p->remove && !aside && !p->reason.text[0];
	struct pm_err e;

	if (aside)
		pm_error("spool %s: %s is set aside: %s", p->spool.path, name, p->reason.text);
	else if (p->reason.text[0])
		pm_warn("spool %s: %s: %s", p->spool.path, name, p->reason.text);
	if (pm_spool_move(&p->spool, name, st, aside, p->reason.text, remove, &e) < 0) {
		pm_error("spool %s: %s: %s", p->spool.path, name, e.text);
		p->count->faulty++;
		p->count->left++;
	} else if (aside) {
		p->count->aside++;
	} else {
		p->count->loaded++;
		p->count->faulty += p->reason.text[0] != '\0';
	}
}

/* Load an open archive. Returns 0 to go on, 1 to end the pass because the database is unavailable.
 */
static int load_archive(struct pass *p, const char *name, int fd, const struct stat *st)
{
	char path[PATH_MAX];
	struct pm_err e;
	int rc;

	if (snprintf(path, sizeof path, "%s/%s", p->spool.path, name) >= (int)sizeof path)
		snprintf(path, sizeof path, "%s", name);
	p->trouble = 0;
	rc = pm_load_archive(p->db, fd, path, &p->load, &e);
	if (rc < 0 && p->trouble) {
		pm_error("%s is left in the spool: %s", path, p->reason.text);
		p->count->again = true;
		p->count->left++;
		/* Memory that was too small for one archive may suffice for the next. */
		return p->trouble != ENOMEM;
	}
	if (rc > 0 && !p->reason.text[0])
		add_reason(p, "members of it were skipped; perfmon submit names them");
	move_archive(p, name, st, rc < 0);
	return 0;
}

static int process_entry(struct pass *p, const char *name)
{
	struct stat st;
	struct pm_err e;
	int fd, rc = 0;

	p->reason.text[0] = '\0';
	switch (pm_spool_look(&p->spool, name, pm_config_int(PM_SET_spool_age), &fd, &st,
			      &p->count->due_us, &e)) {
	case PM_SPOOL_TAKE:
		rc = load_archive(p, name, fd, &st);
		close(fd);
		break;
	case PM_SPOOL_LEAVE:
		p->count->left++;
		break;
	case PM_SPOOL_ASIDE:
		add_reason(p, e.text);
		move_archive(p, name, &st, true);
		break;
	case PM_SPOOL_AGAIN:
		pm_error("spool %s: %s is left there: %s", p->spool.path, name, e.text);
		p->count->left++;
		p->count->again = true;
		break;
	}
	return rc;
}

static int run_pass(struct pass *p, const volatile sig_atomic_t *stop, struct pm_err *e)
{
	char **name;
	int n, end = 0;

	n = pm_spool_lock(&p->spool, e);
	if (n > 0) {
		p->count->again = true;
		return pm_err(e, "spool %s: another perfmon is loading it", p->spool.path);
	}
	if (n < 0)
		return -1;
	n = pm_spool_list(&p->spool, &name, e);
	if (n < 0)
		return -1;
	/* Without anything to load, do not open the database. */
	if (n > 0 && pm_db_open(&p->db, pm_config_get(PM_SET_db), PM_DB_WRITE_SOON, e) < 0) {
		p->count->again = true;
		p->count->left += n;
		end = -1;
	}
	for (int i = 0; i < n; i++) {
		if (end == 0 && !*stop)
			end = process_entry(p, name[i]);
		free(name[i]);
	}
	free(name);
	pm_db_close(p->db);
	return end < 0 ? -1 : 0;
}

int pm_spool_run(const char *path, bool remove, const struct pm_load_options *o,
		 const volatile sig_atomic_t *stop, struct pm_spool_pass *count, struct pm_err *e)
{
	struct pass p = { .count = count, .remove = remove, .asked = o };
	const struct pm_load_limits limits = {
		.cpu_us = pm_config_int(PM_SET_spool_cpu),
		.hosts = (uint64_t)pm_config_int(PM_SET_spool_hosts),
		.series = (uint64_t)pm_config_int(PM_SET_spool_series),
		.rows = (uint64_t)pm_config_int(PM_SET_spool_rows),
	};
	int rc;

	memset(count, 0, sizeof *count);
	count->due_us = INT64_MAX;
	p.load = (struct pm_load_options){ .done = job_done,
					   .failed = source_failed,
					   .ctx = &p,
					   .strict = true,
					   .show = remove,
					   .limits = &limits,
					   .trouble = &p.trouble };
	if (pm_spool_open(&p.spool, path, e) < 0)
		return -1;
	rc = run_pass(&p, stop, e);
	pm_spool_close(&p.spool);
	return rc;
}
