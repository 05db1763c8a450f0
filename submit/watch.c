/* Watch a spool: run a pass when an archive arrives, and periodically. */
#include "config.h"

#include "submit/spool.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/settings/readconfig.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
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

/* Start an inotify(7) watch for new archives. Returns a descriptor, or -1 to rely on the period
 * alone. */
static int begin_watch(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 &&
	    inotify_add_watch(fd, path,
			      IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR | IN_DONT_FOLLOW) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Wait for a new archive, a signal, or the timeout. */
static void wait_for(int fd, int64_t us, const sigset_t *waiting)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	struct pollfd p = { fd, POLLIN, 0 };

	ppoll(&p, fd >= 0, &t, waiting);
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
		int fd = begin_watch(path), rc;
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
			wait_for(fd, wait, &waiting);
		sigprocmask(SIG_UNBLOCK, &blocked, NULL);
		if (fd >= 0)
			close(fd);
	}
	return PM_EXIT_OK;
}
