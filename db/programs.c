/* Group the processes of a job by program, and add up what they used. */
#include "config.h"

#include "db/programs.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of programs and of executables. Where a job has more programs, each executable
 * with more than FEW_MAX labels becomes one program; where then more than MULTIS_MAX executables
 * have labels that more than their name tells, all executables do. None of this depends on the
 * order of processes.
 */
#define PROGRAMS_MAX 8192
#define FEW_MAX      64
#define MULTIS_MAX   (PROGRAMS_MAX / FEW_MAX)

/* Slots of the hash tables at first, powers of two: most jobs have few programs. The cache of
 * arguments has as many as the table of groups, up to CACHE_MAX. */
#define SLOTS     64
#define CACHE_MAX 4096

/* Bytes of arguments that a label is made of. */
#define ARGS_MAX 800

#define NONE UINT32_MAX

/* A sum or a largest value. */
struct total {
	bool known;
	__int128 v;
};

struct group {
	uint32_t exe;
	char label[PM_PROCESSNAME_MAX];
	int64_t count[PM_PROGRAM_COUNTS];
	struct total total[PM_PROGRAM_VALUES];
};

/* An executable. */
struct exe {
	char *name;
	size_t n;
	enum pm_processname_use use;
	uint32_t group; /* of its processes if its name alone tells it, else NONE */
	uint32_t labels;
	bool one; /* its labels were too many */
};

struct pm_programs {
	struct group *group;
	size_t groups, groups_room;
	struct exe *exe;
	size_t exes, exes_room;
	size_t multis;                   /* executables whose name is not all of their label */
	uint32_t *group_slot, *exe_slot; /* hash tables of indexes + 1, half empty at least */
	size_t group_slots, exe_slots, caches;
	struct {
		uint64_t hash; /* of an executable and what else makes its label */
		uint32_t group;
	} * cache;
	/* What tells programs apart. */
	enum { BY_LABEL, BY_FEW, BY_EXENAME, BY_NOTHING } by;
};

_Static_assert(PM_PROGRAM_TINY == 512, "the help in sql/programvalues.def says so");

static const bool is_peak[PM_PROGRAM_VALUES] = {
#define SUM                                           false
#define PEAK                                          true
#define PM_PROGRAMVALUE(id, column, unit, kind, help) [PM_PROGRAM_##id] = kind,
#include "sql/programvalues.def"
#undef PM_PROGRAMVALUE
#undef SUM
#undef PEAK
};

const char pm_programs_columns[] = "program, processes, runs, threads_known, failed, killed"
#define PM_PROGRAMVALUE(id, column, unit, kind, help) ", " column
#include "sql/programvalues.def"
#undef PM_PROGRAMVALUE
	;

const char *pm_programs_column(int i)
{
	static const char *const name[PM_PROGRAM_COLUMNS] = {
		"processes", "runs", "threads_known", "failed", "killed",
#define PM_PROGRAMVALUE(id, column, unit, kind, help) column,
#include "sql/programvalues.def"
#undef PM_PROGRAMVALUE
	};

	return name[i];
}

int64_t pm_programs_number(const struct pm_program *p, int i)
{
	return i < PM_PROGRAM_COUNTS ? p->count[i] : p->value[i - PM_PROGRAM_COUNTS];
}

static uint64_t mix_bytes(uint64_t h, const char *p, size_t n)
{
	for (; n > 0;) {
		uint64_t word = 0;
		size_t some = n < sizeof word ? n : sizeof word;

		memcpy(&word, p, some);
		h = (h ^ word ^ some) * 0x9e3779b97f4a7c15;
		h ^= h >> 29;
		p += some;
		n -= some;
	}
	return h;
}

/* Enter an index into a hash table. */
static void enter(uint32_t *slot, size_t slots, uint64_t hash, size_t index)
{
	size_t i = hash % slots;

	while (slot[i])
		i = (i + 1) % slots;
	slot[i] = (uint32_t)index + 1;
}

/* Give the table of groups so many slots, and empty the cache. Returns 0, or -1 if out of memory.
 */
static int resize_groups(struct pm_programs *s, size_t slots)
{
	size_t caches = slots < CACHE_MAX ? slots : CACHE_MAX;
	uint32_t *slot = calloc(slots, sizeof *slot);
	void *cache = calloc(caches, sizeof *s->cache);

	if (!slot || !cache) {
		free(slot);
		free(cache);
		return -1;
	}
	free(s->group_slot);
	free(s->cache);
	s->group_slot = slot;
	s->group_slots = slots;
	s->cache = cache;
	s->caches = caches;
	for (size_t i = 0; i < s->groups; i++)
		enter(slot, slots,
		      mix_bytes(s->group[i].exe, s->group[i].label, strlen(s->group[i].label)), i);
	return 0;
}

/* Give the table of executables so many slots. Returns 0, or -1 if out of memory. */
static int resize_exes(struct pm_programs *s, size_t slots)
{
	uint32_t *slot = calloc(slots, sizeof *slot);

	if (!slot)
		return -1;
	free(s->exe_slot);
	s->exe_slot = slot;
	s->exe_slots = slots;
	for (size_t i = 0; i < s->exes; i++)
		enter(slot, slots, mix_bytes(0, s->exe[i].name, s->exe[i].n), i);
	return 0;
}

struct pm_programs *pm_programs_new(void)
{
	struct pm_programs *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	if (resize_groups(s, SLOTS) == 0 && resize_exes(s, SLOTS) == 0)
		return s;
	pm_programs_free(s);
	return NULL;
}

void pm_programs_free(struct pm_programs *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->exes; i++)
		free(s->exe[i].name);
	free(s->exe);
	free(s->group);
	free(s->group_slot);
	free(s->exe_slot);
	free(s->cache);
	free(s);
}

static void add_total(struct total *to, const struct total *from, bool peak)
{
	if (!from->known)
		return;
	if (!peak)
		to->v += from->v;
	else if (!to->known || to->v < from->v)
		to->v = from->v;
	to->known = true;
}

static void add_group(struct group *to, const struct group *from)
{
	for (int i = 0; i < PM_PROGRAM_COUNTS; i++)
		to->count[i] += from->count[i];
	for (int i = 0; i < PM_PROGRAM_VALUES; i++)
		add_total(&to->total[i], &from->total[i], is_peak[i]);
}

/* Find the group of an executable and label, or add it. Returns its index, NONE if out of memory.
 */
static uint32_t group_of(struct pm_programs *s, uint32_t exe, const char *label)
{
	struct group *g;
	size_t i;

	if (2 * (s->groups + 1) > s->group_slots && resize_groups(s, 4 * s->group_slots) < 0)
		return NONE;
	i = mix_bytes(exe, label, strlen(label)) % s->group_slots;
	for (; s->group_slot[i]; i = (i + 1) % s->group_slots) {
		g = &s->group[s->group_slot[i] - 1];
		if (g->exe == exe && strcmp(g->label, label) == 0)
			return s->group_slot[i] - 1;
	}
	if (!PM_GROW(s->group, s->groups, s->groups_room, 64))
		return NONE;
	g = &s->group[s->groups++];
	memset(g, 0, sizeof *g);
	g->exe = exe;
	memcpy(g->label, label, strlen(label) + 1);
	s->group_slot[i] = (uint32_t)s->groups;
	s->exe[exe].labels++;
	return (uint32_t)s->groups - 1;
}

/* Group anew by less. Returns 0, or -1 if out of memory. */
static int regroup(struct pm_programs *s)
{
	struct group *old = s->group;
	size_t n = s->groups;
	int rc = 0;

	s->by = s->exes > PROGRAMS_MAX ? BY_NOTHING : s->multis > MULTIS_MAX ? BY_EXENAME : BY_FEW;
	for (size_t i = 0; i < s->exes; i++) {
		s->exe[i].one = s->exe[i].one || s->exe[i].labels > FEW_MAX || s->by == BY_EXENAME;
		s->exe[i].group = NONE;
		s->exe[i].labels = 0;
	}
	s->group = NULL;
	s->groups = s->groups_room = 0;
	memset(s->group_slot, 0, s->group_slots * sizeof *s->group_slot);
	memset(s->cache, 0, s->caches * sizeof *s->cache);
	for (size_t i = 0; i < n && rc == 0; i++) {
		char label[PM_PROCESSNAME_MAX] = "(various programs)";
		uint32_t exe = s->by == BY_NOTHING ? 0 : old[i].exe, to;

		if (s->by != BY_NOTHING && s->exe[exe].one)
			pm_processname_label(label, s->exe[exe].name, NULL, NULL);
		else if (s->by != BY_NOTHING)
			memcpy(label, old[i].label, sizeof label);
		to = group_of(s, exe, label);
		if (to == NONE)
			rc = -1;
		else
			add_group(&s->group[to], &old[i]);
	}
	free(old);
	return rc;
}

/* Whether an executable that got a label makes it necessary to group by less. */
static bool is_too_much(const struct pm_programs *s, const struct exe *x)
{
	return s->by == BY_LABEL ? s->groups > PROGRAMS_MAX
				 : s->exes > PROGRAMS_MAX ||
					   (s->by == BY_FEW && (s->multis > MULTIS_MAX ||
								(x->labels > FEW_MAX && !x->one)));
}

/* Find an executable, or add it. Returns its index, NONE if out of memory. */
static uint32_t exe_of(struct pm_programs *s, struct pm_str name)
{
	struct exe *x;
	size_t i;

	if (2 * (s->exes + 1) > s->exe_slots && resize_exes(s, 4 * s->exe_slots) < 0)
		return NONE;
	i = mix_bytes(0, name.p, name.n) % s->exe_slots;
	for (; s->exe_slot[i]; i = (i + 1) % s->exe_slots) {
		x = &s->exe[s->exe_slot[i] - 1];
		if (x->n == name.n && memcmp(x->name, name.p, name.n) == 0)
			return s->exe_slot[i] - 1;
	}
	if (!PM_GROW(s->exe, s->exes, s->exes_room, 64))
		return NONE;
	x = &s->exe[s->exes];
	*x = (struct exe){ .name = strndup(name.p, name.n), .n = name.n, .group = NONE };
	if (!x->name)
		return NONE;
	x->use = pm_processname_uses(x->name);
	s->multis += x->use != PM_PROCESSNAME_EXENAME;
	s->exe_slot[i] = (uint32_t)++s->exes;
	return (uint32_t)s->exes - 1;
}

/* Find the group of a process whose executable alone does not tell it. Returns its index, NONE if
 * out of memory. */
static uint32_t group_by(struct pm_programs *s, uint32_t exe, struct pm_str more)
{
	char label[PM_PROCESSNAME_MAX], text[ARGS_MAX + 1];
	const struct exe *x = &s->exe[exe];
	bool args = x->use == PM_PROCESSNAME_ARGS;
	uint32_t group;
	uint64_t hash;
	size_t at;

	if (more.n > ARGS_MAX)
		more.n = ARGS_MAX;
	/* The low bit keeps it from being 0, an empty slot. */
	hash = mix_bytes((exe + 1) * (uint64_t)0x9e3779b97f4a7c15, more.p, more.n) | 1;
	at = (hash >> 1) % s->caches;
	if (s->cache[at].hash == hash)
		return s->cache[at].group;
	memcpy(text, more.p, more.n);
	text[more.n] = '\0';
	pm_processname_label(label, x->name, args ? text : NULL, args ? NULL : text);
	group = group_of(s, exe, label);
	at = (hash >> 1) % s->caches; /* there may be more now */
	s->cache[at].hash = group == NONE ? 0 : hash;
	s->cache[at].group = group;
	return group;
}

static struct pm_str or_empty(struct pm_str s)
{
	return s.p ? s : (struct pm_str){ "", 0 };
}

/* Find the group of a process. Returns NULL if out of memory. */
static struct group *find_group(struct pm_programs *s, const struct pm_program_process *p)
{
	uint32_t exe, group;

	if (s->by == BY_NOTHING)
		return &s->group[0];
	exe = exe_of(s, or_empty(p->exename));
	if (exe == NONE)
		return NULL;
	group = s->exe[exe].group;
	if (group == NONE) {
		bool alone = s->exe[exe].one || s->exe[exe].use == PM_PROCESSNAME_EXENAME;
		struct pm_str more = s->exe[exe].use == PM_PROCESSNAME_ARGS ? p->args : p->comm;
		char label[PM_PROCESSNAME_MAX];

		if (!alone && more.p) {
			group = group_by(s, exe, more);
		} else {
			pm_processname_label(label, s->exe[exe].name, NULL, NULL);
			group = group_of(s, exe, label);
		}
		if (alone)
			s->exe[exe].group = group;
	}
	if (group == NONE)
		return NULL;
	if (!is_too_much(s, &s->exe[exe]))
		return &s->group[group];
	return regroup(s) < 0 ? NULL : find_group(s, p);
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.p && s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool begins(struct pm_str s, const char *text)
{
	return s.p && s.n >= strlen(text) && memcmp(s.p, text, strlen(text)) == 0;
}

static void add_value(struct group *g, enum pm_program_value i, int64_t v)
{
	const struct total t = { v != PM_PROGRAM_UNKNOWN, v };

	add_total(&g->total[i], &t, is_peak[i]);
}

/* Add calls and bytes of a process whose calls are tiny. */
static void add_tiny(struct group *g, const struct pm_program_process *p,
		     enum pm_program_value calls, enum pm_program_value bytes,
		     enum pm_program_value tiny)
{
	int64_t n = p->value[calls], moved = p->value[bytes];

	if (n <= 0 || moved == PM_PROGRAM_UNKNOWN || moved / n >= PM_PROGRAM_TINY)
		return;
	add_value(g, tiny, n);
	add_value(g, tiny + 1, moved);
}

int pm_programs_add(struct pm_programs *s, const struct pm_program_process *p)
{
	bool killed = p->exitsignal != PM_PROGRAM_UNKNOWN || is_text(p->end_reason, "signal");
	bool run = !(p->copy && is_text(p->end_reason, "exec")) &&
		   !begins(p->last_call, "execve E") && !is_text(p->last_call, "execve failed");
	int64_t least = p->numtids == PM_PROGRAM_UNKNOWN ? 0 : p->numtids;
	struct group *g = find_group(s, p);

	if (!g)
		return -1;
	g->count[PM_PROGRAM_PROCESSES]++;
	g->count[PM_PROGRAM_RUNS] += run;
	g->count[PM_PROGRAM_THREADS_KNOWN] += run && p->numtids != PM_PROGRAM_UNKNOWN;
	g->count[PM_PROGRAM_FAILED] +=
		killed || (p->exitcode != PM_PROGRAM_UNKNOWN && p->exitcode != 0);
	g->count[PM_PROGRAM_KILLED] += killed;
	for (int i = 0; i < PM_PROGRAM_TINY_READS; i++)
		if (i != PM_PROGRAM_THREADS)
			add_value(g, i, p->value[i]);
	/* Threads created without the C library are missing in numtids; num_threads has them if
	 * they live to the end. */
	add_value(g, PM_PROGRAM_THREADS, p->num_threads > least ? p->num_threads : p->numtids);
	add_tiny(g, p, PM_PROGRAM_SYSCR, PM_PROGRAM_RCHAR, PM_PROGRAM_TINY_READS);
	add_tiny(g, p, PM_PROGRAM_SYSCW, PM_PROGRAM_WCHAR, PM_PROGRAM_TINY_WRITES);
	return 0;
}

int pm_programs_put(struct pm_programs *s, const struct pm_program *row)
{
	struct group *g;

	if (!PM_GROW(s->group, s->groups, s->groups_room, 64))
		return -1;
	g = &s->group[s->groups++];
	memset(g, 0, sizeof *g);
	memcpy(g->label, row->label, sizeof g->label);
	memcpy(g->count, row->count, sizeof g->count);
	for (int i = 0; i < PM_PROGRAM_VALUES; i++)
		add_value(g, i, row->value[i]);
	return 0;
}

static int by_label(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->label, ((const struct group *)b)->label);
}

struct pm_program *pm_programs_rows(const struct pm_programs *s, size_t *n)
{
	struct pm_program *row = calloc(s->groups + 1, sizeof *row);
	struct group *g = malloc((s->groups + 1) * sizeof *g);

	*n = 0;
	if (!row || !g) {
		free(row);
		free(g);
		return NULL;
	}
	if (s->groups) {
		memcpy(g, s->group, s->groups * sizeof *g);
		qsort(g, s->groups, sizeof *g, by_label);
	}
	/* The labels of two executables may be the same. */
	for (size_t i = 0, k; i < s->groups; i = k) {
		struct pm_program *r = &row[(*n)++];

		for (k = i + 1; k < s->groups && by_label(&g[i], &g[k]) == 0; k++)
			add_group(&g[i], &g[k]);
		memcpy(r->label, g[i].label, sizeof r->label);
		memcpy(r->count, g[i].count, sizeof r->count);
		for (int v = 0; v < PM_PROGRAM_VALUES; v++) {
			const struct total *t = &g[i].total[v];

			r->value[v] = t->known && t->v > INT64_MIN && t->v <= INT64_MAX
					      ? (int64_t)t->v
					      : PM_PROGRAM_UNKNOWN;
		}
	}
	free(g);
	return row;
}
