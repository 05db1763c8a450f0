/* Labels of processes: the program, and for interpreters the script. */
#ifndef PM_COMMON_RECORD_PROCESSNAME_H
#define PM_COMMON_RECORD_PROCESSNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a label. */
#define PM_PROCESSNAME_MAX 256

/* The longest command line shown, in bytes. */
#define PM_COMMAND_MAX 1024

/* The columns that a label is made of, besides exename. */
enum pm_processname_use {
	PM_PROCESSNAME_EXENAME, /* none */
	PM_PROCESSNAME_ARGS,    /* interpreters: args has the script */
	PM_PROCESSNAME_COMM,    /* multi-call programs, such as busybox: comm has the program */
};

/* What the label of processes with this executable is made of; exename is a field as stored in the
 * database. */
enum pm_processname_use pm_processname_uses(const char *exename);

/*
 * Label a process: "cc1", "python3.11 train.py", "python3 -m pip", "java -jar a.jar", "sh -c 'gcc
 * ...'". exename, args and comm are fields as stored in the database, NULL where unknown; comm is
 * the thread's name, used for multi-call programs such as busybox. Writes safe text in UTF-8 into
 * dst (PM_PROCESSNAME_MAX bytes) and returns it.
 */
const char *pm_processname_label(char *dst, const char *exename, const char *args,
				 const char *comm);

/* Write a label as it is shown, in ASCII unless utf8. dst has PM_PROCESSNAME_MAX bytes. Returns it.
 */
const char *pm_processname_shown(char *dst, const char *label, bool utf8);

/* As pm_processname_label(), as it is shown. */
const char *pm_processname(char *dst, const char *exename, const char *args, const char *comm,
			   bool utf8);

/*
 * Format the command line for a shell, cut with an ellipsis at cap bytes: the program's name and
 * its arguments, quoted where they contain characters special to a shell. Safe text.
 */
const char *pm_processname_command(char *dst, size_t cap, const char *exename, const char *args,
				   bool utf8);

/* Append an argument (safe text) to a command line of `len` bytes in dst of `cap`, after a blank
 * unless it is the first, quoted where a shell would split or expand it. Returns the new length. */
size_t pm_processname_quote(char *dst, size_t cap, size_t len, const char *text);

#endif
