/* perfmon migrate --check: whether a database can be upgraded, in what time and room. */
#include "config.h"

#include "manage/migrate_check.h"

#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "db/migrate.h"
#include "db/migrate_estimate.h"
#include "db/usage.h"
#include "report/print/format.h"
#include "report/print/options.h"
#include "report/print/values.h"
#include "sql/schema.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What keeps a database from being upgraded, at most. */
#define PROBLEMS_MAX 3

struct outlook {
	int from;
	struct pm_migrate_estimate is;
	int64_t needed;   /* bytes at most while it is upgraded, beside those of the database */
	int64_t room;     /* bytes free where the database is, or PM_UNKNOWN */
	char place[4096]; /* its directory, or "" for one on a server */
	struct pm_err problem[PROBLEMS_MAX];
	int problems;
};

static void look_at_place(struct outlook *o, const char *setting)
{
	struct pm_err e;
	char *named = pm_db_is_served(setting) ? NULL : pm_db_path(setting, &e), *slash;
	/* Where it is a link, SQLite's log is beside the file. */
	char *path = named ? realpath(named, NULL) : NULL;
	struct statvfs fs;

	free(named);
	if (!path)
		return;
	if (access(path, W_OK) < 0)
		pm_err(&o->problem[o->problems++], "%s: %s", path, strerror(errno));
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	snprintf(o->place, sizeof o->place, "%s", slash == path ? "/" : path);
	free(path);
	if (o->problems == 0 && access(o->place, W_OK | X_OK) < 0)
		pm_err(&o->problem[o->problems++], "%s: %s", o->place, strerror(errno));
	if (statvfs(o->place, &fs) == 0)
		o->room =
			(int64_t)(geteuid() == 0 ? fs.f_bfree : fs.f_bavail) * (int64_t)fs.f_frsize;
}

/* Whatever an estimate leaves out, and pages that are filled in part. */
#define SPARE ((int64_t)1 << 20)

static void look_at_rows(struct outlook *o)
{
	const struct pm_migrate_estimate *is = &o->is;
	int64_t unused = is->unused == PM_USAGE_UNKNOWN ? 0 : is->unused;
	char needed[PM_FORMAT_MAX], room[PM_FORMAT_MAX];

	o->needed = is->added + is->changed + SPARE;
	/* SQLite's log has a copy of all that is written until that is in the database, too, where
	 * pages are free for a part of it. */
	if (o->place[0])
		o->needed += is->added > unused ? is->added - unused : 0;
	if (is->dangling)
		o->problem[o->problems++] = is->fault;
	if (o->room != PM_UNKNOWN && o->room < o->needed)
		pm_err(&o->problem[o->problems++],
		       "%s: room for %s is needed, %s are free; --db with a copy elsewhere will do",
		       o->place, pm_format_bytes(needed, o->needed),
		       pm_format_bytes(room, o->room));
}

static void print_text(const struct outlook *o, const char *name)
{
	char needed[PM_FORMAT_MAX], room[PM_FORMAT_MAX], time[PM_FORMAT_MAX];

	for (const struct pm_migrate_step *s = pm_migrate_steps(); s->from; s++)
		if (s->from >= o->from)
			printf("version %d to %d: %s\n", s->from, s->from + 1, s->about);
	if (o->from < PM_SCHEMA_VERSION) {
		printf("room: up to %s more", pm_format_bytes(needed, o->needed));
		if (o->room != PM_UNKNOWN)
			pm_terminal_print(stdout, "; %s are free in %s",
					  pm_format_bytes(room, o->room), o->place);
		printf("\ntime: some %s, in which jobs wait to be loaded\n",
		       pm_format_duration(time, o->is.us));
	}
	pm_terminal_print(stdout, "database %s: schema version %d ", name, o->from);
	if (o->from == PM_SCHEMA_VERSION)
		puts("is current: nothing to do");
	else
		printf("can%s be upgraded to %d\n", o->problems ? "not" : "", PM_SCHEMA_VERSION);
}

static json_t *pack_bytes(int64_t n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static int print_json(const struct outlook *o, const char *name, struct pm_err *e)
{
	json_t *steps = json_array(), *problems = json_array(), *all;
	int rc;

	for (const struct pm_migrate_step *s = pm_migrate_steps(); s->from; s++)
		if (s->from >= o->from)
			json_array_append_new(steps,
					      json_pack("{s:i, s:i, s:s}", "from", s->from, "to",
							s->from + 1, "about", s->about));
	for (int i = 0; i < o->problems; i++)
		json_array_append_new(problems, pm_values_safe(o->problem[i].text));
	all = json_pack("{s:o, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:f, s:I, s:o}", "database",
			pm_values_safe(name), "from", o->from, "to", PM_SCHEMA_VERSION, "possible",
			o->problems == 0, "steps", steps, "bytes", pack_bytes(o->is.bytes),
			"needed_bytes", pack_bytes(o->needed), "free_bytes", pack_bytes(o->room),
			"seconds", (double)o->is.us / 1e6, "dangling_rows",
			(json_int_t)o->is.dangling, "problems", problems);
	if (!all)
		return pm_err(e, "out of memory");
	rc = json_dumpf(all, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) == 0 &&
			     putchar('\n') != EOF
		     ? 0
		     : pm_err(e, "write: %m");
	json_decref(all);
	return rc;
}

int pm_migrate_check(struct pm_db *db, const char *setting, bool json, struct pm_err *e)
{
	struct outlook o = { .from = pm_migrate_run(db, true, NULL, NULL, e),
			     .is.bytes = PM_USAGE_UNKNOWN,
			     .room = PM_UNKNOWN };

	if (o.from < 0)
		return -1;
	if (o.from < PM_SCHEMA_VERSION) {
		look_at_place(&o, setting);
		if (pm_migrate_estimate(db, &o.is, e) < 0)
			return -1;
		look_at_rows(&o);
	}
	if (json) {
		if (print_json(&o, pm_db_name(db), e) < 0)
			return -1;
	} else {
		print_text(&o, pm_db_name(db));
	}
	if (pm_options_flush(e) < 0)
		return -1;
	for (int i = 0; i < o.problems; i++)
		pm_error("%s", o.problem[i].text);
	return o.problems ? 1 : 0;
}
