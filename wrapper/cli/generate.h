/* Print files that are made from the tables and committed: completion and parts of man pages. */
#ifndef PM_WRAPPER_CLI_GENERATE_H
#define PM_WRAPPER_CLI_GENERATE_H

/*
 * Print a generated text to standard output: "completion" (bash), or for the man pages
 * "man-verbs", "man-options" (those of every verb), "man-options-VERB" (the others of a verb, and
 * its settings), "man-settings", "man-metrics", "man-terms", "man-columns", "man-job",
 * "man-checks", "man-schedulers", "man-reasons", "man-summaries", "man-papiex", "man-epmt". Returns
 * 0, or -1 if there is no text of that name.
 */
int pm_generate(const char *what);

/* Like pm_generate, but only for the parts of man pages. */
int pm_generate_man(const char *what);

/* Print text for roff: escape hyphens, backslashes, and a '.' or ' that would begin a request. */
void pm_generate_roff(const char *text);

/* Print the second column of a table's row and end it: a command, and a note where it is not "". */
void pm_generate_command(const char *command, const char *note);

/* Print the data dictionary of perfmon-tsv(5), "man-columns" and "man-job", and of
 * perfmon-foreign(5), "man-papiex" and "man-epmt". */
void pm_generate_columns(void);
void pm_generate_job(void);
void pm_generate_papiex(void);
void pm_generate_epmt(void);

/* Print rows of epmt.def: "man-epmt-KIND" or "man-epmt-MODULE" for perfmon-epmt(7), "epmt-rows" for
 * the test that runs their commands. Returns 0, or -1 if `what` is none of these. */
int pm_generate_words(const char *what);

/* The same of peers.def: "man-peers-TOOL-KIND" for perfmon-peers(7), "peers-rows". */
int pm_generate_peers(const char *what);

#endif
