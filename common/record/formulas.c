/* Metrics derived from events: matching names, evaluating. */
#include "config.h"

#include "common/record/formulas.h"

#include "common/safe/events.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The domains that an event's name asks for, as bits. */
enum { IN_USER = 1, IN_KERNEL = 2, IN_HYPERVISOR = 4 };

/* Room for a name in its canonical form, and for the names of a term. */
#define CANONICAL_MAX 256
#define TERM_NAMES    6

/* Bits that perfmon2 sets in a raw code beside the event and that the kernel overrides: user,
 * kernel, interrupt, enable. */
#define RAW_CONTROL 0x530000

const struct pm_metric_info pm_metric_info[PM_METRICS] = {
#define PM_METRIC(id, marches, unit, formula, label) { #id, marches, unit, formula, label },
#include "common/record/formulas.def"
};

static const struct march {
	const char *id, *vendor;
	unsigned family, first, last;
} march_info[] = {
#define PM_MARCH(id, vendor, family, first, last) { #id, vendor, family, first, last },
#include "common/record/formulas.def"
};

const struct pm_term_info pm_term_info[PM_TERMS] = {
#define PM_TERM(id, names) { #id, names },
#include "common/record/formulas.def"
};

/* An event by its canonical name and domain. */
struct named {
	char canonical[CANONICAL_MAX];
	unsigned domain;
};

const char *pm_formula_march(const char *cpu_id)
{
	unsigned family, model;
	char vendor[32];

	if (!cpu_id || sscanf(cpu_id, "%31[^-]-%u-%x", vendor, &family, &model) != 3)
		return NULL;
	for (size_t i = 0; i < sizeof march_info / sizeof march_info[0]; i++) {
		const struct march *m = &march_info[i];

		if (strcmp(m->vendor, vendor) == 0 && m->family == family && m->first <= model &&
		    model <= m->last)
			return m->id;
	}
	return NULL;
}

/* Whether the blank-separated list contains the word of n bytes. */
static bool in_list(const char *list, const char *word, size_t n)
{
	while (*list) {
		size_t len = strcspn(list, " ");

		if (len == n && strncmp(list, word, n) == 0)
			return true;
		list += len;
		list += *list == ' ';
	}
	return false;
}

/* Strip a domain modifier from the end of a name: ":u", ":uk", ":u=1". Returns the new length. */
static size_t take_modifier(const char *name, size_t n, unsigned *domain)
{
	static const char letter[] = "ukh";
	unsigned found = 0;
	size_t at = n, end;

	while (at > 0 && name[at - 1] != ':')
		at--;
	if (at < 2 || at == n)
		return n;
	end = at + strcspn(name + at, "=");
	if (end > n)
		end = n;
	for (size_t i = at; i < end; i++) {
		const char *l = strchr(letter, name[i]);

		if (!l || !*l)
			return n;
		found |= 1U << (l - letter);
	}
	if (end == n || (end + 2 == n && name[end + 1] == '1'))
		*domain |= found;
	else if (end + 2 != n || name[end + 1] != '0')
		return n;
	return at - 1;
}

/* Convert a name to its canonical form, the same for all spellings of an event. */
static void canonical_name(struct named *out, const char *name, size_t n)
{
	struct pm_event e;
	const char *pmu;
	size_t len = 0;

	out->domain = 0;
	if (pm_event_find(&e, name, n) == 0) {
		uint64_t config = e.config;

		if (e.domain_asked)
			out->domain = (e.exclude & PM_EXCLUDE_USER ? 0 : IN_USER) |
				      (e.exclude & PM_EXCLUDE_KERNEL ? 0 : IN_KERNEL) |
				      (e.exclude & PM_EXCLUDE_HV ? 0 : IN_HYPERVISOR);
		if (e.type == PERF_TYPE_RAW)
			config &= ~(uint64_t)RAW_CONTROL;
		snprintf(out->canonical, sizeof out->canonical, "#%u:%llx:%llx:%llx", e.type,
			 (unsigned long long)config, (unsigned long long)e.config1,
			 (unsigned long long)e.config2);
		return;
	}
	pmu = strstr(name, "::");
	if (pmu && (size_t)(pmu - name) + 2 <= n) {
		n -= (size_t)(pmu + 2 - name);
		name = pmu + 2;
	}
	for (;;) {
		size_t shorter = take_modifier(name, n, &out->domain);

		if (shorter == n)
			break;
		n = shorter;
	}
	for (; len < n && len + 1 < sizeof out->canonical; len++) {
		char c = name[len];

		out->canonical[len] = (char)(c == '.' || c == ':' || c == '-' ? '_'
					     : c >= 'A' && c <= 'Z'           ? c - 'A' + 'a'
									      : c);
	}
	out->canonical[len] = '\0';
}

static const struct pm_term_info *find_term(const char *id, size_t n)
{
	for (size_t i = 0; i < PM_TERMS; i++)
		if (strlen(pm_term_info[i].id) == n && strncmp(pm_term_info[i].id, id, n) == 0)
			return &pm_term_info[i];
	return NULL;
}

/* The canonical names of every term, filled by the first call; the programs that use them have one
 * thread. */
static struct named wanted[PM_TERMS][TERM_NAMES];
static size_t wanted_names[PM_TERMS];

static void prepare_terms(void)
{
	for (size_t i = 0; i < PM_TERMS && wanted_names[i] == 0; i++) {
		const char *p = pm_term_info[i].names;

		while (*p && wanted_names[i] < TERM_NAMES) {
			size_t len = strcspn(p, " ");

			canonical_name(&wanted[i][wanted_names[i]++], p, len);
			p += len;
			p += *p == ' ';
		}
	}
}

/* The index of the event in this domain that the term names; n where none matches. The first name
 * of the term wins. */
static size_t find_event(const struct pm_term_info *t, const struct named *event, size_t n,
			 unsigned domain)
{
	size_t term = (size_t)(t - pm_term_info);

	for (size_t k = 0; k < wanted_names[term]; k++)
		for (size_t i = 0; i < n; i++)
			if (event[i].domain == domain &&
			    strcmp(event[i].canonical, wanted[term][k].canonical) == 0)
				return i;
	return n;
}

/* The next blank-separated token of a formula; false at its end. */
static bool next_token(const char **p, const char **token, size_t *n)
{
	*p += strspn(*p, " ");
	*token = *p;
	*n = strcspn(*p, " ");
	*p += *n;
	return *n > 0;
}

static bool is_operator(const char *token, size_t n)
{
	return n == 1 && strchr("+-*/", *token) != NULL;
}

static bool is_number(const char *token, size_t n, long double *v)
{
	char text[64], *end;

	if (n >= sizeof text || !strchr("0123456789.", *token))
		return false;
	memcpy(text, token, n);
	text[n] = '\0';
	*v = strtold(text, &end);
	return *end == '\0';
}

/* Get the next term of a formula, NULL in *t if it is unknown; operators, numbers and the time are
 * skipped. Returns false at the formula's end. */
static bool next_term(const char **p, const struct pm_term_info **t)
{
	const char *token;
	long double number;
	size_t n;

	while (next_token(p, &token, &n)) {
		if (is_operator(token, n) || is_number(token, n, &number) ||
		    (n == 1 && *token == 't'))
			continue;
		*t = find_term(token, n);
		return true;
	}
	return false;
}

/* Find the events that a formula needs. Returns false where one is missing. */
static bool bind_terms(struct pm_formula *f, const struct named *event, size_t n, unsigned domain)
{
	const struct pm_term_info *met[PM_FORMULA_TERMS];
	const struct pm_term_info *t;
	const char *p = f->info->formula;

	f->terms = 0;
	while (next_term(&p, &t)) {
		size_t k = 0;

		while (k < f->terms && met[k] != t)
			k++;
		if (!t || k == PM_FORMULA_TERMS)
			return false;
		if (k < f->terms)
			continue;
		met[k] = t;
		f->term[k] = find_event(t, event, n, domain);
		if (f->term[f->terms++] == n)
			return false;
	}
	return f->terms > 0;
}

static void name_domain(char *text, unsigned domain)
{
	snprintf(text, PM_FORMULA_DOMAIN, "%s%s%s%s", domain ? ":" : "",
		 domain & IN_USER ? "u" : "", domain & IN_KERNEL ? "k" : "",
		 domain & IN_HYPERVISOR ? "h" : "");
}

int pm_formula_find(const char *const *name, size_t n, const char *march, struct pm_formula **list)
{
	struct named *event = calloc(n + 1, sizeof *event);
	struct pm_formula *found = NULL;
	unsigned domains = 0;
	int count = 0;

	*list = NULL;
	if (!event)
		return -1;
	prepare_terms();
	for (size_t i = 0; i < n; i++) {
		canonical_name(&event[i], name[i], strlen(name[i]));
		domains |= 1U << event[i].domain;
	}
	for (unsigned d = 0; d < 8; d++) {
		const char *last = "";

		if (!(domains & 1U << d))
			continue;
		for (int m = 0; m < PM_METRICS; m++) {
			const struct pm_metric_info *info = &pm_metric_info[m];
			struct pm_formula f = { .info = info };
			void *grown;

			if (strcmp(info->id, last) == 0 ||
			    (*info->marches &&
			     (!march || !in_list(info->marches, march, strlen(march)))) ||
			    !bind_terms(&f, event, n, d))
				continue;
			grown = realloc(found, ((size_t)count + 1) * sizeof *found);
			if (!grown) {
				free(found);
				free(event);
				return -1;
			}
			found = grown;
			name_domain(f.domain, d);
			found[count++] = f;
			last = info->id;
		}
	}
	free(event);
	*list = found;
	return count;
}

/* The first name of a term that pm_event_find() knows. Returns its length, 0 where there is none.
 */
static size_t kernel_name(const struct pm_term_info *t, const char **name)
{
	struct pm_event e;

	for (const char *p = t->names; *p;) {
		size_t n = strcspn(p, " ");

		*name = p;
		if (pm_event_find(&e, p, n) == 0)
			return n;
		p += n;
		p += *p == ' ';
	}
	return 0;
}

/* List the names of a formula's events, each once. Returns how many, or 0 where an event has no
 * name that pm_event_find() knows. */
static int name_events(const char *formula, const char *name[PM_FORMULA_TERMS],
		       size_t len[PM_FORMULA_TERMS])
{
	const struct pm_term_info *t;
	int count = 0;

	while (next_term(&formula, &t)) {
		int k = 0;

		if (!t || count == PM_FORMULA_TERMS ||
		    (len[count] = kernel_name(t, &name[count])) == 0)
			return 0;
		while (k < count && name[k] != name[count])
			k++;
		count += k == count;
	}
	return count;
}

int pm_formula_events(const char *id, size_t n, const char *march,
		      const char *name[PM_FORMULA_TERMS], size_t len[PM_FORMULA_TERMS])
{
	int count = -1;

	for (int m = 0; m < PM_METRICS && count <= 0; m++) {
		const struct pm_metric_info *info = &pm_metric_info[m];

		if (strlen(info->id) != n || memcmp(info->id, id, n) != 0)
			continue;
		count = 0;
		if (!*info->marches || (march && in_list(info->marches, march, strlen(march))))
			count = name_events(info->formula, name, len);
	}
	return count;
}

long double pm_formula_rpn(const char *text,
			   long double (*term)(void *ctx, const char *token, size_t n), void *ctx)
{
	long double stack[PM_FORMULA_DEPTH], v;
	const char *token;
	unsigned depth = 0;
	size_t n;

	while (next_token(&text, &token, &n)) {
		if (!is_operator(token, n)) {
			if (depth == PM_FORMULA_DEPTH)
				return NAN;
			stack[depth++] = is_number(token, n, &v) ? v : term(ctx, token, n);
			continue;
		}
		if (depth < 2)
			return NAN;
		v = stack[--depth];
		switch (*token) {
		case '+':
			stack[depth - 1] += v;
			break;
		case '-':
			stack[depth - 1] -= v;
			break;
		case '*':
			stack[depth - 1] *= v;
			break;
		default:
			stack[depth - 1] = v == 0 ? NAN : stack[depth - 1] / v;
			break;
		}
	}
	return depth == 1 && isfinite(stack[0]) ? stack[0] : NAN;
}

/* The state of evaluating a metric. Terms are numbered in the order of their first use in the
 * formula. */
struct evaluation {
	const struct pm_formula *f;
	const double *value;
	double seconds;
	const char *seen[PM_FORMULA_TERMS]; /* ids of terms met so far */
	size_t seen_n[PM_FORMULA_TERMS], seens;
};

static long double metric_term(void *ctx, const char *token, size_t n)
{
	struct evaluation *x = ctx;
	size_t k = 0;

	if (n == 1 && *token == 't')
		return x->seconds > 0 ? (long double)x->seconds : NAN;
	while (k < x->seens && (x->seen_n[k] != n || strncmp(x->seen[k], token, n) != 0))
		k++;
	if (k == x->f->terms)
		return NAN;
	if (k == x->seens) {
		x->seen[k] = token;
		x->seen_n[k] = n;
		x->seens++;
	}
	return (long double)x->value[x->f->term[k]];
}

double pm_formula_value(const struct pm_formula *f, const double *value, double seconds)
{
	struct evaluation x = { .f = f, .value = value, .seconds = seconds };

	return (double)pm_formula_rpn(f->info->formula, metric_term, &x);
}
