/* HDF5 files, their groups and attributes. */
#include "config.h"

#include "export/hdf5/file.h"

#include "export/hdf5/name.h"

#include "common/filecopy.h"
#include "common/utf8.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Half of the chunks that a node of a dataset's index has room for. The usual 32 are 2 kB of each
 * of the many short datasets. */
#define INDEX 4

/* Bytes of metadata that the library keeps in memory: its own limit is 32 MB. */
#define METADATA (4 * 1024 * 1024)

int pm_hdf5_check(struct pm_err *e)
{
	return pm_hdf5_library(e) ? 0 : -1;
}

/* Make the types and properties that the file's objects share. Returns 0, or -1. */
static int make_types(struct pm_hdf5 *h)
{
	const struct pm_hdf5_library *l = h->lib;
	const signed char no = 0, yes = 1;

	h->text = l->H5Tcopy(*l->H5T_C_S1_g);
	h->flag = l->H5Tenum_create(*l->H5T_NATIVE_INT8_g);
	h->link = l->H5Pcreate(*l->H5P_CLS_LINK_CREATE_ID_g);
	h->group = l->H5Pcreate(*l->H5P_CLS_GROUP_CREATE_ID_g);
	return h->text < 0 || h->flag < 0 || h->link < 0 || h->group < 0 ||
			       l->H5Tset_size(h->text, H5T_VARIABLE) < 0 ||
			       l->H5Tset_cset(h->text, H5T_CSET_UTF8) < 0 ||
			       l->H5Tenum_insert(h->flag, "FALSE", &no) < 0 ||
			       l->H5Tenum_insert(h->flag, "TRUE", &yes) < 0 ||
			       l->H5Pset_char_encoding(h->link, H5T_CSET_UTF8) < 0 ||
			       l->H5Pset_obj_track_times(h->group, false) < 0
		       ? -1
		       : 0;
}

/* Bound the memory that the library takes for metadata. Returns 0, or -1. */
static int bound_metadata(const struct pm_hdf5_library *l, hid_t access)
{
	H5AC_cache_config_t c = { .version = H5AC__CURR_CACHE_CONFIG_VERSION };

	if (l->H5Pget_mdc_config(access, &c) < 0)
		return -1;
	c.set_initial_size = true;
	c.initial_size = c.min_size = METADATA / 4;
	c.max_size = METADATA;
	return l->H5Pset_mdc_config(access, &c) < 0 ? -1 : 0;
}

/* Create the file at a path. Returns 0, or -1. */
static int create(struct pm_hdf5 *h, const char *path)
{
	const struct pm_hdf5_library *l = h->lib;
	const hid_t access = l->H5Pcreate(*l->H5P_CLS_FILE_ACCESS_ID_g),
		    own = l->H5Pcreate(*l->H5P_CLS_FILE_CREATE_ID_g);

	/* What 1.8 reads, and attributes of more than 64 kB. */
	if (access >= 0 && own >= 0 && l->H5Pset_obj_track_times(own, false) >= 0 &&
	    bound_metadata(l, access) == 0 && l->H5Pset_istore_k(own, INDEX) >= 0 &&
	    l->H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
		h->file = l->H5Fcreate(path, H5F_ACC_TRUNC, own, access);
	if (own >= 0)
		l->H5Pclose(own);
	if (access >= 0)
		l->H5Pclose(access);
	return h->file < 0 ? -1 : 0;
}

/* Create the file in a directory, where it has no name any more when this returns: the library
 * opens files by their names alone. Returns 0, or -1 with errno. */
static int create_meanwhile(struct pm_hdf5 *h, const char *directory)
{
	char path[PATH_MAX];
	int rc = -1;

	if (!directory ||
	    snprintf(path, sizeof path, "%s/perfmon-XXXXXX", directory) >= (int)sizeof path)
		return -1;
	h->meanwhile = mkostemp(path, O_CLOEXEC);
	if (h->meanwhile >= 0) {
		rc = create(h, path);
		unlink(path);
	}
	if (rc < 0 && h->meanwhile >= 0) {
		close(h->meanwhile);
		h->meanwhile = -1;
	}
	return rc;
}

/* Create the file: that of the stream where it is an empty regular one that is written from its
 * beginning. Returns 0, or -1. */
static int create_for(struct pm_hdf5 *h, FILE *f)
{
	const int fd = fileno(f);
	char path[64];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != 0 ||
	    lseek(fd, 0, SEEK_CUR) != 0)
		return create_meanwhile(h, getenv("TMPDIR")) == 0 ||
				       create_meanwhile(h, "/var/tmp") == 0 ||
				       create_meanwhile(h, "/tmp") == 0
			       ? 0
			       : -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return create(h, path);
}

struct pm_hdf5 *pm_hdf5_new(FILE *f, struct pm_err *e)
{
	const struct pm_hdf5_library *l = pm_hdf5_library(e);
	struct pm_hdf5 *h = l ? malloc(sizeof *h) : NULL;

	if (!h) {
		if (l)
			pm_err(e, "out of memory");
		return NULL;
	}
	*h = (struct pm_hdf5){ .lib = l,
			       .f = f,
			       .meanwhile = -1,
			       .file = H5I_INVALID_HID,
			       .text = H5I_INVALID_HID,
			       .flag = H5I_INVALID_HID,
			       .link = H5I_INVALID_HID,
			       .group = H5I_INVALID_HID };
	if (make_types(h) == 0 && create_for(h, f) == 0)
		return h;
	pm_hdf5_library_err(l, "create the HDF5 file", e);
	pm_hdf5_free(h);
	return NULL;
}

int pm_hdf5_finish(struct pm_hdf5 *h, struct pm_err *e)
{
	const hid_t file = h->file;

	h->file = H5I_INVALID_HID;
	if (h->lib->H5Fclose(file) < 0)
		return pm_hdf5_library_err(h->lib, "write the HDF5 file", e);
	if (h->meanwhile >= 0 && (fflush(h->f) != 0 || pm_filecopy(h->meanwhile, fileno(h->f)) < 0))
		return pm_err(e, "write the HDF5 file: %m");
	return 0;
}

void pm_hdf5_free(struct pm_hdf5 *h)
{
	if (!h)
		return;
	if (h->file >= 0)
		h->lib->H5Fclose(h->file);
	if (h->text >= 0)
		h->lib->H5Tclose(h->text);
	if (h->flag >= 0)
		h->lib->H5Tclose(h->flag);
	if (h->link >= 0)
		h->lib->H5Pclose(h->link);
	if (h->group >= 0)
		h->lib->H5Pclose(h->group);
	if (h->meanwhile >= 0)
		close(h->meanwhile);
	free(h);
}

int64_t pm_hdf5_root(const struct pm_hdf5 *h)
{
	return h->file;
}

/* Put a number behind a name. */
static void add_number(struct pm_bytes *name, int64_t number)
{
	char text[24];

	pm_bytes_add(name, text, (size_t)snprintf(text, sizeof text, "#%" PRId64, number));
}

/* End a name with NUL, for the moment. Returns it, or NULL if out of memory. */
static const char *text_of(struct pm_bytes *name)
{
	pm_bytes_byte(name, 0);
	if (name->failed)
		return NULL;
	name->n--;
	return (const char *)name->p;
}

int64_t pm_hdf5_group(struct pm_hdf5 *h, int64_t parent, const char *name, size_t n, int64_t number,
		      struct pm_err *e)
{
	struct pm_bytes link = { .p = NULL };
	const char *text;
	hid_t group = H5I_INVALID_HID;
	htri_t taken = 0;

	pm_hdf5_name_add(&link, name, n);
	if (link.n > PM_HDF5_NAME_MAX) {
		link.n = pm_utf8_valid((const char *)link.p, PM_HDF5_NAME_MAX);
		add_number(&link, number);
	} else if (link.n == 0) {
		add_number(&link, number);
	}
	while ((text = text_of(&link)) &&
	       (taken = h->lib->H5Lexists(parent, text, H5P_DEFAULT)) > 0)
		add_number(&link, number);
	if (text && taken == 0)
		group = h->lib->H5Gcreate2(parent, text, h->link, h->group, H5P_DEFAULT);
	if (!text)
		pm_err(e, "out of memory");
	else if (group < 0)
		pm_hdf5_library_err(h->lib, "write the HDF5 file", e);
	pm_bytes_free(&link);
	return group;
}

void pm_hdf5_group_close(struct pm_hdf5 *h, int64_t group)
{
	if (group >= 0)
		h->lib->H5Gclose(group);
}

/* Give an object an attribute. Returns 0, or -1 with e filled. */
static int note(struct pm_hdf5 *h, hid_t object, const char *name, hid_t type, hid_t space,
		const void *value, struct pm_err *e)
{
	const struct pm_hdf5_library *l = h->lib;
	const hid_t a =
		space < 0 ? space
			  : l->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	int rc = a >= 0 && l->H5Awrite(a, type, value) >= 0 ? 0 : -1;

	if (a >= 0 && l->H5Aclose(a) < 0)
		rc = -1;
	if (rc < 0)
		pm_hdf5_library_err(l, "write the HDF5 file", e);
	if (space >= 0)
		l->H5Sclose(space);
	return rc;
}

int pm_hdf5_file_note(struct pm_hdf5 *h, hid_t object, const char *name, const char *const *text,
		      size_t n, bool scalar, struct pm_err *e)
{
	const hsize_t size = n;

	return note(h, object, name, h->text,
		    scalar ? h->lib->H5Screate(H5S_SCALAR)
			   : h->lib->H5Screate_simple(1, &size, NULL),
		    text, e);
}

int pm_hdf5_note_text(struct pm_hdf5 *h, int64_t group, const char *name, const char *text,
		      struct pm_err *e)
{
	return pm_hdf5_file_note(h, group, name, &text, 1, true, e);
}

int pm_hdf5_note_texts(struct pm_hdf5 *h, int64_t group, const char *name, const char *const *text,
		       size_t n, struct pm_err *e)
{
	return pm_hdf5_file_note(h, group, name, text, n, false, e);
}

int pm_hdf5_note_integer(struct pm_hdf5 *h, int64_t group, const char *name, int64_t v,
			 struct pm_err *e)
{
	return note(h, group, name, *h->lib->H5T_NATIVE_INT64_g, h->lib->H5Screate(H5S_SCALAR), &v,
		    e);
}
