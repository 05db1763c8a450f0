/* Source nvidia_pcie on a library that stands for the driver's (nvml_fake.c). */
#include "config.h"

#include "tests/unit/sampler/nvml.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What happens while the process waits: how long it does, and what the library answers then. */
static struct {
	int64_t us;
	const char *answer; /* NULL: as before */
	int times;          /* how often it waited */
} pause_;

/* Stands for the C library's. */
int nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)left;
	ck_assert_int_eq(t->tv_sec * 1000000000 + t->tv_nsec, 20000000);
	pause_.times++;
	frozen_us += pause_.us;
	if (pause_.answer)
		answer(pause_.answer);
	return 0;
}

/* From now on time passes only while the process waits. */
static void freeze(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	frozen_us = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* By the driver's counters, of all GPUs around one wait. */
START_TEST(pcie)
{
	answer("gpus 3\n0 field197 1000\n0 field198 4294967000\n1 field197 0\n1 field198 7\n"
	       "2 fields error 13\n2 pcie0 1500\n2 pcie1 error 3\n");
	pause_.answer = "gpus 3\n0 field197 5200\n0 field198 704\n1 field197 1040000000\n"
			"1 field198 7\n2 fields error 13\n2 pcie0 1500\n2 pcie1 error 3\n";
	pause_.us = 20000;
	freeze();
	ck_assert_int_eq(begin(&pm_source_nvidia_pcie), 0);
	sample();
	ck_assert_int_eq(pause_.times, 1);
	check_known("pcie_tx_rate", "GPU-0", 210000);
	check_known("pcie_rx_rate", "GPU-0", 50000); /* 1000 B over the end of 32 bits */
	check_known("pcie_tx_rate", "GPU-1", 52000000000);
	check_known("pcie_rx_rate", "GPU-1", 0);
	ck_assert_int_eq(called("pcie0 0") + called("pcie1 1"), 0);
	/* One that has no counters is asked for the rate, and for them again each minute alone. */
	check_known("pcie_tx_rate", "GPU-2", 1500000);
	check_unknown("pcie_rx_rate", "GPU-2", PM_REASON_unsupported);
	sample();
	ck_assert_int_eq(called("fields 2"), 1);
	check_known("pcie_tx_rate", "GPU-2", 1500000);
	later_s += 61;
	sample();
	ck_assert_int_eq(called("fields 2"), 2);
	ck_assert_int_eq(pause_.times, 3);
	end();
}
END_TEST

static const struct {
	int64_t us;
	int64_t rate; /* of 2 000 000 B */
} waits[] = { { 9000, 500000 },    { 10000, 200000000 }, { 25000, 80000000 },
	      { 33000, 60606060 }, { 34000, 500000 },    { 400000, 500000 } };

/* Where the wait was cut, or so long that the counters may have wrapped twice, the GPU is asked. */
START_TEST(pcie_wait)
{
	answer("0 field197 0\n");
	pause_.answer = "0 field197 2000000\n";
	pause_.us = waits[_i].us;
	freeze();
	ck_assert_int_eq(begin(&pm_source_nvidia_pcie), 0);
	sample();
	check_known("pcie_tx_rate", "GPU-0", waits[_i].rate);
	end();
}
END_TEST

/* One that is lost meanwhile. */
START_TEST(pcie_lost)
{
	answer("gpus 2\n");
	pause_.answer = "gpus 2\n0 field197 error 15\n1 field197 20197\n";
	pause_.us = 20000;
	freeze();
	ck_assert_int_eq(begin(&pm_source_nvidia_pcie), 0);
	sample();
	check_unknown("pcie_tx_rate", "GPU-0", PM_REASON_absent);
	check_unknown("pcie_rx_rate", "GPU-0", PM_REASON_absent);
	check_known("pcie_tx_rate", "GPU-1", 1000000);
	ck_assert_int_eq(called("pcie0 0"), 0);
	end();
}
END_TEST

static Suite *nvidia_pcie_suite(void)
{
	Suite *s = suite_create("sampler_nvidia_pcie");
	TCase *t = tcase_create("nvidia_pcie");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, pcie);
	tcase_add_loop_test(t, pcie_wait, 0, COUNT(waits));
	tcase_add_test(t, pcie_lost);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(nvidia_pcie_suite)
