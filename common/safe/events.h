/*
 * Events that the kernel counts, by name, and the variable PERFMON_EVENTS, by which perfmon hands
 * resolved events to the collector. Allocates nothing; functions not marked otherwise are safe in
 * the preload.
 */
#ifndef PM_COMMON_SAFE_EVENTS_H
#define PM_COMMON_SAFE_EVENTS_H

#include "common/safe/buf.h"
#include "common/safe/tsv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most events of a job. */
#define PM_EVENTS_MAX 32

/* Longest reason in an entry, in bytes. */
#define PM_EVENT_REASON_MAX 31

/* Longest PAPI name of an event in an entry, with its component. */
#define PM_EVENT_PAPI_MAX 511

/* Longest entry of PERFMON_EVENTS without its name, in bytes: six numbers and their colons, or the
 * PAPI name. */
#define PM_EVENT_ENTRY_MAX (8 + 16 + 16 + 16 + 8 + 2 + 6 + PM_EVENT_PAPI_MAX)

/* Domains and states in which an event is not counted. */
enum pm_event_exclude {
	PM_EXCLUDE_USER = 1,
	PM_EXCLUDE_KERNEL = 2,
	PM_EXCLUDE_HV = 4,
	PM_EXCLUDE_IDLE = 8,
	PM_EXCLUDE_HOST = 16,
	PM_EXCLUDE_GUEST = 32,
};
#define PM_EXCLUDE_ALL 63

/* The reader of an event, and for PAPI the scope of its counts. */
enum pm_event_scope {
	PM_EVENT_PERF,    /* read by perf_event_open(2), per thread */
	PM_EVENT_THREAD,  /* read by PAPI, one counter per thread */
	PM_EVENT_PROCESS, /* read by PAPI, one counter for the process */
	PM_EVENT_NODE,    /* read by PAPI, one counter for the whole node: never summed */
	PM_EVENT_LIBRARY, /* no event, but the path of PAPI's library; its version is in config */
	PM_EVENT_SCOPES
};

/* An event ready to open, or, with a reason, one that cannot be counted. */
struct pm_event {
	uint32_t type; /* as in struct perf_event_attr; for PAPI the data type */
	uint64_t config;
	uint64_t config1; /* address of a breakpoint */
	uint64_t config2; /* length of a breakpoint */
	uint32_t bp_type;
	uint8_t exclude;      /* enum pm_event_exclude */
	bool domain_asked;    /* set by pm_event_find(): the name states its domains (":u") */
	bool kernel_only;     /* set by pm_event_find(): without the kernel the count would be 0 */
	uint8_t scope;        /* enum pm_event_scope; pm_event_find() sets 0 */
	struct pm_str reason; /* empty for an event to open */
	struct pm_str name;   /* as given to pm_event_find(), or escaped as an item of a list by
			       * pm_event_parse() */
	struct pm_str papi;   /* PAPI's name: COMPONENT:EVENT */
};

/* The method by which an event is counted. */
enum pm_event_how {
	PM_HOW_DIRECT, /* perf_event_open(2) */
	PM_HOW_CLOCK,  /* the CPU clock that the kernel keeps for every thread */
	PM_HOW_RUSAGE, /* getrusage(2) */
	PM_HOW_PAPI,   /* PAPI */
	PM_HOWS
};

/*
 * The method by which an event without a reason is counted in a thread. Values that the kernel
 * counts for every thread anyway, and that everybody may read, need no counter of their own: the
 * time on a CPU, which the kernel does not split by domains, and context switches where the domain
 * includes the kernel. Page faults are different: getrusage(2) also counts those on behalf of
 * system calls, and leaves out those that end in a signal.
 */
enum pm_event_how pm_event_how(const struct pm_event *e);

/* The method's name in the metadata of jobs. Programs only. */
const char *pm_event_how_name(enum pm_event_how how);

/*
 * Find an event by its name of n bytes: a name of events.def, perhaps with "perf::" in front; a raw
 * code r<HEX> or cpu/config=NUMBER,config1=...,config2=.../ of the processor's own counters; a
 * breakpoint mem:ADDRESS[/LENGTH][:ACCESS] as perf(1) spells it, ACCESS of r, w and x. All may end
 * in modifiers: ":u", ":k", ":uk", ":h", ":I", ":G", ":H" of perf(1), ":u=1:k=0" of libpfm4.
 * Without a modifier the user domain is counted, as PAPI does; an event that happens only in the
 * kernel is counted there. Returns 0, or -1 for any other name.
 */
int pm_event_find(struct pm_event *e, const char *name, size_t n);

/*
 * Parse one entry of PERFMON_EVENTS (libperfmon(7)) of n bytes. The texts of *e point into the
 * entry. Returns 0, or -1 where the entry is invalid.
 */
int pm_event_parse(struct pm_event *e, const char *entry, size_t n);

/*
 * Append the entry of an event, whose name is escaped already, without blanks around it. Sets
 * `truncated` where the entry does not fit.
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
#include "common/safe/events.def"
};

extern const struct pm_event_info pm_event_info[PM_EVENT_ROWS];

#endif
