/* SQLSTATE to errno. Codes: PostgreSQL's manual, appendix A. */
#include "config.h"

#include "db/postgres/sqlstate.h"

#include <errno.h>
#include <string.h>

/* The first row whose prefix matches a code counts. */
static const struct {
	const char *prefix;
	int error;
} row[] = {
	{ "25006", EROFS },     /* read_only_sql_transaction */
	{ "42501", EACCES },    /* insufficient_privilege */
	{ "2BP01", ENOTEMPTY }, /* dependent_objects_still_exist */
	{ "40", EBUSY },        /* serialization_failure, deadlock_detected */
	{ "53100", ENOSPC },    /* disk_full */
	{ "53200", ENOMEM },    /* out_of_memory */
	{ "53", EBUSY },        /* too_many_connections and other resources */
	{ "55P03", EBUSY },     /* lock_not_available */
	{ "57014", ECANCELED }, /* query_canceled */
	{ "08", ECONNRESET },   /* connection exception */
	{ "57P", ECONNRESET },  /* the server stops, stopped or starts */
	{ "22", EINVAL },       /* data exception */
	{ "23", EINVAL },       /* integrity constraint violation */
	{ "54", EINVAL },       /* beyond a limit: too long for an index, too many columns */
};

int pm_sqlstate_errno(const char *state)
{
	for (size_t i = 0; state && i < sizeof row / sizeof row[0]; i++)
		if (strncmp(state, row[i].prefix, strlen(row[i].prefix)) == 0)
			return row[i].error;
	return EIO;
}
