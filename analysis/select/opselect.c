/* Selections of processes by their tags. */
#include "config.h"

#include "analysis/select/opselect.h"

#include "analysis/select/wordlist.h"
#include "common/grow.h"
#include "common/memtext.h"
#include "common/safe/tsv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between a name and its value, and behind that: escaped text has no control characters. */
#define TO_VALUE '\1'
#define TO_NEXT  '\2'

/* A text as the database has it, new; NULL if out of memory. */
static char *escaped(const char *text)
{
	const size_t n = strlen(text);
	struct pm_buf b;
	char *to = malloc(4 * n + 1);

	if (!to)
		return NULL;
	pm_buf_init(&b, to, 4 * n);
	pm_tsv_escape(&b, text, n);
	to[b.len] = '\0';
	return to;
}

/* Add a tag to a group, unless it has the name. Returns 0 or -1 with e filled. */
static int add_tag(struct pm_opselect_group *g, const char *name, const char *value, bool once,
		   struct pm_err *e)
{
	struct pm_optag tag = { escaped(name), value ? escaped(value) : NULL };

	for (size_t i = 0; once && tag.name && i < g->tags; i++)
		if (strcmp(g->tag[i].name, tag.name) == 0) {
			free(tag.name);
			return 0;
		}
	if (!tag.name || (value && !tag.value) || !PM_GROW(g->tag, g->tags, g->room, 4)) {
		free(tag.name);
		free(tag.value);
		return pm_err(e, "out of memory");
	}
	g->tag[g->tags++] = tag;
	return 0;
}

static struct pm_opselect_group *new_group(struct pm_opselect *s, struct pm_err *e)
{
	s->mode = PM_OPSELECT_GROUPS;
	if (!PM_GROW(s->group, s->groups, s->room, 4)) {
		pm_err(e, "out of memory");
		return NULL;
	}
	s->group[s->groups] = (struct pm_opselect_group){ .tag = NULL };
	return &s->group[s->groups++];
}

int pm_opselect_add(struct pm_opselect *s, const char *name, const char *value, struct pm_err *e)
{
	struct pm_opselect_group *g = new_group(s, e);

	return g ? add_tag(g, name, value, false, e) : -1;
}

int pm_opselect_take(struct pm_opselect *s, char *text, struct pm_err *e)
{
	struct pm_opselect_group *g = new_group(s, e);
	char *pair;
	int rc = g ? 0 : -1;

	while (rc == 0 && (pair = pm_wordlist_next(&text, ';')) != NULL) {
		char *value = strchr(pair, ':');

		if (value)
			*value++ = '\0';
		if (!*pair)
			return pm_err(
				e,
				"a tag is NAME:VALUE, or NAME for any value; the name is missing");
		rc = add_tag(g, pair, value, false, e);
	}
	return rc;
}

static int take_groups(struct pm_opselect *s, char *text, struct pm_err *e)
{
	char *word;

	while ((word = pm_wordlist_next(&text, ',')) != NULL)
		if (pm_opselect_take(s, word, e) < 0)
			return -1;
	return 0;
}

/* Add the names to each group. */
static int take_names(struct pm_opselect *s, char *text, struct pm_err *e)
{
	char *word;

	if (!s->groups && !new_group(s, e))
		return -1;
	while ((word = pm_wordlist_next(&text, ',')) != NULL) {
		if (!*word)
			return pm_err(e, "the name of a tag is missing");
		for (size_t i = 0; i < s->groups; i++)
			if (add_tag(&s->group[i], word, NULL, true, e) < 0)
				return -1;
	}
	return 0;
}

int pm_opselect_make(struct pm_opselect *s, const char *tag, const char *by, struct pm_err *e)
{
	const char *const text[] = { tag, by };
	int (*const take[])(struct pm_opselect * s, char *text, struct pm_err *e) = { take_groups,
										      take_names };
	int rc = 0;

	*s = (struct pm_opselect){ .mode = PM_OPSELECT_ALL };
	for (size_t i = 0; i < 2 && rc == 0; i++) {
		char *copy = text[i] ? strdup(text[i]) : NULL;

		if (copy)
			rc = take[i](s, copy, e);
		else if (text[i])
			rc = pm_err(e, "out of memory");
		free(copy);
	}
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pm_optag *)a)->name, ((const struct pm_optag *)b)->name);
}

void pm_opselect_sort(struct pm_opselect *s)
{
	for (size_t i = 0; i < s->groups; i++)
		if (s->group[i].tags)
			qsort(s->group[i].tag, s->group[i].tags, sizeof *s->group[i].tag, by_name);
}

int pm_opselect_add_key(struct pm_opselect *s, const char *key, struct pm_err *e)
{
	struct pm_opselect_group *g = new_group(s, e);
	const char *name, *value;
	size_t names, values;

	if (!g)
		return -1;
	while (pm_opselect_next(&key, &name, &names, &value, &values)) {
		struct pm_optag tag = { strndup(name, names), strndup(value, values) };

		if (!tag.name || !tag.value || !PM_GROW(g->tag, g->tags, g->room, 4)) {
			free(tag.name);
			free(tag.value);
			return pm_err(e, "out of memory");
		}
		g->tag[g->tags++] = tag;
	}
	return 0;
}

static const char *value_of(const struct pm_optag *tag, size_t tags, const char *name)
{
	for (size_t i = 0; i < tags; i++)
		if (strcmp(tag[i].name, name) == 0)
			return tag[i].value;
	return NULL;
}

/* Write a key of the tags that a group names, or of all. Returns 1, 0 where one is missing, or -1.
 */
static int write_key(const struct pm_opselect_group *g, const struct pm_optag *tag, size_t tags,
		     char **key)
{
	const struct pm_optag *named = g ? g->tag : tag;
	const size_t n = g ? g->tags : tags;
	size_t size;
	FILE *out = open_memstream(key, &size);
	bool has = n > 0;

	if (!out)
		return -1;
	for (size_t i = 0; has && i < n; i++) {
		const char *value = g ? value_of(tag, tags, named[i].name) : named[i].value;

		has = value && (!g || !named[i].value || strcmp(named[i].value, value) == 0);
		if (has)
			fprintf(out, "%s%c%s%c", named[i].name, TO_VALUE, value, TO_NEXT);
	}
	if (!pm_memtext_end(out, key))
		return -1;
	return has;
}

static int apply_one(const struct pm_opselect_group *g, const struct pm_optag *tag, size_t tags,
		     int (*each)(void *ctx, const char *key, struct pm_err *e), void *ctx,
		     struct pm_err *e)
{
	char *key = NULL;
	int rc = write_key(g, tag, tags, &key);

	if (rc < 0)
		return pm_err(e, "out of memory");
	if (rc > 0)
		rc = each(ctx, key, e);
	free(key);
	return rc;
}

int pm_opselect_apply(const struct pm_opselect *s, const struct pm_optag *tag, size_t tags,
		      int (*each)(void *ctx, const char *key, struct pm_err *e), void *ctx,
		      struct pm_err *e)
{
	int rc = 0;

	switch (s->mode) {
	case PM_OPSELECT_ALL:
		return apply_one(NULL, tag, tags, each, ctx, e);
	case PM_OPSELECT_EACH:
		for (size_t i = 0; i < tags && rc == 0; i++)
			rc = apply_one(NULL, tag + i, 1, each, ctx, e);
		return rc;
	case PM_OPSELECT_GROUPS:
		for (size_t i = 0; i < s->groups && rc == 0; i++)
			rc = apply_one(&s->group[i], tag, tags, each, ctx, e);
		return rc;
	}
	return rc;
}

char *pm_opselect_only_key(const struct pm_opselect *s)
{
	char *key = NULL;

	if (s->groups != 1)
		return NULL;
	if (write_key(NULL, s->group[0].tag, s->group[0].tags, &key) > 0)
		return key;
	free(key);
	return NULL;
}

bool pm_opselect_next(const char **key, const char **name, size_t *names, const char **value,
		      size_t *values)
{
	const char *between = strchr(*key, TO_VALUE);
	const char *end = between ? strchr(between, TO_NEXT) : NULL;

	if (!end)
		return false;
	*name = *key;
	*names = (size_t)(between - *key);
	*value = between + 1;
	*values = (size_t)(end - *value);
	*key = end + 1;
	return true;
}

char *pm_opselect_text(const char *key)
{
	char *text = strdup(key), *p = text;

	for (; p && *p; p++)
		if (*p == TO_VALUE)
			*p = ':';
		else if (*p == TO_NEXT)
			*p = p[1] ? ';' : '\0';
	return text;
}

void pm_opselect_free(struct pm_opselect *s)
{
	for (size_t i = 0; i < s->groups; i++) {
		for (size_t k = 0; k < s->group[i].tags; k++) {
			free(s->group[i].tag[k].name);
			free(s->group[i].tag[k].value);
		}
		free(s->group[i].tag);
	}
	free(s->group);
	*s = (struct pm_opselect){ .mode = PM_OPSELECT_ALL };
}
