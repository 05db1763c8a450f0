/* A source on a recorded tree: open it, sample, look at its series. */
#ifndef PM_TESTS_UNIT_SAMPLER_SOURCE_H
#define PM_TESTS_UNIT_SAMPLER_SOURCE_H

#include "sampler/source.h"

#include "tests/unit/sampler/root.h"

static struct pm_sink sink;
static struct pm_own own;
static void *state;
static struct pm_unavailable why;
static pid_t job; /* the process that stands for it; 0: none */
__attribute__((
	unused)) static const char *group; /* its control group's directory; NULL: not known */

/* Open a source on a target. Returns what its open does. */
static int begin_on(const struct pm_source *source, const struct pm_target *target)
{
	PM_SURE(pm_sink_init(&sink, source) == 0);
	return source->open(&state, target, &sink, &why);
}

/* Open it below the recorded root. */
__attribute__((unused)) static int begin(const struct pm_source *source)
{
	const struct pm_target target = { .root = root, .pid = job, .cgroup = group, .own = &own };

	return begin_on(source, &target);
}

__attribute__((unused)) static void sample(void)
{
	pm_sink_clear(&sink, PM_REASON_absent);
	sink.source->sample(state, &sink);
}

__attribute__((unused)) static void end(void)
{
	sink.source->close(state);
	pm_sink_free(&sink);
}

/* The series of a metric and object; fails the test where there is none or several. */
static const struct pm_series *series(const char *metric, const char *object)
{
	const struct pm_series *found = NULL;

	for (size_t i = 0; i < sink.count; i++) {
		const struct pm_series *s = &sink.series[i];

		if (!s->free && strcmp(sink.source->metrics[s->metric].name, metric) == 0 &&
		    strcmp(s->object, object) == 0) {
			if (found)
				ck_abort_msg("two series %s %s", metric, object);
			found = s;
		}
	}
	if (!found)
		ck_abort_msg("no series %s %s", metric, object);
	return found;
}

__attribute__((unused)) static void check_known(const char *metric, const char *object,
						int64_t value)
{
	const struct pm_series *s = series(metric, object);

	if (!s->known || s->value != value)
		ck_abort_msg("%s %s: known %d, %jd, want %jd", metric, object, s->known,
			     (intmax_t)s->value, (intmax_t)value);
}

__attribute__((unused)) static void check_unknown(const char *metric, const char *object,
						  enum pm_reason reason)
{
	const struct pm_series *s = series(metric, object);

	if (s->known || s->reason != reason)
		ck_abort_msg("%s %s: known %d, %s, want %s", metric, object, s->known,
			     pm_reason_name(s->reason), pm_reason_name(reason));
}

/* How many objects a metric has. */
__attribute__((unused)) static int objects(const char *metric)
{
	int n = 0;

	for (size_t i = 0; i < sink.count; i++) {
		const struct pm_series *s = &sink.series[i];

		if (!s->free && s->object[0] &&
		    strcmp(sink.source->metrics[s->metric].name, metric) == 0)
			n++;
	}
	return n;
}

/* Whether a metric has a series for an object. */
__attribute__((unused)) static int has_object(const char *metric, const char *object)
{
	for (size_t i = 0; i < sink.count; i++) {
		const struct pm_series *s = &sink.series[i];

		if (!s->free && strcmp(s->object, object) == 0 &&
		    strcmp(sink.source->metrics[s->metric].name, metric) == 0)
			return 1;
	}
	return 0;
}

/* A source whose file is not there says so. */
__attribute__((unused)) static void check_file_absent(const struct pm_source *source,
						      const char *path)
{
	ck_assert_int_eq(begin(source), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, path));
	ck_assert_ptr_nonnull(strstr(why.err.text, "No such file"));
	pm_sink_free(&sink);
}

/* One whose file may not be read does, too. */
__attribute__((unused)) static void check_file_closed(const struct pm_source *source,
						      const char *path)
{
	char whole[128];
	int result;

	root_put(path, "MemTotal: 5 kB\n");
	snprintf(whole, sizeof whole, "%s/%s", root, path);
	PM_SURE(chmod(whole, 0) == 0);
	root_become_plain_user();
	result = begin(source);
	root_become_self();
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(why.reason, PM_REASON_permission);
	ck_assert_ptr_nonnull(strstr(why.err.text, "Permission denied"));
	pm_sink_free(&sink);
}

/* The recorded machine of the fixtures, where they lie beside the source. */
__attribute__((unused)) static int fixture_path(char *path, size_t size)
{
	const char *top = getenv("abs_top_srcdir");

	snprintf(path, size, "%s/../shared/fixtures/node-tree.tar.gz", top ? top : ".");
	return access(path, R_OK);
}

/* Unpack files of it below the root. */
__attribute__((unused)) static void fixture_put(const char *files)
{
	char path[512], command[1024];

	PM_SURE(fixture_path(path, sizeof path) == 0);
	snprintf(command, sizeof command, "tar -xzf '%s' -C '%s' %s", path, root, files);
	PM_SURE(system(command) == 0);
}

/* Whether there are recordings of devices, of which each tree is a root. */
__attribute__((unused)) static int fixture_devices(char *path, size_t size)
{
	const char *top = getenv("abs_top_srcdir");

	snprintf(path, size, "%s/../shared/fixtures/devices.tar.gz", top ? top : ".");
	return access(path, R_OK) == 0;
}

/* Unpack one of them, by its path there, into the root. */
__attribute__((unused)) static void fixture_device(const char *part)
{
	char path[512], command[1024];
	int depth = 2;

	for (const char *p = part; *p; p++)
		depth += *p == '/';
	PM_SURE(fixture_devices(path, sizeof path));
	snprintf(command, sizeof command, "tar -xzf '%s' -C '%s' --strip-components=%d devices/%s",
		 path, root, depth, part);
	PM_SURE(system(command) == 0);
}

#endif
