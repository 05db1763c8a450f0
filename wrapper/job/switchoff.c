/* Switch recording off without a change of the batch system's configuration. */
#include "config.h"

#include "wrapper/job/switchoff.h"

#include "common/bootid.h"
#include "common/safe/pattern.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/job.h"
#include "wrapper/node/host.h"

#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The value of the setting fraction that means all jobs (a FRACTION, config.h). */
#define WHOLE 1000000

static bool is_listed(enum pm_setting list, const char *text)
{
	const char *patterns = pm_config_get(list);

	return *patterns && text && *text &&
	       pm_pattern_match(patterns, text, strlen(text), 0) == PM_PATTERN_HIT;
}

static bool user_is_listed(void)
{
	struct passwd *pw;
	char number[32];

	if (!*pm_config_get(PM_SET_off_users))
		return false;
	snprintf(number, sizeof number, "%lu", (unsigned long)geteuid());
	pw = getpwuid(geteuid());
	return is_listed(PM_SET_off_users, number) ||
	       (pw && is_listed(PM_SET_off_users, pw->pw_name));
}

/* Continue an FNV-1a hash over a text and its NUL, so that "a","bc" and "ab","c" differ. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	while (*text++);
	return hash;
}

/* A job's number from 0 to WHOLE - 1, evenly spread over jobs by the finalizer of splitmix64
 * (Steele, Lea, Flood 2014). */
static int64_t lot_of(const char *cluster, const char *job)
{
	uint64_t x = add_text(add_text(0xcbf29ce484222325, cluster ? cluster : ""), job);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	return (int64_t)(x % WHOLE);
}

/* Whether the setting fraction leaves a job out. Decides by the job's id; without a batch system,
 * where start makes the id, by the session. */
static bool is_left_out(const struct pm_ident *id, const char *name)
{
	int64_t fraction = pm_config_int(PM_SET_fraction);
	char boot[64], session[128];

	if (fraction >= WHOLE)
		return false;
	if (!*name) {
		pm_bootid_read(boot);
		snprintf(session, sizeof session, "%s:%ld:%" PRId64, boot, (long)getsid(0),
			 pm_host_starttime(getsid(0)));
		name = session;
	}
	return lot_of(id->cluster, name) >= fraction;
}

/* Whether a setting depends on the job. If not, we save identifying the job, which reads our
 * ancestors. */
static bool depends_on_job(void)
{
	return *pm_config_get(PM_SET_off_accounts) || *pm_config_get(PM_SET_off_partitions) ||
	       pm_config_int(PM_SET_fraction) < WHOLE;
}

bool pm_switchoff_is(const struct pm_cli *cli, char why[256])
{
	/* The user may name a further off file, but cannot disable the administrator's. */
	const char *own = pm_config_get(PM_SET_off_file);
	const char *file = pm_config_of_site(PM_SET_off_file);
	const struct pm_sched *sched;
	char name[PM_JOB_NAME_MAX], path[PATH_MAX];
	struct pm_ident id;
	struct pm_err e;

	if (strcmp(pm_config_get(PM_SET_recording), "off") == 0) {
		snprintf(why, 256, "recording is switched off by %.200s",
			 pm_config_origin(PM_SET_recording));
	} else if (*file && access(file, F_OK) == 0) {
		snprintf(why, 256, "%.240s exists", file);
	} else if (*own && access(own, F_OK) == 0) {
		snprintf(why, 256, "%.240s exists", own);
	} else if (pm_config_user_file("off", path, sizeof path) == 0 && access(path, F_OK) == 0) {
		snprintf(why, 256, "%.240s exists", path);
	} else if (user_is_listed()) {
		snprintf(why, 256, "the user is in off_users");
	} else if (!depends_on_job()) {
		return false;
	} else if (pm_job_identify(cli, &id, &sched, name, &e) < 0) {
		return false; /* the verb will say what is wrong */
	} else if (is_listed(PM_SET_off_accounts, id.account)) {
		snprintf(why, 256, "account %.200s is in off_accounts", id.account);
	} else if (is_listed(PM_SET_off_partitions, id.queue)) {
		snprintf(why, 256, "partition %.200s is in off_partitions", id.queue);
	} else if (is_left_out(&id, name)) {
		snprintf(why, 256, "the setting fraction did not select this job");
	} else {
		return false;
	}
	return true;
}
