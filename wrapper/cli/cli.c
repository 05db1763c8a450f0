/* Parse the command line by the tables. */
#include "config.h"

#include "wrapper/cli/cli.h"
#include "wrapper/cli/epmt.h"

#include "common/edits.h"
#include "common/job/jobdir.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/words.h"
#include "wrapper/sched/sched.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values that getopt_long returns: first the options, then the settings, above every character.
 * Letters are mapped to their options. */
#define FIRST_OPTION  1000
#define FIRST_SETTING (FIRST_OPTION + PM_OPTIONS)

/* Other names of options. */
static const struct {
	const char *name;
	enum pm_option option;
} alias[] = {
#define PM_ALIAS(name, id) { name, PM_OPT_##id },
#include "common/settings/aliases.def"
#undef PM_ALIAS
};

#define ALIASES (sizeof alias / sizeof alias[0])

/* The arguments of getopt_long, made from the tables once per parse. */
struct grammar {
	char letters[3 * PM_OPTIONS + 3];
	struct option longs[PM_OPTIONS + PM_SETTINGS + ALIASES + 1];
	const char *last[PM_OPTIONS]; /* argument of each option when it was given last */
};

static void make_grammar(struct grammar *g)
{
	char *l = g->letters;
	size_t n = 0;

	memset(g, 0, sizeof *g);
	*l++ = '+'; /* stop at the first operand: it may be the verb or a command */
	*l++ = ':'; /* tell a missing argument from an unknown option, print nothing */
	for (int o = 0; o < PM_OPTIONS; o++) {
		const struct pm_option_info *info = &pm_option_info[o];

		if (info->letter) {
			*l++ = info->letter;
			if (*info->arg)
				*l++ = ':';
		}
		g->longs[n].name = info->name;
		g->longs[n].has_arg = *info->arg ? required_argument : no_argument;
		g->longs[n++].val = FIRST_OPTION + o;
	}
	for (size_t a = 0; a < ALIASES; a++) {
		g->longs[n].name = alias[a].name;
		g->longs[n].has_arg =
			*pm_option_info[alias[a].option].arg ? required_argument : no_argument;
		g->longs[n++].val = FIRST_OPTION + alias[a].option;
	}
	for (int s = 0; s < PM_SETTINGS; s++) {
		g->longs[n].name = pm_setting_info[s].option;
		g->longs[n].has_arg = required_argument;
		g->longs[n++].val = FIRST_SETTING + s;
	}
}

enum pm_verb pm_cli_find_verb(const char *name)
{
	int v = 0;

	while (v < PM_VERBS && strcmp(pm_verb_info[v].name, name) != 0)
		v++;
	return (enum pm_verb)v;
}

/* A guess of the name that the user meant: the one with the fewest edits. */
struct guess {
	const char *word;
	const char *meant; /* NULL: no name is near enough */
	size_t edits;
};

static void consider_name(struct guess *g, const char *name)
{
	size_t n = strlen(g->word);
	/* Two swapped letters are two edits; with a higher limit all short words would be alike. */
	size_t limit = n < 3 ? 1 : n < 7 ? 2 : 3, edits = pm_edits(g->word, name, limit);

	if (edits <= limit && (!g->meant || edits < g->edits)) {
		g->meant = name;
		g->edits = edits;
	}
}

const char *pm_cli_meant(const char *word)
{
	struct guess g = { word, NULL, 0 };

	for (int v = 0; v < PM_VERBS; v++)
		consider_name(&g, pm_verb_info[v].name);
	return g.meant;
}

static int option_of_letter(int letter)
{
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].letter && pm_option_info[o].letter == letter)
			return o;
	return -1;
}

/* Ignore settings: see pm_cli_parse_short(). */
static bool without_settings;

/* Explain that a word is not a verb. Returns -1. */
static int explain_unknown(const char *word, struct pm_err *e)
{
	/* A verb's name after "--" names a program, so do not suggest the verb. */
	const char *meant = pm_cli_find_verb(word) == PM_VERBS ? pm_cli_meant(word) : NULL;

	if (pm_epmt_explain(word, e) == 0)
		return -1;
	if (meant)
		return pm_err(e, "'%s' is neither a verb nor a program; did you mean '%s'?", word,
			      meant);
	return pm_err(e, "'%s' is neither a verb nor a program; see perfmon help", word);
}

/*
 * Explain a long option that getopt_long does not know: a wrong name, or an ambiguous abbreviation.
 * Returns -1.
 */
static int explain_option(const struct option *longs, const char *option, struct pm_err *e)
{
	char name[64];
	struct guess guess = { name, NULL, 0 };
	int fits = 0;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(option + 2, "="), option + 2);
	for (const struct option *o = longs; o->name && *name; o++) {
		fits += strncmp(name, o->name, strlen(name)) == 0;
		consider_name(&guess, o->name);
	}
	if (pm_epmt_explain_option(name, e) == 0)
		return -1;
	if (fits > 1)
		return pm_err(e, "%s is short for several options; see perfmon --help", option);
	if (guess.meant)
		return pm_err(e, "%s is not an option; did you mean --%s?", option, guess.meant);
	return pm_err(e, "%s is not an option; see perfmon --help", option);
}

/* Whether the argument of an option, as a verb takes it, is a list: FIGURE,... */
static bool is_list(const char *arg)
{
	const char *dots = strstr(arg, ",...");

	return dots && !dots[strlen(",...")];
}

/* The list of an option that is given again, kept until the program ends; NULL if out of memory. */
static const char *joined(const char *list, const char *more, int option)
{
	static char *kept[PM_OPTIONS];
	char *text;

	if (asprintf(&text, "%s,%s", list, more) < 0)
		return NULL;
	free(kept[option]);
	kept[option] = text;
	return text;
}

/* Take the options up to the next operand. Returns 0, or -1 with e filled. */
static int take_options(struct pm_cli *cli, struct grammar *g, int argc, char **argv,
			struct pm_err *e)
{
	int c;

	while ((c = getopt_long(argc, argv, g->letters, g->longs, NULL)) != -1) {
		int o;

		if (c == '?' || c == ':') {
			const char *why = c == ':' ? "needs an argument" : "takes no argument";

			if (optopt > 0 && optopt < FIRST_OPTION)
				return pm_err(e, "-%c %s", optopt,
					      c == ':' ? why
						       : "is not an option; see perfmon --help");
			if (c == ':' || optopt >= FIRST_OPTION)
				return pm_err(e, "%s %s", argv[optind - 1], why);
			return explain_option(g->longs, argv[optind - 1], e);
		}
		if (c >= FIRST_SETTING) {
			if (!without_settings &&
			    pm_config_set((enum pm_setting)(c - FIRST_SETTING), optarg, e) < 0)
				return -1;
			continue;
		}
		o = c >= FIRST_OPTION ? c - FIRST_OPTION : option_of_letter(c);
		cli->given[o]++;
		g->last[o] = optarg;
		/* The verb may not be known yet: see keep_last(). */
		cli->value[o] = cli->value[o] && is_list(pm_option_info[o].arg)
					? joined(cli->value[o], optarg, o)
					: optarg;
		if (optarg && !cli->value[o])
			return pm_err(e, "out of memory");
	}
	return 0;
}

/* Whether a name is that of a program that `run` would find. */
static int is_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return 1;
	if (!path || !*name)
		return 0;
	/* An empty entry means the current directory, also at the end of PATH. */
	for (;;) {
		size_t n = strcspn(path, ":");
		struct stat st;
		char file[4096];
		int len;

		len = n ? snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name)
			: snprintf(file, sizeof file, "%s", name);
		if (len > 0 && len < (int)sizeof file && access(file, X_OK) == 0 &&
		    stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return 1;
		if (!path[n])
			return 0;
		path += n + 1;
	}
}

/*
 * Whether a command line without a verb is in the style of another sampler, whose place sample
 * takes: it has options that only sample, or sample and top take, or, in a batch job, no options
 * but some that this sampler has.
 */
static bool means_sample(const struct pm_cli *cli)
{
	static const bool fits[PM_OPTIONS] = {
		[PM_OPT_verbose] = true, [PM_OPT_error] = true,     [PM_OPT_remove] = true,
		[PM_OPT_name] = true,    [PM_OPT_directory] = true, [PM_OPT_dry_run] = true,
	};
	struct pm_ident id;

	if (cli->given[PM_OPT_help] || cli->given[PM_OPT_version])
		return false;
	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && (strcmp(pm_option_info[o].verbs, "sample") == 0 ||
				      strcmp(pm_option_info[o].verbs, "sample top") == 0))
			return true;
	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && !fits[o])
			return false;
	pm_sched_identify(&id);
	return id.jobid != NULL;
}

/* Whether an operand is formats of the other sampler's option -e, with commas between. */
static bool is_format(const struct pm_cli *cli, const char *operand)
{
	const char *name;
	size_t n;

	if (!cli->given[PM_OPT_error] || !*operand)
		return false;
	while ((name = pm_words_next(&operand, ',', &n)))
		if (!pm_words_have_among("csv hdf5 parquet pickle feather orc", ' ', name, n))
			return false;
	return true;
}

/* Add formats to those of sample; one that was named already, or has no room, is left out. */
static void take_format(struct pm_cli *cli, const char *operand)
{
	const char *name;
	size_t n;

	while ((name = pm_words_next(&operand, ',', &n))) {
		const size_t have = strlen(cli->formats);

		if (!pm_words_have_among(cli->formats, ',', name, n) &&
		    have + n + 2 <= sizeof cli->formats)
			snprintf(cli->formats + have, sizeof cli->formats - have, "%s%.*s",
				 have ? "," : "", (int)n, name);
	}
}

/* Take the verb, the options after it and the operands. Returns 0, or -1 with e filled. */
static int take_operands(struct pm_cli *cli, struct grammar *g, int argc, char **argv,
			 struct pm_err *e)
{
	bool dashes;
	int kept = 0;

	dashes = optind > 0 && optind <= argc && strcmp(argv[optind - 1], "--") == 0;
	if (optind >= argc) {
		if (means_sample(cli)) {
			cli->verb = PM_VERB_sample;
			cli->ska = true;
		}
		return 0;
	}
	cli->verb = dashes ? PM_VERBS : pm_cli_find_verb(argv[optind]);
	if (cli->verb == PM_VERBS && is_format(cli, argv[optind])) {
		cli->verb = PM_VERB_sample;
		cli->ska = true;
		optind--;
	}
	if (cli->verb == PM_VERBS) {
		if (!is_program(argv[optind]))
			return explain_unknown(argv[optind], e);
		cli->verb = PM_VERB_run;
		cli->given[PM_OPT_auto]++;
		cli->argv = argv + optind;
		cli->argc = argc - optind;
		return 0;
	}
	optind++;
	cli->argv = argv + optind;
	if (take_options(cli, g, argc, argv, e) < 0)
		return -1;
	if (cli->verb == PM_VERB_run) {
		cli->argv = argv + optind;
		cli->argc = argc - optind;
		return 0;
	}
	/* Move the operands to the front; options may stand anywhere among them up to "--". */
	while (optind < argc) {
		if (cli->verb == PM_VERB_sample && is_format(cli, argv[optind])) {
			take_format(cli, argv[optind++]);
			if (take_options(cli, g, argc, argv, e) < 0)
				return -1;
			continue;
		}
		if (strcmp(argv[optind - 1], "--") == 0) {
			while (optind < argc)
				cli->argv[kept++] = argv[optind++];
			break;
		}
		cli->argv[kept++] = argv[optind++];
		if (take_options(cli, g, argc, argv, e) < 0)
			return -1;
	}
	/* With formats, the option says nothing about warnings. */
	if (*cli->formats)
		cli->given[PM_OPT_error] = 0;
	cli->argc = kept;
	cli->argv[kept] = NULL;
	return 0;
}

/* Where an option is no list for the verb, though for others, the last argument counts. */
static void keep_last(struct pm_cli *cli, const struct grammar *g)
{
	char arg[PM_HELP_MAX];

	for (int o = 0; o < PM_OPTIONS; o++) {
		if (cli->given[o] < 2 || !g->last[o])
			continue;
		pm_help_clauses(cli->verb, pm_option_info[o].arg, arg, sizeof arg);
		if (!is_list(arg))
			cli->value[o] = g->last[o];
	}
}

/* If several options share a letter, choose the option that the verb takes. */
static void resolve_letters(struct pm_cli *cli)
{
	for (int o = 0; o < PM_OPTIONS; o++) {
		if (!cli->given[o] || !pm_option_info[o].letter ||
		    pm_verb_takes(cli->verb, (enum pm_option)o))
			continue;
		for (int p = 0; p < PM_OPTIONS; p++)
			if (p != o && pm_option_info[p].letter == pm_option_info[o].letter &&
			    pm_verb_takes(cli->verb, (enum pm_option)p)) {
				cli->given[p] += cli->given[o];
				cli->value[p] = cli->value[o];
				cli->given[o] = 0;
				cli->value[o] = NULL;
			}
	}
}

/* Whether -j of a verb must be a valid name of a directory. Not for run, which runs its command in
 * any case. */
static bool needs_name(enum pm_verb verb)
{
	return verb == PM_VERB_start || verb == PM_VERB_stop || verb == PM_VERB_source ||
	       verb == PM_VERB_mark;
}

static int check_options(const struct pm_cli *cli, struct pm_err *e)
{
	const char *job = cli->value[PM_OPT_job];

	if (job && needs_name(cli->verb) && !pm_jobdir_name_valid(job))
		return pm_err(e, "'%s' cannot be a job id", job);
	for (int o = 0; o < PM_OPTIONS; o++)
		if (cli->given[o] && !pm_verb_takes(cli->verb, (enum pm_option)o))
			return pm_err(e, "%s does not take --%s", pm_verb_info[cli->verb].name,
				      pm_option_info[o].name);
	for (int s = 0; s < PM_SETTINGS; s++)
		if (pm_config_is_given((enum pm_setting)s) &&
		    !pm_verb_uses(cli->verb, (enum pm_setting)s))
			return pm_err(e, "%s does not use --%s, which is a setting for: %s",
				      pm_verb_info[cli->verb].name, pm_setting_info[s].option,
				      pm_setting_info[s].verbs);
	return 0;
}

int pm_cli_parse(struct pm_cli *cli, int argc, char **argv, struct pm_err *e)
{
	static char *none[] = { NULL };
	struct grammar g;

	memset(cli, 0, sizeof *cli);
	cli->verb = PM_VERBS;
	cli->argv = none;
	make_grammar(&g);
	opterr = 0;
	optind = 1;
	if (take_options(cli, &g, argc, argv, e) < 0 || take_operands(cli, &g, argc, argv, e) < 0)
		return -1;
	pm_log_level = cli->given[PM_OPT_quiet] ? -1 : cli->given[PM_OPT_verbose];
	if (cli->given[PM_OPT_version])
		return PM_CLI_VERSION;
	if (cli->given[PM_OPT_help])
		return PM_CLI_HELP;
	if (cli->verb == PM_VERBS)
		return pm_err(e, "a verb is missing; see perfmon help");
	keep_last(cli, &g);
	resolve_letters(cli);
	return check_options(cli, e) < 0 ? -1 : PM_CLI_RUN;
}

int pm_cli_parse_short(struct pm_cli *cli, int argc, char **argv)
{
	struct pm_err e;

	without_settings = true;
	return pm_cli_parse(cli, argc, argv, &e);
}
