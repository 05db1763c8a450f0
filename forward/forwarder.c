/* The forwarder's loop: a pass when archives come, or time has passed, and a pause where one fails.
 */
#include "config.h"

#include "forward/forwarder.h"

#include "common/cli/verb.h"
#include "common/dirwatch.h"
#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "forward/backoff.h"
#include "forward/pass.h"
#include "submit/spool.h"

#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* How often the lock of the spool is tried, and the pause between. */
#define LOCK_TRIES    20
#define LOCK_PAUSE_NS 25000000

/* With --once, the passes in a row that send nothing until the target is taken to be away. */
#define IDLE_PASSES 3

/* Set by signals. */
static struct {
	volatile sig_atomic_t stop;   /* end after the delivery that runs */
	volatile sig_atomic_t reload; /* read the settings anew */
} asked;

static void on_signal(int sig)
{
	if (sig == SIGHUP)
		asked.reload = 1;
	else
		asked.stop = 1;
}

/* Catch the signals, and have them wait but in waits. `waiting` gets the mask for these. */
static void catch_signals(bool once, sigset_t *waiting)
{
	static const int caught[] = { SIGTERM, SIGINT, SIGHUP };
	const struct sigaction a = { .sa_handler = on_signal };

	sigprocmask(SIG_BLOCK, NULL, waiting);
	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
		sigdelset(waiting, caught[i]);
		if (caught[i] != SIGHUP || !once)
			sigaction(caught[i], &a, NULL);
	}
	sigprocmask(SIG_SETMASK, waiting, NULL);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* Wait for some time, a signal, or a file that comes. Returns whether one has come. */
static bool wait_for(int fd, int64_t us, const sigset_t *waiting)
{
	sigset_t block = *waiting, before;
	bool come = false;

	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, &before);
	if (!asked.stop && !asked.reload && us > 0)
		come = pm_dirwatch_wait(fd, us, waiting);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return come;
}

/* Read the settings anew. A target that cannot be used leaves the one before. */
static void reload(struct pm_forwarder *f)
{
	struct pm_destination to;
	struct pm_err e;

	asked.reload = 0;
	pm_config_load();
	if (pm_destination_parse(pm_config_get(PM_SET_forward_to), &to, &e) < 0) {
		pm_warn("%s; %s stays the target", e.text, f->to.shown);
		return;
	}
	f->to = to;
	pm_failures_free(&f->failures);
	pm_info("settings are read anew: the target is %s %s", pm_destination_word[to.kind],
		to.shown);
}

/* How long to wait after a pass, us, and tell in the account when the next one begins. */
static int64_t wait_after(struct pm_forwarder *f, const struct pm_pass *p, int rc)
{
	const int64_t period = pm_config_int(PM_SET_spool_period);
	const int64_t wait = p->due_us < period ? p->due_us : period;

	/* Also where the time of the pass was over: a target that is away may take long to fail. */
	if (rc < 0 || p->again)
		return pm_backoff_pause(f->host, (unsigned)f->account.failures,
					pm_config_int(PM_SET_spool_pause));
	return p->more ? 0 : wait;
}

/* Write into the spool when the next pass begins. */
static void tell_next(struct pm_forwarder *f, int64_t wait_us)
{
	struct pm_spool spool;
	struct pm_err e;

	f->account.next_us = pm_now_us() + wait_us;
	if (pm_spool_open(&spool, f->spool, &e) < 0)
		return;
	pm_account_write(&spool, &f->account, &e);
	pm_spool_close(&spool);
}

static void serve(struct pm_forwarder *f, const sigset_t *waiting)
{
	const int64_t offset = pm_backoff_offset(f->host, pm_config_int(PM_SET_forward_jitter));
	struct pm_pass pass;
	struct pm_err e;

	wait_for(-1, offset, waiting);
	while (!asked.stop) {
		/* What comes during the pass is seen after it. */
		int fd = pm_dirwatch_begin(f->spool), rc;
		int64_t wait;
		bool failed, come;

		if (asked.reload)
			reload(f);
		rc = pm_pass_run(f, pm_config_int(PM_SET_spool_period), &pass, &e);
		failed = rc < 0 || pass.again;
		wait = wait_after(f, &pass, rc);
		if (failed && !asked.stop)
			pm_warn("%s; trying again in %.1f s", e.text, (double)wait / 1e6);
		if (failed)
			tell_next(f, wait);
		/* What comes does not bring the target back. */
		come = wait_for(failed ? -1 : fd, wait, waiting);
		if (fd >= 0)
			close(fd);
		/* A job ends on many nodes at once. */
		if (come)
			wait_for(-1,
				 pm_backoff_offset(f->host, pm_config_int(PM_SET_forward_jitter)),
				 waiting);
	}
}

/* Send what is there, and tell what was done. An archive that fails does not keep those behind it:
 * they have another pass. Returns the exit status. */
static int run_once(struct pm_forwarder *f, struct pm_err *e)
{
	int rc, idle = 0, bad = 0;
	struct pm_pass p;

	do {
		rc = pm_pass_run(f, pm_config_int(PM_SET_spool_period), &p, e);
		idle = p.sent ? 0 : idle + 1;
		bad += p.aside + p.dropped + p.faulty;
		if (rc == 0 && pm_log_level >= 0 && p.sent + p.aside + p.dropped + p.left > 0)
			pm_terminal_print(stdout,
					  "spool %s: %d sent, %d set aside, %d dropped, %d left\n",
					  f->spool, p.sent, p.aside, p.dropped, p.left);
	} while (!asked.stop && ((rc == 0 && p.more) || (p.untried && idle < IDLE_PASSES)));
	if (p.again || (rc == 0 && (p.behind || (asked.stop && p.left))))
		return PM_EXIT_AGAIN;
	return rc < 0 || bad > 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

/* Open the account, alone. Returns the descriptor of the lock, or -1 with *status and e filled. */
static int begin(struct pm_forwarder *f, int *status, struct pm_err *e)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	struct pm_spool spool;
	int lock = -2;

	*status = PM_EXIT_FAILED;
	if (pm_spool_open(&spool, f->spool, e) < 0)
		return -1;
	/* `forward status` holds it for a moment. */
	for (int i = 0; i < LOCK_TRIES && (lock = pm_account_lock(&spool, false, e)) == -2; i++)
		nanosleep(&pause, NULL);
	if (lock == -2) {
		*status = PM_EXIT_AGAIN;
		lock = pm_err(e, "spool %s: another perfmon forward is at work", f->spool);
	} else if (lock >= 0 && pm_account_read(&spool, &f->account, e) < 0) {
		/* What it counted is lost; what is in the spool is not. */
		pm_warn("%s; it begins anew", e->text);
		f->account = (struct pm_account){ .sent = 0 };
		e->text[0] = '\0';
	}
	pm_spool_close(&spool);
	return lock;
}

int pm_forwarder_run(const char *path, bool once, struct pm_err *e)
{
	struct pm_forwarder f = { .spool = path, .stop = &asked.stop };
	char host[256];
	sigset_t waiting;
	int status, lock;

	if (pm_destination_parse(pm_config_get(PM_SET_forward_to), &f.to, e) < 0)
		return PM_EXIT_USAGE;
	lock = begin(&f, &status, e);
	if (lock < 0)
		return status;
	f.lock = lock;
	pm_jobdir_host(host, sizeof host);
	f.host = pm_backoff_host(host);
	f.account.next_us = 0;
	pm_failures_recall(&f.failures, &f.account);
	catch_signals(once, &waiting);
	if (once) {
		status = run_once(&f, e);
	} else {
		serve(&f, &waiting);
		tell_next(&f, 0);
		status = PM_EXIT_OK;
	}
	pm_failures_free(&f.failures);
	flock(lock, LOCK_UN);
	close(lock);
	return status;
}
