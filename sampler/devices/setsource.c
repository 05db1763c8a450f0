/* The functions of a source that is a set of devices. */
#include "config.h"

#include "sampler/devices/setsource.h"

#include "common/now.h"

#include <stdlib.h>

struct state {
	struct pm_deviceset set;
	pm_setsource_look *look;
};

int pm_setsource_open(void **state, pm_setsource_look *look, const struct pm_target *target,
		      struct pm_sink *sink, const char *nothing, struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, sink->source->name);
	s->look = look;
	pm_deviceset_init(&s->set, target->root, sink);
	if (look(&s->set, pm_now_monotonic_us()) < 0) {
		pm_source_unavailable(why, nothing);
		pm_setsource_close(s);
		return -1;
	}
	*state = s;
	return 0;
}

const struct pm_deviceset *pm_setsource_set(const void *state)
{
	return &((const struct state *)state)->set;
}

void pm_setsource_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();

	(void)sink;
	if (pm_deviceset_is_due(&s->set, now_us))
		s->look(&s->set, now_us);
	pm_deviceset_read(&s->set, now_us);
}

void pm_setsource_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(pm_setsource_set(state), sink, out);
}

void pm_setsource_close(void *state)
{
	struct state *s = state;

	pm_deviceset_free(&s->set);
	free(s);
}
