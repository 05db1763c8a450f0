/* The layout perf.py: the reports of each node in one JSON file. */
#include "config.h"

#include "export/layout.h"

#include "export/layout/grid.h"
#include "export/layout/hosts.h"
#include "export/layout/jsontext.h"
#include "export/target.h"

#include <stdio.h>

/* The sources whose ticks are reports. */
#define SOURCES "cpu memory disk network filesystem netfs"

#define MIB 1048576

#define BUSY "cpu.user cpu.nice cpu.system cpu.irq cpu.softirq cpu.steal / cpu.idle cpu.iowait"
#define EACH                                                                                       \
	"cpu.user:* cpu.nice:* cpu.system:* cpu.irq:* cpu.softirq:* cpu.steal:* / cpu.idle:* "     \
	"cpu.iowait:*"

/* The members of a report beside its time, in the order of perf.py. On a node of many CPUs the
 * sampler itself says which was the idlest and which the busiest, in hundredths of a percent. */
static const struct member {
	const char *name;
	struct pm_grid_column is;
} members[] = {
	{ "cpu_pct_per_cpu_avg", { .kind = PM_GRID_BUSY, .divisor = 1, .terms = BUSY } },
	{ "cpu_pct_per_cpu_min",
	  { .kind = PM_GRID_LEAST, .divisor = 100, .terms = EACH "|cpu.idlest" } },
	{ "cpu_pct_per_cpu_max",
	  { .kind = PM_GRID_MOST, .divisor = 100, .terms = EACH "|cpu.busiest" } },
	{ "mem_percent",
	  { .kind = PM_GRID_RATIO, .divisor = 1, .terms = "memory.used / memory.total" } },
	{ "disk_usage_percent",
	  { .kind = PM_GRID_PART,
	    .divisor = 1,
	    .terms = "filesystem.used:/ / filesystem.available:/|netfs.used:/ / "
		     "netfs.available:/" } },
	{ "disk_io_read_mb", { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "disk.read_bytes" } },
	{ "disk_io_write_mb",
	  { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "disk.write_bytes" } },
	{ "net_io_lo_sent_mb",
	  { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "network.tx_bytes:lo" } },
	{ "net_io_ext_sent_mb",
	  { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "network.tx_bytes" } },
	{ "net_io_lo_recv_mb",
	  { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "network.rx_bytes:lo" } },
	{ "net_io_ext_recv_mb",
	  { .kind = PM_GRID_SUM, .divisor = MIB, .terms = "network.rx_bytes" } },
};

#define MEMBERS (sizeof members / sizeof members[0])

static void put_report(FILE *f, int64_t time_us, const struct pm_export_value *value)
{
	fputs("{", f);
	for (size_t i = 0; i < MEMBERS; i++) {
		fprintf(f, "\"%s\": ", members[i].name);
		pm_jsontext_number(f, &value[i]);
		fputs(", ", f);
	}
	fputs("\"timestamp\": ", f);
	pm_jsontext_time(f, time_us);
	fputs("}", f);
}

/* Write the reports of a host; none where it has no samples. Returns 0, or -1 with e filled. */
static int write_host(FILE *f, struct pm_layout_ask *a, const struct pm_hosts_host *host,
		      const char **between, struct pm_err *e)
{
	struct pm_grid *g = pm_grid_new(a->db, a->job, host->id, e);
	const struct pm_grid_series *ticks = g ? pm_grid_ticks(g, SOURCES, NULL) : NULL;
	struct pm_grid_column column[MEMBERS];
	const struct pm_export_value *value;
	const char *comma = "\n";
	int64_t time_us;
	int rc = g ? 0 : -1;

	for (size_t i = 0; i < MEMBERS; i++)
		column[i] = members[i].is;
	if (ticks) {
		fputs(*between, f);
		*between = ",\n";
		pm_jsontext_put(f, host->name);
		fputs(": [", f);
		rc = pm_grid_begin(g, ticks, column, MEMBERS, e);
		while (rc >= 0 && (rc = pm_grid_next(g, &time_us, &value, e)) > 0) {
			fputs(comma, f);
			put_report(f, time_us, value);
			comma = ",\n";
		}
		fputs("]", f);
	}
	if (g)
		a->damaged += pm_grid_damaged(g, &a->damage);
	pm_grid_free(g);
	return rc;
}

static int write_perfpy(struct pm_layout_ask *a, struct pm_err *e)
{
	struct pm_export_target t;
	const char *between = "\n";
	struct pm_hosts hosts;
	int rc = pm_hosts_read(&hosts, a->db, a->job, "", e);

	if (rc == 0)
		rc = pm_export_target_open(&t, a->path, false, a->read, a->reads, e);
	if (rc == 0) {
		fputs("{", t.f);
		for (size_t i = 0; rc == 0 && i < hosts.n; i++)
			rc = write_host(t.f, a, &hosts.host[i], &between, e);
		fputs("\n}\n", t.f);
		if (rc == 0)
			rc = pm_export_target_commit(&t, e);
		pm_export_target_abandon(&t);
	}
	pm_hosts_free(&hosts);
	return rc;
}

const struct pm_layout pm_layout_perfpy = {
	.name = "perf.py", .kind = "samples", .names = "", .tables = "", .write = write_perfpy
};
