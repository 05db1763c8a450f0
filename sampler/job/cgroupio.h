/* What control groups say of each block device, added up. Programs only. */
#ifndef PM_CGROUPIO_H
#define PM_CGROUPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Devices that are looked up once; further ones at each sample. */
#define PM_CGROUPIO_DEVICES 64

/* Which devices count, as far as they were met. */
struct pm_cgroupio {
	const char *root;
	struct {
		char number[24]; /* M:N */
		bool counts;
	} device[PM_CGROUPIO_DEVICES];
	int devices;
};

/*
 * Add up the number behind key and mark in the lines "M:N ..." of a text, of devices that count
 * (diskrule.h): "rbytes" and '=' for "8:0 rbytes=4096 wbytes=0" of io.stat, "Read" and ' ' for
 * "8:0 Read 4096" of version 1. Other lines are passed over. Returns 0, or -1 where a number is
 * none, the sum is too large or the text was cut.
 */
int pm_cgroupio_sum(struct pm_cgroupio *c, const char *text, size_t n, const char *key, char mark,
		    int64_t *sum);

#endif
