/* The GPUs of the hosts that `perfmon list hosts` has listed. */
#include "config.h"

#include "report/list/listing.h"

#include "report/print/format.h"
#include "report/print/table.h"
#include "report/rows/hostgpus.h"

#include <stdio.h>

struct gpus {
	const struct pm_page *page;
	const struct pm_list_ask *ask;
	struct pm_table table;
	bool any;
};

static const struct pm_table_column column[] = {
	{ "Host", false, 8, 0 },   { "GPU", false, 12, 0 },        { "Address", false, 0, 0 },
	{ "Memory", true, 0, -1 }, { "Power limit", true, 0, -1 }, { "Driver", false, 0, 2 },
	{ "State", false, 0, -1 }, { "UUID", false, 0, 1 },
};

/* A cell of a text, "unknown" without one. */
static void cell_text(struct pm_table *t, const char *text)
{
	pm_table_cell(t, *text ? text : "unknown");
}

static int add_host(void *ctx, int64_t host, const char *hostname, const struct pm_gpu *gpu,
		    size_t n, struct pm_err *e)
{
	struct gpus *l = ctx;
	char text[2 * PM_GPU_TEXT];

	(void)e;
	/* Hosts are numbered in the order of their rows. */
	if (host <= l->ask->offset || host - l->ask->offset > l->ask->limit)
		return 0;
	if (!l->any) {
		fputc('\n', l->page->f);
		pm_table_init(&l->table, l->page, column, sizeof column / sizeof column[0], 0);
	}
	l->any = true;
	for (size_t i = 0; i < n; i++) {
		const struct pm_gpu *g = &gpu[i];

		cell_text(&l->table, hostname);
		cell_text(&l->table, g->name);
		cell_text(&l->table, g->address);
		pm_table_cell(&l->table,
			      g->memory_bytes < 0 ? "" : pm_format_bytes(text, g->memory_bytes));
		pm_table_cell(&l->table, g->power_limit_uw < 0
						 ? ""
						 : pm_format_power(text, g->power_limit_uw));
		snprintf(text, sizeof text, "%s%s%s", g->driver, *g->driver_version ? " " : "",
			 g->driver_version);
		cell_text(&l->table, text);
		pm_table_cell(&l->table, g->state);
		pm_table_cell(&l->table, g->uuid);
	}
	return 0;
}

int pm_list_gpus(const struct pm_page *p, struct pm_db *db, const struct pm_list_ask *ask,
		 struct pm_err *e)
{
	struct gpus l = { .page = p, .ask = ask };
	int rc = pm_query_hostgpus(db, ask->job, p->utf8, add_host, &l, e);

	if (rc < 0 && l.any)
		pm_table_discard(&l.table);
	else if (l.any && pm_table_finish(&l.table) < 0)
		rc = pm_err(e, "print a table: out of memory");
	return rc;
}
