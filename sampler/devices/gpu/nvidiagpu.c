/* The values of a GPU of NVIDIA's in a source. */
#include "config.h"

#include "sampler/devices/gpu/nvidiagpu.h"

#include <string.h>

void pm_nvidiagpu_begin(struct pm_nvidiagpu *g, struct pm_nvidiaid *id, struct pm_sink *sink,
			size_t begin, size_t end)
{
	memset(g, 0, sizeof *g);
	g->id = id;
	g->sink = sink;
	g->begin = begin;
	g->end = end;
	for (size_t m = begin; m < end; m++)
		g->series[m - begin] = pm_sink_series(sink, m, id->uuid);
}

void pm_nvidiagpu_look(struct pm_nvidiagpu *g)
{
	memset(g->refused, 0, sizeof g->refused);
}

void pm_nvidiagpu_read(struct pm_nvidiagpu *g, int64_t now_us)
{
	g->now_us = now_us;
	for (size_t m = g->begin; m < g->end; m++)
		if (g->refused[m - g->begin])
			pm_sink_unknown(g->sink, g->series[m - g->begin],
					pm_nvml_reason(g->refused[m - g->begin]));
}

bool pm_nvidiagpu_asks(const struct pm_nvidiagpu *g, size_t metric)
{
	return pm_nvidiaset_answers(g->id) && !g->refused[metric - g->begin];
}

struct pm_nvidiagpu_answer pm_nvidiagpu_ask(const struct pm_nvidiagpu *g,
					    pm_nvidiagpu_number *function)
{
	struct pm_nvidiagpu_answer a = { .rc = PM_NVML_FUNCTION_NOT_FOUND };
	unsigned value = 0;

	if (function)
		a.rc = function(g->id->handle, &value);
	a.value = value;
	return a;
}

struct pm_nvidiagpu_answer pm_nvidiagpu_ask_long(const struct pm_nvidiagpu *g,
						 pm_nvidiagpu_long *function)
{
	struct pm_nvidiagpu_answer a = { .rc = PM_NVML_FUNCTION_NOT_FOUND };

	if (function)
		a.rc = function(g->id->handle, &a.value);
	return a;
}

void pm_nvidiagpu_put(struct pm_nvidiagpu *g, size_t metric, struct pm_nvidiagpu_answer a,
		      uint64_t scale)
{
	/* None of these counters wraps within the life of a machine. */
	static const struct pm_counter_rule whole = { 0 };
	const bool counts = g->sink->source->metrics[metric].kind == PM_METRIC_COUNTER;
	const size_t at = metric - g->begin;
	uint64_t value = a.value;

	pm_nvidiaset_note(g->id, a.rc);
	if (a.rc == PM_NVML_NOT_SUPPORTED || a.rc == PM_NVML_FUNCTION_NOT_FOUND)
		g->refused[at] = a.rc;
	if (a.rc != PM_NVML_SUCCESS)
		pm_sink_unknown(g->sink, g->series[at], pm_nvml_reason(a.rc));
	else if (a.value == UINT64_MAX)
		pm_sink_unknown(g->sink, g->series[at], PM_REASON_unsupported);
	else if (counts && !pm_counter_next(&g->counter[at], &whole, a.value, g->now_us, &value))
		pm_sink_unknown(g->sink, g->series[at], PM_REASON_wrapped);
	else if (value > INT64_MAX / scale)
		pm_sink_unknown(g->sink, g->series[at], PM_REASON_parse);
	else
		pm_sink_value(g->sink, g->series[at], (int64_t)(value * scale));
}
