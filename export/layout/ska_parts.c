/* What a file of the layout ska has lists of: hosts, or their GPUs. */
#include "config.h"

#include "export/layout/ska.h"

#include "common/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sources whose ticks are the rows of each file. */
static const char *const sources[PM_SKA_FILES] = {
	[PM_SKA_CPU] = "process cpu memory network footprint infiniband cxi rapl",
	[PM_SKA_PERF] = "perf",
	[PM_SKA_GPU] = "nvidia nvidia_counters nvidia_pcie",
};

/* Add a part, whose name is *name from here on. Returns 0, or -1 if out of memory. */
static int add_part(struct pm_ska_part **part, size_t *n, size_t *room, const char *object,
		    const struct pm_grid_series *ticks, char *name)
{
	if (!name || !PM_GROW(*part, *n, *room, 8)) {
		free(name);
		return -1;
	}
	(*part)[(*n)++] = (struct pm_ska_part){ object, ticks, name };
	return 0;
}

/* Whether an object of the source nvidia is a GPU: not one of its processes, nor of its slices. */
static bool is_gpu(const struct pm_grid_series *x)
{
	return strcmp(x->source, "nvidia") == 0 && *x->object && !strchr(x->object, '/') &&
	       strncmp(x->metric, "slice_", strlen("slice_")) != 0;
}

/* Add the GPUs of a host by the order in which the sampler met them, which is the driver's. */
static int add_gpus(struct pm_ska_part **part, size_t *n, struct pm_grid *g, const char *host)
{
	size_t count, room = 0, k;
	const struct pm_grid_series *series = pm_grid_series(g, &count);

	for (size_t i = 0; i < count; i++) {
		char *name;

		for (k = 0; k < *n && strcmp((*part)[k].object, series[i].object) != 0; k++)
			;
		if (k < *n || !is_gpu(&series[i]))
			continue;
		if (asprintf(&name, "gpu-%zu.%s", *n, host) < 0)
			name = NULL;
		if (add_part(part, n, &room, series[i].object,
			     pm_grid_ticks(g, sources[PM_SKA_GPU], series[i].object), name) < 0)
			return -1;
	}
	return 0;
}

int pm_ska_parts_find(enum pm_ska_file file, struct pm_grid *g, const char *host,
		      struct pm_ska_part **part, size_t *n, struct pm_err *e)
{
	const struct pm_grid_series *ticks = pm_grid_ticks(g, sources[file], NULL);
	size_t room = 0;
	int rc = 0;

	*part = NULL;
	*n = 0;
	if (file == PM_SKA_GPU)
		rc = add_gpus(part, n, g, host);
	else if (ticks)
		rc = add_part(part, n, &room, NULL, ticks, strdup(host));
	return rc < 0 ? pm_err(e, "out of memory") : 0;
}

void pm_ska_parts_free(struct pm_ska_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(part[i].name);
	free(part);
}
