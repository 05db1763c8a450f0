/* Facts of a job: its programs on GPUs, and what they used of the energy. */
#include "config.h"

#include "report/query/query.h"

#include "report/query/gpuuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By GPU time, then memory, then name; those without a process last. */
static int compare_programs(const void *a, const void *b)
{
	const struct pm_fact_gpu_program *x = a, *y = b;
	const double us_x = isnan(x->gpu_us) ? -1 : x->gpu_us;
	const double us_y = isnan(y->gpu_us) ? -1 : y->gpu_us;

	if (!x->processes != !y->processes)
		return x->processes ? -1 : 1;
	if (us_x != us_y)
		return us_x > us_y ? -1 : 1;
	if (x->memory != y->memory)
		return x->memory > y->memory ? -1 : 1;
	if (x->sampled != y->sampled)
		return x->sampled - y->sampled;
	return strcmp(x->label, y->label);
}

/* Add to programs what they used of the energy of GPUs. */
static void add_energy(const struct pm_facts *f, struct pm_fact_program *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f->gpu_programs; k++)
			if (!isnan(f->gpu_program[k].energy_uj) &&
			    strcmp(f->gpu_program[k].label, p[i].label) == 0)
				p[i].gpu_energy_uj += f->gpu_program[k].energy_uj;
}

int pm_query_gpu_programs(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			  struct pm_err *e)
{
	struct pm_gpuuse u;
	int rc = pm_gpuuse_read(&u, db, job, utf8, f, e);

	if (rc == 0)
		rc = pm_gpuenergy_share(&u, db, job, f, e);
	pm_gpuuse_free(&u);
	if (f->gpu_programs)
		qsort(f->gpu_program, f->gpu_programs, sizeof *f->gpu_program, compare_programs);
	while (f->gpu_programs && !f->gpu_program[f->gpu_programs - 1].processes)
		f->gpu_programs--;
	add_energy(f, f->by_cpu, f->by_cpu_n);
	add_energy(f, f->by_rss, f->by_rss_n);
	add_energy(f, f->by_io, f->by_io_n);
	add_energy(f, f->by_tiny, f->by_tiny_n);
	return rc;
}
