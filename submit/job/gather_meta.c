/*
 * Metadata of a job, parsed. The library that reads JSON, where it gets no memory, may leave a
 * letter or a value out and go on: whether it did is noted where it asks for memory.
 */
#include "config.h"

#include "submit/epmt_meta.h"
#include "submit/foreign.h"
#include "submit/gather.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of this thread's work since begin(). */
static _Thread_local struct {
	bool starved;
} memory;

static void *get(size_t n)
{
	void *p = malloc(n);

	memory.starved = memory.starved || !p;
	return p;
}

static void begin(void)
{
	json_set_alloc_funcs(get, free);
	memory.starved = false;
	errno = 0;
}

/* What a call since then is to return that returned rc. */
static int end(int rc, struct pm_err *e)
{
	bool starved = memory.starved || (rc < 0 && errno == ENOMEM);

	if (starved)
		pm_err(e, "out of memory");
	if (starved || rc < 0)
		errno = starved ? ENOMEM : EINVAL;
	return starved ? -1 : rc;
}

int pm_gather_convert_meta(const char *text, size_t n, char **ours, struct pm_err *e)
{
	int rc;

	*ours = NULL;
	begin();
	rc = end(pm_epmt_meta_pickle(text, n, ours, e), e);
	if (rc == 0)
		return 0;
	free(*ours);
	*ours = NULL;
	return -1;
}

int pm_gather_parse_meta(const char *name, struct pm_meta *m, const char *text, size_t n,
			 struct pm_err *e)
{
	char *ours = NULL;
	int rc = 0, error;

	memset(m, 0, sizeof *m);
	/* A pickle cannot begin like JSON: this is what was kept of one. */
	if (pm_foreign_kind(name) == PM_FOREIGN_PICKLE && !(n && text[0] == '{'))
		rc = pm_gather_convert_meta(text, n, &ours, e);
	if (rc == 0) {
		begin();
		rc = end(pm_meta_parse(m, ours ? ours : text, ours ? strlen(ours) : n, e), e);
	}
	error = errno;
	free(ours);
	errno = error;
	return rc;
}
