/* Eigenvalues of symmetric matrices: the only file that calls LAPACKE. */
#include "config.h"

#include "analysis/numbers/eigen.h"

#include "common/version.h"

#ifdef HAVE_LAPACKE

#include "common/library.h"

#include <lapacke.h>

static const char *const names[] = { "liblapacke.so.3", "liblapacke.so", NULL };

static __typeof__(LAPACKE_dsyev) *dsyev;

int pm_eigen_symmetric(double *matrix, size_t n, double *value, struct pm_err *e)
{
	static const struct pm_library_function function[] = { { "LAPACKE_dsyev", &dsyev } };
	lapack_int rc;
	char why[256];

	if (!dsyev && pm_library_open(names, function, 1, why, sizeof why) < 0)
		return pm_err(e,
			      "principal components need LAPACKE (Debian: liblapacke, Fedora: "
			      "lapack): %s",
			      why);
	/* By columns, as Fortran has them, so that each eigenvector is a row of ours; the upper
	 * triangle of ours is the lower one then. */
	rc = dsyev(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, matrix, (lapack_int)n, value);
	return rc ? pm_err(e, "LAPACKE finds no eigenvalues: dsyev returns %d", (int)rc) : 0;
}

void pm_version_lapacke(struct pm_version *v)
{
	/* LAPACK's, of Fortran: there is none of LAPACKE. */
	void (*ilaver)(lapack_int *, lapack_int *, lapack_int *);
	const struct pm_library_function function[] = { { "ilaver_", &ilaver } };
	lapack_int major = 0, minor = 0, patch = 0;

	if (pm_library_open(names, function, 1, v->why, sizeof v->why) < 0) {
		v->built = true;
		return;
	}
	ilaver(&major, &minor, &patch);
	pm_version_set(v, "%d.%d.%d", (int)major, (int)minor, (int)patch);
}

#else

int pm_eigen_symmetric(double *matrix, size_t n, double *value, struct pm_err *e)
{
	(void)matrix, (void)n, (void)value;
	return pm_err(e, "principal components need LAPACKE, without which this perfmon was built "
			 "(Debian: liblapacke-dev, Fedora: lapack-devel)");
}

void pm_version_lapacke(struct pm_version *v)
{
	(void)v;
}

#endif
