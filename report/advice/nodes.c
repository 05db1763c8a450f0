/* Advice on ranks, nodes and the network between them. */
#include "config.h"

#include "report/advice/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work is uneven from this ratio of the most to the mean on: the others idle a fifth of the time.
 */
#define UNEVEN 1.25

/* The run of a parallel program whose busiest rank used a quarter more CPU time than the mean, and
 * a fifth of the wall time; NULL: none. Ranks that wait busily hide it: their waiting is CPU time.
 */
static const struct pm_ranks_run *uneven_run(const struct pm_facts *f)
{
	const struct pm_ranks_run *r = pm_ranks_uneven(f->parallel);
	const struct pm_ranks_spread *cpu = r ? &r->spread[PM_RANKS_CPU] : NULL;

	return r && cpu->mean > 0 && cpu->most >= UNEVEN * cpu->mean &&
			       cpu->most >= 0.2 * (double)f->wall_us
		       ? r
		       : NULL;
}

bool pm_advice_uneven_ranks(const struct pm_facts *f, struct pm_advice *a)
{
	const struct pm_ranks_run *r = uneven_run(f);
	const struct pm_ranks_spread *cpu;
	char m[PM_FORMAT_MAX], n[PM_FORMAT_MAX], l[PM_FORMAT_MAX];
	int64_t host;

	if (!r)
		return false;
	cpu = &r->spread[PM_RANKS_CPU];
	host = pm_facts_host_index(f, r->busiest_host);
	pm_advice_cost_share(a, f, r->cost_us / (double)f->wall_us);
	if (host >= 0)
		memcpy(a->host, f->host[host].name, sizeof a->host);
	return pm_advice_say(
		a,
		"MPI ranks had uneven work: rank %lld on %s used %s of CPU time, the mean is %s, "
		"the "
		"least %s (rank %lld). The others wait for it: distribute the work more evenly.",
		(long long)cpu->most_at, *a->host ? a->host : "its host",
		pm_format_duration(m, (int64_t)cpu->most),
		pm_format_duration(n, (int64_t)cpu->mean),
		pm_format_duration(l, (int64_t)cpu->least), (long long)cpu->least_at);
}

/* CPU time of a host for each of its CPUs that the job may use; NaN if unknown. */
static double host_use(const struct pm_fact_host *h)
{
	int64_t cpus = pm_facts_cpus(h);

	return cpus > 0 ? pm_format_ratio(h->cpu_us, cpus) : NAN;
}

/* Hosts that did next to nothing, or one that did a quarter more than the mean where no rank
 * explains that already. */
bool pm_advice_uneven_nodes(const struct pm_facts *f, struct pm_advice *a)
{
	char n[PM_FORMAT_MAX], s[PM_FORMAT_MAX], m[PM_FORMAT_MAX], t[PM_FORMAT_MAX];
	double sum = 0, most = -1;
	const struct pm_fact_host *busiest = NULL;
	int64_t idle = 0;

	if (f->hosts < 2 || f->running > 0)
		return false;
	for (size_t i = 0; i < f->hosts; i++) {
		double use = host_use(&f->host[i]);

		if (isnan(use))
			return false;
		sum += use;
		if (use > most) {
			most = use;
			busiest = &f->host[i];
		}
	}
	for (size_t i = 0; i < f->hosts; i++)
		idle += host_use(&f->host[i]) < 0.05 * most;
	if (!busiest || !(most >= UNEVEN * sum / (double)f->hosts) ||
	    !(most >= 0.2 * (double)f->wall_us) || (idle == 0 && uneven_run(f)))
		return false;
	pm_advice_cost_share(a, f, 1 - sum / (double)f->hosts / most);
	memcpy(a->host, busiest->name, sizeof a->host);
	if (idle > 0)
		return pm_advice_say(
			a,
			"%s of %s hosts did next to nothing: %s used %s of CPU time. See whether "
			"all hosts were to start processes, or ask for fewer.",
			pm_format_count(n, idle), pm_format_count(s, (int64_t)f->hosts),
			pm_facts_hostname(busiest), pm_format_duration(m, busiest->cpu_us));
	return pm_advice_say(a,
			     "Hosts had uneven work: %s kept each of its CPUs busy for %s, the "
			     "mean of all is %s. "
			     "Distribute the work more evenly.",
			     pm_facts_hostname(busiest), pm_format_duration(m, (int64_t)most),
			     pm_format_duration(t, (int64_t)(sum / (double)f->hosts)));
}

/* Share of the time that threads wanted to run in which they waited for a CPU. */
static double share_waited(const struct pm_fact_host *h)
{
	return h->oncpu_us < 0
		       ? NAN
		       : pm_format_ratio(h->waiting_us, pm_format_add(h->oncpu_us, h->waiting_us));
}

/* Time that threads waited for a CPU, in us; NaN if unknown. */
static double waited(const struct pm_fact_host *h)
{
	return h->waiting_us < 0 ? NAN : (double)h->waiting_us;
}

/* The mean of a figure over the other hosts where it is known; NaN: it is known of none. */
static double others(const struct pm_facts *f, const struct pm_fact_host *but,
		     double (*figure)(const struct pm_fact_host *))
{
	double sum = 0;
	int n = 0;

	for (size_t i = 0; i < f->hosts; i++)
		if (&f->host[i] != but && !isnan(figure(&f->host[i]))) {
			sum += figure(&f->host[i]);
			n++;
		}
	return n ? sum / n : NAN;
}

static double frequency(const struct pm_fact_host *h)
{
	return h->frequency_hz;
}

/* Whether another host has the same model of processor, or may have it: one of the two is not
 * known. */
static bool has_like(const struct pm_facts *f, const struct pm_fact_host *h)
{
	for (size_t i = 0; i < f->hosts; i++)
		if (&f->host[i] != h && (!*h->cpu_model || !*f->host[i].cpu_model ||
					 strcmp(f->host[i].cpu_model, h->cpu_model) == 0))
			return true;
	return false;
}

/* One host whose clocks were 15 % slower than those of the others, or whose threads waited for CPUs
 * a fifth of the time and three times as long as those of the others. */
bool pm_advice_slow_node(const struct pm_facts *f, struct pm_advice *a)
{
	char x[PM_FORMAT_MAX], y[PM_FORMAT_MAX], z[PM_FORMAT_MAX];

	for (size_t i = 0; i < f->hosts && f->hosts >= 2; i++) {
		const struct pm_fact_host *h = &f->host[i];
		double rest = others(f, h, frequency), ratio = h->frequency_hz / rest;

		/* The clocks of a host that did not do half as much as the others are low. */
		if (!(host_use(h) >= 0.5 * others(f, h, host_use)))
			continue;
		memcpy(a->host, h->name, sizeof a->host);
		if (ratio < 0.85) {
			pm_advice_cost_share(a, f, 1 - ratio);
			return pm_advice_say(
				a,
				"%s was slow: its clocks ran at %s GHz on average, those of the "
				"other hosts at %s GHz. All wait for the slowest: %s.",
				pm_facts_hostname(h), pm_format_number(x, h->frequency_hz / 1e9),
				pm_format_number(y, rest / 1e9),
				has_like(f, h) ? "have the node checked"
					       : "it has another processor, ask for nodes of one "
						 "kind");
		}
		rest = others(f, h, waited);
		if (share_waited(h) >= 0.2 && waited(h) >= 3 * rest && waited(h) >= 2000000) {
			pm_advice_cost_share(a, f, share_waited(h));
			return pm_advice_say(a,
					     "%s was slow: threads there waited %s for a free CPU, "
					     "%s of the time they wanted to run, on the other "
					     "hosts %s on average. Other work ran there, or more "
					     "of the job's threads than its CPUs.",
					     pm_facts_hostname(h),
					     pm_format_duration(x, h->waiting_us),
					     pm_format_share(z, share_waited(h)),
					     pm_format_duration(y, (int64_t)rest));
		}
		a->host[0] = '\0';
	}
	return false;
}

/* Bytes a second in MB that all hosts sent, or received; NaN unless all hosts have them. */
static double rate_of(const struct pm_facts *f, enum pm_nodesummary_id way)
{
	double mib = 0;

	for (size_t i = 0; i < f->hosts; i++)
		mib += f->host[i].summary[way];
	return f->hosts && f->wall_us > 0 ? mib * 1048576 / (double)f->wall_us : NAN;
}

double pm_advice_network_rate(const struct pm_facts *f)
{
	return rate_of(f, PM_NODESUMMARY_total_net_io_ext_sent_mb) +
	       rate_of(f, PM_NODESUMMARY_total_net_io_ext_recv_mb);
}

/* The usual link, in Gbit/s, that carries a rate in MB/s and is full to two thirds with it; 0:
 * none. What the links of a host are is not recorded. */
static int full_link(double rate)
{
	static const int usual[] = { 1, 10, 25, 40, 50, 100, 200, 400 };

	for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
		if (rate >= 125 * usual[i] * 0.64 && rate <= 125 * usual[i])
			return usual[i];
	return 0;
}

/* TCP sent a hundredth of its segments again, a thousand at least; or the hosts sent or received as
 * much each as fills a usual link to two thirds, while CPUs were idle. */
bool pm_advice_network(const struct pm_facts *f, struct pm_advice *a)
{
	const double lost = pm_format_ratio(f->retransmits.count, f->retransmits.of),
		     sent = rate_of(f, PM_NODESUMMARY_total_net_io_ext_sent_mb) / (double)f->hosts,
		     received =
			     rate_of(f, PM_NODESUMMARY_total_net_io_ext_recv_mb) / (double)f->hosts;
	const bool again = lost >= 0.01 && f->retransmits.count >= 1000, idle = f->efficiency < 0.7;
	const int link = idle ? full_link(fmax(sent, received)) : 0;
	char n[PM_FORMAT_MAX], m[PM_FORMAT_MAX];

	if (!again && !link)
		return false;
	if (idle)
		pm_advice_cost_share(a, f, 1 - f->efficiency);
	if (again) {
		memcpy(a->host, f->retransmits.host, sizeof a->host);
		pm_advice_say(a,
			      "TCP sent %s segments again on %s, %s of all that the host sent: the "
			      "network lost or delayed them, and their receivers waited.",
			      pm_format_count(n, f->retransmits.count), f->retransmits.host,
			      pm_format_share(m, lost));
	}
	if (link) {
		a->cost_bytes = (int64_t)(pm_advice_network_rate(f) * (double)f->wall_us);
		pm_advice_append(a,
				 "%sEach host sent %s and received %s a second through its network "
				 "while CPUs were "
				 "idle: about what a link of %d Gbit/s carries. If theirs is one, "
				 "it is the limit: send "
				 "less, or use a faster network.",
				 again ? " " : "", pm_format_bytes(n, (int64_t)(sent * 1e6)),
				 pm_format_bytes(m, (int64_t)(received * 1e6)), link);
	}
	return true;
}
