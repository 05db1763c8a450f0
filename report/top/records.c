/* Follow record files: which processes run, and what those that ended have used. */
#include "config.h"

#include "report/top/records.h"

#include <string.h>

/* Kinds of records that tell of processes, by the first letter of their second field. */
enum kind { START, END, LAST, REAPED, OTHER };

void pm_top_records_init(struct pm_top_records *r, struct pm_top_model *model)
{
	memset(r, 0, sizeof *r);
	r->model = model;
	r->host = -1;
}

static enum kind kind_of(const char *line, size_t n)
{
	static const struct {
		const char *name;
		enum kind kind;
	} kinds[] = {
		{ "start\t", START }, { "end\t", END }, { "last\t", LAST }, { "reaped\t", REAPED }
	};
	const char *p = memchr(line, '\t', n);
	size_t rest;

	if (!p)
		return OTHER;
	rest = n - (size_t)(++p - line);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const size_t length = strlen(kinds[i].name);

		if (rest >= length && memcmp(p, kinds[i].name, length) == 0)
			return kinds[i].kind;
	}
	return OTHER;
}

static int64_t add(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? PM_TOP_UNKNOWN : a + b;
}

/* What the kernel had counted of the process when the record was written. */
static void read_counts(const struct pm_record *r, int64_t count[PM_TOP_COUNTS])
{
	static const enum pm_column column[PM_TOP_COUNTS] = {
		[PM_TOP_READ] = PM_COL_rchar,
		[PM_TOP_WRITTEN] = PM_COL_wchar,
		[PM_TOP_FETCHED] = PM_COL_read_bytes,
		[PM_TOP_STORED] = PM_COL_write_bytes,
	};

	count[PM_TOP_CPU] = add(pm_record_get(r, PM_COL_usertime, PM_TOP_UNKNOWN),
				pm_record_get(r, PM_COL_systemtime, PM_TOP_UNKNOWN));
	for (int k = PM_TOP_CPU + 1; k < PM_TOP_COUNTS; k++)
		count[k] = pm_record_get(r, column[k], PM_TOP_UNKNOWN);
}

static struct pm_str text_of(const struct pm_record *r, enum pm_column c)
{
	const struct pm_str none = { "", 0 };

	return pm_record_has(r, c) ? r->v[c].s : none;
}

static int take_start(struct pm_top_records *r, const struct pm_record *x)
{
	struct pm_top_model *m = r->model;
	struct pm_str name = text_of(x, PM_COL_thread_name);
	struct pm_top_process new = {
		.host = (uint32_t)r->host,
		.pid_ns = pm_record_get(x, PM_COL_pid_ns, -1),
		.pid = pm_record_get(x, PM_COL_pid, 0),
		.starttime = pm_record_get(x, PM_COL_starttime, -1),
		.start_us = pm_record_get(x, PM_COL_start_us, 0),
	};
	struct pm_top_process *p = pm_top_model_find(m, new.host, new.pid_ns, new.pid);
	int64_t program;

	if (name.n == 0)
		name = text_of(x, PM_COL_exename);
	program = pm_top_model_program(m->host[r->host], name.p, name.n);
	if (program < 0)
		return -1;
	new.program = (uint32_t)program;
	if (p && p->starttime == new.starttime) {
		pm_top_model_exec(m, p, new.program);
		return 0;
	}
	/* The one that had this pid ended without a record. */
	if (p)
		pm_top_model_end(m, p);
	return pm_top_model_add(m, &new) ? 0 : -1;
}

static void take_end(struct pm_top_records *r, const struct pm_record *x, enum kind kind)
{
	static const char exec[] = "exec";
	struct pm_top_process *p =
		pm_top_model_find(r->model, (uint32_t)r->host, pm_record_get(x, PM_COL_pid_ns, -1),
				  pm_record_get(x, PM_COL_pid, 0));
	const struct pm_str reason = text_of(x, PM_COL_end_reason);
	int64_t count[PM_TOP_COUNTS];

	if (!p)
		return;
	if (kind == REAPED) {
		/* An old pid's record may come when the pid is used again. */
		if (pm_record_get(x, PM_COL_end_us, INT64_MAX) >= p->start_us)
			pm_top_model_end(r->model, p);
		return;
	}
	if (pm_record_get(x, PM_COL_starttime, -1) != p->starttime)
		return;
	read_counts(x, count);
	pm_top_model_used(r->model, p, count);
	if (kind == END &&
	    (reason.n != sizeof exec - 1 || memcmp(reason.p, exec, sizeof exec - 1) != 0))
		pm_top_model_end(r->model, p);
}

/* Find the host of a record. Returns 0, or -1 if out of memory. */
static int find_host(struct pm_top_records *r, const struct pm_record *x)
{
	const struct pm_str name = text_of(x, PM_COL_hostname), boot = text_of(x, PM_COL_boot_id);
	const struct pm_top_host *h = r->host >= 0 ? r->model->host[r->host] : NULL;

	if (h && strncmp(h->name, name.p, name.n) == 0 && !h->name[name.n] &&
	    strncmp(h->boot_id, boot.p, boot.n) == 0)
		return 0;
	r->host = pm_top_model_host(r->model, name.p, name.n, boot.p, boot.n);
	return r->host < 0 ? -1 : 0;
}

int pm_top_records_line(struct pm_top_records *r, const char *line, size_t n)
{
	const enum kind kind = kind_of(line, n);
	struct pm_record x;
	const char *why, *column;
	int64_t time;

	if (pm_map_is_header(line, n)) {
		r->header = pm_map_parse(&r->map, line, n, &why) == 0;
		r->damaged += !r->header;
		return 0;
	}
	if (!r->header)
		pm_map_builtin(&r->map);
	r->header = true;
	/* Threads are in the totals of their process. */
	if (kind == OTHER)
		return 0;
	if (pm_record_parse(&x, &r->map, line, n, &why, &column) < 0) {
		r->damaged++;
		return 0;
	}
	if (find_host(r, &x) < 0)
		return -1;
	time = pm_record_get(&x, kind == START ? PM_COL_start_us : PM_COL_end_us, 0);
	if (time > r->model->host[r->host]->records_us)
		r->model->host[r->host]->records_us = time;
	if (kind == START)
		return take_start(r, &x);
	take_end(r, &x, kind);
	return 0;
}
