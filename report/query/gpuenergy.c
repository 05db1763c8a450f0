/*
 * The energy of GPUs by the GPU time of programs. That of a meter of NVIDIA's goes to the processes
 * that the sampler saw on its GPU, by their time there; a meter of pm_counters is of a GPU without
 * a name: it goes to all GPU time on the host, and of other drivers to the exact GPU time there.
 * What nobody is known to have used is attributed to nobody.
 */
#include "config.h"

#include "report/query/gpuuse.h"

#include "report/rows/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sharing {
	const struct pm_gpuuse *u;
	struct pm_facts *f;
	double *us; /* by program: time that takes part in the meter */
	/* The first ones of the host of the meter: all come in the order of the hosts. */
	size_t gpu, share, exact;
};

static int64_t host_of_share(const struct pm_gpuuse *u, size_t i)
{
	return u->gpu[u->share[i].gpu].host;
}

static void seek_host(struct sharing *s, int64_t host)
{
	const struct pm_gpuuse *u = s->u;

	while (s->gpu < u->gpus && u->gpu[s->gpu].host < host)
		s->gpu++;
	while (s->share < u->shares && host_of_share(u, s->share) < host)
		s->share++;
	while (s->exact < u->exacts && u->exact[s->exact].host < host)
		s->exact++;
}

static void add_us(struct sharing *s, size_t program, double us, double *sum)
{
	if (isnan(us))
		return;
	s->us[program] += us;
	*sum += us;
}

/* Add the sampled time on GPUs of a host, of all or of that with a name. */
static void add_sampled(struct sharing *s, int64_t host, const char *uuid, double *sum)
{
	const struct pm_gpuuse *u = s->u;

	for (size_t i = s->gpu; i < u->gpus && u->gpu[i].host == host; i++)
		if (!uuid || strcmp(u->gpu[i].uuid, uuid) == 0)
			*sum += u->gpu[i].other_us;
	for (size_t i = s->share; i < u->shares && host_of_share(u, i) == host; i++)
		if (!uuid || strcmp(u->gpu[u->share[i].gpu].uuid, uuid) == 0)
			add_us(s, u->process[u->share[i].process].program, u->share[i].us, sum);
}

static void add_exact(struct sharing *s, int64_t host, double *sum)
{
	const struct pm_gpuuse *u = s->u;

	for (size_t i = s->exact; i < u->exacts && u->exact[i].host == host; i++)
		add_us(s, u->exact[i].program, u->exact[i].us, sum);
}

/* Attribute the energy of a meter, in uJ. */
static void share_meter(struct sharing *s, int64_t host, const char *source, const char *meter,
			double uj)
{
	const bool nvidia = strcmp(source, "nvidia") == 0;
	double sum = 0;

	s->f->energy.gpu_uj += uj;
	if (!s->f->gpu_programs)
		return;
	seek_host(s, host);
	memset(s->us, 0, s->f->gpu_programs * sizeof *s->us);
	if (nvidia || strcmp(source, "pm_counters") == 0)
		add_sampled(s, host, nvidia ? meter : NULL, &sum);
	if (!nvidia)
		add_exact(s, host, &sum);
	for (size_t i = 0; i < s->f->gpu_programs && sum > 0; i++) {
		struct pm_fact_gpu_program *p = &s->f->gpu_program[i];
		const double part = uj * (s->us[i] / sum);

		if (!(s->us[i] > 0))
			continue;
		p->energy_uj = (isnan(p->energy_uj) ? 0 : p->energy_uj) + part;
		s->f->energy.gpu_shared_uj += part;
	}
}

enum { HOST, SOURCE, METER, UJ, IN_TOTAL, SUM, TOTAL };

/* Meters of GPUs on hosts with an energy, with the sum of the host's and its energy. */
static const char meters_sql[] =
	"SELECT e.host_id, e.source, e.meter, e.energy_uj, e.in_total, (SELECT "
	"sum(CAST(x.energy_uj AS "
	"double precision)) FROM energy x WHERE x.job_id = e.job_id AND x.host_id = e.host_id AND "
	"x.part = 'gpu' AND x.in_part = 1), CAST(h.energy_uj AS double precision) FROM energy e "
	"JOIN "
	"host h ON h.job_id = e.job_id AND h.id = e.host_id WHERE e.job_id = ? AND e.part = 'gpu' "
	"AND "
	"e.in_part = 1 AND e.energy_uj > 0 AND h.energy_uj IS NOT NULL ORDER BY e.host_id, e.id";

int pm_gpuenergy_share(const struct pm_gpuuse *u, struct pm_db *db, int64_t job, struct pm_facts *f,
		       struct pm_err *e)
{
	struct sharing s = { .u = u, .f = f };
	struct pm_stmt *q = NULL;
	int rc;

	if (f->energy.uj == PM_UNKNOWN)
		return 0;
	s.us = calloc(f->gpu_programs + 1, sizeof *s.us);
	if (!s.us)
		return pm_err(e, "out of memory");
	rc = pm_query_prepare(db, meters_sql, job, &q, e);
	while (rc >= 0 && (rc = pm_db_step(q, e)) > 0) {
		const double sum = pm_db_real(q, SUM), total = pm_db_real(q, TOTAL);
		double uj = (double)pm_db_int(q, UJ);

		/* What a node contains is at most what it has: its meter covers other moments. */
		if (pm_db_int(q, IN_TOTAL) == 0 && sum > total)
			uj *= total / sum;
		share_meter(&s, pm_db_int(q, HOST), pm_db_text(q, SOURCE, NULL),
			    pm_db_text(q, METER, NULL), uj);
	}
	pm_db_finish(q);
	free(s.us);
	return rc < 0 ? -1 : 0;
}
