/* Which columns which kind of record has, as the collector writes them. */
#include "config.h"

#include "tests/progs/generate_lines.h"

#include "common/safe/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const event[] = {
	"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "PAPI_TOT_INS", "PAPI_TOT_CYC",
	"PAPI_L1_DCM",      "PAPI_L2_TCM",       "PAPI_BR_MSP",  "PAPI_TLB_DM",
};

static void text(struct pm_record *r, enum pm_column c, const char *s)
{
	pm_record_text(r, c, s, strlen(s));
}

static size_t format(const struct pm_record *r, char *line, size_t cap)
{
	struct pm_buf b;

	/* Every batch begins with a newline: see perfmon-tsv(5). */
	pm_buf_init(&b, line, cap);
	pm_buf_ch(&b, '\n');
	pm_record_format(r, &b);
	if (b.truncated) {
		fprintf(stderr, "generate: a line is too long\n");
		exit(1);
	}
	return b.len;
}

static void key(struct pm_record *r, const char *kind, const struct process *p)
{
	pm_record_clear(r);
	text(r, PM_COL_record, kind);
	text(r, PM_COL_boot_id, p->boot_id);
	text(r, PM_COL_hostname, p->hostname);
	pm_record_int(r, PM_COL_pid_ns, p->pid_ns);
	pm_record_int(r, PM_COL_pid, p->pid);
}

static void image(struct pm_record *r, const struct process *p)
{
	pm_record_int(r, PM_COL_starttime, p->starttime);
	pm_record_int(r, PM_COL_image_us, p->image_us);
	pm_record_int(r, PM_COL_tid, p->pid);
	pm_record_int(r, PM_COL_start_us, p->image_us);
	text(r, PM_COL_exename, p->exe);
	text(r, PM_COL_thread_name, p->name);
}

/* What getrusage tells. */
static void rusage(struct pm_record *r, const struct usage *u)
{
	pm_record_int(r, PM_COL_usertime, u->user);
	pm_record_int(r, PM_COL_systemtime, u->sys);
	pm_record_int(r, PM_COL_minflt, u->minflt);
	pm_record_int(r, PM_COL_majflt, 0);
	pm_record_int(r, PM_COL_inblock, 0);
	pm_record_int(r, PM_COL_outblock, u->outblock);
	pm_record_int(r, PM_COL_vol_ctxsw, u->vol);
	pm_record_int(r, PM_COL_invol_ctxsw, u->invol);
}

/* What /proc tells. */
static void proc(struct pm_record *r, const struct usage *u, int64_t duration_us)
{
	pm_record_int(r, PM_COL_processor, u->minflt % 2);
	pm_record_int(r, PM_COL_guest_time, 0);
	pm_record_int(r, PM_COL_rchar, u->rchar);
	pm_record_int(r, PM_COL_wchar, u->wchar);
	pm_record_int(r, PM_COL_syscr, u->syscr);
	pm_record_int(r, PM_COL_syscw, u->syscw);
	pm_record_int(r, PM_COL_read_bytes, 0);
	pm_record_int(r, PM_COL_write_bytes, u->write_bytes);
	pm_record_int(r, PM_COL_cancelled_write_bytes, 0);
	pm_record_int(r, PM_COL_time_oncpu, 1000 * (u->user + u->sys) + u->rchar % 1000);
	pm_record_int(r, PM_COL_time_waiting, 37 * u->minflt + 13 * u->vol);
	pm_record_int(r, PM_COL_timeslices, u->vol + u->invol + 1);
	pm_record_int(r, PM_COL_rdtsc_duration, 2300 * duration_us + u->minflt);
}

/* Counters of a share of what a process did, the second one counted half of the time. The text
 * lives until the next call. */
static void counters(struct pm_record *r, const struct said *s, const struct usage *u, int share)
{
	static char list[512];
	int64_t cpu_us = (u->user + u->sys) / share;
	size_t n = 0, known = sizeof event / sizeof event[0];

	for (size_t i = 0; i < (size_t)s->events && i < known; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s=%lld%s", i ? " " : "",
				      event[i],
				      (long long)(i == 0   ? 1000 * cpu_us
						  : i == 1 ? u->minflt / share
							   : (int64_t)(i + 1) * 523 * cpu_us),
				      i == 1 ? "@0.500" : "");
	if (n)
		pm_record_text(r, PM_COL_counters, list, n);
}

size_t line_start(char *line, size_t cap, const struct process *p, const struct said *s,
		  const char *path, const char *args)
{
	struct pm_record r;

	key(&r, "start", p);
	image(&r, p);
	pm_record_int(&r, PM_COL_ppid, p->ppid);
	pm_record_int(&r, PM_COL_pgid, p->pgid);
	pm_record_int(&r, PM_COL_sid, p->pgid);
	pm_record_int(&r, PM_COL_uid, 1000);
	text(&r, PM_COL_path, path);
	text(&r, PM_COL_args, args);
	if (s->tags[0])
		text(&r, PM_COL_tags, s->tags);
	text(&r, PM_COL_jobid, s->jobid);
	text(&r, PM_COL_version, PACKAGE_VERSION);
	rusage(&r, &p->own);
	return format(&r, line, cap);
}

size_t line_thread(char *line, size_t cap, const struct process *p, const struct said *s,
		   int number, int64_t now_us)
{
	struct usage u = p->own;
	struct pm_record r;

	u.user /= p->threads;
	u.sys /= p->threads;
	u.minflt /= p->threads;
	u.rchar /= p->threads;
	key(&r, "thread", p);
	image(&r, p);
	pm_record_unset(&r, PM_COL_exename);
	pm_record_int(&r, PM_COL_tid, p->pid + number);
	pm_record_int(&r, PM_COL_starttime, p->starttime + number);
	pm_record_int(&r, PM_COL_start_us, p->image_us + number * 35);
	pm_record_int(&r, PM_COL_end_us, now_us);
	pm_record_int(&r, PM_COL_duration_us, now_us - p->image_us - number * 35);
	rusage(&r, &u);
	proc(&r, &u, now_us - p->image_us);
	counters(&r, s, &p->own, p->threads);
	return format(&r, line, cap);
}

size_t line_end(char *line, size_t cap, const struct process *p, const struct said *s,
		const char *why, int code, int64_t now_us)
{
	struct pm_record r;

	key(&r, "end", p);
	image(&r, p);
	pm_record_int(&r, PM_COL_end_us, now_us);
	pm_record_int(&r, PM_COL_duration_us, now_us - p->image_us);
	text(&r, PM_COL_end_reason, why);
	if (code >= 0)
		pm_record_int(&r, PM_COL_exitcode, code);
	if (now_us - p->image_us >= 1000)
		text(&r, PM_COL_cgroup,
		     "/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0");
	pm_record_int(&r, PM_COL_numtids, p->threads);
	pm_record_int(&r, PM_COL_num_threads, 1);
	pm_record_int(&r, PM_COL_rssmax, p->rss_kb);
	pm_record_int(&r, PM_COL_vmpeak, 2 * p->rss_kb + 1000);
	pm_record_int(&r, PM_COL_cminflt, p->children.minflt);
	pm_record_int(&r, PM_COL_cmajflt, 0);
	pm_record_int(&r, PM_COL_cutime, p->children.user);
	pm_record_int(&r, PM_COL_cstime, p->children.sys);
	rusage(&r, &p->own);
	proc(&r, &p->own, now_us - p->image_us);
	counters(&r, s, &p->own, 1);
	pm_record_int(&r, PM_COL_own_overhead_us, OWN_CPU_US + 20 + p->pid % 50);
	pm_record_int(&r, PM_COL_own_cpu_us, OWN_CPU_US);
	pm_record_int(&r, PM_COL_own_minflt, 2);
	pm_record_int(&r, PM_COL_own_outblock, 0);
	pm_record_int(&r, PM_COL_own_rchar, 2122);
	pm_record_int(&r, PM_COL_own_wchar, 601);
	pm_record_int(&r, PM_COL_own_syscr, 5);
	pm_record_int(&r, PM_COL_own_syscw, 1);
	return format(&r, line, cap);
}

size_t line_reaped(char *line, size_t cap, const struct process *parent,
		   const struct process *child, int code, int sig, int64_t now_us)
{
	struct usage u = child->own;
	struct pm_record r;

	u.user += child->children.user;
	u.sys += child->children.sys + TAIL_US;
	u.minflt += child->children.minflt;
	key(&r, "reaped", parent);
	pm_record_int(&r, PM_COL_pid, child->pid);
	pm_record_int(&r, PM_COL_ppid, parent->pid);
	pm_record_int(&r, PM_COL_end_us, now_us);
	if (sig)
		pm_record_int(&r, PM_COL_exitsignal, sig);
	else
		pm_record_int(&r, PM_COL_exitcode, code);
	rusage(&r, &u);
	pm_record_int(&r, PM_COL_rssmax, child->rss_kb);
	return format(&r, line, cap);
}
