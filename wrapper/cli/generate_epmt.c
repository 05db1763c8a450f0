/* Print the tables of perfmon-epmt(7), and their rows for the test, from epmt.def. */
#include "config.h"

#include "common/cli/epmt.h"
#include "wrapper/cli/generate.h"

#include <stdio.h>
#include <string.h>

/* Print a row as one of a table: EPMT's word, then the command and the note. */
static void print_word(const struct pm_epmt_row *r)
{
	if (r->kind == PM_EPMT_IS_OPTION) {
		if (*r->of)
			printf("%s ", r->of);
		if (r->letter)
			printf("\\-%c, ", r->letter);
		printf("\\-\\-");
	} else if (r->kind == PM_EPMT_IS_FILTER && *r->of) {
		printf("%s ", r->of);
	}
	pm_generate_roff(r->name);
	if (*r->arg)
		printf(" %s", r->arg);
	if (r->kind == PM_EPMT_IS_FILTER)
		putchar('=');
	pm_generate_command(r->command, r->note);
}

/* Print the rows of a kind; of calls those of a module. */
static void print_words(enum pm_epmt_kind kind, const char *module)
{
	printf(".TS\nnokeep tab(|);\nlb lx.\n");
	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		if (r->kind == kind && (!*module || strcmp(r->of, module) == 0))
			print_word(r);
	}
	printf(".TE\n");
}

/* Print every row for tests: kind, module or verb, word, command. */
static void print_rows(void)
{
	for (size_t i = 0; i < pm_epmt_rows; i++) {
		const struct pm_epmt_row *r = &pm_epmt_row[i];

		printf("%s\t%s\t%s\t%s\n", pm_epmt_kind_name(r->kind), r->of, r->name, r->command);
	}
}

int pm_generate_words(const char *what)
{
	static const char of_kind[] = "man-epmt-";

	if (strcmp(what, "epmt-rows") == 0) {
		print_rows();
		return 0;
	}
	if (strncmp(what, of_kind, sizeof of_kind - 1) != 0)
		return -1;
	what += sizeof of_kind - 1;
	for (int k = 0; k < PM_EPMT_KINDS; k++)
		if (strcmp(what, pm_epmt_kind_name((enum pm_epmt_kind)k)) == 0) {
			print_words((enum pm_epmt_kind)k, "");
			return 0;
		}
	print_words(PM_EPMT_IS_CALL, what);
	return 0;
}
