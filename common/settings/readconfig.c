/* Settings: read the values of config.def from files, environment and command line. */
#include "config.h"

#include "common/settings/readconfig.h"

#include "common/edits.h"
#include "common/log.h"
#include "common/nomem.h"
#include "common/safe/variables.h"
#include "common/settings/config_parse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Source of a value; a higher level wins. */
enum level { LEVEL_DEFAULT, LEVEL_SYSTEM, LEVEL_USER, LEVEL_ENVIRONMENT, LEVEL_COMMAND_LINE };

/* Longest line of a configuration file, in bytes. */
#define LINE_MAX_BYTES 65536

/* A variable counts as a misspelt setting within MISSPELT_EDITS edits, and one edit per
 * LETTERS_AN_EDIT letters. */
#define MISSPELT_EDITS  2
#define LETTERS_AN_EDIT 4

/* Largest configuration file that is read. */
#define FILE_MAX_BYTES (1 << 20)

extern char **environ;

/* Settings of this program: filled at first use, changed by loads and sets, never freed. */
static struct {
	bool ready;
	struct {
		enum level level;
		char *value;  /* checked and expanded */
		char *site;   /* the system file's value (or default) where a higher level overrides
			       * it; else NULL */
		char *origin; /* for people */
	} set[PM_SETTINGS];
	char **problem; /* what the last load skipped, for people */
	size_t problems;
} state;

static char *copy_text(const char *s)
{
	char *p = strdup(s);

	if (!p)
		pm_nomem();
	return p;
}

/* Warn of a skipped line or variable, and keep the text for pm_config_problem(). */
__attribute__((format(printf, 1, 2))) static void report_problem(const char *fmt, ...)
{
	char text[1024], **list;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	pm_warn("%s", text);
	list = realloc(state.problem, (state.problems + 1) * sizeof *list);
	if (!list)
		pm_nomem();
	state.problem = list;
	list[state.problems++] = copy_text(text);
}

const char *pm_config_problem(size_t i)
{
	return i < state.problems ? state.problem[i] : NULL;
}

static void store_value(enum pm_setting s, enum level level, char *value, const char *origin)
{
	if (state.set[s].level <= LEVEL_SYSTEM && level > LEVEL_SYSTEM && !state.set[s].site)
		state.set[s].site = state.set[s].value;
	else
		free(state.set[s].value);
	free(state.set[s].origin);
	state.set[s].level = level;
	state.set[s].value = value;
	state.set[s].origin = copy_text(origin);
}

static void set_defaults(void)
{
	if (state.ready)
		return;
	state.ready = true;
	for (int s = 0; s < PM_SETTINGS; s++)
		store_value(s, LEVEL_DEFAULT, copy_text(pm_setting_info[s].def), "default");
}

/* Check, expand and store a value unless one of a higher level is set. Returns 0 or -1. */
static int offer_value(enum pm_setting s, enum level level, const char *text, const char *origin,
		       struct pm_err *e)
{
	char *value;

	set_defaults();
	if (pm_config_check(s, text, &value, e) < 0)
		return -1;
	if (level >= state.set[s].level) {
		store_value(s, level, value, origin);
	} else if (level == LEVEL_SYSTEM) {
		/* A value of a higher level was set before the system file was read: keep the
		 * file's value apart. */
		free(state.set[s].site);
		state.set[s].site = value;
	} else {
		free(value);
	}
	return 0;
}

int pm_config_set(enum pm_setting s, const char *value, struct pm_err *e)
{
	/* A wrong URL from a file or the environment is kept, so that the verb refuses it: if it
	 * were ignored, the default database would be used instead. */
	if ((pm_setting_info[s].type == PM_TYPE_DATABASE && pm_database_check(value, e) < 0) ||
	    offer_value(s, LEVEL_COMMAND_LINE, value, "command line", e) < 0)
		return pm_err_prefix(e, "--%s", pm_setting_info[s].option);
	return 0;
}

const char *pm_config_get(enum pm_setting s)
{
	set_defaults();
	return state.set[s].value;
}

const char *pm_config_origin(enum pm_setting s)
{
	set_defaults();
	return state.set[s].origin;
}

bool pm_config_is_given(enum pm_setting s)
{
	set_defaults();
	return state.set[s].level == LEVEL_COMMAND_LINE;
}

const char *pm_config_of_site(enum pm_setting s)
{
	set_defaults();
	return state.set[s].site ? state.set[s].site : state.set[s].value;
}

int64_t pm_config_int(enum pm_setting s)
{
	int64_t v = 0;

	/* The value was checked when it was stored. */
	pm_config_number(s, pm_config_get(s), &v, NULL);
	return v;
}

static int find_setting(const char *name, size_t len)
{
	for (int s = 0; s < PM_SETTINGS; s++)
		if (strlen(pm_setting_info[s].name) == len &&
		    memcmp(pm_setting_info[s].name, name, len) == 0)
			return s;
	return -1;
}

/* Apply one line of a file. Returns 0, or -1 with e filled. */
static int take_line(char *line, enum level level, const char *origin, struct pm_err *e)
{
	struct pm_config_line l;
	int s;

	if (pm_config_split(line, &l, e) < 0)
		return -1;
	if (!l.name)
		return 0;
	s = find_setting(l.name, strlen(l.name));
	if (s < 0)
		return pm_err(e, "unknown setting '%s'", l.name);
	if (offer_value((enum pm_setting)s, level, l.value, origin, e) < 0)
		return pm_err_prefix(e, "%s", l.name);
	return 0;
}

/* Whether a settings file can be trusted. The system file belongs to the account that installed
 * perfmon; it must not be world-writable. */
static bool is_trusted(const struct stat *st, enum level level)
{
	if (level == LEVEL_SYSTEM)
		return !(st->st_mode & S_IWOTH);
	return (st->st_uid == geteuid() || st->st_uid == 0) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/*
 * Open a settings file. Users choose their own file and root may read it on their behalf, so it
 * must be a regular file: no endless device, no pipe that waits for a writer. No other user may be
 * able to write to a user's file, since settings name commands to run and libraries to load.
 * Returns NULL with errno set: ENOENT if the file is missing or a link to /dev/null; EPERM if
 * another user controls it.
 */
static FILE *open_file(const char *path, enum level level)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st = { 0 };
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX_BYTES) {
		if (is_trusted(&st, level))
			f = fdopen(fd, "r");
		else
			errno = EPERM;
		if (!f)
			close(fd);
		return f;
	}
	close(fd);
	/* Some users disable a file by linking it to /dev/null. */
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
		errno = ENOENT;
	else
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
	return NULL;
}

static const char *why_not(int error)
{
	if (error == EINVAL)
		return "not a regular file";
	if (error == EPERM)
		return "another user owns or can write to this file: use chown or chmod go-w";
	return strerror(error);
}

static int load_file(const char *path, enum level level)
{
	FILE *f = open_file(path, level);
	char *line, origin[PATH_MAX + 32];
	int number = 0, skipped = 0;
	struct pm_err e;

	if (!f) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		report_problem("%s: %s; ignored", path, why_not(errno));
		return 1;
	}
	line = malloc(LINE_MAX_BYTES);
	if (!line)
		pm_nomem();
	while (fgets(line, LINE_MAX_BYTES, f)) {
		number++;
		snprintf(origin, sizeof origin, "%s:%d", path, number);
		if (take_line(line, level, origin, &e) == 0)
			continue;
		report_problem("%s: %s; ignored", origin, e.text);
		skipped++;
	}
	if (ferror(f)) {
		report_problem("%s: %s", path, strerror(errno));
		skipped++;
	}
	free(line);
	fclose(f);
	return skipped;
}

int pm_config_user_file(const char *name, char *path, size_t size)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	/* A set-user-ID program must ignore its caller's files and environment. */
	if (getauxval(AT_SECURE))
		return -1;
	if (dir && dir[0] == '/')
		n = snprintf(path, size, "%s/perfmon/%s", dir, name);
	else if (home && home[0] == '/')
		n = snprintf(path, size, "%s/.config/perfmon/%s", home, name);
	else
		return -1;
	return n < (int)size ? 0 : -1;
}

static int load_user_file(void)
{
	char path[PATH_MAX];

	if (pm_config_user_file("perfmon.conf", path, sizeof path) < 0)
		return 0;
	return load_file(path, LEVEL_USER);
}

/* Read one environment variable. Returns 1 when it was set but unusable, 0 otherwise; *set tells
 * whether it provided a value. */
static int take_variable(enum pm_setting s, const char *name, bool *set)
{
	const char *text = getenv(name);
	char origin[128];
	struct pm_err e;

	/* Scripts clear a variable by setting it to ""; only for text settings is "" a value. */
	*set = text && (*text || pm_setting_info[s].type == PM_TYPE_STRING);
	if (!*set)
		return 0;
	snprintf(origin, sizeof origin, "environment %s", name);
	if (offer_value(s, LEVEL_ENVIRONMENT, text, origin, &e) == 0)
		return 0;
	report_problem("%s: %s; ignored", origin, e.text);
	return 1;
}

static int load_environment(enum pm_setting s)
{
	const char *alias = pm_setting_info[s].aliases;
	int skipped;
	bool set;

	skipped = take_variable(s, pm_setting_info[s].env, &set);
	while (!set && *alias) {
		size_t len = strcspn(alias, " ");
		char name[64];

		if (len < sizeof name) {
			memcpy(name, alias, len);
			name[len] = '\0';
			skipped += take_variable(s, name, &set);
		}
		alias += len + (alias[len] == ' ');
	}
	return skipped;
}

/* Compose PERFMON_DB from EPMT's variables, which name the parts of a database URL. */
static int load_epmt_db(void)
{
	struct pm_err e;
	char url[4096];
	int n;

	if (getenv(pm_setting_info[PM_SET_db].env))
		return 0;
	n = pm_config_epmt_db(url, sizeof url, &e);
	if (n == 0)
		return 0;
	if (n > 0 &&
	    offer_value(PM_SET_db, LEVEL_ENVIRONMENT, url, "environment EPMT_DB_*", &e) == 0)
		return 0;
	report_problem("environment EPMT_DB_*: %s; ignored", e.text);
	return 1;
}

/*
 * Warn of variables whose names are nearly that of a setting: a misspelt variable would silently
 * have no effect. Names further off are ignored: they may belong to other software, such as
 * environment modules.
 */
static void look_for_misspelt(void)
{
	static const char prefix[] = PM_VARIABLE_PREFIX;
	for (char **p = environ; *p; p++) {
		size_t n = strcspn(*p, "="), least = MISSPELT_EDITS + 1;
		int nearest = -1;
		char name[64];

		if (strncmp(*p, prefix, sizeof prefix - 1) != 0 || n >= sizeof name)
			continue;
		memcpy(name, *p, n);
		name[n] = '\0';
		for (int s = 0; s < PM_SETTINGS && least > 0; s++) {
			const char *env = pm_setting_info[s].env;
			/* A single edit turns a short name into another word, so short names allow
			 * fewer edits. */
			size_t limit = (strlen(env) - (sizeof prefix - 1)) / LETTERS_AN_EDIT;
			size_t edits;

			limit = limit < MISSPELT_EDITS ? limit : MISSPELT_EDITS;
			edits = pm_edits(name, env, limit);
			if (edits <= limit && edits < least) {
				least = edits;
				nearest = s;
			}
		}
		if (nearest < 0 || least == 0)
			continue;
		pm_warn("environment %s: no setting has this name; %s is one", name,
			pm_setting_info[nearest].env);
	}
}

int pm_config_load(void)
{
	int skipped;

	set_defaults();
	while (state.problems > 0)
		free(state.problem[--state.problems]);
	skipped = load_file(PM_SYSCONFDIR "/perfmon/perfmon.conf", LEVEL_SYSTEM);
	/* A set-user-ID program must ignore its caller's files and environment. */
	if (getauxval(AT_SECURE))
		return skipped;
	skipped += load_user_file();
	for (int s = 0; s < PM_SETTINGS; s++)
		skipped += load_environment((enum pm_setting)s);
	look_for_misspelt();
	return skipped + load_epmt_db();
}
