/* Jobs of the user who asks: those with the user's name, and those without a name and with the uid.
 */
#ifndef PM_REPORT_MINE_H
#define PM_REPORT_MINE_H

#include "common/job/jobidentity.h"
#include "db/db.h"

#include <sys/types.h>

struct pm_mine {
	uid_t uid;
	char name[256]; /* as jobs have it: the login name, else the uid */
};

void pm_mine_init(struct pm_mine *m, uid_t uid);

/* SQL query with five parameters: columns of the newest jobs, the newest first. `columns` have id
 * and start_us. */
#define PM_MINE_NEWEST(columns)                                                                    \
	"SELECT " columns " FROM (SELECT * FROM (SELECT " columns " FROM job WHERE \"user\" = ? "  \
	"ORDER BY " PM_JOBIDENTITY_LATEST " LIMIT ?) a UNION ALL SELECT * FROM (SELECT " columns   \
	" FROM job WHERE \"user\" = '' AND uid = ? ORDER BY " PM_JOBIDENTITY_LATEST                \
	" LIMIT ?) b) c ORDER BY " PM_JOBIDENTITY_LATEST " LIMIT ?"

/* Bind them, from the first parameter on, for so many jobs at most. */
void pm_mine_bind_newest(struct pm_stmt *q, const struct pm_mine *m, int64_t limit);

#endif
