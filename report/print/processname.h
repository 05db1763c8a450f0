/* What to call a process: its program, and for interpreters the script they run. */
#ifndef PM_LABEL_H
#define PM_LABEL_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a label. */
#define PM_LABEL_MAX 256

/* The longest command line shown, in bytes. */
#define PM_COMMAND_MAX 1024

/*
 * Name a process: "cc1", "python3.11 train.py", "python3 -m pip", "java -jar a.jar",
 * "sh -c 'gcc ...'". exename, args and comm are fields as the database holds them, NULL where
 * unknown; comm is the thread's name, used for multi-call programs such as busybox.
 * Writes safe text into dst (PM_LABEL_MAX bytes) and returns it.
 */
const char *pm_label(char *dst, const char *exename, const char *args, const char *comm, bool utf8);

/*
 * The command line as a shell would take it, cut with an ellipsis at cap bytes: the program's name
 * and its arguments, quoted where they hold anything a shell treats specially. Safe text.
 */
const char *pm_label_command(char *dst, size_t cap, const char *exename, const char *args,
			     bool utf8);

/* Append an argument (safe text) to a command line of `len` bytes in dst of `cap`, a blank in
 * front where something precedes it, quoted where a shell would take it apart. Returns the new
 * length. */
size_t pm_label_quote(char *dst, size_t cap, size_t len, const char *text);

/* An SQL condition (no parameters) that holds for rows whose args are part of their label; `column`
 * is how the query calls exename. Written into sql of `cap` bytes, "" on too little room. */
const char *pm_label_sql(char *sql, size_t cap, const char *column);

#endif
