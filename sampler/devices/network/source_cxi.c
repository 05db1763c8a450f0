/*
 * Source "cxi": traffic, congestion and errors of each adapter of HPE Slingshot, from
 * /sys/class/cxi/cxiN/device/telemetry, where a file has "VALUE@SECONDS.NANOSECONDS" (the driver's
 * ABI sysfs-class-cxi). Each reading is one of the card, and there are about 1500: of these a list.
 */
#include "config.h"

#include "sampler/devices/deviceset.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include "common/grow.h"
#include "common/now.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLASS "sys/class/cxi"

/* clang-format off */
/* X(id, name, unit, sum over all, file, how many of them with numbers behind are added up or 0, help). */
#define FIELDS(X) \
	X(RX_BYTES, "rx_bytes", "B", true, "hni_sts_rx_ok_octets", 0, "bytes received") \
	X(TX_BYTES, "tx_bytes", "B", true, "hni_sts_tx_ok_octets", 0, "bytes sent") \
	X(RX_PACKETS, "rx_packets", "n", true, "hni_pkts_recv_by_tc_", 8, "packets received, of all traffic classes") \
	X(TX_PACKETS, "tx_packets", "n", true, "hni_pkts_sent_by_tc_", 8, "packets sent, of all traffic classes") \
	X(RX_PAUSED, "rx_paused", "n", false, "hni_rx_paused_", 8, "cycles in which receiving was paused, of all classes") \
	X(PAUSES, "pauses", "n", false, "hni_pause_recv_", 8, "requests to pause received, of all classes") \
	X(CORRECTED, "corrected_codewords", "n", false, "hni_pcs_corrected_cw", 0, "code words of the link with errors that were corrected") \
	X(UNCORRECTED, "uncorrected_codewords", "n", false, "hni_pcs_uncorrected_cw", 0, "code words of the link that could not be corrected") \
	X(POSTED, "posted_blocked", "n", false, "parbs_tarb_pi_posted_blocked_cnt", 0, "cycles in which writes to the host were blocked") \
	X(NON_POSTED, "non_posted_blocked", "n", false, "parbs_tarb_pi_non_posted_blocked_cnt", 0, "cycles in which reads from the host were blocked") \
	X(OVERFLOW, "match_overflow", "n", false, "lpe_net_match_overflow_", 4, "messages that came before a receive was posted") \
	X(SCT_TIMEOUTS, "sct_timeouts", "n", false, "pct_sct_timeouts", 0, "timeouts of connections") \
	X(SPT_TIMEOUTS, "spt_timeouts", "n", false, "pct_spt_timeouts", 0, "timeouts of packets") \
	X(TCT_TIMEOUTS, "tct_timeouts", "n", false, "pct_tct_timeouts", 0, "timeouts of connections at the target") \
	X(RETRIES, "retries", "n", false, "pct_retry_srb_requests", 0, "packets sent again") \
	X(CACHE_MISSES, "address_misses", "n", false, "atu_cache_miss_", 4, "misses of the cache of address translations")

enum {
#define NUMBER(id, name, unit, whole, file, files, help) id,
	FIELDS(NUMBER)
	RESTARTS,
	METRICS
};

static const struct pm_metric metrics[METRICS] = {
#define METRIC(id, name, unit, whole, file, files, help) [id] = { name, unit, help, "adapter", whole, PM_METRIC_COUNTER },
	FIELDS(METRIC)
	[RESTARTS] = { "link_restarts", "n", "restarts of the link since the sampler began", "adapter", false, PM_METRIC_COUNTER },
};

static const struct {
	const char *file;
	int files;
} items[] = {
#define ITEM(id, name, unit, whole, file, files, help) [id] = { file, files },
	FIELDS(ITEM)
};
/* clang-format on */

/* The driver keeps the times of the latest restarts. */
#define RING 10

/* They are read this often. */
#define RESTARTS_US 10000000

/* The restarts of an adapter. */
struct restarts {
	char folder[560]; /* relative to the root */
	int series;
	bool begun;
	int64_t time[RING]; /* as they were read last, s since 1970 */
	int64_t count;
	enum pm_reason reason; /* PM_REASON_COUNT: the count is known */
};

struct state {
	struct pm_deviceset set;
	struct restarts *restarts; /* of each device of the set that has them, by its number */
	size_t count, capacity;
	int64_t restarts_us; /* when they were read */
};

/* Parse "VALUE@SECONDS.NANOSECONDS". */
static int parse_telemetry(const char *text, size_t n, int64_t *value)
{
	const char *p = text, *end = text + n;
	int64_t s, ns;

	if (pm_devicefile_is_end(p, end)) {
		errno = ENODATA;
		return -1;
	}
	errno = EBADMSG;
	return pm_devicefile_take(&p, end, value) < 0 || p == end || *p++ != '@' ||
			       pm_devicefile_take(&p, end, &s) < 0 || p == end || *p++ != '.' ||
			       pm_devicefile_take(&p, end, &ns) < 0 || !pm_devicefile_is_end(p, end)
		       ? -1
		       : 0;
}

/* --- looking ---------------------------------------------------------------------------------- */

/* The name of an adapter: its address, as numbers change; or its own where that is not known. */
static void find_name(const char *root, const char *own, char *name, size_t size)
{
	char path[560], target[512];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof path, "%s/" CLASS "/%s/device", root, own);
	n = readlink(path, target, sizeof target - 1);
	target[n > 0 ? n : 0] = '\0';
	slash = strrchr(target, '/');
	snprintf(name, size, "%s", slash && slash[1] ? slash + 1 : own);
}

/* Note an item of an adapter, if it has it: a file, or the sum of numbered ones. */
static void note_item(struct pm_deviceset *set, struct pm_device *d, size_t metric,
		      const char *folder)
{
	struct pm_devicevalue *v = NULL;
	size_t plus = 0;

	for (int i = 0; i == 0 || i < items[metric].files; i++) {
		char path[640], number[12] = "";

		if (items[metric].files)
			snprintf(number, sizeof number, "%d", i);
		snprintf(path, sizeof path, "%s/telemetry/%s%s", folder, items[metric].file,
			 number);
		if (!pm_deviceset_has(set, path))
			continue;
		if (v)
			pm_deviceset_plus(set, v, plus++, path);
		else
			v = pm_deviceset_file(set, d, metric, path);
		if (!v)
			return;
		v->parse = parse_telemetry;
	}
}

/* Note where the restarts of the device of this number are. */
static void note_restarts(struct state *s, size_t device, const char *folder)
{
	char path[640];
	struct restarts *r;

	while (s->count <= device) {
		if (!PM_GROW(s->restarts, s->count, s->capacity, 4))
			return;
		s->restarts[s->count++] = (struct restarts){ .series = -1 };
	}
	r = &s->restarts[device];
	snprintf(path, sizeof path, "%s/link_restarts/time_0", folder);
	if (r->series < 0 && pm_deviceset_has(&s->set, path))
		r->series = pm_sink_series(s->set.sink, RESTARTS, s->set.device[device].name);
	snprintf(r->folder, sizeof r->folder, "%s", folder);
}

/* Look for all adapters. Returns how many there are, or -1 with errno set. */
static ssize_t look(struct state *s, int64_t now_us)
{
	struct dirent **list;
	const int n = pm_deviceset_list(&s->set, CLASS, &list);
	const int saved = errno;
	size_t found;

	pm_deviceset_begin(&s->set, now_us);
	for (int i = 0; i < n; i++) {
		char name[256], folder[560];
		struct pm_device *d;

		find_name(s->set.root, list[i]->d_name, name, sizeof name);
		snprintf(folder, sizeof folder, CLASS "/%s/device", list[i]->d_name);
		d = pm_deviceset_get(&s->set, name);
		if (d && strcmp(name, list[i]->d_name) != 0)
			pm_deviceset_about(d, list[i]->d_name);
		for (size_t k = 0; d && k < RESTARTS; k++)
			note_item(&s->set, d, k, folder);
		if (d)
			note_restarts(s, (size_t)(d - s->set.device), folder);
		free(list[i]);
	}
	free(list);
	found = pm_deviceset_end(&s->set);
	errno = n < 0 ? saved : ENOENT;
	return found ? (ssize_t)found : -1;
}

/* --- restarts --------------------------------------------------------------------------------- */

/* Count the restarts since the latest reading: each has another time. */
static void read_restarts(struct restarts *r, const char *root)
{
	int64_t time[RING];
	int changed = 0;

	for (int i = 0; i < RING; i++) {
		struct pm_devicefile f;
		char path[640];
		int result, error;

		snprintf(path, sizeof path, "%s/link_restarts/time_%d", r->folder, i);
		result = pm_devicefile_open(&f, root, path);
		if (result == 0)
			result = pm_devicefile_number(&f, "", &time[i]);
		error = errno;
		pm_devicefile_close(&f);
		if (result < 0) {
			r->reason = pm_reason_errno(error);
			return;
		}
		changed += r->begun && time[i] != r->time[i];
	}
	memcpy(r->time, time, sizeof time);
	r->begun = true;
	r->count += changed;
	/* There may have been more. */
	r->reason = changed == RING ? PM_REASON_wrapped : PM_REASON_COUNT;
}

static void put_restarts(struct state *s, int64_t now_us)
{
	const bool due = !s->restarts_us || now_us - s->restarts_us >= RESTARTS_US;

	if (due)
		s->restarts_us = now_us;
	for (size_t i = 0; i < s->count; i++) {
		struct restarts *r = &s->restarts[i];

		if (r->series < 0)
			continue;
		if (due)
			read_restarts(r, s->set.root);
		if (r->reason == PM_REASON_COUNT)
			pm_sink_value(s->set.sink, r->series, r->count);
		else
			pm_sink_unknown(s->set.sink, r->series, r->reason);
	}
}

/* --- the source ------------------------------------------------------------------------------- */

static void cxi_close(void *state)
{
	struct state *s = state;

	pm_deviceset_free(&s->set);
	free(s->restarts);
	free(s);
}

static int cxi_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "cxi");
	pm_deviceset_init(&s->set, target->root, sink);
	if (look(s, pm_now_monotonic_us()) < 0) {
		pm_source_unavailable(why, "no adapters in /" CLASS);
		cxi_close(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void cxi_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();

	(void)sink;
	if (pm_deviceset_is_due(&s->set, now_us))
		look(s, now_us);
	pm_deviceset_read(&s->set, now_us);
	put_restarts(s, now_us);
}

static void cxi_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(&((struct state *)state)->set, sink, out);
}

const struct pm_source pm_source_cxi = {
	.name = "cxi",
	.help = "traffic and errors of each adapter of HPE Slingshot, and of all",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = cxi_open,
	.sample = cxi_sample,
	.describe = cxi_describe,
	.close = cxi_close,
};
