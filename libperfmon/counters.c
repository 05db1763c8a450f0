/* Opening, reading and summing the counters of threads. */
#include "config.h"

#include "libperfmon/counters.h"

#include "libperfmon/descriptors.h"
#include "libperfmon/eventlist.h"
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

/* Longest value of an item behind its name: =, a number, @, a ratio or ?, the kernel's reason, and
 * a blank. */
#define VALUE_MAX (1 + PM_BUF_NUMBER_MAX + 1 + 16 + 1)

/* Longest escape of one byte. */
#define ESCAPED_MAX 4

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

/*
 * Life cycle: all NULL where nothing is counted; one mapping of events, their names and a row for
 * every place, made by the constructor. The rows that every process needs come first.
 */
PM_NEAR static struct {
	struct event *event;
	uint32_t events;
	uint32_t stride; /* bytes of a row: a counter for each event, and text behind them */
	char *row;
} table = { 0 };

static struct counter *row(uint32_t place)
{
	size_t at = place == 0 ? 0 : place == IMAGE_PLACE ? 1 : place + 1;

	return (struct counter *)(void *)(table.row + at * table.stride);
}

/* Names lie in the environment, which the program may overwrite: keep them, escaped. */
static void keep_text(struct pm_buf *b, struct pm_str *text, bool escaped)
{
	const char *p = b->p + b->len;

	if (escaped || text->n == 0)
		pm_buf_mem(b, text->p, text->n);
	else
		pm_tsv_escape_item(b, text->p, text->n, 1);
	*text = (struct pm_str){ p, (size_t)(b->p + b->len - p) };
}

/* Make room for `count` events and a row for every place. Returns 0 or -1. */
static int make_table(const struct pm_event *list, uint32_t count, bool escaped)
{
	size_t text = 0, rows;
	struct pm_buf b;
	char *memory;

	for (uint32_t i = 0; i < count; i++)
		text += ESCAPED_MAX * (list[i].name.n + list[i].reason.n) + VALUE_MAX;
	text = (text + 7) & ~(size_t)7;
	table.stride = (uint32_t)(count * sizeof(struct counter) + text);
	rows = count * sizeof(struct event) + text;
	memory = pm_memory_map(rows + (size_t)PLACES * table.stride);
	if (!memory)
		return -1;
	table.event = (struct event *)(void *)memory;
	table.row = memory + rows;
	pm_buf_init(&b, memory + count * sizeof(struct event), text);
	for (uint32_t i = 0; i < count; i++) {
		table.event[i].what = list[i];
		keep_text(&b, &table.event[i].what.name, escaped);
		keep_text(&b, &table.event[i].what.reason, escaped);
	}
	table.events = count;
	return 0;
}

void pm_counters_begin(const struct pm_settings *s)
{
	const size_t size = PM_EVENTS_MAX * sizeof(struct pm_event);
	struct pm_event *list;
	uint32_t count;
	bool escaped;

	/* Arguments may have left next to nothing of the stack: the list is not put there. */
	if (!pm_eventlist_is_any(s) || (list = pm_memory_map(size)) == NULL)
		return;
	count = pm_eventlist_read(s, list, &escaped);
	if (count > 0 && make_table(list, count, escaped) == 0)
		pm_counters_open(0);
	pm_sys2(SYS_munmap, list, size);
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
static uint32_t open_in_group(struct counter *c, uint32_t i, uint32_t leader,
			      const struct pm_descriptors *room)
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
	c[i].fd = fd < 0 ? (int)fd : pm_descriptors_hide(room, (int)fd);
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
			leader = open_in_group(c, i, leader, &room);
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

	pm_buf_init(&b, (char *)(row(place) + table.events),
		    table.stride - table.events * sizeof *c);
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
