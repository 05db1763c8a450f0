/*
 * perfmon source: print the statements that make a shell record every command it runs from then on.
 * They are one line, so that `eval $(...)` and `eval "$(...)"` read the same.
 *
 * perfmon_instrument sets the variables, perfmon_uninstrument restores their former values. In sh
 * and fish both edit the present LD_PRELOAD, so that libraries added meanwhile stay there. csh has
 * no way to edit a variable: perfmon_instrument runs perfmon again.
 */
#include "config.h"

#include "common/log.h"
#include "common/safe/variables.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/job.h"
#include "wrapper/job/launch.h"
#include "wrapper/job/sampler.h"
#include "wrapper/job/slurmtask.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/process/quote.h"
#include "wrapper/process/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DO   "perfmon_instrument"
#define UNDO "perfmon_uninstrument"

/* The text of all statements, printed only once it is complete. */
struct text {
	FILE *f;
	char *p;
	size_t n;
	struct pm_shell_found shell;
	const struct pm_launch *launch;
	const struct pm_cli *cli;
	const struct pm_jobdir *job;
};

/* Print a statement that sets and exports a variable. Returns 0 or -1 with e filled. */
static int print_set(struct text *t, const char *name, const char *value, struct pm_err *e)
{
	static const char *const format[] = {
		[PM_SHELL_SH] = "%1$s=%2$s; export %1$s; ",
		[PM_SHELL_CSH] = "setenv %1$s %2$s; ",
		[PM_SHELL_FISH] = "set -gx %1$s %2$s; ",
	};
	char *word = pm_quote(t->shell.family, value);

	if (!word)
		return pm_err(e, "the value of %s cannot be quoted for this shell", name);
	fprintf(t->f, format[t->shell.family], name, word);
	free(word);
	return 0;
}

/* Print a statement that restores a variable. A variable with a former value is set, not unset
 * first, which would move it to the end of the environment in some shells. */
static int print_restore(struct text *t, const struct pm_launch_variable *v, struct pm_err *e)
{
	static const char *const format[] = {
		[PM_SHELL_SH] = "unset %s; ",
		[PM_SHELL_CSH] = "unsetenv %s; ",
		[PM_SHELL_FISH] = "set -e %s; ",
	};

	if (v->before)
		return print_set(t, v->name, v->before, e);
	fprintf(t->f, format[t->shell.family], v->name);
	return 0;
}

static int is_preload(const struct pm_launch_variable *v)
{
	return strcmp(v->name, PM_VARIABLE_PRELOAD) == 0;
}

/* Print statements that set or, with `undo`, restore every variable but LD_PRELOAD. */
static int print_variables(struct text *t, bool undo, struct pm_err *e)
{
	const struct pm_launch *l = t->launch;

	for (int i = 0; i < l->count; i++) {
		const struct pm_launch_variable *v = &l->variable[undo ? l->count - 1 - i : i];

		if (is_preload(v))
			continue;
		if ((undo ? print_restore(t, v, e) : print_set(t, v->name, v->value, e)) < 0)
			return -1;
	}
	return 0;
}

/*
 * Print the functions for sh. They have no word that an unquoted eval would expand: `test`, since
 * `[` would be a glob. ${LD_PRELOAD+...} tells an empty value from an unset variable.
 */
static int print_sh(struct text *t, struct pm_err *e)
{
	char *library = pm_quote(PM_SHELL_SH, t->launch->library);

	if (!library)
		return pm_err(e, "the collector's path cannot be quoted for this shell");
	/* If sourced again, keep the first function: it has the values to restore. */
	if (t->launch->again)
		fputs("if command -v " UNDO " >/dev/null 2>&1; then :; else ", t->f);
	/* Remove the preload first: the programs that decode values are not to be recorded. */
	fprintf(t->f,
		UNDO "() { if test \"${LD_PRELOAD-}\" = %1$s; then unset LD_PRELOAD; "
		     "elif test \"${LD_PRELOAD-}\"; then LD_PRELOAD=${LD_PRELOAD%%:%1$s}; fi; ",
		library);
	if (print_variables(t, true, e) < 0)
		goto fail;
	fputs("}; ", t->f);
	if (t->launch->again)
		fputs("fi; ", t->f);
	fputs(DO "() { " UNDO "; ", t->f);
	if (print_variables(t, false, e) < 0)
		goto fail;
	fprintf(t->f, "LD_PRELOAD=${LD_PRELOAD+$LD_PRELOAD:}%s; export LD_PRELOAD; }; ", library);
	/* Under set -a bash has exported the functions, so undo that. */
	if (t->shell.is_bash)
		fputs("export -fn " DO " " UNDO "; ", t->f);
	fputs(DO ";\n", t->f);
	free(library);
	return 0;
fail:
	free(library);
	return -1;
}

static int print_fish(struct text *t, struct pm_err *e)
{
	char *library = pm_quote(PM_SHELL_FISH, t->launch->library);

	if (!library)
		return pm_err(e, "out of memory");
	if (t->launch->again)
		fputs("functions -q " UNDO "; or ", t->f);
	fprintf(t->f,
		"function " UNDO "; if test \"$LD_PRELOAD\" = %1$s; set -e LD_PRELOAD; "
		"else if set -q LD_PRELOAD; "
		"set -gx LD_PRELOAD (string replace -- ':'%1$s '' \"$LD_PRELOAD\"); end; ",
		library);
	if (print_variables(t, true, e) < 0)
		goto fail;
	fputs("end; function " DO "; " UNDO "; ", t->f);
	if (print_variables(t, false, e) < 0)
		goto fail;
	fprintf(t->f,
		"if set -q LD_PRELOAD; set -gx LD_PRELOAD \"$LD_PRELOAD\":%1$s; "
		"else; set -gx LD_PRELOAD %1$s; end; end; " DO ";\n",
		library);
	free(library);
	return 0;
fail:
	free(library);
	return -1;
}

/* Make a word of an alias; NULL: the text would need quotes, which cannot be nested in an alias. */
static char *plain_word(const char *text)
{
	char *word = pm_quote(PM_SHELL_CSH, text);

	if (word && strcmp(word, text) == 0)
		return word;
	free(word);
	return NULL;
}

static int print_csh(struct text *t, struct pm_err *e)
{
	const struct pm_launch *l = t->launch;
	char *self = plain_word(t->cli->self), *job = plain_word(t->job->path);

	for (int i = 0; i < l->count; i++)
		if (print_set(t, l->variable[i].name, l->variable[i].value, e) < 0)
			goto fail;
	fputs("alias " UNDO " '", t->f);
	for (int i = l->count - 1; i >= 0; i--)
		if (print_restore(t, &l->variable[i], e) < 0)
			goto fail;
	/* `alias` prints an alias that is one word without its quotes. */
	fprintf(t->f, "'; alias " DO " 'eval `%s %s%s source --shell csh`';\n",
		self ? self : "perfmon", job ? "--output=" : "", job ? job : "");
	free(self);
	free(job);
	return 0;
fail:
	free(self);
	free(job);
	return -1;
}

static int print_slurm(struct text *t, struct pm_err *e)
{
	char *lines = pm_slurmtask_exports(t->launch, e);

	if (lines)
		fputs(lines, t->f);
	free(lines);
	return lines ? 0 : -1;
}

/* Print functions with EPMT's names, which scripts written for EPMT call. */
static void print_epmt(enum pm_shell family, bool is_bash)
{
	static const char *const statements[] = {
		[PM_SHELL_SH] =
			"epmt_instrument() { " DO "; }; epmt_uninstrument() { " UNDO "; }; ",
		[PM_SHELL_CSH] = "alias epmt_instrument " DO "; alias epmt_uninstrument " UNDO ";",
		[PM_SHELL_FISH] = "function epmt_instrument; " DO "; end; "
				  "function epmt_uninstrument; " UNDO "; end;",
	};

	fputs(statements[family], stdout);
	if (is_bash)
		fputs("export -fn epmt_instrument epmt_uninstrument;", stdout);
	putchar('\n');
}

static int print_all(struct text *t, struct pm_err *e)
{
	static int (*const print[])(struct text *, struct pm_err *) = {
		[PM_SHELL_SH] = print_sh,
		[PM_SHELL_CSH] = print_csh,
		[PM_SHELL_FISH] = print_fish,
	};

	return t->cli->given[PM_OPT_slurm] ? print_slurm(t, e) : print[t->shell.family](t, e);
}

static int parse_arguments(const struct pm_cli *cli, struct pm_shell_found *shell, struct pm_err *e)
{
	if (cli->argc > 0)
		return pm_err(e, "source takes no operand; choose a job with -j");
	if (cli->value[PM_OPT_shell])
		return pm_shell_named(cli->value[PM_OPT_shell], shell, e);
	pm_shell_detect(shell);
	return 0;
}

/* Print functions that do nothing, since scripts may call them although recording is off. */
static int print_nothing(const struct text *t)
{
	static const char *const statements[] = {
		[PM_SHELL_SH] = DO "() { :; }; " UNDO "() { :; };\n",
		[PM_SHELL_CSH] = "alias " DO " ':'; alias " UNDO " ':';\n",
		[PM_SHELL_FISH] = "function " DO "; end; function " UNDO "; end;\n",
	};

	pm_info("nothing is recorded: %s", t->cli->off);
	if (!t->cli->given[PM_OPT_slurm])
		fputs(statements[t->shell.family], stdout);
	if (t->cli->epmt && !t->cli->given[PM_OPT_slurm])
		print_epmt(t->shell.family, t->shell.is_bash);
	return PM_EXIT_OK;
}

int pm_verb_source(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_launch launch = { .count = 0 };
	struct pm_jobdir d = { .fd = -1 };
	struct text t = { .launch = &launch, .cli = cli, .job = &d };
	int rc = PM_EXIT_FAILED;
	json_t *doc = NULL;

	if (parse_arguments(cli, &t.shell, e) < 0)
		return PM_EXIT_USAGE;
	if (cli->off)
		return print_nothing(&t);
	if (cli->given[PM_OPT_slurm] && pm_slurmtask_is_one(cli))
		return pm_slurmtask_begin(cli, e);
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
	if (print_all(&t, e) < 0)
		goto out;
	if (fflush(t.f) != 0 || ferror(t.f) || !t.p) {
		pm_err(e, "out of memory");
		goto out;
	}
	fwrite(t.p, 1, t.n, stdout);
	if (cli->epmt && !cli->given[PM_OPT_slurm])
		print_epmt(t.shell.family, t.shell.is_bash);
	rc = PM_EXIT_OK;
	if (pm_sampler_detach(cli, &d, e) < 0) {
		pm_warn("not sampled: %s", e->text);
		e->text[0] = '\0';
	}
out:
	if (t.f)
		fclose(t.f);
	free(t.p);
	json_decref(doc);
	pm_launch_free(&launch);
	pm_jobdir_close(&d);
	return rc;
}
