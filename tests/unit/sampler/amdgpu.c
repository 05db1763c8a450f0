/* Source amdgpu on trees in the forms of the kernel's driver. */
#include "config.h"

#include "tests/unit/sampler/drm.h"

#include <sys/inotify.h>

/* gpu_metrics of a format in which 8 bytes at 24 are the energy. */
static void put_energy(int card, uint64_t energy)
{
	char path[256];
	union {
		struct {
			uint16_t size;
			uint8_t format, content;
		} header;
		uint64_t words[15];
		char bytes[120];
	} m;

	memset(&m, 0xff, sizeof m);
	m.header.size = sizeof m;
	m.header.format = 1;
	m.header.content = 3;
	m.words[3] = energy;
	snprintf(path, sizeof path, "sys/class/drm/card%d/device/gpu_metrics", card);
	root_put_bytes(path, m.bytes, sizeof m);
}

/* A card with all files. */
static void put_whole(int card, const char *address, const char *unique)
{
	put_card(card, "amdgpu", address, unique);
	put(card, "device/gpu_busy_percent", "97\n");
	put(card, "device/mem_busy_percent", "45\n");
	put(card, "device/mem_info_vram_total", "68702699520\n");
	put(card, "device/mem_info_vram_used", "6750208\n");
	put(card, "device/mem_info_vis_vram_total", "68702699519\n");
	put(card, "device/mem_info_vis_vram_used", "6750207\n");
	put(card, "device/mem_info_gtt_total", "540000000000\n");
	put(card, "device/mem_info_gtt_used", "144560128\n");
	put(card, "device/pcie_replay_count", "3\n");
	put(card, "device/ras/umc_err_count", "ue: 1\nce: 12\n");
	put(card, "device/hwmon/hwmon7/power1_average", "312000000\n");
	put(card, "device/hwmon/hwmon7/power1_cap", "560000000\n");
	put(card, "device/hwmon/hwmon7/temp1_input", "53000\n");
	put(card, "device/hwmon/hwmon7/temp2_input", "55000\n");
	put(card, "device/hwmon/hwmon7/temp3_input", "49000\n");
	put(card, "device/hwmon/hwmon7/fan1_input", "1403\n");
	put(card, "device/hwmon/hwmon7/freq1_input", "1700000000\n");
	put(card, "device/hwmon/hwmon7/freq2_input", "1600000000\n");
	put_energy(card, 1024000);
}

/* --- values ----------------------------------------------------------------------------------- */

START_TEST(values)
{
	const char *const gpu = "79ccd55167a2124a";

	put_whole(0, "0000:c1:00.0", gpu);
	put(0, "card0-DP-1/status", "connected\n");
	put_card(1, "i915", "0000:00:02.0", NULL);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("gpus", "", 1);
	check_known("gpus_lost", "", 0);
	check_known("utilization", gpu, 9700);
	check_known("memory_utilization", gpu, 4500);
	check_known("memory_total", gpu, 68702699520);
	check_known("memory_used", gpu, 6750208);
	check_known("visible_total", gpu, 68702699519);
	check_known("visible_used", gpu, 6750207);
	check_known("gtt_total", gpu, 540000000000);
	check_known("gtt_used", gpu, 144560128);
	check_known("power", gpu, 312000000);
	check_known("power_limit", gpu, 560000000);
	check_known("energy", gpu, 15625000); /* 1024000 / 65536 J */
	check_known("temperature_edge", gpu, 53000);
	check_known("temperature_junction", gpu, 55000);
	check_known("temperature_memory", gpu, 49000);
	check_known("fan", gpu, 1403);
	check_known("clock_graphics", gpu, 1700000000);
	check_known("clock_memory", gpu, 1600000000);
	check_known("ecc_corrected", gpu, 12);
	check_known("ecc_uncorrected", gpu, 1);
	check_known("pcie_replays", gpu, 3);
	ck_assert_int_eq(objects("power"), 1);
	end();
}
END_TEST

static const struct {
	const char *file, *text, *metric;
	int64_t value; /* where it is known */
	bool known;
	enum pm_reason reason;
} texts[] = {
	{ "device/gpu_busy_percent", "0\n", "utilization", 0, true, 0 },
	{ "device/gpu_busy_percent", "7", "utilization", 700, true, 0 },
	{ "device/gpu_busy_percent", "7 \n", "utilization", 700, true, 0 },
	{ "device/gpu_busy_percent", "", "utilization", 0, false, PM_REASON_unsupported },
	{ "device/gpu_busy_percent", "7 8\n", "utilization", 0, false, PM_REASON_parse },
	{ "device/gpu_busy_percent", "99999999999999999999\n", "utilization", 0, false,
	  PM_REASON_parse },
	{ "device/gpu_busy_percent", "9223372036854775807\n", "utilization", 0, false,
	  PM_REASON_parse },
	/* The second die of an MI250X. */
	{ "device/hwmon/hwmon7/power1_average", "0\n", "power", 0, false, PM_REASON_unsupported },
	{ "device/hwmon/hwmon7/power1_average", "N/A (Secondary die)\n", "power", 0, false,
	  PM_REASON_unsupported },
	{ "device/hwmon/hwmon7/temp1_input", "-44000\n", "temperature_edge", -44000, true, 0 },
	{ "device/ras/umc_err_count", "ue: 5\n", "ecc_corrected", 0, false, PM_REASON_unsupported },
	{ "device/ras/umc_err_count", "ue: x\nce: 1\n", "ecc_uncorrected", 0, false,
	  PM_REASON_parse },
};

START_TEST(forms)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put(0, texts[_i].file, "%s", texts[_i].text);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	if (texts[_i].known)
		check_known(texts[_i].metric, "aa", texts[_i].value);
	else
		check_unknown(texts[_i].metric, "aa", texts[_i].reason);
	check_known("memory_used", "aa", 6750208);
	end();
}
END_TEST

/* Copies of /sys may be filled up with NULs. */
START_TEST(nuls)
{
	char text[4096] = "42\n";

	put_whole(0, "0000:c1:00.0", "aa");
	root_put_bytes("sys/class/drm/card0/device/gpu_busy_percent", text, sizeof text);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("utilization", "aa", 4200);
	end();
}
END_TEST

static const struct {
	const char *text;
	int64_t hz; /* -1: unknown */
	enum pm_reason reason;
} clocks[] = {
	{ "0: 852Mhz *\n1: 991Mhz \n", 852000000, 0 },
	{ "0: 500Mhz \n1: 1800Mhz *\n2: 2600Mhz \n", 1800000000, 0 },
	{ "S: 35Mhz *\n0: 500Mhz \n1: 2600Mhz \n", 35000000, 0 },
	{ "0: 852Mhz \n1: 991Mhz \n", -1, PM_REASON_unsupported },
	{ "", -1, PM_REASON_unsupported },
	{ "0: 852Ghz *\n", -1, PM_REASON_parse },
	{ "0 852Mhz *\n", -1, PM_REASON_parse },
	{ "0: 852Mhz *", -1, PM_REASON_parse },
};

/* Without hwmon the clock is that of the state in use. */
START_TEST(clock_states)
{
	put_card(0, "amdgpu", "0000:c1:00.0", "aa");
	put(0, "device/pp_dpm_sclk", "%s", clocks[_i].text);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	if (clocks[_i].hz >= 0)
		check_known("clock_graphics", "aa", clocks[_i].hz);
	else
		check_unknown("clock_graphics", "aa", clocks[_i].reason);
	check_unknown("power", "aa", PM_REASON_absent);
	end();
}
END_TEST

/* What this user may not read. */
START_TEST(permission)
{
	char path[256];

	put_whole(0, "0000:c1:00.0", "aa");
	snprintf(path, sizeof path, "%s/sys/class/drm/card0/device/gpu_metrics", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_unknown("energy", "aa", PM_REASON_permission);
	check_known("power", "aa", 312000000);
	end();
	root_become_self();
}
END_TEST

/* --- energy ----------------------------------------------------------------------------------- */

/* The count goes on after a wrap of 32 bits, and after the driver was loaded anew. */
START_TEST(energy)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put_energy(0, UINT32_MAX - 65535);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("energy", "aa", 65535000000);
	later_s += 1;
	put_energy(0, 65536);
	sample();
	check_known("energy", "aa", 65537000000);
	/* More than 2 kW would be a reset. */
	later_s += 1;
	put_energy(0, 32768);
	sample();
	check_unknown("energy", "aa", PM_REASON_wrapped);
	later_s += 1;
	put_energy(0, 98304);
	sample();
	check_known("energy", "aa", 65538500000);
	end();
}
END_TEST

/* More than 64 bits of uJ take in between, and no more than they hold. */
START_TEST(energy_large)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put_energy(0, UINT64_C(590000000000000) + 7);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("energy", "aa", 9002685546875106);
	put_energy(0, UINT64_C(1180591620717412) << 10); /* beyond 64 bits of uJ */
	sample();
	check_unknown("energy", "aa", PM_REASON_parse);
	end();
}
END_TEST

/* --- who is there ----------------------------------------------------------------------------- */

/* Two dies of an MI250X; partitions of an MI300; a GPU without an id; ids that are not unique. */
START_TEST(names)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put_whole(1, "0000:c6:00.0", "ab");
	put(1, "device/hwmon/hwmon7/power1_average", "0\n");
	put_energy(1, 0);
	put_whole(2, "0000:d1:00.0", "cc");
	put_whole(3, "0000:d1:00.1", "cc");
	put(4, "device/uevent", "DRIVER=amdgpu_xcp_drv\nMODALIAS=platform:amdgpu_xcp\n");
	put(4, "device/unique_id", "cc\n");
	put(9, "device/uevent", "DRIVER=amdgpu\nMODALIAS=platform:amdgpu_xcp\n");
	put(9, "device/gpu_busy_percent", "1\n");
	put_whole(5, "0000:e1:00.0", NULL);
	put_whole(6, "0000:f1:00.0", "aa");
	put_whole(7, "0000:f6:00.0", "0000000000000000");
	put_whole(8, "0000:f7:00.0", "none");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("power", "aa", 312000000);
	check_unknown("power", "ab", PM_REASON_unsupported);
	check_unknown("energy", "ab", PM_REASON_unsupported);
	check_known("utilization", "ab", 9700);
	check_known("power", "cc", 312000000);
	check_known("power", "0000:e1:00.0", 312000000);
	check_known("power", "0000:f1:00.0", 312000000);
	check_known("power", "0000:f6:00.0", 312000000);
	check_known("power", "0000:f7:00.0", 312000000);
	ck_assert_int_eq(objects("power"), 7);
	check_known("gpus", "", 7);
	end();
}
END_TEST

/* A GPU that is gone leaves the others, and is found again by another number. */
START_TEST(lost)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put_whole(1, "0000:c6:00.0", "bb");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("power", "bb", 312000000);
	root_remove_path("sys/class/drm/card1");
	for (int i = 0; i < 2; i++) {
		sample();
		check_unknown("power", "bb", PM_REASON_absent);
		check_known("power", "aa", 312000000);
		check_known("gpus", "", 1);
		check_known("gpus_lost", "", 1);
		later_s += 61;
	}
	put_whole(5, "0000:c6:00.0", "bb");
	put_energy(5, 512);
	put_whole(6, "0000:c7:00.0", "dd");
	later_s += 61;
	sample();
	check_known("power", "bb", 312000000);
	check_known("power", "dd", 312000000);
	check_unknown("energy", "bb", PM_REASON_wrapped);
	check_known("gpus", "", 3);
	check_known("gpus_lost", "", 0);
	ck_assert_int_eq(objects("power"), 3);
	/* One file alone is no GPU. */
	root_remove_path("sys/class/drm/card0/device/gpu_busy_percent");
	sample();
	check_unknown("utilization", "aa", PM_REASON_absent);
	check_known("gpus_lost", "", 0);
	end();
}
END_TEST

/* What comes later is found. */
START_TEST(later_files)
{
	put_card(0, "amdgpu", "0000:c1:00.0", "aa");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_unknown("power", "aa", PM_REASON_absent);
	put_whole(0, "0000:c1:00.0", "aa");
	sample();
	check_unknown("power", "aa", PM_REASON_absent);
	later_s += 61;
	sample();
	check_known("power", "aa", 312000000);
	end();
}
END_TEST

/* Count the files of a card that were opened or read since the watch began. */
static int watch_files(int card)
{
	const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char path[256];

	PM_SURE(fd >= 0);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/sys/class/drm/card%d/device/%s", root, card,
			 i ? "hwmon/hwmon7" : "");
		PM_SURE(inotify_add_watch(fd, path, IN_ACCESS) >= 0);
	}
	return fd;
}

static int count_reads(int fd)
{
	char buffer[65536] __attribute__((aligned(8)));
	ssize_t n = read(fd, buffer, sizeof buffer);
	int reads = 0;

	for (char *p = buffer; p < buffer + n;) {
		const struct inotify_event *e = (const void *)p;

		/* Who it is may be asked. */
		reads += e->len && !(e->mask & IN_ISDIR) && strcmp(e->name, "uevent") != 0;
		p += sizeof *e + e->len;
	}
	return reads;
}

/* A GPU that the kernel has suspended is not read: that would wake it. */
START_TEST(asleep)
{
	int fd;

	put_whole(0, "0000:c1:00.0", "aa");
	put_whole(1, "0000:c6:00.0", "bb");
	put(1, "device/power/control", "auto\n");
	put(1, "device/power/runtime_status", "suspended\n");
	fd = watch_files(1);
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	ck_assert_int_eq(objects("power"), 1);
	ck_assert_int_eq(count_reads(fd), 0);
	put(1, "device/power/runtime_status", "active\n");
	later_s += 61;
	sample();
	check_known("power", "bb", 312000000);
	ck_assert_int_gt(count_reads(fd), 10); /* noticed */
	put(1, "device/power/runtime_status", "suspended\n");
	for (int i = 0; i < 2; i++) {
		sample();
		check_unknown("power", "bb", PM_REASON_absent);
		check_known("power", "aa", 312000000);
		check_known("gpus_lost", "", 0);
		later_s += 61;
	}
	ck_assert_int_eq(count_reads(fd), 0);
	put(1, "device/power/runtime_status", "active\n");
	sample();
	check_known("power", "bb", 312000000);
	close(fd);
	end();
}
END_TEST

/* All of them sleep as the sampler begins. */
START_TEST(asleep_first)
{
	put_whole(0, "0000:c1:00.0", "aa");
	put(0, "device/power/control", "auto\n");
	put(0, "device/power/runtime_status", "suspended\n");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("gpus", "", 0);
	put(0, "device/power/runtime_status", "active\n");
	later_s += 61;
	sample();
	check_known("gpus", "", 1);
	check_known("power", "aa", 312000000);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_amdgpu), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "AMD"));
	pm_sink_free(&sink);
	put_card(1, "i915", "0000:00:02.0", NULL);
	ck_assert_int_eq(begin(&pm_source_amdgpu), -1);
	pm_sink_free(&sink);
}
END_TEST

START_TEST(description)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	put_whole(0, "0000:c1:00.0", "aa");
	root_remove_path("sys/class/drm/card0/device/hwmon/hwmon7/temp1_input");
	put(0, "device/hwmon/hwmon7/power1_average", "0\n");
	put_whole(1, "0000:c6:00.0", "bb");
	put_whole(2, "0000:c7:00.0", "cc");
	put(2, "device/power/control", "auto\n");
	put(2, "device/power/runtime_status", "active\n");
	put_whole(3, "0000:c8:00.0", "dd");
	put(3, "device/power/runtime_status", "suspended\n");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	root_remove_path("sys/class/drm/card1");
	put(2, "device/power/runtime_status", "suspended\n");
	sample();
	sink.source->describe(state, &sink, out);
	fclose(out);
	ck_assert_str_eq(
		text,
		"aa: 0000:c1:00.0, driver amdgpu\n"
		"  absent: temperature_edge\n  unsupported: power\n"
		"bb: 0000:c6:00.0, driver amdgpu: the GPU is gone; look into the kernel's log\n"
		"cc: 0000:c7:00.0, driver amdgpu: suspended, and not woken to be read\n"
		"suspended GPUs, not woken to be read: 1\n");
	free(text);
	end();
}
END_TEST

/* --- a recorded machine ----------------------------------------------------------------------- */

/* What the project that recorded it expects. */
START_TEST(recorded)
{
	const char *const gpu = "0123456789abcdef";

	fixture_device("drm/procfs-amdgpu-i915");
	ck_assert_int_eq(begin(&pm_source_amdgpu), 0);
	sample();
	check_known("utilization", gpu, 400);
	check_known("memory_total", gpu, 8573157376);
	check_known("memory_used", gpu, 1490378752);
	check_known("visible_total", gpu, 8573157376);
	check_known("visible_used", gpu, 1490378752);
	check_known("gtt_total", gpu, 8573157376);
	check_known("gtt_used", gpu, 144560128);
	check_known("clock_graphics", gpu, 852000000);
	check_known("clock_memory", gpu, 167000000);
	check_known("pcie_replays", gpu, 0);
	check_unknown("power", gpu, PM_REASON_absent);
	check_unknown("energy", gpu, PM_REASON_absent);
	/* Neither the other vendor's card nor its outputs. */
	ck_assert_int_eq(objects("memory_used"), 1);
	check_known("gpus", "", 1);
	end();
}
END_TEST

static Suite *amdgpu_suite(void)
{
	Suite *s = suite_create("sampler_amdgpu");
	TCase *t = tcase_create("amdgpu");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_loop_test(t, forms, 0, COUNT(texts));
	tcase_add_test(t, nuls);
	tcase_add_loop_test(t, clock_states, 0, COUNT(clocks));
	tcase_add_test(t, permission);
	tcase_add_test(t, energy);
	tcase_add_test(t, energy_large);
	tcase_add_test(t, names);
	tcase_add_test(t, lost);
	tcase_add_test(t, later_files);
	tcase_add_test(t, asleep);
	tcase_add_test(t, asleep_first);
	tcase_add_test(t, none);
	tcase_add_test(t, description);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, recorded);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(amdgpu_suite)
