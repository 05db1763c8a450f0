/* Print the parts of the man pages between the marks BEGIN and END in man/, from the tables. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/record/formulas.h"
#include "common/record/nodesummaries.h"
#include "common/safe/uncounted.h"
#include "common/settings/readconfig.h"
#include "wrapper/cli/cli.h"
#include "wrapper/cli/generate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void pm_generate_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

void pm_generate_command(const char *command, const char *note)
{
	printf("|T{\n\\fB");
	pm_generate_roff(command);
	printf("\\fR");
	if (*note) {
		printf("\n(");
		pm_generate_roff(note);
		putchar(')');
	}
	printf("\nT}\n");
}

/* Print a help text as a sentence: with a capital letter and a full stop. */
static void roff_sentence(const char *text)
{
	char first[2] = { (char)toupper((unsigned char)text[0]), '\0' };

	pm_generate_roff(first);
	pm_generate_roff(*text ? text + 1 : text);
	printf(".\n");
}

/* Print the verbs in the groups of `perfmon --help`, each as a reference to its page. */
static void print_man_verbs(void)
{
	static const char *const name[PM_GROUPS] = {
		[PM_GROUP_RECORD] = "Record",
		[PM_GROUP_LOAD] = "Load",
		[PM_GROUP_LOOK] = "Look",
		[PM_GROUP_CARE] = "Care",
	};

	for (int g = 0; g < PM_GROUPS; g++) {
		printf(".SS %s\n", name[g]);
		for (int v = 0; v < PM_VERBS; v++)
			if (pm_verb_info[v].group == (enum pm_verb_group)g) {
				printf(".TP\n.BR perfmon\\-%s (1)\n", pm_verb_info[v].name);
				roff_sentence(pm_verb_info[v].help);
			}
	}
}

static void print_man_metrics(void)
{
	const char *last = "";

	for (int m = 0; m < PM_METRICS; m++) {
		const struct pm_metric_info *info = &pm_metric_info[m];

		if (strcmp(info->id, last) != 0)
			printf(".TP\n.BR %s%s%s%s\n", info->id, *info->unit ? " \" (" : "",
			       info->unit, *info->unit ? ")\"" : "");
		else
			printf(".br\n");
		last = info->id;
		pm_generate_roff(info->label);
		if (*info->marches) {
			printf(", on ");
			pm_generate_roff(info->marches);
		}
		printf(":\n.br\n");
		pm_generate_roff(info->formula);
		putchar('\n');
	}
}

static void print_man_terms(void)
{
	for (int t = 0; t < PM_TERMS; t++) {
		printf(".TP\n.B %s\n", pm_term_info[t].id);
		pm_generate_roff(pm_term_info[t].names);
		putchar('\n');
	}
}

static void print_man_checks(void)
{
#define PM_CHECK(id, name, help)                                                                   \
	printf(".TP\n.B %s\n", name);                                                              \
	pm_generate_roff(help);                                                                    \
	putchar('\n');
#include "common/cli/checks.def"
#undef PM_CHECK
}

static void print_man_option(const struct pm_option_info *info, enum pm_verb verb)
{
	char text[PM_HELP_MAX];

	printf(".TP\n");
	if (info->letter)
		printf("\\fB\\-%c\\fR, ", info->letter);
	printf("\\fB\\-\\-");
	pm_generate_roff(info->name);
	printf("\\fR");
	pm_help_clauses(verb, info->arg, text, sizeof text);
	if (*text) {
		printf(" \\fI");
		pm_generate_roff(text);
		printf("\\fR");
	}
	putchar('\n');
	pm_help_clauses(verb, info->help, text, sizeof text);
	roff_sentence(text);
}

static void print_man_options(void)
{
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].verbs[0] == '*')
			print_man_option(&pm_option_info[o], PM_VERBS);
}

/* Print the settings that a verb takes as options. Returns how many. */
static int print_verb_settings(enum pm_verb verb, const char *separator)
{
	int uses = 0, printed = 0;

	for (int s = 0; s < PM_SETTINGS; s++)
		uses += pm_verb_uses(verb, (enum pm_setting)s) != 0;
	if (uses == PM_SETTINGS)
		printf("%sEvery setting of\n.BR perfmon.conf (5)\nis an option of this verb.\n",
		       separator);
	else if (uses)
		printf("%sThese settings of\n.BR perfmon.conf (5)\nare options of this verb:\n",
		       separator);
	for (int s = 0; s < PM_SETTINGS && uses < PM_SETTINGS; s++) {
		if (!pm_verb_uses(verb, (enum pm_setting)s))
			continue;
		printf(".BR \\%%\\-\\-");
		pm_generate_roff(pm_setting_info[s].option);
		printf(" %c\n", ++printed < uses ? ',' : '.');
	}
	return uses;
}

/* Print what a verb takes besides the options of every verb. */
static void print_man_verb_options(enum pm_verb verb)
{
	const char *separator = "";

	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].verbs[0] != '*' && pm_verb_takes(verb, (enum pm_option)o)) {
			print_man_option(&pm_option_info[o], verb);
			separator = ".PP\n";
		}
	if (print_verb_settings(verb, separator))
		separator = ".PP\n";
	printf("%sOptions of every verb, such as\n.BR \\-\\-help ,\nare in\n.BR perfmon (1).\n",
	       separator);
}

static const char *type_text(enum pm_setting_type type)
{
	static const char *const text[] = {
		[PM_TYPE_STRING] = "text",       [PM_TYPE_PATH] = "path",
		[PM_TYPE_CHOICE] = "choice",     [PM_TYPE_DURATION] = "duration",
		[PM_TYPE_SIZE] = "size",         [PM_TYPE_NUMBER] = "number",
		[PM_TYPE_FRACTION] = "fraction", [PM_TYPE_DATABASE] = "path or URL",
		[PM_TYPE_RULES] = "rules",       [PM_TYPE_DECIMAL] = "number",
	};

	return text[type];
}

static void print_man_settings(void)
{
	for (int s = 0; s < PM_SETTINGS; s++) {
		const struct pm_setting_info *info = &pm_setting_info[s];

		printf(".TP\n\\fB%s\\fR (%s", info->name, type_text(info->type));
		if (*info->values)
			printf(": %s", info->values);
		printf(")\n");
		roff_sentence(info->help);
		/* The build decides the first two defaults, and the third is a dot. */
		if (s == PM_SET_library)
			printf("Default: libperfmon.so in perfmon's package directory.\n");
		else if (s == PM_SET_off_file)
			printf("Default: perfmon/off in the system's configuration directory.\n");
		else if (s == PM_SET_stage_to)
			printf("Default: the current directory.\n");
		else if (*info->def) {
			printf("Default: ");
			pm_generate_roff(info->def);
			printf(".\n");
		}
		printf("Environment: \\fB%s\\fR", info->env);
		if (*info->aliases)
			printf(", else %s", info->aliases);
		printf(". Option: \\fB\\-\\-");
		pm_generate_roff(info->option);
		printf("\\fR of %s.\n", info->verbs);
	}
}

static void begin_sched(const char *id, const char *daemons)
{
	printf(".TP\n.B %s\n", id);
	if (!*daemons)
		return;
	printf("Processes above a job: ");
	pm_generate_roff(daemons);
	printf(".\n.br\n");
}

/* Print the variables of a row of sched.def, without conditions (! and ?), unless the row is a
 * constant (ZERO). `last` is the field of the row before. */
static void print_sched_value(const char *field, const char *form, const char *list,
			      const char **last)
{
	const char *separator = ", ";

	if (strcmp(form, "ZERO") == 0)
		return;
	if (!*last || strcmp(*last, field) != 0) {
		printf(*last ? ";\n%s" : "Of the job: %s", field);
		separator = " from ";
	}
	for (; *list; list += strspn(list, " ")) {
		size_t n = strcspn(list, " ");

		if (*list != '!' && *list != '?') {
			printf("%s%.*s", separator, (int)n, list);
			separator = ", ";
		}
		list += n;
	}
	*last = field;
}

static void print_man_schedulers(void)
{
	const char *last;

#define PM_SCHED(id, daemons)                                                                      \
	begin_sched(#id, daemons);                                                                 \
	last = NULL;
#define PM_SCHED_VALUE(field, form, variables) print_sched_value(#field, #form, variables, &last);
#define PM_SCHED_FACT(name, variables)
#define PM_SCHED_END printf(".\n");
#include "wrapper/sched/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END
}

static void print_man_reasons(void)
{
	for (int i = 0; i < PM_UNCOUNTED_REASONS; i++) {
		printf(".TP\n.B %s\n", pm_uncounted_info[i].name);
		roff_sentence(pm_uncounted_info[i].words);
	}
}

static void print_man_summaries(void)
{
	for (int i = 0; i < PM_NODESUMMARIES; i++) {
		const struct pm_nodesummary_info *s = &pm_nodesummary_info[i];

		printf("%s|%s|T{\n\\fI%s\\fR:\n", s->name, s->unit, s->title);
		pm_generate_roff(s->help);
		printf("\nT}\n");
	}
}

int pm_generate_man(const char *what)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} table[] = {
		{ "man-verbs", print_man_verbs },
		{ "man-options", print_man_options },
		{ "man-metrics", print_man_metrics },
		{ "man-terms", print_man_terms },
		{ "man-settings", print_man_settings },
		{ "man-columns", pm_generate_columns },
		{ "man-job", pm_generate_job },
		{ "man-checks", print_man_checks },
		{ "man-schedulers", print_man_schedulers },
		{ "man-reasons", print_man_reasons },
		{ "man-summaries", print_man_summaries },
		{ "man-papiex", pm_generate_papiex },
		{ "man-epmt", pm_generate_epmt },
	};

	static const char of_verb[] = "man-options-";

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strcmp(table[i].name, what) == 0) {
			table[i].print();
			return 0;
		}
	if (strncmp(what, of_verb, sizeof of_verb - 1) == 0) {
		enum pm_verb verb = pm_cli_find_verb(what + sizeof of_verb - 1);

		if (verb != PM_VERBS) {
			print_man_verb_options(verb);
			return 0;
		}
	}
	return pm_generate_peers(what) == 0 ? 0 : pm_generate_words(what);
}
