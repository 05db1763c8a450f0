/*
 * Source "nfs": bytes, requests and times of each NFS mount, from /proc/self/mountstats
 * (nfsiostat(8), and fs/nfs/super.c and net/sunrpc/stats.c of Linux). Slow: the file has a page for
 * each mount.
 */
#include "config.h"

#include "sampler/sources/dynobjects.h"
#include "sampler/sources/onefile.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 * X(id, name, unit, scale, help). The line "bytes:" has the bytes that programs moved and those of
 * the server. The lines per operation have the requests to the server; these lines are added up.
 */
#define FIELDS(X) \
	X(READ, "read_bytes", "B", 1, "bytes read by programs, page cache included") \
	X(WRITE, "write_bytes", "B", 1, "bytes written by programs") \
	X(DIRECT_READ, "direct_read_bytes", "B", 1, "bytes read by programs with direct I/O") \
	X(DIRECT_WRITE, "direct_write_bytes", "B", 1, "bytes written by programs with direct I/O") \
	X(SERVER_READ, "server_read_bytes", "B", 1, "bytes read from the server") \
	X(SERVER_WRITE, "server_write_bytes", "B", 1, "bytes written to the server") \
	X(OPERATIONS, "operations", "n", 1, "requests") \
	X(RETRANSMISSIONS, "retransmissions", "n", 1, "requests retransmitted") \
	X(TIMEOUTS, "timeouts", "n", 1, "requests that timed out") \
	X(SENT, "sent_bytes", "B", 1, "bytes sent to the server, headers included") \
	X(RECEIVED, "received_bytes", "B", 1, "bytes received from the server, headers included") \
	X(QUEUE, "queue_time", "us", 1000, "total time requests waited to be sent") \
	X(RTT, "rtt_time", "us", 1000, "total time from sending to the reply") \
	X(EXECUTE, "execute_time", "us", 1000, "total time of requests from start to completion")

enum {
#define NUMBER(id, name, unit, scale, help) id,
	FIELDS(NUMBER)
	COLUMNS
};

static const struct pm_metric metrics[COLUMNS] = {
#define METRIC(id, name, unit, scale, help) \
	[id] = { name, unit, help, "mount", false, PM_METRIC_COUNTER },
	FIELDS(METRIC)
};

static const struct pm_dynobjects_column columns[COLUMNS] = {
#define COLUMN(id, name, unit, scale, help) [id] = { scale, 64 },
	FIELDS(COLUMN)
};
/* clang-format on */

/* The numbers in a line per operation. The kernel prints times as 64 bits of ms. */
enum { OP_COUNT, OP_SENDS, OP_TIMEOUTS, OP_SENT, OP_RECEIVED, OP_QUEUE, OP_RTT, OP_EXECUTE, OPS };

static const int column_of[OPS] = {
	[OP_COUNT] = OPERATIONS, [OP_SENDS] = RETRANSMISSIONS, [OP_TIMEOUTS] = TIMEOUTS,
	[OP_SENT] = SENT,        [OP_RECEIVED] = RECEIVED,     [OP_QUEUE] = QUEUE,
	[OP_RTT] = RTT,          [OP_EXECUTE] = EXECUTE,
};

/* Maximum number of mounts with series. */
#define MOUNTS_MAX 32

struct state {
	void *file; /* onefile.h */
	struct pm_dynobjects mounts;
};

/* The values of one mount's section of the file. */
struct mount {
	const char *point; /* NULL: of another type than NFS */
	size_t point_n;
	bool operations, bad[COLUMNS], known[COLUMNS];
	int64_t value[COLUMNS];
};

static int nfs_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	const char *text;
	ssize_t n;

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "/proc/self/mountstats");
	if (pm_onefile_open(&s->file, target, "proc/self/mountstats", why) < 0) {
		free(s);
		return -1;
	}
	n = pm_procfile_read(s->file, &text);
	if (n < 0 || !strstr(text, " with fstype nfs")) {
		if (n < 0)
			pm_source_unavailable(why, "/proc/self/mountstats");
		else
			why->reason = PM_REASON_absent, pm_err(&why->err, "no NFS mount");
		pm_onefile_close(s->file);
		free(s);
		return -1;
	}
	pm_dynobjects_init(&s->mounts, columns, COLUMNS, MOUNTS_MAX);
	*state = s;
	return 0;
}

/* Parse the line "device D mounted on P with fstype nfs4 statvers=1.1". */
static void begin_mount(struct mount *m, const char *p, const char *newline)
{
	static const char on[] = " mounted on ", type[] = " with fstype ";
	const char *point = memmem(p, (size_t)(newline - p), on, sizeof on - 1), *end;

	memset(m, 0, sizeof *m);
	if (!point)
		return;
	point += sizeof on - 1;
	end = memmem(point, (size_t)(newline - point), type, sizeof type - 1);
	if (!end || strncmp(end + sizeof type - 1, "nfs", 3) != 0 ||
	    !strchr(" 4\n", end[sizeof type - 1 + 3]))
		return; /* nfsd is no NFS mount */
	m->point = point;
	m->point_n = (size_t)(end - point);
}

/* Read up to n numbers separated by blanks. A number that is too large becomes -1: kernels print
 * small negative times like that. Returns how many there are. */
static int read_numbers(const char *p, const char *newline, int64_t *number, int n)
{
	int i = 0;

	for (; i < n; i++) {
		const char *digits;

		while (p < newline && (*p == ' ' || *p == '\t'))
			p++;
		digits = p;
		p += strspn(p, "0123456789");
		if (p == digits || (*p != ' ' && *p != '\n'))
			break;
		if (pm_procfile_number(&digits, newline + 1, &number[i]) < 0)
			number[i] = -1;
	}
	return i;
}

/* Add the numbers of an operation. */
static void add_operation(struct mount *m, const int64_t number[OPS])
{
	for (int i = 0; i < OPS; i++) {
		int64_t value = number[i];

		/* The first transmission of a request is no retransmission. Requests under way may
		 * not have been sent yet. */
		if (i == OP_SENDS)
			value = value > number[OP_COUNT] ? value - number[OP_COUNT] : 0;
		m->known[column_of[i]] = true;
		if (number[i] < 0 || number[OP_COUNT] < 0 ||
		    __builtin_add_overflow(m->value[column_of[i]], value, &m->value[column_of[i]]))
			m->bad[column_of[i]] = true;
	}
}

/* Parse a line of a mount's section. */
static void take_line(struct mount *m, const char *p, const char *newline)
{
	static const char bytes[] = "bytes:", per_op[] = "per-op statistics";
	int64_t number[OPS];
	const char *colon;

	while (p < newline && (*p == ' ' || *p == '\t'))
		p++;
	if (strncmp(p, per_op, sizeof per_op - 1) == 0) {
		m->operations = true;
	} else if (strncmp(p, bytes, sizeof bytes - 1) == 0) {
		int n = read_numbers(p + sizeof bytes - 1, newline, number, 6);

		for (int i = 0; i < 6; i++) {
			m->known[READ + i] = true;
			m->bad[READ + i] = i >= n || number[i] < 0;
			m->value[READ + i] = i < n ? number[i] : 0;
		}
	} else if (m->operations && (colon = memchr(p, ':', (size_t)(newline - p))) != NULL) {
		if (read_numbers(colon + 1, newline, number, OPS) == OPS)
			add_operation(m, number);
		else
			for (int i = 0; i < OPS; i++)
				m->known[column_of[i]] = m->bad[column_of[i]] = true;
	}
}

static void end_mount(struct state *s, struct pm_sink *sink, const struct mount *m)
{
	struct pm_object *object;
	bool fresh;

	if (!m->point)
		return;
	object = pm_dynobjects_get(&s->mounts, m->point, m->point_n, &fresh);
	if (!object)
		return;
	object->part = PM_DYNOBJECTS_APART;
	for (size_t c = 0; c < COLUMNS; c++)
		if (m->known[c] && !m->bad[c])
			pm_dynobjects_value(&s->mounts, sink, object, c, m->value[c]);
		else
			pm_dynobjects_unknown(&s->mounts, sink, object, c,
					      m->bad[c] ? PM_REASON_parse : PM_REASON_absent);
}

static void nfs_sample(void *state, struct pm_sink *sink)
{
	static const char device[] = "device ";
	struct state *s = state;
	struct mount mount = { 0 };
	const char *text, *end;
	ssize_t n = pm_onefile_read(s->file, sink, &text);

	if (n < 0)
		return;
	end = text + n;
	pm_dynobjects_begin(&s->mounts);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			break;
		if (strncmp(p, device, sizeof device - 1) == 0) {
			end_mount(s, sink, &mount);
			begin_mount(&mount, p, newline);
		} else if (mount.point) {
			take_line(&mount, p, newline);
		}
	}
	/* The later of two mounts at one place hides the earlier one and replaces its values. */
	end_mount(s, sink, &mount);
	pm_dynobjects_end(&s->mounts, sink);
}

static void nfs_close(void *state)
{
	struct state *s = state;

	pm_onefile_close(s->file);
	pm_dynobjects_free(&s->mounts);
	free(s);
}

const struct pm_source pm_source_nfs = {
	.name = "nfs",
	.help = "I/O of each NFS mount",
	.metrics = metrics,
	.metrics_count = COLUMNS,
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = nfs_open,
	.sample = nfs_sample,
	.close = nfs_close,
};
