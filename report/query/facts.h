/*
 * What a report knows about a job: plain numbers and safe texts, filled by query.c, read by the
 * advice rules and by every emitter (text, JSON, later HTML and the like). Integers that are not
 * known are PM_UNKNOWN, reals NaN, texts "".
 */
#ifndef PM_FACTS_H
#define PM_FACTS_H

#include "common/formulas.h"
#include "common/summaries.h"
#include "report/format.h"
#include "report/label.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps of the time line, longest programs kept. */
#define PM_FACTS_STEPS  48
#define PM_FACTS_PHASES 8

/* Different names of phases that the job marked. */
#define PM_FACTS_MARKS 32

struct pm_fact_host {
	char name[PM_LABEL_MAX];
	char cpu_model[PM_LABEL_MAX];
	int64_t cpus_online, cpus_allowed, cpus_allocated;
	double coverage;                  /* as that of the job */
	int64_t memory;                   /* bytes */
	int64_t samples, unknown, resets; /* as in node_summary */
	int64_t jobs;                     /* batch jobs there at once, at most */
	double summary[PM_SUMMARIES];
};

/* A summary of the nodes over the hosts of which it is known. */
struct pm_fact_node {
	int64_t hosts; /* 0: the rest says nothing */
	double least, mean, most;
	const char *least_host, *most_host; /* the first that has it */
};

/* All processes with one label. */
struct pm_fact_program {
	char label[PM_LABEL_MAX];
	int64_t runs;       /* times it ran: images, without copies that a fork made just to exec */
	int64_t cpu_us;     /* sum */
	int64_t system_us;  /* sum */
	int64_t longest_us; /* longest image */
	int64_t rss;        /* bytes, largest of one process */
	int64_t rchar, wchar, syscr, syscw;
	int64_t read_bytes, write_bytes;
	int64_t numtids; /* most threads of one process */
	/* Calls and bytes of those of its processes whose calls move less than PM_FACTS_TINY bytes
	 * on average. */
	int64_t tiny_reads, tiny_read_bytes, tiny_writes, tiny_write_bytes;
};

/* Processes of one label that ended in the same bad way. */
struct pm_fact_failure {
	char label[PM_LABEL_MAX];
	char command[PM_COMMAND_MAX]; /* of the first one */
	int64_t count;
	int64_t exit_status; /* one of the two is PM_UNKNOWN */
	int64_t exit_signal;
	int64_t pid; /* of the first one */
};

struct pm_fact_phase {
	char label[PM_LABEL_MAX];
	int64_t pid;
	int64_t start_us, end_us; /* since the start of the time line */
};

/* All phases of a name that the job marked (perfmon mark), on all hosts together. */
struct pm_fact_mark {
	char name[PM_LABEL_MAX];
	int64_t times;
	int64_t unended;    /* of them have no end that was marked */
	int64_t first_us;   /* when the first one began */
	int64_t wall_us;    /* sum */
	int64_t longest_us; /* longest one */
	double cpu_us;      /* of the job's processes meanwhile, by the samples; NaN: unknown */
	int64_t processes;  /* that began meanwhile */
	double memory;      /* bytes, largest sample of the job's processes on one host */
};

/* A quantity over the steps of the time line; a step without a value is NaN. */
struct pm_fact_line {
	bool known;
	double step[PM_FACTS_STEPS];
	double peak; /* the largest single value, not the largest step */
};

/* Reasons kept of an event. */
#define PM_FACTS_REASONS 8

struct pm_fact_reason {
	char text[32]; /* as in the table counter, "" where there was none */
	int64_t count; /* processes */
};

/* What an event counted in all processes together. */
struct pm_fact_counter {
	char name[PM_LABEL_MAX];
	int64_t sum;   /* over the processes in which it is known; of a node the largest, of
			* a rate unknown */
	char scope[8]; /* "node", "rate"; "": adds up */
	int64_t known, unknown; /* processes */
	double ratio;           /* least share of the time in which it was counted */
	struct pm_fact_reason reason[PM_FACTS_REASONS];
	size_t reasons;
};

/* A metric that events make, of the processes in which all of them are known. */
struct pm_fact_metric {
	const struct pm_metric_info *info;
	char domain[PM_FORMULA_DOMAIN]; /* as in struct pm_formula */
	double value;
	int64_t processes;
	double ratio; /* the least of its terms' */
};

struct pm_facts {
	/* who and what */
	int64_t job; /* number in the database */
	char cluster[PM_LABEL_MAX], user[PM_LABEL_MAX], jobid[PM_LABEL_MAX], name[PM_LABEL_MAX];
	char array_task[PM_LABEL_MAX], scheduler[PM_LABEL_MAX], queue[PM_LABEL_MAX];
	char account[PM_LABEL_MAX], cwd[PM_COMMAND_MAX], command[PM_COMMAND_MAX];
	char tags[PM_COMMAND_MAX]; /* name=value, name=value */
	char script[PM_COMMAND_MAX], modules[PM_COMMAND_MAX];
	char environment[PM_COMMAND_MAX]; /* +NEW, -GONE, CHANGED between start and stop */
	char exit_reason[32];             /* as job.def has it */
	int64_t submit_us, epoch_us;
	int64_t start_us, end_us; /* end: the last time known from metadata, records or samples */
	bool unstarted;           /* the job's command could not be executed */
	bool stopped;             /* the job was closed: metadata of a host has its end */
	bool open;                /* metadata of a host has a start and no end */
	int64_t exit_status, exit_signal;
	int64_t hosts_count;
	struct pm_fact_host *host; /* those that the database has */
	size_t hosts, hosts_room;
	int64_t memory;    /* memory available to the job on the host with the least, bytes */
	bool limited;      /* by a control group, to less than the host has */
	int64_t oom_kills; /* processes that the kernel killed for want of memory, where known */

	/* totals */
	int64_t wall_us, cpu_us, user_us, system_us;
	int64_t cpus;
	double efficiency;
	int64_t processes;     /* rows: images and forks */
	int64_t runs;          /* sum of pm_fact_program.runs over all programs */
	int64_t threads;       /* over all images */
	int64_t most_threads;  /* of one process */
	int64_t threads_known; /* runs whose number of threads is known */
	int64_t ranks;
	int64_t rss; /* bytes, largest single process */
	char rss_label[PM_LABEL_MAX];
	int64_t rss_tree; /* bytes, peak of the job's processes together, sampled */
	int64_t rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes;
	int64_t minflt, majflt;
	int64_t time_oncpu_us, time_waiting_us, blkio_us;
	int64_t short_runs, short_cpu_us; /* processes that lived less than PM_FACTS_SHORT_US */

	/* top lists, each of at most `limit` */
	size_t limit;
	struct pm_fact_program *by_cpu, *by_rss, *by_io;
	struct pm_fact_program *by_tiny; /* programs sorted by tiny reads and writes */
	size_t by_cpu_n, by_rss_n, by_io_n, by_tiny_n;
	size_t programs; /* different labels */

	/* failures */
	int64_t failed, killed;
	int64_t asked; /* of the killed: by a signal that asks to end, as from a pool or a closed
			* pipe */
	int64_t ends_known; /* processes whose end is known */
	struct pm_fact_failure *failure;
	size_t failures;

	/* time line */
	int64_t line_start_us, line_us; /* its start (UTC) and length */
	bool sampled;                   /* cpu and rss come from samples */
	struct pm_fact_line cpu;        /* CPUs busy with the job */
	struct pm_fact_line rss_line;   /* bytes of all the job's processes */
	struct pm_fact_line active;     /* processes alive */
	/* Share of the sampled time in which at most n CPUs were busy with the job (n < 64). */
	double busy_at_most[64];
	struct pm_fact_phase phase[PM_FACTS_PHASES];
	size_t phases;

	/* phases that the job marked, in the order of their hosts and beginnings */
	struct pm_fact_mark mark[PM_FACTS_MARKS];
	size_t marks;
	bool marks_cut; /* there are more names */

	/* counters: none for a job without */
	struct pm_fact_counter *counter;
	size_t counters;
	struct pm_fact_metric *metric;
	size_t metrics;
	/* what the sampler counted on the hosts, which stand where processes do; none without */
	struct pm_fact_counter *sampled_counter;
	size_t sampled_counters;
	struct pm_fact_metric *sampled_metric;
	size_t sampled_metrics;
	bool counters_cut; /* there are more events than are looked at */
	int64_t counted;   /* processes that have any */

	/* data quality and own cost */
	int64_t running, without_end, reaped_only, rejected, late;
	double coverage;
	int64_t charged_us;
	int64_t excluded, excluded_us; /* images of excluded programs, and their CPU time */
	int64_t folded, folded_us;     /* short processes beyond max_bytes, and their CPU time */
	int64_t lost;                  /* lines of records that could not be written */
	char lost_reasons[256];
	int64_t tasks_unrecorded; /* tasks that Slurm started without a record */
	char problems[PM_COMMAND_MAX];
	int64_t unseen; /* programs that a recorded process became and nothing else tells of, at
			   least */
	/* Of those known from their parents alone, and of those that went where nothing is
	 * recorded: how many, and which, "NAME (WHY)" with how often where that is more than once.
	 */
	struct pm_fact_unrecorded {
		int64_t count;
		char names[200];
	} refused, unsuited, silent, departed;
	int64_t killed_early; /* before they could tell anything */
	int64_t unknown_cpu;  /* processes whose CPU time is not known */
	int64_t own_us, own_cpu_us;
	int64_t samples; /* values the sampler took */
};

/* Processes that live less than this are short: starting one costs about a millisecond. */
#define PM_FACTS_SHORT_US 50000

/* Bytes below which a call is tiny: a call costs as much as copying kilobytes. */
#define PM_FACTS_TINY 512

/* CPUs that were busy on average in the phases of a name, NaN where that is not known. */
double pm_facts_busy(const struct pm_fact_mark *m);

/* Append a host of which nothing is known. Returns it, or NULL when memory ran out. */
struct pm_fact_host *pm_facts_host(struct pm_facts *f);

/* A summary over the hosts. The names in it live as long as the hosts. */
struct pm_fact_node pm_facts_node(const struct pm_facts *f, enum pm_summary_id summary);

/* Hosts of which any summary is known: a sampler may not have run, or been told to read other
 * things. */
size_t pm_facts_sampled(const struct pm_facts *f);

/* Set everything to unknown. */
void pm_facts_init(struct pm_facts *f, size_t limit);

/* Free what the lists hold. */
void pm_facts_free(struct pm_facts *f);

#endif
