/* Advice on input and output: storage, small calls. */
#include "config.h"

#include "report/advice/memoryuse.h"
#include "report/advice/rule.h"

#include <math.h>
#include <string.h>

/* Bytes a second in MB that the job must have moved from and to storage: a busy shared file system
 * may leave no more to one job. */
#define STORAGE_RATE 20

/* Whether the job read more from storage than it wrote to it. */
static bool job_reads(const struct pm_facts *f)
{
	return f->read_bytes >= f->write_bytes;
}

/* What a program read from storage, or wrote to it. */
static int64_t moved_by(const struct pm_fact_program *p, bool reads)
{
	return reads ? p->read_bytes : p->write_bytes;
}

/* The program that read most from storage, or wrote most to it; NULL where none has a third. */
static const struct pm_fact_program *most_moved(const struct pm_facts *f, bool reads)
{
	const int64_t all = reads ? f->read_bytes : f->write_bytes;
	const struct pm_fact_program *most = NULL;

	for (size_t i = 0; i < f->by_io_n; i++)
		if (moved_by(&f->by_io[i], reads) > (most ? moved_by(most, reads) : 0))
			most = &f->by_io[i];
	return most && moved_by(most, reads) >= all / 3 ? most : NULL;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

double pm_advice_storage_bound(const struct pm_facts *f, double share)
{
	const double most = isnan(f->efficiency) ? 1 : 1 - f->efficiency;

	return share > most ? most : share;
}

double pm_advice_storage_share(const struct pm_facts *f)
{
	/* What calls did not ask for are faults, which have a rule of their own. */
	const int64_t moved =
		pm_format_add(smaller(f->read_bytes, f->rchar), smaller(f->write_bytes, f->wchar));
	const double waits[] = { pm_format_ratio(f->blkio_us, f->wall_us),
				 pm_format_ratio(f->cgroup.io_us, f->wall_us),
				 pm_format_ratio(f->iowait_us.count, f->wall_us) };
	double most = NAN;

	if (!(pm_format_ratio(moved, f->wall_us) >= STORAGE_RATE))
		return NAN;
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
		most = fmax(most, waits[i]); /* the other of a NaN */
	return pm_advice_storage_bound(f, most);
}

/* How a program did what it did to storage: how much, how fast, in what calls. */
static void say_moved(const struct pm_facts *f, const struct pm_fact_program *p,
		      struct pm_advice *a)
{
	const bool reads = job_reads(f);
	const int64_t moved = p ? moved_by(p, reads) : reads ? f->read_bytes : f->write_bytes;
	const double call =
		p ? pm_format_ratio(reads ? p->rchar : p->wchar, reads ? p->syscr : p->syscw) : NAN;
	char b[PM_FORMAT_MAX], r[PM_FORMAT_MAX], c[PM_FORMAT_MAX], w[PM_FORMAT_MAX];

	pm_advice_say(a, "%s %s %s %s storage, %s a second", p ? p->label : "The job",
		      reads ? "read" : "wrote", pm_format_bytes(b, moved), reads ? "from" : "to",
		      pm_format_bytes(r, (int64_t)((double)moved * 1e6 / (double)f->wall_us)));
	if (call > 0)
		pm_advice_append(a, ", in calls of %s on average",
				 pm_format_bytes(c, (int64_t)call));
	if (pm_format_ratio(f->blkio_us, f->wall_us) >= 0.1)
		pm_advice_append(a, "; the job's processes waited %s for storage",
				 pm_format_duration(w, f->blkio_us));
	else if (pm_format_ratio(f->cgroup.io_us, f->wall_us) >= 0.1)
		pm_advice_append(a, "; for %s some of the job's processes waited for storage",
				 pm_format_duration(w, f->cgroup.io_us));
	else
		pm_advice_append(a, "; CPUs of %s stood idle for storage for %s in all",
				 f->iowait_us.host, pm_format_duration(w, f->iowait_us.count));
}

/* A tenth of the wall time was spent in waits for storage, which the job used. */
bool pm_advice_storage(const struct pm_facts *f, struct pm_advice *a)
{
	const double share = pm_advice_storage_share(f);
	const struct pm_fact_program *p = most_moved(f, job_reads(f));
	const struct pm_memoryuse u = pm_memoryuse(f);
	char b[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (!(share >= 0.1))
		return false;
	if (p)
		pm_advice_about(a, p);
	memcpy(a->host, f->iowait_us.host, sizeof a->host);
	a->cost_bytes = pm_format_add(f->read_bytes, f->write_bytes);
	pm_advice_cost_share(a, f, share);
	say_moved(f, p, a);
	/* What others read again on the host is counted, too. */
	if (f->refaulted.count < f->read_bytes / 2 || f->read_bytes < f->write_bytes)
		return pm_advice_say_more(a, ". Move less of it, in larger pieces and in order, or "
					     "use faster storage, such as a disk of the node.");
	pm_advice_append(a,
			 ". %s of what %s read had been in memory a short while before, which had "
			 "no room to "
			 "keep it",
			 pm_format_bytes(b, f->refaulted.count), f->refaulted.host);
	if (u.limited)
		pm_advice_append(
			a, ": the limit of the job's control group, %s, counts cached files, too",
			pm_format_bytes(m, u.allowed));
	pm_advice_append(a, ". %s",
			 u.limited ? "Ask for more memory" : "Use a host with more memory");
	return pm_advice_say_more(a, ", or read each part once.");
}

/* Time of a call that moves a few bytes, about: entry into the kernel, page cache, locks. */
#define CALL_US 1

/* What tiny calls of a program cost: no more than all its time in the kernel. */
static int64_t cost_of(const struct pm_fact_program *p, bool reads, bool writes)
{
	int64_t us = pm_format_scale(
		pm_format_add(reads ? p->tiny_reads : 0, writes ? p->tiny_writes : 0), CALL_US);

	return p->system_us >= 0 && p->system_us < us ? p->system_us : us;
}

static void say_calls(struct pm_advice *a, int64_t calls, const char *kind, int64_t bytes)
{
	char n[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	pm_advice_append(a, "%s %s calls of %s bytes each", pm_format_count(n, calls), kind,
			 pm_format_number(b, pm_format_ratio(bytes, calls)));
}

/* At least 100 000 calls in processes whose calls move less than 512 bytes on average. Other
 * processes of the same program do not count. */
bool pm_advice_tiny_io(const struct pm_facts *f, struct pm_advice *a)
{
	bool read = false, written = false;
	size_t found = 0;
	int64_t cost_us = 0;
	char n[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->by_tiny_n; i++) {
		const struct pm_fact_program *p = &f->by_tiny[i];
		bool reads = p->tiny_reads >= 100000, writes = p->tiny_writes >= 100000;

		read |= reads;
		written |= writes;
		if (!reads && !writes)
			continue;
		if (found == 0)
			pm_advice_about(a, p);
		cost_us = pm_format_add(cost_us, cost_of(p, reads, writes));
		if (found++ >= PM_ADVICE_NAMED)
			continue;
		pm_advice_append(a, "%s%s made ", found > 1 ? ", " : "", p->label);
		if (reads)
			say_calls(a, p->tiny_reads, "read", p->tiny_read_bytes);
		if (reads && writes)
			pm_advice_append(a, " and ");
		if (writes)
			say_calls(a, p->tiny_writes, "write", p->tiny_write_bytes);
		pm_advice_append(a, " on average");
	}
	if (found == 0)
		return false;
	if (found > PM_ADVICE_NAMED)
		pm_advice_append(
			a, ", and so did %s",
			pm_format_things(n, (int64_t)(found - PM_ADVICE_NAMED), "more program"));
	pm_advice_append(a, ". %s in larger pieces (a buffer of 64 kB) to save most of them.",
			 read && written ? "Read and write"
			 : read          ? "Read"
					 : "Write");
	pm_advice_cost_spread(a, f, cost_us);
	return true;
}
