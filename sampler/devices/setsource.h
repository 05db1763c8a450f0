/* A source whose state is a set of devices, and nothing else: these are its functions. */
#ifndef PM_SAMPLER_DEVICES_SETSOURCE_H
#define PM_SAMPLER_DEVICES_SETSOURCE_H

#include "sampler/devices/deviceset.h"

/* Looks for all devices (deviceset.h). Returns how many there are, or -1 with errno set where there
 * are none. now_us: monotonic clock. */
typedef ssize_t pm_setsource_look(struct pm_deviceset *set, int64_t now_us);

/* Find the devices. nothing: what there is not, for people. Returns 0 with *state to be closed, or
 * -1 with *why filled and nothing held. */
int pm_setsource_open(void **state, pm_setsource_look *look, const struct pm_target *target,
		      struct pm_sink *sink, const char *nothing, struct pm_unavailable *why);

/* The set of an open source. */
const struct pm_deviceset *pm_setsource_set(const void *state);

/* Functions of struct pm_source: look again where it is time, and read all values; say who the
 * devices are; close. */
void pm_setsource_sample(void *state, struct pm_sink *sink);
void pm_setsource_describe(void *state, const struct pm_sink *sink, FILE *out);
void pm_setsource_close(void *state);

#endif
