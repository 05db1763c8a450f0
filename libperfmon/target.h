/*
 * Where an exec goes: programs that this library cannot be loaded into are known by the path that
 * was asked for, and so are those that there are none of.
 */
#ifndef PM_TARGET_H
#define PM_TARGET_H

#include "common/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest path that is kept of a child. */
#define PM_TARGET_PATH 232

/*
 * An exec of a path that looks as if it succeeded: what becomes of the process, to be recorded in
 * the end that announces it: path, and last_call where it cannot be recorded from there on. `path`
 * is read when the record is written. Async-signal-safe.
 */
struct pm_target {
	int dir;          /* as in execveat(2) */
	const char *path; /* NULL: not known */
};
void pm_target_set(struct pm_record *r, const struct pm_target *t, struct pm_buf *text);

/*
 * The same of a child that shares this process' memory, by vfork or posix_spawn, and which cannot
 * tell itself: note it for the wait that will. pm_target_failed() is about an exec that came back
 * with an error number.
 */
void pm_target_note(int pid, int dir, const char *path);
void pm_target_failed(int pid, const char *path, int error);

/* Set what was noted of a child that is gone, and forget it. */
void pm_target_reaped(struct pm_record *r, int pid, struct pm_buf *text);

#endif
