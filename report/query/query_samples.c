/* Facts of a job: CPU use and memory over time, from the samples of its processes. */
#include "config.h"

#include "report/query/query.h"

#include "report/rows/processticks.h"
#include "report/rows/query_row.h"

#include <math.h>

struct state {
	struct pm_facts *f;
	/* over all hosts */
	double cpu_us[PM_FACTS_STEPS], covered_us[PM_FACTS_STEPS];
	double rss[PM_FACTS_STEPS];
	double busy_us[64]; /* element n: time in which n CPUs were busy */
	double timed_us;
	double cpu_peak, rss_peak;
	int hosts; /* with samples */
	/* of the host being read */
	double host_rss[PM_FACTS_STEPS], host_rss_peak;
	double cpus;       /* CPUs of the host; NaN: unknown */
	double carried_us; /* CPU time that its last interval is too short for */
	struct pm_process_tick last;
	bool has_last;
};

static int step_of(const struct pm_facts *f, int64_t time_us)
{
	double step =
		((double)time_us - (double)f->line_start_us) * PM_FACTS_STEPS / (double)f->line_us;

	return step < 0 ? 0 : step >= PM_FACTS_STEPS ? PM_FACTS_STEPS - 1 : (int)step;
}

/* Spread the CPU time used between two ticks over the steps between them. */
static void add_interval(struct state *s, int64_t from, int64_t to, double used_us)
{
	double width = (double)s->f->line_us / PM_FACTS_STEPS;
	double length = (double)to - (double)from, rate = used_us / length;

	for (int i = step_of(s->f, from); i <= step_of(s->f, to); i++) {
		double a = (double)s->f->line_start_us + i * width, b = a + width;

		a = a > (double)from ? a : (double)from;
		b = b < (double)to ? b : (double)to;
		if (b > a) {
			s->cpu_us[i] += rate * (b - a);
			s->covered_us[i] += b - a;
		}
	}
	s->timed_us += length;
	if (rate >= 0) {
		/* The kernel counts in clock ticks, so a busy CPU reads as 0.97 to 1.03 CPUs. */
		s->busy_us[rate < 62 ? (int)(rate + 0.9) : 63] += length;
	}
	if (rate > s->cpu_peak || isnan(s->cpu_peak))
		s->cpu_peak = rate;
}

/* The CPU time of an interval: no more than its host's CPUs have in it. A tick's values are read a
 * little after its stamp, so that an interval may count what belongs to the next one. */
static double fit(struct state *s, double used_us, double length_us)
{
	double most = s->cpus * length_us;

	used_us += s->carried_us;
	s->carried_us = used_us > most ? used_us - most : 0;
	return used_us - s->carried_us;
}

static int take_tick(void *ctx, const struct pm_process_tick *now, struct pm_err *e)
{
	struct state *s = ctx;
	double used = now->user_us + now->system_us - s->last.user_us - s->last.system_us;

	(void)e;
	if (!isnan(now->memory)) {
		int i = step_of(s->f, now->time_us);
		int first =
			s->has_last && !isnan(s->last.memory) ? step_of(s->f, s->last.time_us) : i;

		/* Steps between two ticks get the value of the earlier tick. */
		for (int k = first; k < i; k++)
			if (isnan(s->host_rss[k]) || s->host_rss[k] < s->last.memory)
				s->host_rss[k] = s->last.memory;
		if (isnan(s->host_rss[i]) || s->host_rss[i] < now->memory)
			s->host_rss[i] = now->memory;
		if (isnan(s->host_rss_peak) || s->host_rss_peak < now->memory)
			s->host_rss_peak = now->memory;
	}
	if (s->has_last && now->time_us > s->last.time_us && used >= 0)
		add_interval(s, s->last.time_us, now->time_us,
			     fit(s, used, (double)now->time_us - (double)s->last.time_us));
	s->last = *now;
	s->has_last = true;
	return 0;
}

static void end_host(struct state *s, int64_t host)
{
	if (!s->has_last)
		return;
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		if (!isnan(s->host_rss[i]))
			s->rss[i] = (isnan(s->rss[i]) ? 0 : s->rss[i]) + s->host_rss[i];
		s->host_rss[i] = NAN;
	}
	for (size_t i = 0; i < s->f->hosts; i++)
		if (s->f->host[i].id == host && s->host_rss_peak >= 0 && s->host_rss_peak < 9e18)
			s->f->host[i].rss_peak = (int64_t)s->host_rss_peak;
	/* Hosts peak at different times; finish_lines() takes the peak over all hosts from the
	 * steps. */
	s->rss_peak = s->host_rss_peak;
	s->host_rss_peak = NAN;
	s->has_last = false;
	s->carried_us = 0;
	s->hosts++;
}

static void finish_lines(struct state *s)
{
	struct pm_facts *f = s->f;
	double step = (double)f->line_us / PM_FACTS_STEPS, below = 0;

	if (s->timed_us > 0) {
		f->sampled = true;
		f->cpu.known = true;
		f->cpu.peak = s->hosts == 1 ? s->cpu_peak : NAN;
		for (int i = 0; i < PM_FACTS_STEPS; i++) {
			/* Of a step that samples cover only in part, take the covered part. */
			f->cpu.step[i] = s->covered_us[i] > 0.2 * step
						 ? s->cpu_us[i] / s->covered_us[i] * s->hosts
						 : NAN;
			if (s->hosts != 1 &&
			    f->cpu.step[i] > (isnan(f->cpu.peak) ? 0 : f->cpu.peak))
				f->cpu.peak = f->cpu.step[i];
		}
		for (int n = 0; n < 64 && s->hosts == 1; n++) {
			below += s->busy_us[n];
			f->busy_at_most[n] = below / s->timed_us;
		}
	}
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		f->rss_line.step[i] = s->rss[i];
		if (isnan(s->rss[i]))
			continue;
		f->rss_line.known = true;
		if (s->hosts != 1 && !(s->rss_peak >= s->rss[i]))
			s->rss_peak = s->rss[i];
	}
	if (f->rss_line.known && s->rss_peak >= 0) {
		f->rss_line.peak = s->rss_peak;
		f->rss_tree = s->rss_peak < 9e18 ? (int64_t)s->rss_peak : PM_UNKNOWN;
	}
}

static double cpus_of(const struct pm_facts *f, int64_t host)
{
	const int64_t i = pm_facts_host_index(f, host);

	return i >= 0 && f->host[i].cpus_online > 0 ? (double)f->host[i].cpus_online : NAN;
}

/* Read the samples of every host. Returns 0 or -1 with e filled. */
static int read_hosts(struct state *s, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_process_ticks *ticks = pm_process_ticks_new(db, job, e);
	struct pm_stmt *q;
	int rc = -1;

	if (!ticks)
		return -1;
	if (pm_query_prepare(db, "SELECT id FROM host WHERE job_id = ? ORDER BY id", job, &q, e) <
	    0)
		goto out;
	while ((rc = pm_db_step(q, e)) > 0) {
		s->cpus = cpus_of(s->f, pm_db_int(q, 0));
		if (pm_process_ticks_read(ticks, pm_db_int(q, 0), take_tick, s, e) < 0) {
			rc = -1;
			break;
		}
		end_host(s, pm_db_int(q, 0));
	}
	pm_db_finish(q);
out:
	pm_process_ticks_free(ticks);
	return rc;
}

int pm_query_samples(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] = "SELECT coalesce(sum(CAST(samples AS double precision)), 0)"
				  " FROM series_summary WHERE job_id = ?";
	struct state s = { .f = f, .cpu_peak = NAN, .rss_peak = NAN, .host_rss_peak = NAN };
	struct pm_stmt *q;
	int rc;

	if (f->retired)
		return 0;
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	f->samples = rc > 0 ? pm_query_sum(q, 0) : PM_UNKNOWN;
	pm_db_finish(q);
	if (rc < 0 || f->samples <= 0 || f->line_us <= 0)
		return rc < 0 ? -1 : 0;
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		s.rss[i] = s.host_rss[i] = NAN;
	rc = read_hosts(&s, db, job, e);
	if (rc == 0)
		finish_lines(&s);
	return rc;
}
