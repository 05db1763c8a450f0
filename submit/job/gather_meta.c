/*
 * Parse a job's metadata. When malloc(3) fails, jansson may silently drop a character or a value
 * and go on, so the allocator below notes each failure.
 */
#include "config.h"

#include "submit/foreign/epmt_meta.h"
#include "submit/foreign/foreign.h"
#include "submit/job/gather.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Allocation state of this thread since begin_json(). */
static _Thread_local struct {
	bool starved;
} memory;

static void *alloc_json(size_t n)
{
	void *p = malloc(n);

	memory.starved = memory.starved || !p;
	return p;
}

static void begin_json(void)
{
	static int set;

	/* Once: another thread may be using jansson. */
	if (!__atomic_load_n(&set, __ATOMIC_RELAXED)) {
		json_set_alloc_funcs(alloc_json, free);
		__atomic_store_n(&set, 1, __ATOMIC_RELAXED);
	}
	memory.starved = false;
	errno = 0;
}

/* Result of a call since begin_json() that returned rc: -1 with e filled if an allocation failed.
 * Sets errno on failure. */
static int end_json(int rc, struct pm_err *e)
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
	begin_json();
	rc = end_json(pm_epmt_meta_pickle(text, n, ours, e), e);
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
	/* A pickle never begins with '{', so this file was stored as JSON. */
	if (pm_foreign_kind(name) == PM_FOREIGN_PICKLE && !(n && text[0] == '{'))
		rc = pm_gather_convert_meta(text, n, &ours, e);
	if (rc == 0) {
		begin_json();
		rc = end_json(pm_meta_parse(m, ours ? ours : text, ours ? strlen(ours) : n, e), e);
	}
	error = errno;
	free(ours);
	errno = error;
	return rc;
}
