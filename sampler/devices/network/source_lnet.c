/*
 * Source "lnet": messages of Lustre's network, LNet, of all its interfaces together: the eleven
 * numbers of /proc/sys/lnet/stats, or from Lustre 2.8 on /sys/kernel/debug/lnet/stats.
 */
#include "config.h"

#include "sampler/kernel/counter.h"
#include "sampler/kernel/devicefile.h"
#include "sampler/source.h"

#include "common/now.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* X(name, unit, kind, bits of a counter, help), in the order of the file (struct lnet_counters). */
#define FIELDS(X) \
	X("messages", "n", GAUGE, 0, "messages under way") \
	X("messages_max", "n", GAUGE, 0, "the most messages that were under way") \
	X("errors", "n", COUNTER, 32, "errors") \
	X("tx_messages", "n", COUNTER, 32, "messages sent") \
	X("rx_messages", "n", COUNTER, 32, "messages received") \
	X("routed_messages", "n", COUNTER, 32, "messages passed on for others") \
	X("dropped_messages", "n", COUNTER, 32, "messages dropped") \
	X("tx_bytes", "B", COUNTER, 64, "bytes sent") \
	X("rx_bytes", "B", COUNTER, 64, "bytes received") \
	X("routed_bytes", "B", COUNTER, 64, "bytes passed on for others") \
	X("dropped_bytes", "B", COUNTER, 64, "bytes dropped")

static const struct pm_metric metrics[] = {
#define METRIC(name, unit, kind, bits, help) { name, unit, help, NULL, false, PM_METRIC_##kind },
	FIELDS(METRIC)
};

static const int bits_of[] = {
#define BITS(name, unit, kind, bits, help) bits,
	FIELDS(BITS)
};
/* clang-format on */

#define METRICS (sizeof metrics / sizeof metrics[0])

/* More messages than this a second no node sends. */
#define MOST_PER_S 20000000

/* A file that is lost is looked for after this long. */
#define LOOK_US 10000000

static const char *const paths[] = { "proc/sys/lnet/stats", "sys/kernel/debug/lnet/stats" };

#define REMEDY                                                                                     \
	"run the sampler as root, or let users pass: chmod a+x %s/sys/kernel/debug, which lets "   \
	"them to other files of debugfs, too"

struct state {
	struct pm_devicefile file;
	struct pm_counter counter[METRICS];
	int64_t looked_us;
};

static void lnet_hold(const char *root)
{
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		pm_devicefile_hold(root, paths[i]);
}

static void lnet_close(void *state)
{
	struct state *s = state;

	pm_devicefile_close(&s->file);
	free(s);
}

static int lnet_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	int error = ENOENT;

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "lnet");
	s->looked_us = pm_now_monotonic_us();
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		if (pm_devicefile_open(&s->file, target->root, paths[i]) == 0) {
			*state = s;
			return 0;
		}
		error = errno == ENOENT ? error : errno;
		pm_devicefile_close(&s->file);
	}
	free(s);
	errno = error;
	/* Debugfs is closed to others than root whether LNet is there or not. */
	if (error == EACCES) {
		why->reason = PM_REASON_permission;
		return pm_err(&why->err, "/%s: %m; if LNet is in use, " REMEDY, paths[1],
			      target->root);
	}
	return pm_source_unavailable(why, "/proc/sys/lnet/stats, /sys/kernel/debug/lnet/stats");
}

/* Read the numbers. Returns 0, or -1 with errno set. */
static int read_numbers(struct state *s, int64_t number[METRICS])
{
	char text[PM_DEVICEFILE_MAX + 1];
	const ssize_t n = pm_devicefile_text(&s->file, text, sizeof text);
	const char *p = text, *end = text + n;

	if (n < 0)
		return -1;
	errno = EBADMSG;
	for (size_t i = 0; i < METRICS; i++) {
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (pm_devicefile_take(&p, end, &number[i]) < 0 || number[i] < 0)
			return -1;
	}
	/* A number that ends where the text does may have been cut. */
	return p < end && pm_devicefile_is_end(p, end) ? 0 : -1;
}

/* Whether the counters were cleared since the latest reading, which clears all: those of bytes
 * never wrap. */
static bool was_cleared(const struct state *s, const int64_t number[METRICS])
{
	for (size_t i = 0; i < METRICS; i++)
		if (bits_of[i] == 64 && s->counter[i].held &&
		    (uint64_t)number[i] < s->counter[i].raw)
			return true;
	return false;
}

static void lnet_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;
	const int64_t now_us = pm_now_monotonic_us();
	int64_t number[METRICS];

	if (s->file.error && now_us - s->looked_us >= LOOK_US) {
		s->looked_us = now_us;
		pm_devicefile_look(&s->file);
	}
	if (read_numbers(s, number) < 0) {
		pm_sink_clear(sink, pm_reason_errno(errno));
		return;
	}
	for (size_t i = 0, cleared = was_cleared(s, number); i < METRICS; i++) {
		const struct pm_counter_rule rule = {
			.modulus = bits_of[i] == 32 ? UINT64_C(1) << 32 : 0,
			.per_s = bits_of[i] == 32 ? MOST_PER_S : 0,
		};
		uint64_t count = 0;

		if (cleared && bits_of[i])
			pm_counter_restart(&s->counter[i]);
		if (!bits_of[i])
			pm_sink_value(sink, (int)i, number[i]);
		else if (pm_counter_next(&s->counter[i], &rule, (uint64_t)number[i], now_us,
					 &count))
			pm_sink_value(sink, (int)i, (int64_t)count);
		else
			pm_sink_unknown(sink, (int)i, PM_REASON_wrapped);
	}
}

const struct pm_source pm_source_lnet = {
	.name = "lnet",
	.help = "messages of Lustre's network (LNet)",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.hold = lnet_hold,
	.open = lnet_open,
	.sample = lnet_sample,
	.close = lnet_close,
};
