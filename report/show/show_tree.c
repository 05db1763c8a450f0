/* The processes of a job as an indented tree. */
#include "config.h"

#include "report/show/show_tree.h"

#include "common/record/processname.h"
#include "common/text.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/rows/counters.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of levels that are indented; deeper levels show their depth as a number. */
#define DEPTH_MAX 16

/* Maximum number of levels whose program is remembered, to recognise copies that a fork made. */
#define DEPTH_KNOWN 256

/* One line of the tree: an image, or several consecutive images of one process. */
struct line {
	int64_t id, pid, generation, parent, depth;
	int64_t elapsed_us, cpu_us, inclusive_us, rss;
	int64_t gpu_us; /* -1: no client of a GPU is known */
	int64_t rank;   /* PM_UNKNOWN: none */
	int64_t status, signal;
	char reason[32];
	char exename[PM_PROCESSNAME_MAX]; /* as in the database */
	char command[PM_COMMAND_MAX];
};

/* Maximum number of images held back because they ended in an exec and their process's next image
 * has not been read yet. */
#define HELD 64

/* Index of the last column. */
#define COMMAND 8

/* Minimum width of the last column with counters: they need it more than the other columns. */
#define COMMAND_WIDE 48

struct tree {
	struct pm_table table;
	const struct pm_page *page;
	struct line *held; /* in the order of the query; none has had a child so far */
	size_t helds;
	char exename[DEPTH_KNOWN][64]; /* program of the last image of each level, truncated */
	int64_t shown;
	const struct pm_show_filter *filter;
	struct pm_counters *counters; /* NULL: not requested */
	bool more;                    /* `counters` has a current process */
};

static void read_line(struct line *l, struct pm_stmt *q, bool utf8)
{
	const char *reason = pm_db_text(q, 8, NULL), *exename = pm_db_text(q, 11, NULL);

	l->id = pm_db_int(q, 13);
	l->pid = pm_query_int(q, 0);
	l->generation = pm_query_int(q, 1);
	l->parent = pm_query_int(q, 2);
	l->depth = pm_db_int(q, 3);
	l->elapsed_us = pm_query_int(q, 4);
	l->cpu_us = pm_query_int(q, 5);
	l->inclusive_us = pm_query_int(q, 6);
	l->rss = pm_format_scale(pm_query_int(q, 7), PM_KERNEL_KB);
	snprintf(l->reason, sizeof l->reason, "%s", reason ? reason : "");
	l->gpu_us = pm_query_int(q, 14);
	l->rank = pm_query_int(q, 15);
	l->status = pm_query_int(q, 9);
	l->signal = pm_query_int(q, 10);
	snprintf(l->exename, sizeof l->exename, "%s", exename ? exename : "");
	pm_processname_command(l->command, sizeof l->command, exename, pm_db_text(q, 12, NULL),
			       utf8);
}

/* Whether image b continues the process of line a. Images between them may have been omitted
 * because they are too small to show. */
static bool is_continuation(const struct line *a, const struct line *b)
{
	return a->pid == b->pid && a->pid >= 0 && a->parent == b->parent && a->depth == b->depth &&
	       b->generation > a->generation;
}

/* Append image b to line a. */
static void join_lines(struct tree *t, struct line *a, const struct line *b)
{
	int64_t level = a->depth - 1;
	bool copy = a->generation == 0 && level >= 0 && level < DEPTH_KNOWN && *a->exename &&
		    strncmp(t->exename[level], a->exename, sizeof t->exename[level] - 1) == 0;
	char first[PM_PROCESSNAME_MAX], command[2 * PM_COMMAND_MAX + PM_PROCESSNAME_MAX];

	/* Do not name the copy of its parent that a fork left. */
	if (copy) {
		memcpy(a->command, b->command, sizeof a->command);
	} else {
		pm_text_field(first, sizeof first, a->exename, t->page->utf8);
		snprintf(command, sizeof command, "%s %s %s",
			 strstr(a->command, " -> ") || strstr(a->command, " \xe2\x86\x92 ")
				 ? a->command
				 : first,
			 t->page->utf8 ? "\xe2\x86\x92" : "->", b->command);
		pm_text_fit(a->command, sizeof a->command, command, (int)sizeof command,
			    t->page->utf8);
	}
	a->elapsed_us = pm_format_add(a->elapsed_us, b->elapsed_us);
	a->cpu_us = pm_format_add(a->cpu_us, b->cpu_us);
	a->inclusive_us = pm_format_add(a->inclusive_us, b->inclusive_us);
	a->rss = a->rss > b->rss ? a->rss : b->rss;
	a->gpu_us = a->gpu_us < 0   ? b->gpu_us
		    : b->gpu_us < 0 ? a->gpu_us
				    : pm_format_add(a->gpu_us, b->gpu_us);
	if (b->rank != PM_UNKNOWN)
		a->rank = b->rank;
	a->generation = b->generation;
	a->status = b->status;
	a->signal = b->signal;
	memcpy(a->reason, b->reason, sizeof a->reason);
	memcpy(a->exename, b->exename, sizeof a->exename);
}

static void print_line(struct tree *t, const struct line *l)
{
	int64_t depth = l->depth < DEPTH_MAX ? l->depth : DEPTH_MAX;
	char text[PM_COMMAND_MAX + 2 * DEPTH_MAX + PM_FORMAT_MAX], deeper[PM_FORMAT_MAX] = "";

	if (l->depth > DEPTH_MAX)
		snprintf(deeper, sizeof deeper, "(level %lld) ", (long long)l->depth);
	pm_cell_duration(&t->table, l->elapsed_us);
	pm_cell_duration(&t->table, l->cpu_us);
	pm_cell_duration(&t->table, l->inclusive_us);
	pm_cell_bytes(&t->table, l->rss);
	if (l->gpu_us >= 0)
		pm_cell_duration(&t->table, l->gpu_us);
	else
		pm_table_cell(&t->table, "");
	pm_table_cell(&t->table, pm_cell_ending(text, l->reason, l->status, l->signal));
	pm_cell_id(&t->table, l->pid);
	if (l->rank == PM_UNKNOWN)
		pm_table_cell(&t->table, "");
	else
		pm_cell_id(&t->table, l->rank);
	snprintf(text, sizeof text, "%*s%s%s", (int)(2 * depth), "", deeper, l->command);
	pm_table_cell(&t->table, text);
	if (l->depth >= 0 && l->depth < DEPTH_KNOWN)
		snprintf(t->exename[l->depth], sizeof t->exename[0], "%.63s", l->exename);
	t->shown++;
}

/* Print a line below that of a process: the value first, because the name may be cut. */
static void print_below(struct tree *t, const struct line *l, const char *value, const char *name)
{
	int64_t depth = l->depth < DEPTH_MAX ? l->depth : DEPTH_MAX;
	char text[PM_COMMAND_MAX];

	for (int i = 0; i < COMMAND; i++)
		pm_table_cell(&t->table, "");
	snprintf(text, sizeof text, "%*s%s  %s", (int)(2 * depth + 4), "", value, name);
	pm_table_cell(&t->table, text);
}

static void print_event(struct tree *t, const struct line *l, const struct pm_counters_event *x)
{
	char name[PM_PROCESSNAME_MAX], value[3 * PM_FORMAT_MAX], n[PM_FORMAT_MAX],
		share[PM_FORMAT_MAX];

	if (!x->there)
		return;
	pm_text_field(name, sizeof name, x->name, t->page->utf8);
	if (x->value == PM_UNKNOWN)
		snprintf(value, sizeof value, "unknown%s%s%s", *x->reason ? " (" : "", x->reason,
			 *x->reason ? ")" : "");
	else if (x->ratio < 1)
		snprintf(value, sizeof value, "%s (counted %s of the time)",
			 pm_format_count(n, x->value), pm_format_share(share, x->ratio));
	else
		snprintf(value, sizeof value, "%s%s", pm_format_count(n, x->value),
			 strcmp(x->scope, "node") == 0 ? " (of the node)" : "");
	print_below(t, l, value, name);
}

/* Print the counters of an image and their metrics. Images and counters both come in the order of
 * process ids. */
static int print_counters(struct tree *t, const struct line *l, struct pm_err *e)
{
	struct pm_counters *c = t->counters;
	double seconds = l->elapsed_us >= 0 ? (double)l->elapsed_us / 1e6 : NAN;
	int rc = 1;

	while (t->more && c->process < l->id) {
		rc = pm_counters_next(c, e);
		t->more = rc > 0;
	}
	if (rc < 0)
		return -1;
	if (!t->more || c->process != l->id)
		return 0;
	for (size_t i = 0; i < c->events; i++)
		print_event(t, l, &c->event[i]);
	for (int m = 0; m < c->formulas; m++) {
		const struct pm_formula *f = &c->formula[m];
		char name[PM_PROCESSNAME_MAX], value[PM_COUNTERS_TEXT];

		if (!pm_counters_has(c, f))
			continue;
		snprintf(name, sizeof name, "%s%s%s", f->info->label, *f->domain ? " " : "",
			 f->domain);
		print_below(t, l,
			    pm_counters_value(value, pm_formula_value(f, c->value, seconds),
					      f->info->unit),
			    name);
	}
	return 0;
}

/* Print held line i and remove it. */
static void release_line(struct tree *t, size_t i)
{
	print_line(t, &t->held[i]);
	t->helds--;
	memmove(&t->held[i], &t->held[i + 1], (t->helds - i) * sizeof *t->held);
}

/*
 * Add the next image of the query. Images of a process are siblings; images of other processes come
 * between them where several processes run at once. An image that ended in an exec is held back
 * until the next image of its process comes, so that both share a line. It is printed earlier when
 * a child of its own comes (the child belongs below it), and when the walk leaves its level.
 */
static void add_line(struct tree *t, struct line *next)
{
	for (size_t i = 0; i < t->helds;) {
		const struct line *h = &t->held[i];

		if (h->id == next->parent || h->depth > next->depth)
			release_line(t, i);
		else
			i++;
	}
	for (size_t i = 0; i < t->helds; i++)
		if (is_continuation(&t->held[i], next)) {
			join_lines(t, &t->held[i], next);
			t->held[i].id = next->id;
			if (strcmp(next->reason, "exec") != 0)
				release_line(t, i);
			return;
		}
	if (strcmp(next->reason, "exec") != 0) {
		print_line(t, next);
		return;
	}
	if (t->helds == HELD)
		release_line(t, 0);
	t->held[t->helds++] = *next;
}

/* The last process to show, ordered by CPU time with descendants and then by id. A parent always
 * precedes its children in this order, so the processes before a cut form a tree. */
struct cut {
	bool set;
	int64_t inclusive_us, id;
};

/* Prepare a statement about process p, with the condition of the filter in it for %s. */
static int prepare(struct pm_db *db, const char *form, const struct pm_show_filter *f, int64_t job,
		   struct pm_stmt **q, struct pm_err *e)
{
	char *sql;
	int rc;

	if (asprintf(&sql, form, f->where) < 0)
		return pm_err(e, "out of memory");
	rc = pm_query_prepare(db, sql, job, q, e);
	free(sql);
	return rc;
}

#define SHOWN                                                                                      \
	"(COALESCE(inclusive_cpu_time, 0) > ? OR (COALESCE(inclusive_cpu_time, 0) = ? AND id <= "  \
	"?))"

static void bind_cut(struct pm_stmt *q, const struct cut *cut)
{
	pm_db_bind_int(q, 2, cut->set ? cut->inclusive_us : -1);
	pm_db_bind_int(q, 3, cut->inclusive_us);
	pm_db_bind_int(q, 4, cut->id);
}

static int find_cut(struct pm_db *db, const struct pm_show_filter *f, int64_t job, int64_t limit,
		    struct cut *cut, struct pm_err *e)
{
	static const char sql[] =
		"SELECT COALESCE(inclusive_cpu_time, 0), id FROM process p WHERE job_id = ?%s"
		" ORDER BY 1 DESC, 2 LIMIT 2 OFFSET ?";
	struct pm_stmt *q;
	int rc, n = 0;

	memset(cut, 0, sizeof *cut);
	if (limit == INT64_MAX)
		return 0;
	if (prepare(db, sql, f, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, limit - 1);
	while ((rc = pm_db_step(q, e)) > 0) {
		if (n++ == 0) {
			cut->inclusive_us = pm_db_int(q, 0);
			cut->id = pm_db_int(q, 1);
		} else {
			cut->set = true; /* more processes follow */
		}
	}
	pm_db_finish(q);
	return rc;
}

static int print_rest(const struct tree *t, struct pm_db *db, int64_t job, const struct cut *cut,
		      struct pm_err *e)
{
	static const char sql[] =
		"SELECT COUNT(*), SUM(CAST(cpu_time AS DOUBLE PRECISION)) FROM process p"
		" WHERE job_id = ? AND NOT " SHOWN "%s";
	char n[PM_FORMAT_MAX], each[PM_FORMAT_MAX], all[PM_FORMAT_MAX], text[256];
	struct pm_stmt *q;
	int rc;

	if (!cut->set)
		return 0;
	if (prepare(db, sql, t->filter, job, &q, e) < 0)
		return -1;
	bind_cut(q, cut);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		snprintf(text, sizeof text,
			 "%s more, each with at most %s of CPU time, %s together, are not shown; "
			 "--limit 0 shows all.",
			 pm_format_count(n, pm_query_int(q, 0)),
			 pm_format_duration(each, cut->inclusive_us),
			 pm_format_duration(all, pm_query_sum(q, 1)));
		fputc('\n', t->page->f);
		pm_page_text(t->page, "", text);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int print_rows(struct tree *t, struct pm_db *db, int64_t job, const struct cut *cut,
		      struct pm_err *e)
{
	static const char sql[] =
		"SELECT pid, generation, parent_id, depth, duration_us, cpu_time,"
		" inclusive_cpu_time, rssmax, end_reason, exitcode, exitsignal, exename, args, id,"
		" gpu_time / 1000, mpirank"
		" FROM process p WHERE job_id = ? AND " SHOWN "%s ORDER BY id";
	struct line next;
	struct pm_stmt *q;
	int rc;

	if (prepare(db, sql, t->filter, job, &q, e) < 0)
		return -1;
	bind_cut(q, cut);
	while ((rc = pm_db_step(q, e)) > 0) {
		read_line(&next, q, t->page->utf8);
		next.depth -= t->filter->depth;
		if (!t->counters) {
			add_line(t, &next);
			continue;
		}
		print_line(t, &next);
		rc = print_counters(t, &next, e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	while (t->helds > 0)
		release_line(t, 0);
	return rc;
}

/* Start to read the counters, up to the first process that has any. */
static int begin_counters(struct tree *t, struct pm_db *db, int64_t job, struct pm_err *e)
{
	int rc = pm_counters_begin(t->counters, db, job, e);

	if (rc == 0)
		rc = pm_counters_next(t->counters, e);
	t->more = rc > 0;
	return rc < 0 ? -1 : 0;
}

int pm_show_tree(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *filter, bool counters, struct pm_err *e)
{
	struct pm_table_column column[] = {
		{ "Wall time", true, 0, 1 }, { "CPU time", true, 0, 0 },
		{ "Tree CPU", true, 0, 0 },  { "Peak mem.", true, 0, 2 },
		{ "GPU time", true, 0, -1 }, { "Ended", false, 0, 0 },
		{ "Pid", true, 0, 3 },       { "Rank", true, 0, -1 },
		{ "Command", false, 28, 0 },
	};
	struct tree *t = calloc(1, sizeof *t);
	struct pm_counters counted = { 0 };
	struct cut cut;
	int rc = -1;

	if (t)
		t->held = calloc(HELD, sizeof *t->held);
	if (!t || !t->held) {
		free(t);
		return pm_err(e, "print a tree: out of memory");
	}
	t->page = p;
	t->filter = filter;
	pm_table_init(&t->table, p, column, sizeof column / sizeof column[0], 0);
	if (counters) {
		t->counters = &counted;
		column[COMMAND].least = COMMAND_WIDE;
	}
	if ((counters && begin_counters(t, db, job, e) < 0) ||
	    find_cut(db, filter, job, limit, &cut, e) < 0 || print_rows(t, db, job, &cut, e) < 0)
		goto out;
	if (t->shown == 0)
		fprintf(p->f, "no processes\n");
	else if (pm_table_finish(&t->table) < 0) {
		pm_err(e, "print a tree: out of memory");
		goto out;
	}
	rc = print_rest(t, db, job, &cut, e);
out:
	pm_table_discard(&t->table);
	pm_counters_end(&counted);
	free(t->held);
	free(t);
	return rc;
}
