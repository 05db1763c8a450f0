/* Sources lustre, lustre_rpc and lnet on recorded trees. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define OLD   "proc/fs/lustre/"
#define DEBUG "sys/kernel/debug/lustre/"

#define MOUNT "scratch-ffff9a3bc0de1000"
#define OTHER "home-ffff9a3bc0de2000"

/* Version 2.9: bytes without times. */
#define STATS_29                                                                                   \
	"snapshot_time             1510950459.772792 secs.usecs\n"                                 \
	"read_bytes                3 samples [bytes] 4096 4194304 8392704\n"                       \
	"write_bytes               20 samples [bytes] 1 1048576 93813797294080\n"                  \
	"open                      136 samples [regs]\n"                                           \
	"getattr                   41 samples [regs]\n"

/* Versions from 2.12 on: times beside bytes, and sums of squares, which may not fit. */
#define STATS_215                                                                                  \
	"snapshot_time             1784929200.772792457 secs.nsecs\n"                              \
	"start_time                1784900000.000000001 secs.nsecs\n"                              \
	"elapsed_time              29200.772792456 secs.nsecs\n"                                   \
	"read_bytes                5 samples [bytes] 4096 4194304 7000 99999999999999999999999\n"  \
	"write_bytes               6 samples [bytes] 1 1048576 8000 1\n"                           \
	"read                      5 samples [usec] 10 20 77 1234\n"                               \
	"write                     6 samples [usecs] 10 20 88 1234\n"                              \
	"open                      7 samples [usec] 1 2 30 100\n"                                  \
	"fault                     9 samples [usec] 1 2 30 100\n"

static void put_llite(const char *place, const char *mount, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%sllite/%s/stats", place, mount);
	root_put(path, text);
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

/* --- what programs do ------------------------------------------------------------------------- */

START_TEST(version_29)
{
	char *text;

	put_llite(OLD, MOUNT, STATS_29);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("read_bytes", MOUNT, 8392704);
	check_known("reads", MOUNT, 3);
	check_known("write_bytes", MOUNT, 93813797294080);
	check_known("writes", MOUNT, 20);
	check_known("opens", MOUNT, 136);
	check_known("getattrs", MOUNT, 41);
	/* Without a line: it has not happened. */
	check_known("closes", MOUNT, 0);
	check_known("renames", "", 0);
	/* But for what this version does not count. */
	check_unknown("read_time", MOUNT, PM_REASON_unsupported);
	check_unknown("write_time", "", PM_REASON_unsupported);
	text = describe();
	ck_assert_str_eq(text, MOUNT ": files of statistics: 1, below /proc/fs/lustre\n"
				     "  unsupported: read_time write_time\n");
	free(text);
	end();
}
END_TEST

/* The names in /sys, the figures in debugfs; what is in microseconds is no volume. */
START_TEST(version_215)
{
	root_put("sys/fs/lustre/llite/" MOUNT "/fstype", "lustre\n");
	put_llite(DEBUG, MOUNT, STATS_215);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("read_bytes", MOUNT, 7000);
	check_known("write_bytes", MOUNT, 8000);
	check_known("read_time", MOUNT, 77);
	check_known("write_time", MOUNT, 88);
	check_known("opens", MOUNT, 7);
	check_known("page_faults", MOUNT, 9);
	ck_assert_int_eq(objects("read_bytes"), 1);
	end();
}
END_TEST

/* Where vendors have it in /sys, and where two places have it: once. */
START_TEST(places)
{
	put_llite("sys/fs/lustre/", MOUNT, STATS_29);
	put_llite(OLD, OTHER, STATS_29);
	put_llite(DEBUG, OTHER, STATS_215);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("reads", MOUNT, 3);
	check_known("reads", OTHER, 3);
	check_known("reads", "", 6);
	ck_assert_int_eq(objects("reads"), 2);
	end();
}
END_TEST

/* Units decide: in others than its own a line says nothing. */
START_TEST(units)
{
	put_llite(OLD, MOUNT,
		  "snapshot_time 1.0 secs.usecs\n"
		  "read_bytes 3 samples [usec] 1 2 700\n"
		  "read 3 samples [bytes] 1 2 900\n"
		  "write_bytes 4 samples [pages] 1 2 900\n");
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_unknown("read_bytes", MOUNT, PM_REASON_unsupported);
	check_unknown("read_time", MOUNT, PM_REASON_unsupported);
	check_unknown("write_bytes", MOUNT, PM_REASON_unsupported);
	check_known("reads", MOUNT, 3);
	end();
}
END_TEST

/* Zeroing the file is no negative number of bytes, and is of all its counters. */
START_TEST(clears)
{
	put_llite(OLD, MOUNT, STATS_29);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	/* open has grown beyond what it was, read_bytes has no line yet. */
	put_llite(OLD, MOUNT,
		  "snapshot_time 1510950460.0 secs.usecs\n"
		  "write_bytes 1 samples [bytes] 1 5 5\n"
		  "open 140 samples [regs]\n");
	sample();
	check_unknown("read_bytes", MOUNT, PM_REASON_wrapped);
	check_unknown("write_bytes", MOUNT, PM_REASON_wrapped);
	check_unknown("opens", MOUNT, PM_REASON_wrapped);
	check_unknown("opens", "", PM_REASON_wrapped);
	put_llite(OLD, MOUNT,
		  "snapshot_time 1510950461.0 secs.usecs\n"
		  "write_bytes 2 samples [bytes] 1 5 15\n"
		  "open 141 samples [regs]\n");
	sample();
	check_known("read_bytes", MOUNT, 8392704);
	check_known("write_bytes", MOUNT, 93813797294095);
	check_known("opens", MOUNT, 136 + 141);
	end();
}
END_TEST

/* From 2.14 on the file says so, even where everything has grown. */
START_TEST(starts)
{
	put_llite(DEBUG, MOUNT,
		  "snapshot_time 9.0 secs.nsecs\nstart_time 1.5 secs.nsecs\n"
		  "open 7 samples [usec] 1 2 3\n");
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("opens", MOUNT, 7);
	put_llite(DEBUG, MOUNT,
		  "snapshot_time 9.5 secs.nsecs\nstart_time 9.1 secs.nsecs\n"
		  "open 8 samples [usec] 1 2 3\n");
	sample();
	check_unknown("opens", MOUNT, PM_REASON_wrapped);
	sample();
	check_known("opens", MOUNT, 15);
	end();
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason; /* of opens; PM_REASON_COUNT: known */
} garbled_rows[] = {
	{ "snapshot_time 1.0 secs.usecs\nopen 7 samples [regs]\n", PM_REASON_COUNT },
	/* Cut, empty, or of something else: an absent line is not 0 there. */
	{ "snapshot_time 1.0 secs.usecs\nopen 7 samples [re", PM_REASON_parse },
	{ "", PM_REASON_parse },
	{ "open 7 samples [regs]\n", PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\nopen x samples [regs]\n", PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\nopen 7\n", PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\nopen 7 [regs]\n", PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\nopen -7 samples [regs]\n", PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\nopen 99999999999999999999 samples [regs]\n",
	  PM_REASON_parse },
	{ "snapshot_time 1.0 secs.usecs\n\n\nopen 7 samples [regs]\n", PM_REASON_COUNT },
};

START_TEST(garbled)
{
	put_llite(OLD, MOUNT, garbled_rows[_i].text);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	if (garbled_rows[_i].reason == PM_REASON_COUNT)
		check_known("opens", MOUNT, 7);
	else
		check_unknown("opens", MOUNT, garbled_rows[_i].reason);
	end();
}
END_TEST

/* A volume without a sum. */
START_TEST(no_sum)
{
	put_llite(OLD, MOUNT, "snapshot_time 1.0 secs.usecs\nread_bytes 7 samples [bytes]\n");
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_unknown("read_bytes", MOUNT, PM_REASON_parse);
	check_known("reads", MOUNT, 7);
	end();
}
END_TEST

/* Mounts come and go; the sum keeps what they counted. */
START_TEST(mounts)
{
	put_llite(OLD, MOUNT, STATS_29);
	put_llite(OLD, OTHER, STATS_29);
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("opens", "", 272);
	root_remove_path(OLD "llite/" OTHER);
	sample();
	check_unknown("opens", OTHER, PM_REASON_absent);
	check_known("opens", MOUNT, 136);
	later_s += 11;
	sample();
	pm_sink_passed(&sink);
	ck_assert(!has_object("opens", OTHER));
	check_known("opens", "", 272);
	/* Mounted again, it is another instance. */
	put_llite(OLD, "home-ffff9a3bc0de3000",
		  "snapshot_time 1.0 secs.usecs\n"
		  "open 3 samples [regs]\n");
	later_s += 61;
	sample();
	check_known("opens", "home-ffff9a3bc0de3000", 3);
	check_known("opens", "", 275);
	end();
}
END_TEST

static void forbid(const char *relative, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, relative);
	PM_SURE(chmod(path, mode) == 0);
}

/* Debugfs is root's: the mount is known, and what to do. */
START_TEST(closed)
{
	char want[256];
	int result;

	root_put("sys/fs/lustre/llite/" MOUNT "/fstype", "lustre\n");
	put_llite(DEBUG, MOUNT, STATS_215);
	forbid("sys/kernel/debug", 0700);
	if (getuid() != 0)
		forbid("sys/kernel/debug", 0);
	root_become_plain_user();
	result = begin(&pm_source_lustre);
	root_become_self();
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(why.reason, PM_REASON_permission);
	snprintf(want, sizeof want,
		 "stats of " MOUNT ": Permission denied; run the sampler as root, or let users "
		 "pass: chmod a+x %s/sys/kernel/debug,",
		 root);
	ck_assert_ptr_nonnull(strstr(why.err.text, want));
	pm_sink_free(&sink);
	/* Its remedy is one. */
	forbid("sys/kernel/debug", 0711);
	root_become_plain_user();
	result = begin(&pm_source_lustre);
	sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("read_bytes", MOUNT, 7000);
	end();
}
END_TEST

/* A service of root's opens the files before it becomes a job's user. */
START_TEST(held)
{
	int result;

	root_put("sys/fs/lustre/llite/" MOUNT "/fstype", "lustre\n");
	put_llite(DEBUG, MOUNT, STATS_215);
	root_put("sys/kernel/debug/lnet/stats", "0 28 0 1 2 0 0 3 4 0 0\n");
	pm_source_lustre.hold(root);
	pm_source_lnet.hold(root);
	forbid("sys/kernel/debug", 0);
	root_become_plain_user();
	result = begin(&pm_source_lustre);
	for (int i = 0; i < 3; i++)
		sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("read_bytes", MOUNT, 7000);
	end();
	root_become_plain_user();
	result = begin(&pm_source_lnet);
	sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("rx_bytes", "", 4);
	end();
	forbid("sys/kernel/debug", 0700);
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_lustre), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "no Lustre file system is mounted"));
	pm_sink_free(&sink);
	/* A server, which mounts nothing. */
	root_put(OLD "version", "lustre: 2.9.0\n");
	root_put(OLD "osc/scratch-OST0000-osc-MDT0000/stats", STATS_29);
	ck_assert_int_eq(begin(&pm_source_lustre_rpc), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

/* --- requests to servers ---------------------------------------------------------------------- */

#define OSC(read, write)                                                                           \
	"snapshot_time             1510950459.787092770 secs.nsecs\n"                              \
	"req_waittime              100 samples [usec] 69 1348857 5000 8342874290406023\n"          \
	"req_active                100 samples [reqs] 1 17 83626277 470089669\n"                   \
	"read_bytes                7 samples [bytes] 4096 4194304 " #read " 1000\n"                \
	"write_bytes               9 samples [bytes] 4096 4194304 " #write " 1000\n"               \
	"ost_read                  7 samples [usec] 119 1348857 700 8341476394008222\n"            \
	"ost_write                 9 samples [usec] 119 1348857 900 8341476394008222\n"

START_TEST(rpc)
{
	static const char *const kept[] = { "read_bytes", "object_time", "metadata_time" };
	static const int64_t want[] = { 3000, 10000, 3103430 };

	put_llite(OLD, MOUNT, STATS_29);
	put_llite(OLD, OTHER, STATS_29);
	root_put(OLD "osc/scratch-OST0000-osc-ffff9a3bc0de1000/stats", OSC(1000, 10000));
	root_put(OLD "osc/scratch-OST001f-osc-ffff9a3bc0de1000/stats", OSC(2000, 20000));
	root_put(OLD "osc/home-OST0000-osc-ffff9a3bc0de2000/stats", OSC(4000, 40000));
	/* Of a mount that is gone, of a server's own, of nothing. */
	root_put(OLD "osc/scratch-OST0000-osc-ffff9a3bc0de9999/stats", OSC(5, 5));
	root_put(OLD "osc/scratch-OST0000-osc-MDT0000/stats", OSC(5, 5));
	root_put(OLD "osc/-osc-/stats", OSC(5, 5));
	root_put(OLD "mdc/scratch-MDT0000-mdc-ffff9a3bc0de1000/stats",
		 "snapshot_time 1510950459.781611519 secs.nsecs\n"
		 "req_waittime 7604 samples [usec] 90 132365 3103430 34840946126\n");
	root_put(OLD "mdc/scratch-MDT0000-mdc-ffff9a3bc0de1000/md_stats",
		 "snapshot_time 1510950459.782265624 secs.nsecs\n"
		 "close 11 samples [reqs]\nintent_lock 329 samples [reqs]\n"
		 "read_page 6 samples [reqs]\n");
	ck_assert_int_eq(begin(&pm_source_lustre_rpc), 0);
	sample();
	check_known("read_bytes", MOUNT, 3000);
	check_known("write_bytes", MOUNT, 30000);
	check_known("read_bytes", OTHER, 4000);
	check_known("read_bytes", "", 7000);
	check_known("reads", MOUNT, 14);
	check_known("writes", MOUNT, 18);
	check_known("read_time", MOUNT, 1400);
	check_known("write_time", MOUNT, 1800);
	check_known("object_requests", MOUNT, 200);
	check_known("object_time", MOUNT, 10000);
	check_known("metadata_requests", MOUNT, 7604);
	check_known("metadata_time", MOUNT, 3103430);
	check_known("md_close", MOUNT, 11);
	check_known("md_intent_lock", MOUNT, 329);
	check_known("md_read_page", MOUNT, 6);
	check_known("md_rename", MOUNT, 0);
	/* No file of a metadata server: not 0. */
	check_unknown("md_close", OTHER, PM_REASON_absent);
	check_unknown("metadata_time", "", PM_REASON_absent);
	ck_assert_int_eq(objects("read_bytes"), 2);
	/* A server leaves; what it counted stays. */
	root_remove_path(OLD "osc/scratch-OST001f-osc-ffff9a3bc0de1000");
	sample();
	check_unknown("read_bytes", MOUNT, PM_REASON_absent);
	later_s += 11;
	sample();
	for (int i = 0; i < 3; i++)
		check_known(kept[i], MOUNT, want[i]);
	end();
}
END_TEST

/* --- LNet ------------------------------------------------------------------------------------- */

START_TEST(lnet)
{
	root_put("sys/kernel/debug/lnet/stats",
		 "3 28 1 4294967290 5 6 7 21201322992 53029565353720 10 11\n");
	frozen_us = 1000000000;
	ck_assert_int_eq(begin(&pm_source_lnet), 0);
	sample();
	check_known("messages", "", 3);
	check_known("messages_max", "", 28);
	check_known("errors", "", 1);
	check_known("tx_messages", "", 4294967290);
	check_known("rx_messages", "", 5);
	check_known("routed_messages", "", 6);
	check_known("dropped_messages", "", 7);
	check_known("tx_bytes", "", 21201322992);
	check_known("rx_bytes", "", 53029565353720);
	check_known("routed_bytes", "", 10);
	check_known("dropped_bytes", "", 11);
	/* Messages are counted in 32 bits. */
	root_put("sys/kernel/debug/lnet/stats",
		 "0 28 1 10 6 6 7 21201322999 53029565353720 10 11\n");
	later_s++;
	sample();
	check_known("messages", "", 0);
	check_known("tx_messages", "", 4294967306);
	check_known("tx_bytes", "", 21201322999);
	/* Cleared: no wrap of messages then. */
	root_put("sys/kernel/debug/lnet/stats", "0 2 0 1 9 0 0 100 200 10 11\n");
	later_s++;
	sample();
	check_unknown("tx_messages", "", PM_REASON_wrapped);
	check_unknown("rx_messages", "", PM_REASON_wrapped);
	check_unknown("tx_bytes", "", PM_REASON_wrapped);
	check_known("messages_max", "", 2);
	root_put("sys/kernel/debug/lnet/stats", "0 2 0 2 10 0 0 101 201 10 11\n");
	later_s++;
	sample();
	check_known("tx_messages", "", 4294967308);
	check_known("tx_bytes", "", 21201323100);
	frozen_us = 0;
	end();
}
END_TEST

START_TEST(lnet_garbled)
{
	static const char *const texts[] = { "",
					     "1 2 3\n",
					     "0 28 0 1 2 0 0 3 4 0",
					     "a b\n",
					     "0 28 0 1 2 0 0 3 4 0 -1\n",
					     "0 28 0 1 2 0 0 3 4 0 0 9\n" };

	root_put("proc/sys/lnet/stats", texts[_i]);
	ck_assert_int_eq(begin(&pm_source_lnet), 0);
	sample();
	check_unknown("tx_bytes", "", PM_REASON_parse);
	check_unknown("messages", "", PM_REASON_parse);
	end();
}
END_TEST

START_TEST(lnet_closed)
{
	int result;

	ck_assert_int_eq(begin(&pm_source_lnet), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	root_put("sys/kernel/debug/lnet/stats", "0 28 0 1 2 0 0 3 4 0 0\n");
	forbid("sys/kernel/debug", 0);
	root_become_plain_user();
	result = begin(&pm_source_lnet);
	root_become_self();
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(why.reason, PM_REASON_permission);
	ck_assert_ptr_nonnull(strstr(why.err.text, "chmod a+x "));
	pm_sink_free(&sink);
	forbid("sys/kernel/debug", 0700);
}
END_TEST

/* --- recorded machine ------------------------------------------------------------------------- */

#define FIXTURE "lustrefs-ffff88105db50000"

START_TEST(fixture_lustre)
{
	fixture_device("lustre/hp-2.9");
	ck_assert_int_eq(begin(&pm_source_lustre), 0);
	sample();
	check_known("read_bytes", FIXTURE, 4194304);
	check_known("reads", FIXTURE, 1);
	check_known("write_bytes", FIXTURE, 93813797294080);
	check_known("writes", FIXTURE, 89467810);
	check_known("opens", FIXTURE, 136);
	check_known("closes", FIXTURE, 96);
	check_known("getattrs", FIXTURE, 41);
	check_known("write_bytes", "", 93813797294080);
	end();
	ck_assert_int_eq(begin(&pm_source_lustre_rpc), 0);
	sample();
	/* Those of the page cache are 93813797294080: never added to these. */
	check_known("write_bytes", FIXTURE, 65298098221056);
	check_known("read_bytes", FIXTURE, 0);
	check_known("writes", FIXTURE, 18210286);
	check_known("write_time", FIXTURE, 110277857878);
	check_known("object_requests", FIXTURE, 18215581);
	check_known("metadata_requests", FIXTURE, 7604);
	check_known("metadata_time", FIXTURE, 3103430);
	check_known("md_intent_lock", FIXTURE, 329);
	check_known("md_setattr", FIXTURE, 134);
	end();
}
END_TEST

START_TEST(fixture_lnet)
{
	static const struct {
		const char *metric;
		int64_t value;
	} rows[] = {
		{ "messages", 0 },
		{ "messages_max", 28 },
		{ "errors", 0 },
		{ "tx_messages", 101719323 },
		{ "rx_messages", 101719291 },
		{ "routed_messages", 0 },
		{ "dropped_messages", 0 },
		{ "tx_bytes", 21201322992 },
		{ "rx_bytes", 53029565353720 },
		{ "routed_bytes", 0 },
		{ "dropped_bytes", 0 },
	};

	fixture_device("lustre/hp-2.9");
	ck_assert_int_eq(begin(&pm_source_lnet), 0);
	sample();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_known(rows[i].metric, "", rows[i].value);
	end();
}
END_TEST

static Suite *lustre_suite(void)
{
	Suite *s = suite_create("sampler_lustre");
	TCase *t = tcase_create("lustre");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, version_29);
	tcase_add_test(t, version_215);
	tcase_add_test(t, places);
	tcase_add_test(t, units);
	tcase_add_test(t, clears);
	tcase_add_test(t, starts);
	tcase_add_loop_test(t, garbled, 0, sizeof garbled_rows / sizeof garbled_rows[0]);
	tcase_add_test(t, no_sum);
	tcase_add_test(t, mounts);
	tcase_add_test(t, closed);
	tcase_add_test(t, held);
	tcase_add_test(t, none);
	tcase_add_test(t, rpc);
	tcase_add_test(t, lnet);
	tcase_add_loop_test(t, lnet_garbled, 0, 6);
	tcase_add_test(t, lnet_closed);
	if (fixture_devices(path, sizeof path)) {
		tcase_add_test(t, fixture_lustre);
		tcase_add_test(t, fixture_lnet);
	}
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(lustre_suite)
