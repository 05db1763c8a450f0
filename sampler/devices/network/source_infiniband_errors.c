/*
 * Source "infiniband_errors": errors and congestion of each port of InfiniBand, Omni-Path and RoCE,
 * under the names of the kernel, from counters/ and hw_counters/ of /sys/class/infiniband. Slow:
 * each is a question to the card.
 */
#include "config.h"

#include "sampler/devices/network/ibports.h"

#include <stdlib.h>

/* clang-format off */
/* X(name, file, bits of those that stop at their end (IBA 16.1.3.5, PortCounters), help): counters/ ... */
#define PORT(X) \
	X("symbol_error", "symbol_error", 16, "symbols received with errors") \
	X("link_downed", "link_downed", 8, "times that the link failed and could not be recovered") \
	X("link_error_recovery", "link_error_recovery", 8, "times that the link failed and was recovered") \
	X("local_link_integrity_errors", "local_link_integrity_errors", 4, "times that local errors exceeded the threshold") \
	X("excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors", 4, "times that buffers overran in a row") \
	X("rx_errors", "port_rcv_errors", 16, "packets received with errors") \
	X("rx_remote_physical_errors", "port_rcv_remote_physical_errors", 16, "packets received that another had marked bad") \
	X("rx_switch_relay_errors", "port_rcv_switch_relay_errors", 16, "packets received that could not be passed on") \
	X("rx_constraint_errors", "port_rcv_constraint_errors", 8, "packets received against a rule, such as of partitions") \
	X("tx_constraint_errors", "port_xmit_constraint_errors", 8, "packets not sent for a rule") \
	X("tx_discards", "port_xmit_discards", 16, "packets not sent as the link was down or congested") \
	X("vl15_dropped", "VL15_dropped", 16, "packets of management dropped")
/* ... and X(name, file, that of Intel's Ethernet, help): hw_counters/. */
#define CARD(X) \
	X("out_of_sequence", "out_of_sequence", NULL, "packets received out of sequence") \
	X("out_of_buffer", "out_of_buffer", NULL, "packets dropped as no receive was posted") \
	X("packet_seq_err", "packet_seq_err", NULL, "packets that the other side missed") \
	X("rnr_nak_retry_err", "rnr_nak_retry_err", NULL, "packets for which the other side had no receive posted") \
	X("local_ack_timeout_err", "local_ack_timeout_err", NULL, "packets not acknowledged in time") \
	X("duplicate_request", "duplicate_request", NULL, "requests received twice") \
	X("np_cnp_sent", "np_cnp_sent", "hw_counters/cnpSent", "notifications of congestion sent") \
	X("rp_cnp_handled", "rp_cnp_handled", "hw_counters/cnpHandled", "notifications of congestion that slowed this side down") \
	X("np_ecn_marked_roce_packets", "np_ecn_marked_roce_packets", "hw_counters/RxECNMrkd", "packets received that switches had marked as congested") \
	X("roce_slow_restart_cnps", "roce_slow_restart_cnps", NULL, "notifications of congestion sent on slow restarts") \
	X("roce_adp_retrans", "roce_adp_retrans", NULL, "packets sent again by adaptive retransmission")

static const struct pm_metric metrics[] = {
#define PORT_METRIC(name, file, bits, help) { name, "n", help, "port", false, PM_METRIC_COUNTER },
	PORT(PORT_METRIC)
#define CARD_METRIC(name, file, other, help) { name, "n", help, "port", false, PM_METRIC_COUNTER },
	CARD(CARD_METRIC)
};

#define METRICS (sizeof metrics / sizeof metrics[0])

static const struct pm_ibports_row rows[METRICS] = {
#define PORT_ROW(name, file, bits, help) { false, NULL, { { "counters/" file, NULL, 1, bits } } },
	PORT(PORT_ROW)
#define CARD_ROW(name, file, other, help) \
	{ false, NULL, { { "hw_counters/" file, NULL, 1, 0 }, { other, NULL, 1, 0 } } },
	CARD(CARD_ROW)
};
/* clang-format on */

static int errors_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	struct pm_deviceset *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "infiniband_errors");
	if (pm_ibports_open(s, target, sink, rows, why) < 0) {
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void errors_sample(void *state, struct pm_sink *sink)
{
	(void)sink;
	pm_ibports_sample(state, rows);
}

static void errors_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_deviceset_describe(state, sink, out);
}

static void errors_close(void *state)
{
	pm_deviceset_free(state);
	free(state);
}

const struct pm_source pm_source_infiniband_errors = {
	.name = "infiniband_errors",
	.help = "errors and congestion of each port of InfiniBand, Omni-Path and RoCE",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.open = errors_open,
	.sample = errors_sample,
	.describe = errors_describe,
	.close = errors_close,
};
