/*
 * A source of the sampler: one file that reads one subject at every tick.
 *
 * To add a source: copy template.c to source_NAME.c, add a row to sources.def and the file to
 * Makefile.inc. Rules that every source keeps:
 *  - Where its subject is missing, open says why and the source costs nothing from then on.
 *  - A value that cannot be read is unknown with a reason, never 0, and never ends the sampler.
 *  - Raw counters, as the kernel counts them: rates are computed when the series are read.
 *  - Everything is read below target->root (procfile.h), so that tests use recorded trees.
 *  - All state is in the object that open returns: several samplers may live in one process.
 *  - Sources are opened and read in reader processes, so that no source delays or ends another;
 *    only the sink's values come back to the loop. A source that may block, or is expensive, has a
 *    period: such sources are read one at a time. A source that keeps others waiting gets a process
 *    of its own from then on.
 *  - A source that crashes is opened anew and read in a process of its own from then on.
 *  - Objects that are gone are given back (pm_sink_forget), or a long job fills the memory.
 * And those of devices:
 *  - A device is named by its own name or address, never by its number: numbers change.
 *  - A counter that wraps, stops at its end or can be reset goes through kernel/counter.h, which
 *    reads the modulus of each object as the device tells it.
 *  - A device that is lost is looked for each minute in a source that could be opened. One that
 * could not is not tried again, and so costs nothing: what is not there when a job begins seldom
 * comes.
 *  - Power is in uW, energy in uJ, temperature in mdegC (thousandths of a degree Celsius), shares
 *    of time in 0.01%.
 */
#ifndef PM_SAMPLER_SOURCE_H
#define PM_SAMPLER_SOURCE_H

#include "common/err.h"
#include "sampler/kernel/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum pm_metric_kind {
	PM_METRIC_GAUGE,   /* a level: may rise and fall */
	PM_METRIC_COUNTER, /* never falls while the counted object lives */
	/* Of a down-sampled gauge, since the previous tick (downsample.h). Not for sources. */
	PM_METRIC_MIN,
	PM_METRIC_MAX,
	PM_METRIC_SUM,
	PM_METRIC_COUNT, /* number of known readings */
	PM_METRIC_KINDS
};

/* The kind as it stands in the series file. */
const char *pm_metric_kind_name(enum pm_metric_kind kind);

/* A metric of a source. */
struct pm_metric {
	const char *name;
	const char *unit;   /* of the value as stored: us, B, n, ... */
	const char *help;   /* one line for people */
	const char *object; /* kind of its objects, e.g. "cpu"; NULL: it has none */
	bool whole;         /* with objects: has a series for all objects together, too */
	enum pm_metric_kind kind;
};

/* A series: the values of a metric, and of an object if the metric has objects. */
struct pm_series {
	size_t metric; /* index into the metrics of the source */
	char *object;  /* owned; "" for none */
	int64_t value;
	enum pm_reason reason; /* while !known */
	bool known;
	bool told;    /* in the reader: the loop has been told metric and object */
	bool leaving; /* its object is gone: written as absent once more, then free */
	bool free;    /* unused; the next new object gets its place in the sink */
	/* In the loop, of a counter: */
	bool anew;       /* its reader was restarted and has not sent a value yet */
	int64_t last;    /* the latest value */
	int64_t base;    /* the count of former readers, to be added to the reader's values */
	uint32_t id;     /* number in the series file; 0: none yet */
	uint32_t header; /* number of the header after which it is declared; 0: none */
};

/* The series of one source, with the values of the latest reading. */
struct pm_sink {
	const struct pm_source *source;
	struct pm_series *series;
	size_t count, capacity;
	uint32_t leaving, free; /* numbers of such series */
	uint32_t changes;       /* how often series came or went: not reset */
	uint64_t written;       /* bytes of values and declarations in the series file so far */
};

enum pm_source_id {
#define PM_SOURCE(id) PM_SOURCE_##id,
#include "sampler/sources.def"
#undef PM_SOURCE
	PM_SOURCES
};

/* The sampler's statistics of a source (source_sampler.c). */
struct pm_own_source {
	bool used;         /* this sampler reads the source */
	uint64_t cost_ns;  /* CPU time spent in it so far */
	uint64_t late;     /* readings that were not answered in time */
	uint64_t failures; /* how often its reader process ended or had to be killed */
	int64_t resident;  /* peak resident memory of its own process, B; 0: it has none */
};

/* The sampler's statistics of itself, filled by its loop. */
struct pm_own {
	bool scheduled;             /* this tick is on the grid, unlike the first and the last */
	int64_t late_us;            /* time of the tick after its scheduled time */
	uint64_t missed;            /* grid ticks that passed without a sample */
	uint64_t lost;              /* ticks that could not be written */
	uint64_t written;           /* bytes of the series so far */
	uint64_t checkpoints;       /* how often the series were synced to disk */
	int64_t user_us, system_us; /* CPU time of the reader processes */
	int64_t resident;           /* peak resident memory of the reader processes, added up, B */
	struct pm_own_source source[PM_SOURCES]; /* by enum pm_source_id */
};

/* The job to sample, and the places to read. */
struct pm_target {
	const char *root;         /* prefix of /proc and /sys; "" for this machine */
	pid_t pid;                /* root of the job's processes; 0: none */
	struct pm_tree *tree;     /* the job's processes, scanned before each reading of a source
				     that needs them; NULL without a root process */
	const char *cgroup;       /* directory of the job's control group in any hierarchy of this
				     machine; NULL: none, or to be found by the pid */
	bool no_cpu_series;       /* CPUs have series together, and none of their own */
	const struct pm_own *own; /* only where the source's `loop` is true */
};

/* Why a source is not available. */
struct pm_unavailable {
	enum pm_reason reason;
	struct pm_err err;
};

struct pm_source {
	const char *name;
	const char *help;
	const struct pm_metric *metrics;
	size_t metrics_count;
	/*
	 * 0: the source is cheap, never blocks, and is read at every tick. Otherwise the least time
	 * between two readings in us; with a longer interval between ticks, that. They begin at
	 * whole multiples of the period by the wall clock, as ticks do, and may take long.
	 */
	int64_t period_us;
	/*
	 * With a period: the source may wait long, and is read in a process of its own from the
	 * start, with this period by the settings, us; 0: it is not configured, and is treated as
	 * others are. NULL: like 0.
	 */
	int64_t (*apart_us)(void);
	/*
	 * With a period: the most time between two readings, however long the interval is, for
	 * counters that would go around unseen; 0: any.
	 */
	int64_t longest_us;
	/*
	 * With a period: the share of a CPU's time that the readings may take in the long run, in
	 * millionths; 0: any. The loop enforces the budget by leaving out readings, whose series
	 * are unknown then with the reason budget.
	 */
	uint32_t budget_ppm;
	/* The source reads target->tree, which is scanned before each of its readings. */
	bool tree;
	/* The source reports on the loop, and is read in the loop's own process. */
	bool loop;
	/*
	 * Called in a process of root's that is going to sample as other users: hold the files that
	 * only root may open (pm_devicefile_hold()). NULL: there are none.
	 */
	void (*hold)(const char *root);
	/*
	 * Find out whether the source is available and prepare to read it. *state is the source's
	 * own memory, passed to sample and close. Add series of objects known by now to sink.
	 * Returns 0, or -1 with *why filled and nothing held.
	 */
	int (*open)(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why);
	/*
	 * Read once and put the values into sink. A series without a new value is unknown with the
	 * reason absent. New objects may be added. Must not block unless the source has a period.
	 */
	void (*sample)(void *state, struct pm_sink *sink);
	/*
	 * Called every second in which the source is not sampled, to take data that would get lost
	 * otherwise. NULL: not needed.
	 */
	void (*between)(void *state);
	/*
	 * Write to out, for `perfmon sources`, after a sample: a line for each device, with who it
	 * is, or why it has no values and what to do. NULL: the source has no devices.
	 */
	void (*describe)(void *state, const struct pm_sink *sink, FILE *out);
	/* Release the state of a successful open. */
	void (*close)(void *state);
};

#define PM_SOURCE(id) extern const struct pm_source pm_source_##id;
#include "sampler/sources.def"
#undef PM_SOURCE

/* Every source, indexed by enum pm_source_id. */
extern const struct pm_source *const pm_source_table[PM_SOURCES];

/*
 * Read a comma-separated list of source names; NULL or "all" for every source.
 * Returns 0 with selected filled, or -1 with e naming the unknown source and all that exist.
 */
int pm_source_select(const char *list, bool selected[PM_SOURCES], struct pm_err *e);

/* Note in why that a path could not be used, by errno. Returns -1. */
int pm_source_unavailable(struct pm_unavailable *why, const char *path);

/* Note in why that there is no process tree to follow. Returns -1. */
int pm_source_no_tree(struct pm_unavailable *why);

/* --- the sink (sink.c) ------------------------------------------------------------------------ */

/*
 * Start an empty sink with one series, of the same number, per metric that has no objects or a
 * series for the whole. Returns 0, or -1 when memory is short.
 */
int pm_sink_init(struct pm_sink *sink, const struct pm_source *source);

/* Release what the sink holds. */
void pm_sink_free(struct pm_sink *sink);

/* Forget the values: every series is unknown with this reason. */
void pm_sink_clear(struct pm_sink *sink, enum pm_reason reason);

/*
 * Add the series of a metric and an object, whose text is copied.
 * Returns its number, or -1 when memory is short, which the functions below ignore.
 */
int pm_sink_series(struct pm_sink *sink, size_t metric, const char *object);

/*
 * The object of a series is gone. The series is written once more, as absent; then its number is
 * free for the next new object. Not for series without an object.
 */
void pm_sink_forget(struct pm_sink *sink, int series);

/* All values of this reading have been passed on: free the places of leaving series. */
void pm_sink_passed(struct pm_sink *sink);

/*
 * Write the metrics of an object that have no value in this reading to out, by reason: a line
 * "  REASON: METRIC ..." for each reason. Nothing is written where all are known.
 */
void pm_sink_describe(const struct pm_sink *sink, const char *object, FILE *out);

/* Give a series its value of this tick, or the reason why it has none. */
void pm_sink_value(struct pm_sink *sink, int series, int64_t value);
void pm_sink_unknown(struct pm_sink *sink, int series, enum pm_reason reason);

#endif
