/* Facts of a job: programs that could not be recorded at all, or not to their end. */
#include "config.h"

#include "report/pass/pass.h"

#include "common/grow.h"
#include "common/text.h"
#include "report/pass/processparts.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXECVE "execve "

/* Processes of the same program, with the same last call. */
struct kind {
	const char *name, *call; /* as in table process; NULL: unknown */
	bool killed;
	int64_t count;
};

struct unrecorded {
	struct kind **kind;
	size_t kinds, room;
	void *tree; /* of them, by what tells them apart; owned */
};

/* Append a program's name and count to the list of names, or "..." where it is full. */
static void add_name(struct pm_fact_unrecorded *x, const char *name, const char *why, int64_t count,
		     bool utf8)
{
	char label[PM_PROCESSNAME_MAX], reason[48] = "", one[PM_PROCESSNAME_MAX + 128];
	size_t len = strlen(x->names);
	int n;

	x->count += count;
	pm_processname(label, name, NULL, NULL, utf8);
	if (why)
		pm_text_safe(reason, sizeof reason, why, strlen(why), utf8);
	n = snprintf(one, sizeof one, "%s%s%s", label, why || count > 1 ? " (" : "", reason);
	if (count > 1)
		n += snprintf(one + n, sizeof one - (size_t)n, "%s%lld times", why ? ", " : "",
			      (long long)count);
	if (why || count > 1)
		n += snprintf(one + n, sizeof one - (size_t)n, ")");
	if (len + (size_t)n + sizeof ", ..." < sizeof x->names)
		snprintf(x->names + len, sizeof x->names - len, "%s%s", len ? ", " : "", one);
	else if (len < 3 || strcmp(x->names + len - 3, "...") != 0)
		snprintf(x->names + len, sizeof x->names - len, ", ...");
}

static void add_kind(struct pm_facts *f, const struct kind *k, bool utf8)
{
	const char *name = k->name, *call = k->call;
	bool exec = call && strncmp(call, "execve", 6) == 0;

	if (exec && (strncmp(call, EXECVE "E", 8) == 0 || strcmp(call, EXECVE "failed") == 0))
		add_name(&f->refused, name, call + sizeof EXECVE - 1, k->count, utf8);
	else if (exec && call[6])
		add_name(&f->unsuited, name, call + sizeof EXECVE - 1, k->count, utf8);
	else if (k->killed && (exec || !name))
		f->killed_early += k->count;
	else if (exec)
		add_name(&f->silent, name, NULL, k->count, utf8);
	else if (call && !exec)
		add_name(&f->departed, name, call, k->count, utf8);
}

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct pm_facts *f = j->f;

	if (f->retired) {
		f->refused.count = f->unsuited.count = f->silent.count = f->departed.count =
			f->killed_early = PM_UNKNOWN;
		return 0;
	}
	/* Each such process is counted in one of the two. */
	if (f->without_end == 0 && f->reaped_only == 0)
		return 0;
	*part = calloc(1, sizeof(struct unrecorded));
	return *part ? 0 : pm_err(e, "list unrecorded programs: out of memory");
}

/* Compare texts, NULL first. */
static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_name(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int order = compare_texts(x->name, y->name);

	if (order == 0)
		order = compare_texts(x->call, y->call);
	return order ? order : x->killed - y->killed;
}

static void free_kind(void *node)
{
	struct kind *k = node;

	if (!k)
		return;
	free((void *)(uintptr_t)k->name);
	free((void *)(uintptr_t)k->call);
	free(k);
}

/* A copy of a kind, with its texts. Returns NULL if out of memory. */
static struct kind *copy_kind(const struct kind *from)
{
	struct kind *k = malloc(sizeof *k);

	if (!k)
		return NULL;
	*k = *from;
	k->name = from->name ? strdup(from->name) : NULL;
	k->call = from->call ? strdup(from->call) : NULL;
	if ((k->name || !from->name) && (k->call || !from->call))
		return k;
	free_kind(k);
	return NULL;
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	const struct kind key = { r->exename, r->last_call, r->exitsignal != PM_UNKNOWN, 1 };
	struct unrecorded *x = part;
	struct kind **found, *new;

	if (!r->last_call && r->image_us != PM_UNKNOWN)
		return 0;
	found = tfind(&key, &x->tree, by_name);
	if (found) {
		(*found)->count++;
		return 0;
	}
	new = copy_kind(&key);
	if (!new || !PM_GROW(x->kind, x->kinds, x->room, 64) || !tsearch(new, &x->tree, by_name)) {
		free_kind(new);
		return pm_err(e, "list unrecorded programs: out of memory");
	}
	x->kind[x->kinds++] = new;
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct kind *x = *(struct kind *const *)a, *y = *(struct kind *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_name(x, y);
}

static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct unrecorded *x = part;

	(void)e;
	if (x->kinds > 0)
		qsort(x->kind, x->kinds, sizeof x->kind[0], by_count);
	for (size_t i = 0; i < x->kinds; i++)
		add_kind(j->f, x->kind[i], j->utf8);
	return 0;
}

static void free_unrecorded(void *part)
{
	struct unrecorded *x = part;

	tdestroy(x->tree, free_kind);
	free(x->kind);
	free(x);
}

const struct pm_processpart pm_processpart_unrecorded = { begin, take, finish, free_unrecorded };
