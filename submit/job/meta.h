/* Job metadata read from job-<host>.json: keys and types of job.def. */
#ifndef PM_SUBMIT_JOB_META_H
#define PM_SUBMIT_JOB_META_H

#include "common/err.h"
#include "common/job/job.h"
#include "submit/job/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest metadata file that is read. */
#define PM_META_MAX ((size_t)16 << 20)

/* Contents of a metadata file. Lists and maps are kept as JSON text. */
struct pm_meta {
	bool set[PM_JOB_KEYS];
	int64_t number[PM_JOB_KEYS]; /* INT and TIME */
	char *text[PM_JOB_KEYS];     /* TEXT, LIST and MAP; owned */
	int wrong;                   /* number of values left out */
	int beyond;                  /* how many of these were numbers out of range */
	struct pm_derived *derived;  /* events of the job that no record holds; owned */
	size_t deriveds;
	uint32_t host; /* set by the gatherer: the host described */
};

/*
 * Parse the text of a metadata file. Values of a wrong type, and numbers out of range, are left out
 * and counted; e names the last one. Returns 0 (e->text is empty if all is well) or -1 with e
 * filled: not JSON, not a job of this format. The meta must be freed either way.
 */
int pm_meta_parse(struct pm_meta *m, const char *text, size_t n, struct pm_err *e);

/* Free its memory. */
void pm_meta_free(struct pm_meta *m);

/* Format m as the text of a metadata file, to be freed by the caller; NULL if out of memory. */
char *pm_meta_text(const struct pm_meta *m);

/* Set a text; NULL unsets it. Returns 0, or -1 if out of memory. */
int pm_meta_set_text(struct pm_meta *m, enum pm_job_key k, const char *text);

/* Call `each` for every name and value of a MAP's JSON text; a JSON null is passed as NULL. Returns
 * 0, or -1 if `each` does or the text is not a map. */
int pm_meta_each(const char *map, int (*each)(void *ctx, const char *name, const char *value),
		 void *ctx);

#endif
