/* Run a command of the site, within a limit. */
#include "config.h"

#include "manage/analyze_command.h"

#include "common/apart.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARGS_MAX 8

/* A file that has the text, from its beginning: a pipe would make us wait for its reader. Returns a
 * descriptor, or -1 with e filled. */
static int make_input(const char *text, struct pm_err *e)
{
	const size_t n = strlen(text);
	int fd = memfd_create("analyze", MFD_CLOEXEC);

	if (fd < 0)
		return pm_err(e, "memfd_create: %m");
	if (write(fd, text, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) < 0) {
		close(fd);
		return pm_err(e, "write %zu bytes to memory: %m", n);
	}
	return fd;
}

/* A command with its arguments and its input. */
struct call {
	const char *command;
	const char *const *args;
	int input;
};

/* In the process of its own: become the command. */
static int become(void *ctx)
{
	const struct call *c = ctx;
	const char *argv[ARGS_MAX + 5] = { "sh", "-c", c->command, "analyze_command" };

	for (int i = 0; i < ARGS_MAX && c->args[i]; i++)
		argv[i + 4] = c->args[i];
	if (dup2(c->input, STDIN_FILENO) == STDIN_FILENO)
		execv("/bin/sh", (char *const *)argv);
	return 127;
}

int pm_analyze_command(const char *command, const char *const *args, const char *input,
		       int64_t limit_us, struct pm_err *e)
{
	struct call c = { .command = command, .args = args, .input = make_input(input, e) };
	const struct pm_apart apart = { .run = become,
					.ctx = &c,
					.limit_us = limit_us,
					.family = true,
					.setting = "analyze_limit" };
	int status, rc;

	if (c.input < 0)
		return pm_err_prefix(e, "analyze_command");
	rc = pm_apart_run(&apart, &status, e);
	close(c.input);
	if (rc < 0)
		return pm_err_prefix(e, "analyze_command");
	return status ? pm_err(e, "analyze_command: exit status %d", status) : 0;
}
