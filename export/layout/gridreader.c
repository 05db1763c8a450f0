/* Read a series sample by sample, over what is damaged. */
#include "config.h"

#include "export/layout/gridreader.h"

int pm_gridreader_open(struct pm_gridreader *r, struct pm_db *db, int64_t job, int64_t series,
		       struct pm_griddamage *damage, struct pm_err *e)
{
	*r = (struct pm_gridreader){ .samples = pm_samples_new(db, job, series, e),
				     .damage = damage };
	return r->samples ? pm_gridreader_step(r, e) : -1;
}

int pm_gridreader_step(struct pm_gridreader *r, struct pm_err *e)
{
	for (;;) {
		const int rc = pm_samples_next(r->samples, &r->next, e);

		r->at_end = rc == 0;
		if (rc >= 0)
			return 0;
		if (!pm_samples_damage(r->samples))
			return -1;
		r->damage->blocks++;
		r->damage->last = *e;
	}
}

void pm_gridreader_close(struct pm_gridreader *r)
{
	pm_samples_free(r->samples);
	r->samples = NULL;
}
