/* common/record/formulas.c: every row of formulas.def against a value worked out by hand, and what is
 * unknown. */
#include "config.h"

#include "common/cpuid.h"
#include "common/record/formulas.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 16

/* "NAME=VALUE NAME=VALUE" as names and values; ? is unknown. The last = counts. */
static size_t parse(char *text, const char **name, double *value)
{
	size_t n = 0;

	for (char *p = strtok(text, " "); p; p = strtok(NULL, " ")) {
		char *equals = strrchr(p, '=');

		ck_assert_ptr_nonnull(equals);
		*equals = '\0';
		name[n] = p;
		value[n++] = equals[1] == '?' ? NAN : atof(equals + 1);
		ck_assert_uint_le(n, EVENTS);
	}
	return n;
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fabs(b);
}

/* Elapsed time of every vector, seconds. */
#define T 10

/* What a metric must be of these events on a microarchitecture. */
static const struct vector {
	const char *march, *id, *events;
	double want;
} vector[] = {
	{ NULL, "ipc", "PAPI_TOT_INS=3000 PAPI_TOT_CYC=2000", 1.5 },
	{ NULL, "ipc", "instructions=3000 cycles=2000", 1.5 },
	{ NULL, "ipc", "perf::INSTRUCTIONS=3000 cpu-cycles=2000", 1.5 },
	{ NULL, "ipc", "PERF_COUNT_HW_INSTRUCTIONS=3000 PERF_COUNT_HW_CPU_CYCLES=2000", 1.5 },
	{ NULL, "ipc", "skx::INST_RETIRED:ANY_P=3000 skx::CPU_CLK_UNHALTED:THREAD_P=2000", 1.5 },
	{ NULL, "ipc", "inst_retired.any_p=3000 cpu_clk_unhalted.thread_p=2000", 1.5 },
	{ NULL, "cpi", "PAPI_TOT_INS=3000 PAPI_TOT_CYC=1500", 0.5 },
	{ NULL, "clock", "cycles=25e9 task-clock=10e9", 2.5 },
	{ NULL, "clock", "cycles=25e9 PERF_COUNT_SW_CPU_CLOCK=10e9", 2.5 },
	{ NULL, "clock_relative", "PAPI_TOT_CYC=1200 PAPI_REF_CYC=1000", 120 },
	{ NULL, "cpus", "task-clock=25e9", 2.5 },
	{ NULL, "stalled_frontend", "stalled-cycles-frontend=300 cycles=2000", 15 },
	{ NULL, "stalled_backend", "stalled-cycles-backend=800 cycles=2000", 40 },
	{ NULL, "stalled_resources", "PAPI_RES_STL=500 PAPI_TOT_CYC=2000", 25 },
	{ NULL, "idle_issue", "PAPI_STL_ICY=100 PAPI_TOT_CYC=2000", 5 },
	{ NULL, "idle_retire", "PAPI_STL_CCY=200 PAPI_TOT_CYC=2000", 10 },
	{ NULL, "branch_miss_rate", "branches=4000 branch-misses=100", 2.5 },
	{ NULL, "branch_miss_rate", "PAPI_BR_INS=4000 PAPI_BR_MSP=100", 2.5 },
	{ NULL, "branch_miss_rate", "PAPI_BR_CN=2000 PAPI_BR_MSP=100", 5 },
	{ NULL, "branch_mpki", "branch-misses=30 instructions=20000", 1.5 },
	{ NULL, "l1d_miss_rate", "L1-dcache-loads=5000 L1-dcache-load-misses=250", 5 },
	{ NULL, "l1d_miss_rate", "PAPI_LD_INS=5000 PAPI_L1_LDM=500", 10 },
	{ NULL, "l1d_miss_rate", "PAPI_L1_DCA=4000 PAPI_L1_DCM=500", 12.5 },
	{ NULL, "l1d_miss_rate", "PAPI_LST_INS=8000 PAPI_L1_DCM=500", 6.25 },
	{ NULL, "l1d_mpki", "PAPI_L1_DCM=500 PAPI_TOT_INS=20000", 25 },
	{ NULL, "l1d_mpki",
	  "PERF_COUNT_HW_CACHE_L1D:READ:MISS=400 PERF_COUNT_HW_INSTRUCTIONS=20000", 20 },
	{ NULL, "l2_miss_rate", "PAPI_L2_TCM=300 PAPI_L2_TCA=1200", 25 },
	{ NULL, "l2_miss_rate", "PAPI_L2_DCM=300 PAPI_L2_DCA=1000", 30 },
	{ NULL, "l2_mpki", "PAPI_L2_TCM=300 PAPI_TOT_INS=20000", 15 },
	{ NULL, "llc_miss_rate", "PAPI_L3_TCM=50 PAPI_L3_TCA=400", 12.5 },
	{ NULL, "llc_miss_rate", "cache-misses=60 cache-references=400", 15 },
	{ NULL, "llc_miss_rate", "LLC-load-misses=80 LLC-loads=400", 20 },
	{ NULL, "llc_mpki", "PAPI_L3_TCM=50 PAPI_TOT_INS=20000", 2.5 },
	{ NULL, "llc_mpki", "cache-misses=60 instructions=20000", 3 },
	{ NULL, "llc_mpki", "LLC-load-misses=80 instructions=20000", 4 },
	{ NULL, "dtlb_miss_rate", "dTLB-loads=5000 dTLB-load-misses=10", 0.2 },
	{ NULL, "dtlb_mpki", "PAPI_TLB_DM=10 PAPI_TOT_INS=20000", 0.5 },
	{ NULL, "dtlb_mpki", "dTLB-load-misses=10 instructions=20000", 0.5 },
	{ NULL, "vector_share", "PAPI_VEC_INS=5000 PAPI_TOT_INS=20000", 25 },
	{ NULL, "page_fault_rate", "perf::PAGE-FAULTS=1234", 123.4 },
	{ NULL, "page_fault_rate", "PERF_COUNT_SW_PAGE_FAULTS=1234", 123.4 },
	{ NULL, "major_fault_rate", "major-faults=12", 1.2 },
	{ NULL, "context_switch_rate", "cs=50", 5 },
	{ NULL, "migration_rate", "migrations=20", 2 },

	/* FLOPS: 1e-6 * (4 * 100e6 + 50e6 + 8 * 25e6) / 10 = 65 and so on. */
	{ "snb", "flops_sp", "PAPI_SP_OPS=650e6", 65 },
	{ "snb", "flops_sp",
	  "FP_COMP_OPS_EXE:SSE_PACKED_SINGLE=100e6 FP_COMP_OPS_EXE:SSE_FP_SCALAR_SINGLE=50e6 "
	  "SIMD_FP_256:PACKED_SINGLE=25e6",
	  65 },
	{ "snb", "flops_sp", "r4010=100e6 r2010=50e6 r111=25e6", 65 },
	{ "bdw", "flops_sp",
	  "FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE=100e6 FP_ARITH_INST_RETIRED:SCALAR_SINGLE=50e6 "
	  "FP_ARITH_INST_RETIRED:256B_PACKED_SINGLE=25e6",
	  65 },
	{ "skl", "flops_sp", "r08c7=100e6 r02c7=50e6 r20c7=25e6", 65 },
	{ "skx", "flops_sp",
	  "FP_ARITH:128B_PACKED_SINGLE=100e6 FP_ARITH:SCALAR_SINGLE=50e6 "
	  "FP_ARITH:256B_PACKED_SINGLE=25e6 FP_ARITH:512B_PACKED_SINGLE=10e6",
	  81 },
	{ "icx", "flops_sp", "r08c7=100e6 r02c7=50e6 r20c7=25e6 r80c7=10e6", 81 },
	{ "spr", "flops_sp",
	  "spr::FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE=100e6 "
	  "fp_arith_inst_retired.scalar_single=50e6 "
	  "r20c7=25e6 cpu/config=0x80c7/=10e6",
	  81 },
	{ "zen1", "flops_sp", "RETIRED_SSE_AVX_FLOPS_SINGLE_ALL=700e6", 70 },
	{ "zen2", "flops_sp", "r0f03=700e6", 70 },
	{ NULL, "flops_dp", "PAPI_DP_OPS=350e6", 35 },
	{ "snb", "flops_dp",
	  "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE=100e6 FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE=50e6 "
	  "SIMD_FP_256:PACKED_DOUBLE=25e6",
	  35 },
	{ "bdw", "flops_dp", "r04c7=100e6 r01c7=50e6 r10c7=25e6", 35 },
	{ "skl", "flops_dp",
	  "FP_ARITH:128B_PACKED_DOUBLE=100e6 FP_ARITH:SCALAR_DOUBLE=50e6 "
	  "FP_ARITH:256B_PACKED_DOUBLE=25e6",
	  35 },
	{ "skx", "flops_dp", "r04c7=100e6 r01c7=50e6 r10c7=25e6 r40c7=10e6", 43 },
	{ "icx", "flops_dp", "r04c7=100e6 r01c7=50e6 r10c7=25e6 r40c7=10e6", 43 },
	{ "spr", "flops_dp", "r5304c7=100e6 r5301c7=50e6 r5310c7=25e6 r5340c7=10e6", 43 },
	{ "zen1", "flops_dp", "RETIRED_SSE_AVX_FLOPS_DOUBLE_ALL=400e6", 40 },
	{ "zen2", "flops_dp", "rf003=400e6", 40 },
	{ NULL, "flops_any", "PAPI_FP_OPS=123e6", 12.3 },
	{ "zen3", "flops_any", "amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS:ANY=800e6", 80 },
	{ "zen4", "flops_any", "RETIRED_SSE_AVX_FLOPS_ALL=800e6", 80 },
	{ "hsw", "flops_avx_sp", "AVX_INSTS_CALC=100e6", 80 },
	{ "hsw", "flops_avx_dp", "hsw::AVX:ALL=100e6", 40 },
	{ "snb", "vectorised_sp", "r4010=100e6 r2010=60e6 r111=40e6", 70 },
	{ "bdw", "vectorised_sp", "r08c7=100e6 r02c7=60e6 r20c7=40e6", 70 },
	{ "skx", "vectorised_sp", "r08c7=100e6 r02c7=50e6 r20c7=25e6 r80c7=25e6", 75 },
	{ "snb", "vectorised_dp", "r1010=100e6 r8010=60e6 r211=40e6", 70 },
	{ "skl", "vectorised_dp", "r04c7=100e6 r01c7=60e6 r10c7=40e6", 70 },
	{ "spr", "vectorised_dp", "r04c7=100e6 r01c7=50e6 r10c7=25e6 r40c7=25e6", 75 },

	/* Bandwidth: 1e-6 * (10e6 + 5e6 + 1e6) * 64 / 10 = 102.4 and so on. */
	{ "snb", "l2_bandwidth", "L1D:REPLACEMENT=10e6 L1D:M_EVICT=5e6 ICACHE:MISSES=1e6", 102.4 },
	{ "snb", "l2_bandwidth", "L1D_REPLACEMENT=10e6 L1D_M_EVICT=5e6 ICACHE_MISSES=1e6", 102.4 },
	{ "hsw", "l2_bandwidth", "L1D_REPLACEMENT=10e6 L2_TRANS_L1D_WB=5e6 ICACHE_MISSES=1e6",
	  102.4 },
	{ "bdw", "l2_bandwidth", "r151=10e6 r10f0=5e6 r280=1e6", 102.4 },
	{ "skl", "l2_bandwidth", "L1D_REPLACEMENT=10e6 r0451=5e6 ICACHE_64B_IFTAG_MISS=1e6",
	  102.4 },
	{ "skx", "l2_bandwidth", "r151=10e6 L1D_M_EVICT=5e6 ICACHE_64B:IFTAG_MISS=1e6", 102.4 },
	{ "icx", "l2_bandwidth", "r151=10e6 r451=5e6 r283=1e6", 102.4 },
	{ "spr", "l2_bandwidth", "r151=10e6 r451=5e6 ICACHE_TAG_MISS=1e6", 102.4 },
	{ "zen1", "l2_bandwidth", "REQUESTS_TO_L2_GRP1_ALL_NO_PF=20e6", 128 },
	{ "zen2", "l2_bandwidth", "rf960=20e6", 128 },
	{ "zen3", "l2_bandwidth", "rf960=20e6", 128 },
	{ "zen4", "l2_bandwidth", "REQUESTS_TO_L2_GRP1_ALL_NO_PF=20e6", 128 },
	{ "snb", "l3_bandwidth", "L2_LINES_IN_ALL=10e6 L2_TRANS_L2_WB=2e6", 76.8 },
	{ "hsw", "l3_bandwidth", "L2_LINES_IN:ALL=10e6 L2_TRANS:L2_WB=2e6", 76.8 },
	{ "bdw", "l3_bandwidth", "r7f1=10e6 r40f0=2e6", 76.8 },
	{ "skl", "l3_bandwidth", "r1ff1=10e6 r40f0=2e6", 76.8 },
	{ "skx", "l3_bandwidth", "L2_LINES_IN:ALL=10e6 L2_TRANS:L2_WB=2e6", 76.8 },
	{ "icx", "l3_bandwidth", "L2_LINES_IN:ALL=10e6 L2_LINES_OUT:NON_SILENT=2e6", 76.8 },
	{ "spr", "l3_bandwidth", "r1f25=10e6 r226=2e6", 76.8 },
	{ "zen1", "l3_bandwidth", "L3_ACCESS=10e6", 64 },
	{ "zen2", "l3_bandwidth", "L3_ACCESS=10e6", 64 },
	{ "zen3", "l3_bandwidth",
	  "L2_PF_HIT_IN_L3=4e6 L2_PF_MISS_IN_L3=3e6 L2_CACHE_MISS_AFTER_L1_MISS=5e6", 76.8 },
	{ "zen4", "l3_bandwidth", "rff71=4e6 rff72=3e6 r964=5e6", 76.8 },
	{ "wsm", "memory_bandwidth",
	  "cpu/config=0x5301b7,config1=0x10ff/=4e6 cpu/config=0x5301bb,config1=0x20ff/=1e6", 32 },
	{ "snb", "memory_bandwidth",
	  "cpu/config=0x1b7,config1=0x3f80408fff/=4e6 cpu/config=0x1bb,config1=0x3fff808fff/=1e6",
	  32 },
	{ "hsw", "memory_bandwidth",
	  "cpu/config=0x1b7,config1=0x3f80408fff/=4e6 cpu/config=0x1bb,config1=0x3fb8008fff/=1e6",
	  32 },
	{ "bdw", "memory_bandwidth",
	  "cpu/config=0x1bb,config1=0x3f84008fff/=4e6 cpu/config=0x1b7,config1=0x3fb8008fff/=1e6",
	  32 },
	{ "skx", "memory_bandwidth",
	  "cpu/config=0x1b7,config1=0x3f840085b7/=4e6 cpu/config=0x1bb,config1=0x3f900085b7/=1e6",
	  32 },

	/* Unknown, and never 0: a term, a divisor of 0. */
	{ NULL, "ipc", "instructions=3000 cycles=?", NAN },
	{ NULL, "ipc", "instructions=? cycles=2000", NAN },
	{ NULL, "ipc", "instructions=0 cycles=0", NAN },
	{ NULL, "ipc", "instructions=0 cycles=2000", 0 },
	{ "zen2", "flops_sp", "r0f03=?", NAN },
	{ "bdw", "vectorised_sp", "r08c7=0 r02c7=0 r20c7=0", NAN },
	{ "bdw", "vectorised_sp", "r08c7=0 r02c7=50 r20c7=0", 0 },
};

#define VECTORS (sizeof vector / sizeof vector[0])

/* Find a metric among events. Returns its value; *info is NULL where it is not made of them. */
static double metric(const char *march, const char *id, const char *events, double seconds,
		     const struct pm_metric_info **info, char *domain)
{
	char text[512];
	const char *name[EVENTS];
	double value[EVENTS], v = NAN;
	struct pm_formula *list;
	size_t n;
	int found;

	snprintf(text, sizeof text, "%s", events);
	n = parse(text, name, value);
	found = pm_formula_find(name, n, march, &list);
	ck_assert_int_ge(found, 0);
	*info = NULL;
	for (int i = 0; i < found; i++) {
		if (strcmp(list[i].info->id, id) != 0)
			continue;
		ck_assert_msg(!*info || domain, "%s twice of %s", id, events);
		if (*info && strcmp(list[i].domain, domain) != 0)
			continue;
		if (!domain || strcmp(list[i].domain, domain) == 0) {
			*info = list[i].info;
			v = pm_formula_value(&list[i], value, seconds);
		}
	}
	free(list);
	return v;
}

START_TEST(values)
{
	bool met[PM_METRICS] = { false };
	const struct pm_metric_info *info;

	for (size_t i = 0; i < VECTORS; i++) {
		const struct vector *v = &vector[i];
		double got = metric(v->march, v->id, v->events, T, &info, NULL);

		ck_assert_msg(info != NULL, "no %s of %s on %s", v->id, v->events, v->march);
		ck_assert_msg(same(got, v->want), "%s of %s: %g, not %g", v->id, v->events, got,
			      v->want);
		met[info - pm_metric_info] |= !isnan(v->want);
	}
	for (int i = 0; i < PM_METRICS; i++)
		ck_assert_msg(met[i], "no vector for row %d: %s on %s", i, pm_metric_info[i].id,
			      pm_metric_info[i].marches);
}
END_TEST

/* Without any one of its terms a metric is not there; on another processor neither. */
START_TEST(missing_terms)
{
	const struct pm_metric_info *info, *whole;

	for (size_t i = 0; i < VECTORS; i++) {
		const struct vector *v = &vector[i];
		size_t words = 1;

		metric(v->march, v->id, v->events, T, &whole, NULL);
		for (const char *p = v->events; (p = strchr(p, ' ')); p++)
			words++;
		for (size_t skip = 0; skip < words; skip++) {
			char rest[512] = "", all[512];
			size_t k = 0;

			snprintf(all, sizeof all, "%s", v->events);
			for (char *p = strtok(all, " "); p; p = strtok(NULL, " "))
				if (k++ != skip)
					snprintf(rest + strlen(rest), sizeof rest - strlen(rest),
						 "%s%s", *rest ? " " : "", p);
			metric(v->march, v->id, rest, T, &info, NULL);
			ck_assert_msg(info != whole, "%s of %s alone", v->id, rest);
		}
		if (*whole->marches) {
			metric(NULL, v->id, v->events, T, &info, NULL);
			ck_assert_ptr_null(info);
			metric("no-such", v->id, v->events, T, &info, NULL);
			ck_assert_ptr_null(info);
		}
	}
	metric("skx", "flops_sp", "r08c7=100e6 r02c7=50e6 r20c7=25e6", T, &info, NULL);
	ck_assert_ptr_null(info);
	metric("skl", "flops_any", "r0f03=1", T, &info, NULL);
	ck_assert_ptr_null(info);
}
END_TEST

START_TEST(no_time_no_rate)
{
	static const double none[] = { 0, -1, NAN };
	const struct pm_metric_info *info;

	for (size_t i = 0; i < VECTORS; i++)
		for (size_t k = 0; k < 3; k++) {
			const struct vector *v = &vector[i];
			double got = metric(v->march, v->id, v->events, none[k], &info, NULL);

			if (strstr(info->formula, " t "))
				ck_assert_msg(isnan(got), "%s in no time: %g", v->id, got);
			else
				ck_assert(same(got, v->want));
		}
}
END_TEST

/* Only what counts the same domain is set in relation. */
START_TEST(domains)
{
	static const char both[] =
		"cycles:u=10 instructions:u=20 cycles:k=10 instructions:k=50 task-clock=5";
	const struct pm_metric_info *info;
	char none[] = "", u[] = ":u", k[] = ":k";

	ck_assert(metric(NULL, "ipc", both, T, &info, u) == 2);
	ck_assert(metric(NULL, "ipc", both, T, &info, k) == 5);
	metric(NULL, "ipc", both, T, &info, none);
	ck_assert_ptr_null(info);
	metric(NULL, "ipc", "cycles:u=10 instructions:k=50", T, &info, u);
	ck_assert_ptr_null(info);
	metric(NULL, "ipc", "cycles:u=10 instructions=50", T, &info, NULL);
	ck_assert_ptr_null(info);
	ck_assert(metric("snb", "l3_bandwidth", "L2_LINES_IN:ALL:u=1=10e6 L2_TRANS:L2_WB:u=2e6", T,
			 &info, u) == 76.8);
	/* What changes the meaning of an event makes it another one. */
	metric("snb", "l3_bandwidth", "L2_LINES_IN:ALL:c=1=10e6 L2_TRANS:L2_WB=2e6", T, &info,
	       NULL);
	ck_assert_ptr_null(info);
}
END_TEST

START_TEST(processors)
{
	static const struct {
		const char *cpu_id, *march;
	} known[] = {
		{ "GenuineIntel-6-2D-7", "snb" },
		{ "GenuineIntel-6-3F-2", "hsw" },
		{ "GenuineIntel-6-4F-1", "bdw" },
		{ "GenuineIntel-6-9E-D", "skl" },
		{ "GenuineIntel-6-55-4", "skx" },
		{ "GenuineIntel-6-6A-6", "icx" },
		{ "GenuineIntel-6-8F-8", "spr" },
		{ "GenuineIntel-6-2C-2", "wsm" },
		{ "AuthenticAMD-23-1-2", "zen1" },
		{ "AuthenticAMD-23-31-0", "zen2" },
		{ "AuthenticAMD-25-1-1", "zen3" },
		{ "AuthenticAMD-25-11-1", "zen4" },
		{ "AuthenticAMD-25-61-2", "zen4" },
		{ "GenuineIntel-6-1-1", NULL },
		{ "GenuineIntel-15-55-4", NULL },
		{ "AuthenticAMD-26-2-1", NULL },
		{ "nonsense", NULL },
		{ "", NULL },
		{ "a-b-c-d", NULL },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const char *march = pm_formula_march(known[i].cpu_id);

		if (known[i].march)
			ck_assert_msg(march && strcmp(march, known[i].march) == 0, "%s is %s",
				      known[i].cpu_id, march);
		else
			ck_assert_ptr_null(march);
	}
	ck_assert_ptr_null(pm_formula_march(NULL));
}
END_TEST

START_TEST(identities)
{
	static const struct {
		const char *cpuinfo, *id;
	} row[] = {
		{ "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
		  "model name\t: Xeon 1\nstepping\t: 4\n\nprocessor\t: 1\nvendor_id\t: X\n",
		  "GenuineIntel-6-55-4" },
		{ "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: EPYC\nmodel\t\t: "
		  "17\nstepping\t: 1",
		  "AuthenticAMD-25-11-1" },
		{ "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: x\nstepping\t: 4\n",
		  NULL },
		{ "vendor_id\t: GenuineIntel\ncpu family\t: 6\nstepping\t: 4\n", NULL },
		{ "processor\t: 0\nBogoMIPS\t: 100.00\nCPU implementer\t: 0x41\n", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char id[PM_CPUID_MAX];
		int rc = pm_cpuid(row[i].cpuinfo, id);

		ck_assert_int_eq(rc, row[i].id ? 0 : -1);
		if (row[i].id)
			ck_assert_str_eq(id, row[i].id);
	}
}
END_TEST

static long double one_term(void *ctx, const char *token, size_t n)
{
	(void)ctx;
	return n == 2 && token[0] == 'N' ? token[1] - '0' : NAN;
}

START_TEST(notation)
{
	static const struct {
		const char *text;
		double want;
	} row[] = {
		{ "N3", 3 },
		{ "N3 N2 -", 1 },
		{ "N3 N2 * 0.5 +", 6.5 },
		{ "N9 N2 N1 + /", 3 },
		{ "1e3 N2 *", 2000 },
		{ " N3  N2 + ", 5 },
		{ "", NAN },
		{ "N1 N2", NAN },
		{ "+", NAN },
		{ "N1 +", NAN },
		{ "N1 0 /", NAN },
		{ "M1 N1 +", NAN },
		{ "N1 N2 + -", NAN },
		{ "1e4932 1e4932 *", NAN },
		{ "1x", NAN },
		{ "9007199254740993", 9007199254740993.0 },
	};
	char deep[256] = "N1";

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		double got = (double)pm_formula_rpn(row[i].text, one_term, NULL);

		ck_assert_msg(same(got, row[i].want), "'%s' is %g", row[i].text, got);
	}
	for (int i = 0; i < PM_FORMULA_DEPTH; i++)
		strcat(deep, " N1");
	for (int i = 0; i < PM_FORMULA_DEPTH; i++)
		strcat(deep, " +");
	ck_assert(isnan((double)pm_formula_rpn(deep, one_term, NULL)));
}
END_TEST

/* Every term is in a formula, and all of its names are looked for. */
START_TEST(terms)
{
	for (int t = 0; t < PM_TERMS; t++) {
		bool used = false;
		size_t blanks = 0;

		for (const char *p = pm_term_info[t].names; *p; p++)
			blanks += *p == ' ';
		ck_assert_uint_lt(blanks, 6);
		for (int m = 0; m < PM_METRICS && !used; m++) {
			const char *p = pm_metric_info[m].formula;
			size_t n = strlen(pm_term_info[t].id);

			for (; (p = strstr(p, pm_term_info[t].id)) && !used; p += n)
				used = (p == pm_metric_info[m].formula || p[-1] == ' ') &&
				       (p[n] == ' ' || p[n] == '\0');
		}
		ck_assert_msg(used, "no metric needs %s", pm_term_info[t].id);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("formulas");
	TCase *t = tcase_create("formulas");

	tcase_add_test(t, values);
	tcase_add_test(t, missing_terms);
	tcase_add_test(t, no_time_no_rate);
	tcase_add_test(t, domains);
	tcase_add_test(t, processors);
	tcase_add_test(t, identities);
	tcase_add_test(t, notation);
	tcase_add_test(t, terms);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
