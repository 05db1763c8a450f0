/* The environment that makes programs record themselves into a job. */
#ifndef PM_WRAPPER_LAUNCH_H
#define PM_WRAPPER_LAUNCH_H

#include "common/jobdir.h"
#include "common/verb.h"

#include <jansson.h>

/* Most variables there are. */
#define PM_LAUNCH_MAX 16

/* One variable to set. */
struct pm_launch_variable {
	const char *name;
	char *value;
	const char *before; /* its value now, NULL: unset; what to restore */
};

struct pm_launch {
	struct pm_launch_variable variable[PM_LAUNCH_MAX];
	int count;
	char *rest;    /* LD_PRELOAD without the collector; a `before` may point to it */
	char *library; /* the collector, as LD_PRELOAD has it */
	int again;     /* LD_PRELOAD has it already: we run in what an earlier call made */
};

/*
 * The collector to preload: the setting, or where nobody set it and perfmon is not installed, the
 * one beside the program, in its build directory. `self` is this program's path, `path` gets the
 * latter; neither is looked into.
 */
const char *pm_launch_library(const char *self, char *path, size_t size);

/*
 * Compute the variables for programs that shall record themselves into a job whose metadata is
 * doc. LD_PRELOAD keeps what the user has in it, in front. Variables that have the right value
 * already are left out, LD_PRELOAD never. Where an earlier call set them, `before` of a variable
 * that only perfmon sets is NULL. Returns 0, or -1 with e filled: the collector cannot be
 * preloaded. The caller frees.
 */
int pm_launch_prepare(struct pm_launch *l, const struct pm_cli *cli, const struct pm_jobdir *d,
		      const json_t *doc, struct pm_err *e);

/* This process' environment with the variables set, as a new array whose texts belong to l and
 * environ; the caller frees the array. NULL: no memory. */
char **pm_launch_environ(const struct pm_launch *l);

/* Environment for perfmon's own helpers: ours without the preload. As pm_launch_environ. */
char **pm_launch_helper_environ(void);

/*
 * Environment for a command that shall not be recorded: ours without the collector in LD_PRELOAD.
 * NULL where it is not in there, or without memory. The caller frees the array and *text, a string
 * in it.
 */
char **pm_launch_bare_environ(const struct pm_cli *cli, char **text);

/* Free what prepare filled. */
void pm_launch_free(struct pm_launch *l);

#endif
