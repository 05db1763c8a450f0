/* Sources nvidia and nvidia_counters on a library that stands for the driver's (nvml_fake.c). */
#include "config.h"

#include "sampler/devices/gpu/nvmlprocesses.h"

#include "tests/unit/sampler/nvml.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* --- values ----------------------------------------------------------------------------------- */

/* Each value in its unit. */
START_TEST(values)
{
	answer("gpus 2\n"
	       "1 uuid GPU-aaaa-bbbb\n"
	       "1 utilization 97 45\n1 encoder 3\n1 decoder 4\n"
	       "1 memory2 85899345920 80000000000 5000000000\n1 bar1 137438953472 1 2048\n"
	       "1 power 312345\n1 limit 700000\n1 energy 9007199254740993\n"
	       "1 temperature 63\n1 fan 30\n"
	       "1 clock0 1980\n1 clock1 1975\n1 clock2 2619\n1 clock3 1545\n"
	       "1 ecc0 12\n1 ecc1 1\n1 reasons 0x24\n"
	       "1 field74 100\n1 field75 101\n1 field76 102\n1 field77 103\n1 field78 104\n"
	       "1 field79 105\n1 field80 106\n1 field81 107\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_known("gpus", "", 2);
	check_known("gpus_lost", "", 0);
	check_known("power", "GPU-0", 345678000);
	check_known("utilization", "GPU-aaaa-bbbb", 9700);
	check_known("memory_utilization", "GPU-aaaa-bbbb", 4500);
	check_known("encoder", "GPU-aaaa-bbbb", 300);
	check_known("decoder", "GPU-aaaa-bbbb", 400);
	check_known("memory_total", "GPU-aaaa-bbbb", 85899345920);
	check_known("memory_used", "GPU-aaaa-bbbb", 5000000000);
	check_known("memory_free", "GPU-aaaa-bbbb", 80000000000);
	check_known("memory_reserved", "GPU-aaaa-bbbb", 899345920);
	check_known("power", "GPU-aaaa-bbbb", 312345000);
	check_known("temperature", "GPU-aaaa-bbbb", 63000);
	check_known("clock_graphics", "GPU-aaaa-bbbb", 1980000000);
	check_known("clock_sm", "GPU-aaaa-bbbb", 1975000000);
	check_known("clock_memory", "GPU-aaaa-bbbb", 2619000000);
	check_known("clock_video", "GPU-aaaa-bbbb", 1545000000);
	check_known("throttle_reasons", "GPU-aaaa-bbbb", 0x24);
	check_known("processes", "GPU-aaaa-bbbb", 0);
	ck_assert_int_eq(objects("power"), 2);
	end();
	ck_assert_int_eq(begin(&pm_source_nvidia_counters), 0);
	sample();
	check_known("bar1_total", "GPU-aaaa-bbbb", 137438953472);
	check_known("bar1_used", "GPU-aaaa-bbbb", 2048);
	check_known("power_limit", "GPU-aaaa-bbbb", 700000000);
	check_known("energy", "GPU-aaaa-bbbb", 9007199254740993000); /* no double */
	check_known("energy", "GPU-0", 123456789000);
	check_known("fan", "GPU-aaaa-bbbb", 3000);
	check_known("ecc_corrected", "GPU-aaaa-bbbb", 12);
	check_known("ecc_uncorrected", "GPU-aaaa-bbbb", 1);
	check_known("throttle_power", "GPU-aaaa-bbbb", 100);
	check_known("throttle_thermal", "GPU-aaaa-bbbb", 101);
	check_known("throttle_sync_boost", "GPU-aaaa-bbbb", 102);
	check_known("throttle_board_limit", "GPU-aaaa-bbbb", 103);
	check_known("throttle_low_utilization", "GPU-aaaa-bbbb", 104);
	check_known("throttle_reliability", "GPU-aaaa-bbbb", 105);
	check_known("throttle_application_clocks", "GPU-aaaa-bbbb", 106);
	check_known("throttle_base_clocks", "GPU-aaaa-bbbb", 107);
	end();
}
END_TEST

/* What an older driver has instead. */
START_TEST(older)
{
	answer("* memory2 error 13\n* memory 1000 300 700\n* temperature error 3\n"
	       "* reasons error 13\n* fields error 13\n* violation10 77\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_known("memory_total", "GPU-0", 1000);
	check_known("memory_used", "GPU-0", 700);
	check_unknown("memory_reserved", "GPU-0", PM_REASON_unsupported);
	check_known("temperature", "GPU-0", 42000);
	check_known("throttle_reasons", "GPU-0", 4);
	end();
	ck_assert_int_eq(begin(&pm_source_nvidia_counters), 0);
	sample();
	check_known("throttle_thermal", "GPU-0", 1000);
	check_known("throttle_application_clocks", "GPU-0", 77);
	end();
}
END_TEST

static const struct {
	int code;
	enum pm_reason reason;
} codes[] = {
	{ 1, PM_REASON_absent },     { 2, PM_REASON_unsupported },   { 3, PM_REASON_unsupported },
	{ 4, PM_REASON_permission }, { 6, PM_REASON_absent },        { 9, PM_REASON_absent },
	{ 10, PM_REASON_late },      { 13, PM_REASON_unsupported },  { 15, PM_REASON_absent },
	{ 16, PM_REASON_absent },    { 18, PM_REASON_unsupported },  { 25, PM_REASON_unsupported },
	{ 27, PM_REASON_late },      { 999, PM_REASON_unsupported },
};

/* A code is a reason, of one value alone where the GPU answers else. */
START_TEST(errors)
{
	const int code = codes[_i].code;
	const bool lost = code == 1 || code == 9 || code == 15 || code == 16;
	char text[64];

	snprintf(text, sizeof text, "gpus 2\n0 power error %d\n", code);
	answer(text);
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_unknown("power", "GPU-0", codes[_i].reason);
	check_known("power", "GPU-1", 345678000);
	check_known("gpus_lost", "", lost);
	if (lost)
		check_unknown("clock_sm", "GPU-0", PM_REASON_absent);
	else
		check_known("clock_sm", "GPU-0", 1001000000);
	end();
}
END_TEST

/* What a GPU does not have is not asked for at each tick, but each minute. */
START_TEST(refused)
{
	answer("0 fan error 3\n0 limit error 4\n");
	ck_assert_int_eq(begin(&pm_source_nvidia_counters), 0);
	for (int i = 0; i < 3; i++)
		sample();
	check_unknown("fan", "GPU-0", PM_REASON_unsupported);
	ck_assert_int_eq(called("fan 0"), 1);
	ck_assert_int_eq(called("limit 0"), 3);
	answer("0 fan 55\n");
	later_s += 61;
	sample();
	check_known("fan", "GPU-0", 5500);
	end();
}
END_TEST

/* Counters start again when the driver is loaded again, and the series go on. */
START_TEST(resets)
{
	answer("0 energy 5000\n0 ecc0 7\n");
	ck_assert_int_eq(begin(&pm_source_nvidia_counters), 0);
	sample();
	check_known("energy", "GPU-0", 5000000);
	answer("0 energy 20\n0 ecc0 7\n");
	sample();
	check_unknown("energy", "GPU-0", PM_REASON_wrapped);
	check_known("ecc_corrected", "GPU-0", 7);
	answer("0 energy 50\n0 ecc0 7\n");
	sample();
	check_known("energy", "GPU-0", 5050000);
	answer("0 energy 9300000000000000\n0 ecc0 7\n"); /* beyond 63 bits of uJ */
	sample();
	check_unknown("energy", "GPU-0", PM_REASON_parse);
	end();
}
END_TEST

/* --- GPUs that are lost or asleep ------------------------------------------------------------- */

START_TEST(lost)
{
	int before;

	answer("gpus 3\n1 process 5 100\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_known("process_memory", "GPU-1/5", 100);
	answer("gpus 3\n1 temperature error 15\n1 handle error 15\n");
	sample();
	check_unknown("temperature", "GPU-1", PM_REASON_absent);
	check_unknown("process_memory", "GPU-1/5", PM_REASON_absent);
	check_known("temperature", "GPU-2", 41000);
	check_known("gpus", "", 2);
	check_known("gpus_lost", "", 1);
	pm_sink_passed(&sink);
	before = asked(1);
	sample();
	check_unknown("power", "GPU-1", PM_REASON_absent);
	ck_assert_int_eq(asked(1), before);
	/* Not there after a minute: it has no name then, and is the same one. */
	later_s += 61;
	sample();
	ck_assert_int_eq(called("init 0"), 2);
	check_known("gpus", "", 2);
	check_known("gpus_lost", "", 1);
	ck_assert_int_eq(objects("power"), 3);
	/* After a reset. */
	answer("gpus 3\n1 energy 10\n");
	later_s += 61;
	sample();
	check_known("gpus", "", 3);
	check_known("power", "GPU-1", 345678000);
	ck_assert_int_eq(objects("power"), 3);
	later_s += 61;
	sample();
	ck_assert_int_eq(called("init 0"), 3);
	end();
}
END_TEST

/* Two sources have the library open in one process: it is restarted for both, once. */
START_TEST(lost_together)
{
	const struct pm_source *source = &pm_source_nvidia_counters;
	const struct pm_target target = { .root = root };
	struct pm_sink other;
	void *other_state;

	answer("gpus 2\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	PM_SURE(pm_sink_init(&other, source) == 0);
	ck_assert_int_eq(source->open(&other_state, &target, &other, &why), 0);
	sample();
	/* Half a minute between their looks. */
	later_s += 30;
	source->sample(other_state, &other);
	answer("gpus 2\n1 temperature error 15\n");
	sample();
	check_known("gpus_lost", "", 1);
	answer("gpus 2\n");
	later_s += 31;
	sample();
	check_known("gpus_lost", "", 0);
	check_known("power", "GPU-1", 345678000);
	ck_assert_int_eq(called("shutdown 0"), 2);
	ck_assert_int_eq(called("init 0"), 4);
	/* With handles from before, nothing would be known. */
	pm_sink_clear(&other, PM_REASON_absent);
	source->sample(other_state, &other);
	for (size_t i = 0; i < other.count; i++)
		PM_SURE(other.series[i].known);
	ck_assert_int_eq(called("init 0"), 4);
	source->close(other_state);
	pm_sink_free(&other);
	sample();
	check_known("power", "GPU-0", 345678000);
	end();
	ck_assert_int_eq(called("shutdown 0"), 4);
}
END_TEST

/* One that is lost from the beginning. */
START_TEST(lost_first)
{
	answer("gpus 2\n0 handle error 15\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_known("gpus", "", 1);
	check_known("gpus_lost", "", 1);
	ck_assert_int_eq(objects("power"), 1);
	answer("gpus 2\n");
	later_s += 61;
	sample();
	check_known("gpus", "", 2);
	check_known("power", "GPU-0", 345678000);
	end();
}
END_TEST

/* The driver goes and comes. */
START_TEST(driver_gone)
{
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	answer("* utilization error 9\n* init error 9\n");
	sample();
	check_unknown("power", "GPU-0", PM_REASON_absent);
	later_s += 61;
	sample();
	check_unknown("power", "GPU-0", PM_REASON_absent);
	check_known("gpus_lost", "", 1);
	answer("");
	later_s += 61;
	sample();
	check_known("power", "GPU-0", 345678000);
	end();
}
END_TEST

#define POWER(bus) "sys/bus/pci/devices/0000:" bus ":00.0/power/"

static void put_power(const char *control, const char *status)
{
	root_put("sys/bus/pci/drivers/nvidia/0000:a0:00.0", "");
	root_put("sys/bus/pci/drivers/nvidia/0000:a1:00.0", "");
	root_put("sys/bus/pci/drivers/nvidia/bind", "");
	root_put(POWER("a0") "control", "on\n");
	root_put(POWER("a0") "runtime_status", "active\n");
	root_put(POWER("a1") "control", control);
	root_put(POWER("a1") "runtime_status", status);
}

/* A GPU that the kernel has suspended is not asked: that would wake it. */
START_TEST(asleep)
{
	int before;

	put_power("auto\n", "suspended\n");
	answer("gpus 2\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	ck_assert_int_eq(objects("power"), 1);
	ck_assert_int_eq(asked(1), 0);
	put_power("auto\n", "active\n");
	later_s += 61;
	sample();
	check_known("power", "GPU-1", 345678000);
	check_known("gpus", "", 2);
	put_power("auto\n", "suspended\n");
	before = asked(1);
	for (int i = 0; i < 2; i++) {
		sample();
		check_unknown("power", "GPU-1", PM_REASON_absent);
		check_known("power", "GPU-0", 345678000);
		check_known("gpus_lost", "", 0);
		later_s += 61;
	}
	ck_assert_int_eq(asked(1), before);
	put_power("auto\n", "active\n");
	sample();
	check_known("power", "GPU-1", 345678000);
	end();
}
END_TEST

/* --- processes and slices --------------------------------------------------------------------- */

static const char *const sizes[] = { "* entry 16\n", "* entry 24\n", "* entry 32\n",
				     "* process3 error 13\n* graphics3 error 13\n* mps3 error 13\n",
				     "* process3 error 13\n* process2 error 13\n" };

START_TEST(processes)
{
	char text[1024];

	snprintf(text, sizeof text,
		 "%s0 process 30 3000\n0 process 20 4294967296\n0 graphics 20 -1\n"
		 "0 graphics 7 -1\n0 mps 9 900\n0 sample 20 40\n0 sample 20 51\n0 sample 9 0\n",
		 sizes[_i]);
	answer(text);
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_known("processes", "GPU-0", 4);
	check_known("process_memory", "GPU-0/30", 3000);
	check_known("process_memory", "GPU-0/20", 4294967296);
	check_unknown("process_memory", "GPU-0/7", PM_REASON_unsupported);
	check_known("process_memory", "GPU-0/9", 900);
	/* They go, and their places with them. */
	snprintf(text, sizeof text, "%s0 process 31 1\n", sizes[_i]);
	answer(text);
	sample();
	check_unknown("process_memory", "GPU-0/20", PM_REASON_absent);
	check_known("processes", "GPU-0", 1);
	pm_sink_passed(&sink);
	sample();
	ck_assert_int_eq(objects("process_memory"), 1);
	check_known("process_memory", "GPU-0/31", 1);
	snprintf(text, sizeof text, "0 process3 error 4\n%s", "");
	answer(text);
	sample();
	check_unknown("processes", "GPU-0", PM_REASON_permission);
	check_unknown("process_memory", "GPU-0/31", PM_REASON_permission);
	end();
	snprintf(text, sizeof text,
		 "%s0 process 30 3000\n0 process 20 1\n0 mps 9 900\n"
		 "0 sample 20 40\n0 sample 20 51\n0 sample 9 0\n0 sample 8 100\n",
		 sizes[_i]);
	answer(text);
	ck_assert_int_eq(begin(&pm_source_nvidia_counters), 0);
	sample();
	check_known("process_sm", "GPU-0/20", 4550);
	check_known("process_sm", "GPU-0/9", 0);
	check_unknown("process_sm", "GPU-0/30", PM_REASON_absent);
	ck_assert_int_eq(objects("process_sm"), 3);
	ck_assert_int_eq(called("samples 0"), 1);
	end();
}
END_TEST

/* More than the first room for a list, and than have series. */
START_TEST(processes_many)
{
	char text[8192] = "* entry 32\n";
	size_t n = strlen(text);

	for (int i = 1; i <= 200; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "0 process %d %d\n", i, 10 * i);
	answer(text);
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	for (int i = 0; i < 2; i++) {
		sample();
		check_known("processes", "GPU-0", 200);
		check_known("process_memory", "GPU-0/128", 1280);
		ck_assert_int_eq(objects("process_memory"), 128);
		pm_sink_passed(&sink);
	}
	end();
}
END_TEST

static const struct {
	unsigned n;
	size_t written, stride;
} strides[] = { { 1, 16, 16 }, { 1, 24, 24 }, { 1, 32, 32 }, { 3, 48, 16 },
		{ 3, 72, 24 }, { 3, 96, 32 }, { 2, 44, 24 }, /* the end of it unused */
		{ 1, 33, 0 },  { 0, 0, 0 } };

START_TEST(stride)
{
	unsigned char entries[128];

	memset(entries, PM_NVMLPROCESSES_FILL, sizeof entries);
	memset(entries, 1, strides[_i].written);
	ck_assert_uint_eq(pm_nvmlprocesses_stride(entries, sizeof entries, strides[_i].n),
			  strides[_i].stride);
}
END_TEST

START_TEST(slices)
{
	answer("gpus 2\n0 mig 1\n0 slice MIG-1 1000 400 600\n0 slice MIG-2 2000 2000 0\n"
	       "0 utilization error 3\n1 slice MIG-3 1 1 1\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	check_unknown("utilization", "GPU-0", PM_REASON_unsupported);
	check_known("slice_memory_total", "MIG-1", 1000);
	check_known("slice_memory_used", "MIG-1", 600);
	check_known("slice_memory_free", "MIG-1", 400);
	check_unknown("slice_utilization", "MIG-1", PM_REASON_unsupported);
	check_known("slice_memory_total", "MIG-2", 2000);
	ck_assert_int_eq(objects("slice_memory_total"), 2); /* GPU 1 is not divided */
	answer("gpus 2\n0 mig 1\n0 slice MIG-2 2000 1000 1000\n");
	later_s += 61;
	sample();
	check_unknown("slice_memory_total", "MIG-1", PM_REASON_absent);
	check_known("slice_memory_used", "MIG-2", 1000);
	pm_sink_passed(&sink);
	ck_assert_int_eq(objects("slice_memory_total"), 1);
	end();
}
END_TEST

/* --- not available ---------------------------------------------------------------------------- */

static const struct {
	const char *script;
	enum pm_reason reason;
	const char *text;
} unavailable[] = {
	{ "gpus 0\n", PM_REASON_absent, "no GPU" },
	{ "* init error 9\n", PM_REASON_absent, "modprobe nvidia" },
	{ "* init error 4\n", PM_REASON_permission, "as root" },
	{ "* init error 18\n", PM_REASON_unsupported, "restart" },
};

START_TEST(no_gpu)
{
	answer(unavailable[_i].script);
	ck_assert_int_eq(begin(&pm_source_nvidia), -1);
	ck_assert_int_eq(why.reason, unavailable[_i].reason);
	ck_assert_ptr_nonnull(strstr(why.err.text, unavailable[_i].text));
	pm_sink_free(&sink);
	ck_assert_int_eq(begin(&pm_source_nvidia_pcie), -1);
	pm_sink_free(&sink);
}
END_TEST

START_TEST(no_library)
{
	struct pm_err e;

	PM_SURE(pm_config_set(PM_SET_nvml_library, "/nowhere/libnvidia-ml.so", &e) == 0);
	ck_assert_int_eq(begin(&pm_source_nvidia), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/nowhere/libnvidia-ml.so"));
	pm_sink_free(&sink);
	/* A recorded tree has no driver. */
	PM_SURE(pm_config_set(PM_SET_nvml_library, "", &e) == 0);
	ck_assert_int_eq(begin(&pm_source_nvidia), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "nvml_library"));
	pm_sink_free(&sink);
}
END_TEST

/* --- descriptions ----------------------------------------------------------------------------- */

START_TEST(description)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	put_power("auto\n", "active\n");
	answer("gpus 3\n0 name NVIDIA H100\n0 memory2 85899345920 1 1\n0 encoder error 3\n"
	       "0 clock3 error 3\n0 power error 4\n2 handle error 15\n1 power error 16\n");
	ck_assert_int_eq(begin(&pm_source_nvidia), 0);
	sample();
	sink.source->describe(state, &sink, out);
	fclose(out);
	ck_assert_str_eq(
		text,
		"GPU-0: NVIDIA H100, 0000:a0:00.0, 81920 MiB, power limit 700 W, driver 999.10\n"
		"  permission: power\n  unsupported: encoder clock_video\n"
		"GPU-1: Stand-in 1, 0000:a1:00.0: the GPU needs a reset; nvidia-smi --gpu-reset, "
		"or "
		"restart the node\n"
		"GPUs that do not tell who they are: 1: the GPU is lost: it has fallen off the "
		"bus; "
		"look into the kernel's log for Xid, and restart the node\n");
	free(text);
	end();
}
END_TEST

static Suite *nvidia_suite(void)
{
	Suite *s = suite_create("sampler_nvidia");
	TCase *t = tcase_create("nvidia");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, older);
	tcase_add_loop_test(t, errors, 0, COUNT(codes));
	tcase_add_test(t, refused);
	tcase_add_test(t, resets);
	tcase_add_test(t, lost);
	tcase_add_test(t, lost_together);
	tcase_add_test(t, lost_first);
	tcase_add_test(t, driver_gone);
	tcase_add_test(t, asleep);
	tcase_add_loop_test(t, processes, 0, COUNT(sizes));
	tcase_add_test(t, processes_many);
	tcase_add_loop_test(t, stride, 0, COUNT(strides));
	tcase_add_test(t, slices);
	tcase_add_loop_test(t, no_gpu, 0, COUNT(unavailable));
	tcase_add_test(t, no_library);
	tcase_add_test(t, description);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(nvidia_suite)
