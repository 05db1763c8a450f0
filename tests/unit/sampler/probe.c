/* Trying a source out, for perfmon sources: sampler/probe.c. */
#include "config.h"

#include "sampler/probe.h"

#include "tests/unit/sampler/source.h"

static const struct pm_metric probe_metrics[] = {
	{ "one", "n", "one", NULL, false, PM_METRIC_GAUGE },
	{ "other", "n", "other", NULL, false, PM_METRIC_GAUGE },
};

static int probe_open(void **s, const struct pm_target *target, struct pm_sink *to,
		      struct pm_unavailable *unavailable)
{
	(void)s, (void)target, (void)to;
	unavailable->reason = PM_REASON_permission;
	pm_err(&unavailable->err, "not today");
	return target->pid == 1 ? -1 : 0;
}

static void probe_good(void *s, struct pm_sink *to)
{
	(void)s;
	pm_sink_value(to, 1, 5);
}

static void probe_crash(void *s, struct pm_sink *to)
{
	(void)s, (void)to;
	_exit(7);
}

static void probe_hang(void *s, struct pm_sink *to)
{
	(void)s, (void)to;
	for (;;)
		pause();
}

/* More than a pipe holds at once. */
static void probe_describe(void *s, const struct pm_sink *to, FILE *out)
{
	(void)s;
	fprintf(out, "one: here\n");
	pm_sink_describe(to, "", out);
	for (int i = 0; i < 600; i++)
		fprintf(out, "%0100d\n", i);
}

static void probe_close(void *s)
{
	(void)s;
}

static const struct {
	void (*sample)(void *s, struct pm_sink *to);
	pid_t pid;
	bool available;
	enum pm_reason reason;
} probes[] = {
	{ probe_good, 0, true, 0 },
	{ probe_good, 1, false, PM_REASON_permission },
	{ probe_crash, 0, false, PM_REASON_failed },
	{ probe_hang, 0, false, PM_REASON_late },
};

START_TEST(probe)
{
	const struct pm_source source = {
		.name = "probed",
		.help = "nothing",
		.metrics = probe_metrics,
		.metrics_count = 2,
		.open = probe_open,
		.sample = probes[_i].sample,
		.close = probe_close,
	};
	const struct pm_target target = { .root = root, .pid = probes[_i].pid };
	struct pm_probe p;

	pm_probe_run(&source, &target, &p);
	ck_assert_int_eq(p.available, probes[_i].available);
	if (p.available) {
		ck_assert_int_eq(p.series, 2);
		ck_assert_int_eq(p.unknown, 1);
		return;
	}
	ck_assert_int_eq(p.why.reason, probes[_i].reason);
	ck_assert_int_gt((int)strlen(p.why.err.text), 0);
}
END_TEST

/* What a source says of its devices comes along. */
START_TEST(probe_devices)
{
	const struct pm_source source = {
		.name = "probed",
		.help = "nothing",
		.metrics = probe_metrics,
		.metrics_count = 2,
		.open = probe_open,
		.sample = probe_good,
		.describe = probe_describe,
		.close = probe_close,
	};
	const struct pm_target target = { .root = root };
	static const char begin_text[] = "one: here\n  absent: one\n000";
	struct pm_probe p;

	pm_probe_run(&source, &target, &p);
	ck_assert(p.available);
	ck_assert_ptr_nonnull(p.devices);
	ck_assert_int_eq(strncmp(p.devices, begin_text, strlen(begin_text)), 0);
	ck_assert_uint_eq(strlen(p.devices), strlen("one: here\n  absent: one\n") + 600 * 101);
	free(p.devices);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_probe");
	TCase *t = tcase_create("probe");

	tcase_add_checked_fixture(t, root_make, root_remove);
	/* One of them waits for as long as a hung source may take. */
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, probe, 0, COUNT(probes));
	tcase_add_test(t, probe_devices);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
