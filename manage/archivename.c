/* Names of archives: a folder per cluster, a file per month. */
#include "config.h"

#include "manage/archivename.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Longest folder name; the rest of a longer name of a cluster is replaced by a hash. */
#define FOLDER_MAX  180
#define FOLDER_ROOM (FOLDER_MAX + 18)

/* The folder of jobs without a cluster. The encoded name of none begins like that. */
#define NO_CLUSTER "_"

static bool is_plain(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (!first && (c == '.' || c == '_' || c == '-'));
}

/* Name the folder of a cluster, whose name is any text: letters, digits, and inside also ._- stand
 * for themselves, other bytes are %HH. */
static void name_folder(const char *cluster, char folder[FOLDER_ROOM])
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	bool cut = false;
	size_t n = 0;

	for (const char *p = cluster; *p; p++) {
		unsigned char byte = (unsigned char)*p;
		bool plain = is_plain(*p, p == cluster);

		hash = (hash ^ byte) * 0x100000001b3u;
		cut = cut || n + (plain ? 1 : 3) > FOLDER_MAX;
		if (!cut && plain)
			folder[n++] = *p;
		else if (!cut)
			n += (size_t)snprintf(folder + n, FOLDER_ROOM - n, "%%%02X", byte);
	}
	folder[n] = '\0';
	if (cut)
		snprintf(folder + n, FOLDER_ROOM - n, "~%016llx", (unsigned long long)hash);
	else if (n == 0)
		snprintf(folder, FOLDER_ROOM, NO_CLUSTER);
}

bool pm_archivename_is(const char *name)
{
	const char *slash = strchr(name, '/');
	size_t n = strlen(name);

	if (!slash || slash == name || name[0] == '.' || n >= PM_ARCHIVENAME || n < 5 ||
	    strcmp(name + n - 3, ".db") != 0)
		return false;
	for (const char *p = name; *p; p++)
		if (!is_plain(*p, false) && *p != '%' && *p != '~' && p != slash)
			return false;
	return slash[1] != '.';
}

bool pm_archivename_is_made(const char *name)
{
	const char *file = strchr(name, '/') + 1;
	int n = 0;

	if (strcmp(file, "undated.db") == 0)
		return true;
	return sscanf(file, "%*4[0-9]-%*2[0-9].db%n", &n) == 0 && n == (int)strlen("YYYY-MM.db") &&
	       !file[n];
}

void pm_archivename_make(char name[PM_ARCHIVENAME], const char *cluster, int64_t end_us)
{
	char folder[FOLDER_ROOM];
	time_t end = (time_t)(end_us / 1000000);
	struct tm tm;

	name_folder(cluster, folder);
	/* Times come from records, which may say anything. */
	if (end_us < 0 || !gmtime_r(&end, &tm) || tm.tm_year > 9999 - 1900)
		snprintf(name, PM_ARCHIVENAME, "%s/undated.db", folder);
	else
		snprintf(name, PM_ARCHIVENAME, "%s/%04d-%02d.db", folder, tm.tm_year + 1900,
			 tm.tm_mon + 1);
}
