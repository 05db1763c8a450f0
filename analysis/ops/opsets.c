/* Sets of tags, and the operations that they belong to. */
#include "config.h"

#include "analysis/ops/opsets.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

void pm_opsets_init(struct pm_opsets *x, const struct pm_opselect *select, bool per_job)
{
	memset(x, 0, sizeof *x);
	x->select = select;
	x->per_job = per_job;
}

static size_t hash_of(const char *key, int64_t job)
{
	uint64_t h = 0xcbf29ce484222325 ^ (uint64_t)job; /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3;
	return (size_t)(h ^ h >> 32);
}

/* The place of an operation in the hash table, or the empty one where it belongs. */
static uint32_t *place_of(struct pm_opsets *x, const char *key, int64_t job)
{
	size_t i = hash_of(key, job) & (x->places - 1);

	for (; x->place[i]; i = (i + 1) & (x->places - 1)) {
		const struct pm_opsets_op *op = &x->op[x->place[i] - 1];

		if (op->job == job && strcmp(op->key, key) == 0)
			break;
	}
	return &x->place[i];
}

/* Make sure that half of the places are empty. Returns false if out of memory. */
static bool widen(struct pm_opsets *x)
{
	const size_t places = x->places ? 2 * x->places : 64;
	uint32_t *place;

	if (2 * (x->ops + 1) <= x->places)
		return true;
	place = calloc(places, sizeof *place);
	if (!place)
		return false;
	free(x->place);
	x->place = place;
	x->places = places;
	for (size_t i = 0; i < x->ops; i++)
		*place_of(x, x->op[i].key, x->op[i].job) = (uint32_t)i + 1;
	return true;
}

int64_t pm_opsets_number(struct pm_opsets *x, const char *key, int64_t job)
{
	uint32_t *place;
	char *copy;

	if (x->ops == UINT32_MAX - 1 || !widen(x))
		return -1;
	place = place_of(x, key, job);
	if (*place)
		return *place - 1;
	copy = strdup(key);
	if (!copy || !PM_GROW(x->op, x->ops, x->op_room, 16)) {
		free(copy);
		return -1;
	}
	x->op[x->ops] = (struct pm_opsets_op){ copy, job };
	*place = (uint32_t)++x->ops;
	return *place - 1;
}

/* The last set is of an operation. */
static int add_member(void *ctx, const char *key, struct pm_err *e)
{
	struct pm_opsets *x = ctx;
	struct pm_opsets_set *set = &x->set[x->sets - 1];
	const int64_t number = pm_opsets_number(x, key, x->per_job ? set->job : 0);

	if (number < 0)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < set->count; i++)
		if (x->member[set->first + i] == number)
			return 0;
	if (!PM_GROW(x->member, x->members, x->member_room, 64))
		return pm_err(e, "out of memory");
	x->member[x->members++] = (uint32_t)number;
	set->count++;
	return 0;
}

/* Tags of a set, as they are read. */
struct reading {
	struct pm_optag *tag;
	size_t tags, room;
};

static void forget_tags(struct reading *r)
{
	for (size_t i = 0; i < r->tags; i++) {
		free(r->tag[i].name);
		free(r->tag[i].value);
	}
	r->tags = 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pm_optag *)a)->name, ((const struct pm_optag *)b)->name);
}

/* All tags of a set are read: find its operations. */
static int end_set(struct pm_opsets *x, struct reading *r, struct pm_err *e)
{
	int rc = 0;

	if (r->tags) {
		qsort(r->tag, r->tags, sizeof *r->tag, by_name);
		rc = pm_opselect_apply(x->select, r->tag, r->tags, add_member, x, e);
	}
	forget_tags(r);
	return rc;
}

static int begin_set(struct pm_opsets *x, int64_t job, int64_t id, struct pm_err *e)
{
	if (!PM_GROW(x->set, x->sets, x->set_room, 16))
		return pm_err(e, "out of memory");
	x->set[x->sets++] = (struct pm_opsets_set){ .job = job, .id = id, .first = x->members };
	return 0;
}

static int take_tag(struct reading *r, struct pm_stmt *q, struct pm_err *e)
{
	const char *name = pm_db_text(q, 1, NULL), *value = pm_db_text(q, 2, NULL);
	struct pm_optag tag = { strdup(name ? name : ""), strdup(value ? value : "") };

	if (!tag.name || !tag.value || !PM_GROW(r->tag, r->tags, r->room, 8)) {
		free(tag.name);
		free(tag.value);
		return pm_err(e, "out of memory");
	}
	r->tag[r->tags++] = tag;
	return 0;
}

int pm_opsets_add(struct pm_opsets *x, struct pm_db *db, int64_t job, struct pm_err *e)
{
	const size_t first = x->sets;
	struct reading r = { .tag = NULL };
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT id, name, value FROM tag_set WHERE job_id = ? AND id > 0 ORDER BY id",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	while ((rc = pm_db_step(q, e)) > 0) {
		const int64_t id = pm_db_int(q, 0);

		if ((x->sets == first || x->set[x->sets - 1].id != id) &&
		    (end_set(x, &r, e) < 0 || begin_set(x, job, id, e) < 0))
			rc = -1;
		if (rc < 0 || take_tag(&r, q, e) < 0) {
			rc = -1;
			break;
		}
	}
	pm_db_finish(q);
	if (rc == 0)
		rc = end_set(x, &r, e);
	forget_tags(&r);
	free(r.tag);
	x->job_first = first;
	x->job_sets = x->sets - first;
	return rc < 0 ? pm_err_prefix(e, "read tags") : 0;
}

void pm_opsets_clear(struct pm_opsets *x)
{
	x->sets = x->members = x->job_first = x->job_sets = 0;
}

/* Number of the first set of a job that is not before this one. */
static size_t first_of(const struct pm_opsets *x, int64_t job)
{
	size_t low = 0, high = x->sets;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (x->set[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void find_job(struct pm_opsets *x, int64_t job)
{
	if (x->job_sets && x->set[x->job_first].job == job)
		return;
	x->job_first = first_of(x, job);
	x->job_sets = (job == INT64_MAX ? x->sets : first_of(x, job + 1)) - x->job_first;
}

static int by_id(const void *key, const void *of)
{
	const int64_t id = *(const int64_t *)key;
	const struct pm_opsets_set *set = of;

	return (id > set->id) - (id < set->id);
}

const uint32_t *pm_opsets_of(struct pm_opsets *x, int64_t job, int64_t set, size_t *n)
{
	const struct pm_opsets_set *of, *found;

	find_job(x, job);
	of = x->set + x->job_first;
	*n = 0;
	if (!x->job_sets)
		return NULL;
	/* The loader numbers them from 1 on without a gap. */
	if (set >= of->id && (uint64_t)set - (uint64_t)of->id < x->job_sets &&
	    of[set - of->id].id == set)
		found = &of[set - of->id];
	else
		found = bsearch(&set, of, x->job_sets, sizeof *of, by_id);
	if (!found)
		return NULL;
	*n = found->count;
	return x->member + found->first;
}

void pm_opsets_free(struct pm_opsets *x)
{
	for (size_t i = 0; i < x->ops; i++)
		free(x->op[i].key);
	free(x->op);
	free(x->place);
	free(x->set);
	free(x->member);
	memset(x, 0, sizeof *x);
}
