/* wrapper/metadata/environment.c: which variables are stored, and what changed between start and stop. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/metadata/environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int dir;

static void set_up(void)
{
	pm_unit_set_up();
	dir = open(".", O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	clearenv();
	setenv("HOME", "/home/ann", 1);
}

static void tear_down(void)
{
	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1);
	pm_unit_tear_down();
}

static void set_kind(const char *kind)
{
	struct pm_err e;

	ck_assert_int_eq(pm_config_set(PM_SET_environment, kind, &e), 0);
}

/* A value as text, which it takes; "none" for NULL. */
static const char *text_of(json_t *value)
{
	static char text[2][4096];
	static int n;
	char *dump = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;

	n = !n;
	snprintf(text[n], sizeof text[n], "%s", dump ? dump : "none");
	free(dump);
	json_decref(value);
	return text[n];
}

/* Of every kind one that explains a job, and names that are nearly such. */
START_TEST(variables_that_are_stored)
{
	static const char *const stored[] = {
		"SLURM_NTASKS",	 "SLURM_",	 "SLURMD_NODENAME", "PBS_QUEUE",  "NCPUS",	   "LSB_HOSTS",
		"OAR_JOB_ID",	 "COBALT_X",	 "FLUX_URI",	    "LS_SUBCWD",  "SGE_ROOT",	   "JOB_ID",
		"JOB_NAME",	 "NSLOTS",	 "NHOSTS",	    "PE",	  "PE_HOSTFILE",   "QUEUE",
		"OMPI_X",	 "PMI_RANK",	 "PMIX_X",	    "MPICH_X",	  "I_MPI_X",	   "UCX_TLS",
		"FI_PROVIDER",	 "PALS_X",	 "OMP_NUM_THREADS", "GOMP_X",	  "KMP_AFFINITY",  "MKL_X",
		"OPENBLAS_X",	 "MALLOC_ARENA", "CUDA_VISIBLE_DEVICES", "NCCL_X", "LOADEDMODULES", "_LMFILES_",
		"MODULEPATH",	 "LMOD_X",	 "CONDA_PREFIX",    "VIRTUAL_ENV", "EBROOTGCC",	   "EBVERSIONGCC",
		"PATH",		 "LD_PRELOAD",	 "LD_LIBRARY_PATH", "PYTHONPATH", "R_LIBS_USER",   "LANG",
		"LC_ALL",	 "TZ",		 "SHELL",	    "HOSTNAME",	  "TMPDIR",	   "container",
		"PERFMON_TAGS",	 "EPMT_X",	 "PAPIEX_X",
	};
	static const char *const others[] = {
		"HOME",	 "USER",  "SLURM",  "XSLURM_X", "JOB_IDX", "PEX", "P",	  "PATHS",     "MAIL",
		"_",	 "SHLVL", "DISPLAY", "KRB5CCNAME", "SSH_AUTH_SOCK", "LD_X", "CONDA_X", "HISTFILE",
	};
	size_t n = sizeof stored / sizeof stored[0];
	json_t *got;

	for (size_t i = 0; i < n; i++)
		setenv(stored[i], "v", 1);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		setenv(others[i], "w", 1);
	got = pm_environment_collect();
	for (size_t i = 0; i < n; i++) {
		const char *value = json_string_value(json_object_get(got, stored[i]));

		ck_assert_msg(value && strcmp(value, "v") == 0, "%s", stored[i]);
	}
	ck_assert_uint_eq(json_object_size(got), n);
	json_decref(got);
	set_kind("all");
	got = pm_environment_collect();
	ck_assert_uint_eq(json_object_size(got), n + sizeof others / sizeof others[0]);
	json_decref(got);
	set_kind("none");
	ck_assert_ptr_null(pm_environment_collect());
}
END_TEST

START_TEST(secrets_and_odd_bytes)
{
	static char *list[] = { (char *)"PATH=a=b", (char *)"SLURM_PASSWORD=x", (char *)"LANG=\xff\t",
			       (char *)"no equals", (char *)"=x", (char *)"TZ=", NULL };

	environ = list;
	ck_assert_str_eq(text_of(pm_environment_collect()),
			 "{\"LANG\":\"\\\\xff\\\\t\",\"PATH\":\"a=b\","
			 "\"SLURM_PASSWORD\":\"[redacted]\",\"TZ\":\"\"}");
}
END_TEST

START_TEST(changes)
{
	json_t *added = NULL, *removed = NULL;
	struct pm_err e = { "" };
	struct stat st;
	char text[4096];
	FILE *f;

	ck_assert_ptr_null(pm_environment_changes(dir, "h", &added, &removed));
	setenv("OLD", "secret-1", 1);
	setenv("GONE", "2", 1);
	setenv("ALSO_GONE", "3", 1);
	setenv("SHLVL", "1", 1);
	setenv("PERFMON_X", "1", 1);
	setenv("ASAN_OPTIONS", "1", 1);
	setenv("EMPTY", "", 1);
	/* What an earlier one left is replaced. */
	f = fopen(".environment-h", "w");
	ck_assert(f && fputs("{", f) >= 0 && fclose(f) == 0);
	ck_assert_int_eq(chmod(".environment-h", 0644), 0);
	ck_assert_msg(pm_environment_remember(dir, "h", &e) == 0, "%s", e.text);
	ck_assert(stat(".environment-h", &st) == 0 && (st.st_mode & 07777) == 0600);
	f = fopen(".environment-h", "r");
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	/* FNV-1a, of the empty text and of "a": http://www.isthe.com/chongo/tech/comp/fnv */
	ck_assert_ptr_nonnull(strstr(text, "\"EMPTY\":\"cbf29ce484222325\""));
	ck_assert_ptr_null(strstr(text, "secret"));
	/* Nothing has changed. */
	ck_assert_str_eq(text_of(pm_environment_changes(dir, "h", &added, &removed)), "{}");
	ck_assert_str_eq(text_of(added), "[]");
	ck_assert_str_eq(text_of(removed), "[]");
	setenv("OLD", "secret-2", 1);
	unsetenv("GONE");
	unsetenv("ALSO_GONE");
	setenv("NEW", "5", 1);
	setenv("API_TOKEN", "hidden", 1);
	setenv("SHLVL", "2", 1);
	setenv("_", "/bin/x", 1);
	setenv("LD_PRELOAD", "x.so", 1);
	setenv("PERFMON_Y", "1", 1);
	unsetenv("PERFMON_X");
	unsetenv("ASAN_OPTIONS");
	setenv("EMPTY", "e", 1);
	ck_assert_str_eq(text_of(pm_environment_changes(dir, "h", &added, &removed)),
			 "{\"ALSO_GONE\":null,\"API_TOKEN\":\"[redacted]\",\"EMPTY\":\"e\",\"GONE\":null,"
			 "\"NEW\":\"5\",\"OLD\":\"secret-2\"}");
	ck_assert_str_eq(text_of(added), "[\"API_TOKEN\",\"NEW\"]");
	ck_assert_str_eq(text_of(removed), "[\"ALSO_GONE\",\"GONE\"]");
	/* Of each host its own. */
	ck_assert_ptr_null(pm_environment_changes(dir, "g", &added, &removed));
	ck_assert(!added && !removed);
	set_kind("none");
	ck_assert_ptr_null(pm_environment_changes(dir, "h", &added, &removed));
	pm_environment_forget(dir, "g");
	ck_assert_int_eq(access(".environment-h", F_OK), 0);
	pm_environment_forget(dir, "h");
	ck_assert_int_ne(access(".environment-h", F_OK), 0);
	ck_assert_int_eq(pm_environment_remember(dir, "h", &e), 0);
	ck_assert_int_ne(access(".environment-h", F_OK), 0);
}
END_TEST

/* What is remembered is not written through a link, nor taken from one. */
START_TEST(links)
{
	json_t *added, *removed;
	struct pm_err e = { "" };
	FILE *f = fopen("other", "w");

	ck_assert(f && fputs("{}", f) >= 0 && fclose(f) == 0);
	ck_assert_int_eq(symlink("other", ".environment-h"), 0);
	ck_assert_ptr_null(pm_environment_changes(dir, "h", &added, &removed));
	ck_assert_int_eq(pm_environment_remember(dir, "h", &e), 0);
	f = fopen("other", "r");
	ck_assert(f && fgetc(f) == '{' && fgetc(f) == '}' && fgetc(f) == EOF);
	fclose(f);
}
END_TEST

START_TEST(modules)
{
	ck_assert_ptr_null(pm_environment_modules());
	setenv("LOADEDMODULES", "", 1);
	ck_assert_str_eq(text_of(pm_environment_modules()), "[]");
	setenv("LOADEDMODULES", "gcc/12:openmpi/4.1", 1);
	ck_assert_str_eq(text_of(pm_environment_modules()), "[\"gcc/12\",\"openmpi/4.1\"]");
	setenv("LOADEDMODULES", ":gcc/12::b:", 1);
	ck_assert_str_eq(text_of(pm_environment_modules()), "[\"gcc/12\",\"b\"]");
	set_kind("none");
	ck_assert_ptr_null(pm_environment_modules());
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("environment");
	TCase *t = tcase_create("environment");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, variables_that_are_stored);
	tcase_add_test(t, secrets_and_odd_bytes);
	tcase_add_test(t, changes);
	tcase_add_test(t, links);
	tcase_add_test(t, modules);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
