/* The environment that makes programs record themselves into a job. */
#ifndef PM_WRAPPER_JOB_LAUNCH_H
#define PM_WRAPPER_JOB_LAUNCH_H

#include "common/cli/verb.h"
#include "common/job/jobdir.h"

#include <jansson.h>

/* Most variables that a launch sets. */
#define PM_LAUNCH_MAX 16

/* One variable to set. */
struct pm_launch_variable {
	const char *name;
	char *value;
	const char *before; /* the value to restore, which is the present one; NULL: unset */
};

struct pm_launch {
	struct pm_launch_variable variable[PM_LAUNCH_MAX];
	int count;
	char *rest;    /* LD_PRELOAD without the collector; a `before` may point to it */
	char *library; /* the collector's path as written into LD_PRELOAD */
	int again;     /* LD_PRELOAD has the collector already: an earlier call set the variables */
};

/*
 * Choose the collector to preload: the path in the setting; if the setting is the default and no
 * collector is installed there, the collector beside this program, as in a build directory. `self`
 * is this program's path; `path` is room for the collector's. Does not read the file.
 */
const char *pm_launch_library(const char *self, char *path, size_t size);

/*
 * Compute the variables for programs that shall record themselves into the job whose metadata is
 * doc. LD_PRELOAD keeps the user's libraries, in front of the collector. A setting that already has
 * the right value in the user's environment is left out. If an earlier call set the variables,
 * `before` is NULL for every variable that only perfmon sets. Returns 0, or -1 with e filled: the
 * collector cannot be preloaded. The caller calls pm_launch_free.
 */
int pm_launch_prepare(struct pm_launch *l, const struct pm_cli *cli, const struct pm_jobdir *d,
		      const json_t *doc, struct pm_err *e);

/* Make an environment: this process's with the variables set. The caller frees the array, which
 * holds the new texts; the others belong to environ. NULL: no memory. */
char **pm_launch_environ(const struct pm_launch *l);

/* Make the environment for perfmon's own helpers: ours without LD_PRELOAD. The caller frees the
 * array; its texts belong to environ. NULL: no memory. */
char **pm_launch_helper_environ(void);

/*
 * Make the environment for a command that shall not be recorded: ours without the collector in
 * LD_PRELOAD. NULL: LD_PRELOAD lacks the collector, or no memory. The caller frees the array and
 * *text, a text of the array.
 */
char **pm_launch_bare_environ(const struct pm_cli *cli, char **text);

/* Free the contents that pm_launch_prepare allocated. */
void pm_launch_free(struct pm_launch *l);

#endif
