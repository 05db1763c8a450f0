/* Take the options that say which jobs. */
#include "config.h"

#include "report/jobwords.h"

#include "analysis/when.h"
#include "common/now.h"
#include "report/select.h"

#include <stddef.h>

/* The options that say which jobs, and their place among the words of a filter. */
static const struct {
	enum pm_option option;
	size_t word;
} filters[] = {
#define FILTER(name)                                                                               \
	{                                                                                          \
		PM_OPT_##name, offsetof(struct pm_jobfilter_words, name)                           \
	}
	FILTER(user),  FILTER(name),   FILTER(account), FILTER(queue),
	FILTER(host),  FILTER(status), FILTER(tag),     FILTER(annotation),
	FILTER(after), FILTER(before), FILTER(when),
#undef FILTER
};

const char *pm_jobwords_take(const struct pm_cli *cli, struct pm_jobfilter_words *w)
{
	const char *last = NULL;

	w->order = cli->value[PM_OPT_order];
	for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
		const char *text = cli->value[filters[i].option];

		*(const char **)((char *)w + filters[i].word) = text;
		if (text)
			last = pm_option_info[filters[i].option].name;
	}
	return last;
}

int pm_jobwords_filter(const struct pm_jobfilter_words *words, struct pm_db *db,
		       struct pm_jobfilter *f, struct pm_err *e)
{
	struct pm_jobfilter_words w = *words;
	const int64_t now_us = pm_now_us();
	struct pm_err ignored;
	int64_t us;
	int rc;

	if (w.when && pm_when_parse(w.when, now_us, &us, &ignored) < 0) {
		rc = pm_select_named(db, w.when, &w.when_job, e);
		if (rc < 0)
			return PM_EXIT_FAILED;
		if (rc == 0) {
			pm_err(e,
			       "--when: '%s' is neither a time, such as 2026-11-20T08:00 or -7d, "
			       "nor a job in %s",
			       w.when, pm_db_name(db));
			return PM_EXIT_USAGE;
		}
		w.when = NULL;
	}
	return pm_jobfilter_make(f, &w, now_us, e) < 0 ? PM_EXIT_USAGE : PM_EXIT_OK;
}
