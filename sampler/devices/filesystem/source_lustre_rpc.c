/*
 * Source "lustre_rpc": what a client asks the servers of Lustre for, added up for each mount, from
 * osc/FS-OSTxxxx-osc-INSTANCE/stats and mdc/FS-MDTxxxx-mdc-INSTANCE/stats and md_stats. Slow: a
 * client has files for each of hundreds of servers.
 */
#include "config.h"

#include "sampler/devices/filesystem/lustreset.h"

#include <stdlib.h>

/* clang-format off */
/* X(id, name, unit, line, its name in other versions, part, row of its count, help): of OSTs, ... */
#define OBJECTS(X) \
	X(READ_BYTES, "read_bytes", "B", "read_bytes", NULL, BYTES, 0, "bytes read from object servers") \
	X(WRITE_BYTES, "write_bytes", "B", "write_bytes", NULL, BYTES, 0, "bytes written to object servers") \
	X(READS, "reads", "n", "ost_read", NULL, SAMPLES, 0, "reads asked for") \
	X(WRITES, "writes", "n", "ost_write", NULL, SAMPLES, 0, "writes asked for") \
	X(READ_TIME, "read_time", "us", "ost_read", NULL, TIME, READS, "total time of these reads") \
	X(WRITE_TIME, "write_time", "us", "ost_write", NULL, TIME, WRITES, "total time of these writes") \
	X(OBJECT_REQUESTS, "object_requests", "n", "req_waittime", NULL, SAMPLES, 0, "requests to object servers") \
	X(OBJECT_TIME, "object_time", "us", "req_waittime", NULL, TIME, OBJECT_REQUESTS, "total time of requests to object servers")
/* ... of MDTs, ... */
#define METADATA(X) \
	X(METADATA_REQUESTS, "metadata_requests", "n", "req_waittime", NULL, SAMPLES, 0, "requests to metadata servers") \
	X(METADATA_TIME, "metadata_time", "us", "req_waittime", NULL, TIME, 0, "total time of requests to metadata servers")
/* ... and what the latter were about. */
#define OPERATIONS(X) \
	X(MD_CLOSE, "md_close", "n", "close", NULL, SAMPLES, 0, "metadata: files closed") \
	X(MD_CREATE, "md_create", "n", "create", NULL, SAMPLES, 0, "metadata: files created") \
	X(MD_GETATTR, "md_getattr", "n", "getattr", NULL, SAMPLES, 0, "metadata: attributes read") \
	X(MD_INTENT_LOCK, "md_intent_lock", "n", "intent_lock", NULL, SAMPLES, 0, "metadata: locks to open or look up") \
	X(MD_LINK, "md_link", "n", "link", NULL, SAMPLES, 0, "metadata: hard links made") \
	X(MD_RENAME, "md_rename", "n", "rename", NULL, SAMPLES, 0, "metadata: files renamed") \
	X(MD_SETATTR, "md_setattr", "n", "setattr", NULL, SAMPLES, 0, "metadata: attributes changed") \
	X(MD_FSYNC, "md_fsync", "n", "fsync", NULL, SAMPLES, 0, "metadata: files synced") \
	X(MD_READ_PAGE, "md_read_page", "n", "read_page", "readpage", SAMPLES, 0, "metadata: pages of directories read") \
	X(MD_UNLINK, "md_unlink", "n", "unlink", NULL, SAMPLES, 0, "metadata: files removed")

enum {
#define NUMBER(id, name, unit, line, other, part, count, help) id,
	OBJECTS(NUMBER)
	METADATA(NUMBER)
	OPERATIONS(NUMBER)
	METRICS
};

static const struct pm_metric metrics[METRICS] = {
#define METRIC(id, name, unit, line, other, part, count, help) \
	[id] = { name, unit, help, "mount", true, PM_METRIC_COUNTER },
	OBJECTS(METRIC)
	METADATA(METRIC)
	OPERATIONS(METRIC)
};

#define ROW(id, name, unit, line, other, part, count, help) { line, other, PM_LUSTRESTATS_##part, count },
static const struct pm_lustrestats_row objects[] = { OBJECTS(ROW) };
static const struct pm_lustrestats_row metadata[] = { METADATA(ROW) };
static const struct pm_lustrestats_row operations[] = { OPERATIONS(ROW) };
/* clang-format on */

#define ROWS(table) table, sizeof(table) / sizeof(table)[0]

static const struct pm_lustreset_kind kinds[] = {
	{ "osc", "stats", ROWS(objects), READ_BYTES },
	{ "mdc", "stats", ROWS(metadata), METADATA_REQUESTS },
	{ "mdc", "md_stats", ROWS(operations), MD_CLOSE },
};

static int rpc_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		    struct pm_unavailable *why)
{
	struct pm_lustreset *s = calloc(1, sizeof *s);

	if (!s)
		return pm_source_unavailable(why, "lustre_rpc");
	if (pm_lustreset_open(s, target->root, sink, kinds, sizeof kinds / sizeof kinds[0], false,
			      why) < 0) {
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

static void rpc_sample(void *state, struct pm_sink *sink)
{
	(void)sink;
	pm_lustreset_sample(state);
}

static void rpc_describe(void *state, const struct pm_sink *sink, FILE *out)
{
	pm_lustreset_describe(state, sink, out);
}

static void rpc_close(void *state)
{
	pm_lustreset_close(state);
	free(state);
}

const struct pm_source pm_source_lustre_rpc = {
	.name = "lustre_rpc",
	.help = "requests to the servers of each mount of Lustre",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = 10000000,
	.budget_ppm = 1000,
	.open = rpc_open,
	.sample = rpc_sample,
	.describe = rpc_describe,
	.close = rpc_close,
};
