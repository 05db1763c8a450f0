/*
 * Source "infiniband": traffic of each port of InfiniBand, Omni-Path and RoCE, from
 * /sys/class/infiniband/DEVICE/ports/PORT. The kernel's port_*_data count words of four bytes,
 * whatever the network is, but drivers' own counters of hw_counters bytes.
 */
#include "config.h"

#include "sampler/devices/network/ibports.h"

#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RX_BYTES, TX_BYTES, RX_PACKETS, TX_PACKETS, TX_WAIT, STATE, RATE, METRICS };

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[RX_BYTES] = { "rx_bytes", "B", "bytes received", "port", true, PM_METRIC_COUNTER },
	[TX_BYTES] = { "tx_bytes", "B", "bytes sent", "port", true, PM_METRIC_COUNTER },
	[RX_PACKETS] = { "rx_packets", "n", "packets received", "port", true, PM_METRIC_COUNTER },
	[TX_PACKETS] = { "tx_packets", "n", "packets sent", "port", true, PM_METRIC_COUNTER },
	[TX_WAIT] = { "tx_wait", "n", "ticks of the port in which data had to wait for others to make room", "port", false, PM_METRIC_COUNTER },
	[STATE] = { "state", "n", "state of the port: 1 down, 2 initialising, 3 armed, 4 active, 5 active deferred", "port", false, PM_METRIC_GAUGE },
	[RATE] = { "rate", "B/s", "the most that the port can send or receive", "port", false, PM_METRIC_GAUGE },
};
/* clang-format on */

/* Parse "4: ACTIVE". */
static int parse_state(const char *text, size_t n, int64_t *value)
{
	const char *p = text, *end = text + n;

	errno = EBADMSG;
	return pm_devicefile_take(&p, end, value) < 0 || p == end || *p != ':' ? -1 : 0;
}

/* Parse "2.5 Gb/sec (1X SDR)": B/s. */
static int parse_rate(const char *text, size_t n, int64_t *value)
{
	static const char unit[] = " Gb/sec";
	const char *p = text, *end = text + n;

	errno = EBADMSG;
	if (pm_procfile_decimal(&p, end, 9, value) < 0 || (size_t)(end - p) < sizeof unit - 1 ||
	    memcmp(p, unit, sizeof unit - 1) != 0)
		return -1;
	*value /= 8;
	return 0;
}

/* Of the kernel before 4.5, of today's, of Amazon and Broadcom, of Intel's Ethernet. */
static const struct pm_ibports_row rows[METRICS] = {
	[RX_BYTES] = { true,
		       NULL,
		       { { "counters_ext/port_rcv_data_64", NULL, 4, 0 },
			 { "counters/port_rcv_data", NULL, 4, 32 },
			 { "hw_counters/rx_bytes", NULL, 1, 0 },
			 { "hw_counters/ip4InOctets", "hw_counters/ip6InOctets", 1, 0 } } },
	[TX_BYTES] = { true,
		       NULL,
		       { { "counters_ext/port_xmit_data_64", NULL, 4, 0 },
			 { "counters/port_xmit_data", NULL, 4, 32 },
			 { "hw_counters/tx_bytes", NULL, 1, 0 },
			 { "hw_counters/ip4OutOctets", "hw_counters/ip6OutOctets", 1, 0 } } },
	[RX_PACKETS] = { true,
			 NULL,
			 { { "counters_ext/port_rcv_packets_64", NULL, 1, 0 },
			   { "counters/port_rcv_packets", NULL, 1, 32 },
			   { "hw_counters/rx_pkts", NULL, 1, 0 },
			   { "hw_counters/ip4InPkts", "hw_counters/ip6InPkts", 1, 0 } } },
	[TX_PACKETS] = { true,
			 NULL,
			 { { "counters_ext/port_xmit_packets_64", NULL, 1, 0 },
			   { "counters/port_xmit_packets", NULL, 1, 32 },
			   { "hw_counters/tx_pkts", NULL, 1, 0 },
			   { "hw_counters/ip4OutPkts", "hw_counters/ip6OutPkts", 1, 0 } } },
	[TX_WAIT] = { false, NULL, { { "counters/port_xmit_wait", NULL, 1, 32 } } },
	[STATE] = { true, parse_state, { { "state", NULL, 1, 0 } } },
	[RATE] = { true, parse_rate, { { "rate", NULL, 1, 0 } } },
};

static int ib_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		   struct pm_unavailable *why)
{
	struct pm_deviceset *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "infiniband");
	if (pm_ibports_open(s, target, sink, rows, why) < 0) {
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void ib_sample(void *state, struct pm_sink *sink)
{
	(void)sink;
	pm_ibports_sample(state, rows);
}

static void ib_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(state, sink, out);
}

static void ib_close(void *state)
{
	pm_deviceset_free(state);
	free(state);
}

const struct pm_source pm_source_infiniband = {
	.name = "infiniband",
	.help = "traffic of each port of InfiniBand, Omni-Path and RoCE, and of all",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = ib_open,
	.sample = ib_sample,
	.describe = ib_describe,
	.close = ib_close,
};
