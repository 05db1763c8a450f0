/*
 * Energy of a meter from the samples of its series: exact differences of an energy counter, or the
 * integral of a power where there is no counter. Which series are meters, what a meter measures,
 * and which meters of a host may be added to each other. Programs only.
 */
#ifndef PM_COMMON_RECORD_ENERGYMETER_H
#define PM_COMMON_RECORD_ENERGYMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a meter measures. */
enum pm_energy_part {
	PM_ENERGY_NODE,    /* a whole node */
	PM_ENERGY_PACKAGE, /* a processor package, or all of a node */
	PM_ENERGY_DRAM,
	PM_ENERGY_GPU,
	PM_ENERGY_OTHER, /* what contains it is not known */
	PM_ENERGY_PARTS
};

/* Names of the parts, as in the database. */
extern const char *const pm_energy_part_name[PM_ENERGY_PARTS];

/* A kind of series that tells energy. */
struct pm_energy_kind {
	const char *source, *metric;
	const char *object; /* its beginning, or behind = all of it; NULL: any but "", the sum
			       over others */
	bool power;         /* a power in uW; else a counter in uJ */
	enum pm_energy_part part;
	int rank;           /* of those of one part, the least that has a figure counts */
	const char *family; /* name of the source of the meter: one device has one meter in it */
};

/* The kind of a series, from its declaration. Returns NULL where it tells no energy, or one that
 * another series contains. */
const struct pm_energy_kind *pm_energy_kind(const char *source, const char *metric,
					    const char *object, const char *unit, const char *kind);

/* Why a sample is unknown, as far as that matters here. */
enum pm_energy_reason {
	PM_ENERGY_KNOWN,
	PM_ENERGY_OTHERWISE, /* for a reason that is none of these */
#define PM_ENERGY_REASON(name) PM_ENERGY_##name,
#define PM_ENERGY_REASONS(X)                                                                       \
	X(absent)                                                                                  \
	X(permission)                                                                              \
	X(unsupported)                                                                             \
	X(wrapped)                                                                                 \
	X(parse)                                                                                   \
	X(late)                                                                                    \
	X(budget)                                                                                  \
	X(failed)
	PM_ENERGY_REASONS(PM_ENERGY_REASON)
#undef PM_ENERGY_REASON
};

/* The reason that n bytes of text name. */
enum pm_energy_reason pm_energy_reason(const char *text, size_t n);

/* The samples of a series, added up. All zero is none. */
struct pm_energy_sum {
	int64_t energy_uj;  /* of a counter */
	__int128 double_pj; /* of a power: twice its integral, in 1e-12 J */
	int64_t covered_us; /* time of the intervals that are in the energy */
	int64_t lost;       /* intervals that are not */
	int64_t samples;    /* known ones */
	int64_t peak_uw;    /* 0: none */
	/* the latest known sample, and what follows from it */
	int64_t last, last_us, step_us;
	int64_t rise, rise_us; /* the interval before it, which the next value may take back */
	int64_t window_uj, window_us; /* since the latest power of a counter */
	int64_t fall, fall_from;      /* the latest fall, and from which value; 0: taken back */
	bool held, broken;
	enum pm_energy_reason reason; /* why the latest unknown sample is unknown */
};

/*
 * Add a sample; they come in the order of time, by one clock. An interval between successive known
 * values of a counter is lost where the counter fell, where a sample in it is `wrapped`, and where
 * a rise and a fall take each other back, as where two counts are mixed. One of a power is lost
 * where a sample in it is unknown, and where it is a gap: longer than a minute and three times as
 * long as the interval before. More than 1 MW is no power of a meter: lost, too.
 */
void pm_energy_add(struct pm_energy_sum *s, bool power, int64_t time_us,
		   enum pm_energy_reason reason, int64_t value);

/* All samples are added. */
void pm_energy_end(struct pm_energy_sum *s);

/* The energy of a meter, a row of table energy. Unknown numbers are -1. */
struct pm_energy_meter {
	char *object;                      /* name of the device; owned by pm_energy_meters */
	const struct pm_energy_kind *kind; /* of the series that it is from */
	int64_t energy_uj, mean_uw, peak_uw, covered_us, lost;
	const char *reason; /* why the energy is unknown, else NULL */
	bool in_part;       /* to be added up for the part */
	bool in_total;      /* to be added up for the host */
};

/* The meters of a host. */
struct pm_energy_meters {
	struct pm_energy_meter *meter;
	size_t n, cap;
};

/* Add a series: of a counter and a power of one device the counter stays, unless only the power has
 * a figure. Returns 0, or -1 if out of memory. */
int pm_energy_meters_add(struct pm_energy_meters *m, const struct pm_energy_kind *kind,
			 const char *object, const struct pm_energy_sum *s);

/*
 * All series are added: sort the meters by part, family and name, drop sums over devices that have
 * meters of their own, and choose what is added up. Of each part, the meters of the sources with
 * the least rank that have a figure; for the host its node's meter alone, where that covers nine
 * tenths of what the others do, else packages, memory and GPUs. Two meters of a node are none.
 */
void pm_energy_meters_finish(struct pm_energy_meters *m);

void pm_energy_meters_free(struct pm_energy_meters *m);

/* The method of a meter, as in the database. */
const char *pm_energy_method(const struct pm_energy_meter *m);

#endif
