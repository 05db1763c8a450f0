/* The summary of a report: CPU, memory, input and output, processes. */
#include "config.h"

#include "report/advice/memoryuse.h"
#include "report/job/report_text.h"

#include <math.h>
#include <string.h>

/* Size of the text of clause_of_known(). */
#define OF_KNOWN_MAX 96

static void cpu_summary(const struct pm_page *p, const struct pm_facts *f, int cells)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], bar[PM_BAR_SIZE];
	double average = pm_format_ratio(f->cpu_us, f->wall_us);

	if (f->wall_us >= 0)
		pm_page_pairf(p, "Wall time", "%s%s", pm_format_duration(a, f->wall_us),
			      f->open ? " so far: the job was not closed" : "");
	else
		pm_page_pair(p, "Wall time",
			     "unknown: neither the job nor its processes have both "
			     "a start and an end");
	if (f->cpu_us >= 0)
		pm_page_pairf(p, "CPU time", "%s: %s in programs, %s in the kernel%s",
			      pm_format_duration(a, f->cpu_us), pm_format_duration(b, f->user_us),
			      pm_format_duration(c, f->system_us),
			      f->running > 0 ? "; of the processes that ended" : "");
	else
		pm_page_pair(p, "CPU time",
			     f->processes > 0 ? "unknown: no process recorded its end"
					      : "unknown: no process was recorded");
	if (!isnan(f->efficiency))
		pm_page_pairf(p, "Efficiency", "%s %s%s: %s of %s CPU%s busy on average",
			      pm_page_bar(p, bar, f->efficiency, cells),
			      pm_format_share(a, f->efficiency), f->open ? " so far" : "",
			      pm_format_number(b, average), pm_format_count(c, f->cpus),
			      f->cpus == 1 ? "" : "s");
	else if (f->running > 0)
		pm_page_pairf(
			p, "Efficiency", "unknown: %s still ran, and %s",
			pm_format_things(a, f->running, f->running == 1 ? "process" : "processe"),
			f->running == 1 ? "its CPU time is known only when it ends"
					: "their CPU time is known only when they end");
	else if (!isnan(average))
		pm_page_pairf(p, "Efficiency",
			      "unknown: how many CPUs the job was allowed is not "
			      "recorded; %s busy on average",
			      pm_format_number(b, average));
	else
		pm_page_pair(p, "Efficiency", "unknown: it needs wall time and CPU time");
}

/* Of several hosts, the one that came closest to its memory. */
static void fullest_host(const struct pm_page *p, const struct pm_memoryuse *u, int cells)
{
	static const char *const of[] = {
		[PM_MEMORYUSE_PROCESS] = "the largest process there",
		[PM_MEMORYUSE_PROCESSES] = "all processes there together, sampled",
		[PM_MEMORYUSE_GROUP] = "the job's control group there, sampled",
	};
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], bar[PM_BAR_SIZE];

	pm_page_pairf(p, "Memory peak", "%s %s of %s on %s, the fullest host: %s in %s",
		      pm_page_bar(p, bar, u->share, cells), pm_format_share(a, u->share),
		      pm_format_bytes(b, u->allowed), u->host, pm_format_bytes(c, u->peak),
		      of[u->of]);
}

/* The hosts on which the processes were sampled, for several: "", or which part they are. */
static const char *clause_of_sampled(char *t, size_t size, const struct pm_facts *f)
{
	int64_t sampled = 0;
	char n[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->hosts; i++)
		sampled += f->host[i].rss_peak >= 0;
	*t = '\0';
	if (f->hosts_count > 1 && sampled == f->hosts_count)
		snprintf(t, size, ", all hosts");
	else if (f->hosts_count > 1)
		snprintf(t, size, ", on %lld of %s", (long long)sampled,
			 pm_format_things(n, f->hosts_count, "host"));
	return t;
}

static void memory_summary(const struct pm_page *p, const struct pm_facts *f, int cells)
{
	const struct pm_memoryuse u = pm_memoryuse(f);
	const double share = f->hosts_count > 1 ? NAN : pm_format_ratio(f->rss, u.allowed);
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], bar[PM_BAR_SIZE];
	char hosts[2 * PM_FORMAT_MAX];
	const char *comma = *f->rss_label ? ", " : "", *name = "Memory peak";

	if (*u.host) {
		fullest_host(p, &u, cells);
		name = "";
	}
	if (f->rss < 0)
		pm_page_pair(p, name, "unknown: no process recorded its peak");
	else if (!isnan(share))
		pm_page_pairf(p, name, "%s %s of %s: %s in the largest single process%s%s",
			      pm_page_bar(p, bar, share, cells), pm_format_share(a, share),
			      pm_format_bytes(b, u.allowed), pm_format_bytes(c, f->rss), comma,
			      f->rss_label);
	else
		pm_page_pairf(p, name, "%s in the largest single process%s%s",
			      pm_format_bytes(c, f->rss), comma, f->rss_label);
	if (f->rss_tree >= 0 && (double)f->rss_tree < 0.9 * (double)f->rss)
		pm_page_pairf(p, "",
			      "the sampler missed that moment: it saw at most %s in all "
			      "processes together",
			      pm_format_bytes(c, f->rss_tree));
	else if (f->rss_tree >= f->rss && f->rss_tree >= 0)
		pm_page_pairf(p, "",
			      "%s in all processes together at the busiest moment%s "
			      "(sampled; shared memory counts in each)",
			      pm_format_bytes(c, f->rss_tree),
			      clause_of_sampled(hosts, sizeof hosts, f));
}

/* Print the bytes moved by calls and to or from storage, or that both are unknown. */
static void print_moved(const struct pm_page *p, const char *name, int64_t chars, int64_t calls,
			int64_t bytes, const char *where)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	if (chars < 0 && bytes < 0) {
		pm_page_pair(p, name, "unknown: no process recorded it");
		return;
	}
	pm_page_pairf(p, name, "%s in %s, %s %s", pm_format_bytes(a, chars),
		      pm_format_things(b, calls, "call"), pm_format_bytes(c, bytes), where);
}

/* Print why more was fetched from storage than calls read: pages of mapped files, and what is read
 * ahead. */
static void print_mapped(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX];

	if (f->rchar >= 0 && f->read_bytes >= 0 && f->read_bytes - f->rchar > f->rchar / 10)
		pm_page_pairf(p, "",
			      "at least %s of that without a call: programs, libraries and other "
			      "files mapped "
			      "into memory, %swhat is read ahead",
			      pm_format_bytes(a, f->read_bytes - f->rchar),
			      f->swapped.count > 0 || f->cgroup.swap > 0
				      ? "what comes back from swap, and "
				      : "and ");
}

/* Print bytes deleted before they were stored: the kernel counts a write when it enters the page
 * cache. The counters of a process that truncates what another one wrote may have more of them than
 * of writes. */
static void print_spared(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];
	int64_t spared = f->cancelled_write_bytes < f->write_bytes ? f->cancelled_write_bytes
								   : f->write_bytes;

	if (f->write_bytes > 0 && spared >= f->write_bytes / 20 + 1)
		pm_page_pairf(p, "", "%s were deleted before they reached storage: %s stored",
			      pm_format_bytes(a, spared),
			      pm_format_bytes(b, f->write_bytes - spared));
}

void pm_report_moved(const struct pm_page *p, const struct pm_facts *f)
{
	print_moved(p, "Read", f->rchar, f->syscr, f->read_bytes, "from storage");
	print_mapped(p, f);
	print_moved(p, "Written", f->wchar, f->syscw, f->write_bytes, "to storage");
	print_spared(p, f);
}

/* Format ", in the 12 processes where it is known", or "" if the value is known for all. Returns t.
 */
static const char *clause_of_known(char *t, int64_t known, int64_t all)
{
	char n[PM_FORMAT_MAX];

	*t = '\0';
	if (known >= 0 && known < all)
		snprintf(t, OF_KNOWN_MAX, ", in the %s where it is known",
			 pm_format_things(n, known, known == 1 ? "process" : "processe"));
	return t;
}

/* Print how the threads of the process with the most CPU time shared its work. Those that used less
 * than a tenth of the most are told apart: a main thread that waits for the others says nothing of
 * how they shared it. */
static void thread_summary(const struct pm_page *p, const struct pm_facts *f)
{
	const struct pm_fact_threads *t = &f->of_threads;
	char n[PM_FORMAT_MAX], a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];
	char host[PM_PROCESSNAME_MAX + 16], used[4 * PM_FORMAT_MAX];

	if (t->process == 0 || t->threads < 2 || t->most <= 0)
		return;
	pm_format_duration(b, t->most);
	if (t->working == 1)
		snprintf(used, sizeof used,
			 "one used %s of CPU time, the others less than a tenth of that", b);
	else if (t->working < t->threads)
		snprintf(used, sizeof used,
			 "%s used %s of CPU time each on average, %s at most, the others less than "
			 "a tenth "
			 "of that",
			 pm_format_count(c, t->working),
			 pm_format_duration(a, (int64_t)t->mean_working), b);
	else if (strcmp(pm_format_duration(a, t->least), b) == 0)
		snprintf(used, sizeof used, "%s of CPU time each", a);
	else
		snprintf(used, sizeof used, "%s to %s of CPU time each, %s on average", a, b,
			 pm_format_duration(c, (int64_t)t->mean));
	pm_page_pairf(p, "Threads",
		      "%s in %s (pid %lld%s), the process with the most CPU time of those that had "
		      "several: %s",
		      pm_format_count(n, t->threads), t->label, (long long)t->pid,
		      pm_facts_on(host, f, t->host, " on "), used);
}

/* Print the number of programs, and of threads where processes recorded them. */
void pm_report_processes(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], d[OF_KNOWN_MAX];

	if (f->retired && f->runs < 0)
		pm_page_pairf(p, "Processes", "%s; programs and threads were retired",
			      pm_format_things(a, f->processes, "record"));
	else if (f->runs <= 0)
		pm_page_pair(p, "Processes", "none recorded");
	else if (f->most_threads < 0)
		pm_page_pairf(p, "Processes", "%s run, %s different; threads unknown",
			      pm_format_things(a, f->runs, "program"),
			      pm_format_count(b, (int64_t)f->programs));
	else
		pm_page_pairf(p, "Processes", "%s run, %s different; at most %s in one%s",
			      pm_format_things(a, f->runs, "program"),
			      pm_format_count(b, (int64_t)f->programs),
			      pm_format_things(c, f->most_threads, "thread"),
			      clause_of_known(d, f->threads_known, f->runs));
	thread_summary(p, f);
}

/* Print the failed processes. A signal that requests termination, as from a pool to its workers, or
 * SIGPIPE to a writer, is not a failure. */
static void failed_summary(const struct pm_page *p, const struct pm_facts *f)
{
	int64_t killed = f->killed > 0 ? f->killed : 0, status = f->failed - killed;
	int64_t asked = f->asked > 0 ? f->asked : 0;
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], known[OF_KNOWN_MAX], text[3 * PM_PROCESSNAME_MAX];
	size_t len = 0;

	if (f->failed < 0)
		return;
	killed = killed > asked ? killed - asked : 0;
	if (status > 0)
		len = (size_t)snprintf(text, sizeof text, "%s ended with a status other than 0%s",
				       pm_format_count(a, status), killed > 0 ? ", " : "");
	if (killed > 0)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s %sby a signal",
					pm_format_count(b, killed), status > 0 ? "" : "ended ");
	if (len == 0)
		len = (size_t)snprintf(text, sizeof text, "none");
	snprintf(text + len, sizeof text - len, "%s",
		 clause_of_known(known, f->ends_known, f->processes));
	pm_page_pair(p, "Failed", text);
	if (asked > 0)
		pm_page_pairf(
			p, "",
			"%s ended by a signal that requests the end (SIGTERM, SIGINT, SIGHUP, "
			"SIGPIPE, SIGALRM), as when a pool ends its workers",
			pm_format_count(a, asked));
}

/* Print what engines of GPUs did for processes, by time or cycles as their drivers count, and what
 * GPUs did by samples, if there is something. */
static void gpu_summary(const struct pm_page *p, const struct pm_facts *f)
{
	const bool exact = f->gpu_us >= 0 || f->gpu_cycles >= 0 || f->gpu_memory >= 0;
	const double sampled_us = pm_facts_sampled_gpu_us(f);
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	if (exact)
		pm_page_pairf(p, "GPU time", "%s of engines%s%s%s%s%s",
			      pm_format_duration(a, f->gpu_us), f->gpu_cycles >= 0 ? ", and " : "",
			      f->gpu_cycles >= 0 ? pm_format_count(b, f->gpu_cycles) : "",
			      f->gpu_cycles >= 0 ? " cycles of others" : "",
			      f->gpu_memory >= 0 ? "; at the end of a process at most " : "",
			      f->gpu_memory >= 0 ? pm_format_bytes(c, f->gpu_memory) : "");
	if (!isnan(sampled_us))
		pm_page_pairf(p, exact ? "" : "GPU time", "%s by samples of processes on GPUs",
			      pm_format_duration(a, (int64_t)sampled_us));
}

void pm_report_summary(const struct pm_page *p, const struct pm_facts *f)
{
	int cells = p->width >= 110 ? 30 : 20;
	char a[PM_FORMAT_MAX];

	pm_page_heading(p, "Summary");
	cpu_summary(p, f, cells);
	memory_summary(p, f, cells);
	gpu_summary(p, f);
	pm_report_moved(p, f);
	pm_report_processes(p, f);
	if (f->ranks > 0)
		pm_page_pairf(p, "MPI ranks", "%s", pm_format_count(a, f->ranks));
	failed_summary(p, f);
	pm_report_energy(p, f);
}
