/* Format a record as a line. The parser is record_parse.c, which is not in the preload. */
#include "config.h"

#include "common/safe/record.h"

/* Most values are unknown, and every process of a job pays for each. */
static inline void append_unknown(struct pm_buf *b)
{
	_Static_assert(sizeof PM_TSV_NULL == 3, "a tab and two bytes");
	if (b->cap - b->len < sizeof PM_TSV_NULL) {
		b->truncated = true;
		return;
	}
	b->p[b->len++] = '\t';
	b->p[b->len++] = PM_TSV_NULL[0];
	b->p[b->len++] = PM_TSV_NULL[1];
}

void pm_record_format(const struct pm_record *r, struct pm_buf *b)
{
	size_t start = b->len;

	pm_buf_u64(b, PM_FORMAT_VERSION);
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!pm_record_has(r, (enum pm_column)c)) {
			append_unknown(b);
			continue;
		}
		pm_buf_ch(b, '\t');
		if (pm_column_is_text[c])
			pm_buf_mem(b, r->v[c].s.p, r->v[c].s.n);
		else
			pm_buf_i64(b, r->v[c].i);
	}
	pm_buf_ch(b, '\t');
	pm_buf_ch(b, PM_TSV_END);
	pm_buf_ch(b, '\n');
	if (b->truncated)
		b->len = start;
}
