/* The preload's environment: what is recorded of a command line and of tags, and what is not; which
 * events are asked for. */
#include "config.h"

#include "libperfmon/record/arguments.h"

#include "common/safe/tsv.h"
#include "common/safe/variables.h"
#include "libperfmon/count/eventlist.h"
#include "libperfmon/record/tags.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

static char memory[PM_ARGUMENTS_MAX + 8192];

/* Render a NULL-terminated list behind argv[0] under a mode and a limit; "" on no arguments. */
static const char *render(const char *mode, const char *max, const char *const *args)
{
	const char *argv[16] = { "prog" };
	struct pm_settings s = { .env[PM_ENV_args] = mode, .env[PM_ENV_args_max] = max };
	struct pm_buf b;
	int argc = 1;

	while (*args)
		argv[argc++] = *args++;
	pm_buf_init(&b, memory, sizeof memory - 1);
	memory[pm_arguments_render(&b, &s, argc, (char *const *)(uintptr_t)argv)] = '\0';
	return memory;
}

#define RENDER(mode, max, ...) render(mode, max, (const char *const[]){ __VA_ARGS__, NULL })

START_TEST(boundaries)
{
	ck_assert_str_eq(RENDER(NULL, NULL, NULL), "");
	ck_assert_str_eq(RENDER(NULL, NULL, ""), "\\e");
	ck_assert_str_eq(RENDER(NULL, NULL, "", ""), "\\e \\e");
	ck_assert_str_eq(RENDER("full", NULL, "a b", "\\e", "\377", "caf\303\251", "\t"),
			 "a\\x20b \\\\e \\xff caf\303\251 \\t");
}
END_TEST

START_TEST(modes)
{
	static char tail[2000];

	ck_assert_str_eq(RENDER("none", NULL, "a", "b"), "");
	ck_assert_str_eq(RENDER("name", NULL, "train.py", "--token=x"), "train.py");
	/* No mode but full tells more than redacted, nor does none at all. */
	ck_assert_str_eq(RENDER("name", NULL, "--password=hunter2", "x"), "--password=[redacted]");
	ck_assert_str_eq(RENDER("name", NULL, "https://me:pw@host/x"),
			 "https://me:[redacted]@host/x");
	ck_assert_str_eq(RENDER(NULL, NULL, "--password=hunter2", "x"), "--password=[redacted] x");
	ck_assert_str_eq(RENDER("nonsense", NULL, "--password=hunter2"), "");
	ck_assert_str_eq(RENDER("red", NULL, "--password=hunter2"), "--password=[redacted]");
	ck_assert_str_eq(RENDER("redacted", NULL, "--password=hunter2", "x"),
			 "--password=[redacted] x");
	ck_assert_str_eq(RENDER("redacted", NULL, "--db-password", "hunter2", "x"),
			 "--db-password [redacted] x");
	ck_assert_str_eq(RENDER("redacted", NULL, "API_TOKEN=one", "cmd"),
			 "API_TOKEN=[redacted] cmd");
	ck_assert_str_eq(RENDER("redacted", NULL, "https://me:pw@host/x"),
			 "https://me:[redacted]@host/x");
	ck_assert_str_eq(RENDER("redacted", NULL, "https://host/a:b@c", "--tokens-file"),
			 "https://host/a:b@c --tokens-file");
	ck_assert_str_eq(RENDER("redacted", NULL, "", "\t=PASS=a\377", "--token", "", "--key",
				"a b", "--key"),
			 "\\e \\t=PASS=[redacted] --token \\e --key a\\x20b --key");
	ck_assert_str_eq(RENDER("redacted", NULL, "sh -c",
				"A=1 x --password=b; c ftp://u:p@q@h http://v:w@i",
				"Authorization: Bearer 0123456789", "AKIA0123456789ABCDEF"),
			 "sh\\x20-c A=1\\x20x\\x20--password=[redacted];\\x20c\\x20"
			 "ftp://u:[redacted]@h\\x20http://v:[redacted]@i "
			 "Authorization:\\x20Bearer\\x20[redacted] [redacted]");
	/* What follows a secret is kept, however long. */
	memset(tail, 'x', sizeof tail - 1);
	memcpy(tail, "http://u:p@", 11);
	ck_assert_uint_eq(strlen(RENDER("redacted", NULL, tail)),
			  sizeof tail - 2 + strlen("[redacted]"));
	ck_assert_str_eq(RENDER("redacted", "20", "a", "--password=b", "c"),
			 "a \\+17:75b9560ccaa4661f");
	ck_assert_str_eq(RENDER("full", NULL, "--password=hunter2"), "--password=hunter2");
}
END_TEST

START_TEST(limits)
{
	/* FNV-1a 64 of "abc\0defgh\0" and of "abcdefgh\0", computed apart from this code. */
	ck_assert_str_eq(RENDER(NULL, "4", "abc", "defgh"), "abc \\+10:e4b843a73699e2bd");
	ck_assert_str_eq(RENDER(NULL, "9", "abc", "defgh"), "abc defgh");
	ck_assert_str_eq(RENDER(NULL, "4", "abcdefgh"), "\\+9:fb327a24e0e45b37");
	ck_assert(strlen(RENDER(NULL, "junk", "abc")) == 3);
	ck_assert_str_eq(RENDER(NULL, "0", "abc"), "\\+4:fc17bb83ee075471");
}
END_TEST

START_TEST(long_argument)
{
	static char big[200000];

	memset(big, 'x', sizeof big - 1);
	const char *got = RENDER(NULL, "999999", "first", big, "last");
	ck_assert(strncmp(got, "first \\+200011:", 15) == 0);
	ck_assert_uint_eq(strlen(got), 15 + 16);
	memset(big, '\1', PM_ARGUMENTS_MAX / 2);
	big[PM_ARGUMENTS_MAX / 2] = '\0';
	ck_assert(strncmp(RENDER(NULL, "999999", "first", big), "first \\+", 8) == 0);
}
END_TEST

/* pm_settings_read wants the auxiliary vector behind the environment. */
struct initial {
	const char *env[12];
	unsigned long auxv[10];
};

START_TEST(environment)
{
	struct initial i = {
		.env = { "PERFMON_OUTPUT=/a", "PERFMON_OUTPUTS=/no", "PERFMON_ARGS=full",
			 "PERFMON_ARGS_MAX=7", "PERFMON_OUTPUT=/second", "PATH=/bin",
			 "SLURM_JOB_ID=", "PAPIEX_TAGS=t", "container=docker", "P", "=", NULL },
		.auxv = { 23 /* AT_SECURE */, 0, 17 /* AT_CLKTCK */, 0, 11 /* AT_UID */, 1000, 0,
			  0 },
	};
	struct pm_settings s;

	pm_settings_read(&s, (char *const *)(uintptr_t)i.env);
	ck_assert_str_eq(s.env[PM_ENV_output], "/a");
	ck_assert_str_eq(s.env[PM_ENV_args], "full");
	ck_assert_str_eq(s.env[PM_ENV_args_max], "7");
	ck_assert_str_eq(s.env[PM_ENV_container], "docker");
	ck_assert_str_eq(s.env[PM_ENV_slurm_jobid], "");
	ck_assert_ptr_null(s.env[PM_ENV_options]);
	ck_assert_int_eq(s.auxv_uid, 1000);
	ck_assert(!s.auxv_secure);
	ck_assert_int_eq(s.auxv_clktck, 100);
	ck_assert_ptr_null(pm_settings_first(&s, PM_ENV_slurm_jobid, PM_ENV_pbs_jobid, PM_ENVS));
	ck_assert_str_eq(pm_settings_first(&s, PM_ENV_tags, PM_ENV_papiex_tags, PM_ENVS), "t");
	i.auxv[1] = 1;
	i.auxv[3] = 250;
	i.auxv[5] = 0;
	pm_settings_read(&s, (char *const *)(uintptr_t)i.env);
	ck_assert(s.auxv_secure && s.auxv_clktck == 250 && s.auxv_uid == 0);
	i.auxv[0] = 0;
	pm_settings_read(&s, (char *const *)(uintptr_t)i.env);
	ck_assert(!s.auxv_secure && s.auxv_clktck == 100 && s.auxv_uid == -1);
}
END_TEST

/* Every row of the table is found, alone and as the last of all. */
START_TEST(every_variable)
{
	static char text[PM_ENVS][64];
	const char *prefix = NULL;
	size_t n = 0;

#define PM_ENV_PREFIX(id, prefix_) prefix = prefix_;
#define PM_ENV(id, rest)           snprintf(text[n], sizeof text[n], "%s%s=%zu", prefix, rest, n), n++;
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
	ck_assert_uint_eq(n, PM_ENVS);
	for (size_t i = 0; i < n; i++) {
		struct initial one = { .env = { "OTHER=1", "P", "PERFMON_", "SLURM_=", text[i] } };
		struct pm_settings s;

		pm_settings_read(&s, (char *const *)(uintptr_t)one.env);
		for (size_t k = 0; k < n; k++)
			ck_assert_msg((s.env[k] != NULL) == (i == k), "%s", text[i]);
		ck_assert_int_eq(atoi(s.env[i]), (int)i);
		/* A longer or shorter name is another one. */
		*strchr(text[i], '=') = '_';
		pm_settings_read(&s, (char *const *)(uintptr_t)one.env);
		ck_assert_ptr_null(s.env[i]);
	}
}
END_TEST

START_TEST(options)
{
	struct pm_settings s = { .env[PM_ENV_options] = "A,PER_PROCESS,B" };

	ck_assert(pm_settings_option(&s, "PER_PROCESS"));
	ck_assert(pm_settings_option(&s, "A") && pm_settings_option(&s, "B"));
	ck_assert(!pm_settings_option(&s, "PER_PROCES") && !pm_settings_option(&s, "C"));
	s.env[PM_ENV_options] = NULL;
	ck_assert(!pm_settings_option(&s, "A"));
}
END_TEST

/* Render tags with room for so many bytes; NULL where that is too little. */
static const char *tags(const char *mode, const char *text, size_t room)
{
	struct pm_settings s = { .env[PM_ENV_args] = mode };
	struct pm_buf b;

	pm_buf_init(&b, memory, room);
	pm_tags_render(&b, &s, text);
	ck_assert_uint_le(b.len, room);
	memory[b.len] = '\0';
	return b.truncated ? NULL : memory;
}

START_TEST(tags_without_secrets)
{
	static const char secret[] = "a:1;password:hunter2;b:\t;";

	ck_assert_str_eq(tags(NULL, secret, 200), "a:1;password:[redacted];b:\\t;");
	ck_assert_str_eq(tags("redacted", secret, 200), "a:1;password:[redacted];b:\\t;");
	ck_assert_str_eq(tags("none", secret, 200), "a:1;password:[redacted];b:\\t;");
	ck_assert_str_eq(tags("full", secret, 200), "a:1;password:hunter2;b:\\t;");
	ck_assert_str_eq(tags(NULL, "", 200), "");
	ck_assert_str_eq(tags(NULL, ";;x", 200), ";;x");
	/* The copy needs as much again, and a NUL. */
	ck_assert_ptr_null(tags(NULL, "a:1;b:2", 7));
	ck_assert_ptr_null(tags(NULL, "a:1;b:2", 14));
	ck_assert_str_eq(tags(NULL, "a:1;b:2", 16), "a:1;b:2");
	ck_assert_ptr_null(tags("full", "a:1;b:2", 6));
}
END_TEST

START_TEST(events_asked_for)
{
	static const struct {
		const char *events, *options, *papiex;
		const char *want; /* names, "?" behind those without an event */
		bool escaped;
	} row[] = {
		{ NULL, NULL, NULL, "", false },
		{ NULL, "", "", "", false },
		{ NULL, "PER_PROCESS", NULL, "", false },
		{ NULL, "PER_PROCESS,COLLATED_TSV,,", NULL, "", false },
		{ NULL, "PER_PROCESS,page-faults", NULL, "page-faults ", false },
		{ NULL, NULL, "page-faults,PAPI_TOT_CYC", "page-faults PAPI_TOT_CYC? ", false },
		{ NULL, "cpu-clock", "page-faults", "cpu-clock ", false },
		{ "none", "page-faults", NULL, "", true },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		struct pm_settings s = { .env[PM_ENV_events] = row[i].events,
					 .env[PM_ENV_options] = row[i].options,
					 .env[PM_ENV_papiex_options] = row[i].papiex };
		struct pm_event list[PM_EVENTS_MAX], library;
		char got[200] = "";
		size_t len = 0, bytes = 0;
		bool escaped;
		uint32_t n = pm_eventlist_read(&s, list, &library, &escaped);

		for (uint32_t k = 0; k < n; k++) {
			len += (size_t)snprintf(got + len, sizeof got - len, "%.*s%s ",
						(int)list[k].name.n, list[k].name.p,
						list[k].reason.n ? "?" : "");
			bytes += list[k].name.n + list[k].reason.n;
		}
		ck_assert_str_eq(got, row[i].want);
		ck_assert_uint_ge(pm_eventlist_bytes(&s), bytes);
		ck_assert_msg(pm_eventlist_is_any(&s) == (n > 0 || row[i].events), "%zu", i);
		ck_assert(escaped == row[i].escaped && library.name.n == 0);
	}
}
END_TEST

/* What perfmon looked up: what is no entry is passed over, and the library is no event. */
START_TEST(events_looked_up)
{
	static const char some[] = "1:4:0:0:0:0:a junk ?ENOENT:b @library:7000000:/lib/p "
				   "@node:2:3:x:y:c 1:4:0:0:0:z:d";
	static struct pm_event list[PM_EVENTS_MAX + 1], library;
	static char many[40 * 16];
	struct pm_settings s = { .env[PM_ENV_events] = some };
	bool escaped;

	ck_assert_uint_eq(pm_eventlist_read(&s, list, &library, &escaped), 3);
	ck_assert(escaped && pm_eventlist_is_any(&s));
	ck_assert(list[0].name.p[0] == 'a' && list[0].type == 1 && list[0].config == 4);
	ck_assert(list[1].name.p[0] == 'b' && list[1].reason.n == 6);
	ck_assert(list[2].name.p[0] == 'c' && list[2].scope == PM_EVENT_NODE && list[2].type == 2);
	ck_assert_uint_eq(library.config, 0x7000000);
	ck_assert_int_eq(memcmp(library.name.p, "/lib/p", library.name.n), 0);
	ck_assert_uint_eq(library.name.n, 6);
	ck_assert_uint_eq(pm_eventlist_bytes(&s), sizeof some - 1);
	/* No more than a job may have. */
	for (int i = 0; i < 40; i++)
		strcat(many, "1:4:0:0:0:0:a ");
	s.env[PM_ENV_events] = many;
	list[PM_EVENTS_MAX].type = 77;
	ck_assert_uint_eq(pm_eventlist_read(&s, list, &library, &escaped), PM_EVENTS_MAX);
	ck_assert_uint_eq(list[PM_EVENTS_MAX].type, 77);
	ck_assert_uint_eq(library.name.n, 0);
	memset(many, 'x', sizeof many - 1);
	for (int i = 1; i < 80; i += 2)
		many[i] = ',';
	many[80] = '\0';
	s = (struct pm_settings){ .env[PM_ENV_options] = many };
	ck_assert_uint_eq(pm_eventlist_read(&s, list, &library, &escaped), PM_EVENTS_MAX);
	ck_assert(!escaped && list[31].reason.n == strlen("wrapper"));
	ck_assert_uint_eq(list[PM_EVENTS_MAX].type, 77);
}
END_TEST

static Suite *arguments_suite(void)
{
	Suite *s = suite_create("libperfmon/arguments");
	TCase *t = tcase_create("arguments and settings");

	suite_add_tcase(s, t);
	tcase_add_test(t, boundaries);
	tcase_add_test(t, modes);
	tcase_add_test(t, limits);
	tcase_add_test(t, long_argument);
	tcase_add_test(t, environment);
	tcase_add_test(t, every_variable);
	tcase_add_test(t, options);
	tcase_add_test(t, tags_without_secrets);
	tcase_add_test(t, events_asked_for);
	tcase_add_test(t, events_looked_up);
	return s;
}

PM_UNIT_MAIN(arguments_suite)
