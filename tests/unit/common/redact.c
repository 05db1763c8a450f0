/* common/secrets/redact.c and quote.c: no secret gets through, nothing else is lost. */
#include "config.h"

#include "common/secrets/redact.h"

#include "common/secrets/redact_file.h"
#include "tests/unit/main.h"
#include "wrapper/process/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name says of a value that is anything, one that looks random, a path. */
static int hides(const char *name, const char *value)
{
	size_t at;

	return pm_secrets_value(pm_secrets_name(name, strlen(name)), value, strlen(value), &at) > 0;
}

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
		"EPMT_DB_PASSWORD",
		"MYSQL_PWD",
		"db.pass",
		"SSHPASS",
		"clientSecret",
		"accessToken2",
		"PW",
		"PASSWORD_PROD",
	};
	static const char *const random[] = { "key",        "STRIPE_KEY", "AZURE_DEVOPS_EXT_PAT",
					      "TOKEN_PROD", "sig",        "JSESSIONID" };
	static const char *const innocent[] = {
		"PATH",       "PWD",    "OLDPWD",       "HOME",      "OMP_NUM_THREADS",
		"KEYBOARD",   "MONKEY", "AUTHOR",       "LANG",      "I_MPI_PIN_DOMAIN",
		"PBS_O_PATH", "",       "SLURM_JOB_ID", "PASSAGE",   "PATTERN",
		"-",          "_",      "COMPAT",       "DESIGNSIG", "LDAP_BINDPASS_FILE",
	};

	for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
		ck_assert_msg(hides(secret[i], "hunter"), "%s passes", secret[i]);
	for (size_t i = 0; i < sizeof random / sizeof random[0]; i++) {
		ck_assert_msg(hides(random[i], "aB3dE6gH9kL0mN"), "%s passes", random[i]);
		ck_assert_msg(!hides(random[i], "created_at"), "%s is hidden", random[i]);
	}
	for (size_t i = 0; i < sizeof innocent / sizeof innocent[0]; i++)
		ck_assert_msg(!hides(innocent[i], "aB3dE6gH9kL0mN"), "%s is hidden", innocent[i]);
	/* Longer than what is looked at, which is its end. */
	ck_assert(hides("A_VERY_LONG_NAME_OF_A_VARIABLE_A_VERY_LONG_NAME_OF_A_VARIABLE_"
			"A_VERY_LONG_NAME_OF_A_VARIABLE_A_VERY_LONG_NAME_OF_A_VARIABLE_PASSWORD",
			"x"));
}
END_TEST

START_TEST(values_that_are_none)
{
	static const char *const plain[] = { "yes",       "No",    "TRUE",           "none",
					     "-",         "stdin", "file:/etc/pass", "env:X",
					     "[redacted]" };

	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		ck_assert_msg(!hides("PASSWORD", plain[i]), "%s is hidden", plain[i]);
	ck_assert(hides("PASSWORD", "12345") && !hides("TOKEN", "12345") &&
		  hides("TOKEN", "123456"));
	ck_assert(hides("PASSWORD", "/x") && !hides("TOKEN", "/x") && !hides("TOKEN", "x.pem"));
	ck_assert(hides("AUTH", "hunter") && !hides("AUTH", "md5") && !hides("AUTH", "Trust"));
	ck_assert(hides("PASS", "123") && !hides("PASS", "2"));
	ck_assert(hides("MYSQL_PWD", "x") && !hides("BUILD_PWD", "/x"));
	ck_assert(!hides("KEY", "meta-llama/Llama-2-7b-hf") && !hides("KEY", "sample_2024_v2"));
	ck_assert(hides("KEY", "550e8400-e29b-41d4-a716-446655440000"));
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
		"{\"password\": \"[redacted]\", \"key\":7, "
		"\\\"token\\\":\\\"[redacted]\\\"}");
	becomes("{\"password\":5, \"a\":[1]}", "{\"password\":[redacted], \"a\":[1]}");
	becomes("{\"password\":[redacted], \"a\":[1]}", "{\"password\":[redacted], \"a\":[1]}");
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
	becomes("password=<secret> password={{ secret }} password=%s password=****",
		"password=<secret> password={{ secret }} password=%s password=****");
	becomes("cd /x; isql dsn me secret; ls a b c", "cd /x; isql dsn me [redacted]; ls a b c");
	becomes("-----BEGIN RSA PRIVATE KEY-----\nabc", "[redacted]");
	becomes("://", "://");
	becomes("http://:@", "http://:@");
}
END_TEST

/* The next word of a command line as a shell splits it, taken off *line; NULL at its end. */
static char *split_off(char **line)
{
	char *p = *line, *word, *end, mark = '\0';

	while (*p == ' ')
		p++;
	if (!*p)
		return NULL;
	for (word = end = p; *p && (mark || *p != ' '); p++)
		if (*p == mark)
			mark = '\0';
		else if (!mark && (*p == '\'' || *p == '"'))
			mark = *p;
		else if (*p == '\\' && mark != '\'' && p[1])
			*end++ = *++p;
		else
			*end++ = *p;
	*line = *p ? p + 1 : p;
	*end = '\0';
	return word;
}

/* The next line of a file of command lines, where quotation marks may span several; NULL at its
 * end. */
static char *next_line(FILE *f, char *line, size_t size)
{
	size_t n = 0;

	while (fgets(line + n, (int)(size - n), f)) {
		size_t single = 0, both;

		if (n == 0 && (*line == '#' || *line == '\n'))
			continue;
		n += strlen(line + n);
		for (size_t i = both = 0; i < n; i++) {
			single += line[i] == '\'' && both % 2 == 0;
			both += line[i] == '"' && single % 2 == 0 && line[i - 1] != '\\';
		}
		if (single % 2 || both % 2)
			continue;
		line[n - 1] = '\0';
		return line;
	}
	return NULL;
}

static FILE *data(const char *name)
{
	const char *top = getenv("abs_top_srcdir");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/data/%s", top ? top : ".", name);
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	return f;
}

/* Copy a word without its marks, and as it has to become. */
static void unmark(const char *word, char *given, char *want)
{
	for (; *word; word++) {
		if (strncmp(word, "{{", 2) == 0) {
			want += sprintf(want, "%s", PM_REDACTED);
			for (word += 2; strncmp(word, "}}", 2) != 0 || word[2] == '}'; word++)
				*given++ = *word;
			word++;
			continue;
		}
		*given++ = *want++ = *word;
	}
	*given = *want = '\0';
}

/* Every line of a file becomes what its marks say, and stays that if it is redacted again. */
static int check_lines(const char *name)
{
	char line[4096], text[4096], given[4096], want[4096];
	FILE *f = data(name);
	int lines = 0;

	for (; next_line(f, line, sizeof line); lines++) {
		struct pm_secrets s = { 0 }, again = { 0 };
		char *rest = line, *word;

		snprintf(text, sizeof text, "%s", line);
		while ((word = split_off(&rest)) != NULL) {
			char *got, *twice;

			unmark(word, given, want);
			got = pm_redact_argument(&s, given);
			ck_assert_msg(strcmp(got, want) == 0, "%s: %s: %s", name, text, got);
			twice = pm_redact_argument(&again, got);
			ck_assert_msg(strcmp(twice, want) == 0, "%s: %s: again: %s", name, text,
				      twice);
			free(got);
			free(twice);
		}
	}
	fclose(f);
	return lines;
}

START_TEST(secrets)
{
	ck_assert_int_ge(check_lines("secrets"), 300);
	ck_assert_int_ge(check_lines("secrets-options"), 300);
}
END_TEST

START_TEST(harmless)
{
	ck_assert_int_ge(check_lines("harmless"), 200);
}
END_TEST

/* However long an argument is and whatever repeats in it: a test that takes seconds fails. */
static const char *const repeated[] = {
	"key=",         "?a=",         "a-",         "token: ",    "--key ",    "x.",
	"AKIA",         "://",         "token=/",    "-----BEGIN", "mysql -p ", "\"",
	"\\\"k\":",     "u:p@",        "Key=",       "\"key\":[",  "key:x",     "k=$x",
	"Cookie: a=\"", "\"key\":[\"", "\"key\":['", "echo a ",    "echo a|",   "a <<<",
	"PWD=x;",     ",token=x",    "isql a b c ", "openssl 'a", "{{",        "token=a,",
	"%41&",       "<token>",
};
#define REPEATED (int)(sizeof repeated / sizeof repeated[0])

START_TEST(long_arguments)
{
	struct pm_secrets s = { 0 };
	size_t size = 300000, n = 0;
	char *text = malloc(size + 16), *got;

	while (n < size)
		n += (size_t)sprintf(text + n, "%s", repeated[_i]);
	got = pm_redact_argument(&s, text);
	ck_assert_ptr_ne(got, NULL);
	free(got);
	free(text);
}
END_TEST

/* The program of a command line where the arguments stand alone, as in a record. */
START_TEST(program)
{
	struct pm_secrets s = { 0 };
	char *got;

	pm_secrets_program(&s, "/usr/bin/mysql");
	got = pm_redact_argument(&s, "-pZq7x");
	ck_assert_str_eq(got, "-p[redacted]");
	free(got);
	pm_secrets_program(&s, "ssh");
	got = pm_redact_argument(&s, "-pZq7x");
	ck_assert_str_eq(got, "-pZq7x");
	free(got);
}
END_TEST

/* Rows of secrets_option.def are in the order that the search relies on, and fit. */
START_TEST(rows)
{
	static const struct {
		const char *program, *name;
	} row[] = {
#define PM_SECRET_OPTION(program, name, kind) { program, name },
#include "common/secrets/secrets_option.def"
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		ck_assert_uint_lt(strlen(row[i].program), PM_SECRETS_PROGRAM_MAX);
		ck_assert_uint_lt(strlen(row[i].name), PM_SECRETS_OPTION_MAX);
		ck_assert_msg(i == 0 || row[i - 1].program[0] <= row[i].program[0], "%s before %s",
			      row[i - 1].program, row[i].program);
	}
}
END_TEST

START_TEST(variables)
{
	static const char *const list[][3] = {
		{ "PASSWORD", "a b", "[redacted]" },
		{ "OPENSSL_PASS", "pass:a", "pass:[redacted]" },
		{ "URL", "http://u:p@h", "http://u:[redacted]@h" },
		{ "SSH_ASKPASS", "/usr/bin/x", "/usr/bin/x" },
		{ "GOOGLE_APPLICATION_CREDENTIALS", "/x/y.json", "/x/y.json" },
	};

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		char *got = pm_redact_variable(list[i][0], list[i][1]);

		ck_assert_str_eq(got, list[i][2]);
		free(got);
	}
}
END_TEST

/* Names and values with what stands between, and what they become; again they stay. */
START_TEST(pairs)
{
	static const char *const list[][4] = {
		{ "token", "hunter", "token", "[redacted]" },
		{ "note", "mysql -u i -phunter db < x", "note", "mysql -u i -p[redacted] db < x" },
		{ "text", "password:hunter", "text", "password:[redacted]" },
		{ "curl -u me:pw h?a", "b", "curl -u me:[redacted] h?a", "b" },
		{ "curl -u me", "pw h", "curl -u me", "pw h" },
		{ "say password: x", "y", "say password: [redacted]", "" },
		{ "url", "http://u:p@h/?token=hunter", "url",
		  "http://u:[redacted]@h/?token=[redacted]" },
		{ "exp_time", "00050101", "exp_time", "00050101" },
		{ "auth", "md5", "auth", "md5" },
		{ "password", "", "password", "" },
	};
	char *clean[2], *again[2];

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		const char *const *row = list[i];
		int same = strcmp(row[0], row[2]) == 0 && strcmp(row[1], row[3]) == 0;

		ck_assert_int_eq(pm_redact_pair(row[0], '=', row[1], clean), !same);
		if (same)
			continue;
		ck_assert_str_eq(clean[0], row[2]);
		ck_assert_str_eq(clean[1], row[3]);
		ck_assert_int_eq(pm_redact_pair(clean[0], '=', clean[1], again), 0);
		free(clean[0]);
		free(clean[1]);
	}
	ck_assert_int_eq(pm_redact_pair("password", ':', "1", clean), 0);
	ck_assert_int_eq(pm_redact_pair("ghp_0123456789abcdefghijABCD", ':', "1", clean), 1);
	ck_assert_str_eq(clean[0], "[redacted]");
	ck_assert_str_eq(clean[1], "1");
	free(clean[0]);
	free(clean[1]);
}
END_TEST

START_TEST(tags)
{
	static const struct {
		const char *tags, *want;
		size_t count;
	} list[] = {
		{ "", "", 0 },
		{ ";;a:b;c;", ";;a:b;c;", 0 },
		{ "a:b;my_token:hunter;c", "a:b;my_token:[redacted];c", 1 },
		{ "x:http://u:p@h;https://u:p@h", "x:http://u:[redacted]@h;https://u:[redacted]@h", 2 },
		{ "run:curl -u me:pw h;password", "run:curl -u me:[redacted] h;password", 1 },
		{ "curl -u me:pw h", "curl -u me:[redacted] h", 1 },
		{ "a", "a", 0 },
		{ "a:1;token_count:5;n", "a:1;token_count:5;n", 0 },
		{ "db_password:x y;a:b", "db_password:[redacted];a:b", 1 },
		{ "u:http://a:b@h/;password:c;password:d",
		  "u:http://a:[redacted]@h/;password:[redacted];password:[redacted]", 3 },
		{ "token:[redacted]", "token:[redacted]", 0 },
	};

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		size_t count;
		char *got = pm_redact_tags(list[i].tags, &count), *again;

		ck_assert_str_eq(got, list[i].want);
		ck_assert_uint_eq(count, list[i].count);
		again = pm_redact_tags(got, &count);
		ck_assert_str_eq(again, got);
		ck_assert_uint_eq(count, 0);
		free(got);
		got = pm_redact_variable("PERFMON_JOB_TAGS", list[i].tags);
		ck_assert_str_eq(got, list[i].want);
		free(got);
		free(again);
	}
}
END_TEST

/* As long_arguments: no time that grows with the square. */
START_TEST(long_tags)
{
	static const char *const piece[] = { "a:b;", "token:x;", "key=x ", "://u:p@", "mysql -p ",
					     "x: password=y " };
	size_t size = 300000, count;
	char *text = malloc(size + 16);

	for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
		size_t n = 0;
		char *got;

		while (n < size)
			n += (size_t)sprintf(text + n, "%s", piece[i]);
		got = pm_redact_tags(text, &count);
		ck_assert_ptr_ne(got, NULL);
		free(got);
	}
	free(text);
}
END_TEST

static char made[4096];
static size_t made_len;

static int take(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	(void)ctx;
	(void)e;
	ck_assert_uint_lt(made_len + n, sizeof made);
	memcpy(made + made_len, p, n);
	made[made_len += n] = '\0';
	return 0;
}

/* A file, fed byte by byte. Returns how many secrets there were, -1 for an error. */
static int64_t file(const char *name, const char *text)
{
	struct pm_err e;
	struct pm_redact_file *f = pm_redact_file_new(name, take, NULL, &e);
	int64_t count;

	made_len = 0;
	made[0] = '\0';
	for (const char *p = text; *p; p++)
		ck_assert_int_eq(pm_redact_file_feed(f, p, 1, &e), 0);
	count = pm_redact_file_end(f, &e) < 0 ? -1 : pm_redact_file_count(f);
	pm_redact_file_free(f);
	return count;
}

/* What a file of another tool has between its separators stays there. */
START_TEST(files)
{
	ck_assert_int_eq(file("n1-papiex-1-0.csv", "a,--password x,b\n1,\"tool --token=y,z\",2\n"),
			 2);
	ck_assert_str_eq(made, "a,--password [redacted],b\n1,\"tool --token=[redacted]\",2\n");
	ck_assert_int_eq(file("n1.tsv", "1\tx --password y z\tq\nno header --password y"), 2);
	ck_assert_str_eq(made, "1\tx --password [redacted] z\tq\nno header --password [redacted]");
	ck_assert_int_eq(
		file("job-n1.json", "{ \"start\": { \"command\": [\"curl\", \"-u\", \"a:b\"] } }"),
		1);
	ck_assert_str_eq(made, "{\n \"start\": {\n  \"command\": [\n   \"curl\",\n   \"-u\",\n   "
			       "\"a:[redacted]\"\n  ]\n }\n}\n");
	ck_assert_int_eq(file("job-n1.json", "{ \"start\":  {} }"), 0);
	ck_assert_str_eq(made, "{ \"start\":  {} }");
	ck_assert_int_eq(file("job-n1.json", "cut: {\"command\": \"--password x\""), 1);
	/* EPMT's own, and what a database keeps of it. */
	ck_assert_int_eq(file("job_metadata", "\x80\x04}"), -1);
	ck_assert_int_eq(file("job_metadata", "{\"job\":{\"annotations\":{\"password\":\"x\"}}}"),
			 1);
	ck_assert(pm_redact_is_file("job_metadata") && pm_redact_is_file("a-papiex-1-0.csv") &&
		  !pm_redact_is_file("n1.series") && !pm_redact_is_file(".redact-new"));
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
	tcase_add_test(c, values_that_are_none);
	tcase_add_test(c, secrets);
	tcase_add_test(c, harmless);
	tcase_add_test(c, program);
	tcase_add_test(c, rows);
	tcase_add_loop_test(c, long_arguments, 0, REPEATED);
	tcase_add_test(c, files);
	tcase_add_test(c, variables);
	tcase_add_test(c, pairs);
	tcase_add_test(c, tags);
	tcase_add_test(c, long_tags);
	tcase_add_test(c, quoting);
	tcase_add_test(c, quoting_all_bytes);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
