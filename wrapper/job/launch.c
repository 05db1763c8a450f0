/* Set LD_PRELOAD and the PERFMON_* variables that the collector reads (libperfmon(7)). */
#include "config.h"

#include "wrapper/job/launch.h"

#include "common/bootid.h"
#include "common/handed.h"
#include "common/log.h"
#include "common/nomem.h"
#include "common/pidns.h"
#include "common/safe/variables.h"
#include "common/settings/readconfig.h"
#include "wrapper/events/events.h"
#include "wrapper/job/collector.h"
#include "wrapper/job/job.h"
#include "wrapper/job/tallyfile.h"
#include "wrapper/node/host.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Without this option a program built with gcc's AddressSanitizer refuses to run with a preload. */
#define ASAN_WISH "verify_asan_link_order=0"

static void add_variable(struct pm_launch *l, const char *name, const char *value,
			 const char *before)
{
	struct pm_launch_variable *v = &l->variable[l->count];

	v->value = strdup(value);
	if (!v->value)
		pm_nomem();
	if (l->count == PM_LAUNCH_MAX)
		abort(); /* never: our callers set fewer variables */
	v->name = name;
	v->before = before;
	l->count++;
}

/* Set one of the user's variables unless it has the value already. */
static void add_setting(struct pm_launch *l, const char *name, const char *value)
{
	const char *now = getenv(name);

	if (!now || strcmp(now, value) != 0)
		add_variable(l, name, value, now);
}

/* Set one of perfmon's own variables. A value that an earlier call set is not to be restored. */
static void add_own(struct pm_launch *l, const char *name, const char *value)
{
	add_variable(l, name, value, l->again ? NULL : getenv(name));
}

/* Whether a character separates entries of LD_PRELOAD (ld.so(8)). */
static int is_separator(char c)
{
	return c == ':' || c == ' ';
}

/* Copy the value of LD_PRELOAD without our library. The caller frees the text. */
static char *without_library(const char *list, const char *library)
{
	char *text = malloc(strlen(list) + 1);
	size_t len = 0, own = strlen(library);

	if (!text)
		pm_nomem();
	while (*list) {
		size_t n = strcspn(list, ": ");

		if (n == own && memcmp(list, library, n) == 0) {
			/* Drop the separator before the library, or else the one after it. */
			list += n;
			if (len > 0 && is_separator(text[len - 1]))
				len--;
			else if (*list)
				list++;
			continue;
		}
		memcpy(text + len, list, n);
		len += n;
		list += n;
		if (*list)
			text[len++] = *list++;
	}
	text[len] = '\0';
	return text;
}

static int check_library(const char *library, struct pm_err *e)
{
	struct pm_err why;

	if (pm_collector_look(library, &why) == PM_COLLECTOR_FITS)
		return 0;
	return pm_err(e, "the collector %s; install perfmon, or set PERFMON_LIBRARY", why.text);
}

const char *pm_launch_library(const char *self, char *path, size_t size)
{
	const char *library = pm_config_get(PM_SET_library), *slash = strrchr(self, '/');
	int n;

	if (strcmp(pm_config_origin(PM_SET_library), "default") != 0 ||
	    access(library, R_OK) == 0 || !slash)
		return library;
	n = snprintf(path, size, "%.*s/libperfmon.so", (int)(slash - self), self);
	return n > 0 && (size_t)n < size && access(path, R_OK) == 0 ? path : library;
}

/*
 * Choose the collector's name for LD_PRELOAD: `library`, or a name with $LIB if the installation
 * has the same file in the directory that ld.so puts for $LIB. 32-bit programs then find an empty
 * library of their own instead of one that makes ld.so complain. `path` is room for the name.
 */
static const char *preload_name(const char *library, char *path, size_t size)
{
	const char *slash = strrchr(library, '/');
	struct stat one, other;
	int n;

	if (!PM_LIB[0] || !slash)
		return library;
	n = snprintf(path, size, "%.*s/%s%s", (int)(slash - library), library, PM_LIB, slash);
	if (n < 0 || (size_t)n >= size || stat(path, &other) < 0 || stat(library, &one) < 0 ||
	    one.st_dev != other.st_dev || one.st_ino != other.st_ino)
		return library;
	n = snprintf(path, size, "%.*s/$LIB%s", (int)(slash - library), library, slash);
	return n > 0 && (size_t)n < size ? path : library;
}

/* Set PERFMON_EVENTS, also to an empty value if an earlier value is set. */
static void add_events(struct pm_launch *l, const struct pm_jobdir *d)
{
	char *value = pm_events_value(d);

	if (*value || getenv(pm_handed_name[PM_HANDED_events]))
		add_own(l, pm_handed_name[PM_HANDED_events], value);
	free(value);
}

/* Split LD_PRELOAD into the collector and the rest, and note whether the collector is there. */
static void split_preload(struct pm_launch *l, const char *library)
{
	const char *now = getenv(PM_VARIABLE_PRELOAD);

	l->library = strdup(library);
	if (!l->library)
		pm_nomem();
	l->rest = without_library(now ? now : "", library);
	l->again = now && strcmp(l->rest, now) != 0;
}

static void add_preload(struct pm_launch *l)
{
	const char *now = getenv(PM_VARIABLE_PRELOAD), *rest = l->rest, *library = l->library;
	struct pm_launch_variable *v;
	size_t n = strlen(rest) + strlen(library) + 2;
	char *value;

	value = malloc(n);
	if (!value)
		pm_nomem();
	snprintf(value, n, "%s%s%s", rest, *rest ? ":" : "", library);
	add_variable(l, PM_VARIABLE_PRELOAD, value, NULL);
	free(value);
	v = &l->variable[l->count - 1];
	/* The value to restore has no collector, even if an earlier `source` added it. */
	if (!l->again)
		v->before = now;
	else if (*rest)
		v->before = rest;
}

static void add_asan(struct pm_launch *l)
{
	const char *now = getenv(PM_VARIABLE_ASAN);
	char *value;
	size_t n;

	if (now && strstr(now, "verify_asan_link_order"))
		return;
	n = (now ? strlen(now) : 0) + sizeof ASAN_WISH + 1;
	value = malloc(n);
	if (!value)
		pm_nomem();
	snprintf(value, n, "%s%s%s", now ? now : "", now && *now ? ":" : "", ASAN_WISH);
	add_variable(l, PM_VARIABLE_ASAN, value, now);
	free(value);
}

/* Hand on the host's name, boot id, delay accounting, whether GPUs tell of clients, device of /proc
 * and pid namespace: saves every process from reading three files. */
static void add_host(struct pm_launch *l)
{
	char boot[64], value[256];
	uint64_t dev = pm_host_proc_dev();
	struct utsname u;
	int flags, n;

	pm_bootid_read(boot);
	if (!boot[0] || uname(&u) < 0)
		return;
	flags = (pm_host_delayacct() ? PM_HOST_DELAYS : 0) | (pm_host_gpus() ? PM_HOST_GPUS : 0);
	n = snprintf(value, sizeof value, "%s:%s:%d", u.nodename, boot, flags);
	if (dev)
		snprintf(value + n, sizeof value - (size_t)n, ":%" PRIu64 ":%" PRId64, dev,
			 pm_pidns_own());
	add_own(l, pm_handed_name[PM_HANDED_host], value);
}

/* Hand on the settings that the collector reads, under perfmon's names, which win over aliases. */
static void add_settings(struct pm_launch *l)
{
	static const enum pm_setting handed_on[] = {
#define PM_HANDED(id, rest)
#define PM_HANDED_SETTING(id, rest) PM_SET_##id,
#include "common/safe/handed.def"
#undef PM_HANDED
	};

	for (size_t i = 0; i < sizeof handed_on / sizeof handed_on[0]; i++) {
		const struct pm_setting_info *info = &pm_setting_info[handed_on[i]];
		const char *value = pm_config_get(handed_on[i]);
		char number[32];

		if (handed_on[i] == PM_SET_output)
			continue; /* the job's directory, whatever the setting says */
		if (info->type == PM_TYPE_SIZE) {
			/* In bytes: the collector reads plain numbers. */
			snprintf(number, sizeof number, "%lld",
				 (long long)pm_config_int(handed_on[i]));
			if (strcmp(pm_config_origin(handed_on[i]), "default") != 0)
				add_setting(l, info->env, number);
		} else if (strcmp(value, info->def) != 0 || getenv(info->env)) {
			add_setting(l, info->env, value);
		}
	}
}

int pm_launch_prepare(struct pm_launch *l, const struct pm_cli *cli, const struct pm_jobdir *d,
		      const json_t *doc, struct pm_err *e)
{
	const char *library;
	char host[256], id[PM_JOB_NAME_MAX], beside[PATH_MAX], chosen[PATH_MAX];
	struct pm_err why;

	memset(l, 0, sizeof *l);
	library = pm_launch_library(cli->self, beside, sizeof beside);
	if (check_library(library, e) < 0)
		return -1;
	split_preload(l, preload_name(library, chosen, sizeof chosen));
	pm_job_display_id(doc, id);
	/* A host that joins the job has no tally yet. */
	pm_jobdir_host(host, sizeof host);
	if (pm_tallyfile_create(d->fd, host, &why) < 0)
		pm_info("%s", why.text);
	add_own(l, pm_handed_name[PM_HANDED_output], d->path);
	add_own(l, pm_handed_name[PM_HANDED_jobid], id);
	add_own(l, pm_handed_name[PM_HANDED_exe], cli->self);
	add_host(l);
	add_settings(l);
	add_events(l, d);
	add_asan(l);
	add_preload(l);
	return 0;
}

void pm_launch_free(struct pm_launch *l)
{
	for (int i = 0; i < l->count; i++)
		free(l->variable[i].value);
	free(l->rest);
	free(l->library);
	l->rest = l->library = NULL;
	l->count = 0;
}

static int is_variable(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

char **pm_launch_environ(const struct pm_launch *l)
{
	size_t n = 0, out = 0, room = 0;
	char **list, *text;

	for (char **p = environ; *p; p++)
		n++;
	for (int i = 0; i < l->count; i++)
		room += strlen(l->variable[i].name) + strlen(l->variable[i].value) + 2;
	/* One block holds the pointers and then the texts, so that one free() is enough. */
	list = malloc((n + PM_LAUNCH_MAX + 1) * sizeof *list + room);
	if (!list)
		return NULL;
	text = (char *)(list + n + PM_LAUNCH_MAX + 1);
	for (char **p = environ; *p; p++) {
		int i = 0;

		while (i < l->count && !is_variable(*p, l->variable[i].name))
			i++;
		if (i == l->count)
			list[out++] = *p;
	}
	for (int i = 0; i < l->count; i++) {
		const struct pm_launch_variable *v = &l->variable[i];
		int len = snprintf(text, room, "%s=%s", v->name, v->value);

		list[out++] = text;
		text += len + 1;
		room -= (size_t)len + 1;
	}
	list[out] = NULL;
	return list;
}

char **pm_launch_helper_environ(void)
{
	size_t n = 0, out = 0;
	char **list;

	for (char **p = environ; *p; p++)
		n++;
	list = malloc((n + 1) * sizeof *list);
	if (!list)
		return NULL;
	for (char **p = environ; *p; p++)
		if (!is_variable(*p, PM_VARIABLE_PRELOAD))
			list[out++] = *p;
	list[out] = NULL;
	return list;
}

char **pm_launch_bare_environ(const struct pm_cli *cli, char **text)
{
	char beside[PATH_MAX], chosen[PATH_MAX];
	const char *now = getenv(PM_VARIABLE_PRELOAD), *library;
	size_t n = 0, out = 0, size;
	char *rest, **list;

	*text = NULL;
	if (!now)
		return NULL;
	library = pm_launch_library(cli->self, beside, sizeof beside);
	rest = without_library(now, preload_name(library, chosen, sizeof chosen));
	for (char **p = environ; *p; p++)
		n++;
	size = strlen(rest) + sizeof PM_VARIABLE_PRELOAD "=";
	list = strcmp(rest, now) == 0 ? NULL : malloc((n + 1) * sizeof *list);
	*text = list ? malloc(size) : NULL;
	if (*text) {
		snprintf(*text, size, PM_VARIABLE_PRELOAD "=%s", rest);
		for (char **p = environ; *p; p++)
			if (!is_variable(*p, PM_VARIABLE_PRELOAD))
				list[out++] = *p;
			else if (*rest)
				list[out++] = *text;
		list[out] = NULL;
	} else {
		free(list);
		list = NULL;
	}
	free(rest);
	return list;
}
