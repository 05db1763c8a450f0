/* The values of a GPU of NVIDIA's in a source: asked for, put, or unknown and why. */
#ifndef PM_SAMPLER_DEVICES_GPU_NVIDIAGPU_H
#define PM_SAMPLER_DEVICES_GPU_NVIDIAGPU_H

#include "sampler/devices/gpu/nvidiaset.h"
#include "sampler/kernel/counter.h"
#include "sampler/source.h"

/* Metrics of a GPU in a source, at most. */
#define PM_NVIDIAGPU_METRICS 32

/* An answer of the library's: a code of nvml.h, and a value where it is 0. */
struct pm_nvidiagpu_answer {
	int rc;
	unsigned long long value;
};

struct pm_nvidiagpu {
	struct pm_nvidiaid *id; /* the set's */
	struct pm_sink *sink;
	size_t begin, end; /* its metrics in the source's table: from begin to before end */
	int64_t now_us;    /* of this reading, on the monotonic clock */
	/* By metric, from `begin` on. */
	int series[PM_NVIDIAGPU_METRICS];
	struct pm_counter counter[PM_NVIDIAGPU_METRICS];
	int refused[PM_NVIDIAGPU_METRICS]; /* code of what is not supported, and not asked for
					      before the next look; 0: asked for */
};

/* Functions of the library that answer a number of 32 bits, and of 64. */
typedef int pm_nvidiagpu_number(pm_nvml_handle gpu, unsigned *value);
typedef int pm_nvidiagpu_long(pm_nvml_handle gpu, unsigned long long *value);

/* Add the series of a GPU, one for each metric from begin to before end, PM_NVIDIAGPU_METRICS at
 * most. */
void pm_nvidiagpu_begin(struct pm_nvidiagpu *g, struct pm_nvidiaid *id, struct pm_sink *sink,
			size_t begin, size_t end);

/* After a look of the set: ask again for what was not supported. */
void pm_nvidiagpu_look(struct pm_nvidiagpu *g);

/* Begin a reading: what the GPU does not support is unknown with the reason that it gave. now_us:
 * monotonic clock. */
void pm_nvidiagpu_read(struct pm_nvidiagpu *g, int64_t now_us);

/* Whether to ask for a metric: not where the GPU does not answer, or has said that it does not have
 * it. */
bool pm_nvidiagpu_asks(const struct pm_nvidiagpu *g, size_t metric);

/* Ask by a function that the library may lack. */
struct pm_nvidiagpu_answer pm_nvidiagpu_ask(const struct pm_nvidiagpu *g,
					    pm_nvidiagpu_number *function);
struct pm_nvidiagpu_answer pm_nvidiagpu_ask_long(const struct pm_nvidiagpu *g,
						 pm_nvidiagpu_long *function);

/*
 * Put an answer, whose value is multiplied by scale. A counter never falls; where the driver began
 * it anew, it is unknown once, as wrapped. A code that says so makes the GPU lost.
 */
void pm_nvidiagpu_put(struct pm_nvidiagpu *g, size_t metric, struct pm_nvidiagpu_answer a,
		      uint64_t scale);

#endif
