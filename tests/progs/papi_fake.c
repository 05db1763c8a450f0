/*
 * A stand-in for PAPI's library with components that no test machine has, for papi.t: what it
 * counts is known, and it behaves as badly as libraries may. Its components:
 *
 * perf_event: one event, ticks: how often its set was read, in each thread.
 *
 * gauge, of the node: ten (10), minus (-5), half (2.5, a double), huge (an unsigned number beyond
 * those of records), kept open in a file that lies wherever it came to lie.
 *
 * broken, of the node: its one event is added, and does not start.
 *
 * net, of the node: bytes, which is 0 in the first second, as that of PAPI's own component.
 *
 * io, of the process: all, which is 1.
 *
 * It overwrites errno, takes 100 kB of stack, allocates, and leaves its descriptors open in exec.
 * With FAKE_VERSION it says that it is of that version.
 */
#include <papi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SETS   4096
#define EVENTS 8

enum component { PERF_EVENT, GAUGE, BROKEN, NET, IO, COMPONENTS };

/* clang-format off */
static PAPI_component_info_t component[COMPONENTS] = {
	{ .name = "perf_event" },
	{ .name = "gauge", .short_name = "gauge" },
	{ .name = "broken", .short_name = "broken" },
	{ .name = "net", .short_name = "net" },
	{ .name = "io", .short_name = "io" },
};
/* clang-format on */

static const struct {
	const char *name;
	enum component component;
	int type;
	union {
		long long whole;
		double real;
	} value;
} event[] = {
	{ "fake::ticks", PERF_EVENT, PAPI_DATATYPE_INT64, { .whole = 0 } },
	{ "gauge:::ten", GAUGE, PAPI_DATATYPE_INT64, { .whole = 10 } },
	{ "gauge:::minus", GAUGE, PAPI_DATATYPE_INT64, { .whole = -5 } },
	{ "gauge:::half", GAUGE, PAPI_DATATYPE_FP64, { .real = 2.5 } },
	{ "gauge:::huge", GAUGE, PAPI_DATATYPE_UINT64, { .whole = -1 } },
	{ "net:::bytes", NET, PAPI_DATATYPE_INT64, { .whole = 0 } },
	{ "io:::all", IO, PAPI_DATATYPE_INT64, { .whole = 1 } },
	{ "broken:::one", BROKEN, PAPI_DATATYPE_INT64, { .whole = 1 } },
};
#define KNOWN (sizeof event / sizeof event[0])

static struct set {
	int used, running, events, reads, file;
	size_t event[EVENTS];
} set[SETS];

/* What a library may do to its caller. */
static void behave_badly(void)
{
	volatile char much[100000];

	for (size_t i = 0; i < sizeof much; i += 4096)
		much[i] = 1;
	free(malloc(much[4096]));
	errno = 77;
}

EXPORT int PAPI_num_components(void)
{
	return COMPONENTS;
}

EXPORT const PAPI_component_info_t *PAPI_get_component_info(int i)
{
	return i >= 0 && i < COMPONENTS ? &component[i] : NULL;
}

EXPORT int PAPI_disable_component(int i)
{
	component[i].disabled = 1;
	return PAPI_OK;
}

EXPORT int PAPI_library_init(int version)
{
	const char *other = getenv("FAKE_VERSION");

	behave_badly();
	return other ? (int)strtol(other, NULL, 16) : version;
}

EXPORT int PAPI_thread_init(unsigned long (*id)(void))
{
	return id() ? PAPI_OK : PAPI_EINVAL;
}

EXPORT void PAPI_shutdown(void)
{
}

EXPORT char *PAPI_strerror(int error)
{
	static char text[32];

	snprintf(text, sizeof text, "error %d", error);
	return text;
}

EXPORT const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
	static PAPI_hw_info_t info;

	return &info;
}

EXPORT int PAPI_event_name_to_code(const char *name, int *code)
{
	static bool begun;

	behave_badly();
	/* As libraries of devices that are not there do. */
	if (!begun && getenv("PAPI_FAKE_NOISE")) {
		puts("no such device");
		fputs("no such device\n", stderr);
	}
	begun = true;
	for (size_t i = 0; i < KNOWN; i++)
		if (strcmp(event[i].name, name) == 0 && !component[event[i].component].disabled) {
			*code = (int)(PAPI_NATIVE_MASK | i);
			return PAPI_OK;
		}
	return PAPI_ENOEVNT;
}

static size_t number(int code)
{
	return (unsigned)code & ~(unsigned)PAPI_NATIVE_MASK;
}

EXPORT int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
	size_t i = number(code);

	if (i >= KNOWN)
		return PAPI_ENOEVNT;
	memset(info, 0, sizeof *info);
	snprintf(info->symbol, sizeof info->symbol, "%s", event[i].name);
	snprintf(info->long_descr, sizeof info->long_descr, "what %s shows", event[i].name);
	snprintf(info->units, sizeof info->units, "%s", event[i].component == GAUGE ? "nJ" : "");
	info->component_index = event[i].component;
	info->data_type = event[i].type;
	return PAPI_OK;
}

EXPORT int PAPI_enum_event(int *code, int modifier)
{
	(void)code;
	(void)modifier;
	return PAPI_ENOEVNT;
}

EXPORT int PAPI_enum_cmp_event(int *code, int modifier, int c)
{
	size_t i = modifier == PAPI_ENUM_FIRST ? 0 : number(*code) + 1;

	while (i < KNOWN && event[i].component != (enum component)c)
		i++;
	*code = (int)(PAPI_NATIVE_MASK | i);
	return i < KNOWN ? PAPI_OK : PAPI_ENOEVNT;
}

EXPORT int PAPI_create_eventset(int *number_of)
{
	behave_badly();
	for (int i = 0; i < SETS; i++)
		if (!set[i].used) {
			set[i] = (struct set){ .used = 1, .file = -1 };
			*number_of = i;
			return PAPI_OK;
		}
	return PAPI_ENOMEM;
}

EXPORT int PAPI_add_event(int n, int code)
{
	if (set[n].events == EVENTS || number(code) >= KNOWN)
		return PAPI_ECNFLCT;
	set[n].event[set[n].events++] = number(code);
	return PAPI_OK;
}

EXPORT int PAPI_start(int n)
{
	behave_badly();
	if (event[set[n].event[0]].component == BROKEN)
		return PAPI_ESYS;
	if (event[set[n].event[0]].component == GAUGE)
		set[n].file = open("/dev/zero", O_RDONLY); /* NOLINT: to be seen in exec */
	set[n].running = 1;
	return PAPI_OK;
}

EXPORT int PAPI_read(int n, long long *value)
{
	char zero = 1;

	behave_badly();
	if (!set[n].running)
		return PAPI_ENOTRUN;
	set[n].reads++;
	if (set[n].file >= 0 && (read(set[n].file, &zero, 1) != 1 || zero != 0))
		return PAPI_ESYS;
	for (int i = 0; i < set[n].events; i++) {
		size_t e = set[n].event[i];

		if (event[e].component == PERF_EVENT)
			value[i] = set[n].reads;
		else
			value[i] = event[e].value.whole;
	}
	return PAPI_OK;
}

EXPORT int PAPI_stop(int n, long long *value)
{
	int rc = PAPI_read(n, value);

	set[n].running = 0;
	if (set[n].file >= 0)
		close(set[n].file);
	return rc;
}

EXPORT int PAPI_cleanup_eventset(int n)
{
	set[n].events = 0;
	return PAPI_OK;
}

EXPORT int PAPI_destroy_eventset(int *n)
{
	set[*n].used = 0;
	*n = PAPI_NULL;
	return PAPI_OK;
}

EXPORT int PAPI_unregister_thread(void)
{
	return PAPI_OK;
}
