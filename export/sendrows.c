/* Rows sent to a server. */
#include "config.h"

#include "export/sendrows.h"

#include "common/log.h"
#include "common/settings/config_parse.h"

#include <signal.h>

/* How long a request may take, how long it is sent again, and the bytes of a spool. */
#define TIMEOUT_US  INT64_C(30000000)
#define PATIENCE_US INT64_C(120000000)
#define SPOOL       (INT64_C(1) << 30)

/* The least and the most that waits may be. */
#define LEAST_US INT64_C(100000)
#define MOST_US  INT64_C(86400000000)

int pm_sendrows_usage(const struct pm_cli *cli, struct pm_err *e)
{
	static const enum pm_option with_url[] = {
		PM_OPT_credentials, PM_OPT_ca_file,         PM_OPT_no_check_certificates,
		PM_OPT_spool,       PM_OPT_request_timeout, PM_OPT_patience,
	};

	if (!cli->given[PM_OPT_url])
		for (size_t i = 0; i < sizeof with_url / sizeof with_url[0]; i++)
			if (cli->given[with_url[i]])
				return pm_err(e, "export: --%s is for --url",
					      pm_option_info[with_url[i]].name);
	if (cli->given[PM_OPT_spool_limit] && !cli->given[PM_OPT_spool])
		return pm_err(e, "export: --spool-limit is for --spool");
	if (cli->given[PM_OPT_url] && cli->given[PM_OPT_file])
		return pm_err(e, "export: --url or --file, not both");
	return 0;
}

/* Read an option that is a duration. Returns 0, or -1 with e filled. */
static int read_duration(const struct pm_cli *cli, enum pm_option o, int64_t *us, struct pm_err *e)
{
	if (!cli->value[o])
		return 0;
	if (pm_duration_parse(cli->value[o], us, e) < 0)
		return pm_err_prefix(e, "--%s", pm_option_info[o].name);
	return *us < LEAST_US || *us > MOST_US
		       ? pm_err(e, "--%s: from 100ms to 24h", pm_option_info[o].name)
		       : 0;
}

int pm_sendrows_begin(struct pm_sendrows *s, const struct pm_cli *cli, struct pm_err *e)
{
	const char *limit = cli->value[PM_OPT_spool_limit];

	*s = (struct pm_sendrows){ .ask = { .url = cli->value[PM_OPT_url],
					    .credentials = cli->value[PM_OPT_credentials],
					    .ca_file = cli->value[PM_OPT_ca_file],
					    .unverified =
						    cli->given[PM_OPT_no_check_certificates] > 0,
					    .timeout_us = TIMEOUT_US,
					    .patience_us = PATIENCE_US,
					    .spool = cli->value[PM_OPT_spool],
					    .spool_limit = SPOOL } };
	if (read_duration(cli, PM_OPT_request_timeout, &s->ask.timeout_us, e) < 0 ||
	    read_duration(cli, PM_OPT_patience, &s->ask.patience_us, e) < 0)
		return -1;
	if (limit && pm_size_parse(limit, &s->ask.spool_limit, e) < 0)
		return pm_err_prefix(e, "--spool-limit");
	/* A server that closes the connection is told by libcurl. */
	signal(SIGPIPE, SIG_IGN);
	s->bulk = pm_bulk_new(&s->ask, e);
	return s->bulk ? 0 : -1;
}

int pm_sendrows_end(struct pm_sendrows *s, struct pm_err *e)
{
	struct pm_bulk_result r;

	if (pm_bulk_finish(s->bulk, &r, e) < 0)
		return -1;
	pm_info("%llu documents sent to %s", (unsigned long long)r.taken, s->ask.url);
	if (r.refused > 0 && r.spooled > 0)
		pm_warn("%llu documents are in %s", (unsigned long long)r.spooled, s->ask.spool);
	if (r.refused > 0)
		return pm_err(e, "%s took %llu documents and refused %llu, such as: %s", s->ask.url,
			      (unsigned long long)r.taken, (unsigned long long)r.refused, r.why);
	if (r.spooled > 0)
		return pm_err(
			e, "%llu documents are in %s: the next export with this --spool sends them",
			(unsigned long long)r.spooled, s->ask.spool);
	return 0;
}

void pm_sendrows_free(struct pm_sendrows *s)
{
	pm_bulk_free(s->bulk);
	s->bulk = NULL;
}
