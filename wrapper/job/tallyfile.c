/* Create and read tallies. */
#include "config.h"

#include "wrapper/job/tallyfile.h"

#include "common/bootid.h"
#include "common/trusted.h"
#include "common/version.h"
#include "common/writeall.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Format the first slot: "perfmon-tally-1", host name, boot id. Returns 0 or -1. */
static int format_header(char *slot)
{
	char boot[64], host[256];
	struct pm_buf b;

	gethostname(host, sizeof host);
	host[sizeof host - 1] = '\0';
	pm_bootid_read(boot);
	pm_buf_init(&b, slot, PM_TALLY_SLOT - 1);
	pm_buf_str(&b, PM_TALLY_HEADER "\t");
	pm_tsv_escape(&b, host, strlen(host));
	pm_buf_ch(&b, '\t');
	pm_buf_str(&b, boot);
	pm_buf_str(&b, "\t.");
	if (b.truncated)
		return -1;
	memset(slot + b.len, ' ', PM_TALLY_SLOT - 1 - b.len);
	slot[PM_TALLY_SLOT - 1] = '\n';
	return 0;
}

static int fill_tally(int fd)
{
	const size_t size = (size_t)PM_TALLY_COUNT * PM_TALLY_SLOT;
	char *text = malloc(size);
	int rc = -1;

	if (!text)
		return -1;
	memset(text, ' ', size);
	for (size_t i = PM_TALLY_SLOT; i <= size; i += PM_TALLY_SLOT)
		text[i - 1] = '\n';
	if (format_header(text) == 0)
		rc = pm_write_all(fd, text, size);
	free(text);
	return rc;
}

int pm_tallyfile_create(int dir, const char *host, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	int fd, n, rc;

	n = snprintf(name, sizeof name, "%s-%lu" PM_TALLY_SUFFIX, host, (unsigned long)geteuid());
	if (n >= (int)sizeof name)
		return pm_err(e, "host name is too long");
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EEXIST ? 0 : pm_err(e, "create %s: %m", name);
	rc = fill_tally(fd);
	if (close(fd) < 0)
		rc = -1;
	if (rc < 0) {
		pm_err(e, "write %s: %m", name);
		unlinkat(dir, name, 0);
	}
	return rc;
}

static int read_slots(int fd, pm_tallyfile_fn *take, void *ctx)
{
	char slot[PM_TALLY_SLOT];
	struct pm_tally t;
	int rc = 0;

	for (int i = 1; i < PM_TALLY_COUNT && rc == 0; i++)
		if (pread(fd, slot, sizeof slot, (off_t)i * PM_TALLY_SLOT) == sizeof slot &&
		    pm_tally_parse(slot, &t) == 0 && t.kind.n > 0)
			rc = take(ctx, &t);
	return rc;
}

int pm_tallyfile_each(int dir, const char *host, pm_tallyfile_fn *take, void *ctx, struct pm_err *e)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0, count = 0;
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	size_t len = strlen(host), tail = strlen(PM_TALLY_SUFFIX);
	struct dirent *entry;

	if (!d) {
		if (copy >= 0)
			close(copy);
		return pm_err(e, "read job directory: %m");
	}
	while (rc == 0 && (entry = readdir(d)) != NULL) {
		size_t n = strlen(entry->d_name);
		int fd;

		if (n <= len + tail || strncmp(entry->d_name, host, len) != 0 ||
		    entry->d_name[len] != '-' ||
		    strcmp(entry->d_name + n - tail, PM_TALLY_SUFFIX) != 0)
			continue;
		fd = pm_trusted_open(dir, entry->d_name, O_RDONLY, 0, NULL);
		if (fd < 0)
			continue;
		rc = read_slots(fd, take, ctx);
		count++;
		close(fd);
	}
	closedir(d);
	return count;
}

void pm_version_tally(struct pm_version *v)
{
	pm_version_set(v, "%s", PM_TALLY_HEADER);
}
