/* Records to images: validation, keys, duplicates. */
#include "config.h"

#include "submit/images.h"

#include <stdlib.h>
#include <string.h>

enum record_kind { START, END, THREAD, REAPED, RESUMED, EXCLUDED, LAST };

/* Grow an array by one element, doubling. Returns 0 or -1. */
static int grow(void **array, size_t count, size_t *cap, size_t size)
{
	size_t n = *cap ? 2 * *cap : 16;
	void *p;

	if (count < *cap)
		return 0;
	p = realloc(*array, n * size);
	if (!p)
		return -1;
	*array = p;
	*cap = n;
	return 0;
}

void pm_images_init(struct pm_images *m)
{
	memset(m, 0, sizeof *m);
	pm_store_init(&m->store);
	m->last_space = PM_NONE;
}

void pm_images_free(struct pm_images *m)
{
	for (size_t i = 0; i < m->hosts; i++) {
		free(m->host[i].boot_id);
		free(m->host[i].hostname);
	}
	free(m->host);
	free(m->space);
	free(m->image);
	free(m->thread);
	free(m->reaped);
	pm_set_free(&m->by_key);
	pm_set_free(&m->seen);
	pm_store_free(&m->store);
	pm_images_init(m);
}

static int is(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

uint32_t pm_images_host(struct pm_images *m, struct pm_str boot_id, struct pm_str hostname)
{
	struct pm_host *h;

	for (size_t i = 0; i < m->hosts; i++) {
		h = &m->host[i];
		/* The boot id tells hosts apart; only where there is none, the name does. */
		if (!is(boot_id, h->boot_id) || (boot_id.n == 0 && !is(hostname, h->hostname)))
			continue;
		if (h->hostname[0] == '\0' && hostname.n) {
			free(h->hostname);
			h->hostname = strndup(hostname.p, hostname.n);
		}
		return h->hostname ? (uint32_t)i : PM_NONE;
	}
	if (m->hosts >= PM_HOSTS_MAX ||
	    grow((void **)&m->host, m->hosts, &m->hosts_cap, sizeof m->host[0]) < 0)
		return PM_NONE;
	h = &m->host[m->hosts];
	h->boot_id = strndup(boot_id.p ? boot_id.p : "", boot_id.n);
	h->hostname = strndup(hostname.p ? hostname.p : "", hostname.n);
	if (!h->boot_id || !h->hostname) {
		free(h->boot_id);
		free(h->hostname);
		return PM_NONE;
	}
	return (uint32_t)m->hosts++;
}

static struct pm_str text_of(const struct pm_record *r, enum pm_column c)
{
	struct pm_str none = { "", 0 };

	return pm_record_has(r, c) ? r->v[c].s : none;
}

/* The pid namespace of a record, added where it is new. */
static uint32_t find_space(struct pm_images *m, const struct pm_record *r)
{
	struct pm_str boot = text_of(r, PM_COL_boot_id), name = text_of(r, PM_COL_hostname);
	int64_t ns = pm_record_get(r, PM_COL_pid_ns, -1);
	uint32_t host;

	if (m->last_space != PM_NONE) {
		const struct pm_space *s = &m->space[m->last_space];

		if (s->pid_ns == ns && boot.n && is(boot, m->host[s->host].boot_id))
			return m->last_space;
	}
	host = pm_images_host(m, boot, name);
	if (host == PM_NONE)
		return PM_NONE;
	for (size_t i = 0; i < m->spaces; i++)
		if (m->space[i].host == host && m->space[i].pid_ns == ns)
			return m->last_space = (uint32_t)i;
	if (m->spaces >= PM_HOSTS_MAX ||
	    grow((void **)&m->space, m->spaces, &m->spaces_cap, sizeof m->space[0]) < 0)
		return PM_NONE;
	m->space[m->spaces].host = host;
	m->space[m->spaces].pid_ns = ns;
	return m->last_space = (uint32_t)m->spaces++;
}

/* The record's kind, or -1. */
static int kind_of(const struct pm_record *r)
{
	static const char *const name[] = { "start",   "end",      "thread", "reaped",
					    "resumed", "excluded", "last" };
	struct pm_str s = text_of(r, PM_COL_record);

	for (int i = 0; i < (int)(sizeof name / sizeof name[0]); i++)
		if (is(s, name[i]))
			return i;
	return -1;
}

/* 1 when a pid, tid or ppid is one. */
static int is_pid(const struct pm_record *r, enum pm_column c, int64_t low)
{
	return pm_record_has(r, c) && r->v[c].i >= low && r->v[c].i <= INT32_MAX;
}

/* Why a record cannot be used, or NULL. */
static const char *fault(const struct pm_record *r, int kind)
{
	int code, sig;

	if (kind < 0)
		return "record: not a kind of record";
	if (!is_pid(r, PM_COL_pid, 1) && (kind != REAPED || pm_record_has(r, PM_COL_pid)))
		return "pid: missing or out of range";
	if (!pm_record_has(r, PM_COL_boot_id) && !pm_record_has(r, PM_COL_hostname))
		return "boot_id and hostname are both unknown";
	if (kind != REAPED && pm_record_get(r, PM_COL_image_us, 0) <= 0)
		return "image_us: missing or out of range";
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (pm_column_is_text[c] || !pm_record_has(r, (enum pm_column)c) || r->v[c].i >= 0)
			continue;
		/* Ids may be -1 where a program was told to have none. */
		if (pm_column_info[c].kind != PM_KIND_GAUGE)
			return "a value is negative that cannot be";
	}
	if (pm_record_has(r, PM_COL_ppid) && !is_pid(r, PM_COL_ppid, 0))
		return "ppid: out of range";
	code = pm_record_has(r, PM_COL_exitcode);
	sig = pm_record_has(r, PM_COL_exitsignal);
	if (code && (r->v[PM_COL_exitcode].i < 0 || r->v[PM_COL_exitcode].i > 255))
		return "exitcode: out of range";
	if (sig && (r->v[PM_COL_exitsignal].i < 1 || r->v[PM_COL_exitsignal].i > 127))
		return "exitsignal: out of range";
	switch (kind) {
	case END:
		if (!is(text_of(r, PM_COL_end_reason), "exit") &&
		    !is(text_of(r, PM_COL_end_reason), "exec") &&
		    !is(text_of(r, PM_COL_end_reason), "signal"))
			return "end_reason: neither exit, exec nor signal";
		break;
	case LAST:
		if (!pm_record_has(r, PM_COL_last_call))
			return "last_call: missing";
		break;
	case THREAD:
		/* Negative: its id is not known, and this tells it from others of its process. */
		if (!is_pid(r, PM_COL_tid, -INT32_MAX) || r->v[PM_COL_tid].i == 0)
			return "tid: missing or out of range";
		break;
	case REAPED:
		if (pm_record_get(r, PM_COL_end_us, 0) <= 0)
			return "end_us: missing or out of range";
		if (code && sig)
			return "reaped with both exitcode and exitsignal";
		if (pm_record_has(r, PM_COL_pid) && !code && !sig)
			return "reaped with neither exitcode nor exitsignal";
		if (pm_record_has(r, PM_COL_pid))
			break;
		/* What libc waited for itself. */
		if (!is_pid(r, PM_COL_ppid, 1))
			return "reaped with neither pid nor ppid";
		if (pm_record_get(r, PM_COL_start_us, 0) <= 0)
			return "start_us: missing or out of range";
		break;
	default:
		break;
	}
	return NULL;
}

/* Longest encoded record beside its texts: the bitmap and 10 bytes per value. */
#define ENCODED_HEAD (sizeof((struct pm_record *)0)->set + PM_COLUMNS * 10)

/* Integers as zigzag and seven bits per byte, low ones first. */
static unsigned char *put_number(unsigned char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static const unsigned char *get_number(const unsigned char *p, uint64_t *v)
{
	int shift = 0;

	for (*v = 0; *p & 0x80; p++, shift += 7)
		*v |= (uint64_t)(*p & 0x7f) << shift;
	*v |= (uint64_t)*p << shift;
	return p + 1;
}

/* Put a record into the store. Returns its offset or 0 with e filled. */
static uint64_t keep(struct pm_images *m, const struct pm_record *r, struct pm_err *e)
{
	unsigned char small[8192], *mem = small, *p;
	size_t need = ENCODED_HEAD;
	uint64_t offset;

	for (int c = 0; c < PM_COLUMNS; c++)
		if (pm_column_is_text[c] && pm_record_has(r, (enum pm_column)c))
			need += r->v[c].s.n;
	if (need > sizeof small && !(mem = malloc(need))) {
		pm_err(e, "out of memory");
		return 0;
	}
	memcpy(mem, r->set, sizeof r->set);
	p = mem + sizeof r->set;
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!pm_record_has(r, (enum pm_column)c))
			continue;
		if (pm_column_is_text[c]) {
			p = put_number(p, r->v[c].s.n);
			if (r->v[c].s.n)
				memcpy(p, r->v[c].s.p, r->v[c].s.n);
			p += r->v[c].s.n;
		} else {
			uint64_t v = (uint64_t)r->v[c].i;

			p = put_number(p, v << 1 ^ (0 - (v >> 63)));
		}
	}
	offset = pm_store_put(&m->store, mem, (size_t)(p - mem), e);
	if (mem != small)
		free(mem);
	return offset;
}

int pm_images_read(struct pm_images *m, uint64_t offset, struct pm_record *r,
		   struct pm_store_item *item, struct pm_err *e)
{
	const unsigned char *p;
	uint64_t v;

	if (pm_store_get(&m->store, offset, item, e) < 0)
		return -1;
	p = (const unsigned char *)item->p;
	memcpy(r->set, p, sizeof r->set);
	p += sizeof r->set;
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (!pm_record_has(r, (enum pm_column)c))
			continue;
		p = get_number(p, &v);
		if (pm_column_is_text[c]) {
			r->v[c].s.p = (const char *)p;
			r->v[c].s.n = v;
			p += v;
		} else {
			r->v[c].i = (int64_t)(v >> 1 ^ (0 - (v & 1)));
		}
	}
	return 0;
}

uint32_t pm_images_new(struct pm_images *m, struct pm_err *e)
{
	struct pm_image *i;

	if (m->images >= PM_NONE - 1 ||
	    grow((void **)&m->image, m->images, &m->images_cap, sizeof m->image[0]) < 0) {
		pm_err(e, "out of memory");
		return PM_NONE;
	}
	i = &m->image[m->images];
	memset(i, 0, sizeof *i);
	i->image_us = i->end_us = PM_NO_TIME;
	i->starttime = i->cpu_time = -1;
	i->threads = i->previous = i->parent = i->above = PM_NONE;
	return (uint32_t)m->images++;
}

/*
 * The image of a record, added where it is new. Two images of one pid never start in the same
 * microsecond, so that image_us tells them apart; starttime is a thread's own in thread records,
 * and groups the images of one process in the others.
 */
static uint32_t find_image(struct pm_images *m, const struct pm_record *r, int kind, uint32_t space,
			   struct pm_err *e)
{
	uint32_t pid = (uint32_t)r->v[PM_COL_pid].i, i;
	int64_t starttime = kind == THREAD ? -1 : pm_record_get(r, PM_COL_starttime, -1);
	int64_t image_us = r->v[PM_COL_image_us].i;
	uint64_t hash = pm_set_mix(pm_set_mix(space, pid), (uint64_t)image_us);
	size_t at = 0;

	while ((i = pm_set_next(&m->by_key, hash, &at)) != PM_NONE) {
		struct pm_image *have = &m->image[i];

		if (have->space != space || have->pid != pid || have->image_us != image_us)
			continue;
		if (have->starttime < 0)
			have->starttime = starttime;
		return i;
	}
	i = pm_images_new(m, e);
	if (i == PM_NONE)
		return PM_NONE;
	m->image[i].space = m->image[i].parent_space = space;
	m->image[i].pid = pid;
	m->image[i].starttime = starttime;
	m->image[i].image_us = image_us;
	if (pm_set_add(&m->by_key, hash, i) < 0) {
		pm_err(e, "out of memory");
		return PM_NONE;
	}
	return i;
}

/* 1 when this was seen before, 0 when it is new and now noted, -1 without memory. */
static int seen(struct pm_images *m, uint64_t hash)
{
	size_t at = 0;

	if (pm_set_next(&m->seen, hash, &at) != PM_NONE)
		return 1;
	return pm_set_add(&m->seen, hash, 0) < 0 ? -1 : 0;
}

static int add_thread(struct pm_images *m, uint32_t i, const struct pm_record *r, const char **why,
		      struct pm_err *e)
{
	struct pm_image *image = &m->image[i];
	int64_t tid = r->v[PM_COL_tid].i;
	uint64_t hash =
		pm_set_mix(pm_set_mix(pm_set_mix(THREAD, i), image->resumed), (uint64_t)tid);
	struct pm_image_thread *t;
	int again;

	/* A thread id may return within an image: the start of the thread tells them apart. */
	hash = pm_set_mix(hash, (uint64_t)pm_record_get(r, PM_COL_start_us, 0));
	again = seen(m, hash);
	if (again > 0) {
		*why = "duplicate: this thread was there before";
		return 1;
	}
	if (again < 0 ||
	    grow((void **)&m->thread, m->threads, &m->threads_cap, sizeof m->thread[0]) < 0)
		return pm_err(e, "out of memory");
	t = &m->thread[m->threads];
	t->tid = tid;
	t->end_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);
	t->record = keep(m, r, e);
	if (t->record == 0)
		return -1;
	t->next = image->threads;
	image->threads = (uint32_t)m->threads++;
	return 0;
}

static int add_reaped(struct pm_images *m, uint32_t space, const struct pm_record *r,
		      const char **why, struct pm_err *e)
{
	struct pm_reaped x = {
		.start_us = pm_record_get(r, PM_COL_start_us, PM_NO_TIME),
		.end_us = r->v[PM_COL_end_us].i,
		.space = space,
		.pid = (uint32_t)pm_record_get(r, PM_COL_pid, 0),
		.ppid = (uint32_t)pm_record_get(r, PM_COL_ppid, 0),
		.image = PM_NONE,
		.before = PM_NONE,
	};
	uint64_t hash = pm_set_mix(pm_set_mix(REAPED, space), (uint64_t)x.pid << 32 | x.ppid);
	int again = seen(m, pm_set_mix(pm_set_mix(hash, (uint64_t)x.end_us), (uint64_t)x.start_us));

	if (again > 0) {
		*why = "duplicate: this process was waited for before";
		return 1;
	}
	if (again < 0 ||
	    grow((void **)&m->reaped, m->reaped_count, &m->reaped_cap, sizeof m->reaped[0]) < 0)
		return pm_err(e, "out of memory");
	x.record = keep(m, r, e);
	if (x.record == 0)
		return -1;
	m->reaped[m->reaped_count++] = x;
	return 0;
}

static int add_start(struct pm_images *m, uint32_t i, const struct pm_record *r, int kind,
		     const char **why, struct pm_err *e)
{
	if (m->image[i].start) {
		*why = "duplicate: this image started before";
		return 1;
	}
	if (kind == EXCLUDED)
		m->image[i].flags |= PM_IMAGE_EXCLUDED;
	m->image[i].start = keep(m, r, e);
	m->image[i].ppid = (uint32_t)pm_record_get(r, PM_COL_ppid, 0);
	return m->image[i].start ? 0 : -1;
}

static int add_end(struct pm_images *m, uint32_t i, const struct pm_record *r, const char **why,
		   struct pm_err *e)
{
	struct pm_image *image = &m->image[i];

	if (image->end) {
		*why = "duplicate: this image ended before";
		return 1;
	}
	image->end = keep(m, r, e);
	image->end_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);
	if (is(text_of(r, PM_COL_end_reason), "exec"))
		image->flags |= PM_IMAGE_EXEC;
	if (image->end_us != PM_NO_TIME && image->end_us < image->image_us)
		image->flags |= PM_IMAGE_BACKWARDS;
	return image->end ? 0 : -1;
}

/* Of several last words those that were said last count. */
static int add_last(struct pm_images *m, uint32_t i, const struct pm_record *r, struct pm_err *e)
{
	struct pm_image *image = &m->image[i];
	int64_t said_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);

	if (image->last && image->last_us >= said_us)
		return 0;
	image->last = keep(m, r, e);
	image->last_us = said_us;
	return image->last ? 0 : -1;
}

/* The exec that an end announced did not happen: what was written with it does not count, which of
 * threads is what was measured since that end. */
static int add_resumed(struct pm_images *m, uint32_t i, const char **why)
{
	struct pm_image *image = &m->image[i];
	uint32_t *link = &image->threads;

	if (!image->end || !(image->flags & PM_IMAGE_EXEC)) {
		*why = "resumed without an exec before it";
		return 1;
	}
	while (*link != PM_NONE) {
		struct pm_image_thread *t = &m->thread[*link];

		if (t->end_us == PM_NO_TIME || t->end_us >= image->end_us)
			*link = t->next;
		else
			link = &t->next;
	}
	image->end = 0;
	image->end_us = PM_NO_TIME;
	image->flags &= (uint16_t) ~(PM_IMAGE_EXEC | PM_IMAGE_BACKWARDS);
	image->resumed++;
	return 0;
}

int pm_images_add(struct pm_images *m, const struct pm_record *r, const char **why,
		  struct pm_err *e)
{
	int kind = kind_of(r);
	uint32_t space, i;

	*why = fault(r, kind);
	if (*why)
		return 1;
	space = find_space(m, r);
	if (space == PM_NONE) {
		if (m->hosts < PM_HOSTS_MAX && m->spaces < PM_HOSTS_MAX)
			return pm_err(e, "out of memory");
		*why = "too many hosts or pid namespaces";
		return 1;
	}
	if (kind == REAPED)
		return add_reaped(m, space, r, why, e);
	i = find_image(m, r, kind, space, e);
	if (i == PM_NONE)
		return -1;
	switch (kind) {
	case START:
	case EXCLUDED:
		return add_start(m, i, r, kind, why, e);
	case END:
		return add_end(m, i, r, why, e);
	case THREAD:
		return add_thread(m, i, r, why, e);
	case LAST:
		return add_last(m, i, r, e);
	default:
		return add_resumed(m, i, why);
	}
}
