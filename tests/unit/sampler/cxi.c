/* Source cxi on recorded trees of /sys/class/cxi. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define CLASS "sys/class/cxi/"

static void put(const char *folder, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	root_put(path, text);
}

/* An item of cxi0. */
static void put_item(const char *item, const char *text)
{
	put(CLASS "cxi0/device/telemetry", item, text);
}

static void put_restart(int i, const char *time)
{
	char path[64];

	snprintf(path, sizeof path, CLASS "cxi0/device/link_restarts/time_%d", i);
	root_put(path, time);
}

static void set_up(void)
{
	root_make();
	frozen_us = later_s = 0;
}

/* Stamps are no part of the value; numbered files are added up, as many as there are. */
START_TEST(values)
{
	put_item("hni_sts_tx_ok_octets", "9007199254740993@1784929200.000000001\n");
	put_item("hni_sts_rx_ok_octets", "5@1784929200.123456789\n");
	put_item("hni_pkts_sent_by_tc_0", "1@1.000000000\n");
	put_item("hni_pkts_sent_by_tc_3", "20@2.000000000\n");
	put_item("hni_pkts_sent_by_tc_7", "300@3.000000000\n");
	put_item("hni_pkts_sent_by_tc_8", "4000@3.000000000\n");
	put_item("pct_spt_timeouts", "6@3.000000000\n");
	put_item("ALL-in-binary", "x");
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	/* Beyond what a double holds. */
	check_known("tx_bytes", "cxi0", 9007199254740993);
	check_known("tx_bytes", "", 9007199254740993);
	check_known("rx_bytes", "cxi0", 5);
	check_known("tx_packets", "cxi0", 321);
	check_known("spt_timeouts", "cxi0", 6);
	ck_assert(!has_object("retries", "cxi0"));
	ck_assert(!has_object("link_restarts", "cxi0"));
	end();
}
END_TEST

/* Adapters go by their addresses; the sum is over all. */
START_TEST(addresses)
{
	static const struct {
		const char *address, *name, *rx;
	} rows[] = {
		{ "sys/devices/pci0000:d5/0000:d5:00.0", "cxi0", "1@1.000000000\n" },
		{ "sys/devices/pci0000:c8/0000:c8:00.0", "cxi10", "20@1.000000000\n" },
	};
	char *text = NULL;
	size_t size;
	FILE *out;

	for (int i = 0; i < 2; i++) {
		char from[256], to[256];

		put(rows[i].address, "telemetry/hni_sts_rx_ok_octets", rows[i].rx);
		snprintf(from, sizeof from, CLASS "%s/dev", rows[i].name);
		root_put(from, "1:1\n");
		snprintf(from, sizeof from, "%s/" CLASS "%s/device", root, rows[i].name);
		snprintf(to, sizeof to, "../../../../%s", rows[i].address);
		PM_SURE(symlink(to, from) == 0);
	}
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	check_known("rx_bytes", "0000:d5:00.0", 1);
	check_known("rx_bytes", "0000:c8:00.0", 20);
	check_known("rx_bytes", "", 21);
	out = open_memstream(&text, &size);
	PM_SURE(out);
	pm_source_cxi.describe(state, &sink, out);
	PM_SURE(fclose(out) == 0);
	ck_assert_str_eq(text, "0000:d5:00.0: cxi0\n0000:c8:00.0: cxi10\n");
	free(text);
	end();
}
END_TEST

/* How wide a counter is differs and is not told: what falls was reset. */
START_TEST(falls)
{
	put_item("hni_sts_tx_ok_octets", "72057594037927935@1.000000000\n");
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	put_item("hni_sts_tx_ok_octets", "10@2.000000000\n");
	sample();
	check_unknown("tx_bytes", "cxi0", PM_REASON_wrapped);
	check_unknown("tx_bytes", "", PM_REASON_wrapped);
	put_item("hni_sts_tx_ok_octets", "11@3.000000000\n");
	sample();
	check_known("tx_bytes", "cxi0", 72057594037927946);
	end();
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason;
} garbled_rows[] = {
	{ "", PM_REASON_unsupported },
	{ "5\n", PM_REASON_parse },
	{ "5@\n", PM_REASON_parse },
	{ "5@1\n", PM_REASON_parse },
	{ "5@1.\n", PM_REASON_parse },
	{ "@1.000000000\n", PM_REASON_parse },
	{ "-5@1.0\n", PM_REASON_parse },
	{ "5@1.0 6@1.0\n", PM_REASON_parse },
	{ "5 @1.0\n", PM_REASON_parse },
	{ "5#1.0\n", PM_REASON_parse },
	{ "18446744073709551615@1.0\n", PM_REASON_parse },
};

START_TEST(garbled)
{
	put_item("hni_sts_tx_ok_octets", garbled_rows[_i].text);
	put_item("hni_sts_rx_ok_octets", "5@1.000000000\n");
	put_item("hni_pkts_recv_by_tc_0", "5@1.000000000\n");
	put_item("hni_pkts_recv_by_tc_1", garbled_rows[_i].text);
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	check_unknown("tx_bytes", "cxi0", garbled_rows[_i].reason);
	check_known("rx_bytes", "cxi0", 5);
	if (garbled_rows[_i].text[0] != '-')
		check_unknown("rx_packets", "cxi0", garbled_rows[_i].reason);
	end();
}
END_TEST

/* Each restart has another time; where all ten are new there may have been more. */
START_TEST(restarts)
{
	put_item("hni_sts_tx_ok_octets", "1@1.000000000\n");
	for (int i = 0; i < 10; i++)
		put_restart(i, i < 2 ? "1784900000\n" : "0\n");
	frozen_us = 1000000000;
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	check_known("link_restarts", "cxi0", 0);
	put_restart(2, "1784900010\n");
	put_restart(3, "1784900010\n");
	later_s += 9;
	sample();
	check_known("link_restarts", "cxi0", 0);
	later_s++;
	sample();
	check_known("link_restarts", "cxi0", 2);
	put_restart(0, "1784900020\n");
	put_restart(9, "?\n");
	later_s += 10;
	sample();
	check_unknown("link_restarts", "cxi0", PM_REASON_parse);
	put_restart(9, "0\n");
	later_s += 10;
	sample();
	check_known("link_restarts", "cxi0", 3);
	for (int i = 0; i < 10; i++)
		put_restart(i, "1784900030\n");
	later_s += 10;
	sample();
	check_unknown("link_restarts", "cxi0", PM_REASON_wrapped);
	later_s += 10;
	sample();
	check_known("link_restarts", "cxi0", 13);
	frozen_us = 0;
	end();
}
END_TEST

START_TEST(reloaded)
{
	put_item("hni_sts_tx_ok_octets", "10@1.000000000\n");
	put_item("hni_pkts_sent_by_tc_0", "1@1.000000000\n");
	put_item("hni_pkts_sent_by_tc_1", "2@1.000000000\n");
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	check_known("tx_packets", "cxi0", 3);
	root_remove_path(CLASS "cxi0");
	sample();
	check_unknown("tx_bytes", "cxi0", PM_REASON_absent);
	check_unknown("tx_packets", "cxi0", PM_REASON_absent);
	put_item("hni_sts_tx_ok_octets", "12@1.000000000\n");
	put_item("hni_pkts_sent_by_tc_0", "5@1.000000000\n");
	put_item("hni_pkts_sent_by_tc_1", "6@1.000000000\n");
	later_s += 11;
	sample();
	check_known("tx_bytes", "cxi0", 12);
	check_known("tx_packets", "cxi0", 11);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_cxi), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/sys/class/cxi"));
	pm_sink_free(&sink);
}
END_TEST

/* --- recording -------------------------------------------------------------------------------- */

START_TEST(fixture)
{
	static const struct {
		const char *metric;
		int64_t value;
	} rows[] = {
		{ "tx_bytes", 734512345678 },
		{ "rx_bytes", 91814043210 },
		{ "tx_packets", 11476755403 },
		{ "rx_packets", 1434594428 },
		{ "rx_paused", 179324312 },
		{ "pauses", 179324317 },
		{ "corrected_codewords", 11476755408 },
		{ "uncorrected_codewords", 1434594433 },
		{ "posted_blocked", 734512345688 },
		{ "match_overflow", 11476755413 },
		{ "sct_timeouts", 1434594438 },
		{ "address_misses", 91814043220 },
		{ "link_restarts", 0 },
	};

	fixture_device("cxi");
	ck_assert_int_eq(begin(&pm_source_cxi), 0);
	sample();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		check_known(rows[i].metric, "cxi0", rows[i].value);
		check_known(rows[i].metric, "cxi1", rows[i].value ? rows[i].value + 1000 : 0);
	}
	check_known("tx_bytes", "", 1469024692356);
	check_known("rx_bytes", "", 183628087420);
	ck_assert_int_eq(objects("tx_bytes"), 2);
	end();
}
END_TEST

static Suite *cxi_suite(void)
{
	Suite *s = suite_create("sampler_cxi");
	TCase *t = tcase_create("cxi");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, addresses);
	tcase_add_test(t, falls);
	tcase_add_loop_test(t, garbled, 0, sizeof garbled_rows / sizeof garbled_rows[0]);
	tcase_add_test(t, restarts);
	tcase_add_test(t, reloaded);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(cxi_suite)
