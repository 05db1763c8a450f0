/* perfmon mark: record that a phase of an application begins or ends, as a line in one write. */
#include "config.h"

#include "common/bootid.h"
#include "common/cli/verb.h"
#include "common/log.h"
#include "common/now.h"
#include "common/record/phase.h"
#include "common/trusted.h"
#include "common/version.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/keptsecrets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open the file of marks. pm_trusted_open refuses anything but our own regular file, such as a pipe
 * without a reader, which would block us. */
static int open_marks(const struct pm_jobdir *d, const char *name, struct stat *st,
		      struct pm_err *e)
{
	int fd = pm_trusted_open(d->fd, name, O_RDWR | O_APPEND | O_CREAT, 0600, e);

	if (fd < 0)
		return pm_err_prefix(e, "%s", d->path);
	if (fstat(fd, st) == 0)
		return fd;
	close(fd);
	return pm_err(e, "%s/%s: %m", d->path, name);
}

/* Append a line in one write, so that marks of several processes do not mix. If the file does not
 * end with a newline (a full disk truncated the last line), add one first. Returns 0 or -1 with e
 * filled. */
static int append_line(int fd, const struct stat *st, const char *line, size_t n, struct pm_err *e)
{
	char text[PM_PHASE_LINE_MAX + 1] = "\n", last = '\n';
	ssize_t rc;

	memcpy(text + 1, line, n);
	if (st->st_size > 0 && pread(fd, &last, 1, st->st_size - 1) != 1)
		return pm_err(e, "%m");
	signal(SIGXFSZ, SIG_IGN);
	rc = last == '\n' ? write(fd, text + 1, n) : write(fd, text, ++n);
	if (rc < 0)
		return pm_err(e, "%m");
	return (size_t)rc == n ? 0 : pm_err(e, "%s", strerror(ENOSPC));
}

static int write_mark(const struct pm_jobdir *d, const char *what, const char *phase,
		      struct pm_err *e)
{
	char line[PM_PHASE_LINE_MAX], boot[64] = "", host[NAME_MAX + 1];
	char name[NAME_MAX + sizeof PM_PHASE_SUFFIX + 1];
	struct pm_phase_mark m = {
		.name = { phase, strlen(phase) },
		.begin = strcmp(what, "begin") == 0,
		.realtime_us = pm_now_us(),
		.monotonic_us = pm_now_monotonic_us(),
		.pid = getppid(),
	};
	struct pm_buf b;
	struct stat st;
	int fd, rc;

	pm_bootid_read(boot);
	pm_jobdir_host(host, sizeof host);
	m.hostname = (struct pm_str){ host, strlen(host) };
	m.boot_id = (struct pm_str){ boot, strlen(boot) };
	pm_buf_init(&b, line, sizeof line);
	pm_phase_format(&b, &m);
	snprintf(name, sizeof name, "%s" PM_PHASE_SUFFIX, host);
	fd = open_marks(d, name, &st, e);
	if (fd < 0)
		return -1;
	rc = append_line(fd, &st, line, b.len, e);
	if (close(fd) < 0 && rc == 0)
		rc = pm_err(e, "%m");
	return rc < 0 ? pm_err_prefix(e, "write %s/%s", d->path, name) : 0;
}

int pm_verb_mark(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_jobdir d;
	char *name;
	size_t n;
	int rc;

	if (cli->argc != 2 ||
	    (strcmp(cli->argv[0], "begin") != 0 && strcmp(cli->argv[0], "end") != 0)) {
		pm_err(e, "mark needs begin or end, and the name of the phase");
		return PM_EXIT_USAGE;
	}
	n = strlen(cli->argv[1]);
	if (n == 0 || n > PM_PHASE_NAME_MAX) {
		pm_err(e, "mark: the name of a phase has 1 to %d bytes", PM_PHASE_NAME_MAX);
		return PM_EXIT_USAGE;
	}
	if (cli->off) {
		pm_info("not marked: %s", cli->off);
		return PM_EXIT_OK;
	}
	name = pm_keptsecrets_text(cli->argv[1]);
	rc = name ? 0 : pm_err(e, "out of memory");
	if (rc == 0 && strlen(name) > PM_PHASE_NAME_MAX)
		rc = pm_err(e,
			    "mark: with [redacted] in place of secrets the name has more than %d "
			    "bytes",
			    PM_PHASE_NAME_MAX);
	if (rc == 0 && (rc = pm_job_find(cli, PM_JOB_OPEN, &d, e)) == 0) {
		rc = write_mark(&d, cli->argv[0], name, e);
		pm_jobdir_close(&d);
	}
	free(name);
	return rc != 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}

void pm_version_phases(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_PHASE_FORMAT);
}
