/* Facts of a job: CPU use and memory over time, from the samples of its processes. */
#include "config.h"

#include "report/query/query.h"

#include "report/query/query_row.h"

#include <math.h>
#include <string.h>

/* The sampler's names of the series read here: CPU times are counters in us, memory is in bytes. */
#define SOURCE        "process"
#define METRIC_USER   "usertime"
#define METRIC_SYSTEM "systemtime"
#define METRIC_RSS    "rss"

/* One reading of one host. */
struct tick {
	int64_t time_us;
	double user, system, rss; /* NaN: unknown */
};

struct state {
	struct pm_facts *f;
	/* over all hosts */
	double cpu_us[PM_FACTS_STEPS], covered_us[PM_FACTS_STEPS];
	double rss[PM_FACTS_STEPS];
	double busy_us[64]; /* element n: time in which n CPUs were busy */
	double timed_us;
	double cpu_peak, rss_peak;
	/* of the host being read */
	int64_t host;
	int hosts;
	double host_rss[PM_FACTS_STEPS], host_rss_peak;
	struct tick last, now;
	bool has_last, has_now;
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

/* Process the complete tick in s->now. */
static void end_tick(struct state *s)
{
	double used;

	if (!s->has_now)
		return;
	if (!isnan(s->now.rss)) {
		int i = step_of(s->f, s->now.time_us);
		int first = s->has_last && !isnan(s->last.rss) ? step_of(s->f, s->last.time_us) : i;

		/* Steps between two ticks get the value of the earlier tick. */
		for (int k = first; k < i; k++)
			if (isnan(s->host_rss[k]) || s->host_rss[k] < s->last.rss)
				s->host_rss[k] = s->last.rss;
		if (isnan(s->host_rss[i]) || s->host_rss[i] < s->now.rss)
			s->host_rss[i] = s->now.rss;
		if (isnan(s->host_rss_peak) || s->host_rss_peak < s->now.rss)
			s->host_rss_peak = s->now.rss;
	}
	used = s->now.user + s->now.system - s->last.user - s->last.system;
	if (s->has_last && s->now.time_us > s->last.time_us && used >= 0)
		add_interval(s, s->last.time_us, s->now.time_us, used);
	s->last = s->now;
	s->has_last = true;
	s->has_now = false;
}

static void end_host(struct state *s)
{
	end_tick(s);
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		if (!isnan(s->host_rss[i]))
			s->rss[i] = (isnan(s->rss[i]) ? 0 : s->rss[i]) + s->host_rss[i];
		s->host_rss[i] = NAN;
	}
	/* Hosts peak at different times; finish_lines() takes the peak over all hosts from the
	 * steps. */
	s->rss_peak = s->host_rss_peak;
	s->host_rss_peak = NAN;
	s->has_last = false;
	s->hosts++;
}

static void start_tick(struct state *s, int64_t time_us)
{
	s->now = (struct tick){ time_us, NAN, NAN, NAN };
	s->has_now = true;
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

static int read_samples(struct pm_stmt *q, struct state *s, struct pm_err *e)
{
	bool any = false;
	int rc;

	while ((rc = pm_db_step(q, e)) > 0) {
		int64_t host = pm_db_int(q, 0), time_us = pm_db_int(q, 2);
		const char *metric = pm_db_text(q, 1, NULL);
		double value = pm_query_real(q, 3);

		if (any && host != s->host)
			end_host(s);
		if (!s->has_now || s->now.time_us != time_us) {
			end_tick(s);
			start_tick(s, time_us);
		}
		s->host = host;
		any = true;
		if (strcmp(metric, METRIC_USER) == 0)
			s->now.user = value;
		else if (strcmp(metric, METRIC_SYSTEM) == 0)
			s->now.system = value;
		else
			s->now.rss = value;
	}
	if (any)
		end_host(s);
	return rc;
}

int pm_query_samples(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT s.host_id, s.metric, x.time_us, x.value"
		" FROM series s JOIN sample x ON x.job_id = s.job_id AND x.series_id = s.id"
		" WHERE s.job_id = ? AND s.source = '" SOURCE "' AND s.object = ''"
		" AND s.kind IN ('gauge', 'counter') AND s.metric IN ('" METRIC_USER
		"', '" METRIC_SYSTEM "', '" METRIC_RSS "')"
		" ORDER BY s.host_id, x.time_us, s.metric";
	struct state s = { .f = f, .cpu_peak = NAN, .rss_peak = NAN, .host_rss_peak = NAN };
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, "SELECT COUNT(*) FROM sample WHERE job_id = ?", job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	f->samples = rc > 0 ? pm_db_int(q, 0) : PM_UNKNOWN;
	pm_db_finish(q);
	if (rc < 0 || f->samples <= 0 || f->line_us <= 0)
		return rc < 0 ? -1 : 0;
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		s.rss[i] = s.host_rss[i] = NAN;
	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	rc = read_samples(q, &s, e);
	pm_db_finish(q);
	if (rc == 0)
		finish_lines(&s);
	return rc;
}
