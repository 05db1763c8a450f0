/* Watch a spool: run a pass when an archive arrives, and periodically. */
#include "config.h"

#include "submit/spool.h"

#include "common/cli/verb.h"
#include "common/dirwatch.h"
#include "common/log.h"
#include "common/settings/readconfig.h"

#include <stdio.h>
#include <unistd.h>

/* First pause after an incomplete pass; the pause doubles up to the setting spool_pause. */
#define PAUSE_US 1000000

/* Set by a signal that ends the watch after the current archive. */
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Catch the signals that end the watch. `waiting` gets the signal mask for ppoll(2). */
static void catch_signals(sigset_t *waiting)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction a = { .sa_handler = on_signal };
	sigset_t block;

	sigemptyset(&a.sa_mask);
	sigemptyset(&block);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		sigaction(ends[i], &a, NULL);
		sigaddset(&block, ends[i]);
	}
	/* Leave the signals unblocked during a load, so that it sees `stop` at once: the handler
	 * only sets a flag. */
	sigprocmask(SIG_UNBLOCK, &block, NULL);
	sigprocmask(SIG_BLOCK, NULL, waiting);
}

int pm_spool_watch(const char *path, bool remove, const struct pm_load_options *o, struct pm_err *e)
{
	int64_t pause = PAUSE_US, limit = pm_config_int(PM_SET_spool_pause);
	struct pm_spool_pass pass;
	sigset_t waiting, blocked;
	bool first = true;

	catch_signals(&waiting);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGHUP);
	while (!stop) {
		/* Begin to watch before the pass: an archive that arrives meanwhile is then found
		 * by the pass or reported afterwards. */
		int fd = pm_dirwatch_begin(path), rc;
		int64_t wait = pm_config_int(PM_SET_spool_period);

		e->text[0] = '\0';
		rc = pm_spool_run(path, remove, o, &stop, &pass, e);
		fflush(stdout);
		if (rc < 0 && first && !pass.again) {
			if (fd >= 0)
				close(fd);
			return PM_EXIT_FAILED;
		}
		first = false;
		if (rc < 0)
			pm_warn("%s", e->text);
		e->text[0] = '\0';
		if (rc < 0 || pass.again) {
			wait = pause;
			pause = 2 * pause < limit ? 2 * pause : limit;
			pm_info("spool %s: trying again in %.0f s", path, (double)wait / 1e6);
			/* A new archive does not make the database available again, so wait. */
			if (fd >= 0)
				close(fd);
			fd = -1;
		} else {
			pause = PAUSE_US;
			if (pass.due_us < wait)
				wait = pass.due_us;
		}
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		if (!stop)
			pm_dirwatch_wait(fd, wait, &waiting);
		sigprocmask(SIG_UNBLOCK, &blocked, NULL);
		if (fd >= 0)
			close(fd);
	}
	return PM_EXIT_OK;
}
