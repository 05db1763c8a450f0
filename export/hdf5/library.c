/* libhdf5, opened at run time. */
#include "config.h"

#include "export/hdf5/library.h"

#include "common/library.h"
#include "common/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lives as long as the program: the library cannot be closed. */
static struct pm_hdf5_library lib;

#define NEEDS "HDF5 files need libhdf5 (Debian: libhdf5-103-1 or another version, Fedora: hdf5)"

/* Prepare the library that was opened. Returns 0, or -1 with e filled. */
static int prepare(struct pm_err *e)
{
	unsigned major, minor, release;

	/* Nobody else has the file, and some file systems have no locks. */
	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
	/* Before all others, for it would be too late: after a failed write the library would
	 * complain on standard error at exit. */
	if (lib.H5dont_atexit() < 0 || lib.H5open() < 0 ||
	    lib.H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
		return pm_err(e, "HDF5: %s does not start", PM_HDF5_LIBRARY);
	/* Another version may have the same name. */
	if (lib.H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
	    minor != H5_VERS_MINOR)
		return pm_err(e, NEEDS " of version %d.%d: %s is another", H5_VERS_MAJOR,
			      H5_VERS_MINOR, PM_HDF5_LIBRARY);
	return 0;
}

const struct pm_hdf5_library *pm_hdf5_library(struct pm_err *e)
{
	static const char *const names[] = { PM_HDF5_LIBRARY, NULL };
	static const struct pm_library_function symbol[] = {
#define PM_HDF5(name)    { #name, &lib.name },
#define PM_HDF5_ID(name) { #name, &lib.name },
#include "export/hdf5/hdf5.def"
#undef PM_HDF5
#undef PM_HDF5_ID
	};
	static bool ready;
	char why[256];

	if (ready)
		return &lib;
	if (pm_library_open(names, symbol, sizeof symbol / sizeof symbol[0], why, sizeof why) < 0) {
		pm_err(e, NEEDS ": %s", why);
		return NULL;
	}
	ready = prepare(e) == 0;
	return ready ? &lib : NULL;
}

/* Keep what is said of the innermost failure, and end the walk. */
static herr_t take_reason(unsigned n, const H5E_error2_t *x, void *to)
{
	static const char of_system[] = "error message = '";
	const char *text = x->desc ? x->desc : "", *inner = strstr(text, of_system);

	(void)n;
	text = inner ? inner + sizeof of_system - 1 : text;
	snprintf(to, 256, "%.*s", inner ? (int)strcspn(text, "'") : 255, text);
	return 1;
}

int pm_hdf5_library_err(const struct pm_hdf5_library *l, const char *what, struct pm_err *e)
{
	char why[256] = "";

	l->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, why);
	return *why ? pm_err(e, "%s: %s", what, why) : pm_err(e, "%s: %m", what);
}

void pm_version_hdf5(struct pm_version *v)
{
	unsigned major, minor, release;
	const struct pm_hdf5_library *l;
	struct pm_err e;

	l = pm_hdf5_library(&e);
	if (!l)
		pm_version_fail(v, e.text);
	else if (l->H5get_libversion(&major, &minor, &release) < 0)
		pm_version_fail(v, "it does not tell its version");
	else
		pm_version_set(v, "%u.%u.%u", major, minor, release);
}
