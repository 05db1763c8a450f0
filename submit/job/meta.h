/* Job metadata as read from job-<host>.json: keys and types of job.def. Programs only. */
#ifndef PM_META_H
#define PM_META_H

#include "common/err.h"
#include "common/job.h"
#include "submit/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest metadata file that is read. */
#define PM_META_MAX ((size_t)16 << 20)

/* What a file says. Lists and maps are kept as JSON text. */
struct pm_meta {
	bool set[PM_JOB_KEYS];
	int64_t number[PM_JOB_KEYS]; /* INT and TIME */
	char *text[PM_JOB_KEYS];     /* TEXT, LIST and MAP; owned */
	int wrong;                   /* values left out */
	int beyond;                  /* of these, numbers out of range */
	struct pm_derived *derived;  /* events of the job that no record holds; owned */
	size_t deriveds;
	uint32_t host; /* for its holder: the host it is about */
};

/*
 * Parse the text of a metadata file. Values of a wrong type, and numbers out of range, are left out
 * and counted; of the last one e says which. Returns 0 (e->text is empty where all is well) or -1
 * with e filled: not JSON, not a job of this format. The meta must be freed either way.
 */
int pm_meta_parse(struct pm_meta *m, const char *text, size_t n, struct pm_err *e);

/* Free what it holds. */
void pm_meta_free(struct pm_meta *m);

/* The text of a metadata file that says what m does, to be freed; NULL without memory. */
char *pm_meta_text(const struct pm_meta *m);

/* Set a text; NULL unsets it. Returns 0, or -1 without memory. */
int pm_meta_set_text(struct pm_meta *m, enum pm_job_key k, const char *text);

/* Call `each` for every name and value of a MAP's JSON text; a null value is NULL. Returns 0, or
 * -1 when `each` did or the text is no map. */
int pm_meta_each(const char *map, int (*each)(void *ctx, const char *name, const char *value),
		 void *ctx);

#endif
