/* Open connections for work on many jobs. */
#include "config.h"

#include "report/connections.h"

#include "common/settings/readconfig.h"

/* Connections to a server, which has others to serve. */
#define SERVED_MOST 4

void pm_connections_open(struct pm_connections *c, struct pm_db *db, size_t jobs)
{
	const char *setting = pm_config_get(PM_SET_db);
	const size_t most = pm_db_is_served(setting) ? SERVED_MOST : PM_EACHJOB_MOST;
	const size_t n = pm_eachjob_connections(jobs, most);
	struct pm_err ignored;

	c->db[0] = db;
	c->count = 1;
	while (c->count < n && pm_db_open(&c->db[c->count], setting, PM_DB_READ, &ignored) == 0)
		c->count++;
}

void pm_connections_close(struct pm_connections *c)
{
	while (c->count > 1)
		pm_db_close(c->db[--c->count]);
}
