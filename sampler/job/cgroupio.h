/* Sums of a control group's figures per block device. */
#ifndef PM_SAMPLER_JOB_CGROUPIO_H
#define PM_SAMPLER_JOB_CGROUPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Devices whose lookup is cached; further devices are looked up at each sample. */
#define PM_CGROUPIO_DEVICES 64

/* Cache of the devices met so far. */
struct pm_cgroupio {
	const char *root;
	struct {
		char number[24]; /* M:N */
		bool counts;
	} device[PM_CGROUPIO_DEVICES];
	int devices;
};

/*
 * Add up the numbers that follow key and mark in the lines "M:N ..." of a text, for devices that
 * count (diskrule.h): "rbytes" and '=' for "8:0 rbytes=4096 wbytes=0" of io.stat, "Read" and ' '
 * for "8:0 Read 4096" of version 1. Other lines are skipped. Returns 0, or -1 where a number is
 * malformed, the sum is too large or the text was cut.
 */
int pm_cgroupio_sum(struct pm_cgroupio *c, const char *text, size_t n, const char *key, char mark,
		    int64_t *sum);

#endif
