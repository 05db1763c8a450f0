/* The tables of the layout colmet, and their columns. */
#include "config.h"

#include "export/layout/colmet.h"

#include "common/grow.h"
#include "export/layout/jobname.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pm_colmet_head[PM_COLMET_HEADS] = {
	"timestamp", "hostname", "job_id", "metric_backend", "involved_jobs",
};

enum table {
#define PM_COLMET_TABLE(id, name, of, sources) id,
#include "export/layout/colmet.def"
	TABLES
};

enum { JOB, NODE };

static const struct {
	const char *name, *sources;
	bool node;
} tables[TABLES] = {
#define PM_COLMET_TABLE(id, name, of, sources) [id] = { name, sources, (of) == NODE },
#include "export/layout/colmet.def"
};

static const struct {
	enum table table;
	const char *name;
	enum pm_colmet_how how;
	double divisor;
	const char *terms;
} rows[] = {
#define PM_COLMET(id, name, how, divisor, terms) { id, name, PM_COLMET_##how, divisor, terms },
#include "export/layout/colmet.def"
};

/* What is counted in columns counter_N. */
enum what { ENERGY, EVENT, ZONE };

static const struct {
	enum table table;
	size_t least;
	const char *mapping;
	enum what what;
} counters[] = {
#define PM_COLMET_COUNTERS(id, least, mapping, what) { id, least, mapping, what },
#include "export/layout/colmet.def"
};

#define COUNTERS (sizeof counters / sizeof counters[0])

/* A thing that is counted on some hosts. */
struct thing {
	char *object;
	const char *terms; /* its series, "" for an event */
};

struct things {
	struct thing *thing;
	size_t n, room;
};

/* The series of zones of energy, and what colmet calls them. */
static const struct {
	const char *metric, *terms, *label;
} zones[] = {
	{ "package_energy", "rapl.package_energy", "zone_package" },
	{ "core_energy", "rapl.core_energy", "zone_core" },
	{ "uncore_energy", "rapl.uncore_energy", "zone_uncore" },
	{ "dram_energy", "rapl.dram_energy", "zone_dram" },
	{ "psys_energy", "rapl.psys_energy", "zone_psys" },
	{ "mmio_energy", "rapl.mmio_energy", "zone_mmio" },
	{ "other_energy", "rapl.other_energy", "zone_other" },
};

#define ZONES (sizeof zones / sizeof zones[0])

/* The terms of a series, if it is one that is counted; NULL: no. */
static const char *terms_of(const struct pm_grid_series *x, enum what what)
{
	if (!*x->object)
		return NULL;
	if (what == EVENT)
		return strcmp(x->source, "perf") == 0 && strcmp(x->metric, "count") == 0 ? ""
											 : NULL;
	if (what == ZONE)
		return strcmp(x->source, "thermal") == 0 && strcmp(x->metric, "temperature") == 0
			       ? "thermal.temperature"
			       : NULL;
	for (size_t i = 0; strcmp(x->source, "rapl") == 0 && i < ZONES; i++)
		if (strcmp(x->metric, zones[i].metric) == 0)
			return zones[i].terms;
	return NULL;
}

/* Add the things that a host has and no host before it had. Returns 0, or -1 if out of memory. */
static int add_things(struct things *t, const struct pm_grid *g, enum what what)
{
	size_t n, k;
	const struct pm_grid_series *series = pm_grid_series(g, &n);

	for (size_t i = 0; i < n; i++) {
		const char *terms = terms_of(&series[i], what);

		if (!terms)
			continue;
		for (k = 0; k < t->n && (strcmp(t->thing[k].object, series[i].object) != 0 ||
					 strcmp(t->thing[k].terms, terms) != 0);
		     k++)
			;
		if (k < t->n)
			continue;
		if (!PM_GROW(t->thing, t->n, t->room, 16))
			return -1;
		t->thing[t->n] = (struct thing){ strdup(series[i].object), terms };
		if (!t->thing[t->n].object)
			return -1;
		t->n++;
	}
	return 0;
}

static int by_object(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;
	const int order = strverscmp(x->object, y->object);

	return order ? order : strcmp(x->terms, y->terms);
}

/* Add a column. Returns it, or NULL if out of memory. */
static struct pm_colmet_column *add_column(struct pm_colmet_table *t, const char *name)
{
	struct pm_colmet_column *c;

	if (!PM_GROW(t->column, t->n, t->room, 32))
		return NULL;
	c = &t->column[t->n++];
	*c = (struct pm_colmet_column){
		.name = strdup(name), .is = { .kind = PM_GRID_WHOLE, .divisor = 1, .terms = "" }
	};
	return c->name ? c : NULL;
}

/* Add the next column counter_N. Returns it, or NULL if out of memory. */
static struct pm_colmet_column *add_counter(struct pm_colmet_table *t)
{
	char name[32];

	snprintf(name, sizeof name, "counter_%zu", t->n + 1);
	return add_column(t, name);
}

/* Label a zone: the package that it is in, and its kind. Returns 0, or -1 if out of memory. */
static int label_zone(struct pm_colmet_column *c, const struct thing *x)
{
	size_t i = 0;

	while (strcmp(zones[i].terms, x->terms) != 0)
		i++;
	c->label[0] = strndup(x->object, strcspn(x->object, "/"));
	c->label[1] = strdup(zones[i].label);
	return c->label[0] && c->label[1] ? 0 : -1;
}

/* Add a column for a thing. Returns 0, or -1 if out of memory. */
static int add_thing(struct pm_colmet_table *t, const struct thing *x, enum what what)
{
	struct pm_colmet_column *c = add_counter(t);

	if (!c || !(c->is.object = strdup(x->object)))
		return -1;
	c->is.terms = x->terms;
	c->is.kind = what == ENERGY ? PM_GRID_STEP : what == EVENT ? PM_GRID_COUNT : PM_GRID_WHOLE;
	if (what == ZONE)
		c->is.divisor = 1000;
	if (what == EVENT)
		c->is.terms = NULL;
	if (what != ENERGY) {
		c->label[0] = strdup(x->object);
		return c->label[0] ? 0 : -1;
	}
	if (label_zone(c, x) < 0)
		return -1;
	/* Behind each energy stands the greatest that its counter has: wraps are corrected here. */
	c = add_counter(t);
	return c ? label_zone(c, x) : -1;
}

/* Add the columns counter_N of a table. Returns 0, or -1 if out of memory. */
static int add_counters(struct pm_colmet_table *t, struct things *x, enum what what, size_t least)
{
	int rc = 0;

	/* Events keep the order in which the sampler was told them. */
	if (what != EVENT && x->n > 0)
		qsort(x->thing, x->n, sizeof *x->thing, by_object);
	for (size_t i = 0; rc == 0 && i < x->n; i++)
		rc = add_thing(t, &x->thing[i], what);
	while (rc == 0 && t->n < least)
		rc = add_counter(t) ? 0 : -1;
	return rc;
}

static int add_rows(struct pm_colmet *c)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct pm_colmet_column *x = add_column(&c->table[rows[i].table], rows[i].name);

		if (!x)
			return -1;
		x->how = rows[i].how;
		x->is.terms = rows[i].terms;
		x->is.divisor = rows[i].divisor;
		if (x->how == PM_COLMET_REAL)
			x->is.kind = PM_GRID_SUM;
	}
	return 0;
}

/* Find what is counted on any host. Returns 0, or -1 with e filled. */
static int find_things(struct pm_colmet *c, struct things x[COUNTERS], struct pm_err *e)
{
	for (size_t i = 0; i < c->hosts.n; i++) {
		struct pm_grid *g = pm_grid_new(c->a->db, c->a->job, c->hosts.host[i].id, e);
		int rc = g ? 0 : -1;

		for (size_t k = 0; rc == 0 && k < COUNTERS; k++)
			if (add_things(&x[k], g, counters[k].what) < 0)
				rc = pm_err(e, "out of memory");
		pm_grid_free(g);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Find the columns of all tables. Returns 0, or -1 with e filled. */
static int find_columns(struct pm_colmet *c, struct pm_err *e)
{
	struct things x[COUNTERS] = { { .thing = NULL } };
	int rc = find_things(c, x, e);

	if (rc == 0 && add_rows(c) < 0)
		rc = pm_err(e, "out of memory");
	for (size_t k = 0; k < COUNTERS; k++) {
		struct pm_colmet_table *t = &c->table[counters[k].table];

		t->mapping = counters[k].mapping;
		if (rc == 0 && add_counters(t, &x[k], counters[k].what, counters[k].least) < 0)
			rc = pm_err(e, "out of memory");
		for (size_t i = 0; i < x[k].n; i++)
			free(x[k].thing[i].object);
		free(x[k].thing);
	}
	return rc;
}

/* The job id as a number; -1 where it is none. */
static int64_t number_of(const char *jobid)
{
	char *end;
	long long v;

	if (strspn(jobid, "0123456789") != strlen(jobid) || !*jobid)
		return -1;
	errno = 0;
	v = strtoll(jobid, &end, 10);
	return errno || *end ? -1 : v;
}

int pm_colmet_find(struct pm_colmet *c, struct pm_layout_ask *a, struct pm_err *e)
{
	*c = (struct pm_colmet){ .a = a };
	if (pm_hosts_read(&c->hosts, a->db, a->job, "", e) < 0 ||
	    pm_jobname_read(a->db, a->job, &c->jobid, &c->start_us, e) < 0)
		return -1;
	c->number = number_of(c->jobid);
	c->table = calloc(TABLES, sizeof *c->table);
	if (!c->table)
		return pm_err(e, "out of memory");
	c->tables = TABLES;
	for (size_t i = 0; i < TABLES; i++) {
		c->table[i].name = tables[i].name;
		c->table[i].sources = tables[i].sources;
		c->table[i].node = tables[i].node;
	}
	return find_columns(c, e) < 0 ? -1 : pm_colmet_check(c, e);
}

void pm_colmet_free(struct pm_colmet *c)
{
	for (size_t i = 0; i < c->tables; i++) {
		struct pm_colmet_table *t = &c->table[i];

		for (size_t k = 0; k < t->n; k++) {
			free(t->column[k].name);
			free((char *)(uintptr_t)t->column[k].is.object);
			free(t->column[k].label[0]);
			free(t->column[k].label[1]);
		}
		free(t->column);
	}
	free(c->table);
	free(c->jobid);
	pm_hosts_free(&c->hosts);
}
