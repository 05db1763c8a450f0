/*
 * Source "tcp": how TCP and UDP of the node's network namespace fare, from /proc/net/snmp and
 * /proc/net/netstat (net/ipv4/proc.c of Linux): pairs of lines, "Tcp: NAME ..." and "Tcp: NUMBER
 * ...".
 */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* X(name, kind, file, group, name there, help); all are numbers. */
#define FIELDS(X) \
	X("retransmits", COUNTER, SNMP, "Tcp", "RetransSegs", "segments sent again") \
	X("tx_segments", COUNTER, SNMP, "Tcp", "OutSegs", "segments sent, without those sent again") \
	X("rx_segments", COUNTER, SNMP, "Tcp", "InSegs", "segments received") \
	X("rx_errors", COUNTER, SNMP, "Tcp", "InErrs", "segments received with errors") \
	X("tx_resets", COUNTER, SNMP, "Tcp", "OutRsts", "connections reset by this node") \
	X("connects", COUNTER, SNMP, "Tcp", "ActiveOpens", "connections begun by this node") \
	X("accepts", COUNTER, SNMP, "Tcp", "PassiveOpens", "connections begun by others") \
	X("failed_connects", COUNTER, SNMP, "Tcp", "AttemptFails", "connections that could not be made") \
	X("connections", GAUGE, SNMP, "Tcp", "CurrEstab", "connections at present") \
	X("timeouts", COUNTER, NETSTAT, "TcpExt", "TCPTimeouts", "segments not acknowledged in time") \
	X("syn_retransmits", COUNTER, NETSTAT, "TcpExt", "TCPSynRetrans", "requests to connect that were sent again") \
	X("listen_overflows", COUNTER, NETSTAT, "TcpExt", "ListenOverflows", "connections refused as the queue of a listener was full") \
	X("listen_drops", COUNTER, NETSTAT, "TcpExt", "ListenDrops", "connections dropped before a listener took them, for any reason") \
	X("backlog_drops", COUNTER, NETSTAT, "TcpExt", "TCPBacklogDrop", "segments dropped as a program was slower than they came") \
	X("memory_pressures", COUNTER, NETSTAT, "TcpExt", "TCPMemoryPressures", "times that TCP ran short of memory") \
	X("udp_rx", COUNTER, SNMP, "Udp", "InDatagrams", "UDP datagrams received") \
	X("udp_tx", COUNTER, SNMP, "Udp", "OutDatagrams", "UDP datagrams sent") \
	X("udp_errors", COUNTER, SNMP, "Udp", "InErrors", "UDP datagrams that could not be handed over") \
	X("udp_buffer_errors", COUNTER, SNMP, "Udp", "RcvbufErrors", "UDP datagrams dropped as a program was slower than they came")

enum { SNMP, NETSTAT, FILES };

static const struct pm_metric metrics[] = {
#define METRIC(name, kind, file, group, key, help) { name, "n", help, NULL, false, PM_METRIC_##kind },
	FIELDS(METRIC)
};

static const struct {
	int file;
	const char *group, *key;
} rows[] = {
#define ROW(name, kind, file, group, key, help) { file, group, key },
	FIELDS(ROW)
};
/* clang-format on */

#define METRICS (sizeof metrics / sizeof metrics[0])

static const char *const paths[FILES] = { "proc/net/snmp", "proc/net/netstat" };

struct state {
	struct pm_procfile file[FILES]; /* path NULL: could not be opened */
	enum pm_reason reason[FILES];
};

/* Take the next word of a line off its front. Returns its length, 0 at the end. */
static size_t next_word(const char **p, const char *newline, const char **word)
{
	while (*p < newline && **p == ' ')
		(*p)++;
	*word = *p;
	while (*p < newline && **p != ' ')
		(*p)++;
	return (size_t)(*p - *word);
}

/* Put the number of a name of a group, if it is a metric. */
static void put_column(struct pm_sink *sink, int file, const char *group, size_t group_n,
		       const char *name, size_t name_n, const char *number, size_t number_n)
{
	for (size_t i = 0; i < METRICS; i++) {
		const char *p = number;
		int64_t value;

		if (rows[i].file != file || strlen(rows[i].group) != group_n ||
		    memcmp(rows[i].group, group, group_n) != 0 || strlen(rows[i].key) != name_n ||
		    memcmp(rows[i].key, name, name_n) != 0)
			continue;
		/* A blank or the newline is behind it. */
		if (pm_procfile_number(&p, number + number_n + 1, &value) == 0 &&
		    p == number + number_n)
			pm_sink_value(sink, (int)i, value);
		else
			pm_sink_unknown(sink, (int)i, PM_REASON_parse);
	}
}

/* Take a pair of lines of a group: names, and their numbers. */
static void take_pair(struct pm_sink *sink, int file, const char *names, const char *names_end,
		      const char *numbers, const char *numbers_end)
{
	const char *colon = memchr(names, ':', (size_t)(names_end - names));
	const size_t n = colon ? (size_t)(colon - names) : 0;
	const char *name, *number;
	size_t name_n, number_n;

	if (!colon || (size_t)(numbers_end - numbers) <= n || memcmp(names, numbers, n + 1) != 0)
		return;
	names += n + 1;
	numbers += n + 1;
	while ((name_n = next_word(&names, names_end, &name)) != 0 &&
	       (number_n = next_word(&numbers, numbers_end, &number)) != 0)
		put_column(sink, file, colon - n, n, name, name_n, number, number_n);
}

/* Parse a file. A last line without a newline was cut. */
static void take_file(struct pm_sink *sink, int file, const char *text, size_t n)
{
	const char *end = text + n, *names_end, *numbers_end;

	for (const char *p = text; p < end; p = numbers_end + 1) {
		names_end = memchr(p, '\n', (size_t)(end - p));
		if (!names_end)
			return;
		numbers_end = memchr(names_end + 1, '\n', (size_t)(end - names_end - 1));
		if (!numbers_end)
			return;
		take_pair(sink, file, p, names_end, names_end + 1, numbers_end);
	}
}

static void put_reason(struct pm_sink *sink, int file, enum pm_reason reason)
{
	for (size_t i = 0; i < METRICS; i++)
		if (rows[i].file == file)
			pm_sink_unknown(sink, (int)i, reason);
}

static void tcp_close(void *state)
{
	struct state *s = state;

	for (int f = 0; f < FILES; f++)
		pm_procfile_close(&s->file[f]);
	free(s);
}

static int tcp_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	int open = 0;

	(void)sink;
	if (!s)
		return pm_source_unavailable(why, "tcp");
	for (int f = FILES - 1; f >= 0; f--) {
		if (pm_procfile_open(&s->file[f], target->root, paths[f]) == 0)
			open++;
		else
			s->reason[f] = pm_reason_errno(errno);
	}
	if (!open) {
		pm_source_unavailable(why, "/proc/net/snmp");
		tcp_close(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void tcp_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	for (int f = 0; f < FILES; f++) {
		const char *text;
		ssize_t n;

		if (!s->file[f].path) {
			put_reason(sink, f, s->reason[f]);
			continue;
		}
		n = pm_procfile_read(&s->file[f], &text);
		/* Kernels differ in the names that they have. */
		put_reason(sink, f, n < 0 ? pm_reason_errno(errno) : PM_REASON_unsupported);
		if (n >= 0)
			take_file(sink, f, text, (size_t)n);
	}
}

const struct pm_source pm_source_tcp = {
	.name = "tcp",
	.help = "retransmits, drops and connections of TCP and UDP",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 1000000,
	.open = tcp_open,
	.sample = tcp_sample,
	.close = tcp_close,
};
