/* Rows sent to a server, as the command line says. */
#ifndef PM_EXPORT_SENDROWS_H
#define PM_EXPORT_SENDROWS_H

#include "export/bulk/bulk.h"

#include "common/cli/verb.h"
#include "common/err.h"

struct pm_sendrows {
	struct pm_bulk_ask ask;
	struct pm_bulk *bulk; /* NULL: nothing is sent */
};

/* Check the options that are about sending. Returns 0, or -1 with e filled. */
int pm_sendrows_usage(const struct pm_cli *cli, struct pm_err *e);

/* Begin, with what the spool has from before. Returns 0, or -1 with e filled. To be freed in either
 * case. */
int pm_sendrows_begin(struct pm_sendrows *s, const struct pm_cli *cli, struct pm_err *e);

/* Send what is left, and say what became of all. Returns 0, or -1 with e filled: documents were
 * refused, or are in the spool, too. */
int pm_sendrows_end(struct pm_sendrows *s, struct pm_err *e);
void pm_sendrows_free(struct pm_sendrows *s);

#endif
