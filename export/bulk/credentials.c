/* Who is asking. */
#include "config.h"

#include "export/bulk/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a line can be what it is to be: a control character could add to the head of a request.
 */
static bool is_line(const char *p)
{
	for (const char *c = p; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return *p != ':' && strchr(p, strncmp(p, "ApiKey ", 7) == 0 ? ' ' : ':');
}

char *pm_credentials_read(const char *path, struct pm_err *e)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text = calloc(1, PM_CREDENTIALS_MAX);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		pm_err(e, "--credentials %s: %m", path);
	else if (!text)
		pm_err(e, "out of memory");
	else if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		pm_err(e, "--credentials %s is no file", path);
	else if ((st.st_mode & 077) != 0)
		pm_err(e,
		       "--credentials %s: others than its owner can read or write it: chmod 600 %s",
		       path, path);
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		pm_err(e, "--credentials %s belongs to somebody else", path);
	else if ((n = read(fd, text, PM_CREDENTIALS_MAX - 1)) < 0)
		pm_err(e, "--credentials %s: %m", path);
	if (fd >= 0)
		close(fd);
	if (n >= 0) {
		const size_t length = strcspn(text, "\r\n");

		text[length] = '\0';
		/* One that fills all of it may go on. */
		if (length < PM_CREDENTIALS_MAX - 1 && is_line(text))
			return text;
		pm_err(e, "--credentials %s: its first line is to be USER:PASSWORD, or ApiKey KEY",
		       path);
	}
	pm_credentials_free(text);
	return NULL;
}

void pm_credentials_free(char *text)
{
	if (text)
		explicit_bzero(text, PM_CREDENTIALS_MAX);
	free(text);
}
