/* Wait for other processes that hold an SQLite database. */
#include "config.h"

#include "db/sqlite/handle.h"

#include "db/sqlite/lock.h"
#include "db/waiting.h"

#include <stdio.h>
#include <unistd.h>

static void report_waiting(const struct pm_sqlite *s)
{
	long pid = pm_sqlite_lock_holder(s->head.name);
	char who[48] = "another process";

	if (pid > 0)
		snprintf(who, sizeof who, "process %ld", pid);
	pm_waiting_tell(s->head.name, who, s->patience_ms);
}

/* SQLite's busy handler, called repeatedly: `calls` times so far for this lock. */
static int wait_a_little(void *arg, int calls)
{
	struct pm_sqlite *s = arg;
	int ms = calls < 10 ? 1 + 2 * calls : calls < 50 ? 20 : 100, before = s->waited_ms;

	if (calls == 0)
		before = s->waited_ms = 0;
	if (s->waited_ms >= s->patience_ms)
		return 0;
	usleep((useconds_t)ms * 1000);
	s->waited_ms += ms;
	/* Report again each time the waiting time has doubled. */
	for (int at = PM_WAITING_TELL_MS; at <= s->waited_ms; at *= 2)
		if (before < at)
			report_waiting(s);
	return 1;
}

void pm_sqlite_wait(struct pm_db *db, int ms)
{
	struct pm_sqlite *s = pm_sqlite_of(db);

	s->patience_ms = ms;
	sqlite3_busy_handler(s->handle, wait_a_little, s);
}
