/* Print the tables of perfmon-tsv(5) and perfmon-foreign(5), from columns.def, job.def, papiex.def
 * and epmt.def. */
#include "config.h"

#include "common/job/job.h"
#include "common/safe/columns.h"
#include "wrapper/cli/generate.h"

#include <stdio.h>
#include <string.h>

/* Print a text with a full stop at its end. */
static void print_sentence(const char *text)
{
	size_t n = strlen(text);

	pm_generate_roff(text);
	puts(n > 0 && text[n - 1] == '.' ? "" : ".");
}

static void print_records(const char *letters)
{
	static const struct {
		char letter;
		const char *name;
	} kind[] = {
		{ 'S', "start" },  { 'T', "thread" },  { 'E', "end" },      { 'L', "last" },
		{ 'R', "reaped" }, { 'U', "resumed" }, { 'X', "excluded" },
	};
	const char *separator = "in ";

	if (!*letters)
		fputs("in no line", stdout);
	for (; *letters; letters++)
		for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
			if (kind[k].letter == *letters) {
				printf("%s%s", separator, kind[k].name);
				separator = ", ";
			}
}

void pm_generate_columns(void)
{
	for (int c = 0; c < PM_COLUMNS; c++) {
		const struct pm_column_info *i = &pm_column_info[c];

		printf(".TP\n.B %s\n", i->name);
		print_sentence(i->help);
		printf(".br\n%s%s%s, per %s; ", pm_kind_name(i->kind), *i->unit ? " in " : "",
		       i->unit, i->scope == PM_SCOPE_THREAD ? "thread" : "process");
		print_records(i->records);
		if (i->since > 1)
			printf("; since format version %d", i->since);
		fputs(".\n.br\nFrom ", stdout);
		print_sentence(i->source);
	}
}

void pm_generate_job(void)
{
	static const char *const type[] = {
		[PM_JOB_TYPE_TEXT] = "text",
		[PM_JOB_TYPE_INT] = "integer",
		[PM_JOB_TYPE_TIME] = "microseconds UTC",
		[PM_JOB_TYPE_LIST] = "array of texts",
		[PM_JOB_TYPE_MAP] = "object of texts",
		[PM_JOB_TYPE_OBJECTS] = "array of objects of texts and integers",
	};

	for (int k = 0; k < PM_JOB_KEYS; k++) {
		const struct pm_job_info *i = &pm_job_info[k];

		printf(".TP\n.B %s.%s\n", i->section_name, i->name);
		pm_generate_roff(i->help);
		printf(" (%s).\n", type[i->type]);
	}
}

void pm_generate_papiex(void)
{
	static const struct {
		const char *name, *how, *column, *help;
	} row[] = {
#define PM_PAPIEX(name, how, column, help) { #name, #how, #column, help },
#include "common/record/papiex.def"
#undef PM_PAPIEX
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		const char *to = strcmp(row[i].how, "NOTHING") == 0        ? "Not loaded"
				 : strcmp(row[i].name, row[i].column) == 0 ? NULL
									   : "Loaded as ";

		printf(".TP\n.B %s\n", row[i].name);
		print_sentence(row[i].help);
		if (to)
			printf("%s%s.\n", to, to[0] == 'N' ? "" : row[i].column);
	}
}

void pm_generate_epmt(void)
{
	static const struct {
		const char *mark, *key, *to;
	} row[] = {
#define PM_EPMT(key, section, id)      { "", #key, #section "." #id },
#define PM_EPMT_ENV(name, section, id) { "$", #name, #section "." #id },
#include "common/record/epmt.def"
#undef PM_EPMT
#undef PM_EPMT_ENV
	};
	const size_t rows = sizeof row / sizeof row[0];

	for (size_t i = 0; i < rows; i++) {
		size_t first = 0;

		while (strcmp(row[first].to, row[i].to) != 0)
			first++;
		if (first < i)
			continue;
		printf(".TP\n.B %s\n%s%s", row[i].to, row[i].mark, row[i].key);
		for (size_t k = i + 1; k < rows; k++)
			if (strcmp(row[i].to, row[k].to) == 0)
				printf(", %s%s", row[k].mark, row[k].key);
		puts(".");
	}
}
