/* Source import: counters of InfiniBand as perfquery prints them. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "tests/unit/sampler/source.h"

/* Sample a file with this text. */
static void import(const char *text)
{
	char path[512];
	struct pm_err e;

	root_put("values", text);
	snprintf(path, sizeof path, "%s/values", root);
	ck_assert_int_eq(pm_config_set(PM_SET_import_file, path, &e), 0);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
}

/* As perfquery -x prints it, and without: counters that stand at their ends, and one port that does
 * not say who it is. */
START_TEST(ports)
{
	import("# Port extended counters: Lid 7 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)\n"
	       "PortSelect:......................1\n"
	       "CounterSelect:...................0x0000\n"
	       "PortXmitData:....................5000000000\n"
	       "PortRcvData:.....................250\n"
	       "PortXmitPkts:....................4294967295\n"
	       "PortRcvPkts:.....................x\n"
	       "# Port counters: Lid 7 port 2 (CapMask: 0x5300)\n"
	       "PortSelect:......................2\n"
	       "SymbolErrorCounter:..............65535\n"
	       "LinkDownedCounter:...............254\n"
	       "PortXmitData:....................4294967295\n"
	       "PortRcvData:.....................4294967294\n"
	       "# Port counters: someone\n"
	       "PortXmitWait:....................3\n");
	check_known("bytes", "infiniband/lid7/1/tx_bytes", 20000000000);
	check_known("bytes", "infiniband/lid7/1/rx_bytes", 1000);
	check_known("count", "infiniband/lid7/1/tx_packets", 4294967295);
	check_unknown("count", "infiniband/lid7/2/symbol_error", PM_REASON_wrapped);
	check_known("count", "infiniband/lid7/2/link_downed", 254);
	check_unknown("bytes", "infiniband/lid7/2/tx_bytes", PM_REASON_wrapped);
	check_known("bytes", "infiniband/lid7/2/rx_bytes", 4 * INT64_C(4294967294));
	ck_assert_int_eq(objects("count"), 3);
	ck_assert_int_eq(objects("bytes"), 4);
	end();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_import_port");
	TCase *t = tcase_create("port");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, ports);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
