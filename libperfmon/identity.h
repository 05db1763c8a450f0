/* Who this process is: the identity columns of its start record. */
#ifndef PM_IDENTITY_H
#define PM_IDENTITY_H

#include "common/record.h"
#include "libperfmon/settings.h"

/*
 * Gather what stays the same over fork: executable, arguments, tags, host, job, container. Texts
 * are escaped once, into static memory, because a program may overwrite its argv and environment.
 * Returns 0, or -1 when this image must not be recorded (perfmon itself, host or files unknown).
 */
int pm_identity_gather(const struct pm_settings *s, int argc, char *const *argv);

/*
 * Gather what an image does not share with its parent: ids, start time, namespace, record file.
 * `parent` is the process that forked it, which may be gone already; 0 asks the kernel. Returns 0
 * or -1 when /proc is not there.
 */
int pm_identity_refresh(int parent);

/* Name the record file anew, after a change of pm.per_process. */
void pm_identity_name_file(void);

/* Write this image's start record, or that it is excluded, with what it had used when it began. */
struct rusage;
void pm_identity_write_start(const struct rusage *used);

/* Set the columns by which a record is attached to this image. */
void pm_identity_key(struct pm_record *r);

#endif
