/* Parser of papiex's collated TSV: fields, braces, rows. */
#include "config.h"

#include "submit/foreign/papiex_tsv.h"

#include <stdlib.h>
#include <string.h>

const char pm_papiex_tsv_default[] =
	"{usertime,systemtime,rssmax,minflt,majflt,inblock,outblock,vol_ctxsw,invol_ctxsw,cminflt,"
	"cmajflt,cutime,cstime,num_threads,starttime,processor,delayacct_blkio_time,guest_time,"
	"rchar,wchar,syscr,syscw,read_bytes,write_bytes,cancelled_write_bytes,time_oncpu,"
	"time_waiting,timeslices}\ttags\thostname\texename\tpath\texitcode\texitsignal\tpid\t"
	"generation\tppid\tpgid\tsid\tnumtids\tstart\tend\targs";

void pm_papiex_tsv_free(struct pm_papiex_tsv *t)
{
	free(t->value);
	memset(t, 0, sizeof *t);
}

static int in_braces(const struct pm_str *s)
{
	return s->n >= 2 && s->p[0] == '{' && s->p[s->n - 1] == '}';
}

/* Read the next item of a comma-separated list, without blanks around it. Returns 1, or 0 at the
 * end. */
static int next_item(struct pm_str *list, struct pm_str *item)
{
	const char *comma;

	if (!list->p)
		return 0;
	comma = memchr(list->p, ',', list->n);
	item->p = list->p;
	item->n = comma ? (size_t)(comma - list->p) : list->n;
	list->p = comma ? comma + 1 : NULL;
	list->n -= item->n + (comma != NULL);
	for (; item->n && item->p[0] == ' '; item->p++)
		item->n--;
	for (; item->n && item->p[item->n - 1] == ' '; item->n--)
		continue;
	return 1;
}

static struct pm_str inside_braces(const struct pm_str *s)
{
	struct pm_str list = { s->p + 1, s->n - 2 };

	return list;
}

int pm_papiex_tsv_names(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
			const char **why, struct pm_err *e)
{
	struct pm_str field[PM_PAPIEX_COLUMNS], name[PM_PAPIEX_COLUMNS + 1], list, item;
	size_t fields, names = 0, braces = SIZE_MAX;
	struct pm_str *value;
	int rc;

	*why = NULL;
	fields = pm_tsv_split(line, n && line[n - 1] == '\r' ? n - 1 : n, field, PM_PAPIEX_COLUMNS);
	for (size_t i = 0; i < fields && i < PM_PAPIEX_COLUMNS; i++) {
		if (in_braces(&field[i]) && braces == SIZE_MAX)
			braces = i;
		else
			name[names++] = field[i];
	}
	if (fields > PM_PAPIEX_COLUMNS || braces == SIZE_MAX) {
		*why = "not a line of column names";
		return 1;
	}
	list = inside_braces(&field[braces]);
	while (next_item(&list, &item)) {
		if (names == PM_PAPIEX_COLUMNS) {
			*why = "too many columns";
			return 1;
		}
		name[names++] = item;
	}
	rc = pm_papiex_columns(x, name, names, why, e);
	if (rc)
		return rc;
	value = calloc(names, sizeof *value);
	if (!value)
		return pm_err(e, "out of memory");
	pm_papiex_tsv_free(t);
	t->value = value;
	t->fields = fields;
	t->in_braces = braces;
	t->metrics = names - (fields - 1);
	t->numtids = SIZE_MAX;
	for (size_t i = 0; i < fields - 1; i++)
		if (name[i].n == 7 && memcmp(name[i].p, "numtids", 7) == 0)
			t->numtids = i;
	return 0;
}

/* Undo the quoting of Python's csv, which encloses a field with quotation marks in such marks and
 * doubles each. papiex itself quotes nothing. */
static struct pm_str unquote(struct pm_str s, char *mem)
{
	struct pm_str out = { mem, 0 };

	if (s.n < 4 || s.p[0] != '"' || s.p[s.n - 1] != '"')
		return s;
	for (size_t i = 1; i < s.n - 1; i++) {
		if (s.p[i] == '"' && (i + 1 == s.n - 1 || s.p[++i] != '"'))
			return s;
		mem[out.n++] = s.p[i];
	}
	return out.n < s.n - 2 ? out : s;
}

/* Count the threads in braces, and check that they are complete and as many as the line says.
 * Returns NULL, or why not. */
static const char *count_threads(const struct pm_papiex_tsv *t, struct pm_str list, size_t *threads)
{
	struct pm_str item;
	int64_t said;
	size_t values = 0;

	while (next_item(&list, &item))
		values++;
	if (t->metrics == 0 || values % t->metrics)
		return "the number of values does not match the threads and column names";
	/* An implausible number of threads in the line is ignored. */
	if (t->numtids != SIZE_MAX &&
	    pm_tsv_number(t->value[t->numtids].p, t->value[t->numtids].n, &said) == 0 &&
	    said >= 1 && said <= PM_PAPIEX_THREADS && (uint64_t)said != values / t->metrics)
		return "the number of values does not match the threads and column names";
	*threads = values / t->metrics;
	return NULL;
}

static int take_rows(struct pm_papiex_tsv *t, struct pm_papiex *x, struct pm_str list,
		     size_t threads, const char **why, const char **column, struct pm_err *e)
{
	struct pm_str *metric = t->value + (t->fields - 1), none = { "", 0 };
	int rc = 0;

	x->counted = (int64_t)threads;
	for (size_t k = 0; k < threads && rc == 0; k++) {
		for (size_t i = 0; i < t->fields - 1 && k > 0; i++)
			t->value[i] = none;
		for (size_t i = 0; i < t->metrics; i++)
			next_item(&list, &metric[i]);
		rc = pm_papiex_row(x, t->value, why, column, e);
	}
	x->counted = 0;
	return rc;
}

int pm_papiex_tsv_line(struct pm_papiex_tsv *t, struct pm_papiex *x, const char *line, size_t n,
		       const char **why, const char **column, struct pm_err *e)
{
	struct pm_str field[PM_PAPIEX_COLUMNS], list;
	size_t fields, threads = 0, at = 0;
	char *mem;
	int rc = 1;

	*why = *column = NULL;
	n -= n && line[n - 1] == '\r';
	fields = pm_tsv_split(line, n, field, PM_PAPIEX_COLUMNS);
	if (fields != t->fields) {
		*why = fields < t->fields ? "too few fields: the line is cut" : "too many fields";
		return 1;
	}
	if (!in_braces(&field[t->in_braces])) {
		*why = "no metrics in braces";
		return 1;
	}
	mem = malloc(n + 1);
	if (!mem)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < fields; i++)
		if (i != t->in_braces)
			t->value[at++] = unquote(field[i], mem + (field[i].p - line));
	list = inside_braces(&field[t->in_braces]);
	*why = count_threads(t, list, &threads);
	if (!*why)
		rc = take_rows(t, x, list, threads, why, column, e);
	free(mem);
	return rc;
}
