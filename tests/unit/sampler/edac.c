/* Source edac on recorded trees of /sys/devices/system/edac. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define MC "sys/devices/system/edac/mc/"

static void set_up(void)
{
	root_make();
	frozen_us = later_s = 0;
}

/* Controllers by their names, DIMMs by their labels; those of the same name are numbered. */
START_TEST(values)
{
	root_put(MC "mc0/mc_name", "Skylake Socket#0 IMC#0\n");
	root_put(MC "mc0/ce_count", "5\n");
	root_put(MC "mc0/ue_count", "0\n");
	root_put(MC "mc0/dimm0/dimm_label", "CPU_SrcID#0_MC#0_Chan#0_DIMM#0 \n");
	root_put(MC "mc0/dimm0/dimm_ce_count", "4\n");
	root_put(MC "mc0/dimm0/dimm_ue_count", "2\n");
	root_put(MC "mc0/dimm3/dimm_ce_count", "1\n");
	root_put(MC "mc1/mc_name", "F17h");
	root_put(MC "mc1/ce_count", "20");
	root_put(MC "mc2/mc_name", "F17h");
	root_put(MC "mc2/ce_count", "300");
	root_put(MC "mc2/rank1/dimm_label", "\n");
	root_put(MC "mc2/rank1/dimm_ce_count", "7\n");
	root_put(MC "power/control", "auto\n");
	ck_assert_int_eq(begin(&pm_source_edac), 0);
	sample();
	check_known("corrected", "Skylake Socket#0 IMC#0", 5);
	check_known("uncorrected", "Skylake Socket#0 IMC#0", 0);
	check_known("corrected", "F17h", 20);
	check_known("corrected", "F17h (2)", 300);
	/* The DIMMs' are among the controllers'. */
	check_known("corrected", "", 325);
	check_known("dimm_corrected", "CPU_SrcID#0_MC#0_Chan#0_DIMM#0", 4);
	check_known("dimm_uncorrected", "CPU_SrcID#0_MC#0_Chan#0_DIMM#0", 2);
	check_known("dimm_corrected", "mc0/dimm3", 1);
	check_known("dimm_corrected", "mc2/rank1", 7);
	ck_assert(!has_object("dimm_uncorrected", "mc0/dimm3"));
	end();
}
END_TEST

/* Written to reset_counters: what fell was reset. A controller that is gone, one that is closed. */
START_TEST(changes)
{
	root_put(MC "mc0/ce_count", "5\n");
	ck_assert_int_eq(begin(&pm_source_edac), 0);
	sample();
	root_put(MC "mc0/ce_count", "0\n");
	sample();
	check_unknown("corrected", "mc0", PM_REASON_wrapped);
	root_put(MC "mc0/ce_count", "2\n");
	sample();
	check_known("corrected", "mc0", 7);
	root_put(MC "mc0/ce_count", "many\n");
	sample();
	check_unknown("corrected", "mc0", PM_REASON_parse);
	check_unknown("corrected", "", PM_REASON_parse);
	root_remove_path(MC "mc0");
	sample();
	check_unknown("corrected", "mc0", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_edac), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

static Suite *edac_suite(void)
{
	Suite *s = suite_create("sampler_edac");
	TCase *t = tcase_create("edac");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, changes);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(edac_suite)
