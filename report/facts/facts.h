/*
 * The facts of a job: plain numbers and safe texts, filled by query.c, read by the advice rules and
 * by every output format (text, JSON, later HTML and the like). Unknown integers are PM_UNKNOWN,
 * unknown reals NaN, unknown texts "".
 */
#ifndef PM_REPORT_FACTS_FACTS_H
#define PM_REPORT_FACTS_FACTS_H

#include "common/job/gpu.h"
#include "common/record/energymeter.h"
#include "common/record/formulas.h"
#include "common/record/nodesummaries.h"
#include "common/record/processname.h"
#include "report/print/format.h"
#include "report/facts/criticalpath.h"
#include "report/facts/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps of the timeline, and maximum number of programs shown as its phases. */
#define PM_FACTS_STEPS  48
#define PM_FACTS_PHASES 8

/* Maximum number of different names of phases marked by the job. */
#define PM_FACTS_MARKS 32

/* Number of enum pm_energy_part, less the one whose container is not known. */
#define PM_FACTS_PARTS PM_ENERGY_OTHER

/* Energy of a host, as in table host. */
struct pm_fact_host_energy {
	int64_t uj, mean_uw, peak_uw, covered_us, time_us;
	char method[24], parts[40], reason[32];
};

struct pm_fact_host {
	char name[PM_PROCESSNAME_MAX];
	char cpu_model[PM_PROCESSNAME_MAX];
	int64_t cpus_online, cpus_allowed, cpus_allocated;
	double coverage;                  /* as struct pm_facts.coverage */
	int64_t memory, page_size;        /* bytes */
	int64_t memory_limit;             /* bytes, of its control group at the job's start */
	int64_t rss;                      /* bytes, of the largest single process */
	int64_t rss_peak;                 /* bytes, of the job's processes together, sampled */
	int64_t samples, unknown, resets; /* as in node_summary */
	int64_t jobs;                     /* largest number of batch jobs on the host at one time */
	/* sums over the job's processes on the host: CPU time, time on a CPU and waiting for one */
	int64_t cpu_us, oncpu_us, waiting_us;
	bool own_cgroup; /* its control group held this job alone */
	/* bytes, of its control group, sampled: the least limit; the most that programs held, of a
	 * group that held this job alone */
	int64_t group_limit, group_anonymous;
	/* sampled, whoever caused it: bytes to and from swap; TCP segments sent, and again; time in
	 * which CPUs were idle and waited for storage, of all CPUs; bytes of files read again that
	 * memory had held a short while before */
	int64_t swapped, segments, retransmits, iowait_us, refaulted;
	double frequency_hz; /* mean of all CPUs over the samples */
	double summary[PM_NODESUMMARIES];
	struct pm_fact_host_energy energy;
	int64_t id; /* in the database */
	struct pm_gpu *gpu;
	size_t gpus;
};

/* A node summary aggregated over the hosts where it is known. */
struct pm_fact_node {
	int64_t hosts; /* if 0, the other fields are unset */
	double least, mean, most;
	const char *least_host, *most_host; /* the first host with that value */
};

/* All processes with one label. */
struct pm_fact_program {
	char label[PM_PROCESSNAME_MAX];
	int64_t runs;       /* images, without the copies of forks that only exec */
	int64_t cpu_us;     /* sum */
	int64_t system_us;  /* sum */
	int64_t longest_us; /* longest image */
	int64_t rss;        /* bytes, largest of one process */
	int64_t rchar, wchar, syscr, syscw;
	int64_t read_bytes, write_bytes;
	int64_t numtids; /* largest number of threads of one process */
	/* Calls and bytes of the processes whose calls move less than PM_PROGRAM_TINY bytes on
	 * average. */
	int64_t tiny_reads, tiny_read_bytes, tiny_writes, tiny_write_bytes;
	double gpu_energy_uj; /* its part of the energy of GPUs, estimated */
};

/* Processes with the same label and the same failing status or signal. */
struct pm_fact_failure {
	char label[PM_PROCESSNAME_MAX];
	char command[PM_COMMAND_MAX]; /* of the first one */
	int64_t count;
	int64_t exit_status; /* exit_status or exit_signal is PM_UNKNOWN */
	int64_t exit_signal;
	int64_t pid, host; /* of the first one; the host's id in the database */
};

/* All processes with one label whose use of GPUs is known by one method. */
struct pm_fact_gpu_program {
	char label[PM_PROCESSNAME_MAX];
	bool sampled; /* by samples of processes, else by exact totals */
	int64_t processes;
	int64_t gpus;     /* largest number that one process was sampled on; exact: 0 */
	double gpu_us;    /* sum; NAN: unknown */
	int64_t memory;   /* bytes, largest of one process, over its GPUs; PM_UNKNOWN */
	double energy_uj; /* its part of the energy of GPUs, estimated; NAN: unknown */
};

struct pm_fact_phase {
	char label[PM_PROCESSNAME_MAX];
	int64_t pid;
	int64_t start_us, end_us; /* since the start of the timeline */
};

/* All phases with one name that the job marked (perfmon mark), on all hosts together. */
struct pm_fact_mark {
	char name[PM_PROCESSNAME_MAX];
	int64_t times;
	int64_t unended;    /* phases without a marked end */
	int64_t first_us;   /* when the first one began */
	int64_t wall_us;    /* sum */
	int64_t longest_us; /* longest one */
	double cpu_us;      /* sampled CPU time of the job in the phases; NaN: unknown */
	int64_t processes;  /* processes started during the phases */
	double memory;      /* bytes, largest sample of the job's processes on one host */
};

/* A quantity over the steps of the timeline; a step without a value is NaN. */
struct pm_fact_line {
	bool known;
	double step[PM_FACTS_STEPS];
	double peak; /* the largest single value, not the largest step */
};

/* Reasons kept of an event. */
#define PM_FACTS_REASONS 8

struct pm_fact_reason {
	char text[32]; /* as in the table counter; "" without a recorded reason */
	int64_t count; /* processes */
};

/* The counts of one event over all processes. */
struct pm_fact_counter {
	char name[PM_PROCESSNAME_MAX];
	int64_t sum;   /* sum over the processes where it is known; largest value for a node,
			* unknown for a rate */
	char scope[8]; /* "node", "rate"; "": adds up */
	int64_t known, unknown; /* processes */
	double ratio;           /* least share of the time in which the event was counted */
	struct pm_fact_reason reason[PM_FACTS_REASONS];
	size_t reasons;
};

/* A metric over the processes in which all its events are known. */
struct pm_fact_metric {
	const struct pm_metric_info *info;
	char domain[PM_FORMULA_DOMAIN]; /* as in struct pm_formula */
	double value;
	int64_t processes;
	double ratio; /* least ratio of its events */
};

/* What keeps a device slow. */
enum pm_facts_slow { PM_FACTS_GPU_POWER, PM_FACTS_GPU_HEAT, PM_FACTS_CPU_HEAT, PM_FACTS_SLOWS };

/* The device that was slow for the largest share of its time. */
struct pm_fact_slow {
	double share; /* 0: none, or not known */
	char device[PM_PROCESSNAME_MAX], host[PM_PROCESSNAME_MAX];
};

/* The job's control groups, sampled: growth of counters and extremes of gauges, over the hosts. All
 * but quota and limit are known only of groups that held this job alone. */
struct pm_fact_cgroup {
	int64_t periods, throttled, throttled_us; /* of the CPU quota; the last adds up over CPUs */
	int64_t limit_hits;                       /* how often memory reached its limit */
	int64_t anonymous, limit, swap;           /* bytes: largest, smallest, largest of a host */
	int64_t io_us, memory_us; /* time in which some task waited (PSI), all hosts */
};

/* What the samples of nodes count, whoever caused it, on the host where it was most. */
struct pm_fact_node_count {
	int64_t count, of; /* of: segments sent, for retransmits; else PM_UNKNOWN */
	char host[PM_PROCESSNAME_MAX];
};

/* The process with several threads that went to sleep most often, other than by calls that read or
 * write and by major faults. */
struct pm_fact_sleeper {
	char label[PM_PROCESSNAME_MAX];
	int64_t pid, host;         /* the host's id in the database */
	int64_t threads, switches; /* voluntary context switches */
	int64_t sleeping;          /* threads with a tenth of the most of them; 0: unknown */
	int64_t cpu_us, wall_us;
};

/* The threads of the process with several that used the most CPU time. */
struct pm_fact_threads {
	int64_t process; /* its id in the database; 0: none */
	char label[PM_PROCESSNAME_MAX];
	int64_t pid, host;         /* the host's id in the database */
	int64_t threads;           /* whose CPU time is known */
	int64_t working;           /* that used a tenth of `most` at least */
	int64_t least, most;       /* CPU time of a thread, us */
	double mean, mean_working; /* us */
};

/* The second in which most processes started. */
struct pm_fact_burst {
	int64_t starts, start_us; /* microseconds since 1970 */
	int64_t waiting_us;       /* for a CPU, of these processes over their lives */
};

/* What the job asked the batch system for; PM_UNKNOWN where that is not known. */
struct pm_fact_request {
	int64_t nodes, tasks, cpus_per_task;
	int64_t memory_node, memory_cpu; /* bytes, per node or per CPU */
	int64_t wall_us;                 /* limit on the wall time */
	int64_t gpus;                    /* of a host; 0: unknown how many */
	char state[64];                  /* that it ended in, by Slurm's accounting: TIMEOUT */
};

struct pm_facts {
	/* What further commands need to mean this job, such as " 4711 --db FILE": what named it; ""
	 * where nothing did. Safe text. */
	char named[PM_COMMAND_MAX];

	/* identity */
	int64_t job; /* its id in the database */
	char cluster[PM_PROCESSNAME_MAX], user[PM_PROCESSNAME_MAX], jobid[PM_PROCESSNAME_MAX],
		name[PM_PROCESSNAME_MAX];
	char array_task[PM_PROCESSNAME_MAX], scheduler[PM_PROCESSNAME_MAX],
		queue[PM_PROCESSNAME_MAX];
	char account[PM_PROCESSNAME_MAX], cwd[PM_COMMAND_MAX], command[PM_COMMAND_MAX];
	char tags[PM_COMMAND_MAX]; /* name=value, name=value */
	char script[PM_COMMAND_MAX], modules[PM_COMMAND_MAX];
	char environment[PM_COMMAND_MAX]; /* +NEW, -GONE, CHANGED between start and stop */
	char exit_reason[32];             /* as in job.def */
	int64_t submit_us, epoch_us;
	int64_t start_us, end_us; /* end_us is the last time in metadata, records or samples */
	bool unstarted;           /* the job's command could not be executed */
	bool stopped;             /* the job was closed: metadata of a host has its end */
	bool open;                /* metadata of a host has a start and no end */
	bool retired;             /* its processes, counters and samples were deleted by intent */
	int64_t exit_status, exit_signal;
	int64_t hosts_count;
	struct pm_fact_host *host; /* hosts in the database */
	size_t hosts, hosts_room;
	int64_t memory;    /* memory available to the job on the host with the least, bytes */
	bool limited;      /* a control group limits `memory` to less than the host has */
	int64_t oom_kills; /* processes that the kernel killed for lack of memory */

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
	char rss_label[PM_PROCESSNAME_MAX];
	int64_t rss_tree; /* bytes, peak of the job's processes together, sampled */
	int64_t rchar, wchar, syscr, syscw, read_bytes, write_bytes, cancelled_write_bytes;
	int64_t minflt, majflt;
	int64_t time_oncpu_us, time_waiting_us, blkio_us;
	int64_t vol_ctxsw;                /* voluntary context switches: waited for something */
	int64_t gpu_us, gpu_cycles;       /* of engines, of clients of DRM drivers */
	int64_t gpu_memory;               /* bytes, largest of one process */
	int64_t short_runs, short_cpu_us; /* processes that lived less than PM_FACTS_SHORT_US */

	/* energy of the hosts while the job was there, as in table job */
	struct {
		int64_t uj, mean_uw, peak_uw;
		int64_t hosts; /* with an energy; PM_UNKNOWN: none has a meter */
		double coverage;
		char method[24];
		/* of all meters of a kind, whether or not they are in uj; and of how many hosts */
		int64_t part_uj[PM_FACTS_PARTS], part_hosts[PM_FACTS_PARTS];
		/* of what is in uj: that of GPUs, and what of it is attributed to programs */
		double gpu_uj, gpu_shared_uj;
	} energy;

	/* GPUs of the hosts, by the sampler, whoever used them; seen, sampled and idle are
	 * PM_UNKNOWN of a retired job */
	struct {
		int64_t asked;   /* of a host, what the job asked for; 0: it is not told how many */
		int64_t seen;    /* by a sampler */
		int64_t sampled; /* those of them of which it is known how far they were busy */
		int64_t idle;    /* and that were never busy */
		int64_t most;    /* on one host */
		double busy;     /* mean use of the sampled ones, a share */
	} gpu;
	struct pm_fact_slow slow[PM_FACTS_SLOWS];

	struct pm_fact_request request;
	struct pm_fact_cgroup cgroup;
	/* as of struct pm_fact_host */
	struct pm_fact_node_count swapped, retransmits, iowait_us, refaulted;
	struct pm_fact_sleeper sleeper;
	struct pm_fact_threads of_threads;
	struct pm_fact_burst burst;

	/* top lists, each of at most `limit` */
	size_t limit;
	struct pm_fact_program *by_cpu, *by_rss, *by_io;
	struct pm_fact_program *by_tiny; /* programs sorted by tiny reads and writes */
	size_t by_cpu_n, by_rss_n, by_io_n, by_tiny_n;
	size_t programs;        /* different labels */
	double programs_cpu_us; /* of all of them */

	/* programs on GPUs, by GPU time */
	struct pm_fact_gpu_program *gpu_program;
	size_t gpu_programs, gpu_programs_room;

	/* failures */
	int64_t failed, killed;
	int64_t asked; /* killed by a signal that requests termination, as from a pool or a closed
			* pipe */
	int64_t ends_known; /* processes with a known end */
	struct pm_fact_failure *failure;
	size_t failures;
	int64_t failures_more; /* failed processes that are not in the list */

	/* timeline */
	int64_t line_start_us, line_us; /* its start (UTC) and length */
	bool sampled;                   /* cpu and rss come from samples */
	struct pm_fact_line cpu;        /* CPUs busy with the job */
	struct pm_fact_line rss_line;   /* bytes of all the job's processes */
	struct pm_fact_line active;     /* processes alive */
	/* Element n (n < 64): share of the sampled time in which at most n CPUs were busy with the
	 * job. */
	double busy_at_most[64];
	struct pm_fact_phase phase[PM_FACTS_PHASES];
	size_t phases;

	/* phases that the job marked, ordered by host and beginning */
	struct pm_fact_mark mark[PM_FACTS_MARKS];
	size_t marks;
	bool marks_cut; /* more names exist */

	/* counters of processes */
	struct pm_fact_counter *counter;
	size_t counters;
	struct pm_fact_metric *metric;
	size_t metrics;
	/* counters of the sampler: known, unknown and processes count hosts */
	struct pm_fact_counter *sampled_counter;
	size_t sampled_counters;
	struct pm_fact_metric *sampled_metric;
	size_t sampled_metrics;
	bool counters_cut; /* more events exist than are read */
	int64_t counted;   /* processes with counters */

	/* which processes decided the wall time; owned; NULL: it was not asked */
	struct pm_criticalpath *path;

	/* which processes a page folds; owned; NULL: it was not wanted */
	bool fold_wanted;
	struct pm_processfold *fold;

	/* ranks, hosts and steps; owned; NULL: there is nothing to compare */
	struct pm_ranks *parallel;

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
	int64_t unseen; /* programs exec'ed by recorded processes without a record; a lower bound */
	/* Number and names, "NAME (WHY)" with a count above one, of: programs known only from their
	 * parents (refused, unsuited, silent), and processes that went on where nothing is recorded
	 * (departed). */
	struct pm_fact_unrecorded {
		int64_t count; /* PM_UNKNOWN of a retired job */
		char names[200];
	} refused, unsuited, silent, departed;
	int64_t killed_early; /* processes killed before they wrote a record */
	int64_t unknown_cpu;  /* processes with unknown CPU time */
	int64_t own_us, own_cpu_us;
	int64_t samples; /* values that the sampler recorded */
};

/* Processes that live less than this many microseconds are short: starting one costs about a
 * millisecond. */
#define PM_FACTS_SHORT_US 50000

/* Average number of busy CPUs in the phases with one name, NaN where unknown. */
double pm_facts_busy(const struct pm_fact_mark *m);

/* What a program used of the job's energy in uJ, estimated: of that of GPUs by its GPU time, of the
 * rest by its share of the CPU time; NAN where that is unknown. */
double pm_facts_energy(const struct pm_facts *f, const struct pm_fact_program *p);

/* GPU time of all processes that were sampled, NAN where it is unknown. */
double pm_facts_sampled_gpu_us(const struct pm_facts *f);

/* What of the job's energy in uJ is attributed to no program; NAN where that is unknown. */
double pm_facts_energy_left(const struct pm_facts *f);

/* Append a host with all values unknown. Returns it, or NULL if out of memory. */
struct pm_fact_host *pm_facts_host(struct pm_facts *f);

/* The name of a host for people. */
const char *pm_facts_hostname(const struct pm_fact_host *h);

/* CPUs of a host that the job could use: allocated, else allowed; PM_UNKNOWN where neither is
 * known. */
int64_t pm_facts_cpus(const struct pm_fact_host *h);

/* ", HOST" or another text before the name of a host by its id in the database, where the job has
 * several hosts; else "". Returns dst. */
const char *pm_facts_on(char dst[PM_PROCESSNAME_MAX + 16], const struct pm_facts *f, int64_t id,
			const char *before);

/* The number of a host in the list of hosts by its id in the database, or -1. */
int64_t pm_facts_host_index(const struct pm_facts *f, int64_t id);

/* Aggregate a node summary over the hosts. Its names live as long as the hosts. */
struct pm_fact_node pm_facts_node(const struct pm_facts *f, enum pm_nodesummary_id summary);

/* Number of hosts with any known summary: a sampler may not have run there, or read other sources
 * only. */
size_t pm_facts_sampled(const struct pm_facts *f);

/* Set everything to unknown. */
void pm_facts_init(struct pm_facts *f, size_t limit);

/* Free the lists. */
void pm_facts_free(struct pm_facts *f);

#endif
