/* Messages of programs on standard error: "perfmon: text". Never in the preload. */
#ifndef PM_COMMON_LOG_H
#define PM_COMMON_LOG_H

#include "common/err.h"

/* -1 with -q (errors only), 0 warnings, 1 -v info, 2 -vv debug. */
extern int pm_log_level;

/* Number of warnings so far, shown or not. */
extern int pm_log_warnings;

/* printf-like, a newline is added; control characters in the result are shown as \xHH. */
void pm_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pm_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pm_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pm_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on print none of this thread's messages and count no warnings, until pm_log_held(),
 * which returns how many messages would have been printed or counted: a thread that works ahead of
 * another learns that what it does has to be told. */
void pm_log_hold(void);
unsigned pm_log_held(void);

/* From now on add messages to a file, too, a line each: time of day, level, host and text, with |
 * between. Returns 0, or -1 with e filled. */
int pm_log_also(const char *path, struct pm_err *e);

/*
 * In a new process that is about to close what it inherited: move the descriptor of that file to
 * `first`, at most 10, in place of what has the number. Returns the number after it; `first` where
 * there is no such file, or it cannot be moved and gets no messages of this process.
 */
int pm_log_move(int first);

#endif
