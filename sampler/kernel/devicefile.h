/*
 * Numbers in files of devices, as the kernel has them in /sys, each in a file that stays open, and
 * the short texts beside them. A number is decimal or, with 0x, hexadecimal, may be negative, may
 * be followed by its unit, and then by blanks, newlines and NULs alone: copies of such files are
 * filled up with NULs, and the newline may be missing.
 */
#ifndef PM_SAMPLER_KERNEL_DEVICEFILE_H
#define PM_SAMPLER_KERNEL_DEVICEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file of /sys is no longer than a page, and one with a number is at most this long, B. */
#define PM_DEVICEFILE_MAX 4096

/* A file with a number, read again and again. */
struct pm_devicefile {
	char *path; /* below root; owned; NULL: none, a zeroed one */
	int fd;     /* with a path; -1: not open */
	int error; /* of a file that is lost: errno of each read up to the next look; 0: not lost */
	bool keep; /* keep fd open: root is "", this machine and no recorded tree */
};

/*
 * Open root/relative. A file that cannot be opened is lost: each read fails with the same errno,
 * without a system call, until pm_devicefile_look(). In a recorded tree each read opens the file
 * anew, since files are replaced there.
 * Returns 0, or -1 with errno set: ENOMEM, with nothing held, or that of open(2).
 */
int pm_devicefile_open(struct pm_devicefile *f, const char *root, const char *relative);

/* The look each minute: open a file that is lost again. Returns whether it can be read. */
bool pm_devicefile_look(struct pm_devicefile *f);

/*
 * Read the file into text, of `size` bytes, without a NUL at its end. Where the device is gone
 * (ENODEV, ENOENT, ENXIO), the file is lost. Returns the length, or -1 with errno set (EFBIG where
 * it is `size` long or longer).
 */
ssize_t pm_devicefile_text(struct pm_devicefile *f, char *text, size_t size);

/*
 * Read the number. unit: what may follow it ("W"), "" for nothing.
 * Returns 0, or -1 with errno set, for pm_reason_errno(): of the file (EAGAIN, ENODATA and EINVAL
 * are usual where a device is switched off), or of pm_devicefile_parse().
 */
int pm_devicefile_number(struct pm_devicefile *f, const char *unit, int64_t *value);

/* Close the file; a zeroed one holds nothing. */
void pm_devicefile_close(struct pm_devicefile *f);

/*
 * Read a text that is a number as pm_devicefile_number() does.
 * Returns 0, or -1 with errno set: ENODATA for an empty text and one that begins with "N/A", such
 * as "N/A (no PMA)"; EBADMSG for anything else that is no number, has another unit, is followed by
 * anything, or does not fit.
 */
int pm_devicefile_parse(const char *text, size_t n, const char *unit, int64_t *value);

/*
 * Take a number off the front of a text, for files that have more than one: "4709 J 17849 us",
 * "123@17849.000000001". Advances *p behind it. Returns 0, or -1 where there is none or it does not
 * fit.
 */
int pm_devicefile_take(const char **p, const char *end, int64_t *value);

/* Whether a text consists of blanks, newlines and NULs alone. */
bool pm_devicefile_is_end(const char *p, const char *end);

/*
 * Read the short text of root/relative, such as a name, once: its first line, without blanks at
 * the end. Returns its length, or -1 with errno set: of the file, ENODATA where it is empty, EFBIG
 * where it does not fit into `size` with its NUL.
 */
ssize_t pm_devicefile_name(const char *root, const char *relative, char *name, size_t size);

#endif
