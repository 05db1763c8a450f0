/* Opening, reading and summing the counters of threads. */
#include "config.h"

#include "libperfmon/counters.h"

#include "common/events.h"
#include "libperfmon/descriptors.h"
#include "libperfmon/memory.h"
#include "libperfmon/slots.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>

/* Places: the main thread, every slot, and the image for its text. */
#define IMAGE_PLACE (PM_SLOTS + 1)
#define PLACES      (PM_SLOTS + 2)

/* Longest value of an item behind its name: =, a number, @, a ratio, a blank. */
#define VALUE_MAX (1 + PM_BUF_NUMBER_MAX + 1 + 8 + 1)

/* No event that others can join. */
#define NO_LEADER UINT32_MAX

/* Decimal digits of a ratio. */
#define RATIO_ONE 10000

/* What an event counted, in one thread or in several: scaled where it did not run all the time that
 * it was enabled. */
struct sum {
	uint64_t value, enabled, running;
	const char *reason; /* why it is not known; NULL while it is */
};

/* One event of one thread. */
struct counter {
	int fd;          /* < 0: minus the reason's error number */
	uint32_t leader; /* index of the event whose group it is in */
	uint64_t id;     /* the kernel's */
	struct sum sum;  /* as it was read last */
};

struct event {
	struct pm_event what;
	struct sum ended, saved;
};

/* Life cycle: all NULL where nothing is counted; set once by the constructor. */
PM_NEAR static struct {
	struct event *event;
	uint32_t events;
	struct counter *counter; /* PLACES rows of `events` */
	char *text;              /* PLACES rows of text_size bytes */
	uint32_t text_size;
} table = { 0 };

static struct counter *row(uint32_t place)
{
	return table.counter + (size_t)place * table.events;
}

/* Add one event to the list; beyond PM_EVENTS_MAX they are left out. */
static void add_event(const struct pm_event *what)
{
	if (!table.event)
		table.event = pm_memory_map(PM_EVENTS_MAX * sizeof *table.event);
	if (table.event && table.events < PM_EVENTS_MAX)
		table.event[table.events++].what = *what;
}

/* The entries of PERFMON_EVENTS. */
static void list_resolved(const char *list)
{
	struct pm_str rest = { list, strlen(list) }, item;
	struct pm_event e;

	while (pm_tsv_next_item(&rest, &item))
		if (pm_event_parse(&e, item.p, item.n) == 0)
			add_event(&e);
}

/* Words of PERFMON_OPTIONS that are no flags: those that the kernel has by itself. */
static void list_named(const char *list)
{
	while (*list) {
		size_t n = pm_event_word(list);
		struct pm_event e;

		if (n > 0 && !pm_event_is_flag(list, n)) {
			if (pm_event_find(&e, list, n) < 0)
				e = (struct pm_event){ .name = { list, n },
						       .reason = { "wrapper", 7 } };
			add_event(&e);
		}
		list += n + (list[n] == ',');
	}
}

/* Names lie in the environment, which the program may overwrite: keep them, escaped, which those of
 * PERFMON_EVENTS are already. */
static int keep_names(bool escaped)
{
	size_t size = 0;
	struct pm_buf b;
	char *memory;

	for (uint32_t i = 0; i < table.events; i++)
		size += 4 * (table.event[i].what.name.n + table.event[i].what.reason.n);
	if ((memory = pm_memory_map(size + 1)) == NULL)
		return -1;
	pm_buf_init(&b, memory, size);
	table.text_size = 1;
	for (uint32_t i = 0; i < table.events; i++) {
		struct pm_str *part[] = { &table.event[i].what.name, &table.event[i].what.reason };

		for (int k = 0; k < 2; k++) {
			const char *p = b.p + b.len;

			if (escaped || part[k]->n == 0)
				pm_buf_mem(&b, part[k]->p, part[k]->n);
			else
				pm_tsv_escape_item(&b, part[k]->p, part[k]->n, 1);
			*part[k] = (struct pm_str){ p, (size_t)(b.p + b.len - p) };
			table.text_size += (uint32_t)part[k]->n;
		}
		table.text_size += VALUE_MAX + 16;
	}
	return 0;
}

void pm_counters_begin(const struct pm_settings *s)
{
	const char *resolved = s->env[PM_ENV_events];
	const char *options = pm_settings_first(s, PM_ENV_options, PM_ENV_papiex_options, PM_ENVS);

	if (resolved && *resolved)
		list_resolved(resolved);
	else if (options)
		list_named(options);
	if (table.events == 0)
		return;
	table.counter = pm_memory_map(PLACES * sizeof *table.counter * table.events);
	if (!table.counter || keep_names(resolved && *resolved) < 0 ||
	    (table.text = pm_memory_map((size_t)PLACES * table.text_size)) == NULL) {
		table.events = 0;
		return;
	}
	pm_counters_open(0);
}

static long open_event(const struct pm_event *e, int leader)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof attr,
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.bp_type = e->bp_type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_user = (e->exclude & PM_EXCLUDE_USER) != 0,
		.exclude_kernel = (e->exclude & PM_EXCLUDE_KERNEL) != 0,
		.exclude_hv = (e->exclude & PM_EXCLUDE_HV) != 0,
		.exclude_idle = (e->exclude & PM_EXCLUDE_IDLE) != 0,
		.exclude_host = (e->exclude & PM_EXCLUDE_HOST) != 0,
		.exclude_guest = (e->exclude & PM_EXCLUDE_GUEST) != 0,
	};

	return pm_sys5(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * The clocks are in no group: read with the group of another event they say what they held at the
 * last switch of threads, and other software events that they lead miss most of what happens
 * (Linux 6.18).
 */
static bool is_alone(const struct pm_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Open event i, in the group of `leader` where there is one and the kernel takes it, else as a
 * leader itself. Returns the leader for the next event.
 */
static uint32_t open_in_group(struct counter *c, uint32_t i, uint32_t leader)
{
	const struct pm_event *e = &table.event[i].what;
	bool alone = is_alone(e);
	long fd = -EINVAL;

	c[i].leader = leader;
	if (leader != NO_LEADER && !alone)
		fd = open_event(e, c[leader].fd);
	if (fd == -EINVAL || fd == -ENOSPC) {
		c[i].leader = i;
		fd = open_event(e, -1);
	}
	c[i].fd = fd < 0 ? (int)fd : pm_descriptors_hide((int)fd);
	if (c[i].fd < 0)
		return leader;
	if (pm_sys3(SYS_ioctl, c[i].fd, PERF_EVENT_IOC_ID, &c[i].id) < 0)
		c[i].id = 0;
	return alone ? leader : c[i].leader;
}

void pm_counters_open(uint32_t place)
{
	uint64_t all = ~(uint64_t)0, mask = 0;
	struct counter *c = row(place);
	uint32_t leader = NO_LEADER;
	struct pm_descriptors room;

	if (table.events == 0)
		return;
	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
	pm_descriptors_begin(&room, table.events);
	for (uint32_t i = 0; i < table.events; i++) {
		c[i].fd = room.refused ? -EMFILE : -ENOENT;
		if (table.event[i].what.reason.n == 0 && !room.refused)
			leader = open_in_group(c, i, leader);
	}
	pm_descriptors_end(&room);
	pm_sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* Whether the descriptor is still the event that was opened. */
static bool is_ours(const struct counter *c)
{
	uint64_t id;

	return c->id != 0 && pm_descriptors_is_anonymous(c->fd) &&
	       pm_sys3(SYS_ioctl, c->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == c->id;
}

static const char *reason_of(int error)
{
	switch (error) {
	case ENOENT:
		return "ENOENT";
	case EACCES:
		return "EACCES";
	case EPERM:
		return "EPERM";
	case EMFILE:
	case ENFILE:
		return "EMFILE";
	case ENOSPC:
		return "ENOSPC";
	case ENOSYS:
		return "ENOSYS";
	case EOPNOTSUPP:
		return "EOPNOTSUPP";
	case EBUSY:
		return "EBUSY";
	default:
		return "EINVAL";
	}
}

/* An estimate, which needs no more than the digits of a double. */
static uint64_t scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
	return running < enabled ? (uint64_t)((double)value * (double)enabled / (double)running)
				 : value;
}

/* Read the group of leader `first`: what each of its events counted. */
static void read_group(struct counter *c, uint32_t first)
{
	struct {
		uint64_t nr, enabled, running, value[PM_EVENTS_MAX];
	} group;
	uint32_t members = 0, at = 0;
	const char *reason = NULL;
	long n = 0;

	for (uint32_t i = first; i < table.events; i++)
		members += c[i].fd >= 0 && c[i].leader == first;
	if (!is_ours(&c[first]))
		reason = "closed";
	else if ((n = pm_sys3(SYS_read, c[first].fd, &group, sizeof group)) <= 0)
		/* An event in error state reads as end of file. */
		reason = n == 0 ? "error" : reason_of((int)-n);
	else if (group.nr != members)
		reason = "closed";
	else if (group.running == 0 && group.enabled != 0)
		reason = "unscheduled";
	for (uint32_t i = first; i < table.events; i++) {
		if (c[i].fd < 0 || c[i].leader != first)
			continue;
		c[i].sum.reason = reason;
		if (reason)
			continue;
		c[i].sum.value = scaled(group.value[at++], group.enabled, group.running);
		c[i].sum.enabled = group.enabled;
		c[i].sum.running = group.running;
	}
}

/* Read all events of a place. */
static void read_place(uint32_t place)
{
	struct counter *c = row(place);

	for (uint32_t i = 0; i < table.events; i++) {
		if (table.event[i].what.reason.n)
			c[i].sum.reason = table.event[i].what.reason.p;
		else if (c[i].fd < 0)
			c[i].sum.reason = reason_of(-c[i].fd);
		else if (c[i].leader == i)
			read_group(c, i);
	}
}

static void put_item(struct pm_buf *b, const struct event *e, const struct sum *s)
{
	if (b->len)
		pm_buf_ch(b, ' ');
	pm_buf_mem(b, e->what.name.p, e->what.name.n);
	pm_buf_ch(b, '=');
	if (s->reason) {
		pm_buf_ch(b, '?');
		if (e->what.reason.n)
			pm_buf_mem(b, e->what.reason.p, e->what.reason.n);
		else
			pm_buf_str(b, s->reason);
		return;
	}
	pm_buf_u64(b, s->value);
	if (s->running < s->enabled) {
		uint64_t ratio = (uint64_t)((double)s->running * RATIO_ONE / (double)s->enabled);

		pm_buf_mem(b, "@0.", 3);
		for (uint64_t digit = RATIO_ONE / 10; digit; digit /= 10)
			pm_buf_ch(b, (char)('0' + ratio / digit % 10));
	}
}

static void set_column(struct pm_record *r, uint32_t place)
{
	const struct counter *c = row(place);
	struct pm_buf b;

	pm_buf_init(&b, table.text + (size_t)place * table.text_size, table.text_size);
	for (uint32_t i = 0; i < table.events; i++)
		put_item(&b, &table.event[i], &c[i].sum);
	if (!b.truncated)
		pm_record_text(r, PM_COL_counters, b.p, b.len);
}

static void add(struct sum *to, const struct sum *s)
{
	if (s->reason) {
		__atomic_store_n(&to->reason, s->reason, __ATOMIC_RELAXED);
		return;
	}
	__atomic_add_fetch(&to->value, s->value, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->enabled, s->enabled, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->running, s->running, __ATOMIC_RELAXED);
}

void pm_counters_read(struct pm_record *r, uint32_t place)
{
	if (table.events == 0)
		return;
	read_place(place);
	set_column(r, place);
}

void pm_counters_add(uint32_t place)
{
	const struct counter *c = row(place);

	for (uint32_t i = 0; i < table.events; i++)
		add(&table.event[i].ended, &c[i].sum);
}

void pm_counters_miss(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		add(&table.event[i].ended, &(struct sum){ .reason = "thread" });
}

void pm_counters_total_begin(void)
{
	struct counter *total = row(IMAGE_PLACE);

	for (uint32_t i = 0; i < table.events; i++)
		total[i].sum = table.event[i].ended;
}

void pm_counters_total_add(uint32_t place)
{
	struct counter *total = row(IMAGE_PLACE);
	const struct counter *c = row(place);

	if (table.events)
		read_place(place);
	for (uint32_t i = 0; i < table.events; i++)
		add(&total[i].sum, &c[i].sum);
}

void pm_counters_total_set(struct pm_record *r)
{
	if (table.events)
		set_column(r, IMAGE_PLACE);
}

void pm_counters_close(uint32_t place)
{
	struct counter *c = row(place);

	for (uint32_t i = 0; i < table.events; i++) {
		if (c[i].fd >= 0 && is_ours(&c[i]))
			pm_sys1(SYS_close, c[i].fd);
		c[i].fd = -ENOENT;
	}
}

void pm_counters_save(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		table.event[i].saved = table.event[i].ended;
}

void pm_counters_restore(void)
{
	for (uint32_t i = 0; i < table.events; i++)
		table.event[i].ended = table.event[i].saved;
}

void pm_counters_fork_child(void)
{
	if (table.events == 0)
		return;
	for (uint32_t place = 0; place <= pm_slots_used(); place++)
		pm_counters_close(place);
	for (uint32_t i = 0; i < table.events; i++)
		table.event[i].ended = (struct sum){ 0 };
	pm_counters_open(0);
}
