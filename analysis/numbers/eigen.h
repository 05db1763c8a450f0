/* Eigenvalues of symmetric matrices, by LAPACKE, which is opened at run time. */
#ifndef PM_ANALYSIS_NUMBERS_EIGEN_H
#define PM_ANALYSIS_NUMBERS_EIGEN_H

#include "common/err.h"

#include <stddef.h>

/*
 * Eigenvalues and eigenvectors of a symmetric matrix of n rows, of which the upper triangle counts.
 * value gets the eigenvalues in rising order; row i of the matrix becomes the eigenvector of
 * value[i], of length 1. Returns 0, or -1 with e filled: LAPACKE is missing, or does not converge.
 */
int pm_eigen_symmetric(double *matrix, size_t n, double *value, struct pm_err *e);

#endif
