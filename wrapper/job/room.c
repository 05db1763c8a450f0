/* Reserve disk space for the end of a job. */
#include "config.h"

#include "wrapper/job/room.h"

#include "wrapper/metadata/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Bytes that a stop half may add: a kilobyte of counts, and the changes of the environment. */
#define STOP_BYTES 16384

static void file_name(char name[NAME_MAX + 1], const char *host)
{
	snprintf(name, NAME_MAX + 1, ".room-%.*s", NAME_MAX - 16, host);
}

void pm_room_keep(int dir, const char *host)
{
	char name[NAME_MAX + 1];
	int fd;

	file_name(name, host);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	/* Not posix_fallocate(3), which writes the blocks if the file system cannot reserve them.
	 */
	if (fallocate(fd, 0, 0, (off_t)pm_metadata_size(dir, host) + STOP_BYTES) < 0)
		unlinkat(dir, name, 0);
	close(fd);
}

int pm_room_write(int dir, const char *host, json_t *doc, struct pm_err *e)
{
	char name[NAME_MAX + 1];
	int rc = pm_metadata_write(dir, host, doc, e);

	file_name(name, host);
	if (rc < 0 && (errno == ENOSPC || errno == EDQUOT) &&
	    pm_metadata_write_over(dir, name, host, doc, NULL) == 0) {
		e->text[0] = '\0';
		rc = 0;
	}
	if (rc == 0)
		unlinkat(dir, name, 0);
	return rc;
}
