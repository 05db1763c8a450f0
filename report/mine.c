/* The newest jobs of the user who asks. */
#include "config.h"

#include "report/mine.h"

#include <pwd.h>
#include <stdio.h>

void pm_mine_init(struct pm_mine *m, uid_t uid)
{
	struct passwd *pw = getpwuid(uid);

	m->uid = uid;
	if (pw)
		snprintf(m->name, sizeof m->name, "%s", pw->pw_name);
	else
		snprintf(m->name, sizeof m->name, "%lu", (unsigned long)uid);
}

void pm_mine_bind_newest(struct pm_stmt *q, const struct pm_mine *m, int64_t limit)
{
	pm_db_bind_str(q, 1, m->name);
	pm_db_bind_int(q, 2, limit);
	pm_db_bind_int(q, 3, m->uid);
	pm_db_bind_int(q, 4, limit);
	pm_db_bind_int(q, 5, limit);
}
