/* Parse, sort and pair the marks of phases. */
#include "config.h"

#include "submit/job/phases.h"

#include "common/grow.h"
#include "common/record/phase.h"

#include <stdlib.h>
#include <string.h>

static int reject_mark(const char **why, const char *text)
{
	*why = text;
	return 1;
}

int pm_phases_line(struct pm_phases *p, struct pm_images *images, const char *line, size_t n,
		   uint32_t *host, const char **why, struct pm_err *e)
{
	uint64_t hash = pm_hashmap_mix_bytes(1, line, n);
	struct pm_phase_event *v;
	struct pm_phase_mark m;

	if (pm_phase_parse(line, n, &m, why) < 0)
		return 1;
	if (p->count >= PM_PHASES_MAX)
		return reject_mark(why, "more marks than a job can have");
	if (pm_hashmap_has(&p->seen, hash))
		return reject_mark(why, "duplicate: this mark has been read before");
	*host = pm_images_host(images, m.boot_id, m.hostname);
	if (*host == PM_NONE)
		return pm_err(e, "out of memory, or too many hosts");
	if (!PM_GROW(p->event, p->count, p->cap, 32))
		return pm_err(e, "out of memory");
	v = &p->event[p->count];
	*v = (struct pm_phase_event){ .name = strndup(m.name.p, m.name.n),
				      .host = *host,
				      .begin = m.begin,
				      .realtime_us = m.realtime_us,
				      .monotonic_us = m.monotonic_us,
				      .pid = m.pid,
				      .order = p->count };
	if (!v->name || pm_hashmap_mark(&p->seen, hash) < 0) {
		free(v->name);
		return pm_err(e, "out of memory");
	}
	p->count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct pm_phase_event *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->monotonic_us != y->monotonic_us)
		return x->monotonic_us < y->monotonic_us ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static uint64_t phase_hash(const struct pm_phase_event *v, bool with_pid)
{
	uint64_t hash = pm_hashmap_mix_bytes(v->host + 1, v->name, strlen(v->name));

	return with_pid ? pm_hashmap_mix(pm_hashmap_mix(hash, 1), (uint64_t)v->pid) : hash;
}

/*
 * Open beginnings as stacks in linked lists: one stack by name, one by name and process. A
 * beginning closed through one stack is skipped when it surfaces in the other, so every beginning
 * is visited at most twice.
 */
struct stacks {
	struct pm_hashmap head; /* hash -> number of the stack */
	size_t *top,
		*below[2]; /* top: top of each stack; below: next lower beginning in either stack */
	size_t stacks;
};

static size_t *find_top(struct stacks *s, uint64_t hash)
{
	size_t at = 0;
	uint32_t stack = pm_hashmap_next(&s->head, hash, &at);

	if (stack == UINT32_MAX) {
		stack = (uint32_t)s->stacks;
		if (pm_hashmap_add(&s->head, hash, stack) < 0)
			return NULL;
		s->top[s->stacks++] = SIZE_MAX;
	}
	return &s->top[stack];
}

static int pair_mark(struct pm_phases *p, struct stacks *s, size_t i)
{
	struct pm_phase_event *v = &p->event[i];

	v->other = SIZE_MAX;
	/* Try the stack by process first. */
	for (int k = 1; k >= 0; k--) {
		size_t *top = find_top(s, phase_hash(v, k));

		if (!top)
			return -1;
		if (v->begin) {
			s->below[k][i] = *top;
			*top = i;
			continue;
		}
		while (*top != SIZE_MAX && p->event[*top].other != SIZE_MAX)
			*top = s->below[k][*top];
		if (*top != SIZE_MAX) {
			v->other = *top;
			p->event[*top].other = i;
			*top = s->below[k][*top];
			return 0;
		}
	}
	return 0;
}

int pm_phases_pair(struct pm_phases *p, struct pm_err *e)
{
	struct stacks s = { .top = calloc(2 * p->count + 1, sizeof s.top[0]),
			    .below = { calloc(p->count + 1, sizeof(size_t)),
				       calloc(p->count + 1, sizeof(size_t)) } };
	int rc = s.top && s.below[0] && s.below[1] ? 0 : -1;

	if (rc == 0 && p->count)
		qsort(p->event, p->count, sizeof p->event[0], by_time);
	for (size_t i = 0; i < p->count && rc == 0; i++)
		rc = pair_mark(p, &s, i);
	pm_hashmap_free(&s.head);
	free(s.top);
	free(s.below[0]);
	free(s.below[1]);
	return rc < 0 ? pm_err(e, "out of memory") : 0;
}

void pm_phases_free(struct pm_phases *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->event[i].name);
	free(p->event);
	pm_hashmap_free(&p->seen);
	memset(p, 0, sizeof *p);
}
