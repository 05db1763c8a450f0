/* Files of /proc and /sys below the sampler's root: read in one go, parsed without I/O. */
#ifndef PM_SAMPLER_KERNEL_PROCFILE_H
#define PM_SAMPLER_KERNEL_PROCFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file that is read again and again. */
struct pm_procfile {
	char *path; /* below root; owned */
	int fd;     /* -1: opened at every read */
	bool keep;  /* keep fd open: root is "", this machine and no recorded tree */
	char *text; /* latest contents, NUL-terminated; owned */
	size_t capacity;
};

/*
 * Open root/relative for reading. On the machine itself (empty root) the descriptor is kept:
 * reading again at offset 0 is a new snapshot and costs a third of opening. In a recorded tree each
 * read opens the file anew, since files are replaced there. A file that may not be opened but is
 * held (devicefile.h) is read by the descriptor held. Returns 0, or -1 with errno set and nothing
 * held.
 */
int pm_procfile_open(struct pm_procfile *f, const char *root, const char *relative);

/*
 * Read the whole file from its beginning; *text is valid until the next read and ends in a NUL.
 * Returns its length, or -1 with errno set (EFBIG beyond 16 MiB).
 */
ssize_t pm_procfile_read(struct pm_procfile *f, const char **text);

/* Release what is held; a zeroed one, which was never opened, holds nothing. */
void pm_procfile_close(struct pm_procfile *f);

/*
 * Read a decimal number at *p. It must end before `end`: a number that ends where the text does may
 * have been cut. Advances *p behind it.
 * Returns 0, or -1 where there is no number, it is cut, or it exceeds INT64_MAX.
 */
int pm_procfile_number(const char **p, const char *end, int64_t *value);

/*
 * Read a number with a fraction ("0.18") at *p, which must end before `end`. *value is the number
 * times ten to the power of `digits`; further digits are dropped. Advances *p behind it.
 * Returns 0, or -1 where there is no number, it is cut, or it is too large.
 */
int pm_procfile_decimal(const char **p, const char *end, int digits, int64_t *value);

/*
 * Find the line "key value[ unit]" ("MemTotal:", "rchar:") of a text.
 * Returns 0, or -1 with errno set: ENOENT where there is no such line, EBADMSG where its value is
 * not one number followed by the unit ("" for none) and a newline.
 */
int pm_procfile_key(const char *text, size_t n, const char *key, const char *unit, int64_t *value);

#endif
