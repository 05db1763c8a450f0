/* HDF5 files: groups, and datasets that grow, shuffled and deflated in chunks, in bounded memory.
 */
#ifndef PM_EXPORT_HDF5_HDF5_H
#define PM_EXPORT_HDF5_HDF5_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The value of an integer that is not known; the datasets' fill value, too. */
#define PM_HDF5_UNKNOWN INT64_MIN

struct pm_hdf5;         /* a file that is being written */
struct pm_hdf5_dataset; /* one of its datasets */

/* Whether files can be written: 0, or -1 with e filled, the library is missing. */
int pm_hdf5_check(struct pm_err *e);

/* Begin a file. It goes into f by itself where that is an empty regular file, else through a file
 * of TMPDIR that is copied at the end. Returns NULL with e filled. */
struct pm_hdf5 *pm_hdf5_new(FILE *f, struct pm_err *e);

/* Complete the file, whose groups and datasets are closed. Returns 0, or -1 with e filled. */
int pm_hdf5_finish(struct pm_hdf5 *h, struct pm_err *e);
void pm_hdf5_free(struct pm_hdf5 *h); /* NULL is fine */

/* The group that has all others. */
int64_t pm_hdf5_root(const struct pm_hdf5 *h);

/*
 * Create a group below another, by any bytes as its name: pm_hdf5_name_add() makes a name of them.
 * `number` is put behind one that would be too long, empty, or is taken. Returns the group, to be
 * closed, or -1 with e filled.
 */
int64_t pm_hdf5_group(struct pm_hdf5 *h, int64_t parent, const char *name, size_t n, int64_t number,
		      struct pm_err *e);
void pm_hdf5_group_close(struct pm_hdf5 *h, int64_t group); /* -1 is fine */

/* Give a group an attribute: texts, of valid UTF-8 without NUL, one or an array of them; an
 * integer. Return 0, or -1 with e filled. */
int pm_hdf5_note_text(struct pm_hdf5 *h, int64_t group, const char *name, const char *text,
		      struct pm_err *e);
int pm_hdf5_note_texts(struct pm_hdf5 *h, int64_t group, const char *name, const char *const *text,
		       size_t n, struct pm_err *e);
int pm_hdf5_note_integer(struct pm_hdf5 *h, int64_t group, const char *name, int64_t v,
			 struct pm_err *e);

enum pm_hdf5_type {
	PM_HDF5_INTEGER, /* 64 bits */
	PM_HDF5_REAL,
	PM_HDF5_TEXT, /* UTF-8 of any length */
	PM_HDF5_CODE, /* 8 bits */
	PM_HDF5_FLAG, /* false or true, as h5py has it */
};

/* What a dataset is. All texts outlive it. */
struct pm_hdf5_about {
	const char *name; /* plain: no slash, no point */
	enum pm_hdf5_type type;
	size_t width;            /* 0: one value each row; else a row has so many */
	const char *unit;        /* attribute; NULL: none */
	const char *kind, *help; /* the same */
};

/* Begin a dataset without rows in a group. Returns NULL with e filled: out of memory. */
struct pm_hdf5_dataset *pm_hdf5_dataset_new(struct pm_hdf5 *h, int64_t group,
					    const struct pm_hdf5_about *about, struct pm_err *e);

/* Add a value by the type of the dataset. Failures are those of pm_hdf5_dataset_fit(). */
void pm_hdf5_dataset_integer(struct pm_hdf5_dataset *d, int64_t v);
void pm_hdf5_dataset_real(struct pm_hdf5_dataset *d, double v);
void pm_hdf5_dataset_text(struct pm_hdf5_dataset *d, const char *p, size_t n);
void pm_hdf5_dataset_code(struct pm_hdf5_dataset *d, uint8_t v); /* and flags */

/* Write the rows so far where there are enough of them; to be called behind each row. Returns 0,
 * or -1 with e filled. */
int pm_hdf5_dataset_fit(struct pm_hdf5_dataset *d, struct pm_err *e);

/* Write what is left, with an attribute of n texts unless `name` is NULL, and close the dataset;
 * NULL is fine. Returns 0, or -1 with e filled. */
int pm_hdf5_dataset_finish(struct pm_hdf5_dataset *d, const char *name, const char *const *text,
			   size_t n, struct pm_err *e);

/* Close a dataset after a failure; NULL is fine. */
void pm_hdf5_dataset_free(struct pm_hdf5_dataset *d);

#endif
