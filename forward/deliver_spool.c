/* All archives of a spool to a database. */
#include "config.h"

#include "forward/deliver.h"

#include "common/apart.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "forward/shared.h"
#include "submit/load.h"

#include <unistd.h>

/* How long a pass may take to end when it is asked to, which it does after the archives that are
 * being loaded. What a pass that is killed has not committed is in the spool. */
#define PATIENCE_US 5000000

/* What the process that loads tells. */
struct told {
	struct pm_spool_pass pass;
	struct pm_err e;
	int rc;
	int64_t progress_us; /* when the last job was loaded, by the monotonic clock */
};

struct load {
	const char *spool, *db;
	int lock;
	int64_t until_us;
	struct told *told;
};

/* Ends the pass in the process that loads. */
static volatile sig_atomic_t ends;

static void on_signal(int sig)
{
	(void)sig;
	ends = 1;
}

/* After each job. */
static void job_done(void *ctx, const struct pm_load_result *r)
{
	const struct load *l = ctx;

	(void)r;
	l->told->progress_us = pm_now_monotonic_us();
	if (l->told->progress_us > l->until_us)
		ends = 1;
}

/* In the process of its own. */
static int run_load(void *ctx)
{
	const struct load *l = ctx;
	const struct pm_load_options o = { .done = job_done, .ctx = ctx };

	close(l->lock);
	signal(SIGTERM, on_signal);
	signal(SIGXFSZ, SIG_IGN);
	l->told->rc = -1;
	if (pm_config_set(PM_SET_db, l->db, &l->told->e) == 0)
		l->told->rc = pm_spool_run(l->spool, true, &o, &ends, &l->told->pass, &l->told->e);
	return 0;
}

int pm_deliver_spool(const struct pm_destination *to, const char *spool, int64_t long_us, int lock,
		     const volatile sig_atomic_t *stop, struct pm_spool_pass *pass,
		     struct pm_err *e)
{
	struct told *told = pm_shared_new(sizeof *told, e);
	struct load l = { .spool = spool,
			  .db = to->text,
			  .lock = lock,
			  .until_us = pm_now_monotonic_us() + long_us,
			  .told = told };
	const struct pm_apart apart = { .run = run_load,
					.ctx = &l,
					.limit_us = pm_config_int(PM_SET_forward_limit),
					.progress_us = told ? &told->progress_us : NULL,
					.stop = stop,
					.patience_us = PATIENCE_US,
					.setting = "forward_limit" };
	int status, rc;

	*pass = (struct pm_spool_pass){ .due_us = INT64_MAX, .again = true };
	if (!told)
		return -1;
	rc = pm_apart_run(&apart, &status, e);
	*pass = told->pass;
	if (rc < 0 || status) {
		/* It was killed, and what it has not loaded is in the spool. */
		pass->again = true;
		if (rc == 0)
			pm_err(e, "loading ended with status %d", status);
		rc = -1;
	} else {
		rc = told->rc;
		if (rc < 0)
			pm_err(e, "%s", told->e.text);
	}
	pm_shared_free(told, sizeof *told);
	return rc;
}
