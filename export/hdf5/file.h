/* What the files of this folder share of an HDF5 file that is being written. */
#ifndef PM_EXPORT_HDF5_FILE_H
#define PM_EXPORT_HDF5_FILE_H

#include "export/hdf5/hdf5.h"
#include "export/hdf5/library.h"

struct pm_hdf5 {
	const struct pm_hdf5_library *lib;
	FILE *f;
	int meanwhile; /* the file that is copied to f at the end; -1: it is f itself */
	hid_t file;
	hid_t text, flag; /* types */
	hid_t link;       /* properties of names: UTF-8 */
	hid_t group; /* properties of groups: they keep no times; the root, which is made with the
			file, does */
};

/* Give an object an attribute of n texts, or of one where `scalar`. Returns 0, or -1 with e filled.
 */
int pm_hdf5_file_note(struct pm_hdf5 *h, hid_t object, const char *name, const char *const *text,
		      size_t n, bool scalar, struct pm_err *e);

#endif
