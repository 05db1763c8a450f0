/*
 * Events that the kernel counts, by name, and the variable PERFMON_EVENTS that hands them ready to
 * open from perfmon to the collector. Allocates nothing; what does not say otherwise is safe in the
 * preload.
 */
#ifndef PM_EVENTS_H
#define PM_EVENTS_H

#include "common/buf.h"
#include "common/tsv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most events of a job. */
#define PM_EVENTS_MAX 32

/* Longest reason in an entry, in bytes. */
#define PM_EVENT_REASON_MAX 31

/* Longest name that PAPI has for an event in an entry, with that of its component. */
#define PM_EVENT_PAPI_MAX 511

/* Longest entry of PERFMON_EVENTS around its name, in bytes: six numbers and their colons, or what
 * PAPI is to be told. */
#define PM_EVENT_ENTRY_MAX (8 + 16 + 16 + 16 + 8 + 2 + 6 + PM_EVENT_PAPI_MAX)

/* What is not counted. */
enum pm_event_exclude {
	PM_EXCLUDE_USER = 1,
	PM_EXCLUDE_KERNEL = 2,
	PM_EXCLUDE_HV = 4,
	PM_EXCLUDE_IDLE = 8,
	PM_EXCLUDE_HOST = 16,
	PM_EXCLUDE_GUEST = 32,
};
#define PM_EXCLUDE_ALL 63

/* Who reads an event, and whose doing it counts where PAPI does. */
enum pm_event_scope {
	PM_EVENT_PERF,    /* perf_event_open(2), per thread: no PAPI */
	PM_EVENT_THREAD,  /* PAPI, in each thread its own */
	PM_EVENT_PROCESS, /* PAPI, one for the process */
	PM_EVENT_NODE,    /* PAPI, one for everything on the node: nothing to be summed */
	PM_EVENT_LIBRARY, /* no event: the path of PAPI's library, its version in config */
	PM_EVENT_SCOPES
};

/* An event ready to open, or, with a reason, one that cannot be had. */
struct pm_event {
	uint32_t type; /* as in struct perf_event_attr; of PAPI's its data type */
	uint64_t config;
	uint64_t config1; /* a breakpoint's address */
	uint64_t config2; /* and its length */
	uint32_t bp_type;
	uint8_t exclude;      /* enum pm_event_exclude */
	bool domain_asked;    /* by find: the name says what to exclude (":u") */
	bool kernel_only;     /* by find: excluding the kernel would count nothing */
	uint8_t scope;        /* enum pm_event_scope; by find: always 0 */
	struct pm_str reason; /* empty for an event to open */
	struct pm_str name;   /* by find: as given; by parse: escaped as an item of a list */
	struct pm_str papi;   /* what PAPI is told: COMPONENT:EVENT */
};

/* How an event is counted. */
enum pm_event_how {
	PM_HOW_DIRECT, /* perf_event_open(2) */
	PM_HOW_CLOCK,  /* the CPU clock that the kernel keeps for every thread */
	PM_HOW_RUSAGE, /* getrusage(2) */
	PM_HOW_PAPI,   /* PAPI reads it */
	PM_HOWS
};

/*
 * How an event without a reason is counted in a thread. What the kernel counts for every thread
 * anyway, and for everybody to read, needs no counter of its own: the time on a CPU, which the
 * kernel does not split by domains, and context switches where the domain holds the kernel. Page
 * faults do not belong here: getrusage(2) counts those made on behalf of system calls, too, and not
 * those that end in a signal.
 */
enum pm_event_how pm_event_how(const struct pm_event *e);

/* Its name in the metadata of jobs. Programs only. */
const char *pm_event_how_name(enum pm_event_how how);

/*
 * Find the event of a name of n bytes: one of events.def, perhaps with "perf::" in front; a raw
 * code r<HEX> or cpu/config=NUMBER,config1=...,config2=.../ of the processor's own counters; a
 * breakpoint mem:ADDRESS[/LENGTH][:ACCESS] as perf(1) spells it, ACCESS of r, w and x. All may end
 * in modifiers: ":u", ":k", ":uk", ":h", ":I", ":G", ":H" of perf(1), ":u=1:k=0" of libpfm4.
 * Without one the user domain is counted, as PAPI does; an event that happens in the kernel only,
 * there. Returns 0, or -1 where the name is none of these.
 */
int pm_event_find(struct pm_event *e, const char *name, size_t n);

/*
 * Parse one entry of PERFMON_EVENTS (libperfmon(7)) of n bytes. Its texts point into it.
 * Returns 0, or -1 where it is none.
 */
int pm_event_parse(struct pm_event *e, const char *entry, size_t n);

/*
 * Append the entry of an event, whose name is escaped already: no blank before or behind it. Sets
 * `truncated` where it does not fit.
 */
void pm_event_format(struct pm_buf *b, const struct pm_event *e);

/*
 * Length of the first word of a comma-separated list of flags and events, up to its comma or end.
 * A comma between two slashes belongs to the word: cpu/config=1,config1=2/.
 */
size_t pm_event_word(const char *list);

/* The word of a scope: "thread", "process", "node", "library"; "" for none. */
const char *pm_event_scope_name(enum pm_event_scope scope);

/* Whether a word of the setting options is a flag and not an event. */
bool pm_event_is_flag(const char *word, size_t n);

/* An event of the table. Programs only. */
struct pm_event_info {
	const char *names; /* blank-separated, as in events.def */
	uint32_t type;
	uint64_t config;
	bool kernel_only;
	const char *help;
};

enum {
	PM_EVENT_ROWS = 0
#define PM_EVENT(names, type, config, where, help) +1
#include "common/events.def"
};

extern const struct pm_event_info pm_event_info[PM_EVENT_ROWS];

#endif
