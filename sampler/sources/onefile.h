/* Sources whose state is one file (procfile.h): their open and close. */
#ifndef PM_SAMPLER_SOURCES_ONEFILE_H
#define PM_SAMPLER_SOURCES_ONEFILE_H

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"

/* Open root/relative as *state, a struct pm_procfile. Returns 0, or -1 with *why filled. */
int pm_onefile_open(void **state, const struct pm_target *target, const char *relative,
		    struct pm_unavailable *why);

/*
 * Read the file. Returns the length of *text, or -1: then *text is NULL, and every series of the
 * sink is unknown with the reason.
 */
ssize_t pm_onefile_read(void *state, struct pm_sink *sink, const char **text);

/* The source's close. */
void pm_onefile_close(void *state);

#endif
