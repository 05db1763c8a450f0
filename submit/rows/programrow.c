/* Add the rows of processes to their programs' totals. */
#include "config.h"

#include "submit/rows/programrow.h"

#include <string.h>

/* Columns of a record that are values of a program. */
static const struct {
	enum pm_program_value value;
	enum pm_column column;
} values[] = {
	{ PM_PROGRAM_SYSTEM, PM_COL_systemtime }, { PM_PROGRAM_DURATION, PM_COL_duration_us },
	{ PM_PROGRAM_RSS, PM_COL_rssmax },        { PM_PROGRAM_RCHAR, PM_COL_rchar },
	{ PM_PROGRAM_WCHAR, PM_COL_wchar },       { PM_PROGRAM_SYSCR, PM_COL_syscr },
	{ PM_PROGRAM_SYSCW, PM_COL_syscw },       { PM_PROGRAM_READ, PM_COL_read_bytes },
	{ PM_PROGRAM_WRITE, PM_COL_write_bytes },
};

static struct pm_str text_of(const struct pm_record *r, enum pm_column c)
{
	return pm_record_has(r, c) ? r->v[c].s : (struct pm_str){ NULL, 0 };
}

/* Whether texts are the same; unknown ones are not. */
static bool is_same(struct pm_str a, struct pm_str b)
{
	return a.p && b.p && a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static struct pm_str or_empty(struct pm_str s)
{
	return s.p ? s : (struct pm_str){ "", 0 };
}

/* Whether an image has path and arguments of the image above it. Returns 1, 0 or -1 with e filled.
 */
static int is_copy(struct pm_programrow *x, uint32_t i, const struct pm_record *row,
		   struct pm_err *e)
{
	uint32_t above = x->rows->images->image[i].above;
	struct pm_programrow_parent *p;

	if (above == PM_NONE || pm_record_get(row, PM_COL_generation, -1) != 0 ||
	    !is_same(text_of(row, PM_COL_end_reason), (struct pm_str){ "exec", 4 }))
		return 0;
	p = &x->parent[above % (sizeof x->parent / sizeof x->parent[0])];
	if (p->image != above + 1) {
		if (pm_imagerow_names(x->rows, above, &p->path, &p->args, e) < 0)
			return -1;
		p->image = above + 1;
	}
	return is_same(text_of(row, PM_COL_path), p->path) &&
	       is_same(or_empty(text_of(row, PM_COL_args)), or_empty(p->args));
}

int pm_programrow_add(struct pm_programrow *x, uint32_t i, const struct pm_record *row, int64_t cpu,
		      struct pm_err *e)
{
	int copy = is_copy(x, i, row, e);
	struct pm_program_process p = {
		.exename = text_of(row, PM_COL_exename),
		.args = text_of(row, PM_COL_args),
		.comm = text_of(row, PM_COL_thread_name),
		.end_reason = text_of(row, PM_COL_end_reason),
		.last_call = text_of(row, PM_COL_last_call),
		.exitcode = pm_record_get(row, PM_COL_exitcode, PM_PROGRAM_UNKNOWN),
		.exitsignal = pm_record_get(row, PM_COL_exitsignal, PM_PROGRAM_UNKNOWN),
		.numtids = pm_record_get(row, PM_COL_numtids, PM_PROGRAM_UNKNOWN),
		.num_threads = pm_record_get(row, PM_COL_num_threads, PM_PROGRAM_UNKNOWN),
		.copy = copy > 0,
	};

	if (copy < 0)
		return -1;
	p.value[PM_PROGRAM_CPU] = cpu < 0 ? PM_PROGRAM_UNKNOWN : cpu;
	for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
		p.value[values[k].value] = pm_record_get(row, values[k].column, PM_PROGRAM_UNKNOWN);
	return pm_programs_add(x->programs, &p) < 0 ? pm_err(e, "out of memory") : 0;
}
