/*
 * A source of the sampler: one file that reads one kind of thing at every tick. Programs only.
 *
 * To add a source: copy template.c to source_NAME.c, add a row to sources.def and the file to
 * Makefile.inc. Rules that every source keeps:
 *  - Where the thing is not there, open says why and the source costs nothing from then on.
 *  - A value that cannot be had is unknown with a reason, never 0, and never ends the sampler.
 *  - Raw counters, as the kernel counts them: rates are computed when the series are read.
 *  - Everything is read below target->root (procfile.h), so that tests use recorded trees.
 *  - All state is in what open returns: several samplers may live in one process.
 */
#ifndef PM_SOURCE_H
#define PM_SOURCE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a value is unknown. X(name, what it means) */
#define PM_REASONS(X)                                                                              \
	X(absent, "there is no such thing on this host, or it is gone")                            \
	X(permission, "the kernel does not let this user read it")                                 \
	X(unsupported, "it is there but cannot be read here")                                      \
	X(wrapped, "the counter wrapped and by how much cannot be told")                           \
	X(multiplexed, "the counter did not run long enough to be scaled")                         \
	X(parse, "what was read is not what the kernel documents")                                 \
	X(late, "the source did not answer in time")

enum pm_reason {
#define PM_REASON(name, text) PM_REASON_##name,
	PM_REASONS(PM_REASON)
#undef PM_REASON
		PM_REASON_COUNT
};

/* A reason's name as it stands in the series file. */
const char *pm_reason_name(enum pm_reason reason);

/* The reason that an errno of open(2) or read(2) amounts to. */
enum pm_reason pm_reason_errno(int error);

enum pm_metric_kind {
	PM_METRIC_GAUGE,   /* a level: may rise and fall */
	PM_METRIC_COUNTER, /* never falls while the thing it counts lives */
};

/* What a source measures. */
struct pm_metric {
	const char *name;
	const char *unit;   /* of the value as stored: us, B, n, ... */
	const char *help;   /* one line for people */
	const char *object; /* what each object of it is, e.g. "cpu"; NULL: it has none */
	bool whole;         /* with objects: has a series for all of them together too */
	enum pm_metric_kind kind;
};

/* A metric of an object, or of none: what the series file knows by a number. */
struct pm_series {
	size_t metric; /* index into the metrics of the source */
	char *object;  /* owned; "" for none */
	int64_t value;
	enum pm_reason reason; /* while !known */
	bool known;
	bool declared; /* the series file has its declaration */
	uint32_t id;   /* number in the series file; 0: none yet */
};

/* Where a source puts its values; one per source. */
struct pm_sink {
	const struct pm_source *source;
	struct pm_series *series;
	size_t count, capacity;
};

/* What the sampler tells of itself, filled by its loop (source_sampler.c). */
struct pm_own {
	bool scheduled;          /* this tick stands on the grid; not so the first and the last */
	int64_t late_us;         /* by how much it is behind its scheduled time */
	uint64_t missed;         /* grid ticks that passed without a sample */
	uint64_t lost;           /* ticks that could not be written */
	const uint64_t *cost_ns; /* CPU time per source so far, indexed by enum pm_source_id */
};

/* What to sample, and where to read it. */
struct pm_target {
	const char *root;           /* prefix of /proc and /sys; "" for this machine */
	const struct pm_tree *tree; /* the job's processes, brought up to date before each tick;
				       NULL without a root process */
	const struct pm_own *own;
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
	 * Find out whether the source is there and prepare to read it. *state is the source's own
	 * memory, passed to sample and close. Series of objects known by now are added to sink.
	 * Returns 0, or -1 with *why filled and nothing held.
	 */
	int (*open)(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why);
	/*
	 * Read once and put what there is into sink. Each series that it leaves alone is unknown
	 * with the reason absent. New objects may be added. It must not wait for anything.
	 */
	void (*sample)(void *state, struct pm_sink *sink);
	/* Release the state of a successful open. */
	void (*close)(void *state);
};

enum pm_source_id {
#define PM_SOURCE(id) PM_SOURCE_##id,
#include "sampler/sources.def"
#undef PM_SOURCE
	PM_SOURCES
};

#define PM_SOURCE(id) extern const struct pm_source pm_source_##id;
#include "sampler/sources.def"
#undef PM_SOURCE

/* Every source, indexed by enum pm_source_id. */
extern const struct pm_source *const pm_source_table[PM_SOURCES];

/*
 * Read a list of source names separated by commas; NULL or "all" for every source.
 * Returns 0 with selected filled, or -1 with e naming the unknown one and those there are.
 */
int pm_source_select(const char *list, bool selected[PM_SOURCES], struct pm_err *e);

/* Note in why that path could not be used, by errno. Returns -1. */
int pm_source_unavailable(struct pm_unavailable *why, const char *path);

/* --- the sink (sink.c) --- */

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
 * Returns its number for the two functions below, which ignore the -1 of short memory.
 */
int pm_sink_series(struct pm_sink *sink, size_t metric, const char *object);

/* Give a series its value of this tick, or the reason why it has none. */
void pm_sink_value(struct pm_sink *sink, int series, int64_t value);
void pm_sink_unknown(struct pm_sink *sink, int series, enum pm_reason reason);

#endif
