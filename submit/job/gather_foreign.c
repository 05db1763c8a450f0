/* Turn lines of other tools into a job's records. */
#include "config.h"

#include "submit/job/gather.h"

#include "common/settings/readconfig.h"

#include <string.h>

static struct pm_gather_file *current_file(struct pm_gather *g)
{
	return &g->file[g->files - 1];
}

static int foreign_record(void *ctx, uint32_t file, const struct pm_record *r, const char **why,
			  struct pm_err *e)
{
	struct pm_gather *g = ctx;
	uint64_t odd[PM_BOUNDS_WORDS];
	struct pm_record fit = *r;
	bool any = pm_gather_drop_odd(g, &fit, odd);
	int rc = pm_images_add(&g->images, &fit, why, e);

	if (rc == 0)
		pm_gather_of_host(&g->file[file], g->images.space[g->images.last_space].host);
	/* Check the sums over threads; the threads' own values have been checked. */
	return rc == 0 && any ? pm_gather_count_odd(g, odd, file, 0, e) : rc;
}

static int foreign_known(void *ctx, uint32_t file, uint64_t hash, struct pm_err *e)
{
	struct pm_gather *g = ctx;

	return pm_gather_is_known(g, hash, g->file[file].batch, e);
}

static void count_known(void *ctx, uint32_t file)
{
	struct pm_gather *g = ctx;

	g->file[file].known++;
}

static int foreign_reject(void *ctx, uint32_t file, uint64_t line, const char *p, size_t n,
			  const char *column, const char *why, struct pm_err *e)
{
	struct pm_gather *g = ctx;
	int rc = 0;

	g->err = e;
	if (g->known)
		rc = foreign_known(g, file, pm_hashmap_mix(pm_hashmap_mix_bytes(2, p, n), n), e);
	if (rc > 0)
		count_known(g, file);
	return rc ? (rc < 0 ? -1 : 0) : pm_gather_reject(g, file, p, n, line, column, why);
}

static int foreign_odd(void *ctx, uint32_t file, uint64_t line, const char *column,
		       enum pm_oddvalue_why why, struct pm_err *e)
{
	struct pm_gather *g = ctx;

	return pm_oddvalue_add(&g->odds, column, why, file, line) < 0 ? pm_err(e, "out of memory")
								      : 0;
}

int pm_gather_foreign_line(void *ctx, const char *p, size_t n, uint64_t number,
			   enum pm_lines_state state)
{
	struct pm_gather *g = ctx;
	uint64_t rejected = current_file(g)->rejected;

	if (pm_foreign_line(&g->foreign, p, n, number, state, g->err) < 0)
		return -1;
	if (state == PM_LINES_CUT && current_file(g)->rejected > rejected)
		current_file(g)->cut = 1;
	if (g->foreign.counts) {
		current_file(g)->lines++;
		g->lines++;
	}
	return 0;
}

int pm_gather_begin_redacting(struct pm_gather *g, const char *name, pm_redact_take *take,
			      struct pm_err *e)
{
	enum pm_foreign_kind kind = pm_foreign_kind(name);

	pm_redact_file_free(g->redact);
	g->redact = NULL;
	if ((kind != PM_FOREIGN_CSV && kind != PM_FOREIGN_TSV) ||
	    strcmp(pm_config_get(PM_SET_args), "full") == 0)
		return 0;
	g->redact = pm_redact_file_new(name, take, g, e);
	return g->redact ? 0 : -1;
}

struct pm_foreign_sink pm_gather_foreign_sink(struct pm_gather *g)
{
	return (struct pm_foreign_sink){ foreign_record, foreign_reject, foreign_odd,
					 foreign_known,  count_known,    g };
}
