/* What is known of a GPU of a host, in the job's metadata and in the database. Programs only. */
#ifndef PM_COMMON_JOB_GPU_H
#define PM_COMMON_JOB_GPU_H

#include <jansson.h>
#include <stdint.h>

/* GPUs of a host that are told of, at most. */
#define PM_GPU_MAX 64

/* Length of a text, with the NUL. */
#define PM_GPU_TEXT 96

#define PM_GPU_FIELD_TEXT(name) char name[PM_GPU_TEXT];
#define PM_GPU_FIELD_INT(name)  int64_t name;

/* Texts that are unknown are "", numbers -1. */
struct pm_gpu {
#define PM_GPU(name, type, help) PM_GPU_FIELD_##type(name)
#include "common/job/gpu.def"
#undef PM_GPU
};

/* Set all to unknown. */
void pm_gpu_init(struct pm_gpu *g);

/* Make the object of gpu.def, without what is unknown. Its texts have to be UTF-8. The caller
 * decrefs it; NULL: no memory. */
json_t *pm_gpu_json(const struct pm_gpu *g);

/* Take a GPU from such an object. What is none of its members is passed over; a member of another
 * type, a text that is too long and a negative number are unknown. */
void pm_gpu_take(struct pm_gpu *g, const json_t *object);

#endif
