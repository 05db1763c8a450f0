/* A picture of a loaded job. */
#include "config.h"

#include "report/top/loaded.h"

#include "report/print/options.h"
#include "report/print/values.h"
#include "report/query/query.h"
#include "report/select.h"
#include "report/top/picture.h"

#include "common/now.h"

#include <math.h>
#include <stdlib.h>

/* Largest number of programs. */
#define PROGRAMS_MAX 1000

static int64_t known(int64_t v)
{
	return v == PM_UNKNOWN ? PM_TOP_UNKNOWN : v;
}

/* Fill a picture. Returns 0, or -1 if out of memory. */
static int fill(struct pm_top_picture *p, const struct pm_facts *f)
{
	*p = (struct pm_top_picture){
		.now_us = pm_now_us(),
		.start_us = f->start_us > 0 ? f->start_us : 0,
		.end_us = !f->open && f->end_us > 0 ? f->end_us : 0,
		.records_us = f->end_us > 0 ? f->end_us : 0,
		.hosts = f->hosts_count > 0 ? f->hosts_count : 0,
		.cpus = f->cpus > 0 ? f->cpus : 0,
		.memory = f->memory > 0 ? f->memory : 0,
		.busy = NAN,
		.rate = { NAN, NAN, NAN, NAN, NAN },
		.cpu_us = f->cpu_us > 0 ? f->cpu_us : 0,
		.rss = PM_TOP_UNKNOWN,
		.running = f->running > 0 ? f->running : 0,
		.ended = f->processes > 0 ? f->processes - (f->running > 0 ? f->running : 0) : 0,
		.line = calloc(f->by_cpu_n + 1, sizeof *p->line),
		.lines = f->by_cpu_n,
	};
	_Static_assert(PM_TOP_COUNTS == 5, "as many rates");
	p->closed = f->open ? 0 : p->hosts;
	if (!p->line)
		return -1;
	snprintf(p->jobid, sizeof p->jobid, "%.180s%s%.60s", f->jobid, *f->array_task ? "_" : "",
		 f->array_task);
	snprintf(p->name, sizeof p->name, "%s", f->name);
	snprintf(p->user, sizeof p->user, "%s", f->user);
	for (size_t i = 0; i < f->by_cpu_n; i++) {
		const struct pm_fact_program *x = &f->by_cpu[i];
		struct pm_top_line *l = &p->line[i];

		snprintf(l->name, sizeof l->name, "%.127s", x->label);
		l->started = x->runs;
		l->running = PM_TOP_UNKNOWN;
		l->cpus = l->read = l->written = NAN;
		l->cpu_us = x->cpu_us > 0 ? x->cpu_us : 0;
		l->rss = known(x->rss);
	}
	return 0;
}

int pm_top_loaded(const struct pm_cli *cli, const char *operand, const struct pm_page *page,
		  int64_t limit, struct pm_err *e)
{
	const bool json = cli->given[PM_OPT_json];
	struct pm_top_picture picture = { .line = NULL };
	struct pm_selection s = { 0 };
	struct pm_facts facts;
	int rc = -1;

	pm_facts_init(&facts, (size_t)(limit < PROGRAMS_MAX ? limit : PROGRAMS_MAX));
	if (pm_select_job(cli, operand, &s, e) == 0 &&
	    pm_query_facts(s.db, s.job, json || page->utf8, &facts, e) == 0) {
		rc = fill(&picture, &facts);
		if (rc == 0)
			rc = json ? pm_values_dump(pm_top_picture_json(&picture, limit), e)
				  : pm_top_picture_print(page, &picture, limit);
		if (rc < 0 && !*e->text)
			pm_err(e, "out of memory");
	}
	if (rc == 0)
		rc = pm_options_flush(e);
	pm_top_picture_free(&picture);
	pm_facts_free(&facts);
	pm_select_close(&s);
	return rc < 0 ? PM_EXIT_FAILED : PM_EXIT_OK;
}
