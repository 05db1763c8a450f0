/* Write a `reaped` line: the kernel's wait status and resource usage of the command. */
#include "config.h"

#include "wrapper/process/reaped.h"

#include "common/bootid.h"
#include "common/now.h"
#include "common/pidns.h"
#include "common/safe/record.h"
#include "common/safe/rusage.h"
#include "common/settings/readconfig.h"
#include "common/trusted.h"
#include "wrapper/node/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* Room for header, record and newlines: a record without long texts is below 1 kB. */
#define BATCH_MAX 8192

/* Whether the setting options asks for one record file per process. */
static int is_per_process(void)
{
	static const char wanted[] = "PER_PROCESS";
	const char *p = pm_config_get(PM_SET_options);

	while (*p) {
		size_t n = strcspn(p, ", ");

		if (n == sizeof wanted - 1 && memcmp(p, wanted, n) == 0)
			return 1;
		p += n + (p[n] != '\0');
	}
	return 0;
}

static void fill_record(struct pm_record *r, const struct pm_child *c)
{
	pm_record_int(r, PM_COL_pid, c->pid);
	pm_record_int(r, PM_COL_ppid, getpid());
	pm_record_int(r, PM_COL_end_us, pm_now_us());
	if (WIFSIGNALED(c->status))
		pm_record_int(r, PM_COL_exitsignal, WTERMSIG(c->status));
	else
		pm_record_int(r, PM_COL_exitcode, WEXITSTATUS(c->status));
	pm_rusage_set(r, &c->usage);
	pm_record_int(r, PM_COL_rssmax, c->usage.ru_maxrss);
}

static int file_name(char *name, size_t size)
{
	char host[256];
	int n;

	pm_jobdir_host(host, sizeof host);
	if (is_per_process())
		n = snprintf(name, size, "%s-%ld-%lld.tsv", host, (long)getpid(),
			     (long long)pm_host_starttime(getpid()));
	else
		n = snprintf(name, size, "%s-%lu.tsv", host, (unsigned long)geteuid());
	return n < (int)size ? 0 : -1;
}

int pm_reaped_write(const struct pm_jobdir *d, const struct pm_child *c, struct pm_err *e)
{
	char name[NAME_MAX + 1], batch[BATCH_MAX], boot[64], host[1024];
	struct pm_record r;
	struct pm_buf b, text;
	struct utsname u;
	off_t size;
	ssize_t n;
	int fd;

	pm_record_clear(&r);
	pm_record_text(&r, PM_COL_record, "reaped", 6);
	pm_bootid_read(boot);
	if (boot[0])
		pm_record_text(&r, PM_COL_boot_id, boot, strlen(boot));
	if (pm_pidns_own() >= 0)
		pm_record_int(&r, PM_COL_pid_ns, pm_pidns_own());
	if (uname(&u) == 0) {
		pm_buf_init(&text, host, sizeof host);
		pm_tsv_escape(&text, u.nodename, strlen(u.nodename));
		pm_record_text(&r, PM_COL_hostname, host, text.len);
	}
	fill_record(&r, c);

	if (file_name(name, sizeof name) < 0)
		return pm_err(e, "host name is too long");
	fd = pm_trusted_append(d->fd, name, &size, e);
	if (fd < 0)
		return -1;
	/* Write a newline first: it ends a line that a killed writer or a full disk cut. */
	pm_buf_init(&b, batch, sizeof batch);
	if (size == 0)
		pm_buf_mem(&b, pm_column_header, pm_column_header_len);
	pm_buf_ch(&b, '\n');
	pm_record_format(&r, &b);
	n = write(fd, batch, b.len);
	if (n == (ssize_t)b.len)
		return close(fd) < 0 ? pm_err(e, "write %s: %m", name) : 0;
	if (n >= 0)
		errno = ENOSPC;
	pm_err(e, "write %s: %m", name);
	close(fd);
	return -1;
}
