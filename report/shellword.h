/* Words of commands that people may repeat, as a shell takes them. */
#ifndef PM_REPORT_SHELLWORD_H
#define PM_REPORT_SHELLWORD_H

#include <stdio.h>

/* Write a word after a blank, in quotes where it needs them. */
void pm_shellword_put(FILE *f, const char *word);

/* Write the option --db in the same way where the command line gave it, a password in it hidden. */
void pm_shellword_put_db(FILE *f);

#endif
