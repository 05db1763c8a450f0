/* Sources that read one file. */
#include "config.h"

#include "sampler/sources/onefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int pm_onefile_open(void **state, const struct pm_target *target, const char *relative,
		    struct pm_unavailable *why)
{
	struct pm_procfile *f = malloc(sizeof *f);
	char path[256];

	snprintf(path, sizeof path, "/%s", relative);
	if (!f)
		return pm_source_unavailable(why, path);
	if (pm_procfile_open(f, target->root, relative) < 0) {
		int saved = errno;

		free(f);
		errno = saved;
		return pm_source_unavailable(why, path);
	}
	*state = f;
	return 0;
}

ssize_t pm_onefile_read(void *state, struct pm_sink *sink, const char **text)
{
	ssize_t n = pm_procfile_read(state, text);

	if (n < 0) {
		*text = NULL;
		pm_sink_clear(sink, pm_reason_errno(errno));
	}
	return n;
}

void pm_onefile_close(void *state)
{
	pm_procfile_close(state);
	free(state);
}
