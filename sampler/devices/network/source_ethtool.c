/*
 * Source "ethtool": counters of the drivers of network interfaces, those of the setting ethtool,
 * as `ethtool -S` shows them (linux/ethtool.h). There may be thousands, whose names differ from
 * driver to driver; what they mean and whether they are counters only the driver knows.
 */
#include "config.h"

#include "common/grow.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "sampler/kernel/counter.h"
#include "sampler/source.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Counters of a driver, interfaces, and counters with series, at most. */
#define STRINGS_MAX  65536
#define LINKS_MAX    64
#define COUNTERS_MAX 1024

/* Time between two looks for interfaces and names. */
#define LOOK_US 60000000

static const struct pm_metric metrics[] = {
	{ "count", "n", "a counter of an interface's driver", "counter", false, PM_METRIC_COUNTER },
};

struct counter {
	unsigned at; /* among the driver's */
	int series;
	char *name; /* of its series; owned */
	bool seen;  /* by the latest look */
	struct pm_counter counter;
};

struct link {
	char name[IF_NAMESIZE];
	bool seen;
	unsigned strings; /* the driver has */
	struct counter *counter;
	size_t count, capacity;
};

struct state {
	int fd;
	struct link link[LINKS_MAX];
	size_t links, shown;
	int64_t looked_us;
	struct pm_sink *sink;
};

/* Ask the driver of an interface. Returns 0, or -1 with errno set. */
static int ask(const struct state *s, const char *name, void *data)
{
	struct ifreq request = { .ifr_data = data };

	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	return ioctl(s->fd, SIOCETHTOOL, &request) < 0 ? -1 : 0;
}

/* How many counters the driver has; 0: none, or it does not tell. */
static unsigned ask_strings(const struct state *s, const char *name)
{
	/* The head, and one number behind it. */
	union {
		struct ethtool_sset_info head;
		char room[sizeof(struct ethtool_sset_info) + sizeof(__u32)];
	} info = { .head = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1 << ETH_SS_STATS } };
	__u32 count;

	if (ask(s, name, &info) < 0 || info.head.sset_mask != 1 << ETH_SS_STATS)
		return 0;
	count = info.head.data[0];
	return count < STRINGS_MAX ? count : STRINGS_MAX;
}

/* Whether the setting has a counter's name: patterns between commas. */
static bool is_wanted(const char *name)
{
	const char *p = pm_config_get(PM_SET_ethtool);
	char pattern[128];

	while (*p) {
		const size_t n = strcspn(p, ", ");

		snprintf(pattern, sizeof pattern, "%.*s", (int)n, p);
		if (n && fnmatch(pattern, name, 0) == 0)
			return true;
		p += n;
		p += strspn(p, ", ");
	}
	return false;
}

/* Note a counter of a link, which may have another place than before. */
static void note_counter(struct state *s, struct link *l, unsigned at, const char *name)
{
	char object[IF_NAMESIZE + ETH_GSTRING_LEN + 2];
	struct counter *c = NULL;

	snprintf(object, sizeof object, "%s/%s", l->name, name);
	for (size_t i = 0; i < l->count && !c; i++)
		if (strcmp(l->counter[i].name, object) == 0)
			c = &l->counter[i];
	if (!c) {
		if (s->shown == COUNTERS_MAX || !PM_GROW(l->counter, l->count, l->capacity, 8))
			return;
		c = &l->counter[l->count];
		*c = (struct counter){ .name = strdup(object) };
		if (!c->name)
			return;
		c->series = pm_sink_series(s->sink, 0, object);
		l->count++;
		s->shown++;
	} else if (c->seen) {
		return; /* drivers have some names twice */
	}
	c->at = at;
	c->seen = true;
}

/* Note the counters of a link that are wanted. */
static void note_strings(struct state *s, struct link *l)
{
	struct ethtool_gstrings *strings =
		calloc(1, sizeof *strings + ((size_t)l->strings + 64) * ETH_GSTRING_LEN);

	if (!strings)
		return;
	strings->cmd = ETHTOOL_GSTRINGS;
	strings->string_set = ETH_SS_STATS;
	strings->len = l->strings;
	if (ask(s, l->name, strings) == 0 && strings->len == l->strings)
		for (unsigned i = 0; i < l->strings; i++) {
			char name[ETH_GSTRING_LEN + 1];

			memcpy(name, strings->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
			name[ETH_GSTRING_LEN] = '\0';
			if (*name && is_wanted(name))
				note_counter(s, l, i, name);
		}
	free(strings);
}

static struct link *find_link(struct state *s, const char *name)
{
	for (size_t i = 0; i < s->links; i++)
		if (strcmp(s->link[i].name, name) == 0)
			return &s->link[i];
	if (s->links == LINKS_MAX)
		return NULL;
	snprintf(s->link[s->links].name, IF_NAMESIZE, "%s", name);
	return &s->link[s->links++];
}

/* Look for interfaces and their counters. */
static void look(struct state *s, int64_t now_us)
{
	struct if_nameindex *names = if_nameindex();

	s->looked_us = now_us;
	for (size_t i = 0; i < s->links; i++) {
		s->link[i].seen = false;
		for (size_t k = 0; k < s->link[i].count; k++)
			s->link[i].counter[k].seen = false;
	}
	for (const struct if_nameindex *n = names; n && n->if_name; n++) {
		const unsigned strings = ask_strings(s, n->if_name);
		struct link *l = strings ? find_link(s, n->if_name) : NULL;

		if (!l)
			continue;
		l->seen = true;
		l->strings = strings;
		note_strings(s, l);
	}
	if (names)
		if_freenameindex(names);
}

static void ethtool_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->links; i++) {
		for (size_t k = 0; k < s->link[i].count; k++)
			free(s->link[i].counter[k].name);
		free(s->link[i].counter);
	}
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static int ethtool_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	struct state *s;

	why->reason = PM_REASON_absent;
	if (!*pm_config_get(PM_SET_ethtool))
		return pm_err(&why->err, "the setting ethtool names no counters");
	why->reason = PM_REASON_unsupported;
	if (*target->root)
		return pm_err(&why->err, "a recorded tree has no drivers to ask");
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "ethtool");
	s->sink = sink;
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		s->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd >= 0)
		look(s, pm_now_monotonic_us());
	if (s->fd < 0) {
		pm_source_unavailable(why, "socket");
	} else if (!s->shown) {
		why->reason = PM_REASON_absent;
		pm_err(&why->err, "no interface has a counter of the setting ethtool (%s)",
		       pm_config_get(PM_SET_ethtool));
	} else {
		*state = s;
		return 0;
	}
	ethtool_close(s);
	return -1;
}

/* Read the counters of a link. A driver that has another number of them by now has other names,
 * too, and writes beyond what is there for it: it is asked anew. */
static void read_link(struct state *s, struct link *l, int64_t now_us)
{
	static const struct pm_counter_rule rule; /* a fall is a reset */
	struct ethtool_stats *stats;
	int error = ENODEV;

	if (l->seen && ask_strings(s, l->name) != l->strings)
		look(s, now_us);
	/* Room for a driver that grows in between. */
	stats = calloc(1, sizeof *stats + ((size_t)l->strings + 64) * sizeof(__u64));
	if (!stats)
		return;
	stats->cmd = ETHTOOL_GSTATS;
	stats->n_stats = l->strings;
	if (l->seen)
		error = ask(s, l->name, stats) < 0     ? errno
			: stats->n_stats != l->strings ? EBADMSG
						       : 0;
	for (size_t i = 0; i < l->count; i++) {
		struct counter *c = &l->counter[i];
		uint64_t raw = 0, count;

		if (!error && c->seen)
			memcpy(&raw, (const char *)stats->data + c->at * sizeof raw, sizeof raw);
		if (error)
			pm_sink_unknown(s->sink, c->series, pm_reason_errno(error));
		else if (!c->seen)
			continue;
		else if (raw > INT64_MAX)
			pm_sink_unknown(s->sink, c->series, PM_REASON_parse);
		else if (pm_counter_next(&c->counter, &rule, raw, now_us, &count) &&
			 count <= INT64_MAX)
			pm_sink_value(s->sink, c->series, (int64_t)count);
		else
			pm_sink_unknown(s->sink, c->series, PM_REASON_wrapped);
	}
	free(stats);
}

static void ethtool_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();

	(void)sink;
	if (now_us - s->looked_us >= LOOK_US)
		look(s, now_us);
	for (size_t i = 0; i < s->links; i++)
		read_link(s, &s->link[i], now_us);
}

static void ethtool_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	const struct state *s = state;

	(void)sink;
	for (size_t i = 0; i < s->links; i++)
		fprintf(out, "%s: %zu of %u counters%s\n", s->link[i].name, s->link[i].count,
			s->link[i].strings, s->link[i].seen ? "" : ", gone");
}

const struct pm_source pm_source_ethtool = {
	.name = "ethtool",
	.help = "counters of the drivers of network interfaces, of the setting ethtool",
	.metrics = metrics,
	.metrics_count = 1,
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = ethtool_open,
	.sample = ethtool_sample,
	.describe = ethtool_describe,
	.close = ethtool_close,
};
