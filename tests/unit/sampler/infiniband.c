/* Sources infiniband and infiniband_errors on recorded trees of /sys/class/infiniband. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define CLASS "sys/class/infiniband/"

static void put(const char *port, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, CLASS "%s/%s", port, file);
	root_put(path, text);
}

/* A port with its counters of data. */
static void put_port(const char *port, const char *rx, const char *tx)
{
	put(port, "link_layer", "InfiniBand\n");
	put(port, "state", "4: ACTIVE\n");
	put(port, "rate", "100 Gb/sec (4X EDR)\n");
	put(port, "counters/port_rcv_data", rx);
	put(port, "counters/port_xmit_data", tx);
	put(port, "counters/port_rcv_packets", "7\n");
	put(port, "counters/port_xmit_packets", "8\n");
}

/* Make a link below the class. */
static void put_link(const char *from, const char *to)
{
	char path[256];

	snprintf(path, sizeof path, "%s/" CLASS "%s", root, from);
	PM_SURE(symlink(to, path) == 0);
}

static void set_up(void)
{
	root_make();
	frozen_us = later_s = 0;
}

/* The lines for `perfmon sources`; the caller frees them. */
static char *describe(void)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	PM_SURE(out);
	sink.source->describe(state, &sink, out);
	PM_SURE(fclose(out) == 0);
	return text;
}

/* Data in words of four bytes, packets plain; ports by name; the sum over several rails. */
START_TEST(words)
{
	char *text;

	put_port("mlx5_0/ports/1", "1000\n", "20000\n");
	put_port("mlx5_1/ports/1", "3\n", "5\n");
	put("mlx5_0/ports/1", "counters/port_xmit_wait", "99\n");
	root_put(CLASS "mlx5_0/hca_type", "MT4123\n");
	root_put(CLASS "mlx5_0/fw_ver", "20.31.1014\n");
	root_put(CLASS "mlx5_0/ports/README/state", "4: ACTIVE\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_known("rx_bytes", "mlx5_0/1", 4000);
	check_known("tx_bytes", "mlx5_0/1", 80000);
	check_known("rx_packets", "mlx5_0/1", 7);
	check_known("tx_packets", "mlx5_0/1", 8);
	check_known("tx_wait", "mlx5_0/1", 99);
	check_known("state", "mlx5_0/1", 4);
	check_known("rate", "mlx5_0/1", 12500000000);
	check_known("rx_bytes", "", 4012);
	check_known("tx_bytes", "", 80020);
	check_known("tx_packets", "", 16);
	ck_assert_int_eq(objects("rx_bytes"), 2);
	text = describe();
	ck_assert_ptr_nonnull(strstr(text, "mlx5_0/1: InfiniBand, 100 Gb/sec (4X EDR), state 4: "
					   "ACTIVE, MT4123, firmware 20.31.1014\nmlx5_1/1: "));
	free(text);
	end();
}
END_TEST

/* Before Linux 4.5: 64 bits beside 32 bits that stand at their end. */
START_TEST(extended)
{
	put_port("mlx4_0/ports/1", "4294967295\n", "4294967295\n");
	put("mlx4_0/ports/1", "counters_ext/port_rcv_data_64", "2221223609000\n");
	put("mlx4_0/ports/1", "counters_ext/port_xmit_data_64", "5\n");
	put("mlx4_0/ports/1", "counters_ext/port_rcv_packets_64", "6000000000\n");
	put("mlx4_0/ports/1", "counters_ext/port_xmit_packets_64", "9\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_known("rx_bytes", "mlx4_0/1", 8884894436000);
	check_known("tx_bytes", "mlx4_0/1", 20);
	check_known("rx_packets", "mlx4_0/1", 6000000000);
	check_known("tx_packets", "mlx4_0/1", 9);
	end();
}
END_TEST

/* 32 bits stop at their end; those of 64 go on. */
START_TEST(stuck)
{
	put_port("mlx4_0/ports/1", "4294967294\n", "4294967296\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_known("rx_bytes", "mlx4_0/1", 17179869176);
	check_known("tx_bytes", "mlx4_0/1", 17179869184);
	put("mlx4_0/ports/1", "counters/port_rcv_data", "4294967295\n");
	for (int i = 0; i < 2; i++) {
		sample();
		check_unknown("rx_bytes", "mlx4_0/1", PM_REASON_wrapped);
		check_unknown("rx_bytes", "", PM_REASON_wrapped);
	}
	check_known("tx_bytes", "", 17179869184);
	end();
}
END_TEST

/* perfquery -R clears the counters for everybody: no wrap, and no negative traffic. */
START_TEST(cleared)
{
	put_port("mlx5_0/ports/1", "4000000000\n", "1000\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	put_port("mlx5_0/ports/1", "10\n", "1001\n");
	sample();
	check_unknown("rx_bytes", "mlx5_0/1", PM_REASON_wrapped);
	check_known("tx_bytes", "mlx5_0/1", 4004);
	put_port("mlx5_0/ports/1", "11\n", "1002\n");
	sample();
	check_known("rx_bytes", "mlx5_0/1", 16000000044);
	end();
}
END_TEST

/* What the driver cannot tell is unknown, for that port and the sum. */
START_TEST(no_pma)
{
	static const struct {
		const char *text;
		enum pm_reason reason;
	} rows[] = {
		{ "N/A (no PMA)\n", PM_REASON_unsupported },
		{ "", PM_REASON_unsupported },
		{ "-1\n", PM_REASON_parse },
		{ "12 words\n", PM_REASON_parse },
		{ "9223372036854775807\n", PM_REASON_parse },
	};

	put_port("mlx5_0/ports/1", rows[_i].text, "20\n");
	put_port("mlx5_1/ports/1", "1\n", "2\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_unknown("rx_bytes", "mlx5_0/1", rows[_i].reason);
	check_unknown("rx_bytes", "", rows[_i].reason);
	check_known("rx_bytes", "mlx5_1/1", 4);
	check_known("tx_bytes", "", 88);
	end();
}
END_TEST

/* Drivers' own counters are in bytes. */
START_TEST(own_bytes)
{
	put("rocep1s0/ports/1", "state", "4: ACTIVE\n");
	put("rocep1s0/ports/1", "rate", "2.5 Gb/sec (1X SDR)\n");
	put("rocep1s0/ports/1", "hw_counters/ip4InOctets", "1000\n");
	put("rocep1s0/ports/1", "hw_counters/ip6InOctets", "200\n");
	put("rocep1s0/ports/1", "hw_counters/ip4OutOctets", "30\n");
	put("rocep1s0/ports/1", "hw_counters/ip6OutOctets", "4\n");
	put("rocep1s0/ports/1", "hw_counters/ip4InPkts", "5\n");
	put("rocep1s0/ports/1", "hw_counters/ip6InPkts", "6\n");
	put("efa_0/ports/1", "state", "1: DOWN\n");
	put("efa_0/ports/1", "hw_counters/rx_bytes", "77\n");
	put("efa_0/ports/1", "hw_counters/tx_pkts", "8\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_known("rx_bytes", "rocep1s0/1", 1200);
	check_known("tx_bytes", "rocep1s0/1", 34);
	check_known("rx_packets", "rocep1s0/1", 11);
	check_unknown("tx_packets", "rocep1s0/1", PM_REASON_absent);
	check_known("rate", "rocep1s0/1", 312500000);
	check_known("rx_bytes", "efa_0/1", 77);
	check_known("tx_packets", "efa_0/1", 8);
	check_known("state", "efa_0/1", 1);
	check_unknown("rate", "efa_0/1", PM_REASON_absent);
	check_known("rx_bytes", "", 1277);
	/* One of two that cannot be read is no 0. */
	put("rocep1s0/ports/1", "hw_counters/ip6InOctets", "?\n");
	sample();
	check_unknown("rx_bytes", "rocep1s0/1", PM_REASON_parse);
	end();
}
END_TEST

/* The functions of an mlx4 have the counters of the port: added up, they would be twice. */
START_TEST(functions)
{
	char *text;

	put_port("mlx4_0/ports/1", "1000\n", "2000\n");
	put_port("mlx4_1/ports/1", "1000\n", "2000\n");
	put_port("ibp65s0f1/ports/1", "1000\n", "2000\n");
	put_port("mlx5_0/ports/1", "3\n", "4\n");
	put_port("mlx5_1/ports/1", "5\n", "6\n");
	root_put(CLASS "mlx4_1/device/vendor", "0x15b3\n");
	put_link("mlx4_1/device/physfn", "../../mlx4_0");
	/* By the driver, where the device has another name. */
	root_put(CLASS "ibp65s0f1/device/vendor", "0x15b3\n");
	put_link("ibp65s0f1/device/physfn", "../../mlx4_0");
	put_link("ibp65s0f1/device/driver", "../../../../bus/pci/drivers/mlx4_core");
	/* Those of an mlx5 count for themselves. */
	root_put(CLASS "mlx5_1/device/vendor", "0x15b3\n");
	put_link("mlx5_1/device/physfn", "../../mlx5_0");
	put_link("mlx5_1/device/driver", "../../../../bus/pci/drivers/mlx5_core");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	check_known("rx_bytes", "mlx4_1/1", 4000);
	check_known("rx_bytes", "ibp65s0f1/1", 4000);
	/* Not 12032. */
	check_known("rx_bytes", "", 4032);
	check_known("tx_bytes", "", 8040);
	text = describe();
	ck_assert_ptr_nonnull(strstr(text, "mlx4_1/1: InfiniBand, 100 Gb/sec (4X EDR), state 4: "
					   "ACTIVE, a virtual function with the counters of its "
					   "port, not in the sums\n"));
	free(text);
	end();
}
END_TEST

/* Errors stop at ends of their own, but for Omni-Path's. */
START_TEST(errors)
{
	put("mlx5_0/ports/1", "counters/symbol_error", "65534\n");
	put("mlx5_0/ports/1", "counters/link_downed", "255\n");
	put("mlx5_0/ports/1", "counters/local_link_integrity_errors", "15\n");
	put("mlx5_0/ports/1", "counters/VL15_dropped", "70000\n");
	put("mlx5_0/ports/1", "counters/port_xmit_discards", "N/A (no PMA)\n");
	put("mlx5_0/ports/1", "hw_counters/out_of_sequence", "65535\n");
	put("mlx5_0/ports/1", "hw_counters/np_cnp_sent", "12\n");
	put("hfi1_0/ports/1", "counters/link_downed", "255\n");
	put("hfi1_0/ports/1", "counters/symbol_error", "65535\n");
	put("irdma0/ports/1", "hw_counters/cnpHandled", "3\n");
	put("irdma0/ports/1", "hw_counters/RxECNMrkd", "4\n");
	ck_assert_int_eq(begin(&pm_source_infiniband_errors), 0);
	sample();
	check_known("symbol_error", "mlx5_0/1", 65534);
	check_unknown("link_downed", "mlx5_0/1", PM_REASON_wrapped);
	check_unknown("local_link_integrity_errors", "mlx5_0/1", PM_REASON_wrapped);
	check_known("vl15_dropped", "mlx5_0/1", 70000);
	check_unknown("tx_discards", "mlx5_0/1", PM_REASON_unsupported);
	check_known("out_of_sequence", "mlx5_0/1", 65535);
	check_known("np_cnp_sent", "mlx5_0/1", 12);
	check_known("link_downed", "hfi1_0/1", 255);
	check_known("symbol_error", "hfi1_0/1", 65535);
	check_known("rp_cnp_handled", "irdma0/1", 3);
	check_known("np_ecn_marked_roce_packets", "irdma0/1", 4);
	/* No metric that a driver does not have. */
	ck_assert(!has_object("out_of_sequence", "hfi1_0/1"));
	end();
}
END_TEST

/* Each metric of errors is that of its own file. */
START_TEST(error_files)
{
	static const struct {
		const char *file, *metric;
	} rows[] = {
		{ "counters/symbol_error", "symbol_error" },
		{ "counters/link_downed", "link_downed" },
		{ "counters/link_error_recovery", "link_error_recovery" },
		{ "counters/local_link_integrity_errors", "local_link_integrity_errors" },
		{ "counters/excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors" },
		{ "counters/port_rcv_errors", "rx_errors" },
		{ "counters/port_rcv_remote_physical_errors", "rx_remote_physical_errors" },
		{ "counters/port_rcv_switch_relay_errors", "rx_switch_relay_errors" },
		{ "counters/port_rcv_constraint_errors", "rx_constraint_errors" },
		{ "counters/port_xmit_constraint_errors", "tx_constraint_errors" },
		{ "counters/port_xmit_discards", "tx_discards" },
		{ "counters/VL15_dropped", "vl15_dropped" },
		{ "hw_counters/out_of_sequence", "out_of_sequence" },
		{ "hw_counters/out_of_buffer", "out_of_buffer" },
		{ "hw_counters/packet_seq_err", "packet_seq_err" },
		{ "hw_counters/rnr_nak_retry_err", "rnr_nak_retry_err" },
		{ "hw_counters/local_ack_timeout_err", "local_ack_timeout_err" },
		{ "hw_counters/duplicate_request", "duplicate_request" },
		{ "hw_counters/np_cnp_sent", "np_cnp_sent" },
		{ "hw_counters/rp_cnp_handled", "rp_cnp_handled" },
		{ "hw_counters/np_ecn_marked_roce_packets", "np_ecn_marked_roce_packets" },
		{ "hw_counters/roce_slow_restart_cnps", "roce_slow_restart_cnps" },
		{ "hw_counters/roce_adp_retrans", "roce_adp_retrans" },
	};
	const size_t n = sizeof rows / sizeof rows[0];

	for (size_t i = 0; i < n; i++) {
		char text[16];

		snprintf(text, sizeof text, "%zu\n", i);
		put("mlx5_0/ports/1", rows[i].file, text);
	}
	ck_assert_int_eq(begin(&pm_source_infiniband_errors), 0);
	ck_assert_uint_eq(pm_source_infiniband_errors.metrics_count, n);
	sample();
	for (size_t i = 0; i < n; i++)
		check_known(rows[i].metric, "mlx5_0/1", (int64_t)i);
	end();
}
END_TEST

/* A driver goes and comes back: the same port, its counters anew. */
START_TEST(reloaded)
{
	put_port("mlx5_0/ports/1", "1000\n", "2000\n");
	put_port("mlx5_1/ports/1", "5\n", "6\n");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	root_remove_path(CLASS "mlx5_0");
	sample();
	check_unknown("rx_bytes", "mlx5_0/1", PM_REASON_absent);
	check_unknown("rx_bytes", "", PM_REASON_absent);
	check_known("rx_bytes", "mlx5_1/1", 20);
	put_port("mlx5_0/ports/1", "1\n", "2\n");
	later_s += 10;
	sample();
	check_unknown("rx_bytes", "mlx5_0/1", PM_REASON_wrapped);
	sample();
	check_known("rx_bytes", "mlx5_0/1", 4004);
	check_known("rx_bytes", "", 4024);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_infiniband), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/sys/class/infiniband"));
	pm_sink_free(&sink);
	root_put(CLASS "mlx5_0/fw_ver", "1\n");
	ck_assert_int_eq(begin(&pm_source_infiniband_errors), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

/* --- recorded machines ------------------------------------------------------------------------ */

START_TEST(fixture)
{
	static const struct {
		const char *port;
		int64_t rx_bytes, tx_bytes, rx_packets, tx_packets;
	} rows[] = {
		{ "hfi1_0/1", 1380366808104, 1094233306172, 638036947, 568318856 },
		{ "mlx4_0/1", 8884894436, 106036453180, 87169372, 85734114 },
		{ "mlx4_0/2", 9841747136, 106161427560, 89332064, 88622850 },
		{ "mlx5_0/1", 72505381512, 11523046035392, 541889824, 10907922116 },
	};
	int64_t rx = 0, tx = 0;

	fixture_device("infiniband/procfs-hfi1-mlx4-mlx5");
	ck_assert_int_eq(begin(&pm_source_infiniband), 0);
	sample();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		check_known("rx_bytes", rows[i].port, rows[i].rx_bytes);
		check_known("tx_bytes", rows[i].port, rows[i].tx_bytes);
		check_known("rx_packets", rows[i].port, rows[i].rx_packets);
		check_known("tx_packets", rows[i].port, rows[i].tx_packets);
		check_known("state", rows[i].port, 4);
		rx += rows[i].rx_bytes;
		tx += rows[i].tx_bytes;
	}
	check_known("rx_bytes", "", rx);
	check_known("tx_bytes", "", tx);
	check_known("tx_wait", "mlx4_0/1", 3599);
	check_known("tx_wait", "mlx4_0/2", 3846);
	check_known("rate", "hfi1_0/1", 12500000000);
	check_known("rate", "mlx4_0/1", 5000000000);
	check_known("rate", "mlx5_0/1", 3125000000);
	ck_assert_int_eq(objects("rx_bytes"), 4);
	end();
	ck_assert_int_eq(begin(&pm_source_infiniband_errors), 0);
	sample();
	check_known("out_of_buffer", "mlx5_0/1", 0);
	check_known("roce_slow_restart_cnps", "mlx5_0/1", 131);
	check_known("local_ack_timeout_err", "mlx5_0/1", 131);
	check_known("duplicate_request", "mlx5_0/1", 41);
	check_known("roce_adp_retrans", "mlx5_0/1", 99);
	check_known("symbol_error", "hfi1_0/1", 0);
	ck_assert_int_eq(objects("out_of_buffer"), 1);
	end();
}
END_TEST

static Suite *infiniband_suite(void)
{
	Suite *s = suite_create("sampler_infiniband");
	TCase *t = tcase_create("infiniband");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, words);
	tcase_add_test(t, extended);
	tcase_add_test(t, stuck);
	tcase_add_test(t, cleared);
	tcase_add_loop_test(t, no_pma, 0, 5);
	tcase_add_test(t, own_bytes);
	tcase_add_test(t, functions);
	tcase_add_test(t, errors);
	tcase_add_test(t, error_files);
	tcase_add_test(t, reloaded);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(infiniband_suite)
