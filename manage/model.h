/* What the parts of the verb model share. */
#ifndef PM_MANAGE_MODEL_H
#define PM_MANAGE_MODEL_H

#include "common/cli/verb.h"
#include "db/db.h"

/* perfmon model list and show, of an open database. Each returns an exit status, with e filled
 * unless it is PM_EXIT_OK. */
int pm_model_list(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e);
int pm_model_show(const struct pm_cli *cli, struct pm_db *db, struct pm_err *e);

#endif
