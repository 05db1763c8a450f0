/* Archives to a command. */
#include "config.h"

#include "forward/deliver.h"

#include "common/apart.h"
#include "common/settings/readconfig.h"

#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

/* How long a command may take to end when it is asked to. */
#define PATIENCE_US 5000000

/* In the process of its own: become the command. What it prints goes to standard error. */
static int become(void *ctx)
{
	const struct pm_delivery *d = ctx;
	char name[NAME_MAX + 1], owner[32];
	const char *argv[] = { "sh", "-c", d->to->text, "forward_to", name, owner, NULL };

	if (pm_delivery_name(d, name) < 0)
		return EX_IOERR;
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	snprintf(owner, sizeof owner, "%u", (unsigned)d->st->st_uid);
	if (lseek(d->fd, 0, SEEK_SET) == 0 && dup2(d->fd, STDIN_FILENO) == STDIN_FILENO &&
	    dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO)
		execv("/bin/sh", (char *const *)argv);
	return EX_OSERR;
}

enum pm_deliver pm_deliver_command(const struct pm_delivery *d, struct pm_err *e)
{
	const struct pm_apart apart = { .run = become,
					.ctx = (void *)(uintptr_t)d,
					.limit_us = pm_config_int(PM_SET_forward_limit),
					.stop = d->stop,
					.patience_us = PATIENCE_US,
					.family = true,
					.setting = "forward_limit" };
	int status;

	if (pm_apart_run(&apart, &status, e) < 0) {
		pm_err_prefix(e, "command");
		return PM_DELIVER_AGAIN;
	}
	if (status == 0)
		return PM_DELIVER_TAKEN;
	pm_err(e, "command: exit status %d", status);
	return status == EX_DATAERR ? PM_DELIVER_REFUSED : PM_DELIVER_AGAIN;
}
