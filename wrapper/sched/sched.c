/* Find the batch system that runs our job, and read the job's identity from its variables. */
#include "config.h"

#include "wrapper/sched/sched.h"

#include "wrapper/node/host.h"
#include "wrapper/sched/sched_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Most ancestor processes that are searched for a daemon. */
#define ABOVE_MAX 64

struct pm_sched_value {
	size_t offset; /* of the field in struct pm_ident */
	enum pm_sched_form form;
	const char *variables; /* NULL ends the rows */
};

/* The values and facts of each batch system, in two passes over the table. */
#define PM_SCHED(id, daemons)      static const struct pm_sched_value values_##id[] = {
#define PM_SCHED_VALUE(f, form, v) { offsetof(struct pm_ident, f), PM_SCHED_##form, v },
#define PM_SCHED_FACT(name, variables)
#define PM_SCHED_END                                                                               \
	{                                                                                          \
		0, PM_SCHED_TEXT, NULL                                                             \
	}                                                                                          \
	}                                                                                          \
	;
#include "wrapper/sched/sched.def"
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
#include "wrapper/sched/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END

static const struct pm_sched table[] = {
#define PM_SCHED(id, daemons) { #id, daemons, values_##id, facts_##id },
#define PM_SCHED_VALUE(field, form, variables)
#define PM_SCHED_FACT(name, variables)
#define PM_SCHED_END
#include "wrapper/sched/sched.def"
#undef PM_SCHED
#undef PM_SCHED_VALUE
#undef PM_SCHED_FACT
#undef PM_SCHED_END
};

#define SCHEDULERS (sizeof table / sizeof table[0])

static const struct pm_sched_value no_values[] = { { 0, PM_SCHED_TEXT, NULL } };
static const struct pm_sched_fact no_facts[] = { { NULL, NULL } };
const struct pm_sched pm_sched_none = { "none", "", no_values, no_facts };

static void clear_ident(struct pm_ident *id)
{
	memset(id, 0, sizeof *id);
	id->restart_count = id->nodes = id->tasks = id->cpus = -1;
}

bool pm_sched_next(const char **list, char name[PM_SCHED_NAME], char *mark)
{
	while (**list) {
		const char *p = *list;
		size_t n = strcspn(p, " ");

		*mark = *p == '!' || *p == '?' ? *p : '\0';
		*list = p + n + strspn(p + n, " ");
		if (snprintf(name, PM_SCHED_NAME, "%.*s", (int)(n - (*mark != '\0')),
			     p + (*mark != '\0')) < PM_SCHED_NAME)
			return true;
	}
	return false;
}

/* Find the variable of a list that decides, by the rules of sched.def; its name goes to `name`.
 * Returns its value or NULL. */
static const char *find_variable(const char *list, char name[PM_SCHED_NAME])
{
	char mark;

	while (pm_sched_next(&list, name, &mark)) {
		const char *value = getenv(name);

		if (value && !*value)
			value = NULL;
		if (mark == '!' ? value != NULL : mark == '?' && !value)
			return NULL;
		if (!mark && value)
			return value;
	}
	return NULL;
}

const char *pm_sched_text(const char *variables)
{
	char name[PM_SCHED_NAME];

	return find_variable(variables, name);
}

/* Whether a field has no value yet. */
static bool is_unset(const struct pm_sched_value *v, const struct pm_ident *id)
{
	const char *field = (const char *)id + v->offset;

	if (v->form < PM_SCHED_NUMBER)
		return *(const char *const *)(const void *)field == NULL;
	/* An unknown time is 0, any other unknown number -1. */
	return *(const int64_t *)(const void *)field < (v->form == PM_SCHED_TIME ? 1 : 0);
}

static void set_field(const struct pm_sched_value *v, struct pm_ident *id, const char *text)
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
	clear_ident(id);
	id->scheduler = s->name;
	for (const struct pm_sched_value *v = s->value; v->variables; v++) {
		const char *text = is_unset(v, id) ? pm_sched_text(v->variables) : NULL;

		if (text)
			set_field(v, id, text);
	}
	return id->jobid != NULL;
}

char *pm_sched_variable(const struct pm_sched *s)
{
	char name[PM_SCHED_NAME];

	for (const struct pm_sched_value *v = s->value; v->variables; v++)
		if (v->offset == offsetof(struct pm_ident, jobid) &&
		    find_variable(v->variables, name))
			return strdup(name);
	return NULL;
}

const char *pm_sched_row(const struct pm_sched *s, bool array, size_t i)
{
	const size_t field =
		array ? offsetof(struct pm_ident, array_task) : offsetof(struct pm_ident, jobid);

	for (const struct pm_sched_value *v = s->value; v->variables; v++)
		if (v->offset == field && i-- == 0)
			return v->variables;
	return NULL;
}

const struct pm_sched *pm_sched_at(size_t i)
{
	return i < SCHEDULERS ? &table[i] : NULL;
}

/* Call fn for each variable of a list until fn returns true. Returns whether fn did. */
static bool any_variable(const char *list, bool (*fn)(const char *name, const char *wanted),
			 const char *wanted)
{
	char name[PM_SCHED_NAME], mark;

	while (list && pm_sched_next(&list, name, &mark))
		if (fn(name, wanted))
			return true;
	return false;
}

/* Call fn for each variable of the table until fn returns true. Returns whether fn did. */
static bool any_of_table(bool (*fn)(const char *name, const char *wanted), const char *wanted)
{
	for (size_t s = 0; s < SCHEDULERS; s++) {
		for (const struct pm_sched_value *v = table[s].value; v->variables; v++)
			if (any_variable(v->variables, fn, wanted))
				return true;
		for (const struct pm_sched_fact *f = table[s].facts; f->name; f++)
			if (any_variable(f->variable, fn, wanted))
				return true;
	}
	return false;
}

static bool is_same(const char *name, const char *wanted)
{
	return strcmp(name, wanted) == 0;
}

static bool unset_variable(const char *name, const char *wanted)
{
	(void)wanted;
	unsetenv(name);
	return false;
}

bool pm_sched_knows(const char *variable)
{
	return any_of_table(is_same, variable);
}

void pm_sched_forget(void)
{
	any_of_table(unset_variable, NULL);
}

/* Whether a process of the name `comm` is one of the daemons. */
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

	/* The daemons matter only when the environment names jobs of several batch systems. */
	for (size_t s = 0; s < SCHEDULERS; s++)
		found += pm_sched_fill(&table[s], id);
	if (found > 1)
		n = pm_sched_above(above, ABOVE_MAX, &whole);
	return pm_sched_choose(above, n, id, &seen);
}
