/* What perfmon analyze has to say of jobs: printed, handed to a command, and noted as told, so that
 * what a call could not say, since it was killed or its output failed, a later one says. */
#ifndef PM_MANAGE_ANALYZE_NEWS_H
#define PM_MANAGE_ANALYZE_NEWS_H

#include "analysis/outliers/jobfeatures.h"
#include "common/err.h"
#include "db/db.h"

#include <jansson.h>
#include <stdbool.h>

struct pm_news_item;

/* Start with database, json and dry alone. */
struct pm_news {
	struct pm_db *db;
	json_t *json; /* array for what is told; NULL: text is asked for; owned */
	bool dry;     /* no command is run and nothing noted */
	struct pm_news_item *item;
	size_t count, room;
	size_t said;     /* items at the front that are in json and not noted as told yet */
	size_t failures; /* of the command */
};

/* Keep the result of a job, as JSON, until its transaction is committed. Returns 0 or -1 with e
 * filled. */
int pm_news_add(struct pm_news *n, const struct pm_jobfeatures_job *job, const char *model,
		const char *result, struct pm_err *e);

/* Forget what was added since the latest pm_news_tell(). */
void pm_news_drop(struct pm_news *n);

/* Say what was added. Returns 0, or -1 with e filled: it could not be printed, or noted as told. */
int pm_news_tell(struct pm_news *n, struct pm_err *e);

/* Say what calls found of the jobs of a filter an hour ago or more and did not say: most likely
 * they were killed. Returns 0 or -1 with e filled. */
int pm_news_tell_untold(struct pm_news *n, const struct pm_jobfilter *filter, int64_t now_us,
			struct pm_err *e);

/* Print the JSON, of so many jobs that were analyzed, if it is asked for. Returns 0 or -1 with e
 * filled. */
int pm_news_finish(struct pm_news *n, size_t jobs, struct pm_err *e);

void pm_news_free(struct pm_news *n);

#endif
