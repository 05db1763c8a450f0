/* perfmon forward: send closed jobs of this node to where they are kept. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/now.h"
#include "common/terminal.h"
#include "forward/account.h"
#include "forward/backlog.h"
#include "forward/forwarder.h"
#include "submit/spool.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A spool, and what its forwarder did. */
struct status {
	struct pm_account account;
	bool running;
	size_t waiting, loaded, failed;
	int64_t bytes, aside_bytes;
	int64_t oldest_us; /* age of the oldest that waits; meaningful if there is one */
};

/* Read what there is to tell. Returns 0 or -1 with e filled. */
static int read_status(struct status *x, const char *path, struct pm_err *e)
{
	struct pm_backlog b = { .archive = NULL };
	struct pm_spool spool;
	int64_t oldest_us, ignored_us;
	int lock, rc;

	if (pm_spool_open(&spool, path, e) < 0)
		return -1;
	lock = pm_account_lock(&spool, true, e);
	x->running = lock == -2;
	rc = lock == -1 ? -1 : pm_account_read(&spool, &x->account, e);
	if (lock >= 0)
		close(lock);
	if (rc == 0)
		rc = pm_backlog_read_all(&b, &spool, e);
	pm_spool_close(&spool);
	if (rc < 0)
		return -1;
	x->bytes = pm_backlog_bytes(&b, PM_BACKLOG_WAITING, &x->waiting, &oldest_us);
	x->aside_bytes = pm_backlog_bytes(&b, PM_BACKLOG_LOADED, &x->loaded, &ignored_us) +
			 pm_backlog_bytes(&b, PM_BACKLOG_FAILED, &x->failed, &ignored_us);
	x->oldest_us = x->waiting ? pm_now_us() - oldest_us : 0;
	pm_backlog_free(&b);
	return 0;
}

/* A time as a number, or null where there is none. */
static json_t *time_or_null(int64_t us)
{
	return us ? json_integer(us) : json_null();
}

static int print_json(const struct status *x)
{
	const struct pm_account *a = &x->account;
	json_t *doc = json_pack(
		"{s:b s:s s:I s:I s:o s:I s:I s:I s:I s:I s:I s:I s:I s:o s:o s:I s:s}", "running",
		x->running, "target", a->to, "waiting", (json_int_t)x->waiting, "waiting_bytes",
		(json_int_t)x->bytes, "oldest_age_us",
		x->waiting ? json_integer(x->oldest_us) : json_null(), "sent", (json_int_t)a->sent,
		"sent_bytes", (json_int_t)a->sent_bytes, "dropped", (json_int_t)a->dropped,
		"dropped_bytes", (json_int_t)a->dropped_bytes, "aside", (json_int_t)a->aside,
		"failed_there", (json_int_t)x->failed, "loaded_there", (json_int_t)x->loaded,
		"aside_bytes", (json_int_t)x->aside_bytes, "last_sent_us", time_or_null(a->sent_us),
		"next_us", time_or_null(a->failures ? a->next_us : 0), "failures",
		(json_int_t)a->failures, "error", a->error);
	int rc = doc ? json_dumpf(doc, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) : -1;

	json_decref(doc);
	return rc < 0 || puts("") < 0 ? -1 : 0;
}

static void print_text(const struct status *x)
{
	const struct pm_account *a = &x->account;
	char when[32] = "never", oldest[64] = "";
	const time_t sent = (time_t)(a->sent_us / 1000000);
	struct tm tm;

	if (a->sent_us && gmtime_r(&sent, &tm))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (x->waiting)
		snprintf(oldest, sizeof oldest, ", the oldest for %.0f s",
			 (double)x->oldest_us / 1e6);
	printf("forwarder   %s\n", x->running ? "running" : "not running");
	pm_terminal_print(stdout, "target      %s\n", a->to[0] ? a->to : "unknown");
	printf("waiting     %zu, %lld bytes%s\n", x->waiting, (long long)x->bytes, oldest);
	printf("sent        %lld, last %s\n", (long long)a->sent, when);
	printf("dropped     %lld, %lld bytes\n", (long long)a->dropped,
	       (long long)a->dropped_bytes);
	printf("set aside   %lld, of which %zu are there\n", (long long)a->aside, x->failed);
	if (a->failures)
		pm_terminal_print(stdout, "failing     %lld times in a row: %s\n",
				  (long long)a->failures, a->error);
}

static int print_status(const struct pm_cli *cli, struct pm_err *e)
{
	struct status x = { .running = false };

	if (read_status(&x, cli->value[PM_OPT_spool], e) < 0)
		return PM_EXIT_FAILED;
	if (cli->given[PM_OPT_json]) {
		if (print_json(&x) == 0)
			return PM_EXIT_OK;
		pm_err(e, "write: %m");
		return PM_EXIT_FAILED;
	}
	print_text(&x);
	return PM_EXIT_OK;
}

int pm_verb_forward(const struct pm_cli *cli, struct pm_err *e)
{
	const bool status = cli->argc == 1 && strcmp(cli->argv[0], "status") == 0;

	if (cli->argc > 1 || (cli->argc == 1 && !status)) {
		pm_err(e, "forward takes no operand but status");
		return PM_EXIT_USAGE;
	}
	if (!cli->value[PM_OPT_spool]) {
		pm_err(e, "--spool DIR says where the archives lie");
		return PM_EXIT_USAGE;
	}
	if (status && cli->given[PM_OPT_once]) {
		pm_err(e, "status sends nothing: it goes without --once");
		return PM_EXIT_USAGE;
	}
	if (!status && cli->given[PM_OPT_json]) {
		pm_err(e, "--json needs the operand status");
		return PM_EXIT_USAGE;
	}
	return status ? print_status(cli, e)
		      : pm_forwarder_run(cli->value[PM_OPT_spool], cli->given[PM_OPT_once], e);
}
