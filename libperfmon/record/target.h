/*
 * Target of an exec: programs that the collector cannot be loaded into, or that do not exist, are
 * recorded by the requested path.
 */
#ifndef PM_LIBPERFMON_RECORD_TARGET_H
#define PM_LIBPERFMON_RECORD_TARGET_H

#include "common/safe/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest path that is kept of a child. */
#define PM_TARGET_PATH 232

/*
 * An exec that is about to happen. pm_target_set() adds the path of the new program to the end
 * record that announces the exec, and last_call if that program cannot be recorded. `path` is read
 * when the record is written. Async-signal-safe.
 */
struct pm_target {
	int dir;          /* as in execveat(2) */
	const char *path; /* NULL: not known */
};
void pm_target_set(struct pm_record *r, const struct pm_target *t, struct pm_buf *text);

/*
 * Like pm_target_set, but for a child that shares this process's memory, by vfork or posix_spawn,
 * and cannot write records itself: keep a note for the wait that reaps it. pm_target_failed() notes
 * an exec that returned an error number.
 */
void pm_target_note(int pid, int dir, const char *path);
void pm_target_failed(int pid, const char *path, int error);

/* Add the note on a child that has ended to its record, and drop the note. */
void pm_target_reaped(struct pm_record *r, int pid, struct pm_buf *text);

#endif
