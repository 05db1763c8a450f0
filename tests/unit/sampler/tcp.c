/* Source tcp on recorded trees of /proc/net. */
#include "config.h"

#include "tests/unit/sampler/source.h"

#define SNMP                                                                                       \
	"Ip: Forwarding DefaultTTL InReceives\n"                                                   \
	"Ip: 1 64 99\n"                                                                            \
	"Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails "           \
	"EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors\n"           \
	"Tcp: 1 200 120000 -1 11 22 33 44 5 6000000000 7 8 9 10 0\n"                               \
	"Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n"               \
	"Udp: 101 0 103 104 105 0\n"                                                               \
	"UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n"                        \
	"UdpLite: 1 2 3 4 5\n"                                                                     \
	"Foo: RetransSegs OutDatagrams\n"                                                          \
	"Foo: 901 902\n"

#define NETSTAT                                                                                    \
	"TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts TCPBacklogDrop "           \
	"TCPSynRetrans\n"                                                                          \
	"TcpExt: 1 201 202 203 204 205\n"                                                          \
	"IpExt: InNoRoutes ListenDrops\n"                                                          \
	"IpExt: 0 9\n"

START_TEST(values)
{
	static const struct {
		const char *metric;
		int64_t value;
	} rows[] = {
		{ "retransmits", 8 },    { "tx_segments", 7 },       { "rx_segments", 6000000000 },
		{ "rx_errors", 9 },      { "tx_resets", 10 },        { "connects", 11 },
		{ "accepts", 22 },       { "failed_connects", 33 },  { "connections", 5 },
		{ "timeouts", 203 },     { "syn_retransmits", 205 }, { "listen_overflows", 201 },
		{ "listen_drops", 202 }, { "backlog_drops", 204 },   { "udp_rx", 101 },
		{ "udp_tx", 104 },       { "udp_errors", 103 },      { "udp_buffer_errors", 105 },
	};

	root_put("proc/net/snmp", SNMP);
	root_put("proc/net/netstat", NETSTAT);
	ck_assert_int_eq(begin(&pm_source_tcp), 0);
	sample();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_known(rows[i].metric, "", rows[i].value);
	/* A name that this kernel does not have is no 0. */
	check_unknown("memory_pressures", "", PM_REASON_unsupported);
	end();
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason; /* of retransmits; PM_REASON_COUNT: 7 */
} garbled_rows[] = {
	{ "Tcp: RetransSegs\nTcp: 7\n", PM_REASON_COUNT },
	{ "Tcp: InSegs RetransSegs\nTcp: -1 7\n", PM_REASON_COUNT },
	{ "", PM_REASON_unsupported },
	{ "Tcp: RetransSegs\n", PM_REASON_unsupported },
	{ "Tcp: RetransSegs\nTcp: 7", PM_REASON_unsupported },
	{ "Tcp: RetransSegs\nUdp: 7\n", PM_REASON_unsupported },
	{ "Tcp: InSegs RetransSegs\nTcp: 7\n", PM_REASON_unsupported },
	{ "Tcp: RetransSegs\nTcp: -7\n", PM_REASON_parse },
	{ "Tcp: RetransSegs\nTcp: 7x\n", PM_REASON_parse },
	{ "Tcp: RetransSegs\nTcp: 99999999999999999999\n", PM_REASON_parse },
	{ "Tcp RetransSegs\nTcp 7\n", PM_REASON_unsupported },
};

START_TEST(garbled)
{
	root_put("proc/net/snmp", garbled_rows[_i].text);
	ck_assert_int_eq(begin(&pm_source_tcp), 0);
	sample();
	if (garbled_rows[_i].reason == PM_REASON_COUNT)
		check_known("retransmits", "", 7);
	else
		check_unknown("retransmits", "", garbled_rows[_i].reason);
	/* The other file is not there. */
	check_unknown("listen_drops", "", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(none)
{
	check_file_absent(&pm_source_tcp, "/proc/net/snmp");
}
END_TEST

static Suite *tcp_suite(void)
{
	Suite *s = suite_create("sampler_tcp");
	TCase *t = tcase_create("tcp");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_loop_test(t, garbled, 0, sizeof garbled_rows / sizeof garbled_rows[0]);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(tcp_suite)
