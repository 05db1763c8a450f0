/* Read and write JSON documents whole through descriptors. */
#include "config.h"

#include "wrapper/metadata/jsonfile.h"

#include "common/writeall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

json_t *pm_jsonfile_read(int fd, struct pm_err *e)
{
	json_error_t why;
	json_t *doc = NULL;
	struct stat st;
	size_t size, n = 0;
	char *text;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > PM_JSONFILE_MAX) {
		pm_err(e, "not a regular file of at most %d bytes", PM_JSONFILE_MAX);
		return NULL;
	}
	size = (size_t)st.st_size;
	text = malloc(size + 1);
	if (!text) {
		pm_err(e, "out of memory");
		return NULL;
	}
	while (n < size) {
		ssize_t got = read(fd, text + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			pm_err(e, "%m");
			goto out;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	doc = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
	if (!doc)
		pm_err(e, "line %d: %s", why.line, why.text);
out:
	free(text);
	return doc;
}

int pm_jsonfile_write(int fd, const json_t *doc, size_t flags)
{
	char *text = json_dumps(doc, flags), *whole;
	size_t n;
	int rc;

	n = text ? strlen(text) : 0;
	whole = text ? realloc(text, n + 1) : NULL;
	if (!whole) {
		free(text);
		errno = ENOMEM;
		return -1;
	}
	whole[n] = '\n';
	rc = pm_write_all(fd, whole, n + 1) < 0 || fsync(fd) < 0 ? -1 : 0;
	free(whole);
	return rc;
}
