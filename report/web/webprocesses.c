/* The processes of a job as columns of a page: one pass over their rows. */
#include "config.h"

#include "report/web/webprocesses.h"

#include "common/grow.h"
#include "common/record/processname.h"
#include "common/text.h"
#include "report/facts/processfold.h"
#include "report/rows/labels.h"
#include "report/rows/query_row.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a command at its beginning and at its end that a page has. */
#define COMMAND_HEAD 140
#define COMMAND_TAIL 100

/* Jobs with more processes have commands of about COMMANDS of them, the longest: texts are what
 * takes most bytes. */
#define ALL_COMMANDS 100000
#define COMMANDS     40000

/* Label of rows that stand for several processes: no program's label has brackets only. */
#define OTHERS "(others)"

enum fold { FOLD_NONE, FOLD_SUM, FOLD_PEAK };

/* The columns in the order of enum pm_web_column. */
static const struct column {
	const char *name, *type, *unit, *title;
	enum pm_column_code code;
	double factor;
	enum fold fold;
	bool always;     /* it is in the page even if nothing is known */
	const char *sql; /* NULL: it is computed */
} column[PM_WEB_COLUMNS] = {
	[PM_WEB_PARENT] = { "parent", "index", "", "Parent", PM_COLUMN_DELTA_PLANES, 1, FOLD_NONE,
			    true, NULL },
	[PM_WEB_HOST] = { "host", "index", "", "Host", PM_COLUMN_PLAIN, 1, FOLD_NONE, true, NULL },
	[PM_WEB_PROGRAM] = { "program", "index", "", "Program", PM_COLUMN_PLAIN, 1, FOLD_NONE, true,
			     NULL },
	[PM_WEB_START] = { "start_us", "time", "us", "Start", PM_COLUMN_DELTA_PLANES, 1, FOLD_NONE,
			   true, NULL },
	[PM_WEB_DURATION] = { "duration_us", "duration", "us", "Wall time", PM_COLUMN_PLANES, 1,
			      FOLD_SUM, true, NULL },
	[PM_WEB_CPU] = { "cpu_time", "duration", "us", "CPU time", PM_COLUMN_PLANES, 1, FOLD_SUM,
			 true, NULL },
	[PM_WEB_END] = { "end_reason", "index", "", "Ended by", PM_COLUMN_PLAIN, 1, FOLD_NONE, true,
			 NULL },
	[PM_WEB_COUNT] = { "count", "count", "", "Processes", PM_COLUMN_PLAIN, 1, FOLD_SUM, true,
			   NULL },
	[PM_WEB_TAGS] = { "tags", "index", "", "Tags", PM_COLUMN_PLAIN, 1, FOLD_NONE, false, NULL },
	[PM_WEB_COMMAND] = { "command", "text", "", "Command", PM_COLUMN_TEXT, 1, FOLD_NONE, false,
			     NULL },
#define COUNT    "count"
#define ID       "id"
#define STATUS   "status"
#define SIGNAL   "signal"
#define DURATION "duration"
#define BYTES    "bytes"
#define NONE     FOLD_NONE
#define SUM      FOLD_SUM
#define PEAK     FOLD_PEAK
#define PM_WEBCOLUMN(id, sql, code, type, unit, factor, fold, title)                               \
	[PM_WEB_##id] = { #id, type, unit, title, PM_COLUMN_##code, factor, fold, false, sql },
#include "report/web/processcolumns.def"
#undef PM_WEBCOLUMN
};

/* The columns of processcolumns.def. */
#define FIRST (PM_WEB_COMMAND + 1)

/* The query's columns before those. */
enum { ID_, HOST_, PARENT_, START_, LENGTH_, CPU_, END_, TAGS_, EXE_, ARGS_, COMM_, OTHER_ };

static const char query_head[] =
	"SELECT id, host_id, parent_id, start_us, duration_us, cpu_time, end_reason, tag_set,"
	" exename, args, thread_name";

/* A row of the page in the making. */
struct row {
	int64_t value[PM_WEB_COLUMNS];
	const char *command; /* NULL: unknown */
};

/* A process on the way from the root to the current one. */
struct level {
	int64_t id;
	int64_t row;        /* its row; -1: it is folded */
	size_t kept;        /* the level that the processes below it are folded into */
	struct row *others; /* sums of those folded here; NULL: none */
};

struct pass {
	struct pm_webprocesses *w;
	struct pm_db *db;
	const struct pm_facts *f;
	struct pm_stmt *q;
	const struct pm_processfold *fold; /* NULL: nothing is folded, and all have commands */
	int limit;                         /* below which processes are folded; 0: none are */
	struct level *level;               /* the first stands above the roots */
	size_t levels, room;
	struct pm_labels *labels;
	int64_t *program; /* of each label */
	size_t program_room, labelled;
	int64_t at;        /* rows read */
	int command_limit; /* below which processes have no commands; 0: all have */
	char end[64];      /* why the process before ended, and its number */
	int64_t end_number;
	char command[PM_COMMAND_MAX];
};

/* The number of the program of the current row. Returns it, or -1 if out of memory. */
static int64_t program_number(struct pass *p)
{
	const int64_t label =
		pm_labels_number(p->labels, pm_db_text(p->q, EXE_, NULL),
				 pm_db_text(p->q, ARGS_, NULL), pm_db_text(p->q, COMM_, NULL));

	if (label < 0)
		return -1;
	if ((size_t)label == p->labelled) {
		if (!PM_GROW(p->program, p->labelled, p->program_room, 64))
			return -1;
		p->program[p->labelled++] =
			pm_names_number(&p->w->programs, pm_labels_text(p->labels, label));
	}
	return p->program[label];
}

/* Write a command without what is in the middle of a long one: at its end are names of files. */
static const char *show_command(char command[PM_COMMAND_MAX], const char *exename, const char *args)
{
	size_t n, head = COMMAND_HEAD, tail;

	pm_processname_command(command, PM_COMMAND_MAX, exename, args, true);
	n = strlen(command);
	if (n <= COMMAND_HEAD + COMMAND_TAIL + 5)
		return command;
	tail = n - COMMAND_TAIL;
	/* Characters are not split. */
	while (((unsigned char)command[head] & 0xc0) == 0x80)
		head--;
	while (((unsigned char)command[tail] & 0xc0) == 0x80)
		tail++;
	memmove(command + head + 5, command + tail, n - tail + 1);
	memcpy(command + head, " \xe2\x80\xa6 ", 5);
	return command;
}

/* The number of a reason why processes ended. Returns it, or -1 if out of memory. */
static int64_t end_number(struct pass *p, const char *end)
{
	/* Most end as the one before. */
	if (p->end_number < 0 || strcmp(end, p->end) != 0) {
		char reason[sizeof p->end];

		pm_text_safe(reason, sizeof reason, end, strlen(end), true);
		p->end_number = pm_names_number(&p->w->ends, reason);
		snprintf(p->end, sizeof p->end, "%s", end);
	}
	return p->end_number;
}

/* Read what a row that is folded adds to the one it is folded into: texts cost most. */
static void read_folded(struct pass *p, struct row *r)
{
	int64_t *v = r->value;

	v[PM_WEB_HOST] = pm_facts_host_index(p->f, pm_db_int(p->q, HOST_));
	v[PM_WEB_START] = pm_query_int(p->q, START_);
	if (v[PM_WEB_START] != PM_UNKNOWN)
		v[PM_WEB_START] = pm_format_since(v[PM_WEB_START], p->f->line_start_us);
	v[PM_WEB_DURATION] = pm_query_int(p->q, LENGTH_);
	v[PM_WEB_CPU] = pm_query_int(p->q, CPU_);
	v[PM_WEB_COUNT] = 1;
	for (int i = FIRST; i < PM_WEB_COLUMNS; i++)
		v[i] = pm_query_int(p->q, OTHER_ + i - FIRST);
}

/* Read the current row into a row of the page. Returns 0, or -1 if out of memory. */
static int read_row(struct pass *p, struct row *r)
{
	const char *exename = pm_db_text(p->q, EXE_, NULL), *args = pm_db_text(p->q, ARGS_, NULL);
	const char *end = pm_db_text(p->q, END_, NULL);
	int64_t *v = r->value;

	read_folded(p, r);
	v[PM_WEB_PROGRAM] = program_number(p);
	v[PM_WEB_END] = end ? end_number(p, end) : PM_UNKNOWN;
	v[PM_WEB_TAGS] = pm_query_int(p->q, TAGS_);
	r->command = NULL;
	if ((exename || args) &&
	    !(p->fold && pm_processfold_folds(p->fold, p->command_limit, p->at)))
		r->command = show_command(p->command, exename, args);
	return v[PM_WEB_PROGRAM] == -1 || v[PM_WEB_END] == -1 ? -1 : 0;
}

/* Add a row to the page. */
static void put_row(struct pass *p, const struct row *r, int64_t parent)
{
	struct pm_webprocesses *w = p->w;

	pm_column_add(w->column[PM_WEB_PARENT], parent < 0 ? PM_UNKNOWN : parent);
	for (int i = 0; i < PM_WEB_COLUMNS; i++) {
		if (i == PM_WEB_COMMAND)
			pm_column_add_text(w->column[i], r->command);
		else if (i != PM_WEB_PARENT)
			pm_column_add(w->column[i], r->value[i]);
	}
	w->rows++;
}

/* Add a value to a sum, or take the larger one. What is unknown adds nothing. */
static void fold_value(int64_t *to, int64_t v, enum fold fold)
{
	if (v == PM_UNKNOWN)
		return;
	if (*to == PM_UNKNOWN)
		*to = v;
	else if (fold == FOLD_PEAK)
		*to = v > *to ? v : *to;
	else if (__builtin_add_overflow(*to, v, to))
		*to = INT64_MAX - 1;
}

/* Fold a row into those of a level. Returns 0, or -1 if out of memory. */
static int fold_row(struct pass *p, struct level *l, const struct row *r)
{
	int64_t number = pm_names_number(&p->w->programs, OTHERS), start = r->value[PM_WEB_START];

	if (number < 0)
		return -1;
	if (!l->others) {
		l->others = malloc(sizeof *l->others);
		if (!l->others)
			return -1;
		for (int i = 0; i < PM_WEB_COLUMNS; i++)
			l->others->value[i] = PM_UNKNOWN;
		l->others->value[PM_WEB_HOST] = r->value[PM_WEB_HOST];
		l->others->value[PM_WEB_PROGRAM] = number;
		l->others->command = NULL;
	}
	for (int i = 0; i < PM_WEB_COLUMNS; i++) {
		if (column[i].fold == FOLD_NONE)
			continue;
		fold_value(&l->others->value[i], r->value[i], column[i].fold);
		p->w->folded_unknown[i] += r->value[i] == PM_UNKNOWN;
	}
	if (start != PM_UNKNOWN && (l->others->value[PM_WEB_START] == PM_UNKNOWN ||
				    start < l->others->value[PM_WEB_START]))
		l->others->value[PM_WEB_START] = start;
	return 0;
}

/* Leave the levels above `keep`: what was folded there becomes a row. */
static void leave_levels(struct pass *p, size_t keep)
{
	while (p->levels > keep) {
		struct level *l = &p->level[--p->levels];

		if (!l->others)
			continue;
		p->w->folded_rows++;
		p->w->folded += l->others->value[PM_WEB_COUNT];
		put_row(p, l->others, l->row);
		free(l->others);
		l->others = NULL;
	}
}

/* Go to the level of a process's parent. Rows are in depth-first order, so it is on the way from
 * the root; a damaged database may have another. */
static void find_parent(struct pass *p)
{
	size_t n = p->levels;

	if (pm_db_is_null(p->q, PARENT_)) {
		leave_levels(p, 1);
		return;
	}
	while (n > 1 && p->level[n - 1].id != pm_db_int(p->q, PARENT_))
		n--;
	p->w->strays += n == 1;
	leave_levels(p, n);
}

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Note which processes are on the critical path, by id. Returns 0, or -1 if out of memory. */
static int ask_rows(struct pm_webprocesses *w, const struct pm_criticalpath *path)
{
	const size_t n = path ? path->steps : 0;

	w->asked = calloc(n + 1, sizeof *w->asked);
	w->asked_row = calloc(n + 1, sizeof *w->asked_row);
	if (!w->asked || !w->asked_row)
		return -1;
	for (size_t i = 0; i < n; i++) {
		w->asked[i] = path->step[i].process;
		w->asked_row[i] = -1;
	}
	w->asks = n;
	qsort(w->asked, n, sizeof *w->asked, by_number);
	return 0;
}

/* The rows come by id. */
static void answer_rows(struct pm_webprocesses *w, int64_t id, int64_t row)
{
	while (w->next_ask < w->asks && w->asked[w->next_ask] < id)
		w->next_ask++;
	while (w->next_ask < w->asks && w->asked[w->next_ask] == id)
		w->asked_row[w->next_ask++] = row;
}

int64_t pm_webprocesses_row(const struct pm_webprocesses *w, int64_t process)
{
	const int64_t *at = bsearch(&process, w->asked, w->asks, sizeof process, by_number);

	return at ? w->asked_row[at - w->asked] : -1;
}

/* Take the current row of the query. Returns 0, or -1 with e filled. */
static int take_row(struct pass *p, struct pm_err *e)
{
	struct level here = { .id = pm_db_int(p->q, ID_) }, *parent;
	const bool folded = p->fold && pm_processfold_folds(p->fold, p->limit, p->at);
	struct row r;

	if (folded)
		read_folded(p, &r);
	else if (read_row(p, &r) < 0)
		return pm_err(e, "out of memory");
	if (p->levels == p->room) {
		size_t room = 2 * p->room;
		struct level *grown = realloc(p->level, room * sizeof *grown);

		if (!grown)
			return pm_err(e, "out of memory");
		p->level = grown;
		p->room = room;
	}
	find_parent(p);
	parent = &p->level[p->levels - 1];
	p->w->processes++;
	if (folded) {
		here.row = -1;
		here.kept = parent->kept;
		if (fold_row(p, &p->level[parent->kept], &r) < 0)
			return pm_err(e, "out of memory");
	} else {
		here.row = p->w->rows;
		here.kept = p->levels;
		put_row(p, &r, parent->row);
	}
	answer_rows(p->w, here.id, here.row);
	p->at++;
	p->level[p->levels++] = here;
	return 0;
}

static int read_rows(struct pass *p, struct pm_err *e)
{
	char sql[2048];
	size_t n = (size_t)snprintf(sql, sizeof sql, "%s", query_head);
	int rc;

	for (int i = FIRST; i < PM_WEB_COLUMNS; i++)
		n += (size_t)snprintf(sql + n, sizeof sql - n, ", %s", column[i].sql);
	snprintf(sql + n, sizeof sql - n, " FROM process WHERE job_id = ? ORDER BY id");
	if (pm_query_prepare(p->db, sql, p->f->job, &p->q, e) < 0)
		return -1;
	while ((rc = pm_db_step(p->q, e)) > 0)
		if ((rc = take_row(p, e)) < 0)
			break;
	pm_db_finish(p->q);
	return rc;
}

/* Read the tags of sets, by number, as texts. Sets that no process has are among them. */
static int read_tagsets(struct pm_webprocesses *w, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t last = -1;
	char text[PM_COMMAND_MAX];
	size_t len = 0;
	int rc;

	if (pm_query_prepare(
		    db, "SELECT id, name, value FROM tag_set WHERE job_id = ? ORDER BY id, name",
		    job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		char name[128], value[256];

		if (pm_db_int(q, 0) != last) {
			last = pm_db_int(q, 0);
			len = 0;
			while (last >= 0 && last < 1000000 &&
			       (int64_t)json_array_size(w->tagsets.list) <= last)
				json_array_append_new(w->tagsets.list, json_string(""));
		}
		pm_text_field(name, sizeof name, pm_db_text(q, 1, NULL), true);
		pm_text_field(value, sizeof value, pm_db_text(q, 2, NULL), true);
		if (len + strlen(name) + strlen(value) + 4 < sizeof text)
			len += (size_t)snprintf(text + len, sizeof text - len, "%s%s:%s",
						len ? "; " : "", name, value);
		json_array_set_new(w->tagsets.list, (size_t)last, json_string(text));
	}
	pm_db_finish(q);
	return rc;
}

/* The clock ticks per second of the job's hosts; 0 where they differ or are not known. */
static int read_ticks(struct pm_webprocesses *w, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT min(clock_ticks), max(clock_ticks) FROM host WHERE job_id = ?",
			     job, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0 && pm_db_int(q, 0) == pm_db_int(q, 1) && pm_db_int(q, 0) > 0)
		w->ticks = (size_t)pm_db_int(q, 0);
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int prepare_columns(struct pm_webprocesses *w)
{
	if (pm_names_init(&w->programs) < 0 || pm_names_init(&w->tagsets) < 0 ||
	    pm_names_init(&w->ends) < 0)
		return -1;
	w->queue = pm_column_queue();
	if (!w->queue)
		return -1;
	for (int i = 0; i < PM_WEB_COLUMNS; i++) {
		w->column[i] = pm_column_new(column[i].code, w->queue);
		if (!w->column[i])
			return -1;
	}
	return 0;
}

static int finish_columns(struct pm_webprocesses *w, struct pm_err *e)
{
	for (int i = 0; i < PM_WEB_COLUMNS; i++)
		if (pm_column_finish(w->column[i], e) < 0)
			return -1;
	return 0;
}

int pm_webprocesses_read(struct pm_webprocesses *w, struct pm_db *db, const struct pm_facts *f,
			 int64_t most, struct pm_err *e)
{
	struct pass p = { .w = w,
			  .db = db,
			  .f = f,
			  .room = 64,
			  .labels = pm_labels_new(true),
			  .end_number = -1 };
	int rc = -1;

	memset(w, 0, sizeof *w);
	p.level = calloc(p.room, sizeof *p.level);
	if (!p.level || !p.labels || prepare_columns(w) < 0 || ask_rows(w, f->path) < 0) {
		pm_err(e, "out of memory");
		goto out;
	}
	p.level[p.levels++] = (struct level){ .row = -1 };
	if (f->processes > most || f->processes > ALL_COMMANDS)
		p.fold = f->fold;
	if (p.fold && f->processes > most) {
		p.limit = pm_processfold_limit(p.fold, most);
		w->fold_us = pm_processfold_limit_us(p.limit);
	}
	if (p.fold && f->processes > ALL_COMMANDS) {
		p.command_limit = pm_processfold_limit(p.fold, COMMANDS);
		w->command_us = pm_processfold_limit_us(p.command_limit);
	}
	if (read_tagsets(w, db, f->job, e) < 0 || read_ticks(w, db, f->job, e) < 0 ||
	    read_rows(&p, e) < 0)
		goto out;
	leave_levels(&p, 0);
	rc = finish_columns(w, e);
out:
	for (size_t i = 0; i < p.levels; i++)
		free(p.level[i].others);
	free(p.level);
	pm_labels_free(p.labels);
	free(p.program);
	return rc;
}

void pm_webprocesses_free(struct pm_webprocesses *w)
{
	pm_workqueue_free(w->queue);
	for (int i = 0; i < PM_WEB_COLUMNS; i++)
		pm_column_free(w->column[i]);
	free(w->asked);
	free(w->asked_row);
	pm_names_free(&w->programs);
	pm_names_free(&w->tagsets);
	pm_names_free(&w->ends);
}

/* The factor of a column; 0 where its unit is not known. */
static double factor_of(const struct pm_webprocesses *w, int i)
{
	if (column[i].factor > 0)
		return column[i].factor;
	return w->ticks ? 1e6 / (double)w->ticks : 0;
}

/* Whether a column is in the page. */
static bool has_column(const struct pm_webprocesses *w, int i)
{
	if (i == PM_WEB_COUNT)
		return w->folded_rows > 0;
	return (column[i].always || w->column[i]->unknown < w->rows) && factor_of(w, i) > 0;
}

static json_t *describe_column(const struct pm_webprocesses *w, int i)
{
	const struct pm_column *c = w->column[i];
	const bool adds = column[i].fold != FOLD_NONE;
	char id[64], sum[PM_COLUMN_SUM];

	snprintf(id, sizeof id, "pm-p-%s", column[i].name);
	return json_pack("{ss ss ss ss ss sf ss ss? sI sb}", "name", column[i].name, "title",
			 column[i].title, "type", column[i].type, "unit", column[i].unit, "enc",
			 pm_column_code(c->code), "factor", factor_of(w, i), "id", id, "sum",
			 adds ? pm_column_sum(c, sum) : NULL, "unknown",
			 (json_int_t)(c->unknown + w->folded_unknown[i]), "wide",
			 pm_column_wide(c));
}

json_t *pm_webprocesses_index(const struct pm_webprocesses *w)
{
	json_t *columns = json_array(), *folded = json_null();
	char rule[384], t[PM_FORMAT_MAX], n[PM_FORMAT_MAX];
	size_t len;

	for (int i = 0; i < PM_WEB_COLUMNS; i++)
		if (has_column(w, i))
			json_array_append_new(columns, describe_column(w, i));
	if (w->folded_rows) {
		len = (size_t)snprintf(
			rule, sizeof rule,
			"%s that lived less than %s, without a longer process below them, are "
			"folded into one row below each parent; sums are exact, of what is known.",
			pm_format_things(n, w->folded, w->folded == 1 ? "process" : "processe"),
			pm_format_duration(t, w->fold_us));
		if (w->folded_unknown[PM_WEB_CPU] > 0)
			snprintf(rule + len, sizeof rule - len,
				 " The CPU time of %s of them is not.",
				 pm_format_count(n, w->folded_unknown[PM_WEB_CPU]));
		folded = json_pack("{sI sI ss}", "rows", (json_int_t)w->folded_rows, "processes",
				   (json_int_t)w->folded, "rule", rule);
	}
	return json_pack("{sI sI sI sI so so}", "command_us", (json_int_t)w->command_us, "rows",
			 (json_int_t)w->rows, "processes", (json_int_t)w->processes, "strays",
			 (json_int_t)w->strays, "folded", folded, "columns", columns);
}

void pm_webprocesses_write(const struct pm_webprocesses *w, FILE *f)
{
	for (int i = 0; i < PM_WEB_COLUMNS; i++) {
		if (!has_column(w, i))
			continue;
		fprintf(f, "<script type=\"application/octet-stream\" id=\"pm-p-%s\">",
			column[i].name);
		pm_column_write(w->column[i], f);
		fputs("</script>\n", f);
	}
}
