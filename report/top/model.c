/* What is known of a running job. */
#include "config.h"

#include "report/top/model.h"

#include "common/bootid.h"
#include "common/grow.h"
#include "common/job/jobdir.h"
#include "common/pidns.h"
#include "common/text.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name of the programs beyond PM_TOP_PROGRAMS, as the sampler calls those beyond its own limit. */
#define OTHERS "*"

/* A node of the tree of names. */
struct name {
	char *text; /* owned by the program */
	uint32_t program;
};

void pm_top_model_init(struct pm_top_model *m)
{
	memset(m, 0, sizeof *m);
	m->own_pid_ns = pm_pidns_own();
	pm_jobdir_host(m->own_host, sizeof m->own_host);
	pm_bootid_read(m->own_boot);
}

void pm_top_model_free(struct pm_top_model *m)
{
	tdestroy(m->processes, free);
	for (size_t i = 0; i < m->hosts; i++) {
		struct pm_top_host *h = m->host[i];

		tdestroy(h->names, free);
		for (size_t k = 0; k < h->programs; k++)
			free(h->program[k].name);
		free(h->program);
		free(h);
	}
	free(m->host);
	memset(m, 0, sizeof *m);
}

static bool is_text(const char *text, const char *p, size_t n)
{
	return strlen(text) == n && memcmp(text, p, n) == 0;
}

int64_t pm_top_model_host(struct pm_top_model *m, const char *name, size_t n, const char *boot_id,
			  size_t boot_n)
{
	struct pm_top_host *h;

	/* A name that is longer than any host's is cut, and no reason to end. */
	n = n < sizeof h->name ? n : sizeof h->name - 1;
	boot_n = boot_n < sizeof h->boot_id ? boot_n : sizeof h->boot_id - 1;
	for (size_t i = m->hosts; i-- > 0;)
		if (is_text(m->host[i]->name, name, n) &&
		    is_text(m->host[i]->boot_id, boot_id, boot_n))
			return (int64_t)i;
	h = calloc(1, sizeof *h);
	if (!h || !PM_GROW(m->host, m->hosts, m->room, 4)) {
		free(h);
		return -1;
	}
	memcpy(h->name, name, n);
	memcpy(h->boot_id, boot_id, boot_n);
	h->here = strcmp(h->name, m->own_host) == 0 && strcmp(h->boot_id, m->own_boot) == 0;
	h->rss = h->processes = -1;
	m->host[m->hosts] = h;
	return (int64_t)m->hosts++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

int64_t pm_top_model_program(struct pm_top_host *h, const char *name, size_t n)
{
	char field[256], text[128];
	struct name key = { text, 0 }, *new, **found;

	snprintf(field, sizeof field, "%.*s", (int)(n < sizeof field ? n : sizeof field - 1), name);
	pm_text_field(text, sizeof text, field, true);
	found = tfind(&key, &h->names, by_name);
	if (found)
		return (*found)->program;
	if (h->programs >= PM_TOP_PROGRAMS && strcmp(name, OTHERS) != 0)
		return pm_top_model_program(h, OTHERS, sizeof OTHERS - 1);
	new = malloc(sizeof *new);
	if (!new || !PM_GROW(h->program, h->programs, h->room, 16)) {
		free(new);
		return -1;
	}
	*new = (struct name){ strdup(text), (uint32_t)h->programs };
	if (!new->text || !tsearch(new, &h->names, by_name)) {
		free(new->text);
		free(new);
		return -1;
	}
	h->program[h->programs] =
		(struct pm_top_program){ .name = new->text, .rss = -1, .processes = -1 };
	return (int64_t)h->programs++;
}

static int by_pid(const void *a, const void *b)
{
	const struct pm_top_process *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->pid_ns > y->pid_ns) - (x->pid_ns < y->pid_ns);
}

struct pm_top_process *pm_top_model_find(struct pm_top_model *m, uint32_t host, int64_t pid_ns,
					 int64_t pid)
{
	const struct pm_top_process key = { .host = host, .pid_ns = pid_ns, .pid = pid };
	struct pm_top_process **found = tfind(&key, &m->processes, by_pid);

	return found ? *found : NULL;
}

struct pm_top_process *pm_top_model_add(struct pm_top_model *m, const struct pm_top_process *p)
{
	struct pm_top_process *new = malloc(sizeof *new);
	struct pm_top_program *g = &m->host[p->host]->program[p->program];

	if (!new)
		return NULL;
	*new = *p;
	if (!tsearch(new, &m->processes, by_pid)) {
		free(new);
		return NULL;
	}
	new->before = NULL;
	new->next = m->first;
	if (m->first)
		m->first->before = new;
	m->first = new;
	m->running++;
	g->running++;
	g->started++;
	return new;
}

void pm_top_model_end(struct pm_top_model *m, struct pm_top_process *p)
{
	m->host[p->host]->program[p->program].running--;
	m->host[p->host]->ended++;
	m->running--;
	if (p->before)
		p->before->next = p->next;
	else
		m->first = p->next;
	if (p->next)
		p->next->before = p->before;
	tdelete(p, &m->processes, by_pid);
	free(p);
}

void pm_top_model_exec(struct pm_top_model *m, struct pm_top_process *p, uint32_t program)
{
	struct pm_top_program *g = m->host[p->host]->program;

	/* The program before was only the way to this one. */
	g[p->program].running--;
	g[p->program].started--;
	p->program = program;
	g[program].running++;
	g[program].started++;
}

void pm_top_model_used(struct pm_top_model *m, struct pm_top_process *p,
		       const int64_t count[PM_TOP_COUNTS])
{
	struct pm_top_program *g = &m->host[p->host]->program[p->program];

	for (int k = 0; k < PM_TOP_COUNTS; k++) {
		/* /proc counts in clock ticks, and is read at another time than records. */
		if (count[k] <= p->last[k])
			continue;
		g->total[k] += count[k] - p->last[k];
		p->last[k] = count[k];
	}
}

void pm_top_counter_add(struct pm_top_counter *c, int64_t value, int64_t time_us)
{
	if (time_us <= c->time_us)
		return;
	c->before = c->value;
	c->before_us = c->time_us;
	c->value = value;
	c->time_us = time_us;
}

double pm_top_counter_rate(const struct pm_top_counter *c)
{
	if (c->before_us == 0 || c->value < c->before)
		return NAN;
	return ((double)c->value - (double)c->before) / ((double)(c->time_us - c->before_us) / 1e6);
}
