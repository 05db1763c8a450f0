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
 * Gather what an image does not share with its parent: ids, start time, namespace, record file. An
 * image after exec reads them. Returns 0 or -1 when /proc is not there.
 */
int pm_identity_read(void);

/*
 * The same for a fork child, from what is known and without a file of /proc, whose entries for a
 * new process cost more than all else. `parent` forked it (and may be gone already) after before_ns
 * of CLOCK_BOOTTIME: when a clock tick lies between that and now, or the child is in a pid
 * namespace of its own, it reads like the first. Returns 0 or -1.
 */
int pm_identity_inherit(int parent, int64_t before_ns);

/* Set in the start record what the process had used when this image began. */
struct rusage;
void pm_identity_set_used(const struct rusage *used);

/*
 * Set the control group, from a file that the kernel takes longer to write than a short program
 * lives: for images that end, and lived for a while.
 */
void pm_identity_set_cgroup(struct pm_record *r);

/* Set the MPI rank that the program states; a size that is not above the rank is recorded as
 * unknown. Children that it forks later inherit the rank. */
void pm_identity_tell_rank(int rank, int size);

/* Add the stated rank and size to a record. */
void pm_identity_set_rank(struct pm_record *r);

/* Room for a text of one record: what is left of the memory for texts, for one user at a time. */
void pm_identity_scratch(struct pm_buf *b);

/* Set the columns by which a record is attached to this image. */
void pm_identity_key(struct pm_record *r);

/* The start record of this image, or the one that says that it is excluded. */
const struct pm_record *pm_identity_start(void);

#endif
