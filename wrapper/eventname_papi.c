/*
 * PAPI: its presets, resolved into native events of libpfm4 and a formula. The one file that
 * includes PAPI, which is never linked: it would cost every start.
 */
#include "config.h"

#include "wrapper/eventname.h"
#include "wrapper/library.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_PAPI

#include <papi.h>
#include <stdlib.h>

/* Life cycle: opened by the first name that nobody else knows, kept to the end. */
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
} papi;

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
	};
	char name[64];
	const char *const names[] = { name, "libpapi.so", NULL };
	int rc;

	snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
		 PAPI_VERSION_MINOR(PAPI_VERSION));
	if (pm_library_open(names, function, sizeof function / sizeof function[0], papi.why,
			    sizeof papi.why) < 0)
		return;
	rc = papi.init(PAPI_VER_CURRENT);
	papi.usable = rc == PAPI_VER_CURRENT;
	if (papi.usable)
		atexit(papi.shutdown);
	else
		snprintf(papi.why, sizeof papi.why, "PAPI_library_init: %s",
			 rc > 0 ? "another version than perfmon was built for" : papi.message(rc));
}

static bool usable(void)
{
	if (!papi.tried)
		open_library();
	papi.tried = true;
	return papi.usable;
}

/* A preset that this PAPI knows, perhaps without a definition for this processor. */
static void describe_preset(const PAPI_event_info_t *info, struct pm_eventname *found)
{
	const PAPI_hw_info_t *hw = papi.hardware();
	double hz = hw && hw->cpu_max_mhz > 0 ? hw->cpu_max_mhz * 1e6 : 0;

	if (info->count == 0) {
		snprintf(found->refused, sizeof found->refused,
			 "PAPI has no definition of it for this processor");
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
				 "a part of it has a name of %zu bytes", n);
			return;
		}
		memcpy(found->term[i], info->name[i], n + 1);
	}
}

static int find(const char *name, struct pm_eventname *found)
{
	char *copy = strdup(name);
	PAPI_event_info_t info;
	int code = 0, rc = -1;

	if (!copy || !usable() || papi.code_of(copy, &code) != PAPI_OK ||
	    papi.info(code, &info) != PAPI_OK)
		goto out;
	rc = 0;
	snprintf(found->description, sizeof found->description, "%.*s", PM_EVENTNAME_MAX - 1,
		 info.long_descr);
	if (code & PAPI_PRESET_MASK && !(code & PAPI_NATIVE_MASK)) {
		describe_preset(&info, found);
	} else {
		const PAPI_component_info_t *c = papi.component(info.component_index);

		snprintf(found->refused, sizeof found->refused, "only PAPI's component %s reads it",
			 c ? c->name : "of an unknown name");
	}
out:
	free(copy);
	return rc;
}

static void each(pm_eventname_fn *fn, void *ctx)
{
	int code = PAPI_PRESET_MASK;

	if (!usable() || papi.next(&code, PAPI_ENUM_FIRST) != PAPI_OK)
		return;
	do {
		PAPI_event_info_t info;

		if (papi.info(code, &info) == PAPI_OK && fn(ctx, info.symbol, info.long_descr) != 0)
			return;
	} while (papi.next(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
}

static int describe(char *text, size_t size)
{
	size_t n;

	if (!usable()) {
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

#endif

const struct pm_eventname_source pm_eventname_papi = {
	.name = "PAPI",
#ifdef HAVE_PAPI
	.find = find,
	.each = each,
	.describe = describe,
#endif
};
