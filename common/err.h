/* Error text owned by the caller: functions fill it and return -1. Programs only. */
#ifndef PM_COMMON_ERR_H
#define PM_COMMON_ERR_H

struct pm_err {
	char text[1024];
};

/*
 * Write a message ("what: why"; %m is the text of errno) into e, which may be NULL.
 * Returns -1, so that a function can end with `return pm_err(e, "open %s: %m", path);`.
 * A message that does not fit ends in "...". Keeps errno.
 */
int pm_err(struct pm_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "what: " in front of the message that e holds. Returns -1. */
int pm_err_prefix(struct pm_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
