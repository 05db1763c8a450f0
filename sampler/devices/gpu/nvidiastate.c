/* The state of a source of NVIDIA's GPUs. */
#include "config.h"

#include "sampler/devices/gpu/nvidiastate.h"

#include "common/now.h"
#include "common/settings/readconfig.h"

#include <stdlib.h>

/* Begin with GPUs that are new in the set. */
static void begin_new(struct pm_nvidiastate *s, struct pm_sink *sink)
{
	for (; s->count < s->set.count; s->count++) {
		void *gpu = calloc(1, s->kind->size);

		if (!gpu)
			return;
		s->kind->begin(gpu, &s->set.id[s->count], sink);
		s->gpu[s->count] = gpu;
	}
}

int pm_nvidiastate_open(void **state, const struct pm_nvidiastate_kind *kind,
			const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct pm_nvidiastate *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, sink->source->name);
	s->kind = kind;
	if (pm_nvidiaset_open(&s->set, target->root, pm_config_get(PM_SET_nvml_library), why) < 0) {
		free(s);
		return -1;
	}
	begin_new(s, sink);
	*state = s;
	return 0;
}

int64_t pm_nvidiastate_look(struct pm_nvidiastate *s, struct pm_sink *sink)
{
	const int64_t now_us = pm_now_monotonic_us();

	if (!pm_nvidiaset_look(&s->set, now_us))
		return now_us;
	begin_new(s, sink);
	for (size_t i = 0; s->kind->look && i < s->count; i++)
		s->kind->look(s->gpu[i], &s->set.nvml, sink);
	return now_us;
}

void pm_nvidiastate_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_nvidiaset_describe(&((struct pm_nvidiastate *)state)->set, sink, out);
}

void pm_nvidiastate_close(void *state)
{
	struct pm_nvidiastate *s = state;

	for (size_t i = 0; i < s->count; i++) {
		if (s->kind->end)
			s->kind->end(s->gpu[i]);
		free(s->gpu[i]);
	}
	pm_nvidiaset_close(&s->set);
	free(s);
}
