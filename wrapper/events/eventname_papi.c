/*
 * PAPI as a source: presets, resolved into native events of libpfm4 and a formula; and events that
 * PAPI itself reads, those of components and "papi:NAME". No other file includes PAPI's header. The
 * library is opened when needed and never linked, which would slow down every start.
 */
#include "config.h"

#include "common/library.h"
#include "common/version.h"
#include "wrapper/events/eventname.h"

#include <stdio.h>
#include <string.h>

bool pm_eventname_is_papi(const char *name)
{
	return strncmp(name, PM_EVENTNAME_PAPI, strlen(PM_EVENTNAME_PAPI)) == 0 ||
	       strncmp(name, "PAPI_", 5) == 0 || strstr(name, ":::");
}

#ifdef HAVE_PAPI

#include <dlfcn.h>
#include <fcntl.h>
#include <papi.h>
#include <stdlib.h>
#include <unistd.h>

/* We look for descriptors that PAPI opened among the numbers below this. */
#define DESCRIPTORS 256

/* PAPI's library: opened for the first name that no other source knows, and kept to the end. */
static struct {
	bool tried;
	bool usable;
	char why[PM_EVENTNAME_MAX];
	__typeof__(PAPI_library_init) *init;
	__typeof__(PAPI_shutdown) *shutdown;
	__typeof__(PAPI_strerror) *message;
	__typeof__(PAPI_event_name_to_code) *code_of;
	__typeof__(PAPI_get_event_info) *info;
	__typeof__(PAPI_enum_event) *next;
	__typeof__(PAPI_get_component_info) *component;
	__typeof__(PAPI_get_hardware_info) *hardware;
	__typeof__(PAPI_num_components) *components;
	__typeof__(PAPI_enum_cmp_event) *next_of;
	__typeof__(PAPI_create_eventset) *create;
	__typeof__(PAPI_add_event) *add;
	__typeof__(PAPI_start) *start;
	__typeof__(PAPI_stop) *stop;
	__typeof__(PAPI_cleanup_eventset) *cleanup;
	__typeof__(PAPI_destroy_eventset) *destroy;
} papi;

/* Components whose events belong to a thread or a process; other components count for the node.
 * `refused`: why the counts of a component would be nonsense. */
static const struct component {
	const char *name;
	enum pm_event_scope scope;
	const char *refused;
} components[] = {
	{ "perf_event", PM_EVENT_THREAD, NULL },
	{ "cuda", PM_EVENT_PROCESS, NULL },
	{ "rocm", PM_EVENT_PROCESS, NULL },
	{ "io", PM_EVENT_PROCESS,
	  "it includes waited-for children; use the metrics rchar, wchar and others of the "
	  "records" },
	{ "sde", PM_EVENT_PROCESS, NULL },
	{ "appio", PM_EVENT_THREAD, "it counts only in programs linked with PAPI" },
};

/* Mark the descriptors that are open before PAPI is called; close_on_exec() keeps the descriptors
 * that PAPI opened from the programs that perfmon starts. */
static void mark_open(bool open[DESCRIPTORS])
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
}

static void close_on_exec(const bool before[DESCRIPTORS])
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		if (!before[fd] && fcntl(fd, F_GETFD) >= 0)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Send standard output and error to /dev/null while PAPI's components begin, as the first look-up
 * makes them: libraries of devices that are not there, such as ROCm's, print what they miss. Fills
 * `kept` for speak_again(). */
static void keep_silent(int kept[2])
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		kept[i] = null < 0 ? -1 : fcntl(1 + i, F_DUPFD_CLOEXEC, 3);
		if (kept[i] >= 0)
			dup2(null, 1 + i);
	}
	if (null >= 0)
		close(null);
}

static void speak_again(const int kept[2])
{
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		if (kept[i] < 0)
			continue;
		dup2(kept[i], 1 + i);
		close(kept[i]);
	}
}

static void open_library(void)
{
	static const struct pm_library_function function[] = {
		{ "PAPI_library_init", &papi.init },
		{ "PAPI_shutdown", &papi.shutdown },
		{ "PAPI_strerror", &papi.message },
		{ "PAPI_event_name_to_code", &papi.code_of },
		{ "PAPI_get_event_info", &papi.info },
		{ "PAPI_enum_event", &papi.next },
		{ "PAPI_get_component_info", &papi.component },
		{ "PAPI_get_hardware_info", &papi.hardware },
		{ "PAPI_num_components", &papi.components },
		{ "PAPI_enum_cmp_event", &papi.next_of },
		{ "PAPI_create_eventset", &papi.create },
		{ "PAPI_add_event", &papi.add },
		{ "PAPI_start", &papi.start },
		{ "PAPI_stop", &papi.stop },
		{ "PAPI_cleanup_eventset", &papi.cleanup },
		{ "PAPI_destroy_eventset", &papi.destroy },
	};
	bool before[DESCRIPTORS];
	char name[64];
	const char *const names[] = { name, "libpapi.so", NULL };
	int rc;

	snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
		 PAPI_VERSION_MINOR(PAPI_VERSION));
	if (pm_library_open(names, function, sizeof function / sizeof function[0], papi.why,
			    sizeof papi.why) < 0)
		return;
	mark_open(before);
	rc = papi.init(PAPI_VER_CURRENT);
	close_on_exec(before);
	papi.usable = rc == PAPI_VER_CURRENT;
	if (papi.usable)
		atexit(papi.shutdown);
	else
		snprintf(papi.why, sizeof papi.why, "PAPI_library_init: %s",
			 rc > 0 ? "its version is not the one that perfmon was built for"
				: papi.message(rc));
}

/* Look a name up. What PAPI's components open as they begin is closed in the job. */
static int find_code(const char *name, int *code)
{
	bool before[DESCRIPTORS];
	int rc, kept[2];

	mark_open(before);
	keep_silent(kept);
	rc = papi.code_of(name, code);
	speak_again(kept);
	close_on_exec(before);
	return rc;
}

static bool is_usable(void)
{
	if (!papi.tried)
		open_library();
	papi.tried = true;
	return papi.usable;
}

/* Describe a preset, for which PAPI may have no definition on this processor. */
static void describe_preset(const PAPI_event_info_t *info, struct pm_eventname *found)
{
	const PAPI_hw_info_t *hw = papi.hardware();
	double hz = hw && hw->cpu_max_mhz > 0 ? hw->cpu_max_mhz * 1e6 : 0;

	if (info->count == 0) {
		snprintf(found->refused, sizeof found->refused,
			 "PAPI does not define it for this processor");
		return;
	}
	if (info->count > PM_EVENTNAME_TERMS_MAX ||
	    pm_eventname_formula(info->derived, info->postfix, info->count, hz, found->formula) <
		    0) {
		snprintf(found->refused, sizeof found->refused,
			 "PAPI derives it in a way that is not supported (%s)", info->derived);
		return;
	}
	found->terms = info->count;
	for (unsigned i = 0; i < info->count; i++) {
		size_t n = strlen(info->name[i]);

		if (n >= sizeof found->term[i]) {
			snprintf(found->refused, sizeof found->refused,
				 "a component's name of %zu bytes is too long", n);
			return;
		}
		memcpy(found->term[i], info->name[i], n + 1);
	}
}

static const struct component *component_of(const char *name)
{
	for (size_t i = 0; i < sizeof components / sizeof components[0]; i++)
		if (strcmp(components[i].name, name) == 0)
			return &components[i];
	return NULL;
}

/* Describe an event that PAPI is to read. */
static void describe_read(const PAPI_event_info_t *info, const PAPI_component_info_t *c,
			  const char *name, struct pm_eventname *found)
{
	const struct component *known = component_of(c->name);
	int n = snprintf(found->papi, sizeof found->papi, "%s:%s", c->name, name);

	found->event = (struct pm_event){ .type = (uint32_t)info->data_type };
	found->event.scope = (uint8_t)(known ? known->scope : PM_EVENT_NODE);
	snprintf(found->unit, sizeof found->unit, "%.*s", (int)sizeof found->unit - 1, info->units);
	if (known && known->refused)
		snprintf(found->refused, sizeof found->refused, "%s", known->refused);
	else if (n < 0 || (size_t)n >= sizeof found->papi || name[strcspn(name, " \\\t")])
		snprintf(found->refused, sizeof found->refused,
			 "its name is too long, or has a blank or backslash");
}

/* Explain why PAPI does not know a name that only PAPI could know: with prefix (`asked`) or with a
 * component. Returns 0, or -1 for any other name. */
static int explain_missing(const char *name, bool asked, int error, struct pm_eventname *found)
{
	const char *colons = strstr(name, ":::");
	size_t n = colons ? (size_t)(colons - name) : 0;

	if (!asked && !colons)
		return -1;
	for (int i = 0; colons && i < papi.components(); i++) {
		const PAPI_component_info_t *c = papi.component(i);

		if (!c || ((strlen(c->name) != n || memcmp(c->name, name, n) != 0) &&
			   (strlen(c->short_name) != n || memcmp(c->short_name, name, n) != 0)))
			continue;
		if (c->disabled)
			snprintf(found->refused, sizeof found->refused,
				 "PAPI's component %.32s is disabled: %.128s", c->name,
				 c->disabled_reason);
		else
			snprintf(found->refused, sizeof found->refused, "PAPI's component %s: %s",
				 c->name, papi.message(error));
		return 0;
	}
	if (colons)
		snprintf(found->refused, sizeof found->refused,
			 "PAPI is built without component %.*s", (int)(n < 64 ? n : 64), name);
	else
		snprintf(found->refused, sizeof found->refused, "PAPI: %s", papi.message(error));
	return 0;
}

static int papi_find(const char *name, struct pm_eventname *found)
{
	const size_t prefix = strlen(PM_EVENTNAME_PAPI);
	bool asked = strncmp(name, PM_EVENTNAME_PAPI, prefix) == 0;
	char *copy = strdup(asked ? name + prefix : name);
	const PAPI_component_info_t *c;
	PAPI_event_info_t info;
	int code = 0, rc = -1;

	if (!copy || !is_usable())
		goto out;
	memset(&info, 0, sizeof info);
	rc = find_code(copy, &code);
	if (rc == PAPI_OK)
		rc = papi.info(code, &info);
	if (rc != PAPI_OK) {
		rc = explain_missing(copy, asked, rc, found);
		goto out;
	}
	snprintf(found->description, sizeof found->description, "%.*s", PM_EVENTNAME_MAX - 1,
		 info.long_descr);
	c = papi.component(info.component_index);
	if (!asked && code & PAPI_PRESET_MASK && !(code & PAPI_NATIVE_MASK))
		describe_preset(&info, found);
	else if (!c)
		rc = -1;
	else if (!asked && strncmp(c->name, "perf_event", 10) == 0)
		snprintf(found->refused, sizeof found->refused,
			 "no other source knows it; write papi:%s to have PAPI read it", name);
	else
		describe_read(&info, c, copy, found);
out:
	free(copy);
	return rc;
}

int pm_eventname_papi_try(const char *text, char why[PM_EVENTNAME_MAX])
{
	char *name = strdup(strchr(text, ':') + 1);
	int set = PAPI_NULL, code, rc = PAPI_ENOMEM;
	bool before[DESCRIPTORS];
	long long value = 0;

	if (!name || !is_usable())
		goto out;
	mark_open(before);
	rc = find_code(name, &code);
	if (rc == PAPI_OK)
		rc = papi.create(&set);
	if (rc == PAPI_OK)
		rc = papi.add(set, code);
	if (rc == PAPI_OK)
		rc = papi.start(set);
	if (rc == PAPI_OK)
		rc = papi.stop(set, &value);
	if (set != PAPI_NULL) {
		papi.cleanup(set);
		papi.destroy(&set);
	}
	close_on_exec(before);
out:
	if (rc != PAPI_OK)
		snprintf(why, PM_EVENTNAME_MAX, "PAPI: %.200s",
			 papi.usable ? papi.message(rc) : papi.why);
	free(name);
	return rc;
}

int pm_eventname_papi_library(struct pm_event *e)
{
	static char *path;
	void *address;
	Dl_info info;

	if (!is_usable())
		return -1;
	memcpy(&address, &papi.init, sizeof address);
	if (!path && dladdr(address, &info))
		path = realpath(info.dli_fname, NULL);
	if (!path || path[strcspn(path, " \\\t\n")])
		return -1;
	*e = (struct pm_event){ .scope = PM_EVENT_LIBRARY,
				.config = (uint32_t)PAPI_VER_CURRENT,
				.name = { path, strlen(path) } };
	return 0;
}

/* Call fn with every event of a component. Returns 0, or -1 if fn ended the list. */
static int each_of_component(int component, pm_eventname_fn *fn, void *ctx)
{
	int code = PAPI_NATIVE_MASK, rc, kept[2];

	keep_silent(kept);
	rc = papi.next_of(&code, PAPI_ENUM_FIRST, component);
	speak_again(kept);
	for (; rc == PAPI_OK; rc = papi.next_of(&code, PAPI_ENUM_EVENTS, component)) {
		PAPI_event_info_t info;

		if (papi.info(code, &info) == PAPI_OK && fn(ctx, info.symbol, info.long_descr) != 0)
			return -1;
	}
	return 0;
}

static void papi_each(pm_eventname_fn *fn, void *ctx)
{
	int code = PAPI_PRESET_MASK, rc;

	if (!is_usable())
		return;
	rc = papi.next(&code, PAPI_ENUM_FIRST);
	for (; rc == PAPI_OK; rc = papi.next(&code, PAPI_ENUM_EVENTS)) {
		PAPI_event_info_t info;

		if (papi.info(code, &info) == PAPI_OK && fn(ctx, info.symbol, info.long_descr) != 0)
			return;
	}
	for (int i = 0; i < papi.components(); i++) {
		const PAPI_component_info_t *c = papi.component(i);

		if (c && !c->disabled && strncmp(c->name, "perf_event", 10) != 0 &&
		    each_of_component(i, fn, ctx) < 0)
			return;
	}
}

static int papi_describe(char *text, size_t size)
{
	size_t n;

	if (!is_usable()) {
		snprintf(text, size, "%s", papi.why);
		return -1;
	}
	n = (size_t)snprintf(text, size, "PAPI %d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
			     PAPI_VERSION_MINOR(PAPI_VERSION));
	for (int i = 0; i < papi.components() && n < size; i++) {
		const PAPI_component_info_t *c = papi.component(i);

		if (c && !c->disabled)
			n += (size_t)snprintf(text + n, size - n, ", %s", c->name);
	}
	return 0;
}

void pm_version_papi(struct pm_version *v)
{
	if (!is_usable())
		pm_version_fail(v, papi.why);
	else
		pm_version_set(v, "%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
			       PAPI_VERSION_MINOR(PAPI_VERSION),
			       PAPI_VERSION_REVISION(PAPI_VERSION));
}

#else

int pm_eventname_papi_try(const char *text, char why[PM_EVENTNAME_MAX])
{
	(void)text;
	snprintf(why, PM_EVENTNAME_MAX, "perfmon was built without PAPI");
	return -1;
}

int pm_eventname_papi_library(struct pm_event *e)
{
	(void)e;
	return -1;
}

void pm_version_papi(struct pm_version *v)
{
	(void)v;
}

#endif

const struct pm_eventname_source pm_eventname_papi = {
	.name = "PAPI",
#ifdef HAVE_PAPI
	.find = papi_find,
	.each = papi_each,
	.describe = papi_describe,
#endif
};
