/* The columns of the layout ska. */
#include "config.h"

#include "export/layout/ska.h"

#include "common/grow.h"
#include "common/safe/events.h"
#include "common/words.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pm_ska_file_name[PM_SKA_FILES] = { "cpu_metrics", "perf_metrics",
						     "nv_gpu_metrics" };

enum presence { ALWAYS, SAMPLED };

/* Rows of ska.def. */
static const struct row {
	enum pm_ska_file file;
	const char *key, *sub, *header;
	enum presence presence;
	enum pm_grid_kind kind;
	double divisor, table;
	const char *terms;
} rows[] = {
#define PM_SKA(file, key, sub, header, presence, kind, divisor, table, terms)                      \
	{ PM_SKA_##file, key, sub, header, presence, PM_GRID_##kind, divisor, table, terms },
#include "export/layout/ska.def"
};

static const struct zones {
	const char *domain, *terms;
} domains[] = {
#define PM_SKA_ZONES(domain, terms) { domain, terms },
#include "export/layout/ska.def"
};

static const struct group {
	const char *name, *metrics;
} groups[] = {
#define PM_SKA_GROUP(group, metrics) { group, metrics },
#include "export/layout/ska.def"
};

#define ROWS    (sizeof rows / sizeof rows[0])
#define DOMAINS (sizeof domains / sizeof domains[0])
#define GROUPS  (sizeof groups / sizeof groups[0])

/* Places of the groups that have no metrics of their own. */
enum { HARDWARE, SOFTWARE };

/* What the hosts of a job have. */
struct survey {
	bool has[ROWS];
	size_t zones[DOMAINS];
	char *event[PM_GRID_EVENTS];
	size_t group[PM_GRID_EVENTS]; /* of each event */
	size_t events;
	bool derived[PM_METRICS];
};

/* Whether a series is the one that SOURCE.METRIC names, of an object. */
static bool is_of(const struct pm_grid_series *x, const char *term)
{
	const size_t n = strlen(x->source);

	return *x->object && strncmp(term, x->source, n) == 0 && term[n] == '.' &&
	       strcmp(term + n + 1, x->metric) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Find the zones of a domain on a host, in the order of their names, and return how many there
 * are; *list is to be freed. SIZE_MAX: out of memory. */
static size_t find_zones(const struct pm_grid *g, const char *term, const char ***list)
{
	size_t n, found = 0;
	const struct pm_grid_series *series = pm_grid_series(g, &n);

	*list = calloc(n + 1, sizeof **list);
	if (!*list)
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		if (is_of(&series[i], term))
			(*list)[found++] = series[i].object;
	qsort(*list, found, sizeof **list, by_name);
	return found;
}

/* Find the names of the events of a host. Returns how many. */
static size_t find_events(const struct pm_grid *g, const char *event[PM_GRID_EVENTS])
{
	size_t n, found = 0;
	const struct pm_grid_series *series = pm_grid_series(g, &n);

	for (size_t i = 0; i < n && found < PM_GRID_EVENTS; i++)
		if (is_of(&series[i], "perf.count"))
			event[found++] = series[i].object;
	return found;
}

/* The group of metrics that has a metric; GROUPS: none. */
static size_t group_with(const char *metric)
{
	size_t i = 0;

	while (i < GROUPS && !pm_words_have(groups[i].metrics, metric))
		i++;
	return i;
}

/* The group of an event by itself. */
static size_t group_of_name(const char *name)
{
	struct pm_event e;

	return pm_event_find(&e, name, strlen(name)) == 0 && e.type == PERF_TYPE_SOFTWARE
		       ? SOFTWARE
		       : HARDWARE;
}

/* Whether an event is one of the processor's own, not one that the kernel has a name for. */
static bool is_raw(const char *name)
{
	struct pm_event e;

	return pm_event_find(&e, name, strlen(name)) < 0 ||
	       (e.type != PERF_TYPE_SOFTWARE && e.type != PERF_TYPE_HARDWARE);
}

/* Note an event with its group. Returns 0, or -1 if out of memory. */
static int add_event(struct survey *s, const char *name, size_t group)
{
	size_t i = 0;

	while (i < s->events && strcmp(s->event[i], name) != 0)
		i++;
	if (i == PM_GRID_EVENTS)
		return 0;
	if (i == s->events) {
		s->event[i] = strdup(name);
		if (!s->event[i])
			return -1;
		s->group[i] = group_of_name(name);
		s->events++;
	}
	if (group < GROUPS && s->group[i] == HARDWARE && is_raw(name))
		s->group[i] = group;
	return 0;
}

/* Note what a host counts. Returns 0, or -1 if out of memory. */
static int survey_events(struct survey *s, const struct pm_grid *g, const char *march)
{
	const char *event[PM_GRID_EVENTS];
	const size_t n = find_events(g, event);
	struct pm_formula *list;
	const int formulas = pm_formula_find(event, n, march, &list);
	int rc = formulas < 0 ? -1 : 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_event(s, event[i], GROUPS);
	for (int f = 0; f < formulas && rc == 0; f++) {
		const size_t group = group_with(list[f].info->id);

		s->derived[list[f].info - pm_metric_info] = true;
		for (size_t k = 0; k < list[f].terms && group < GROUPS && rc == 0; k++)
			rc = add_event(s, event[list[f].term[k]], group);
	}
	free(list);
	return rc;
}

/* Whether any host so far can compute a metric, whatever its formula. */
static bool has_metric(const struct survey *s, const char *id)
{
	for (size_t i = 0; i < PM_METRICS; i++)
		if (s->derived[i] && strcmp(pm_metric_info[i].id, id) == 0)
			return true;
	return false;
}

static int survey_host(struct survey *s, const struct pm_grid *g, const char *march,
		       struct pm_err *e)
{
	if (survey_events(s, g, march) < 0)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < ROWS; i++) {
		const struct pm_grid_column c = { .kind = rows[i].kind, .terms = rows[i].terms };

		s->has[i] = s->has[i] || rows[i].presence == ALWAYS ||
			    (rows[i].kind == PM_GRID_FORMULA ? has_metric(s, rows[i].terms)
							     : pm_grid_has(g, &c));
	}
	for (size_t i = 0; i < DOMAINS; i++) {
		const char **list;
		const size_t n = find_zones(g, domains[i].terms, &list);

		free(list);
		if (n == SIZE_MAX)
			return pm_err(e, "out of memory");
		if (n > s->zones[i])
			s->zones[i] = n;
	}
	return 0;
}

/* Add a column; `sub` may be "". Returns it, or NULL if out of memory. */
static struct pm_ska_column *add_column(struct pm_ska_columns *x, const char *key, const char *sub,
					const char *header, enum pm_grid_kind kind, double divisor)
{
	struct pm_ska_column *c;

	if (!PM_GROW(x->column, x->n, x->room, 32))
		return NULL;
	c = &x->column[x->n++];
	*c = (struct pm_ska_column){ .key = strdup(key),
				     .sub = *sub ? strdup(sub) : NULL,
				     .header = strdup(header),
				     .table = 1,
				     .is = { .kind = kind, .divisor = divisor } };
	return c->key && c->header && (c->sub || !*sub) ? c : NULL;
}

static int add_rows(struct pm_ska_columns columns[PM_SKA_FILES], const struct survey *s)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *r = &rows[i];
		struct pm_ska_column *c;

		if (!s->has[i])
			continue;
		c = add_column(&columns[r->file], r->key, r->sub, r->header, r->kind, r->divisor);
		if (!c)
			return -1;
		c->table = r->table;
		if (r->kind == PM_GRID_FORMULA)
			c->metric = r->terms;
		else
			c->is.terms = r->terms;
	}
	return 0;
}

static int add_zones(struct pm_ska_columns *x, const struct survey *s)
{
	for (size_t i = 0; i < DOMAINS; i++)
		for (size_t k = 0; k < s->zones[i]; k++) {
			char sub[64], header[64];
			struct pm_ska_column *c;

			snprintf(sub, sizeof sub, "%s-%zu", domains[i].domain, k);
			snprintf(header, sizeof header, "RAPL %s %zu [uJ]", domains[i].domain, k);
			c = add_column(x, "rapl_powercap", sub, header, PM_GRID_SUM, 1);
			if (!c)
				return -1;
			c->is.terms = domains[i].terms;
			c->zone = k;
			c->is_zone = true;
		}
	return 0;
}

static int add_group(struct pm_ska_columns *x, const struct survey *s, size_t group)
{
	struct pm_ska_column *c;

	for (size_t i = 0; i < s->events; i++) {
		if (s->group[i] != group)
			continue;
		c = add_column(x, groups[group].name, s->event[i], s->event[i], PM_GRID_COUNT, 1);
		if (!c || !(c->event = strdup(s->event[i])))
			return -1;
	}
	for (size_t i = 0; i < PM_METRICS; i++) {
		const char *id = pm_metric_info[i].id;
		char name[64];

		/* Formulas of one metric for several processors follow one another. */
		if (!pm_words_have(groups[group].metrics, id) || !has_metric(s, id) ||
		    (i > 0 && strcmp(pm_metric_info[i - 1].id, id) == 0))
			continue;
		snprintf(name, sizeof name, "derv_%s", id);
		c = add_column(x, groups[group].name, name, name, PM_GRID_FORMULA, 1);
		if (!c)
			return -1;
		c->metric = id;
	}
	return 0;
}

int pm_ska_columns_find(struct pm_ska_columns columns[PM_SKA_FILES], struct pm_layout_ask *a,
			const struct pm_hosts *hosts, struct pm_err *e)
{
	struct survey *s = calloc(1, sizeof *s);
	int rc = s ? 0 : pm_err(e, "out of memory");

	memset(columns, 0, PM_SKA_FILES * sizeof columns[0]);
	for (size_t i = 0; rc == 0 && i < hosts->n; i++) {
		struct pm_grid *g = pm_grid_new(a->db, a->job, hosts->host[i].id, e);

		rc = g ? survey_host(s, g, hosts->host[i].march, e) : -1;
		pm_grid_free(g);
	}
	if (rc == 0 && (add_rows(columns, s) < 0 || add_zones(&columns[PM_SKA_CPU], s) < 0))
		rc = pm_err(e, "out of memory");
	for (size_t i = 0; rc == 0 && i < GROUPS; i++)
		if (add_group(&columns[PM_SKA_PERF], s, i) < 0)
			rc = pm_err(e, "out of memory");
	for (size_t i = 0; s && i < s->events; i++)
		free(s->event[i]);
	free(s);
	return rc;
}

void pm_ska_columns_free(struct pm_ska_columns columns[PM_SKA_FILES])
{
	for (size_t f = 0; f < PM_SKA_FILES; f++) {
		for (size_t i = 0; i < columns[f].n; i++) {
			free(columns[f].column[i].key);
			free(columns[f].column[i].sub);
			free(columns[f].column[i].header);
			free(columns[f].column[i].event);
		}
		free(columns[f].column);
	}
}

/* Find the formula of a metric among those of a host; NULL: none. */
static const struct pm_formula *formula_of(const struct pm_formula *list, int n, const char *id)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i].info->id, id) == 0)
			return &list[i];
	return NULL;
}

int pm_ska_columns_of(const struct pm_ska_columns *x, const struct pm_grid *g, const char *march,
		      const char *object, struct pm_grid_column **out, struct pm_formula **formula,
		      const char *event[PM_GRID_EVENTS], struct pm_err *e)
{
	const size_t events = find_events(g, event);
	const int formulas = pm_formula_find(event, events, march, formula);

	*out = calloc(x->n + 1, sizeof **out);
	if (!*out || formulas < 0)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->n; i++) {
		const struct pm_ska_column *c = &x->column[i];
		struct pm_grid_column *to = &(*out)[i];

		*to = c->is;
		to->object = c->event ? c->event : object;
		if (c->metric) {
			to->formula = formula_of(*formula, formulas, c->metric);
			to->event = event;
		}
		if (c->is_zone) {
			const char **zone;
			const size_t n = find_zones(g, c->is.terms, &zone);

			if (n == SIZE_MAX)
				return pm_err(e, "out of memory");
			/* A host that has fewer has no term for the others. */
			if (c->zone < n)
				to->object = zone[c->zone];
			else
				to->terms = "";
			free(zone);
		}
	}
	return 0;
}
