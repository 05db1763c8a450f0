/* Sources of objects that come and go, on recorded trees: disk, network. */
#include "config.h"

#include "sampler/kernel/diskrule.h"

#include "tests/unit/sampler/source.h"

/* A directory below the root. */
static void put_directory(const char *relative)
{
	char path[256];

	snprintf(path, sizeof path, "%s/x", relative);
	root_put(path, "");
	root_remove_path(path);
}

/* --- disk ------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *disk;
	bool part;
} parts[] = {
	{ "sda1", "sda", true },
	{ "sda12", "sda", true },
	{ "sda", "sda", false },
	{ "sdaa", "sda", false },
	{ "sdaa1", "sda", false },
	{ "sdap1", "sda", false },
	{ "nvme0n1p1", "nvme0n1", true },
	{ "nvme0n10", "nvme0n1", false },
	{ "nvme0n1p", "nvme0n1", false },
	{ "nvme0n1px", "nvme0n1", false },
	{ "mmcblk0p2", "mmcblk0", true },
	{ "mmcblk0boot0", "mmcblk0", false },
	{ "sda1", "", false },
};

START_TEST(disk_parts)
{
	ck_assert_int_eq(pm_diskrule_part(parts[_i].name, strlen(parts[_i].name), parts[_i].disk),
			 parts[_i].part);
}
END_TEST

/* 11 fields as before Linux 4.18, 15 with discards, 17 with flushes since 5.5. */
START_TEST(disk_values)
{
	put_directory("sys/block/sda/slaves");
	root_put("proc/diskstats", "   1       0 ram0 1 1 1 1 1 1 1 1 1 1 1\n"
				   "   7       0 loop0 1 1 1 1 1 1 1 1 1 1 1\n"
				   "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
				   "   8       1 sda1 1 1 1 1 1 1 1 1 1 1 1\n"
				   " 259       0 nvme0n1 100 200 300 400 500 600 700 800 900 1000 "
				   "1100 12 13 14 15 16 17\n"
				   " 259       1 nvme0n1p1 1 1 1 1 1 1 1 1 1 1 1\n"
				   " 253       0 dm-0 1 1 1 1 1 1 1 1 1 1 1\n"
				   "   9     127 md127 1 1 1 1 1 1 1 1 1 1 1\n"
				   "  11       0 sr0 1 1 1 1 1 1 1 1 1 1 1\n"
				   " 252       0 zram0 1 1 1 1 1 1 1 1 1 1 1\n");
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	ck_assert_int_eq(objects("reads"), 2);
	check_known("reads", "sda", 1);
	check_known("read_merges", "sda", 2);
	check_known("read_bytes", "sda", 3 * 512);
	check_known("read_time", "sda", 4000);
	check_known("writes", "sda", 5);
	check_known("write_bytes", "sda", 7 * 512);
	check_known("write_time", "sda", 8000);
	check_known("in_flight", "sda", 9);
	check_known("io_time", "sda", 10000);
	check_known("queue_time", "sda", 11000);
	check_unknown("discards", "sda", PM_REASON_unsupported);
	check_unknown("flush_time", "sda", PM_REASON_unsupported);
	check_known("discard_bytes", "nvme0n1", 14 * 512);
	check_known("flushes", "nvme0n1", 16);
	check_known("flush_time", "nvme0n1", 17000);
	check_known("reads", "", 101);
	check_known("read_bytes", "", 303 * 512);
	check_known("in_flight", "", 909);
	check_known("queue_time", "", 1111000);
	check_unknown("flushes", "", PM_REASON_unsupported); /* of one of them it is not known */
	end();
}
END_TEST

/* What is made of others, or hidden behind them, is so by /sys, too. */
START_TEST(disk_layers)
{
	root_put("sys/block/fancy/slaves/sda", "");
	root_put("sys/block/nvme0c0n1/hidden", "1\n");
	root_put("sys/block/nvme0n1/hidden", "0\n");
	root_put("sys/block/cciss!c0d0/slaves/sda", "");
	root_put("proc/diskstats", "1 0 fancy 1 1 1 1 1 1 1 1 1 1 1\n"
				   "1 0 nvme0c0n1 1 1 1 1 1 1 1 1 1 1 1\n"
				   "1 0 nvme0n1 7 1 1 1 1 1 1 1 1 1 1\n"
				   "1 0 cciss/c0d0 1 1 1 1 1 1 1 1 1 1 1\n"
				   "1 0 cciss/c0d1 2 1 1 1 1 1 1 1 1 1 1\n");
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	ck_assert_int_eq(objects("reads"), 2);
	check_known("reads", "nvme0n1", 7);
	check_known("reads", "cciss/c0d1", 2);
	check_known("reads", "", 9);
	end();
}
END_TEST

#define SDA(reads) "8 0 sda " #reads " 0 0 0 0 0 0 0 0 0 0\n"
#define SDB(reads) "8 16 sdb " #reads " 0 0 0 0 0 0 0 0 0 0\n"

START_TEST(disk_hotplug)
{
	root_put("proc/diskstats", SDA(10) SDB(100));
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	check_known("reads", "", 110);
	/* Unplugged: what it did stays. */
	root_put("proc/diskstats", SDA(11));
	sample();
	check_known("reads", "", 111);
	check_unknown("reads", "sdb", PM_REASON_absent);
	pm_sink_passed(&sink);
	ck_assert_int_eq(has_object("reads", "sdb"), 0);
	/* Another one of that name. */
	root_put("proc/diskstats", SDA(11) SDB(5));
	sample();
	check_known("reads", "", 116);
	check_known("reads", "sdb", 5);
	/* Exchanged between two samples. */
	root_put("proc/diskstats", SDA(11) SDB(2));
	sample();
	check_known("reads", "", 118);
	check_known("reads", "sdb", 2);
	/* None at all, then the file is gone. */
	root_put("proc/diskstats", "");
	sample();
	check_known("reads", "", 118);
	root_remove_path("proc/diskstats");
	sample();
	check_unknown("reads", "", PM_REASON_absent);
	root_put("proc/diskstats", SDA(1));
	sample();
	check_known("reads", "", 119);
	end();
}
END_TEST

/* What counters counted before they began anew may be more than a number holds: from then on. */
START_TEST(disk_overflow)
{
	root_put("proc/diskstats", SDA(0));
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	for (int i = 1; i <= 4; i++) {
		root_put("proc/diskstats", SDA(4611686018427387903));
		sample();
		root_put("proc/diskstats", SDA(0));
		sample();
		if (i < 3)
			check_known("reads", "", i * 4611686018427387903);
		else
			check_unknown("reads", "", PM_REASON_parse);
		check_known("reads", "sda", 0);
	}
	end();
}
END_TEST

/* The kernel's times have 32 bits of ms. */
START_TEST(disk_wraps)
{
	root_put("proc/diskstats", "8 0 sda 1 0 0 4294967290 1 0 0 4294967290 0 7 0\n");
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	check_known("read_time", "", 4294967290000);
	root_put("proc/diskstats", "8 0 sda 1 0 0 4 1 0 0 4294967295 0 6 0\n");
	sample();
	check_known("read_time", "sda", 4294967300000);
	check_known("read_time", "", 4294967300000);
	check_known("write_time", "sda", 4294967295000);
	/* A little less is no wrap: it began anew. */
	check_known("io_time", "sda", 6000);
	check_known("io_time", "", 13000);
	end();
}
END_TEST

static const struct {
	const char *metric;
	int64_t unit;
	bool wraps; /* at 2^32 of what the kernel tells */
} widths[] = {
	{ "reads", 1, false },        { "read_merges", 1, false },    { "read_bytes", 512, false },
	{ "read_time", 1000, true },  { "writes", 1, false },         { "write_merges", 1, false },
	{ "write_bytes", 512, false }, { "write_time", 1000, true },  { "io_time", 1000, true },
	{ "queue_time", 1000, true }, { "discards", 1, false },       { "discard_merges", 1, false },
	{ "discard_bytes", 512, false }, { "discard_time", 1000, true }, { "flushes", 1, false },
	{ "flush_time", 1000, true },
};

START_TEST(disk_widths)
{
	char line[512] = "8 0 sda";

	for (int i = 0; i < 17; i++)
		strcat(line, i == 8 ? " 0" : " 4294967290");
	root_put("proc/diskstats", strcat(line, "\n"));
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	root_put("proc/diskstats", "8 0 sda 4 4 4 4 4 4 4 4 0 4 4 4 4 4 4 4 4\n");
	sample();
	check_known(widths[_i].metric, "sda",
		    (widths[_i].wraps ? 4294967300 : 4) * widths[_i].unit);
	end();
}
END_TEST

static const struct {
	const char *text;
	int reads, writes; /* -1: parse, -2: unsupported, -3: no such disk */
} bad_disks[] = {
	{ "", -3, 0 },
	{ "garbage\n", -3, 0 },
	{ "8 0\n", -3, 0 },
	{ "8 0 \n", -3, 0 },
	{ "8 x sda 1 2 3 4 5 6 7 8 9 10 11\n", -3, 0 },
	{ "8 0 sda 1 2 3 4 5 6 7 8 9 10 11", -3, 0 }, /* cut */
	{ "8 0 sda\n", -2, -2 },
	{ "8 0 sda 1 2 3 4\n", 1, -2 },
	{ "8 0 sda x 2 3 4 5\n", -1, -1 },
	{ "8 0 sda 1 2 3 4x 5\n", 1, -1 },
	{ "8 0 sda -1 2 3 4 5\n", -1, -1 },
	{ "8 0 sda 99999999999999999999 2 3 4 5\n", -1, -1 },
	{ "8 0 sda 9223372036854775807 2 3 4 5 6\n", -1, 5 },
	{ "\n\n8 0 sda 1 2 3 4 5\n\n", 1, 5 },
};

static void check_disk(const char *metric, int value)
{
	if (value >= 0)
		check_known(metric, "sda", value);
	else
		check_unknown(metric, "sda", value == -1 ? PM_REASON_parse : PM_REASON_unsupported);
}

START_TEST(disk_garbled)
{
	root_put("proc/diskstats", bad_disks[_i].text);
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	if (bad_disks[_i].reads == -3) {
		ck_assert_int_eq(objects("reads"), 0);
		check_unknown("reads", "", PM_REASON_absent);
	} else {
		check_disk("reads", bad_disks[_i].reads);
		check_disk("writes", bad_disks[_i].writes);
	}
	end();
}
END_TEST

START_TEST(disk_many)
{
	char *text = malloc(1000000);
	size_t n = 0;

	for (int i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, 100, "8 0 sd%c%c%c 1 0 2 0 0 0 0 0 0 0 0\n",
				      'a' + i / 400, 'a' + i / 20 % 20, 'a' + i % 20);
	root_put("proc/diskstats", text);
	free(text);
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	ck_assert_int_eq(objects("reads"), 64);
	check_known("reads", "", 2000);
	check_known("read_bytes", "", 2000 * 1024);
	/* One with series goes, and one that had none gets its place. */
	root_put("proc/diskstats", "8 0 sdeta 5 0 0 0 0 0 0 0 0 0 0\n");
	sample();
	check_known("reads", "", 2004);
	pm_sink_passed(&sink);
	root_put("proc/diskstats", "8 0 sdeta 6 0 0 0 0 0 0 0 0 0 0\n");
	sample();
	check_known("reads", "sdeta", 6);
	ck_assert_int_eq(objects("reads"), 1);
	end();
}
END_TEST

/* --- network ---------------------------------------------------------------------------------- */

#define HEADING                                                                                    \
	"Inter-|   Receive                            |  Transmit\n"                               \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets "      \
	"errs drop fifo colls carrier compressed\n"

static void put_interface(const char *name, int type, int index, int link, const char *entry)
{
	char path[128], text[32];

	snprintf(path, sizeof path, "sys/class/net/%s/type", name);
	snprintf(text, sizeof text, "%d\n", type);
	root_put(path, text);
	snprintf(path, sizeof path, "sys/class/net/%s/ifindex", name);
	snprintf(text, sizeof text, "%d\n", index);
	root_put(path, text);
	snprintf(path, sizeof path, "sys/class/net/%s/iflink", name);
	snprintf(text, sizeof text, "%d\n", link);
	root_put(path, text);
	snprintf(path, sizeof path, "sys/class/net/%s/%s", name, entry);
	if (entry[0])
		put_directory(path);
}

#define ZEROS "0 0 0 0"

/* name: received bytes, packets, errors, drops; sent likewise */
#define LINE(name, base)                                                                           \
	name ":" #base "1 " #base "2 " #base "3 " #base "4 " ZEROS " " #base "5 " #base "6 " #base \
	     "7 " #base "8 " ZEROS "\n"

START_TEST(network_values)
{
	put_interface("lo", 772, 1, 1, "");
	put_interface("eth0", 1, 2, 2, "device");
	put_interface("eth1", 1, 3, 3, "device");
	put_interface("bond0", 1, 4, 4, "bonding");
	put_interface("br0", 1, 5, 5, "bridge");
	put_interface("eth0.7", 1, 6, 2, "lower_eth0");
	put_interface("team0", 1, 7, 7, "lower_eth1");
	put_interface("veth12", 1, 8, 2, ""); /* a container's other end */
	put_interface("tun0", 65534, 9, 9, "tun_flags");
	put_interface("gre0", 778, 10, 0, "");
	put_interface("ib0", 32, 11, 11, "device");
	root_put("proc/net/dev",
		 HEADING LINE("    lo", 1) LINE("  eth0", 2) LINE("  eth1", 30) LINE(" bond0", 4)
			 LINE("br0", 5) LINE("eth0.7", 6) LINE("team0", 7) LINE("veth12", 8)
				 LINE("tun0", 9) LINE("gre0", 9) LINE("   ib0", 400));
	ck_assert_int_eq(begin(&pm_source_network), 0);
	sample();
	ck_assert_int_eq(objects("rx_bytes"), 11);
	check_known("rx_bytes", "lo", 11);
	check_known("rx_packets", "lo", 12);
	check_known("rx_errors", "lo", 13);
	check_known("rx_drops", "lo", 14);
	check_known("tx_bytes", "lo", 15);
	check_known("tx_packets", "lo", 16);
	check_known("tx_errors", "lo", 17);
	check_known("tx_drops", "lo", 18);
	check_known("rx_bytes", "bond0", 41);
	check_known("rx_bytes", "", 21 + 301 + 4001);
	check_known("tx_bytes", "", 25 + 305 + 4005);
	check_known("tx_drops", "", 28 + 308 + 4008);
	/* Unplugged and plugged in again. */
	root_put("proc/net/dev", HEADING LINE("lo", 1) LINE("eth0", 2));
	sample();
	check_known("rx_bytes", "", 21 + 301 + 4001);
	check_unknown("rx_bytes", "ib0", PM_REASON_absent);
	root_put("proc/net/dev", HEADING LINE("lo", 1) LINE("eth0", 3) LINE("ib0", 0));
	sample();
	check_known("rx_bytes", "", 31 + 301 + 4001 + 1);
	end();
}
END_TEST

/* In a container there is no hardware: the end of a pair leads outside. */
START_TEST(network_container)
{
	put_interface("lo", 772, 1, 1, "");
	put_interface("eth0", 1, 2, 37, "");
	put_interface("tap0", 1, 4, 4, "tun_flags");
	put_interface("dummy0", 1, 5, 5, "");
	put_interface("tunl0", 768, 6, 0, "");
	root_put("proc/net/dev", HEADING LINE("lo", 1) LINE("eth0", 2) LINE("tap0", 3)
					 LINE("dummy0", 4) LINE("tunl0", 5));
	ck_assert_int_eq(begin(&pm_source_network), 0);
	sample();
	check_known("rx_bytes", "", 21);
	end();
}
END_TEST

/* Without /sys nothing says what leads outside. */
START_TEST(network_without_sys)
{
	root_put("proc/net/dev", HEADING LINE("lo", 1) LINE("eth0", 2));
	ck_assert_int_eq(begin(&pm_source_network), 0);
	sample();
	check_known("rx_bytes", "eth0", 21);
	check_unknown("rx_bytes", "", PM_REASON_absent);
	end();
}
END_TEST

static const char *const bad_networks[] = {
	HEADING "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n",
	HEADING "eth0: 1 2 x 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
	HEADING "eth0:\n",
	HEADING "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16x\n",
	HEADING "eth0: 99999999999999999999 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
	HEADING "../../x: 1\nlo: 1\neth0: -1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n:\n: 1\n",
};

START_TEST(network_garbled)
{
	put_interface("eth0", 1, 2, 2, "device");
	root_put("proc/net/dev", bad_networks[_i]);
	ck_assert_int_eq(begin(&pm_source_network), 0);
	sample();
	check_unknown("rx_bytes", "eth0", PM_REASON_parse);
	check_unknown("rx_bytes", "", PM_REASON_parse);
	root_put("proc/net/dev", HEADING LINE("eth0", 2));
	sample();
	check_known("rx_bytes", "", 21);
	/* Its line is cut: it is as if it were gone. */
	root_put("proc/net/dev", HEADING "eth0: 30 2 3 4 5 6 7");
	sample();
	check_unknown("rx_bytes", "eth0", PM_REASON_absent);
	check_known("rx_bytes", "", 21);
	end();
}
END_TEST

/* --- both ------------------------------------------------------------------------------------- */

static const struct {
	const struct pm_source *source;
	const char *path;
} files[] = {
	{ &pm_source_disk, "proc/diskstats" },
	{ &pm_source_network, "proc/net/dev" },
};

START_TEST(file_absent)
{
	check_file_absent(files[_i].source, files[_i].path);
}
END_TEST

START_TEST(file_closed)
{
	check_file_closed(files[_i].source, files[_i].path);
}
END_TEST

START_TEST(fixture)
{
	fixture_put("proc/diskstats sys/block");
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	/* Partitions, dm, md, ram, loop, fd and sr are not there. */
	ck_assert_int_eq(has_object("reads", "sda"), 1);
	ck_assert_int_eq(has_object("reads", "sda1"), 0);
	ck_assert_int_eq(has_object("reads", "dm-0"), 0);
	ck_assert_int_eq(has_object("reads", "md0"), 0);
	ck_assert_int_eq(has_object("reads", "fd0"), 0);
	check_known("reads", "sda", 25354637);
	check_known("write_bytes", "sda", (int64_t)505697032 * 512);
	check_known("read_time", "nvme0n1", 21650000);
	check_known("reads", "mmcblk0", 192);
	end();
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_objects");
	TCase *t = tcase_create("objects");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_loop_test(t, disk_parts, 0, COUNT(parts));
	tcase_add_test(t, disk_values);
	tcase_add_test(t, disk_layers);
	tcase_add_test(t, disk_hotplug);
	tcase_add_test(t, disk_overflow);
	tcase_add_test(t, disk_wraps);
	tcase_add_loop_test(t, disk_widths, 0, (int)(sizeof widths / sizeof widths[0]));
	tcase_add_loop_test(t, disk_garbled, 0, COUNT(bad_disks));
	tcase_add_test(t, disk_many);
	tcase_add_test(t, network_values);
	tcase_add_test(t, network_container);
	tcase_add_test(t, network_without_sys);
	tcase_add_loop_test(t, network_garbled, 0, COUNT(bad_networks));
	tcase_add_loop_test(t, file_absent, 0, COUNT(files));
	tcase_add_loop_test(t, file_closed, 0, COUNT(files));
	if (fixture_path(path, sizeof path) == 0)
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
