/* Translate a command line of EPMT into perfmon's words. */
#include "config.h"

#include "wrapper/cli/epmt.h"

#include "common/cli/epmt.h"
#include "common/cli/verb.h"
#include "common/log.h"
#include "common/nomem.h"
#include "common/settings/settings.h"
#include "wrapper/cli/epmtvalue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A command line being translated. */
struct translation {
	struct pm_epmt *t;
	char **argv; /* the arguments that are left, NULL-terminated */
	const struct pm_epmt_row *verb;
	const char *subject; /* of list: of perfmon, after translation; else "" */
	char *made;          /* a subject that is no row's; owned */
	bool ingests;        /* daemon has a directory to watch */
	bool starts, stays;  /* daemon is to go to the background, to stay in the foreground */
	struct pm_err *e;
};

bool pm_epmt_is(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && strcmp(slash ? slash + 1 : argv0, "epmt") == 0;
}

static void *checked(void *p)
{
	if (!p)
		pm_nomem();
	return p;
}

static void add_word(struct pm_epmt *t, const char *word, size_t n)
{
	t->argv = checked(realloc(t->argv, ((size_t)t->argc + 2) * sizeof *t->argv));
	t->word = checked(realloc(t->word, ((size_t)t->argc + 1) * sizeof *t->word));
	t->argv[t->argc] = t->word[t->argc] = checked(strndup(word, n));
	t->words = (size_t)++t->argc;
	t->argv[t->argc] = NULL;
}

/* Add the words of a text; % is the argument, and one between ' may have blanks. */
static void add_words(struct pm_epmt *t, const char *words, const char *arg)
{
	while (*words) {
		const bool quoted = *words == '\'';
		const size_t n = strcspn(words += quoted, quoted ? "'" : " ");

		if (n == 1 && *words == '%')
			add_word(t, arg, strlen(arg));
		else
			add_word(t, words, n);
		words += n + (words[n] == '\'');
		words += *words == ' ';
	}
}

static void add_note(struct pm_epmt *t, const struct pm_epmt_row *r)
{
	char *text;

	if (asprintf(&text, "%s%s has no effect: %s", r->kind == PM_EPMT_IS_OPTION ? "--" : "",
		     r->name, r->note) < 0)
		pm_nomem();
	t->note = checked(realloc(t->note, (t->notes + 1) * sizeof *t->note));
	t->note[t->notes++] = text;
}

void pm_epmt_notes(const struct pm_epmt *t)
{
	for (size_t i = 0; i < t->notes; i++)
		pm_info("%s", t->note[i]);
}

/* Say which words to use instead. Returns -1. */
static int say_instead(const struct pm_epmt_row *r, struct pm_err *e)
{
	const char *mark = r->kind == PM_EPMT_IS_OPTION           ? " --"
			   : *r->of || r->kind != PM_EPMT_IS_VERB ? " "
								  : "";

	return pm_err(e, "epmt %s%s%s: %s%suse: %s",
		      r->kind == PM_EPMT_IS_VERB     ? ""
		      : r->kind == PM_EPMT_IS_OPTION ? r->of
						     : "list",
		      mark, r->name, r->note, *r->note ? "; " : "", r->command);
}

int pm_epmt_explain(const char *verb, struct pm_err *e)
{
	const struct pm_epmt_row *r = pm_epmt_find(PM_EPMT_IS_VERB, "", verb);

	if (!r || r->how == PM_EPMT_SAME)
		return -1;
	if (r->how == PM_EPMT_NEEDLESS)
		pm_err(e, "epmt %s is no longer needed: %s", verb, r->note);
	else
		say_instead(r, e);
	return 0;
}

int pm_epmt_explain_option(const char *name, struct pm_err *e)
{
	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		if (r->kind != PM_EPMT_IS_OPTION || r->how != PM_EPMT_INSTEAD ||
		    strcmp(r->name, name) != 0 ||
		    pm_epmt_find(PM_EPMT_IS_VERB, "", r->of)->how != PM_EPMT_SAME)
			continue;
		say_instead(r, e);
		return 0;
	}
	return -1;
}

/* Whether an option of perfmon, as a word, takes its argument from the next word. */
static bool takes_next(const char *word)
{
	if (word[1] == '-') {
		for (int o = 0; o < PM_OPTIONS; o++)
			if (strcmp(word + 2, pm_option_info[o].name) == 0)
				return *pm_option_info[o].arg;
		for (int s = 0; s < PM_SETTINGS; s++)
			if (strcmp(word + 2, pm_setting_info[s].option) == 0)
				return true;
		return false;
	}
	for (const char *letter = word + 1; *letter; letter++)
		for (int o = 0; o < PM_OPTIONS; o++)
			if (pm_option_info[o].letter == *letter && *pm_option_info[o].arg)
				return !letter[1];
	return false;
}

/* Add an option of perfmon, with its argument if that is the next word. */
static void pass_option(struct translation *x, const char *word)
{
	add_word(x->t, word, strlen(word));
	if (takes_next(word) && x->argv[0]) {
		add_word(x->t, x->argv[0], strlen(x->argv[0]));
		x->argv++;
	}
}

/* Take the argument of an option of EPMT: `rest` behind its letter or its =, or the next word.
 * Returns "" where an optional one is missing, NULL where a needed one is. */
static const char *take_argument(struct translation *x, const struct pm_epmt_row *r,
				 const char *rest)
{
	const char *next = x->argv[0];

	if (rest && *rest)
		return rest;
	if (*r->arg == '[' && (!next || *next == '-' ||
			       (strcmp(r->arg, "[N]") == 0 && !isdigit((unsigned char)*next))))
		return "";
	if (next)
		x->argv++;
	return next;
}

/* Names of metrics as perfmon has them. */
static const char *figure_of(const char *metric)
{
	const struct pm_epmt_row *r = pm_epmt_find(PM_EPMT_IS_FIGURE, "", metric);

	return r ? r->becomes : metric;
}

/* Put what an option becomes. Returns 0 or -1 with e filled. */
static int put_option(struct translation *x, const struct pm_epmt_row *r, const char *arg)
{
	if (strcmp(x->verb->name, "daemon") == 0) {
		x->starts = x->starts || r->letter == 's';
		x->stays = x->stays || r->letter == 'D';
	}
	switch (r->how) {
	case PM_EPMT_NEEDLESS:
		add_note(x->t, r);
		return 0;
	case PM_EPMT_INSTEAD:
		return say_instead(r, x->e);
	default:
		break;
	}
	if (*r->arg && !*arg)
		return pm_err(x->e, "epmt %s --%s: %s; use: %s", x->verb->name, r->name, r->note,
			      r->command);
	x->ingests = x->ingests || strcmp(x->verb->name, "daemon") == 0;
	add_words(x->t, r->becomes, strcmp(r->name, "metric") == 0 ? figure_of(arg) : arg);
	return 0;
}

/* Translate the letters of a word. Returns 0 or -1 with e filled. */
static int take_letters(struct translation *x, const char *word)
{
	for (const char *p = word + 1; *p; p++) {
		const struct pm_epmt_row *r = pm_epmt_find_letter(x->verb->name, *p);
		char one[3] = { '-', *p, '\0' };
		const char *arg = "";

		if (!r || (r->how == PM_EPMT_SAME && *r->arg)) {
			/* perfmon's own: what follows may be its argument. */
			char *rest;

			if (asprintf(&rest, "-%s", p) < 0)
				pm_nomem();
			pass_option(x, rest);
			free(rest);
			return 0;
		}
		if (r->how == PM_EPMT_SAME) {
			add_word(x->t, one, 2);
			continue;
		}
		if (*r->arg) {
			arg = take_argument(x, r, p + 1);
			if (!arg)
				return pm_err(x->e, "-%c needs an argument", *p);
		}
		if (put_option(x, r, arg) < 0)
			return -1;
		if (*r->arg && p[1])
			return 0;
	}
	return 0;
}

/* Translate an option. Returns 0 or -1 with e filled. */
static int take_option(struct translation *x, const char *word)
{
	char name[64];
	size_t n = strcspn(word, "=");
	const struct pm_epmt_row *r;
	const char *arg = "";

	if (word[1] != '-')
		return take_letters(x, word);
	snprintf(name, sizeof name, "%.*s", (int)(n - 2), word + 2);
	r = pm_epmt_find(PM_EPMT_IS_OPTION, x->verb->name, name);
	if (!r || r->how == PM_EPMT_SAME) {
		pass_option(x, word);
		return 0;
	}
	if (*r->arg) {
		arg = take_argument(x, r, word[n] ? word + n + 1 : NULL);
		if (!arg)
			return pm_err(x->e, "--%s needs an argument", name);
	}
	return put_option(x, r, arg);
}

/* The option that prints a form of EPMT; NULL: a table is printed. */
static const char *option_of_form(const char *form)
{
	return strcmp(form, "dict") == 0 ? "--json" : strcmp(form, "pandas") == 0 ? "--csv" : NULL;
}

/* Translate a filter KEY=VALUE. Returns 0 or -1 with e filled. */
static int take_filter(struct translation *x, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct pm_epmt_row *r;
	char key[64], *value;

	snprintf(key, sizeof key, "%.*s", (int)n, word);
	r = pm_epmt_find(PM_EPMT_IS_FILTER, x->subject, key);
	if (!r)
		return pm_err(x->e, "epmt list: %s has no filter '%s'; see perfmon-epmt(7)",
			      x->subject, key);
	if (r->how == PM_EPMT_NEEDLESS) {
		add_note(x->t, r);
		return 0;
	}
	if (r->how == PM_EPMT_INSTEAD)
		return say_instead(r, x->e);
	value = pm_epmtvalue_plain(word + n + 1);
	if (strcmp(key, "fmt") == 0) {
		const char *option = option_of_form(value);

		add_words(x->t, r->becomes + (option == NULL), option ? option : "");
		free(value);
		return 0;
	}
	if (strcmp(key, "before") == 0 || strcmp(key, "after") == 0 || strcmp(key, "when") == 0)
		value = pm_epmtvalue_time(value);
	if (strcmp(key, "jobs") == 0 && strcmp(x->subject, "ops") == 0) {
		char *rest = value;

		for (const char *job; (job = strsep(&rest, ",")) != NULL;)
			add_words(x->t, r->becomes, job);
		free(value);
		return 0;
	}
	if (strcmp(key, "jobs") == 0 && strchr(value, ',')) {
		pm_err(x->e, "epmt list: one job at a time; use: perfmon list %s %.*s", x->subject,
		       (int)strcspn(value, ","), value);
		free(value);
		return -1;
	}
	add_words(x->t, r->becomes, value);
	free(value);
	return 0;
}

/* Take the subject of list, if the first operand is one. Returns 1, 0 if all is said and done, or
 * -1 with e filled. */
static int take_subject(struct translation *x)
{
	const struct pm_epmt_row *r =
		x->argv[0] ? pm_epmt_find(PM_EPMT_IS_SUBJECT, "", x->argv[0]) : NULL;
	const char *words = r && r->how == PM_EPMT_BECOMES ? r->becomes : "list";

	x->subject = "jobs";
	if (r) {
		x->argv++;
		if (r->how == PM_EPMT_NEEDLESS) {
			pm_warn("epmt list %s is no longer needed: %s", r->name, r->note);
			return 0;
		}
		const char *subject = words + (strncmp(words, "list ", 5) == 0 ? 5 : 0);

		x->made = checked(strndup(subject, strcspn(subject, " ")));
		x->subject = r->how == PM_EPMT_SAME ? r->name : x->made;
	}
	add_words(x->t, words, "");
	if (r && r->how == PM_EPMT_SAME)
		add_word(x->t, r->name, strlen(r->name));
	return 1;
}

/* Whether a word is KEY=VALUE. */
static bool is_filter(const char *word)
{
	return isalpha((unsigned char)*word) &&
	       word[strspn(word, "abcdefghijklmnopqrstuvwxyz_")] == '=';
}

/* Whether the command of run is one word for a shell, as EPMT runs every command: not a program. */
static bool is_shell_line(const struct translation *x, const char *word)
{
	return !x->argv[0] && strpbrk(word, " \t\n|&;<>()$`\"'*?[") && access(word, X_OK) < 0;
}

/* Translate what stands behind the verb. Returns 0 or -1 with e filled. */
static int take_rest(struct translation *x)
{
	bool listing = *x->subject, running = strcmp(x->verb->name, "run") == 0, over = false;
	bool commands = false; /* the command of run has begun */

	while (x->argv[0]) {
		const char *word = *x->argv++;

		if (!over && word[0] == '-' && word[1] && strcmp(word, "--") != 0) {
			if (take_option(x, word) < 0)
				return -1;
			continue;
		}
		if (running && !commands && strcmp(word, "--") != 0) {
			commands = true;
			if (is_shell_line(x, word))
				add_words(x->t, "sh -c", "");
		}
		over = over || running || strcmp(word, "--") == 0;
		if (listing && !over && is_filter(word)) {
			if (take_filter(x, word) < 0)
				return -1;
			continue;
		}
		add_word(x->t, word, strlen(word));
	}
	return 0;
}

/* Print a row of the Python API. */
static void print_call(const struct pm_epmt_row *r)
{
	printf("%s.%s\n    %s\n", r->of, r->name, r->command);
	if (*r->note)
		printf("    (%s)\n", r->note);
}

/* Print the rows of all calls, or of those that are named. Returns the exit status. */
static int print_calls(char *const *name)
{
	int status = PM_EXIT_OK;

	for (size_t i = 0; i < pm_epmt_rows && !*name; i++)
		if (pm_epmt_row[i].kind == PM_EPMT_IS_CALL)
			print_call(&pm_epmt_row[i]);
	for (; *name; name++) {
		const struct pm_epmt_row *r = pm_epmt_find(PM_EPMT_IS_CALL, "", *name);

		if (r) {
			print_call(r);
		} else {
			pm_error("'%s' is no call of EPMT's Python API; epmt help api lists them",
				 *name);
			status = PM_EXIT_FAILED;
		}
	}
	return status;
}

/* Take the options before the verb: those of perfmon, which are those of EPMT. */
static void take_first(struct translation *x)
{
	while (x->argv[0] && x->argv[0][0] == '-' && x->argv[0][1] && strcmp(x->argv[0], "--") != 0)
		pass_option(x, *x->argv++);
}

/* Whether the verb opens a shell on the database. */
static bool is_shell(const struct translation *x)
{
	return (strcmp(x->verb->name, "shell") == 0 || strcmp(x->verb->name, "python") == 0) &&
	       !x->argv[0];
}

/* Whether messages are to be errors alone, as -q or --quiet in front of a command says. */
static bool is_quiet(char **argv)
{
	for (; *argv && strcmp(*argv, "--") != 0 && strcmp(*argv, "run") != 0; argv++)
		if (strcmp(*argv, "-q") == 0 || strcmp(*argv, "--quiet") == 0)
			return true;
	return false;
}

static int translate(struct translation *x)
{
	struct pm_epmt *t = x->t;
	int rc;

	if (is_quiet(x->argv))
		pm_log_level = -1;
	add_word(t, "perfmon", strlen("perfmon"));
	take_first(x);
	x->verb = x->argv[0] ? pm_epmt_find(PM_EPMT_IS_VERB, "", x->argv[0]) : NULL;
	if (!x->verb) {
		/* perfmon's own words, and programs */
		for (; x->argv[0]; x->argv++)
			add_word(t, x->argv[0], strlen(x->argv[0]));
		return PM_EPMT_RUN;
	}
	x->argv++;
	if (is_shell(x)) {
		/* A verb that takes the settings of a database. */
		add_word(t, "dbsize", strlen("dbsize"));
		return PM_EPMT_SHELL;
	}
	if (strcmp(x->verb->name, "help") == 0 && x->argv[0] && strcmp(x->argv[0], "api") == 0) {
		t->status = print_calls(x->argv + 1);
		return PM_EPMT_DONE;
	}
	if (x->verb->how == PM_EPMT_NEEDLESS) {
		pm_warn("epmt %s is no longer needed: %s", x->verb->name, x->verb->note);
		return PM_EPMT_DONE;
	}
	if (x->verb->how == PM_EPMT_INSTEAD)
		return say_instead(x->verb, x->e);
	if (strcmp(x->verb->name, "list") == 0) {
		rc = take_subject(x);
		if (rc <= 0)
			return rc < 0 ? -1 : PM_EPMT_DONE;
	} else if (x->verb->how == PM_EPMT_BECOMES) {
		add_words(t, x->verb->becomes, "");
	} else {
		add_word(t, x->verb->name, strlen(x->verb->name));
	}
	if (take_rest(x) < 0)
		return -1;
	if (strcmp(x->verb->name, "daemon") == 0 && !x->ingests) {
		pm_warn("epmt daemon is no longer needed without -i: submit has processed every "
			"job");
		return PM_EPMT_DONE;
	}
	if (x->starts && !x->stays)
		return say_instead(pm_epmt_find_letter("daemon", 's'), x->e);
	return PM_EPMT_RUN;
}

int pm_epmt_translate(struct pm_epmt *t, int argc, char **argv, struct pm_err *e)
{
	struct translation x = { .t = t, .argv = argv + (argc > 0), .subject = "", .e = e };
	int rc;

	memset(t, 0, sizeof *t);
	rc = translate(&x);
	free(x.made);
	return rc;
}

void pm_epmt_free(struct pm_epmt *t)
{
	for (size_t i = 0; i < t->words; i++)
		free(t->word[i]);
	free(t->word);
	for (size_t i = 0; i < t->notes; i++)
		free(t->note[i]);
	free(t->argv);
	free(t->note);
	memset(t, 0, sizeof *t);
}
