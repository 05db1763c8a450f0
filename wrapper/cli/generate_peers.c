/* Print the tables of perfmon-peers(7), and their rows for the test, from peers.def. */
#include "config.h"

#include "wrapper/cli/generate.h"

#include <stdio.h>
#include <string.h>

static const struct row {
	const char *tool, *kind, *word, *command, *note;
} rows[] = {
#define PM_PEER(tool, kind, word, command, note) { #tool, #kind, word, command, note },
#include "common/cli/peers.def"
};

#define ROWS (sizeof rows / sizeof rows[0])

/* Print a row as one of a table: the tool's word, then the command and the note. */
static void print_word(const struct row *r)
{
	pm_generate_roff(r->word);
	pm_generate_command(r->command, r->note);
}

int pm_generate_peers(const char *what)
{
	char name[64];
	size_t found = 0;

	for (size_t i = 0; i < ROWS && strcmp(what, "peers-rows") == 0; i++, found++)
		printf("%s\t%s\t%s\t%s\n", rows[i].tool, rows[i].kind, rows[i].word,
		       rows[i].command);
	for (size_t i = 0; i < ROWS; i++) {
		snprintf(name, sizeof name, "man-peers-%s-%s", rows[i].tool, rows[i].kind);
		if (strcmp(what, name) != 0)
			continue;
		if (found++ == 0)
			printf(".TS\nnokeep tab(|);\nlb lx.\n");
		print_word(&rows[i]);
	}
	if (found > 0 && strcmp(what, "peers-rows") != 0)
		printf(".TE\n");
	return found > 0 ? 0 : -1;
}
