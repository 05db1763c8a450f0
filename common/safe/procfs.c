/* Parsers of the /proc files of a task. */
#include "config.h"

#include "common/safe/procfs.h"

#include <string.h>

/* Longest command name the kernel shows (a workqueue's), in bytes. */
#define COMM_MAX 64

/* Position in a text. */
struct cursor {
	const char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

/* Parse the next blank-separated decimal number. Returns -1 without a number, and for one beyond 63
 * bits. */
static int take_number(struct cursor *c, int64_t *out)
{
	uint64_t v = 0;
	int negative = 0;
	const char *first;

	skip_blanks(c);
	if (c->p < c->end && *c->p == '-') {
		negative = 1;
		c->p++;
	}
	for (first = c->p; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		uint64_t digit = (uint64_t)(*c->p - '0');

		if (v > INT64_MAX / 10 || v * 10 > INT64_MAX - digit)
			return -1;
		v = v * 10 + digit;
	}
	if (c->p == first)
		return -1;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return 0;
}

/* 1 for fields that may be -1: a task that is being released has no process group and session, and
 * a thread other than the leader sends no signal to its parent. */
static int may_be_negative(unsigned field)
{
	return field == 5 || field == 6 || field == 38;
}

int pm_procfs_stat(const char *text, size_t n, struct pm_procfs_stat *out)
{
	static const struct {
		unsigned char field, offset;
	} wanted[] = {
#define WANTED(number, member) { number, offsetof(struct pm_procfs_stat, member) }
		WANTED(4, ppid),         WANTED(5, pgrp),         WANTED(6, session),
		WANTED(14, utime),       WANTED(15, stime),       WANTED(16, cutime),
		WANTED(17, cstime),      WANTED(20, num_threads), WANTED(22, starttime),
		WANTED(38, exit_signal), WANTED(39, processor),   WANTED(42, delayacct_blkio),
		WANTED(43, guest_time),
#undef WANTED
	};
	const char *end = text + n, *open = memchr(text, '(', n), *close = NULL;
	struct cursor c = { NULL, end };
	unsigned field = 3;
	int64_t *value;

	if (!open)
		return -1;
	/* The command name may hold parentheses, blanks and newlines: it ends at the last closing
	 * one, since no later field holds any. */
	for (const char *p = open + 1; p < end && p <= open + COMM_MAX + 1; p++)
		if (*p == ')')
			close = p;
	if (!close || end - close < 4 || close[1] != ' ')
		return -1;
	if (open == text || pm_tsv_number(text, (size_t)(open - text - 1), &out->pid) < 0)
		out->pid = -1;
	out->state = close[2];
	out->comm.p = open + 1;
	out->comm.n = (size_t)(close - open - 1);
	/* After the name, one blank precedes each field. */
	c.p = close + 1;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		while (field <= wanted[i].field) {
			const char *p = c.p;

			while (p < end && *p != ' ')
				p++;
			if (p == end)
				return -1;
			c.p = p + 1;
			field++;
		}
		/* A number at the very end of the text may have been cut. */
		value = (int64_t *)(void *)((char *)out + wanted[i].offset);
		if (take_number(&c, value) < 0 || c.p == end || (*c.p != ' ' && *c.p != '\n') ||
		    (*value < 0 && !may_be_negative(wanted[i].field)))
			return -1;
	}
	return 0;
}

int pm_procfs_io(const char *text, size_t n, int64_t out[PM_IO_FIELDS])
{
	static const char key[PM_IO_FIELDS][24] = {
		[PM_IO_RCHAR] = "rchar:",
		[PM_IO_WCHAR] = "wchar:",
		[PM_IO_SYSCR] = "syscr:",
		[PM_IO_SYSCW] = "syscw:",
		[PM_IO_READ_BYTES] = "read_bytes:",
		[PM_IO_WRITE_BYTES] = "write_bytes:",
		[PM_IO_CANCELLED_WRITE_BYTES] = "cancelled_write_bytes:",
	};
	struct cursor c = { text, text + n };

	for (int i = 0; i < PM_IO_FIELDS; i++) {
		size_t len = strlen(key[i]);

		if ((size_t)(c.end - c.p) < len || memcmp(c.p, key[i], len) != 0)
			return -1;
		c.p += len;
		if (take_number(&c, &out[i]) < 0 || c.p == c.end || *c.p++ != '\n')
			return -1;
	}
	return 0;
}

int pm_procfs_schedstat(const char *text, size_t n, int64_t out[3])
{
	struct cursor c = { text, text + n };

	for (int i = 0; i < 3; i++)
		if (take_number(&c, &out[i]) < 0)
			return -1;
	return c.p < c.end && *c.p == '\n' ? 0 : -1;
}

/* Find two keys in the complete lines of a text. Returns 0 when the second, which comes later, was
 * found, else -1; the value of a missing key stays unchanged. */
static int find_two(const char *text, size_t n, const char *first, int64_t *one, const char *second,
		    int64_t *two)
{
	const size_t first_len = strlen(first), second_len = strlen(second);
	const char *end = text + n, *newline;

	for (const char *line = text; line < end; line = newline + 1) {
		size_t len;

		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			break;
		len = (size_t)(newline - line);
		if (line[0] == first[0] && len > first_len && memcmp(line, first, first_len) == 0)
			take_number(&(struct cursor){ line + first_len, newline }, one);
		else if (line[0] == second[0] && len > second_len &&
			 memcmp(line, second, second_len) == 0)
			return take_number(&(struct cursor){ line + second_len, newline }, two);
	}
	return -1;
}

int pm_procfs_peaks(const char *text, size_t n, int64_t *vmpeak_kb, int64_t *rssmax_kb)
{
	return find_two(text, n, "VmPeak:", vmpeak_kb, "VmHWM:\t", rssmax_kb);
}

int pm_procfs_switches(const char *text, size_t n, int64_t *voluntary, int64_t *involuntary)
{
	return find_two(text, n, "voluntary_ctxt_switches:", voluntary,
			"nonvoluntary_ctxt_switches:", involuntary);
}

int pm_procfs_real_uid(const char *text, size_t n, int64_t *uid)
{
	const char *end = text + n;

	for (const char *p = text, *newline; p < end; p = newline + 1) {
		const char *tab;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return -1;
		if (newline - p < 5 || memcmp(p, "Uid:\t", 5) != 0)
			continue;
		p += 5;
		tab = memchr(p, '\t', (size_t)(newline - p));
		return tab ? pm_tsv_number(p, (size_t)(tab - p), uid) : -1;
	}
	return -1;
}

/* 1 when a comma-separated list of controllers contains cpu. */
static int has_cpu(const char *list, size_t n)
{
	for (size_t i = 0; i + 3 <= n; i++)
		if (memcmp(list + i, "cpu", 3) == 0 && (i == 0 || list[i - 1] == ',') &&
		    (i + 3 == n || list[i + 3] == ','))
			return 1;
	return 0;
}

int pm_procfs_cgroup(const char *text, size_t n, struct pm_str *path)
{
	const char *end = text + n, *newline;
	struct pm_str unified = { NULL, 0 }, cpu = { NULL, 0 };

	for (const char *line = text; line < end; line = newline + 1) {
		const char *first, *second;

		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			break;
		first = memchr(line, ':', (size_t)(newline - line));
		second = first ? memchr(first + 1, ':', (size_t)(newline - first - 1)) : NULL;
		if (!second)
			continue;
		struct pm_str p = { second + 1, (size_t)(newline - second - 1) };
		if (second == first + 1)
			unified = p;
		else if (has_cpu(first + 1, (size_t)(second - first - 1)))
			cpu = p;
	}
	*path = unified.p && (unified.n > 1 || !cpu.p) ? unified : cpu;
	return path->p ? 0 : -1;
}

/* The end of a number at p; p where there is none. */
static char *digits_end(char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

static int begins_with(const char *text, const char *word)
{
	while (*word && *text == *word)
		text++, word++;
	return !*word;
}

void pm_procfs_cgroup_job(char *path)
{
	for (char *p = path; *p; p++) {
		int slurm = begins_with(p, "/job_"), oar = begins_with(p, "-j");
		char *number = p + (slurm ? 5 : 2), *end;

		if (!slurm && !oar)
			continue;
		end = digits_end(number);
		if (end == number)
			continue;
		if (slurm && begins_with(end, "/step_"))
			*end = '\0';
		else if (oar && begins_with(end, ".slice/"))
			end[6] = '\0';
		else
			continue;
		return;
	}
}
