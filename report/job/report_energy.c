/* The report's lines about energy. */
#include "config.h"

#include "report/job/report_text.h"

#include <math.h>
#include <string.h>

/* Why no host has an energy, in the words of the samples. */
static const char *find_reason(const struct pm_facts *f)
{
	for (size_t i = 0; i < f->hosts; i++)
		if (*f->host[i].energy.reason && strcmp(f->host[i].energy.reason, "no meter") != 0)
			return f->host[i].energy.reason;
	return "no meter";
}

static const char *describe_method(const struct pm_facts *f)
{
	return strcmp(f->energy.method, "counter") == 0 ? "by energy counters"
	       : strcmp(f->energy.method, "power") == 0 ? "by adding up power"
							: "by energy counters and adding up power";
}

/* What is in the energy: "the nodes", or what of them. */
static void print_parts(const struct pm_page *p, const struct pm_facts *f)
{
	static const char *const name[PM_FACTS_PARTS] = { "nodes", "processors", "memory", "GPUs" };
	const char *begin = f->energy.part_hosts[PM_ENERGY_NODE] > 0
				    ? "measured, of which a node contains the others: "
				    : "measured: ";
	char a[PM_FORMAT_MAX], n[PM_FORMAT_MAX], line[PM_FACTS_PARTS * 2 * PM_FORMAT_MAX];
	size_t len = 0;

	for (int k = 0; k < PM_FACTS_PARTS; k++) {
		int64_t hosts = f->energy.part_hosts[k];

		if (hosts <= 0)
			continue;
		len += (size_t)snprintf(line + len, sizeof line - len, "%s%s %s",
					len ? ", " : begin, name[k],
					pm_format_energy(a, f->energy.part_uj[k]));
		if (hosts < f->hosts_count)
			len += (size_t)snprintf(line + len, sizeof line - len, " on %s",
						pm_format_things(n, hosts, "host"));
	}
	if (len)
		pm_page_pair(p, "", line);
}

/* How the energy is attributed to programs, where some of it is that of GPUs. */
static void print_shares(const struct pm_page *p, const struct pm_facts *f)
{
	const double left = pm_facts_energy_left(f), gpu = f->energy.gpu_shared_uj;
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX];

	if (isnan(left) || !(f->energy.gpu_uj > 0))
		return;
	pm_page_pairf(p, "",
		      "of programs, estimated: %s by CPU time, %s by GPU time; %s not attributed",
		      pm_format_energy(a, (int64_t)((double)f->energy.uj - gpu - left)),
		      pm_format_energy(b, (int64_t)gpu), pm_format_energy(c, (int64_t)left));
}

void pm_report_energy(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX], c[PM_FORMAT_MAX], d[PM_FORMAT_MAX];

	if (f->energy.hosts == PM_UNKNOWN)
		return;
	if (f->energy.uj == PM_UNKNOWN) {
		pm_page_pairf(p, "Energy", "unknown: %s", find_reason(f));
		return;
	}
	pm_page_pairf(p, "Energy", "%s: %s on average, at most %s, %s",
		      pm_format_joules(a, f->energy.uj), pm_format_power(b, f->energy.mean_uw),
		      pm_format_power(c, f->energy.peak_uw), describe_method(f));
	if (f->energy.hosts < f->hosts_count)
		pm_page_pairf(p, "",
			      "of %s of %s: the others have no energy meter that could be read",
			      pm_format_count(a, f->energy.hosts),
			      pm_format_things(b, f->hosts_count, "host"));
	if (f->energy.coverage < 0.99)
		pm_page_pairf(
			p, "",
			"all meters were read in %s of the hosts' time with the job; the rest "
			"is missing in it",
			pm_format_share(d, f->energy.coverage));
	print_parts(p, f);
	print_shares(p, f);
}
