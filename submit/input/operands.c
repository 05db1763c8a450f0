/* Expand glob patterns to file names. */
#include "config.h"

#include "submit/input/operands.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add_name(char ***list, size_t *n, const char *name, struct pm_err *e)
{
	void *p = realloc(*list, (*n + 1) * sizeof **list);

	if (p)
		*list = p;
	if (!p || !((*list)[*n] = strdup(name)))
		return pm_err(e, "out of memory");
	++*n;
	return 0;
}

/* Add the names that a pattern matches. Returns 0, 1 if `missing` was called, or -1 with e filled.
 */
static int add_matches(char ***list, size_t *n, const char *pattern,
		       void (*missing)(const struct pm_err *why), struct pm_err *e)
{
	glob_t found = { 0 };
	int rc = glob(pattern, GLOB_ERR, NULL, &found);
	struct pm_err why;

	if (rc == GLOB_NOSPACE)
		rc = pm_err(e, "out of memory");
	else if (rc != 0) {
		pm_err(&why,
		       rc == GLOB_NOMATCH ? "%s: no such file, and no file matches the pattern"
					  : "%s: a directory cannot be read",
		       pattern);
		missing(&why);
		rc = 1;
	}
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
		rc = add_name(list, n, found.gl_pathv[i], e);
	globfree(&found);
	return rc;
}

struct named {
	char *real; /* real path; the name itself if it cannot be resolved */
	size_t i;
};

static int by_real_path(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->real, y->real);

	return order ? order : (x->i > y->i) - (x->i < y->i);
}

/* Drop each name of a file that is in the list already under this or another name. */
static int drop_repeated(char **list, size_t *n, struct pm_err *e)
{
	struct named *all = calloc(*n + 1, sizeof *all);
	int rc = all ? 0 : pm_err(e, "out of memory");
	size_t known = 0, kept = 0;

	for (; rc == 0 && known < *n; known++) {
		all[known].i = known;
		all[known].real =
			strcmp(list[known], "-") != 0 ? realpath(list[known], NULL) : NULL;
		if (!all[known].real && !(all[known].real = strdup(list[known]))) {
			rc = pm_err(e, "out of memory");
			break;
		}
	}
	if (rc == 0) {
		qsort(all, *n, sizeof *all, by_real_path);
		for (size_t k = 1; k < *n; k++)
			if (strcmp(all[k].real, all[k - 1].real) == 0) {
				free(list[all[k].i]);
				list[all[k].i] = NULL;
			}
		for (size_t i = 0; i < *n; i++)
			if (list[i])
				list[kept++] = list[i];
		*n = kept;
	}
	while (known > 0)
		free(all[--known].real);
	free(all);
	return rc;
}

int pm_operands_expand(char *const *operand, size_t count,
		       void (*missing)(const struct pm_err *why), char ***out, size_t *n,
		       struct pm_err *e)
{
	int rc = 0, some = 0;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < count && rc >= 0; i++) {
		rc = strpbrk(operand[i], "*?[") && access(operand[i], F_OK) < 0
			     ? add_matches(out, n, operand[i], missing, e)
			     : add_name(out, n, operand[i], e);
		some |= rc > 0;
	}
	if (rc >= 0)
		rc = drop_repeated(*out, n, e);
	if (rc < 0) {
		pm_operands_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return rc < 0 ? -1 : some;
}

void pm_operands_free(char **list, size_t n)
{
	while (n > 0)
		free(list[--n]);
	free(list);
}
