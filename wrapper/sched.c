/* Which batch system we are in, and what it says of the job. */
#include "config.h"

#include "wrapper/sched.h"
#include "wrapper/host.h"
#include "wrapper/sched_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How far up we look, in processes. */
#define ABOVE_MAX 64

struct pm_sched_value {
	size_t offset; /* of the field in struct pm_ident */
	enum pm_sched_form form;
	const char *variables; /* NULL ends the rows */
};

/* The rows of each, in two passes over the table. */
#define PM_SCHED(id, daemons)      static const struct pm_sched_value values_##id[] = {
#define PM_SCHED_VALUE(f, form, v) { offsetof(struct pm_ident, f), PM_SCHED_##form, v },
#define PM_SCHED_FACT(name, variables)
#define PM_SCHED_END                                                                               \
	{                                                                                          \
		0, PM_SCHED_TEXT, NULL                                                             \
	}                                                                                          \
	}                                                                                          \
	;
#include "wrapper/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END

#define PM_SCHED(id, daemons) static const struct pm_sched_fact facts_##id[] = {
#define PM_SCHED_VALUE(field, form, variables)
#define PM_SCHED_FACT(name, variables) { name, variables },
#define PM_SCHED_END                                                                               \
	{                                                                                          \
		NULL, NULL                                                                         \
	}                                                                                          \
	}                                                                                          \
	;
#include "wrapper/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END

static const struct pm_sched table[] = {
#define PM_SCHED(id, daemons) { #id, daemons, values_##id, facts_##id },
#define PM_SCHED_VALUE(field, form, variables)
#define PM_SCHED_FACT(name, variables)
#define PM_SCHED_END
#include "wrapper/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END
};

#define SCHEDULERS (sizeof table / sizeof table[0])

static const struct pm_sched_value no_values[] = { { 0, PM_SCHED_TEXT, NULL } };
static const struct pm_sched_fact no_facts[] = { { NULL, NULL } };
const struct pm_sched pm_sched_none = { "none", "", no_values, no_facts };

static void clear(struct pm_ident *id)
{
	memset(id, 0, sizeof *id);
	id->restart_count = id->nodes = id->tasks = id->cpus = -1;
}

/* The variable of a list that decides, in `name`. Returns its value or NULL. */
static const char *find_variable(const char *list, char *name, size_t size)
{
	while (*list) {
		size_t n = strcspn(list, " ");
		const char *value = NULL;
		char mark = *list;

		if (snprintf(name, size, "%.*s", (int)n, list) < (int)size)
			value = getenv(mark == '!' || mark == '?' ? name + 1 : name);
		if (value && !*value)
			value = NULL;
		if (mark == '!' ? value != NULL : mark == '?' && !value)
			return NULL;
		if (mark != '!' && mark != '?' && value)
			return value;
		list += n;
		list += strspn(list, " ");
	}
	return NULL;
}

const char *pm_sched_text(const char *variables)
{
	char name[64];

	return find_variable(variables, name, sizeof name);
}

/* Whether a field has no value yet. */
static bool is_unset(const struct pm_sched_value *v, const struct pm_ident *id)
{
	const char *field = (const char *)id + v->offset;

	if (v->form < PM_SCHED_NUMBER)
		return *(const char *const *)(const void *)field == NULL;
	/* Of times 0 is unknown. */
	return *(const int64_t *)(const void *)field < (v->form == PM_SCHED_TIME ? 1 : 0);
}

static void set(const struct pm_sched_value *v, struct pm_ident *id, const char *text)
{
	void *field = (char *)id + v->offset;
	int64_t number;

	if (v->form < PM_SCHED_NUMBER) {
		*(const char **)field = pm_sched_form_text(v->form, text);
		return;
	}
	number = pm_sched_form_number(v->form, text);
	if (number >= 0)
		*(int64_t *)field = number;
}

bool pm_sched_fill(const struct pm_sched *s, struct pm_ident *id)
{
	clear(id);
	id->scheduler = s->name;
	for (const struct pm_sched_value *v = s->value; v->variables; v++) {
		const char *text = is_unset(v, id) ? pm_sched_text(v->variables) : NULL;

		if (text)
			set(v, id, text);
	}
	return id->jobid != NULL;
}

char *pm_sched_variable(const struct pm_sched *s)
{
	char name[64];

	for (const struct pm_sched_value *v = s->value; v->variables; v++)
		if (v->offset == offsetof(struct pm_ident, jobid) &&
		    find_variable(v->variables, name, sizeof name))
			return strdup(name);
	return NULL;
}

const struct pm_sched *pm_sched_at(size_t i)
{
	return i < SCHEDULERS ? &table[i] : NULL;
}

/* Whether a process is one of the daemons. */
static bool is_daemon(const char *daemons, const char *comm)
{
	while (*daemons) {
		size_t n = strcspn(daemons, " ");
		bool any = n > 0 && daemons[n - 1] == '*';

		if (strncmp(comm, daemons, n - any) == 0 && (any || !comm[n]))
			return true;
		daemons += n;
		daemons += strspn(daemons, " ");
	}
	return false;
}

const struct pm_sched *pm_sched_choose(char (*above)[PM_SCHED_COMM], size_t n, struct pm_ident *id,
				       bool *seen)
{
	*seen = true;
	for (size_t i = 0; i < n; i++)
		for (size_t s = 0; s < SCHEDULERS; s++)
			if (is_daemon(table[s].daemons, above[i]) && pm_sched_fill(&table[s], id))
				return &table[s];
	*seen = false;
	for (size_t s = 0; s < SCHEDULERS; s++)
		if (pm_sched_fill(&table[s], id))
			return &table[s];
	pm_sched_fill(&pm_sched_none, id);
	return &pm_sched_none;
}

size_t pm_sched_above(char (*above)[PM_SCHED_COMM], size_t max, bool *whole)
{
	int64_t pid = getppid();
	size_t n = 0;

	*whole = false;
	while (n < max && pid > 0 && pm_host_program(pid, above[n], sizeof above[n], &pid) == 0)
		n++;
	*whole = n > 0 && pid == 0;
	return n;
}

const struct pm_sched *pm_sched_identify(struct pm_ident *id)
{
	char above[ABOVE_MAX][PM_SCHED_COMM];
	size_t found = 0, n = 0;
	bool seen, whole;

	/* With one batch system or none there is nothing to choose. */
	for (size_t s = 0; s < SCHEDULERS; s++)
		found += pm_sched_fill(&table[s], id);
	if (found > 1)
		n = pm_sched_above(above, ABOVE_MAX, &whole);
	return pm_sched_choose(above, n, id, &seen);
}
