/* Taskstats records of every version and length, and the netlink messages around them. */
#include "config.h"

#include "sampler/kernel/taskstats.h"

#include "tests/unit/main.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>

/* The struct as the kernel has it since version 16; before 14 it ends behind wpcopy. */
#define LENGTH 560

static void put64(char *p, size_t at, uint64_t v)
{
	memcpy(p + at, &v, sizeof v);
}

static void put32(char *p, size_t at, uint32_t v)
{
	memcpy(p + at, &v, sizeof v);
}

/* A record whose figures are their own offsets, of an 11th task of process 10, child of 9. */
static void make(char p[LENGTH], uint16_t version)
{
	memset(p, 0xaa, LENGTH);
	for (size_t at = 16; at < LENGTH; at += 8)
		put64(p, at, at);
	memcpy(p, &version, sizeof version);
	p[8] = (char)0xdf; /* every flag but the last task's */
	put32(p, 128, 11);
	put32(p, 132, 9);
	put32(p, 368, 10);
	memcpy(p + 80, "a name", sizeof "a name");
}

/* Where the build system's header has the figure, its offset is right. */
START_TEST(offsets)
{
#define AT(id, member)                                                                             \
	ck_assert_uint_eq(pm_taskstats_info[PM_TASKSTATS_##id].offset,                             \
			  offsetof(struct taskstats, member))
	ck_assert_uint_eq(offsetof(struct taskstats, ac_comm), 80);
	AT(cpu_count, cpu_count);
	AT(cpu_delay, cpu_delay_total);
	AT(blkio_count, blkio_count);
	AT(blkio_delay, blkio_delay_total);
	AT(swapin_count, swapin_count);
	AT(swapin_delay, swapin_delay_total);
	AT(cpu_run_real, cpu_run_real_total);
	AT(cpu_run_virtual, cpu_run_virtual_total);
	AT(elapsed, ac_etime);
	AT(usertime, ac_utime);
	AT(systemtime, ac_stime);
	AT(minflt, ac_minflt);
	AT(majflt, ac_majflt);
	AT(coremem, coremem);
	AT(virtmem, virtmem);
	AT(hiwater_rss, hiwater_rss);
	AT(hiwater_vm, hiwater_vm);
	AT(read_char, read_char);
	AT(write_char, write_char);
	AT(read_syscalls, read_syscalls);
	AT(write_syscalls, write_syscalls);
	AT(read_bytes, read_bytes);
	AT(write_bytes, write_bytes);
	AT(cancelled_write_bytes, cancelled_write_bytes);
	AT(nvcsw, nvcsw);
	AT(nivcsw, nivcsw);
	AT(usertime_scaled, ac_utimescaled);
	AT(systemtime_scaled, ac_stimescaled);
	AT(cpu_run_scaled, cpu_scaled_run_real_total);
	AT(freepages_count, freepages_count);
	AT(freepages_delay, freepages_delay_total);
#if TASKSTATS_VERSION >= 13
	AT(thrashing_count, thrashing_count);
	AT(thrashing_delay, thrashing_delay_total);
	AT(compact_count, compact_count);
	AT(compact_delay, compact_delay_total);
	AT(wpcopy_count, wpcopy_count);
	AT(wpcopy_delay, wpcopy_delay_total);
#endif
#undef AT
}
END_TEST

START_TEST(every_length)
{
	char p[LENGTH];
	size_t before = 0;

	make(p, 16);
	for (size_t n = 0; n <= LENGTH; n++) {
		/* A copy of exactly that length, so that a sanitizer sees a byte too many. */
		char *copy = malloc(n ? n : 1);
		struct pm_taskstats t;

		PM_SURE(copy);
		memcpy(copy, p, n);
		if (n < 136) {
			ck_assert_int_eq(pm_taskstats_decode(&t, copy, n), -1);
			free(copy);
			continue;
		}
		ck_assert_int_eq(pm_taskstats_decode(&t, copy, n), 0);
		free(copy);
		ck_assert_int_eq(t.tid, 11);
		ck_assert_int_eq(t.ppid, 9);
		ck_assert_str_eq(t.name, "a name");
		ck_assert_int_eq(t.tgid, n >= 372 ? 10 : 11);
		ck_assert_int_eq(t.last, n < 372);
		ck_assert_uint_ge(t.values, before);
		before = t.values;
		for (size_t i = 0; i < PM_TASKSTATS_VALUES; i++) {
			const struct pm_taskstats_info *info = &pm_taskstats_info[i];

			if (i < t.values)
				ck_assert_int_eq(t.value[i], info->offset * info->scale);
			else
				ck_assert_uint_gt(info->offset + 8, n);
		}
	}
	ck_assert_uint_eq(before, PM_TASKSTATS_VALUES);
}
END_TEST

START_TEST(last_task)
{
	struct pm_taskstats t;
	char p[LENGTH];

	make(p, 16);
	p[8] = 0x20;
	ck_assert_int_eq(pm_taskstats_decode(&t, p, sizeof p), 0);
	ck_assert_int_eq(t.last, true);
	/* Before version 12 what is there is something else. */
	make(p, 11);
	ck_assert_int_eq(pm_taskstats_decode(&t, p, 368), 0);
	ck_assert_int_eq(t.tgid, 11);
}
END_TEST

/* Version 15 has two numbers more behind each delay: 24, 40, ... stand elsewhere. */
START_TEST(wide)
{
	struct pm_taskstats t;
	char p[LENGTH];

	make(p, 15);
	put32(p, 128 + 48, 11);
	put32(p, 132 + 48, 9);
	put32(p, 368 + 96, 10);
	memset(p + 80 + 48, 'x', 32);
	ck_assert_int_eq(pm_taskstats_decode(&t, p, sizeof p), 0);
	ck_assert_int_eq(t.tid, 11);
	ck_assert_int_eq(t.ppid, 9);
	ck_assert_int_eq(t.tgid, 10);
	ck_assert_str_eq(t.name, "xxxxxxxxxxxxxxx");
	ck_assert_int_eq(t.value[PM_TASKSTATS_cpu_delay], 24);
	ck_assert_int_eq(t.value[PM_TASKSTATS_blkio_count], 32 + 16);
	ck_assert_int_eq(t.value[PM_TASKSTATS_swapin_delay], 56 + 32);
	ck_assert_int_eq(t.value[PM_TASKSTATS_cpu_run_virtual], 72 + 48);
	ck_assert_int_eq(t.value[PM_TASKSTATS_nivcsw], 280 + 48);
	ck_assert_int_eq(t.value[PM_TASKSTATS_thrashing_count], 328 + 64);
	ck_assert_int_eq(t.value[PM_TASKSTATS_wpcopy_delay], 408 + 96);
	ck_assert_int_eq(t.value[PM_TASKSTATS_irq_delay], 424 + 112);
}
END_TEST

START_TEST(huge)
{
	struct pm_taskstats t;
	char p[LENGTH];

	make(p, 16);
	put64(p, 168, UINT64_MAX);
	put64(p, 200, (uint64_t)INT64_MAX / 1024 + 1);
	ck_assert_int_eq(pm_taskstats_decode(&t, p, sizeof p), 0);
	ck_assert_int_eq(t.value[PM_TASKSTATS_minflt], INT64_MAX);
	ck_assert_int_eq(t.value[PM_TASKSTATS_hiwater_rss], INT64_MAX);
}
END_TEST

/* --- messages --------------------------------------------------------------------------------- */

static size_t put_attribute(char *p, uint16_t type, const void *value, size_t n)
{
	const struct nlattr a = { .nla_type = type, .nla_len = (uint16_t)(4 + n) };

	memset(p, 0, 4 + n + 3);
	memcpy(p, &a, sizeof a);
	memcpy(p + 4, value, n);
	return 4 + ((n + 3) & ~(size_t)3);
}

/* A message as at the end of a process: the task's record and, behind it, the process' sum. */
static size_t make_message(char *p)
{
	char stats[LENGTH], inner[2 * LENGTH];
	const uint32_t pid = 11;
	size_t n, at;

	make(stats, 16);
	n = put_attribute(inner, TASKSTATS_TYPE_PID, &pid, sizeof pid);
	n += put_attribute(inner + n, TASKSTATS_TYPE_NULL, "", 0);
	n += put_attribute(inner + n, TASKSTATS_TYPE_STATS, stats, sizeof stats);
	at = put_attribute(p, TASKSTATS_TYPE_AGGR_PID | NLA_F_NESTED, inner, n);
	put64(stats, 168, 1000000);
	n = put_attribute(inner, TASKSTATS_TYPE_TGID, &pid, sizeof pid);
	n += put_attribute(inner + n, TASKSTATS_TYPE_STATS, stats, sizeof stats);
	return at + put_attribute(p + at, TASKSTATS_TYPE_AGGR_TGID, inner, n);
}

START_TEST(message)
{
	char p[4 * LENGTH];
	size_t n = make_message(p), good = 0;
	struct pm_taskstats t;

	ck_assert_int_eq(pm_taskstats_message(&t, (struct pm_netlink_part){ p, n }), 0);
	ck_assert_int_eq(t.tid, 11);
	ck_assert_int_eq(t.value[PM_TASKSTATS_minflt], 168);
	/* Cut anywhere, it is whole or nothing. */
	for (size_t cut = 0; cut < n; cut++) {
		char *copy = malloc(cut ? cut : 1);

		PM_SURE(copy);
		memcpy(copy, p, cut);
		if (pm_taskstats_message(&t, (struct pm_netlink_part){ copy, cut }) == 0) {
			ck_assert_int_eq(t.value[PM_TASKSTATS_irq_delay], 424);
			good++;
		}
		free(copy);
	}
	ck_assert_uint_gt(good, LENGTH);
	/* Lengths that lie. */
	for (size_t at = 0; at < n; at++) {
		char copy[sizeof p];

		memcpy(copy, p, n);
		copy[at] = (char)~copy[at];
		pm_taskstats_message(&t, (struct pm_netlink_part){ copy, n });
	}
}
END_TEST

START_TEST(command)
{
	char p[PM_NETLINK_COMMAND_SIZE];
	struct pm_netlink_part value, body;
	struct nlmsghdr h;
	uint32_t pid;
	size_t n = pm_netlink_command(p, 27, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID, 4711);

	memcpy(&h, p, sizeof h);
	ck_assert_uint_eq(h.nlmsg_len, n);
	ck_assert_uint_eq(h.nlmsg_type, 27);
	body = (struct pm_netlink_part){ p + NLMSG_HDRLEN, n - NLMSG_HDRLEN };
	ck_assert_int_eq(body.p[0], TASKSTATS_CMD_GET);
	ck_assert_int_eq(
		pm_netlink_find(pm_netlink_attributes(body), TASKSTATS_CMD_ATTR_PID, &value), 0);
	ck_assert_uint_eq(value.n, sizeof pid);
	memcpy(&pid, value.p, sizeof pid);
	ck_assert_uint_eq(pid, 4711);
	ck_assert_int_eq(
		pm_netlink_find(pm_netlink_attributes(body), TASKSTATS_CMD_ATTR_TGID, &value), -1);
	ck_assert_uint_eq(pm_netlink_attributes((struct pm_netlink_part){ p, 3 }).n, 0);
}
END_TEST

/* Attributes begin at multiples of four bytes. One may be empty; the last may be cut behind its
 * value, not within. */
START_TEST(attributes)
{
	static const uint32_t pid = 4711;
	struct pm_netlink_part value;
	char p[64];
	size_t n = 0;

	n += put_attribute(p + n, 1, "a", 1);
	n += put_attribute(p + n, 2, "", 0);
	n += put_attribute(p + n, 3, &pid, sizeof pid);
	n += put_attribute(p + n, 4, "xyz", 3);
	ck_assert_int_eq(pm_netlink_find((struct pm_netlink_part){ p, n }, 2, &value), 0);
	ck_assert_uint_eq(value.n, 0);
	ck_assert_int_eq(pm_netlink_find((struct pm_netlink_part){ p, n }, 3, &value), 0);
	ck_assert_uint_eq(value.n, sizeof pid);
	ck_assert_mem_eq(value.p, &pid, sizeof pid);
	ck_assert_int_eq(pm_netlink_find((struct pm_netlink_part){ p, n - 1 }, 4, &value), 0);
	ck_assert_uint_eq(value.n, 3);
	ck_assert_int_eq(pm_netlink_find((struct pm_netlink_part){ p, n - 2 }, 4, &value), -1);
	ck_assert_int_eq(pm_netlink_find((struct pm_netlink_part){ p, n }, 5, &value), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_taskstats");
	TCase *t = tcase_create("taskstats");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, offsets);
	tcase_add_test(t, every_length);
	tcase_add_test(t, last_task);
	tcase_add_test(t, wide);
	tcase_add_test(t, huge);
	tcase_add_test(t, message);
	tcase_add_test(t, command);
	tcase_add_test(t, attributes);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
