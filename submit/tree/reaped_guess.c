/*
 * Pair by the process's own records: start, end, exit status, and above all page faults. An end
 * record is taken so late that the kernel's fault count in the wait exceeds it by a few at most,
 * which tells simultaneous processes apart.
 */
#include "config.h"

#include "submit/tree/reaped_guess.h"

#include "submit/memory/filemem.h"

#include <stdlib.h>

/* Page faults that a process may have after its end record. */
#define FAULTS_AFTER_END 16

/* Maximum number of processes to examine for one record: bounds the cost whatever the input. */
#define LOOK_AT 64

/* How certainly a record is about a process. */
enum fit {
	CANNOT,   /* the values contradict each other */
	DOUBTFUL, /* more page faults than the process recorded */
	CAN,      /* the process recorded too little to tell */
	IS,       /* exit status and page faults match its end record */
};

/* A process that unmatched records claim. */
struct claim {
	uint32_t record; /* 1 + index of the record with the best claim, 0: none */
	int fit;         /* best fit so far */
	bool twice;      /* several records have that fit */
};

static int64_t with_children(const struct pm_record *r, enum pm_column c, enum pm_column children)
{
	return pm_record_get(r, c, 0) + pm_record_get(r, children, 0);
}

static int64_t cpu_time(const struct pm_record *r)
{
	return with_children(r, PM_COL_usertime, PM_COL_cutime) +
	       with_children(r, PM_COL_systemtime, PM_COL_cstime);
}

/* Compare a wait with the last record of the process: its end, or its start. */
static enum fit compare(const struct pm_record *wait, const struct pm_record *said, bool ended)
{
	int64_t faults = pm_record_get(wait, PM_COL_minflt, 0) -
			 with_children(said, PM_COL_minflt, PM_COL_cminflt);

	if (ended && pm_record_has(wait, PM_COL_exitcode) && pm_record_has(said, PM_COL_exitcode) &&
	    wait->v[PM_COL_exitcode].i != said->v[PM_COL_exitcode].i)
		return CANNOT;
	if (!pm_record_has(wait, PM_COL_minflt))
		return CAN;
	/* Each of the times is truncated to microseconds. */
	if (faults < 0 || cpu_time(wait) + 4 < cpu_time(said))
		return CANNOT;
	if (!ended)
		return CAN;
	return faults <= FAULTS_AFTER_END ? IS : DOUBTFUL;
}

/* Fit of a record to the process whose last image is i. Returns enum fit, or -1 with e filled. */
static int fit_of(struct pm_chains *w, const struct pm_reaped *x, uint32_t i, struct pm_err *e)
{
	const struct pm_image *last = &w->m->image[i];
	bool ended = last->end && !(last->flags & PM_IMAGE_EXEC);
	struct pm_record said, wait;
	int rc;

	if (last->reaped || (last->end && last->end_us > x->end_us))
		return CANNOT;
	rc = pm_images_read(w->m, x->record, &wait, e);
	pm_record_clear(&said);
	if (rc == 0 && (last->end || last->start))
		rc = pm_images_read(w->m, last->end ? last->end : last->start, &said, e);
	if (rc == 0)
		rc = (int)compare(&wait, &said, ended);
	return rc;
}

/* Best of the processes examined for one record. */
struct choice {
	uint32_t last; /* last image of the process, PM_NONE: several fit alike, or none */
	int fit;
};

static void update_choice(struct choice *c, uint32_t last, int fit)
{
	if (fit > c->fit) {
		c->last = last;
		c->fit = fit;
	} else if (fit == c->fit && fit != CANNOT) {
		c->last = PM_NONE;
	}
}

static void claim_process(struct claim *claims, uint32_t record, const struct choice *c)
{
	struct claim *have;

	if (c->last == PM_NONE || c->fit < CAN)
		return;
	have = &claims[c->last];
	if (have->record == 0 || c->fit > have->fit)
		*have = (struct claim){ record + 1, c->fit, false };
	else if (c->fit == have->fit)
		have->twice = true;
}

/* Match every process that exactly one record claims to that record, calling `found` first. */
static void grant_claims(struct pm_chains *w, const struct claim *claims, size_t images,
			 void (*found)(struct pm_chains *, struct pm_reaped *, uint32_t))
{
	for (size_t i = 0; i < images; i++, pm_filemem_trim()) {
		struct pm_reaped *x;

		if (claims[i].record == 0 || claims[i].twice)
			continue;
		x = &w->m->reaped[claims[i].record - 1];
		found(w, x, (uint32_t)i);
		pm_chains_reaped(w, (uint32_t)i, x);
	}
}

/* --- inits of pid namespaces -------------------------------------------------------------- */

struct init {
	uint32_t host;
	uint32_t first, last; /* first and last image */
	int64_t start_us;
	int64_t until_us; /* latest time in its namespace, which dies with its init */
};

static int by_start(const void *a, const void *b)
{
	const struct init *x = a, *y = b;
	int c = pm_chains_compare(x->host, y->host);

	if (c == 0)
		c = pm_chains_compare(x->start_us, y->start_us);
	return c ? c : pm_chains_compare(x->first, y->first);
}

/* Latest time in the records of each pid namespace. Returns a new array, or NULL. */
static int64_t *last_times(const struct pm_chains *w)
{
	const struct pm_images *m = w->m;
	int64_t *until = pm_filemem_calloc(m->spaces, sizeof until[0]);

	for (size_t i = 0; until && i < m->images; i++, pm_filemem_trim()) {
		const struct pm_image *image = &m->image[i];
		int64_t t = image->end_us > image->image_us ? image->end_us : image->image_us;

		if (t > until[image->space])
			until[image->space] = t;
	}
	return until;
}

/* List the inits without a reaped record from their own namespace. Returns their number, or -1 if
 * out of memory. */
static ptrdiff_t list_inits(const struct pm_chains *w, struct init **list)
{
	const struct pm_images *m = w->m;
	int64_t *until = last_times(w);
	ptrdiff_t n = 0;

	*list = NULL;
	for (int pass = 0; until && pass < 2; pass++) {
		if (pass == 1 && !(*list = pm_filemem_calloc((size_t)n, sizeof **list)))
			break;
		n = 0;
		for (size_t k = 0; k < w->count; k++, pm_filemem_trim()) {
			uint32_t i = w->sorted[k], last;
			const struct pm_image *image = &m->image[i];

			if (image->pid != 1 || image->ppid != 0 || image->generation != 0)
				continue;
			last = pm_chains_last(w, i);
			if (m->image[last].reaped)
				continue;
			if (pass == 1)
				(*list)[n] = (struct init){ m->space[image->space].host, i, last,
							    image->image_us, until[image->space] };
			n++;
		}
	}
	pm_filemem_free(until);
	if (!*list)
		return -1;
	qsort(*list, (size_t)n, sizeof **list, by_start);
	return n;
}

/* Whether the waiting process existed when the init began. */
static bool waiter_was_there(const struct pm_chains *w, const struct pm_reaped *x, int64_t start_us)
{
	size_t at = pm_chains_find(w, x->space, x->ppid);

	return at < w->count && w->m->image[w->sorted[at]].space == x->space &&
	       w->m->image[w->sorted[at]].pid == x->ppid &&
	       w->m->image[w->sorted[at]].image_us <= start_us;
}

static int choose_init(struct pm_chains *w, const struct pm_reaped *x, const struct init *list,
		       size_t n, struct choice *c, struct pm_err *e)
{
	uint32_t host = w->m->space[x->space].host;
	size_t low = 0, high = n, looked = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list[mid].host < host ||
		    (list[mid].host == host && list[mid].start_us <= x->end_us))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low > 0 && list[low - 1].host == host && looked < LOOK_AT; low--, looked++) {
		const struct init *i = &list[low - 1];
		int fit;

		if (w->m->image[i->first].space == x->space || i->until_us > x->end_us ||
		    !waiter_was_there(w, x, i->start_us))
			continue;
		fit = fit_of(w, x, i->last, e);
		if (fit < 0)
			return -1;
		update_choice(c, i->last, fit);
	}
	return 0;
}

/* Make the init a child of the waiting process; ppid is a pid in the waiter's namespace. */
static void adopt_init(struct pm_chains *w, struct pm_reaped *x, uint32_t last)
{
	struct pm_image *first = &w->m->image[pm_chains_first(w, last)];

	first->parent_space = x->space;
	first->ppid = x->ppid;
}

int pm_reaped_guess_inits(struct pm_chains *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	struct claim *claims = NULL;
	struct init *list;
	ptrdiff_t n = list_inits(w, &list);
	int rc = 0;

	if (n > 0)
		claims = pm_filemem_calloc(m->images, sizeof claims[0]);
	if (n < 0 || (n > 0 && !claims))
		rc = pm_err(e, "out of memory");
	for (size_t k = 0; k < m->reaped_count && n > 0 && rc == 0; k++, pm_filemem_trim()) {
		const struct pm_reaped *x = &m->reaped[k];
		struct choice c = { PM_NONE, CANNOT };

		if (x->pid == 0 || x->image != PM_NONE || x->before != PM_NONE || x->aside)
			continue;
		rc = choose_init(w, x, list, (size_t)n, &c, e);
		claim_process(claims, (uint32_t)k, &c);
	}
	if (n > 0 && rc == 0)
		grant_claims(w, claims, m->images, adopt_init);
	pm_filemem_free(claims);
	pm_filemem_free(list);
	return rc;
}

/* --- waits inside libc -------------------------------------------------------------------- */

static int by_parent(const void *a, const void *b, void *ctx)
{
	const struct pm_images *m = ctx;
	const struct pm_image *x = &m->image[*(const uint32_t *)a];
	const struct pm_image *y = &m->image[*(const uint32_t *)b];
	int c = pm_chains_compare(x->space, y->space);

	if (c == 0)
		c = pm_chains_compare(x->ppid, y->ppid);
	if (c == 0)
		c = pm_chains_compare(x->image_us, y->image_us);
	return c ? c : pm_chains_compare(x->pid, y->pid);
}

/* First images of the processes without a reaped record, by (space, ppid, start). Returns a new
 * array, or NULL. */
static uint32_t *list_children(const struct pm_chains *w, size_t *count)
{
	uint32_t *list = pm_filemem_calloc(w->count, sizeof list[0]);

	*count = 0;
	for (size_t k = 0; list && k < w->count; k++, pm_filemem_trim()) {
		uint32_t i = w->sorted[k], last = pm_chains_last(w, i);

		if (w->m->image[i].generation == 0 && !w->m->image[last].reaped)
			list[(*count)++] = i;
	}
	if (list)
		qsort_r(list, *count, sizeof list[0], by_parent, w->m);
	return list;
}

/* Fit of a record without a status, which covers one process or several together: it adds something
 * about the only candidate if that has no end record. */
static int fit_without_status(const struct pm_chains *w, uint32_t last)
{
	return w->m->image[last].end ? DOUBTFUL : CAN;
}

static int choose_child(struct pm_chains *w, const struct pm_reaped *x, const uint32_t *list,
			size_t n, bool status, struct choice *c, struct pm_err *e)
{
	const struct pm_images *m = w->m;
	size_t low = 0, high = n, looked = 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pm_image *i = &m->image[list[mid]];
		int order = pm_chains_compare(i->space, x->space);

		if (order == 0)
			order = pm_chains_compare(i->ppid, x->ppid);
		if (order == 0)
			order = i->image_us < x->start_us ? -1 : 1;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n; low++, looked++) {
		const struct pm_image *i = &m->image[list[low]];
		uint32_t last = pm_chains_last(w, list[low]);
		int fit;

		if (i->space != x->space || i->ppid != x->ppid || i->image_us > x->end_us)
			break;
		/* There are too many candidates, so choose none. */
		if (looked == LOOK_AT) {
			*c = (struct choice){ PM_NONE, DOUBTFUL };
			break;
		}
		fit = fit_of(w, x, last, e);
		if (fit < 0)
			return -1;
		if (fit > CANNOT && !status)
			fit = fit_without_status(w, last);
		/* Without a status, the shares of several candidates cannot be told apart. */
		if (c->fit != CANNOT && fit != CANNOT && !status)
			fit = c->fit;
		update_choice(c, last, fit);
	}
	return 0;
}

/* Whether the record has an exit status. Returns 0, 1, or -1 with e filled. */
static int has_status(struct pm_chains *w, const struct pm_reaped *x, struct pm_err *e)
{
	struct pm_record r;
	int rc = pm_images_read(w->m, x->record, &r, e);

	if (rc < 0)
		return -1;
	return pm_record_has(&r, PM_COL_exitcode) || pm_record_has(&r, PM_COL_exitsignal);
}

static void set_pid(struct pm_chains *w, struct pm_reaped *x, uint32_t last)
{
	x->pid = w->m->image[last].pid;
	x->aside = false;
}

int pm_reaped_guess_nameless(struct pm_chains *w, struct pm_err *e)
{
	struct pm_images *m = w->m;
	struct claim *claims = NULL;
	uint32_t *list = NULL;
	size_t n = 0;
	int rc = 0;

	for (size_t k = 0; k < m->reaped_count && rc == 0; k++, pm_filemem_trim()) {
		struct pm_reaped *x = &m->reaped[k];
		struct choice c = { PM_NONE, CANNOT };
		int status;

		if (x->pid != 0)
			continue;
		if (!list && !claims) {
			list = list_children(w, &n);
			claims = pm_filemem_calloc(m->images, sizeof claims[0]);
		}
		if (!list || !claims) {
			rc = pm_err(e, "out of memory");
			break;
		}
		status = has_status(w, x, e);
		rc = status < 0 ? -1 : choose_child(w, x, list, n, status, &c, e);
		/* Unless the record is matched to a candidate, it must add no image: the candidates
		 * have rows already. */
		x->aside = c.fit != CANNOT;
		claim_process(claims, (uint32_t)k, &c);
	}
	if (claims && rc == 0)
		grant_claims(w, claims, m->images, set_pid);
	pm_filemem_free(claims);
	pm_filemem_free(list);
	return rc;
}
