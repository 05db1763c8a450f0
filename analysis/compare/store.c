/* Figures by name, kind and job, and facts by name and job. */
#include "config.h"

#include "analysis/compare/store.h"

#include "common/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fact of a job is cut here, in bytes: one of a thousand hosts. */
#define TEXT_MOST 4096

struct pm_compare_store *pm_compare_store_new(size_t jobs)
{
	struct pm_compare_store *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->jobs = jobs;
	for (size_t i = 0; i < PM_COMPARE_SCOPES; i++) {
		pm_opsets_init(&s->of[i], NULL, false);
		s->known[i] = calloc(jobs + 1, sizeof *s->known[i]);
		if (!s->known[i]) {
			pm_compare_store_free(s);
			return NULL;
		}
	}
	for (size_t i = 0; i < PM_COMPARE_ABOUT; i++)
		pm_opsets_init(&s->fact[i], NULL, false);
	return s;
}

double *pm_compare_store_row(struct pm_compare_store *s, enum pm_compare_scope scope,
			     const char *of, size_t job)
{
	const int64_t i = pm_opsets_number(&s->of[scope], of, 0);
	size_t kinds, width;

	pm_compare_kinds(scope, &kinds);
	width = kinds * s->jobs;
	if (i < 0 ||
	    !PM_GROW_BY(s->value[scope], s->filled[scope],
			s->of[scope].ops * width - s->filled[scope], s->room[scope], 16 * width))
		return NULL;
	while (s->filled[scope] < s->of[scope].ops * width)
		s->value[scope][s->filled[scope]++] = NAN;
	return s->value[scope] + (size_t)i * width + job;
}

/* Whether a list with commas between has this element. */
static bool has_element(const char *list, const char *text, size_t n)
{
	for (const char *p = list; p; p = strstr(p, ", "), p = p ? p + 2 : NULL)
		if (strncmp(p, text, n) == 0 && (!p[n] || strncmp(p + n, ", ", 2) == 0))
			return true;
	return false;
}

int pm_compare_store_fact(struct pm_compare_store *s, enum pm_compare_about about, const char *name,
			  size_t job, const char *text, size_t n, struct pm_err *e)
{
	const int64_t i = pm_opsets_number(&s->fact[about], name, 0);
	const size_t have = s->fact[about].ops * s->jobs;
	char **to, *grown;
	size_t old;

	if (i < 0 || !PM_GROW_BY(s->text[about], s->texts[about], have - s->texts[about],
				 s->text_room[about], 16 * s->jobs))
		return pm_err(e, "out of memory");
	while (s->texts[about] < have)
		s->text[about][s->texts[about]++] = NULL;
	to = &s->text[about][(size_t)i * s->jobs + job];
	old = *to ? strlen(*to) : 0;
	if (*to && (has_element(*to, text, n) || old + n + 2 > TEXT_MOST))
		return 0;
	grown = realloc(*to, old + n + 3);
	if (!grown)
		return pm_err(e, "out of memory");
	memcpy(grown + old, ", ", 2);
	memcpy(grown + old + (old ? 2 : 0), text, n);
	grown[old + (old ? 2 : 0) + n] = '\0';
	*to = grown;
	return 0;
}

void pm_compare_store_free(struct pm_compare_store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < PM_COMPARE_SCOPES; i++) {
		pm_opsets_free(&s->of[i]);
		free(s->value[i]);
		free(s->known[i]);
	}
	for (size_t i = 0; i < PM_COMPARE_ABOUT; i++) {
		for (size_t k = 0; k < s->texts[i]; k++)
			free(s->text[i][k]);
		free(s->text[i]);
		pm_opsets_free(&s->fact[i]);
	}
	free(s);
}
