/*
 * The devices of a source whose values are numbers in files of /sys: found as the source is opened,
 * looked for again each minute, and 10 s after the last look where one was lost. Each is known by a
 * name of its own, and stays in the set when it is gone: its values are absent until it is found
 * again.
 *
 * A look is: pm_deviceset_begin(); for each device that is there pm_deviceset_get(), and for each
 * of its files pm_deviceset_file(); pm_deviceset_end().
 */
#ifndef PM_SAMPLER_DEVICES_DEVICESET_H
#define PM_SAMPLER_DEVICES_DEVICESET_H

#include "sampler/kernel/counter.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

/* Devices of a set, at most; further ones are left out, and described as that. */
#define PM_DEVICESET_MAX 2048

/* A value: a file with a number, and the series of a metric and the device. */
struct pm_devicevalue {
	size_t metric;
	int series;
	bool seen; /* by the latest look */
	struct pm_devicefile file;
	const char *unit; /* that may follow the number; "" at first */
	int64_t scale;    /* factor from the file's unit to the metric's; 1 at first */
	/* Of a counter; zeroes at first. The count is as in the file, before scaling. */
	struct pm_counter_rule rule;
	struct pm_counter counter;
};

struct pm_device {
	char *name;  /* the object of its series; owned */
	char *about; /* who it is, for people; owned; NULL: nothing */
	bool seen;   /* by the latest look */
	struct pm_devicevalue *value;
	size_t count, capacity;
};

struct pm_deviceset {
	const char *root; /* prefix of /sys */
	struct pm_sink *sink;
	struct pm_device *device; /* never fewer: the place of a device stays the same */
	size_t count, capacity;
	size_t left_out;   /* devices beyond PM_DEVICESET_MAX */
	int64_t looked_us; /* time of the latest look, on the monotonic clock */
	bool lost;         /* a device was lost since */
};

/* Start without devices. root and sink stay the caller's. */
void pm_deviceset_init(struct pm_deviceset *s, const char *root, struct pm_sink *sink);

/* Whether it is time to look. now_us: monotonic clock. */
bool pm_deviceset_is_due(const struct pm_deviceset *s, int64_t now_us);

/* Begin a look. */
void pm_deviceset_begin(struct pm_deviceset *s, int64_t now_us);

/* Note the device of this name as there. Returns it, valid until the next call, or NULL where
 * memory is short or there are too many. */
struct pm_device *pm_deviceset_get(struct pm_deviceset *s, const char *name);

/* Say who a device is; the text is copied. Without a text nothing is changed. */
void pm_deviceset_about(struct pm_device *d, const char *about);

/*
 * Note that a value of a device is in root/relative, and open the file where it is not open. The
 * caller sets unit, scale and rule of what is returned, valid until the next call; NULL: memory is
 * short.
 */
struct pm_devicevalue *pm_deviceset_file(struct pm_deviceset *s, struct pm_device *d, size_t metric,
					 const char *relative);

/* End a look: files that were not named are closed. Returns the number of devices that are there.
 */
size_t pm_deviceset_end(struct pm_deviceset *s);

/*
 * Put a number into the series of a value, as if the file had it: counted, where it is of a
 * counter, and scaled. now_us: monotonic clock.
 */
void pm_deviceset_put(const struct pm_deviceset *s, struct pm_devicevalue *v, int64_t number,
		      int64_t now_us);

/* Note errno of a reading: the value is unknown for that reason. */
void pm_deviceset_fail(const struct pm_deviceset *s, const struct pm_devicevalue *v, int error);

/* Read every file and put its value. now_us: monotonic clock, when the reading began. */
void pm_deviceset_read(struct pm_deviceset *s, int64_t now_us);

/* Write to out, for the source's describe: of each device its name, who it is, or that it is gone,
 * and the metrics without a value by reason. */
void pm_deviceset_describe(const struct pm_deviceset *s, const struct pm_sink *sink, FILE *out);

/* Close all files and release what is held. */
void pm_deviceset_free(struct pm_deviceset *s);

#endif
