/* Local times in time zones, which may be unknown to this system. */
#include "config.h"

#include "submit/foreign/localtime.h"

#include "common/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool pm_localtime_is_zone(const char *zone)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";

	return zone && zone[0] && zone[0] != '/' && strlen(zone) < 64 &&
	       zone[strspn(zone, allowed)] == '\0';
}

/*
 * The value of TZ for a time zone. The C library silently takes an unknown zone for UTC; small
 * systems have no zones, and Debian 13 keeps those of EPMT's home, such as US/Eastern, in a
 * separate package: these are given as POSIX rules (in force since 2007). NULL for an unknown zone,
 * with a warning the first time.
 */
static const char *zone_of(const char *zone)
{
	static const char eastern[] = "EST5EDT,M3.2.0,M11.1.0",
			  central[] = "CST6CDT,M3.2.0,M11.1.0",
			  mountain[] = "MST7MDT,M3.2.0,M11.1.0",
			  pacific[] = "PST8PDT,M3.2.0,M11.1.0", utc[] = "UTC0";
	static const char *const rule[][2] = {
		{ "US/Eastern", eastern },
		{ "America/New_York", eastern },
		{ "EST5EDT", eastern },
		{ "US/Central", central },
		{ "America/Chicago", central },
		{ "CST6CDT", central },
		{ "US/Mountain", mountain },
		{ "America/Denver", mountain },
		{ "MST7MDT", mountain },
		{ "US/Pacific", pacific },
		{ "America/Los_Angeles", pacific },
		{ "PST8PDT", pacific },
		{ "EST", "EST5" },
		{ "MST", "MST7" },
		{ "HST", "HST10" },
		{ "UTC", utc },
		{ "GMT", utc },
		{ "Etc/UTC", utc },
	};
	static bool said;
	const char *dir = getenv("TZDIR");
	char path[512];

	snprintf(path, sizeof path, "%s/%s", dir ? dir : "/usr/share/zoneinfo", zone);
	if (access(path, R_OK) == 0)
		return zone;
	for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++)
		if (strcmp(zone, rule[i][0]) == 0)
			return rule[i][1];
	/* The zone is a POSIX rule itself. */
	if (!strchr(zone, '/') && strpbrk(zone, "0123456789"))
		return zone;
	if (!said)
		pm_warn("the time zone %s is unknown on this host (Debian: tzdata, tzdata-legacy): "
			"its times are read as UTC",
			zone);
	said = true;
	return NULL;
}

int64_t pm_localtime_utc(int64_t clock_us, const char *zone)
{
	int64_t part = clock_us % 1000000, result = clock_us;
	time_t seconds = (time_t)(clock_us / 1000000);
	const char *have = getenv("TZ");
	char *before = have ? strdup(have) : NULL;
	struct tm tm;

	if (have && !before)
		return clock_us;
	if (zone && !(zone = zone_of(zone)))
		zone = "UTC0";
	if (zone) {
		setenv("TZ", zone, 1);
		tzset();
	}
	if (gmtime_r(&seconds, &tm)) {
		tm.tm_isdst = -1;
		seconds = mktime(&tm);
		if (seconds != (time_t)-1)
			result = (int64_t)seconds * 1000000 + part;
	}
	if (zone) {
		if (before)
			setenv("TZ", before, 1);
		else
			unsetenv("TZ");
		tzset();
	}
	free(before);
	return result;
}
