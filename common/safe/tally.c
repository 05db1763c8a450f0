/* Format and parse slots of a tally: fields separated by tabs, padded with blanks. */
#include "config.h"

#include "common/safe/tally.h"

#include <string.h>

/* An array of texts, not of pointers, which would cost every process of a job relocations. */
static const char name[PM_LOST_REASONS][8] = {
#define PM_LOST(id, text) #id,
#include "common/safe/tally.def"
#undef PM_LOST
};

const char *pm_lost_name(enum pm_lost reason)
{
	return name[reason];
}

int pm_tally_parse(const char *slot, struct pm_tally *t)
{
	struct pm_str field[PM_TALLY_VALUES + 3];
	size_t n = PM_TALLY_SLOT, fields;

	*t = (struct pm_tally){ { slot, 0 }, { slot, 0 }, 0, { 0 } };
	if (slot[--n] != '\n' || memchr(slot, '\n', n))
		return -1;
	while (n > 0 && slot[n - 1] == ' ')
		n--;
	if (n == 0)
		return 0;
	fields = pm_tsv_split(slot, n, field, sizeof field / sizeof field[0]);
	if (fields < 4 || fields > sizeof field / sizeof field[0] || field[fields - 1].n != 1 ||
	    field[fields - 1].p[0] != PM_TSV_END || field[0].n == 0 ||
	    !pm_tsv_valid(field[0].p, field[0].n) || !pm_tsv_valid(field[1].p, field[1].n))
		return -1;
	t->kind = field[0];
	t->key = field[1];
	t->values = (int)fields - 3;
	for (int i = 0; i < t->values; i++)
		if (pm_tsv_number(field[i + 2].p, field[i + 2].n, &t->v[i]) < 0 || t->v[i] < 0)
			return -1;
	return 0;
}

int pm_tally_format(char *slot, const struct pm_tally *t)
{
	struct pm_buf b;

	pm_buf_init(&b, slot, PM_TALLY_SLOT - 1);
	pm_buf_mem(&b, t->kind.p, t->kind.n);
	pm_buf_ch(&b, '\t');
	pm_buf_mem(&b, t->key.p, t->key.n);
	for (int i = 0; i < t->values; i++) {
		pm_buf_ch(&b, '\t');
		pm_buf_i64(&b, t->v[i]);
	}
	pm_buf_ch(&b, '\t');
	pm_buf_ch(&b, PM_TSV_END);
	if (b.truncated)
		return -1;
	memset(slot + b.len, ' ', PM_TALLY_SLOT - 1 - b.len);
	slot[PM_TALLY_SLOT - 1] = '\n';
	return 0;
}
