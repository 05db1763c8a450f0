/* Totals over processes with SQL's rules: a sum without any known value is unknown. */
#include "config.h"

#include "submit/rows/jobtotals.h"

#include "submit/rows/imagerow.h"

#include <stdlib.h>
#include <string.h>

const char *pm_jobtotals_sql(enum pm_column c)
{
	switch (pm_column_info[c].kind) {
	case PM_KIND_COUNTER:
	case PM_KIND_OWN:
	case PM_KIND_WORK:
		return "sum";
	case PM_KIND_PEAK:
		return "max";
	default:
		return NULL;
	}
}

int pm_jobtotals_init(struct pm_jobtotals *s, const struct pm_gather *g)
{
	memset(s, 0, sizeof *s);
	s->host = calloc(g->images.hosts + 1, sizeof s->host[0]);
	if (!s->host)
		return -1;
	for (int c = 0; c < PM_COLUMNS; c++) {
		const char *sql = pm_jobtotals_sql((enum pm_column)c);

		if (sql)
			(*sql == 's' ? s->sum : s->peak)[c / 64] |= (uint64_t)1 << (c % 64);
	}
	for (size_t i = 0; i < g->metas; i++)
		if (g->meta[i].set[PM_JOB_stop_time_us])
			s->host[g->meta[i].host].stop_us =
				(struct pm_total){ .known = true,
						   .v = g->meta[i].number[PM_JOB_stop_time_us] };
	s->item[PM_JOBTOTALS_PROCESSES].known = s->item[PM_JOBTOTALS_RANKS].known = true;
	return 0;
}

void pm_jobtotals_free(struct pm_jobtotals *s)
{
	free(s->host);
	pm_hashmap_free(&s->ranks);
	memset(s, 0, sizeof *s);
}

static void add_value(struct pm_total *to, int64_t v)
{
	if (__builtin_add_overflow(to->v, v, &to->v))
		to->beyond = true;
	to->known = !to->beyond;
}

static void keep_max(struct pm_total *to, int64_t v)
{
	if (!to->known || to->v < v)
		*to = (struct pm_total){ .known = true, .v = v };
}

static void keep_min(struct pm_total *to, int64_t v)
{
	if (!to->known || to->v > v)
		*to = (struct pm_total){ .known = true, .v = v };
}

static bool has_text(const struct pm_record *r, enum pm_column c, const char *text)
{
	return pm_record_has(r, c) && r->v[c].s.n == strlen(text) &&
	       memcmp(r->v[c].s.p, text, r->v[c].s.n) == 0;
}

static void add_columns(struct pm_jobtotals *s, const struct pm_record *r)
{
	for (size_t w = 0; w < sizeof s->sum / sizeof s->sum[0]; w++) {
		for (uint64_t bits = r->set[w] & s->sum[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);

			add_value(&s->column[c], r->v[c].i);
		}
		for (uint64_t bits = r->set[w] & s->peak[w]; bits; bits &= bits - 1) {
			size_t c = w * 64 + (size_t)__builtin_ctzll(bits);

			keep_max(&s->column[c], r->v[c].i);
		}
	}
}

/* Count a rank unless it has been counted. Returns 0, or -1 if out of memory. */
static int add_rank(struct pm_jobtotals *s, int64_t rank)
{
	uint64_t hash = pm_hashmap_mix(0, (uint64_t)rank);

	if (pm_hashmap_has(&s->ranks, hash))
		return 0;
	s->item[PM_JOBTOTALS_RANKS].v++;
	return pm_hashmap_mark(&s->ranks, hash);
}

int pm_jobtotals_add(struct pm_jobtotals *s, uint32_t host, const struct pm_record *r, int64_t cpu)
{
	struct pm_jobtotals_host *h = &s->host[host];
	int64_t numtids = pm_record_get(r, PM_COL_numtids, 1);
	bool image = pm_record_has(r, PM_COL_image_us), counted = pm_record_has(r, PM_COL_numtids);
	bool unseen = pm_imagerow_is_unseen(r);
	bool killed =
		pm_record_has(r, PM_COL_exitsignal) || has_text(r, PM_COL_end_reason, "signal");

	add_columns(s, r);
	if (pm_record_has(r, PM_COL_start_us))
		keep_min(&s->item[PM_JOBTOTALS_START], r->v[PM_COL_start_us].i);
	if (pm_record_has(r, PM_COL_end_us))
		keep_max(&s->item[PM_JOBTOTALS_END], r->v[PM_COL_end_us].i);
	add_value(&s->item[PM_JOBTOTALS_PROCESSES], 1);
	add_value(&s->item[PM_JOBTOTALS_THREADS], numtids > 1 ? numtids : 1);
	add_value(&s->item[PM_JOBTOTALS_FAILED],
		  killed || pm_record_get(r, PM_COL_exitcode, 0) != 0);
	add_value(&s->item[PM_JOBTOTALS_KILLED], killed);
	add_value(&s->item[PM_JOBTOTALS_RUNNING], has_text(r, PM_COL_end_reason, "running"));
	add_value(&s->item[PM_JOBTOTALS_WITHOUT_END],
		  image && !unseen && (!counted || pm_record_has(r, PM_COL_last_call)));
	add_value(&s->item[PM_JOBTOTALS_REAPED_ONLY],
		  !image || unseen || (!pm_record_has(r, PM_COL_path) && !counted));
	if (cpu >= 0) {
		add_value(&s->item[PM_JOBTOTALS_CPU], cpu);
		add_value(&h->cpu, cpu);
	}
	if (pm_record_has(r, PM_COL_own_cpu_us)) {
		add_value(&s->item[PM_JOBTOTALS_OWN_CPU], r->v[PM_COL_own_cpu_us].i);
		add_value(&h->own_cpu, r->v[PM_COL_own_cpu_us].i);
	}
	add_value(&s->item[PM_JOBTOTALS_LATE],
		  h->stop_us.known && pm_record_get(r, PM_COL_end_us, INT64_MIN) > h->stop_us.v);
	return pm_record_has(r, PM_COL_mpirank) ? add_rank(s, r->v[PM_COL_mpirank].i) : 0;
}
