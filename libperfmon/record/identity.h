/* Who this process is: the identity columns of its start record. */
#ifndef PM_LIBPERFMON_RECORD_IDENTITY_H
#define PM_LIBPERFMON_RECORD_IDENTITY_H

#include "common/safe/record.h"
#include "libperfmon/base/settings.h"

/*
 * Gather what stays the same over fork: executable, arguments, tags, host, job, container. Texts
 * are escaped once, into static memory, because a program may overwrite its argv and environment.
 * Returns 0, or -1 when this image must not be recorded (perfmon itself, host or files unknown).
 */
int pm_identity_gather(const struct pm_settings *s, int argc, char *const *argv);

/*
 * Gather what an image does not share with its parent: ids, start time, namespace, record file. An
 * image after exec reads them. Returns 0 or -1 when /proc is not there.
 */
int pm_identity_read(void);

/*
 * Like pm_identity_read, but for a fork child, from what is known and without a file of /proc,
 * whose entries for a new process cost more than all else. `parent` forked the child (and may be
 * gone already) after before_ns of CLOCK_BOOTTIME. If a clock tick lies between before_ns and now,
 * or the child is in a new pid namespace, the child reads /proc after all. Returns 0 or -1.
 */
int pm_identity_inherit(int parent, int64_t before_ns);

/* Set in the start record what the process had used when this image began. */
struct rusage;
void pm_identity_set_used(const struct rusage *used);

/*
 * Set the control group, for images that end and lived for a while: the kernel takes longer to
 * write its file than a short program lives.
 */
void pm_identity_set_cgroup(struct pm_record *r);

/* Set the MPI rank that the program states; a size that is not above the rank is recorded as
 * unknown. Children that it forks later inherit the rank. */
void pm_identity_tell_rank(int rank, int size);

/* Add the stated rank and size to a record. */
void pm_identity_set_rank(struct pm_record *r);

/* Buffer for a text of one record, in the unused rest of the memory for texts; one user at a time.
 */
void pm_identity_scratch(struct pm_buf *b);

/* Set the columns by which a record is attached to this image. */
void pm_identity_key(struct pm_record *r);

/* The start record of this image, or its `excluded` record. */
const struct pm_record *pm_identity_start(void);

#endif
