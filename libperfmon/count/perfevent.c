/* Open and read counters by perf_event_open(2). */
#include "config.h"

#include "libperfmon/count/perfevent.h"

#include "common/safe/event_attr.h"
#include "common/safe/uncounted.h"
#include "libperfmon/base/state.h"

#include <errno.h>
#include <sys/ioctl.h>

static long open_event(const struct pm_event *e, int leader)
{
	struct perf_event_attr attr = pm_event_attr(e);

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return pm_sys5(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * The clocks are in no group: read in the group of another event they have their value of the last
 * context switch, and other software events that they lead miss most events (Linux 6.18).
 */
static bool is_alone(const struct pm_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Store the descriptor last: other threads that find it need its id. */
static void publish_descriptor(struct pm_counter *c, int fd)
{
	__atomic_store_n(&c->fd, fd, __ATOMIC_RELEASE);
}

int pm_perfevent_number(const struct pm_counter *c)
{
	return __atomic_load_n(&c->fd, __ATOMIC_ACQUIRE);
}

void pm_perfevent_refuse(struct pm_counter *c, int error)
{
	publish_descriptor(c, -error);
}

uint32_t pm_perfevent_open(struct pm_counter *c, uint32_t i, uint32_t leader,
			   const struct pm_event *e, const struct pm_descriptors *room)
{
	bool alone = is_alone(e);
	long fd = -EINVAL;
	uint64_t id;

	c[i].leader = leader;
	if (leader != PM_PERFEVENT_ALONE && !alone)
		fd = open_event(e, c[leader].fd);
	if (fd == -EINVAL || fd == -ENOSPC) {
		c[i].leader = i;
		fd = open_event(e, -1);
	}
	if (fd >= 0)
		fd = pm_descriptors_hide(room, (int)fd);
	if (fd < 0) {
		publish_descriptor(&c[i], (int)fd);
		return leader;
	}
	if (pm_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &id) < 0)
		id = 0;
	__atomic_store_n(&c[i].id, id, __ATOMIC_RELAXED);
	publish_descriptor(&c[i], (int)fd);
	return alone ? leader : c[i].leader;
}

static bool has_id(const struct pm_counter *c)
{
	uint64_t want = __atomic_load_n(&c->id, __ATOMIC_RELAXED), id;

	return want != 0 &&
	       pm_sys3(SYS_ioctl, pm_perfevent_number(c), PERF_EVENT_IOC_ID, &id) == 0 &&
	       id == want;
}

/* Only an anonymous inode is asked for its id: another file might take the ioctl for a request of
 * its own. */
bool pm_perfevent_is_open(const struct pm_counter *c)
{
	return pm_descriptors_is_anonymous(pm_perfevent_number(c)) && has_id(c);
}

/* An estimate, which needs no more than the digits of a double. */
static uint64_t scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
	return running < enabled ? (uint64_t)((double)value * (double)enabled / (double)running)
				 : value;
}

static bool is_member(const struct pm_counter *c, uint32_t i, uint32_t first, uint32_t direct)
{
	return (direct >> i & 1) && c[i].fd >= 0 && c[i].leader == first;
}

/* Read the group of leader `first`: what each of its events counted. */
static void read_group(struct pm_counter *c, uint32_t first, uint32_t count, uint32_t direct)
{
	struct {
		uint64_t nr, enabled, running, value[PM_EVENTS_MAX];
	} group;
	uint32_t members = 0, at = 0;
	const char *reason = NULL;
	long n = 0;

	for (uint32_t i = first; i < count; i++)
		members += is_member(c, i, first, direct);
	if (!pm_perfevent_is_open(&c[first]))
		reason = PM_UNCOUNTED_TEXT(closed);
	else if ((n = pm_sys3(SYS_read, c[first].fd, &group, sizeof group)) <= 0)
		/* An event in error state reads as end of file. */
		reason = n == 0 ? PM_UNCOUNTED_TEXT(error) : pm_uncounted_of_error((int)-n);
	else if (group.nr != members)
		reason = PM_UNCOUNTED_TEXT(closed);
	else if (group.running == 0 && group.enabled != 0)
		reason = PM_UNCOUNTED_TEXT(unscheduled);
	for (uint32_t i = first; i < count; i++) {
		if (!is_member(c, i, first, direct))
			continue;
		c[i].sum.reason = reason;
		if (reason)
			continue;
		c[i].sum.value = scaled(group.value[at++], group.enabled, group.running);
		c[i].sum.enabled = group.enabled;
		c[i].sum.running = group.running;
	}
}

void pm_perfevent_read(struct pm_counter *c, uint32_t first, uint32_t count, uint32_t direct)
{
	if (c[first].fd < 0)
		c[first].sum.reason = pm_uncounted_of_error(-c[first].fd);
	else if (c[first].leader == first)
		read_group(c, first, count, direct);
}

void pm_perfevent_close(struct pm_counter *c, bool read)
{
	if (c->fd >= 0 && (read && c->sum.reason == NULL ? has_id(c) : pm_perfevent_is_open(c)))
		pm_sys1(SYS_close, c->fd);
	publish_descriptor(c, -ENOENT);
}
