/* Tables of one dataset as PyTables and h5py have them: records with a field for each column. */
#ifndef PM_EXPORT_HDF5_PYTABLE_H
#define PM_EXPORT_HDF5_PYTABLE_H

#include "export/hdf5/hdf5.h"

#include "common/bytes.h"

/* A field. Its name outlives the table; one that PyTables is to read has no slash. */
struct pm_hdf5_field {
	const char *name;
	enum pm_hdf5_type type; /* INTEGER, REAL or TEXT */
	size_t width;           /* of TEXT: bytes */
	size_t count;           /* values in each row; 0: one, which is no array */
};

struct pm_hdf5_pytable; /* a table that is being written */

/* Begin a table of n fields in a group, of about so many rows. Returns NULL with e filled. */
struct pm_hdf5_pytable *pm_hdf5_pytable_new(struct pm_hdf5 *h, int64_t group, const char *name,
					    const struct pm_hdf5_field *field, size_t n,
					    uint64_t rows, struct pm_err *e);

/* The dataset, for attributes. */
int64_t pm_hdf5_pytable_id(const struct pm_hdf5_pytable *t);

/* Add the values of a row, field by field. A text ends at its width, where whoever adds it has to
 * have cut it. Failures are those of pm_hdf5_pytable_fit(). */
void pm_hdf5_pytable_integer(struct pm_hdf5_pytable *t, int64_t v);
void pm_hdf5_pytable_real(struct pm_hdf5_pytable *t, double v);
void pm_hdf5_pytable_text(struct pm_hdf5_pytable *t, const char *p, size_t n, size_t width);

/* Write the rows so far where there are enough of them; to be called behind each row. Returns 0,
 * or -1 with e filled. */
int pm_hdf5_pytable_fit(struct pm_hdf5_pytable *t, struct pm_err *e);

/* Write what is left and close the table; NULL is fine. Returns 0, or -1 with e filled. */
int pm_hdf5_pytable_finish(struct pm_hdf5_pytable *t, struct pm_err *e);

/* Close a table after a failure; NULL is fine. */
void pm_hdf5_pytable_free(struct pm_hdf5_pytable *t);

/* Give a group or table an attribute that PyTables reads as an object of Python: a list of texts of
 * UTF-8, or any other object as its pickle of protocol 0, in ASCII. Return 0, or -1 with e filled.
 */
int pm_hdf5_pytable_note_list(struct pm_hdf5 *h, int64_t object, const char *name,
			      const char *const *text, size_t n, struct pm_err *e);
int pm_hdf5_pytable_note_pickle(struct pm_hdf5 *h, int64_t object, const char *name,
				const char *pickle, size_t n, struct pm_err *e);

/* Append a list of texts as it stands in a pickle of protocol 0; one that is no valid UTF-8 is a
 * fault of the caller's. */
void pm_hdf5_pytable_pickle(struct pm_bytes *to, const char *const *text, size_t n);

#endif
