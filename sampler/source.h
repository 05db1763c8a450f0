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
 *  - Sources are opened and read in processes beside the loop, so that none delays or ends another
 *    one: nothing but the sink comes back from there. A source that may wait for something, or is
 *    dear, says so by its period: it is read when nothing else is, and has a process of its own
 *    from when it kept another one waiting.
 *  - A source that crashes is read in a process of its own from then on, opened anew.
 *  - Objects that are gone are given back (pm_sink_forget), or a long job fills the memory.
 */
#ifndef PM_SOURCE_H
#define PM_SOURCE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a value is unknown. X(name, what it means) */
#define PM_REASONS(X)                                                                              \
	X(absent, "there is no such thing on this host, or it is gone")                            \
	X(permission, "the kernel does not let this user read it")                                 \
	X(unsupported, "it is there but cannot be read here")                                      \
	X(wrapped, "the counter wrapped and by how much cannot be told")                           \
	X(multiplexed, "the counter did not run long enough to be scaled")                         \
	X(parse, "what was read is not what the kernel documents")                                 \
	X(late, "the source did not answer in time")                                               \
	X(budget, "reading it now would have cost more than is allowed")                           \
	X(failed, "the source failed, and is started again later")

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
	/* Of a gauge whose readings are thinned, since the tick before (thin.h). No source has
	   these. */
	PM_METRIC_MIN,
	PM_METRIC_MAX,
	PM_METRIC_SUM,
	PM_METRIC_COUNT, /* of the known readings */
	PM_METRIC_KINDS
};

/* The kind as it stands in the series file. */
const char *pm_metric_kind_name(enum pm_metric_kind kind);

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
	bool told;    /* by its reader: the loop knows metric and object */
	bool leaving; /* its object is gone: written as absent once more, then free */
	bool free;    /* stands for nothing; its place in the sink is the next new object's */
	/* In the loop, of a counter: */
	bool anew;       /* its reader was started again, and has not told of it yet */
	int64_t last;    /* the latest value */
	int64_t base;    /* what readers before this one counted that it does not know of */
	uint32_t id;     /* number in the series file; 0: none yet */
	uint32_t header; /* the header of the file below which it is declared; 0: none */
};

/* Where a source puts its values; one per source. */
struct pm_sink {
	const struct pm_source *source;
	struct pm_series *series;
	size_t count, capacity;
	size_t leaving, free; /* how many of the series are */
};

enum pm_source_id {
#define PM_SOURCE(id) PM_SOURCE_##id,
#include "sampler/sources.def"
#undef PM_SOURCE
	PM_SOURCES
};

/* What the sampler tells of a source (source_sampler.c). */
struct pm_own_source {
	bool used;         /* it is read here */
	uint64_t cost_ns;  /* CPU time spent in it so far */
	uint64_t late;     /* readings that were not answered in time */
	uint64_t failures; /* how often the process that reads it ended or had to be ended */
	int64_t resident;  /* peak resident memory of a process of its own, B; 0: it has none */
};

/* What the sampler tells of itself, filled by its loop. */
struct pm_own {
	bool scheduled;       /* this tick stands on the grid; not so the first and the last */
	int64_t late_us;      /* by how much it is behind its scheduled time */
	uint64_t missed;      /* grid ticks that passed without a sample */
	uint64_t lost;        /* ticks that could not be written */
	uint64_t written;     /* bytes of the series so far */
	uint64_t checkpoints; /* how often they were brought to the disk */
	int64_t user_us, system_us; /* CPU time of the processes that read the sources */
	int64_t resident;           /* peak resident memory of these, added up, B */
	struct pm_own_source source[PM_SOURCES]; /* by enum pm_source_id */
};

/* What to sample, and where to read it. */
struct pm_target {
	const char *root;         /* prefix of /proc and /sys; "" for this machine */
	pid_t pid;                /* stands for the job: the root of its processes; 0: none */
	struct pm_tree *tree;     /* the job's processes, brought up to date before each reading
				     of a source that asks for it; NULL without a root process */
	const char *cgroup;       /* directory of the job's control group, of any hierarchy, as this
				     machine has it; NULL: none, or it is found by the pid */
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
	 * 0: cheap, and waits for nothing: read at every tick. Otherwise the least time between two
	 * readings in us; they begin at whole multiples of it by the wall clock, as ticks do, and
	 * may take their time.
	 */
	int64_t period_us;
	/*
	 * With a period: how much of a CPU's time the readings may take in the long run, in
	 * millionths; 0: as much as they need. The loop keeps it: it leaves out readings, whose
	 * series are unknown then with the reason budget.
	 */
	uint32_t budget_ppm;
	/* It reads target->tree, which is scanned before each of its readings. */
	bool tree;
	/* It tells of the loop, and is read in the loop's own process. */
	bool loop;
	/*
	 * Find out whether the source is there and prepare to read it. *state is the source's own
	 * memory, passed to sample and close. Series of objects known by now are added to sink.
	 * Returns 0, or -1 with *why filled and nothing held.
	 */
	int (*open)(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why);
	/*
	 * Read once and put what there is into sink. Each series that it leaves alone is unknown
	 * with the reason absent. New objects may be added. It must not wait for anything unless
	 * it has a period.
	 */
	void (*sample)(void *state, struct pm_sink *sink);
	/*
	 * Called every second in which it is not sampled: take what would get lost otherwise. NULL:
	 * there is no such thing.
	 */
	void (*between)(void *state);
	/* Release the state of a successful open. */
	void (*close)(void *state);
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

/* Note in why that there is no process tree to follow. Returns -1. */
int pm_source_no_tree(struct pm_unavailable *why);

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

/*
 * The object of a series is gone. The series is absent in the tick that is being read, for the last
 * time; its number is then the next new object's. No series without an object.
 */
void pm_sink_forget(struct pm_sink *sink, int series);

/* All values of this reading have been passed on: free the places of series that left. */
void pm_sink_passed(struct pm_sink *sink);

/* Give a series its value of this tick, or the reason why it has none. */
void pm_sink_value(struct pm_sink *sink, int series, int64_t value);
void pm_sink_unknown(struct pm_sink *sink, int series, enum pm_reason reason);

#endif
