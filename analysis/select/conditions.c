/* SQL conditions with parameters, in the making. */
#include "config.h"

#include "analysis/select/conditions.h"

#include "analysis/select/wordlist.h"
#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

int pm_parameters_add(struct pm_parameters *p, const char *text, int64_t number, struct pm_err *e)
{
	char *copy = NULL;

	if ((text && !(copy = strdup(text))) || !PM_GROW(p->item, p->n, p->room, 8)) {
		free(copy);
		return pm_err(e, "out of memory");
	}
	p->item[p->n++] = (struct pm_parameter){ copy, number };
	return 0;
}

int pm_parameters_bind(const struct pm_parameters *p, struct pm_stmt *q, int from)
{
	for (size_t i = 0; i < p->n; i++, from++)
		if (p->item[i].text)
			pm_db_bind_str(q, from, p->item[i].text);
		else
			pm_db_bind_int(q, from, p->item[i].number);
	return from;
}

void pm_parameters_free(struct pm_parameters *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->item[i].text);
	free(p->item);
	*p = (struct pm_parameters){ .n = 0 };
}

void pm_conditions_begin(struct pm_conditions *c)
{
	fputs(c->any ? " AND " : c->lead, c->sql);
	c->any = true;
}

/* Write the alternatives of a list with texts before, between and behind them. */
static int write_list(struct pm_conditions *c, const char *list, pm_conditions_alternative *each,
		      const char *about, const char *const text[3], struct pm_err *e)
{
	char *copy, *rest, *word;
	int rc = 0;

	if (!list)
		return 0;
	copy = rest = strdup(list);
	if (!copy)
		return pm_err(e, "out of memory");
	pm_conditions_begin(c);
	fputs(text[0], c->sql);
	for (int n = 0; rc == 0 && (word = pm_wordlist_next(&rest, ',')) != NULL; n++) {
		if (n == PM_CONDITIONS_MOST) {
			rc = pm_err(e, "a list has more than %d alternatives", PM_CONDITIONS_MOST);
			break;
		}
		if (n)
			fputs(text[1], c->sql);
		rc = each(c, word, about, e);
	}
	fputs(text[2], c->sql);
	free(copy);
	return rc;
}

int pm_conditions_list(struct pm_conditions *c, const char *list, pm_conditions_alternative *each,
		       const char *about, struct pm_err *e)
{
	static const char *const text[] = { "(", " OR ", ")" };

	return write_list(c, list, each, about, text, e);
}

int pm_conditions_ids(struct pm_conditions *c, const char *list, pm_conditions_alternative *each,
		      const char *about, struct pm_err *e)
{
	static const char *const text[] = { "id IN (", " UNION ", ")" };

	return write_list(c, list, each, about, text, e);
}

int pm_conditions_pairs(struct pm_conditions *c, char *word, const char *about, struct pm_err *e)
{
	char *rest = word, *pair;
	int n = 0, rc = 0;

	while (rc == 0 && (pair = pm_wordlist_next(&rest, ';')) != NULL) {
		char *value = strchr(pair, ':');

		if (value)
			*value++ = '\0';
		if (!*pair)
			return pm_err(e,
				      "a pair is NAME:VALUE, or NAME alone; the name is missing");
		if (n == PM_CONDITIONS_MOST)
			return pm_err(e, "a group has more than %d pairs", PM_CONDITIONS_MOST);
		fprintf(c->sql, n ? " AND job_id IN (%s" : "%s", about);
		n++;
		rc = pm_parameters_add(c->values, pair, 0, e);
		for (int i = 0; rc == 0 && i < 2; i++)
			rc = pm_parameters_add(c->values, value ? value : "1", 0, e);
	}
	for (int i = 1; i < n; i++)
		fputc(')', c->sql);
	return rc;
}
