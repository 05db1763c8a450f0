/* perfmon source: the statements that make a shell record every command it runs from then on. */
#include "config.h"

#include "common/config.h"
#include "wrapper/job.h"
#include "wrapper/launch.h"
#include "wrapper/metadata.h"
#include "wrapper/quote.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What removes everything again, a function or an alias. */
#define UNDO "perfmon_uninstrument"

static int ends_in_csh(const char *name)
{
	size_t n = strlen(name);

	return n >= 3 && strcmp(name + n - 3, "csh") == 0;
}

/* The shell that evaluates us is our parent; $SHELL is only what the user logs in with. Its
 * executable tells, since a script's comm is the script's name. */
static enum pm_shell parent_shell(void)
{
	char path[PATH_MAX], link[64];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%ld/exe", (long)getppid());
	n = readlink(link, path, sizeof path - 1);
	if (n <= 0) {
		FILE *f;

		snprintf(link, sizeof link, "/proc/%ld/comm", (long)getppid());
		f = fopen(link, "re");
		n = f ? (ssize_t)fread(path, 1, 64, f) : 0;
		if (f)
			fclose(f);
		while (n > 0 && path[n - 1] == '\n')
			n--;
	}
	path[n] = '\0';
	return ends_in_csh(path) ? PM_SHELL_CSH : PM_SHELL_SH;
}

static int choose_shell(const char *given, enum pm_shell *shell, struct pm_err *e)
{
	if (!given)
		*shell = parent_shell();
	else if (strcmp(given, "sh") == 0)
		*shell = PM_SHELL_SH;
	else if (strcmp(given, "csh") == 0)
		*shell = PM_SHELL_CSH;
	else
		return pm_err(e, "--shell is sh or csh, not '%s'", given);
	return 0;
}

/* The text of all statements, printed only once it is complete. */
struct text {
	FILE *f;
	char *p;
	size_t n;
	enum pm_shell shell;
};

/* NAME takes a value, exported. Returns 0 or -1 with e filled. */
static int set(struct text *t, const char *name, const char *value, const char *end,
	       struct pm_err *e)
{
	char *word = pm_quote(t->shell, value);

	if (!word)
		return pm_err(e, "the value of %s cannot be given to this shell", name);
	if (t->shell == PM_SHELL_CSH)
		fprintf(t->f, "setenv %s %s;%s", name, word, end);
	else
		fprintf(t->f, "%s=%s; export %s;%s", name, word, name, end);
	free(word);
	return 0;
}

static void unset(struct text *t, const char *name)
{
	fprintf(t->f, t->shell == PM_SHELL_CSH ? "unsetenv %s; " : "unset %s; ", name);
}

static int print_undo(struct text *t, const struct pm_launch *l, struct pm_err *e)
{
	fputs(t->shell == PM_SHELL_CSH ? "alias " UNDO " '" : UNDO "() { ", t->f);
	/* The preload goes first: what decodes old values is not to be recorded. */
	for (int i = l->count - 1; i >= 0; i--) {
		const struct pm_launch_variable *v = &l->variable[i];

		unset(t, v->name);
		if (v->before && set(t, v->name, v->before, " ", e) < 0)
			return -1;
	}
	fputs(t->shell == PM_SHELL_CSH ? "unalias " UNDO "';\n" : "unset -f " UNDO "; };\n", t->f);
	return 0;
}

static int print_all(struct text *t, const struct pm_launch *l, struct pm_err *e)
{
	for (int i = 0; i < l->count; i++)
		if (set(t, l->variable[i].name, l->variable[i].value, "\n", e) < 0)
			return -1;
	return print_undo(t, l, e);
}

int pm_verb_source(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_launch launch = { .count = 0 };
	struct pm_jobdir d = { .fd = -1 };
	struct text t = { .f = NULL };
	int rc = PM_EXIT_FAILED;
	json_t *doc = NULL;

	if (cli->argc > 0 || choose_shell(cli->value[PM_OPT_shell], &t.shell, e) < 0) {
		if (cli->argc > 0)
			pm_err(e, "source takes no operand; choose a job with -j");
		return PM_EXIT_USAGE;
	}
	if (pm_job_find(cli, PM_JOB_OPEN, &d, e) != 0)
		return PM_EXIT_FAILED;
	doc = pm_metadata_read(d.fd, "", e);
	if (!doc || pm_launch_prepare(&launch, cli, &d, doc, e) < 0)
		goto out;
	t.f = open_memstream(&t.p, &t.n);
	if (!t.f) {
		pm_err(e, "out of memory");
		goto out;
	}
	if (print_all(&t, &launch, e) < 0)
		goto out;
	if (fflush(t.f) != 0) {
		pm_err(e, "out of memory");
		goto out;
	}
	fwrite(t.p, 1, t.n, stdout);
	rc = PM_EXIT_OK;
out:
	if (t.f)
		fclose(t.f);
	free(t.p);
	json_decref(doc);
	pm_launch_free(&launch);
	pm_jobdir_close(&d);
	return rc;
}
