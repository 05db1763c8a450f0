/* The report's lines about GPUs. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/print/cell.h"
#include "report/print/table.h"

#include <math.h>
#include <string.h>

/* Kinds of GPUs that are told apart. */
#define KINDS 16

/* GPUs that are alike. */
struct kind {
	const struct pm_gpu *gpu;
	int64_t count;
};

static bool is_alike(const struct pm_gpu *a, const struct pm_gpu *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->driver, b->driver) == 0 &&
	       strcmp(a->driver_version, b->driver_version) == 0 &&
	       strcmp(a->state, b->state) == 0 && a->memory_bytes == b->memory_bytes &&
	       a->power_limit_uw == b->power_limit_uw;
}

/* Count the GPUs of all hosts by kind. Returns how many kinds there are; *others gets the number of
 * GPUs beyond KINDS of them. */
static size_t count_kinds(const struct pm_facts *f, struct kind *kind, int64_t *others)
{
	size_t n = 0;

	*others = 0;
	for (size_t i = 0; i < f->hosts; i++)
		for (size_t g = 0; g < f->host[i].gpus; g++) {
			const struct pm_gpu *gpu = &f->host[i].gpu[g];
			size_t k = 0;

			while (k < n && !is_alike(kind[k].gpu, gpu))
				k++;
			if (k == KINDS) {
				++*others;
				continue;
			}
			if (k == n)
				kind[n++] = (struct kind){ gpu, 0 };
			kind[k].count++;
		}
	return n;
}

void pm_report_hostgpus(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];
	struct kind kind[KINDS];
	int64_t others;
	size_t n = count_kinds(f, kind, &others);

	for (size_t k = 0; k < n; k++) {
		const struct pm_gpu *g = kind[k].gpu;

		pm_page_pairf(
			p, k ? "" : "GPUs", "%s %s, memory %s, power limit %s, driver %s%s%s%s%s",
			pm_format_count(c, kind[k].count), *g->name ? g->name : "of unknown model",
			pm_format_bytes(a, g->memory_bytes), pm_format_power(b, g->power_limit_uw),
			*g->driver ? g->driver : "unknown", *g->driver_version ? " " : "",
			g->driver_version, *g->state ? ", " : "", g->state);
	}
	if (others)
		pm_page_pairf(p, "", "and %s of other kinds: perfmon list hosts%s",
			      pm_format_things(a, others, "GPU"), f->named);
}

int pm_report_gpu_programs(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 },
		{ "Processes", true, 0, 2 },
		{ "GPUs", true, 0, -1 },
		{ "GPU time", true, 0, 0 },
		{ "By", false, 0, 0 },
		{ "Largest process", true, 0, 1 },
		{ "Energy of GPUs", true, 0, -1 },
	};
	bool any_gpus = false, any_energy = false;
	struct pm_table t;

	if (!f->gpu_programs)
		return 0;
	for (size_t i = 0; i < f->gpu_programs && i < f->limit; i++) {
		any_gpus |= f->gpu_program[i].gpus > 0;
		any_energy |= !isnan(f->gpu_program[i].energy_uj);
	}
	pm_page_heading(p, "Programs on GPUs");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->gpu_programs && i < f->limit; i++) {
		const struct pm_fact_gpu_program *x = &f->gpu_program[i];

		pm_table_cell(&t, x->label);
		pm_cell_count(&t, x->processes);
		if (any_gpus)
			pm_cell_count(&t, x->gpus ? x->gpus : PM_UNKNOWN);
		else
			pm_table_cell(&t, "");
		pm_cell_duration(&t, isnan(x->gpu_us) ? PM_UNKNOWN : (int64_t)x->gpu_us);
		pm_table_cell(&t, x->sampled ? "samples" : "exact totals");
		pm_cell_bytes(&t, x->memory);
		if (any_energy)
			pm_cell_energy(&t,
				       isnan(x->energy_uj) ? PM_UNKNOWN : (int64_t)x->energy_uj);
		else
			pm_table_cell(&t, "");
	}
	return pm_table_finish(&t);
}
