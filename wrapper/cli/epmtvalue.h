/* Values of EPMT's filters as perfmon reads them. */
#ifndef PM_WRAPPER_CLI_EPMTVALUE_H
#define PM_WRAPPER_CLI_EPMTVALUE_H

/*
 * Write a value in Python's or EPMT's form as perfmon's: without brackets, braces, quotes and
 * blanks between items; the pairs of a dict are separated by semicolons, items of a list by commas.
 * Returns a new text.
 */
char *pm_epmtvalue_plain(const char *value);

/* Write a time as perfmon reads it: MM/DD/YYYY HH:MM, and -N for days before now; others stay.
 * Returns a new text in place of `text`, which it frees, or `text`. */
char *pm_epmtvalue_time(char *text);

#endif
