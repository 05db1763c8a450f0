/* Join records to images: keys, duplicates. */
#include "config.h"

#include "submit/job/images.h"

#include "submit/job/valid.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

/* Grow an array by one element, doubling. Returns 0 or -1. */
static int grow_array(void **array, size_t count, size_t *cap, size_t size)
{
	size_t n = *cap ? 2 * *cap : 16;
	void *p;

	if (count < *cap)
		return 0;
	p = pm_filemem_realloc(*array, n * size);
	if (!p)
		return -1;
	*array = p;
	*cap = n;
	return 0;
}

void pm_images_init(struct pm_images *m)
{
	memset(m, 0, sizeof *m);
	pm_packed_init(&m->pack);
	m->last_space = PM_NONE;
}

void pm_images_free(struct pm_images *m)
{
	for (size_t i = 0; i < m->hosts; i++) {
		free(m->host[i].boot_id);
		free(m->host[i].hostname);
	}
	pm_filemem_free(m->host);
	pm_filemem_free(m->space);
	pm_filemem_free(m->image);
	pm_filemem_free(m->thread);
	pm_filemem_free(m->reaped);
	pm_hashindex_free(&m->by_host);
	pm_hashindex_free(&m->by_space);
	pm_hashindex_free(&m->by_key);
	pm_hashmap_free(&m->seen);
	pm_packed_free(&m->pack);
	pm_images_init(m);
}

void pm_images_complete(struct pm_images *m)
{
	pm_hashindex_free(&m->by_key);
	pm_hashmap_free(&m->seen);
}

static int is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Hash of a host: its boot id, or without one its name. */
static uint64_t host_hash(struct pm_str boot_id, struct pm_str hostname)
{
	return boot_id.n ? pm_hashmap_mix_bytes(1, boot_id.p, boot_id.n)
			 : pm_hashmap_mix_bytes(2, hostname.p, hostname.n);
}

static int is_host(const struct pm_host *h, struct pm_str boot_id, struct pm_str hostname)
{
	return is_text(boot_id, h->boot_id) && (boot_id.n || is_text(hostname, h->hostname));
}

/* Find a host by boot id, or without one by name. Returns its index or PM_NONE. */
static uint32_t host_at(const struct pm_images *m, struct pm_str boot_id, struct pm_str hostname)
{
	uint64_t hash = host_hash(boot_id, hostname);
	size_t at = 0;
	uint32_t i;

	while ((i = pm_hashindex_next(&m->by_host, hash, &at)) != PM_NONE)
		if (is_host(&m->host[i], boot_id, hostname))
			break;
	return i;
}

uint32_t pm_images_host(struct pm_images *m, struct pm_str boot_id, struct pm_str hostname)
{
	uint32_t i = host_at(m, boot_id, hostname);
	struct pm_host *h;

	if (i != PM_NONE) {
		h = &m->host[i];
		if (h->hostname[0] == '\0' && hostname.n) {
			free(h->hostname);
			h->hostname = strndup(hostname.p, hostname.n);
		}
		return h->hostname ? i : PM_NONE;
	}
	if (m->hosts >= PM_HOSTS_MAX ||
	    grow_array((void **)&m->host, m->hosts, &m->hosts_cap, sizeof m->host[0]) < 0)
		return PM_NONE;
	h = &m->host[m->hosts];
	h->boot_id = strndup(boot_id.p ? boot_id.p : "", boot_id.n);
	h->hostname = strndup(hostname.p ? hostname.p : "", hostname.n);
	if (!h->boot_id || !h->hostname ||
	    pm_hashindex_add(&m->by_host, host_hash(boot_id, hostname), (uint32_t)m->hosts) < 0) {
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

static uint64_t space_hash(uint32_t host, int64_t pid_ns)
{
	return pm_hashmap_mix(pm_hashmap_mix(3, host), (uint64_t)pid_ns);
}

/* Find the pid namespace of a record. Returns its index or PM_NONE. */
static uint32_t space_at(struct pm_images *m, const struct pm_record *r)
{
	struct pm_str boot = text_of(r, PM_COL_boot_id), name = text_of(r, PM_COL_hostname);
	int64_t ns = pm_record_get(r, PM_COL_pid_ns, -1);
	uint32_t host, i = PM_NONE;
	size_t at = 0;

	if (m->last_space != PM_NONE) {
		const struct pm_space *s = &m->space[m->last_space];

		if (s->pid_ns == ns && is_host(&m->host[s->host], boot, name))
			return m->last_space;
	}
	host = host_at(m, boot, name);
	while (host != PM_NONE &&
	       (i = pm_hashindex_next(&m->by_space, space_hash(host, ns), &at)) != PM_NONE)
		if (m->space[i].host == host && m->space[i].pid_ns == ns)
			return m->last_space = i;
	return PM_NONE;
}

/* Find or add the pid namespace of a record. Returns its index or PM_NONE. */
static uint32_t find_space(struct pm_images *m, const struct pm_record *r)
{
	int64_t ns = pm_record_get(r, PM_COL_pid_ns, -1);
	uint32_t i = space_at(m, r), host;

	/* The first records of a host may lack its name, so add the name later. */
	if (i != PM_NONE &&
	    (m->host[m->space[i].host].hostname[0] || !pm_record_has(r, PM_COL_hostname)))
		return i;
	host = pm_images_host(m, text_of(r, PM_COL_boot_id), text_of(r, PM_COL_hostname));
	if (i != PM_NONE)
		return host == PM_NONE ? PM_NONE : i;
	if (host == PM_NONE || m->spaces >= PM_HOSTS_MAX ||
	    grow_array((void **)&m->space, m->spaces, &m->spaces_cap, sizeof m->space[0]) < 0 ||
	    pm_hashindex_add(&m->by_space, space_hash(host, ns), (uint32_t)m->spaces) < 0)
		return PM_NONE;
	m->space[m->spaces] = (struct pm_space){ .host = host, .pid_ns = ns };
	return m->last_space = (uint32_t)m->spaces++;
}

int pm_images_read(struct pm_images *m, uint64_t offset, struct pm_record *r, struct pm_err *e)
{
	if (offset)
		return pm_packed_get(&m->pack, offset, r, e);
	pm_record_clear(r);
	return 0;
}

uint32_t pm_images_new(struct pm_images *m, struct pm_err *e)
{
	struct pm_image *i;

	if (m->images >= PM_NONE - 1 ||
	    grow_array((void **)&m->image, m->images, &m->images_cap, sizeof m->image[0]) < 0) {
		pm_err(e, "out of memory");
		return PM_NONE;
	}
	i = &m->image[m->images];
	memset(i, 0, sizeof *i);
	i->image_us = i->end_us = PM_NO_TIME;
	i->starttime = -1;
	i->threads = i->previous = i->parent = i->above = PM_NONE;
	return (uint32_t)m->images++;
}

static uint64_t key_of(const struct pm_record *r, uint32_t space)
{
	return pm_hashmap_mix(pm_hashmap_mix(space, (uint32_t)r->v[PM_COL_pid].i),
			      (uint64_t)r->v[PM_COL_image_us].i);
}

/*
 * Find the image of a record. Two images of one pid never start in the same microsecond, so
 * image_us tells them apart. Returns its index or PM_NONE.
 */
static uint32_t image_at(const struct pm_images *m, const struct pm_record *r, uint32_t space)
{
	uint64_t hash = key_of(r, space);
	size_t at = 0;
	uint32_t i;

	while ((i = pm_hashindex_next(&m->by_key, hash, &at)) != PM_NONE) {
		const struct pm_image *have = &m->image[i];

		if (have->space == space && have->pid == (uint32_t)r->v[PM_COL_pid].i &&
		    have->image_us == r->v[PM_COL_image_us].i)
			break;
	}
	return i;
}

/* Find or add the image of a record. In a thread record starttime is the thread's own; in others it
 * groups the images of one process. Returns its index, or PM_NONE with e filled. */
static uint32_t find_image(struct pm_images *m, const struct pm_record *r, int kind, uint32_t space,
			   struct pm_err *e)
{
	int64_t starttime = kind == PM_RECORD_THREAD ? -1 : pm_record_get(r, PM_COL_starttime, -1);
	uint32_t i = image_at(m, r, space);

	if (i != PM_NONE) {
		if (m->image[i].starttime < 0)
			m->image[i].starttime = starttime;
		return i;
	}
	i = pm_images_new(m, e);
	if (i == PM_NONE)
		return PM_NONE;
	m->image[i].space = m->image[i].parent_space = space;
	m->image[i].pid = (uint32_t)r->v[PM_COL_pid].i;
	m->image[i].starttime = starttime;
	m->image[i].image_us = r->v[PM_COL_image_us].i;
	if (pm_hashindex_add(&m->by_key, key_of(r, space), i) < 0) {
		pm_err(e, "out of memory");
		return PM_NONE;
	}
	return i;
}

bool pm_images_may_tell(const struct pm_images *m, uint8_t guest, uint32_t image)
{
	const struct pm_image *i = &m->image[image];

	return guest == 0 || i->start == 0 || (i->flags & PM_IMAGE_DEPARTED) ||
	       i->flags / PM_IMAGE_GUEST == guest;
}

/* Returns 1 if the hash was seen before, 0 if it is new and now recorded, -1 if out of memory. */
static int mark_seen(struct pm_images *m, uint64_t hash)
{
	if (pm_hashmap_has(&m->seen, hash))
		return 1;
	return pm_hashmap_mark(&m->seen, hash);
}

static int add_thread(struct pm_images *m, uint32_t i, const struct pm_record *r, const char **why,
		      struct pm_err *e)
{
	struct pm_image *image = &m->image[i];
	int64_t tid = r->v[PM_COL_tid].i;
	uint64_t hash = pm_hashmap_mix(
		pm_hashmap_mix(pm_hashmap_mix(PM_RECORD_THREAD, i), image->resumed), (uint64_t)tid);
	struct pm_image_thread *t;
	int again;

	/* A thread id may be reused within an image; the thread's start tells such threads
	 * apart. */
	hash = pm_hashmap_mix(hash, (uint64_t)pm_record_get(r, PM_COL_start_us, 0));
	again = mark_seen(m, hash);
	if (again > 0) {
		*why = "duplicate: this thread has been read before";
		return 1;
	}
	if (again < 0 ||
	    grow_array((void **)&m->thread, m->threads, &m->threads_cap, sizeof m->thread[0]) < 0)
		return pm_err(e, "out of memory");
	t = &m->thread[m->threads];
	t->tid = tid;
	t->end_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);
	t->record = pm_packed_put(&m->pack, r, e);
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
		.guest = m->guests.now,
	};
	uint64_t hash = pm_hashmap_mix(pm_hashmap_mix(PM_RECORD_REAPED, space),
				       (uint64_t)x.pid << 32 | x.ppid);
	int again = mark_seen(
		m, pm_hashmap_mix(pm_hashmap_mix(hash, (uint64_t)x.end_us), (uint64_t)x.start_us));

	if (again > 0) {
		*why = "duplicate: this process has been reaped before";
		return 1;
	}
	if (again < 0 || grow_array((void **)&m->reaped, m->reaped_count, &m->reaped_cap,
				    sizeof m->reaped[0]) < 0)
		return pm_err(e, "out of memory");
	x.record = pm_packed_put(&m->pack, r, e);
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
	if (kind == PM_RECORD_EXCLUDED)
		m->image[i].flags |= PM_IMAGE_EXCLUDED;
	m->image[i].flags |= (uint16_t)(m->guests.now * PM_IMAGE_GUEST);
	m->image[i].start = pm_packed_put(&m->pack, r, e);
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
	image->end = pm_packed_put(&m->pack, r, e);
	image->end_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);
	if (is_text(text_of(r, PM_COL_end_reason), "exec"))
		image->flags |= PM_IMAGE_EXEC;
	if (image->end_us != PM_NO_TIME && image->end_us < image->image_us)
		image->flags |= PM_IMAGE_BACKWARDS;
	return image->end ? 0 : -1;
}

/* Of several last records the latest counts, but any of them may tell that the user changed. */
static int add_last(struct pm_images *m, uint32_t i, const struct pm_record *r, struct pm_err *e)
{
	struct pm_image *image = &m->image[i];
	int64_t said_us = pm_record_get(r, PM_COL_end_us, PM_NO_TIME);

	if (is_text(text_of(r, PM_COL_last_call), "setuid"))
		image->flags |= PM_IMAGE_DEPARTED;
	if (image->last && image->last_us >= said_us)
		return 0;
	image->last = pm_packed_put(&m->pack, r, e);
	image->last_us = said_us;
	return image->last ? 0 : -1;
}

static const char of_another[] = "of another user's process";

/* Take back an end by exec, since that exec failed: drop the end record and the thread records
 * written with it, but keep threads that ended earlier. A rejected line changes nothing. */
static int add_resumed(struct pm_images *m, const struct pm_record *r, const char **why)
{
	uint32_t space = space_at(m, r), i = space == PM_NONE ? PM_NONE : image_at(m, r, space);
	struct pm_image *image;
	uint32_t *link;

	if (i == PM_NONE || !m->image[i].end || !(m->image[i].flags & PM_IMAGE_EXEC)) {
		*why = "resumed without an exec before it";
		return 1;
	}
	if (!pm_images_may_tell(m, m->guests.now, i)) {
		*why = of_another;
		return 1;
	}
	image = &m->image[i];
	link = &image->threads;
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
	int kind = pm_valid_kind(r);
	uint32_t space, i;

	*why = pm_valid_fault(r, kind);
	if (*why)
		return 1;
	pm_filemem_trim();
	if (kind == PM_RECORD_RESUMED)
		return add_resumed(m, r, why);
	space = find_space(m, r);
	if (space == PM_NONE) {
		if (m->hosts < PM_HOSTS_MAX && m->spaces < PM_HOSTS_MAX)
			return pm_err(e, "out of memory");
		*why = "too many hosts or pid namespaces";
		return 1;
	}
	if (kind == PM_RECORD_REAPED)
		return add_reaped(m, space, r, why, e);
	i = find_image(m, r, kind, space, e);
	if (i == PM_NONE)
		return -1;
	if (kind == PM_RECORD_START || kind == PM_RECORD_EXCLUDED)
		return add_start(m, i, r, kind, why, e);
	if (!pm_images_may_tell(m, m->guests.now, i)) {
		*why = of_another;
		return 1;
	}
	switch (kind) {
	case PM_RECORD_END:
		return add_end(m, i, r, why, e);
	case PM_RECORD_THREAD:
		return add_thread(m, i, r, why, e);
	default:
		return add_last(m, i, r, e);
	}
}
