/* Labels of the processes of a job. */
#include "config.h"

#include "report/rows/labels.h"

#include "common/grow.h"
#include "common/record/processname.h"
#include "report/rows/names.h"

#include <stdlib.h>
#include <string.h>

/* Labels kept by what they are made of besides the executable, and the longest text that is:
 * scripts are run again and again. */
#define CACHE    4096
#define TEXT_MAX 2048

struct made {
	char *from; /* NULL: nothing is kept here */
	size_t n;
	size_t exe;
	int64_t label;
};

struct pm_labels {
	bool utf8;
	struct pm_names labels;
	json_t *exe_number; /* by their names */
	struct exe {
		enum pm_processname_use use;
		int64_t label; /* of all its processes; -1: not known, or they have several */
	} * exe;
	size_t exes, exe_room;
	struct made made[CACHE];
};

struct pm_labels *pm_labels_new(bool utf8)
{
	struct pm_labels *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->utf8 = utf8;
	l->exe_number = json_object();
	if (pm_names_init(&l->labels) == 0 && l->exe_number)
		return l;
	pm_labels_free(l);
	return NULL;
}

void pm_labels_free(struct pm_labels *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < CACHE; i++)
		free(l->made[i].from);
	pm_names_free(&l->labels);
	json_decref(l->exe_number);
	free(l->exe);
	free(l);
}

static int64_t make_label(struct pm_labels *l, const char *exename, const char *args,
			  const char *comm)
{
	char label[PM_PROCESSNAME_MAX];

	return pm_names_number(&l->labels, pm_processname(label, exename, args, comm, l->utf8));
}

/* Find an executable, or add it. Returns its number, or -1 if out of memory. */
static int64_t find_exe(struct pm_labels *l, const char *name)
{
	const json_t *known = json_object_get(l->exe_number, name);

	if (known)
		return json_integer_value(known);
	/* Names in damaged databases are no UTF-8. */
	if (!PM_GROW(l->exe, l->exes, l->exe_room, 64) ||
	    json_object_set_new_nocheck(l->exe_number, name, json_integer((json_int_t)l->exes)) < 0)
		return -1;
	l->exe[l->exes] = (struct exe){ pm_processname_uses(name), -1 };
	return (int64_t)l->exes++;
}

static size_t hash(size_t seed, const char *text, size_t n)
{
	uint64_t h = seed, word = 0;

	for (; n >= sizeof word; text += sizeof word, n -= sizeof word) {
		memcpy(&word, text, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (; n > 0; text++, n--)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h ^ h >> 29);
}

/* The number of the label that an executable and a text make: its arguments, or the name of its
 * thread. Returns -1 if out of memory. */
static int64_t find_label(struct pm_labels *l, size_t exe, const char *exename, const char *text)
{
	const bool args = l->exe[exe].use == PM_PROCESSNAME_ARGS;
	const size_t n = strlen(text);
	struct made *m = &l->made[hash(exe, text, n) % CACHE];
	int64_t label;

	if (m->from && m->exe == exe && m->n == n && memcmp(m->from, text, n) == 0)
		return m->label;
	label = make_label(l, exename, args ? text : NULL, args ? NULL : text);
	if (label < 0 || n > TEXT_MAX)
		return label;
	free(m->from);
	*m = (struct made){ strdup(text), n, exe, label };
	return label;
}

int64_t pm_labels_number(struct pm_labels *l, const char *exename, const char *args,
			 const char *comm)
{
	int64_t number;
	struct exe *x;

	if (!exename || !*exename)
		return make_label(l, exename, args, comm);
	number = find_exe(l, exename);
	if (number < 0)
		return -1;
	x = &l->exe[number];
	switch (x->use) {
	case PM_PROCESSNAME_ARGS:
		return find_label(l, (size_t)number, exename, args ? args : "");
	case PM_PROCESSNAME_COMM:
		return find_label(l, (size_t)number, exename, comm ? comm : "");
	case PM_PROCESSNAME_EXENAME:
		break;
	}
	if (x->label < 0)
		x->label = make_label(l, exename, args, comm);
	return x->label;
}

const char *pm_labels_text(const struct pm_labels *l, int64_t number)
{
	return json_string_value(json_array_get(l->labels.list, (size_t)number));
}

size_t pm_labels_count(const struct pm_labels *l)
{
	return json_array_size(l->labels.list);
}
