/* The values of a GPU of NVIDIA's at a tick. */
#include "config.h"

#include "sampler/devices/gpu/nvidiagpu.h"

#include <string.h>

/* Types of a field's value. */
enum { TYPE_UNSIGNED = 1, TYPE_UNSIGNED_LONG, TYPE_UNSIGNED_LONG_LONG, TYPE_LONG_LONG };

/* The library's numbers of what slows a GPU down, in the order of the metrics. */
static const int policies[] = { 0, 1, 2, 3, 4, 5, 10, 11 };
#define POLICIES (sizeof policies / sizeof policies[0])
_Static_assert(PM_NVIDIA_THROTTLE_POWER + POLICIES == PM_NVIDIA_THROTTLE_REASONS, "policies");

/* An answer of the library's: a code, and a value where it is 0. */
struct answer {
	int rc;
	unsigned long long value;
};

/* --- putting values --------------------------------------------------------------------------- */

/* Whether to ask for a metric: not where the GPU is lost, or said that it does not have it. */
static bool is_asked(const struct pm_nvidiagpu *g, size_t metric)
{
	return !g->id->lost && !g->refused[metric];
}

/* Note what an answer says of the GPU, and that it need not be asked again. */
static void note_code(struct pm_nvidiagpu *g, size_t metric, int rc)
{
	pm_nvidiaset_note(g->id, rc);
	if (rc == PM_NVML_NOT_SUPPORTED || rc == PM_NVML_FUNCTION_NOT_FOUND)
		g->refused[metric] = rc;
}

/* Put an answer, whose value is multiplied by scale. */
static void put(struct pm_nvidiagpu *g, struct pm_sink *sink, size_t metric, struct answer a,
		uint64_t scale, int64_t now_us)
{
	/* None of these counters wraps within the life of a machine. */
	static const struct pm_counter_rule whole = { 0 };
	const bool counts = sink->source->metrics[metric].kind == PM_METRIC_COUNTER;
	uint64_t value = a.value;

	note_code(g, metric, a.rc);
	if (a.rc != PM_NVML_SUCCESS)
		pm_sink_unknown(sink, g->series[metric], pm_nvml_reason(a.rc));
	else if (a.value == UINT64_MAX)
		pm_sink_unknown(sink, g->series[metric], PM_REASON_unsupported);
	else if (counts && !pm_counter_next(&g->counter[metric], &whole, a.value, now_us, &value))
		pm_sink_unknown(sink, g->series[metric], PM_REASON_wrapped);
	else if (value > INT64_MAX / scale)
		pm_sink_unknown(sink, g->series[metric], PM_REASON_parse);
	else
		pm_sink_value(sink, g->series[metric], (int64_t)(value * scale));
}

/* What is not asked for is unknown for the reason that the GPU gave. */
static void put_refused(struct pm_nvidiagpu *g, struct pm_sink *sink)
{
	for (size_t m = PM_NVIDIA_GPU; m < PM_NVIDIA_GPU_END; m++)
		if (g->refused[m])
			pm_sink_unknown(sink, g->series[m], pm_nvml_reason(g->refused[m]));
}

/* --- asking ----------------------------------------------------------------------------------- */

typedef int number_function(pm_nvml_handle gpu, unsigned *value);

static struct answer ask_number(number_function *function, pm_nvml_handle gpu)
{
	unsigned value = 0;
	struct answer a = { .rc = PM_NVML_FUNCTION_NOT_FOUND };

	if (function)
		a.rc = function(gpu, &value);
	a.value = value;
	return a;
}

typedef int coder_function(pm_nvml_handle gpu, unsigned *percent, unsigned *period_us);

static struct answer ask_coder(coder_function *function, pm_nvml_handle gpu)
{
	unsigned value = 0, period_us;
	struct answer a = { .rc = PM_NVML_FUNCTION_NOT_FOUND };

	if (function)
		a.rc = function(gpu, &value, &period_us);
	a.value = value;
	return a;
}

static void sample_utilization(struct pm_nvidiagpu *g, const struct pm_nvml *nvml,
			       struct pm_sink *sink, int64_t now_us)
{
	struct pm_nvml_utilization share = { 0 };
	int rc;

	if (is_asked(g, PM_NVIDIA_UTILIZATION)) {
		rc = PM_NVML_CALL(nvml, utilization, g->id->handle, &share);
		put(g, sink, PM_NVIDIA_UTILIZATION, (struct answer){ rc, share.gpu }, 100, now_us);
		put(g, sink, PM_NVIDIA_MEMORY_UTILIZATION, (struct answer){ rc, share.memory }, 100,
		    now_us);
	}
	if (is_asked(g, PM_NVIDIA_ENCODER))
		put(g, sink, PM_NVIDIA_ENCODER, ask_coder(nvml->encoder, g->id->handle), 100,
		    now_us);
	if (is_asked(g, PM_NVIDIA_DECODER))
		put(g, sink, PM_NVIDIA_DECODER, ask_coder(nvml->decoder, g->id->handle), 100,
		    now_us);
}

static void sample_memory(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			  int64_t now_us)
{
	struct pm_nvml_memory2 memory;
	struct pm_nvml_memory bar1 = { 0 };
	bool reserved_known;
	int rc;

	if (is_asked(g, PM_NVIDIA_MEMORY_TOTAL)) {
		rc = pm_nvml_memory(nvml, g->id->handle, &memory, &reserved_known);
		put(g, sink, PM_NVIDIA_MEMORY_TOTAL, (struct answer){ rc, memory.total }, 1,
		    now_us);
		put(g, sink, PM_NVIDIA_MEMORY_USED, (struct answer){ rc, memory.used }, 1, now_us);
		put(g, sink, PM_NVIDIA_MEMORY_FREE, (struct answer){ rc, memory.free }, 1, now_us);
		if (rc == PM_NVML_SUCCESS && !reserved_known)
			rc = PM_NVML_NOT_SUPPORTED;
		put(g, sink, PM_NVIDIA_MEMORY_RESERVED, (struct answer){ rc, memory.reserved }, 1,
		    now_us);
	}
	if (is_asked(g, PM_NVIDIA_BAR1_TOTAL)) {
		rc = PM_NVML_CALL(nvml, bar1, g->id->handle, &bar1);
		put(g, sink, PM_NVIDIA_BAR1_TOTAL, (struct answer){ rc, bar1.total }, 1, now_us);
		put(g, sink, PM_NVIDIA_BAR1_USED, (struct answer){ rc, bar1.used }, 1, now_us);
	}
}

static struct answer ask_temperature(const struct pm_nvml *nvml, pm_nvml_handle gpu)
{
	struct pm_nvml_temperature by_version = { .version = PM_NVML_TEMPERATURE };
	unsigned degrees = 0;
	struct answer a = { .rc = PM_NVML_CALL(nvml, temperature, gpu, 0, &degrees) };

	a.value = degrees;
	if (a.rc == PM_NVML_FUNCTION_NOT_FOUND || a.rc == PM_NVML_NOT_SUPPORTED) {
		a.rc = PM_NVML_CALL(nvml, temperature2, gpu, &by_version);
		a.value = by_version.degrees < 0 ? UINT64_MAX
						 : (unsigned long long)by_version.degrees;
	}
	return a;
}

/* Power, energy, temperature, fan: the library has mW, mJ, degrees, per cent. */
static void sample_power(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			 int64_t now_us)
{
	struct answer a = { 0 };

	if (is_asked(g, PM_NVIDIA_POWER))
		put(g, sink, PM_NVIDIA_POWER, ask_number(nvml->power, g->id->handle), 1000, now_us);
	if (is_asked(g, PM_NVIDIA_POWER_LIMIT))
		put(g, sink, PM_NVIDIA_POWER_LIMIT, ask_number(nvml->limit, g->id->handle), 1000,
		    now_us);
	if (is_asked(g, PM_NVIDIA_ENERGY)) {
		a.rc = PM_NVML_CALL(nvml, energy, g->id->handle, &a.value);
		put(g, sink, PM_NVIDIA_ENERGY, a, 1000, now_us);
	}
	if (is_asked(g, PM_NVIDIA_TEMPERATURE))
		put(g, sink, PM_NVIDIA_TEMPERATURE, ask_temperature(nvml, g->id->handle), 1000,
		    now_us);
	if (is_asked(g, PM_NVIDIA_FAN))
		put(g, sink, PM_NVIDIA_FAN, ask_number(nvml->fan, g->id->handle), 100, now_us);
}

/* Clocks in MHz, and errors of memory since the driver was loaded. */
static void sample_clocks(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			  int64_t now_us)
{
	for (int i = 0; i < 4; i++) {
		const size_t metric = PM_NVIDIA_CLOCK_GRAPHICS + (size_t)i;
		unsigned mhz = 0;
		struct answer a;

		if (!is_asked(g, metric))
			continue;
		a.rc = PM_NVML_CALL(nvml, clock, g->id->handle, i, &mhz);
		a.value = mhz;
		put(g, sink, metric, a, 1000000, now_us);
	}
	for (int i = 0; i < 2; i++) {
		const size_t metric = PM_NVIDIA_ECC_CORRECTED + (size_t)i;
		struct answer a = { 0 };

		if (!is_asked(g, metric))
			continue;
		a.rc = PM_NVML_CALL(nvml, ecc, g->id->handle, i, 0, &a.value);
		put(g, sink, metric, a, 1, now_us);
	}
}

/* The value of a field, which has one of several types. */
static struct answer field_answer(const struct pm_nvml_field *f)
{
	struct answer a = { .rc = f->rc };

	if (f->type == TYPE_UNSIGNED)
		a.value = f->value.ui;
	else if (f->type == TYPE_UNSIGNED_LONG)
		a.value = f->value.ul;
	else if (f->type == TYPE_UNSIGNED_LONG_LONG)
		a.value = f->value.ull;
	else if (f->type == TYPE_LONG_LONG && f->value.sll >= 0)
		a.value = (unsigned long long)f->value.sll;
	else if (a.rc == PM_NVML_SUCCESS)
		a.rc = PM_NVML_NOT_SUPPORTED;
	return a;
}

static struct answer ask_violation(const struct pm_nvml *nvml, pm_nvml_handle gpu, int policy)
{
	struct pm_nvml_violation time = { 0 };
	struct answer a;

	a.rc = PM_NVML_CALL(nvml, violation, gpu, policy, &time);
	a.value = time.violation_ns;
	return a;
}

/* Times in which the GPU was slowed down, in one call where the driver has them as fields; else by
 * a function for each. */
static void sample_throttling(struct pm_nvidiagpu *g, const struct pm_nvml *nvml,
			      struct pm_sink *sink, int64_t now_us)
{
	struct pm_nvml_field field[POLICIES] = { 0 };
	size_t metric[POLICIES], n = 0;
	int rc;

	for (size_t m = PM_NVIDIA_THROTTLE_POWER; m < PM_NVIDIA_THROTTLE_REASONS; m++) {
		if (!is_asked(g, m))
			continue;
		field[n].id = PM_NVML_FIELD_THROTTLE + (unsigned)(m - PM_NVIDIA_THROTTLE_POWER);
		metric[n++] = m;
	}
	if (n == 0)
		return;
	rc = PM_NVML_CALL(nvml, fields, g->id->handle, (int)n, field);
	for (size_t i = 0; i < n; i++) {
		struct answer a = field_answer(&field[i]);

		if (rc != PM_NVML_SUCCESS)
			a.rc = rc;
		if (a.rc != PM_NVML_SUCCESS && !g->id->lost)
			a = ask_violation(nvml, g->id->handle,
					  policies[metric[i] - PM_NVIDIA_THROTTLE_POWER]);
		put(g, sink, metric[i], a, 1, now_us);
	}
}

static void sample_reasons(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			   int64_t now_us)
{
	struct answer a = { 0 };

	if (!is_asked(g, PM_NVIDIA_THROTTLE_REASONS))
		return;
	a.rc = PM_NVML_CALL(nvml, reasons, g->id->handle, &a.value);
	if (a.rc == PM_NVML_FUNCTION_NOT_FOUND)
		a.rc = PM_NVML_CALL(nvml, reasons1, g->id->handle, &a.value);
	put(g, sink, PM_NVIDIA_THROTTLE_REASONS, a, 1, now_us);
}

static void sample_processes(struct pm_nvidiagpu *g, const struct pm_nvml *nvml,
			     struct pm_sink *sink, int64_t now_us)
{
	struct answer a = { 0 };
	size_t n = 0;

	if (!is_asked(g, PM_NVIDIA_PROCESSES))
		return;
	a.rc = pm_nvidiaprocesses_sample(&g->processes, nvml, g->id->handle, g->id->uuid, sink, &n);
	a.value = n;
	put(g, sink, PM_NVIDIA_PROCESSES, a, 1, now_us);
}

void pm_nvidiagpu_begin(struct pm_nvidiagpu *g, struct pm_nvidiaid *id, struct pm_sink *sink)
{
	memset(g, 0, sizeof *g);
	g->id = id;
	for (size_t m = PM_NVIDIA_GPU; m < PM_NVIDIA_GPU_END; m++)
		g->series[m] = pm_sink_series(sink, m, id->uuid);
}

void pm_nvidiagpu_look(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink)
{
	memset(g->refused, 0, sizeof g->refused);
	if (pm_nvidiaset_answers(g->id))
		pm_nvidiaslices_look(&g->slices, nvml, g->id->handle, sink);
}

void pm_nvidiagpu_sample(struct pm_nvidiagpu *g, const struct pm_nvml *nvml, struct pm_sink *sink,
			 int64_t now_us)
{
	/* What is not put below is absent. */
	if (pm_nvidiaset_answers(g->id)) {
		put_refused(g, sink);
		sample_utilization(g, nvml, sink, now_us);
		sample_memory(g, nvml, sink, now_us);
		sample_power(g, nvml, sink, now_us);
		sample_clocks(g, nvml, sink, now_us);
		sample_throttling(g, nvml, sink, now_us);
		sample_reasons(g, nvml, sink, now_us);
		sample_processes(g, nvml, sink, now_us);
	}
	if (pm_nvidiaset_answers(g->id)) {
		pm_nvidiaslices_sample(&g->slices, nvml, sink);
	} else {
		/* Nothing runs on a GPU that is lost or asleep. */
		pm_nvidiaprocesses_end(&g->processes, sink);
		pm_nvidiaslices_end(&g->slices, sink);
	}
}

void pm_nvidiagpu_end(struct pm_nvidiagpu *g)
{
	pm_nvidiaprocesses_end(&g->processes, NULL);
	pm_nvidiaslices_end(&g->slices, NULL);
}
