/* How close a job came to the memory that it may use. */
#include "config.h"

#include "report/advice/memoryuse.h"

#include <math.h>

static void take(struct pm_memoryuse *u, int64_t peak, enum pm_memoryuse_of of)
{
	if (peak <= u->peak)
		return;
	u->peak = peak;
	u->of = of;
}

/* Set the peak: the largest of the three. Page cache is no part of any. */
static void use(struct pm_memoryuse *u, int64_t process, int64_t processes, int64_t group)
{
	u->peak = PM_UNKNOWN;
	take(u, process, PM_MEMORYUSE_PROCESS);
	take(u, processes, PM_MEMORYUSE_PROCESSES);
	if (u->limited)
		take(u, group, PM_MEMORYUSE_GROUP);
	u->share = pm_format_ratio(u->peak, u->allowed);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a > 0 && (b <= 0 || a < b) ? a : b;
}

static struct pm_memoryuse of_host(const struct pm_fact_host *h)
{
	const int64_t limit = smaller(h->memory_limit, h->group_limit);
	struct pm_memoryuse u = { .host = pm_facts_hostname(h) };

	u.limited = limit > 0 && (h->memory < 0 || limit < h->memory);
	u.allowed = u.limited ? limit : h->memory;
	use(&u, h->rss, h->rss_peak, h->group_anonymous);
	return u;
}

int64_t pm_memoryuse_allowed(const struct pm_facts *f, bool *limited)
{
	*limited = f->limited;
	if (f->cgroup.limit > 0 && (f->memory < 0 || f->cgroup.limit <= f->memory)) {
		*limited = true;
		return f->cgroup.limit;
	}
	return f->memory;
}

struct pm_memoryuse pm_memoryuse(const struct pm_facts *f)
{
	struct pm_memoryuse most = { .peak = f->rss, .allowed = PM_UNKNOWN, .share = NAN };
	bool alike = true;

	most.host = "";
	if (f->hosts_count <= 1) {
		most.allowed = pm_memoryuse_allowed(f, &most.limited);
		use(&most, f->rss, f->rss_tree, f->cgroup.anonymous);
		return most;
	}
	for (size_t i = 0; i < f->hosts; i++) {
		struct pm_memoryuse u = of_host(&f->host[i]);

		if (isnan(most.share) ? !isnan(u.share) : u.share > most.share)
			most = u;
		alike &= u.allowed == of_host(&f->host[0]).allowed;
	}
	/* Of retired processes it is not known where they ran. */
	if (isnan(most.share) && alike) {
		most.allowed = pm_memoryuse_allowed(f, &most.limited);
		use(&most, f->rss, PM_UNKNOWN, PM_UNKNOWN);
	}
	return most;
}
