/* common/redact.c and quote.c: no secret gets through, nothing else is lost. */
#include "config.h"

#include "tests/unit/main.h"
#include "wrapper/quote.h"
#include "common/redact.h"

#include <stdlib.h>
#include <string.h>

START_TEST(names)
{
	static const char *const secret[] = {
		"PASSWORD",
		"DB_PASSWD",
		"my_password",
		"GITHUB_TOKEN",
		"AWS_SECRET_ACCESS_KEY",
		"API_KEY",
		"SLURM_JWT",
		"X_AUTH",
		"SESSION_COOKIE",
		"GOOGLE_CREDENTIALS",
		"APIKEY",
		"--auth-token",
		"key",
		"EPMT_DB_PASSWORD",
		"MYSQL_PWD",
		"db.pass",
		"PRIVATE_DATA",
		"SSHPASS",
		"LDAP_BINDPASS_FILE",
		"AZURE_DEVOPS_EXT_PAT",
	};
	static const char *const innocent[] = {
		"PATH",       "PWD",    "OLDPWD",       "HOME",    "OMP_NUM_THREADS",
		"KEYBOARD",   "MONKEY", "AUTHOR",       "LANG",    "I_MPI_PIN_DOMAIN",
		"PBS_O_PATH", "",       "SLURM_JOB_ID", "PASSAGE", "PATTERN",
	};

	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		ck_assert_msg(pm_secrets_named(secret[i], strlen(secret[i])), "%s passes",
			      secret[i]);
	for (size_t i = 0; i < sizeof innocent / sizeof innocent[0]; i++)
		ck_assert_msg(!pm_secrets_named(innocent[i], strlen(innocent[i])), "%s is hidden",
			      innocent[i]);
}
END_TEST

static void becomes(const char *value, const char *want)
{
	char *got = pm_redact_value(value);

	ck_assert_ptr_ne(got, NULL);
	ck_assert_str_eq(got, want);
	free(got);
}

START_TEST(hidden_in_place)
{
	char text[] = "--db=postgresql://u:pa:ss@h/d?password=more&sslmode=require";

	pm_redact_hide(text);
	ck_assert_str_eq(text, "--db=postgresql://u:xxxxx@h/d?password=xxxx&sslmode=require");
}
END_TEST

START_TEST(values)
{
	becomes("", "");
	becomes("plain text, 1:2:3 a@b", "plain text, 1:2:3 a@b");
	becomes("http://host/x:y@z", "http://host/x:y@z");
	becomes("http://user@host/x", "http://user@host/x");
	becomes("postgresql://u:pa:ss@host:5432/db", "postgresql://u:[redacted]@host:5432/db");
	becomes("a=ftp://u:p@ss@h b=http://x:y@z/",
		"a=ftp://u:[redacted]@h b=http://x:[redacted]@z/");
	becomes("u:secret@host", "u:secret@host");
	becomes("postgresql://h/d?user=me&password=secret&sslpassword=more#x",
		"postgresql://h/d?user=me&password=[redacted]&sslpassword=[redacted]#x");
	becomes("postgresql://h/d?password=", "postgresql://h/d?password=");
	becomes("what? password=secret", "what? password=[redacted]");
	becomes("host=h password='two words' user=u", "host=h password='[redacted]' user=u");
	becomes("Server=x;User Id=sa;Password=p;Port=1",
		"Server=x;User Id=sa;Password=[redacted];Port=1");
	becomes("a=b; PGPASSWORD=x psql --password y | tee --token=z",
		"a=b; PGPASSWORD=[redacted] psql --password [redacted] | tee --token=[redacted]");
	becomes("{\"password\": \"x y\", \"key\":7, \\\"token\\\":\\\"z\\\"}",
		"{\"password\": \"[redacted]\", \"key\":[redacted], "
		"\\\"token\\\":\\\"[redacted]\\\"}");
	becomes("curl -H 'X-Api-Key: a b' -k", "curl -H 'X-Api-Key: [redacted]' -k");
	becomes("/opt/keys:/usr/key:/bin", "/opt/keys:/usr/key:/bin");
	becomes("if (key == x) next", "if (key == x) next");
	becomes("--token --next x", "--token --next x");
	becomes("PASSWORD=", "PASSWORD=");
	becomes("password=\"\"", "password=\"\"");
	becomes("--password", "--password");
	becomes("Authorization: Bearer abcdefgh12345", "Authorization: Bearer [redacted]");
	becomes("token ghp_0123456789abcdefghijABCD!", "token [redacted]!");
	becomes("xoxb-1234567890-abc", "[redacted]");
	becomes("AKIAIOSFODNN7EXAMPLE", "[redacted]");
	becomes("ghp_short", "ghp_short");
	becomes("task-0123456789012345678901234", "task-0123456789012345678901234");
	becomes("/usr/lib:/opt/lib", "/usr/lib:/opt/lib");
	becomes("-----BEGIN RSA PRIVATE KEY-----\nabc", "[redacted]");
	becomes("://", "://");
	becomes("http://:@", "http://:@");
}
END_TEST

START_TEST(arguments)
{
	static const char *const arg[] = { "curl",
					   "--password",
					   "x",
					   "--token=y",
					   "-H",
					   "PASSWORD=z",
					   "--auth",
					   "--next",
					   "key",
					   "file",
					   "--pass",
					   "-x",
					   "--env=TOKEN=a b",
					   "PASS=a b",
					   "sh -c 'x=1 y --password=z w'" };
	static const char *const want[] = { "curl",
					    "--password",
					    "[redacted]",
					    "--token=[redacted]",
					    "-H",
					    "PASSWORD=[redacted]",
					    "--auth",
					    "--next",
					    "key",
					    "file",
					    "--pass",
					    "[redacted]",
					    "--env=TOKEN=[redacted] b",
					    "PASS=[redacted]",
					    "sh -c 'x=1 y --password=[redacted] w'" };
	int next = 0;

	for (size_t i = 0; i < sizeof arg / sizeof arg[0]; i++) {
		char *got = pm_redact_argument(arg[i], &next);

		ck_assert_str_eq(got, want[i]);
		free(got);
	}
}
END_TEST

static void quotes(enum pm_shell shell, const char *value, const char *want)
{
	char *got = pm_quote(shell, value);

	ck_assert_pstr_eq(got, want);
	free(got);
}

START_TEST(quoting)
{
	quotes(PM_SHELL_SH, "/a/b-c.d:e,f=g", "/a/b-c.d:e,f=g");
	quotes(PM_SHELL_SH, "", "\"\"");
	quotes(PM_SHELL_SH, "a b", "\"$(echo YSBi | base64 -d)\"");
	quotes(PM_SHELL_CSH, "a b", "\"`echo YSBi | base64 -d`\"");
	quotes(PM_SHELL_SH, "*", "\"$(echo Kg== | base64 -d)\"");
	quotes(PM_SHELL_SH, "**", "\"$(echo Kio= | base64 -d)\"");
	quotes(PM_SHELL_SH, "=x", "'=x'");
	quotes(PM_SHELL_SH, "a\nb", "\"$(echo YQpi | base64 -d)\"");
	quotes(PM_SHELL_SH, "a\n", NULL);
	quotes(PM_SHELL_SH, "/usr/$LIB/a", "'/usr/$LIB/a'");
	quotes(PM_SHELL_SH, "a:1;b:2", "'a:1;b:2'");
	quotes(PM_SHELL_CSH, "/usr/$LIB/a", "\"`echo L3Vzci8kTElCL2E= | base64 -d`\"");
	quotes(PM_SHELL_FISH, "it's\\ $x\ny", "'it\\'s\\\\ $x'\\n'y'");
	quotes(PM_SHELL_FISH, "", "''");
	quotes(PM_SHELL_CSH, "a\nb", NULL);
}
END_TEST

/* Whatever the value, no character of the word may split, glob, or quote in the outer shell. */
START_TEST(quoting_all_bytes)
{
	for (int c = 1; c < 256; c++) {
		char value[] = { 'x', (char)c, 'y', '\0' };

		for (int shell = PM_SHELL_SH; shell <= PM_SHELL_CSH; shell++) {
			char *got = pm_quote((enum pm_shell)shell, value);

			if (!got) {
				ck_assert(shell == PM_SHELL_CSH && c == '\n');
				continue;
			}
			/* In single quotes what only the inner shell would read. */
			if (got[0] == '\'')
				ck_assert(shell == PM_SHELL_SH && (c == '$' || c == ';'));
			else
				ck_assert_ptr_eq(strpbrk(got, "'#;"), NULL);
			ck_assert_ptr_eq(strpbrk(got, "*?[]{}~\\\t\n!&<>"), NULL);
			ck_assert_ptr_eq(strstr(got, "  "), NULL);
			free(got);
		}
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("redact");
	TCase *c = tcase_create("redact");

	tcase_add_test(c, names);
	tcase_add_test(c, hidden_in_place);
	tcase_add_test(c, values);
	tcase_add_test(c, arguments);
	tcase_add_test(c, quoting);
	tcase_add_test(c, quoting_all_bytes);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
