/* Which of the user's job directories are to be loaded. */
#include "config.h"

#include "common/job/jobdir.h"
#include "common/settings/readconfig.h"
#include "submit/finddir.h"
#include "tests/unit/submit/submit.h"

#include <fcntl.h>

static char prefix[96];

/* Metadata of a job in a directory of its name; stop 0: it is open. */
static void put(const char *name, const char *host, int start, int stop)
{
	char text[512], ended[64] = "", path[PATH_MAX + 64];
	struct pm_jobdir d;
	struct pm_err e;
	FILE *f;
	int fd, rc = pm_jobdir_create(name, &d, &e);

	ck_assert_msg(rc >= 0, "%s", e.text);
	if (rc == 0)
		pm_jobdir_close(&d);
	if (stop)
		snprintf(ended, sizeof ended, ",\"stop\":{\"time_us\":%d}", stop);
	snprintf(
		text, sizeof text,
		"{\"format\":\"perfmon-job-1\",\"job\":{\"jobid\":\"%s\",\"epoch_us\":5},\"host\":{"
		"\"hostname\":\"%s\"},\"start\":{\"time_us\":%d}%s}",
		name, host, start, ended);
	fd = pm_jobdir_user(path, &e);
	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(path + strlen(path), sizeof path - strlen(path), "/%s/job-%s.json", name, host);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* The names of what is to be loaded, or why there is none. */
static const char *all(struct test_job *j)
{
	static char text[2048];
	char **list;
	size_t n, at = 0;

	ck_assert_int_eq(pm_finddir_all(j->db, &list, &n, &j->e), 0);
	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at, "%s ",
				       strrchr(list[i], '/') + 1);
		free(list[i]);
	}
	free(list);
	return n ? text : j->e.text;
}

static const char *named(struct test_job *j, const char *name)
{
	static char text[256];
	char *path = pm_finddir_named(name, j->db, &j->e);

	snprintf(text, sizeof text, "%s", path ? strrchr(path, '/') + 1 : "-");
	free(path);
	return text;
}

static void load(struct test_job *j, const char *name)
{
	struct pm_load_options o = { 0 };
	char *path = pm_finddir_named(name, j->db, &j->e);

	ck_assert_ptr_nonnull(path);
	ck_assert_int_eq(pm_load_source(j->db, path, &o, &j->e), 0);
	free(path);
}

START_TEST(directories)
{
	struct test_job j;

	test_begin(&j);
	snprintf(prefix, sizeof prefix, "%s/prefix", j.dir);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, prefix, &j.e), 0);
	ck_assert_int_eq(mkdir(prefix, 0700), 0);
	ck_assert_str_eq(all(&j),
			 "no closed job to submit; archives are loaded by name: perfmon submit "
			 "FILE.tgz");
	/* The oldest first; of one time by name. */
	put("b", "h", 300, 400);
	put("a", "h", 200, 250);
	put("d", "h", 100, 900);
	put("c", "h", 200, 250);
	ck_assert_str_eq(all(&j), "d a c b ");
	load(&j, "c");
	ck_assert_str_eq(all(&j), "d a b ");
	/* Stopped again since. */
	put("c", "h", 200, 251);
	ck_assert_str_eq(all(&j), "d a c b ");
	load(&j, "c");
	ck_assert_str_eq(all(&j), "d a b ");
	/* Open on one host. */
	put("d", "i", 100, 0);
	ck_assert_str_eq(all(&j), "a b ");
	load(&j, "a");
	load(&j, "b");
	ck_assert_str_eq(all(&j),
			 "no closed job to submit: job d is open; perfmon -j d stop, or name its "
			 "directory");
	put("d", "i", 100, 150);
	load(&j, "d");
	ck_assert_str_eq(all(&j), "no closed job to submit: the database has them all");
	/* By name all are found. */
	ck_assert_str_eq(named(&j, "d"), "d");
	ck_assert_str_eq(named(&j, "e"), "-");
	ck_assert_str_eq(j.e.text, "");
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/finddir.c");
	TCase *t = tcase_create("directories");

	tcase_add_test(t, directories);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
