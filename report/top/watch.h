/*
 * The directory of a running job, read by a thread of its own: a file system that does not answer
 * keeps that thread, and not the terminal. Each round reads what the files have got since the one
 * before, and makes a picture of all.
 */
#ifndef PM_REPORT_TOP_WATCH_H
#define PM_REPORT_TOP_WATCH_H

#include "common/err.h"
#include "report/top/picture.h"

#include <stdbool.h>
#include <stdint.h>

struct pm_top_watch;

/* Begin to watch a directory; no round is made before one is asked for. Returns it, to be ended by
 * pm_top_watch_end(), or NULL with e filled. */
struct pm_top_watch *pm_top_watch_new(const char *directory, struct pm_err *e);

/* Ask for a round that reads for so long at most, in microseconds, and leaves the rest for the next
 * one. Nothing happens while one is under way. */
void pm_top_watch_ask(struct pm_top_watch *w, int64_t budget_us);

/* A descriptor that can be read when a picture is there. */
int pm_top_watch_descriptor(const struct pm_top_watch *w);

/*
 * Take the picture of the last round, to be freed by pm_top_picture_free() and free(3). Returns 1;
 * 0 where the round is not over; -1 with e filled where it failed, as when the directory is gone.
 */
int pm_top_watch_take(struct pm_top_watch *w, struct pm_top_picture **p, struct pm_err *e);

/* End the thread and free all; a thread that waits for a file system is left to the end of the
 * process. */
void pm_top_watch_end(struct pm_top_watch *w);

#endif
