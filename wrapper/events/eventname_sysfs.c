/*
 * The kernel's own names: events of devices below /sys/bus/event_source/devices, as perf(1) spells
 * them (PMU/EVENT/, PMU/config=1,event=2/), and tracepoints (SYSTEM:EVENT) where tracefs can be
 * read. Format: Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
 */
#include "config.h"

#include "common/settings/readconfig.h"
#include "wrapper/events/eventname.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES   "/sys/bus/event_source/devices"
#define NAME_PART "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

/* Read the first line of a file below the setting root, without its newline. Returns 0, or -1 also
 * for an empty line. */
static int read_line(char *text, size_t size, const char *fmt, const char *a, const char *b)
{
	char name[PATH_MAX / 2], path[PATH_MAX];
	FILE *f;

	/* Our callers' formats take two names each. */
	if (snprintf(name, sizeof name, fmt, a, b) >= (int)sizeof name ||
	    snprintf(path, sizeof path, "%s%s", pm_config_get(PM_SET_root), name) >=
		    (int)sizeof path ||
	    (f = fopen(path, "re")) == NULL)
		return -1;
	if (!fgets(text, (int)size, f))
		text[0] = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return *text ? 0 : -1;
}

/* Parse an unsigned number, decimal, octal or hexadecimal. Returns 0 or -1. */
static int parse_number(const char *text, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	*v = strtoull(text, &end, 0);
	return *end ? -1 : 0;
}

/* Put the bits of v into the fields that a format ("config1:0-7,32-35") names. Returns 0, or -1:
 * the format is unknown, or v has too many bits. */
static int place_bits(struct pm_event *e, const char *format, uint64_t v)
{
	uint64_t *word = strncmp(format, "config1:", 8) == 0   ? &e->config1
			 : strncmp(format, "config2:", 8) == 0 ? &e->config2
			 : strncmp(format, "config:", 7) == 0  ? &e->config
							       : NULL;

	if (!word)
		return -1;
	for (format = strchr(format, ':'); *format; format += 1 + strcspn(format + 1, ",")) {
		unsigned low, high;
		int n = sscanf(format + 1, "%u-%u", &low, &high);

		if (n < 1 || low > 63 || (n == 2 && (high < low || high > 63)))
			return -1;
		if (n == 1)
			high = low;
		for (unsigned bit = low; bit <= high; bit++, v >>= 1)
			*word = (*word & ~(UINT64_C(1) << bit)) | (v & 1) << bit;
	}
	return v ? -1 : 0;
}

/* Apply "term,term=value". A named event stands for terms of its own. Returns 0 or -1. */
static int apply_terms(struct pm_event *e, const char *pmu, char *terms, char *description,
		       size_t size, int depth)
{
	char *save, line[1024];

	for (char *t = strtok_r(terms, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(t, '=');
		uint64_t v = 1;

		if (equals) {
			*equals = '\0';
			if (parse_number(equals + 1, &v) < 0)
				return -1;
		}
		if (strspn(t, NAME_PART) != strlen(t) || *t == '.')
			return -1;
		if (strcmp(t, "config") == 0 || strcmp(t, "config1") == 0 ||
		    strcmp(t, "config2") == 0)
			*(t[6] == '1' ? &e->config1 : t[6] == '2' ? &e->config2 : &e->config) = v;
		else if (!equals && depth == 0 &&
			 read_line(line, sizeof line, DEVICES "/%s/events/%s", pmu, t) == 0) {
			snprintf(description, size, "%s of the kernel's %s", t, pmu);
			if (apply_terms(e, pmu, line, description, size, 1) < 0)
				return -1;
		} else if (read_line(line, sizeof line, DEVICES "/%s/format/%s", pmu, t) < 0 ||
			   place_bits(e, line, v) < 0)
			return -1;
	}
	return 0;
}

/* Find PMU/TERMS/[MODIFIERS]. */
static int find_device(const char *name, struct pm_eventname *found)
{
	char pmu[64], terms[1024], line[64], modifiers[64];
	struct pm_event domain;
	size_t n = strspn(name, NAME_PART), m;
	uint64_t type;

	if (n == 0 || name[n] != '/' || n >= sizeof pmu || name[0] == '.')
		return -1;
	m = strcspn(name + n + 1, "/");
	if (name[n + 1 + m] != '/' || m >= sizeof terms)
		return -1;
	snprintf(pmu, sizeof pmu, "%.*s", (int)n, name);
	snprintf(terms, sizeof terms, "%.*s", (int)m, name + n + 1);
	name += n + 1 + m + 1;
	/* Parse the modifiers as those of the event "cycles": they mean the same after any event.
	 */
	snprintf(modifiers, sizeof modifiers, "cycles%s%s", *name && *name != ':' ? ":" : "", name);
	if (strlen(name) > 32 || pm_event_find(&domain, modifiers, strlen(modifiers)) < 0 ||
	    read_line(line, sizeof line, DEVICES "/%s/%s", pmu, "type") < 0 ||
	    parse_number(line, &type) < 0 || type > UINT32_MAX)
		return -1;
	found->event.type = (uint32_t)type;
	found->event.exclude = domain.exclude;
	found->event.domain_asked = domain.domain_asked;
	snprintf(found->description, sizeof found->description, "code of the kernel's %s", pmu);
	if (apply_terms(&found->event, pmu, terms, found->description, sizeof found->description,
			0) < 0)
		return -1;
	if (read_line(line, sizeof line, DEVICES "/%s/%s", pmu, "cpumask") == 0)
		snprintf(found->refused, sizeof found->refused,
			 "%s counts whole CPUs or packages, not threads", pmu);
	return 0;
}

/* Find the tracepoint SYSTEM:EVENT. */
static int find_tracepoint(const char *name, struct pm_eventname *found)
{
	size_t n = strspn(name, NAME_PART);
	char line[64], system[128];
	uint64_t id;

	if (n == 0 || n >= sizeof system || name[n] != ':' || name[0] == '.' ||
	    name[n + 1] == '.' || strspn(name + n + 1, NAME_PART) != strlen(name + n + 1) ||
	    strlen(name) > 200)
		return -1;
	snprintf(system, sizeof system, "%.*s", (int)n, name);
	if ((read_line(line, sizeof line, "/sys/kernel/tracing/events/%s/%s/id", system,
		       name + n + 1) < 0 &&
	     read_line(line, sizeof line, "/sys/kernel/debug/tracing/events/%s/%s/id", system,
		       name + n + 1) < 0) ||
	    parse_number(line, &id) < 0)
		return -1;
	found->event.type = PERF_TYPE_TRACEPOINT;
	found->event.config = id;
	/* Excluding the kernel would leave only the probes of programs (uprobes). */
	found->event.kernel_only = true;
	snprintf(found->description, sizeof found->description, "tracepoint");
	return 0;
}

static int sysfs_find(const char *name, struct pm_eventname *found)
{
	if (find_device(name, found) == 0)
		return 0;
	memset(found, 0, sizeof *found);
	return find_tracepoint(name, found);
}

static int is_visible(const struct dirent *entry)
{
	/* Not the units and scales of events: NAME.unit, NAME.scale. */
	return strchr(entry->d_name, '.') == NULL;
}

/* Call fn with the events of every device. Tracepoints are left to perf(1): there are thousands. */
static void sysfs_each(pm_eventname_fn *fn, void *ctx)
{
	struct dirent **pmu, **event;
	char path[PATH_MAX];
	int pmus, rc = 0;

	snprintf(path, sizeof path, "%s" DEVICES, pm_config_get(PM_SET_root));
	pmus = scandir(path, &pmu, is_visible, alphasort);
	for (int i = 0; i < pmus; i++) {
		int events;

		snprintf(path, sizeof path, "%s" DEVICES "/%s/events", pm_config_get(PM_SET_root),
			 pmu[i]->d_name);
		events = scandir(path, &event, is_visible, alphasort);
		for (int k = 0; k < events; k++) {
			char name[2 * NAME_MAX + 3], text[2 * NAME_MAX + 32];

			snprintf(name, sizeof name, "%s/%s/", pmu[i]->d_name, event[k]->d_name);
			snprintf(text, sizeof text, "%s of the kernel's %s", event[k]->d_name,
				 pmu[i]->d_name);
			if (rc == 0)
				rc = fn(ctx, name, text);
			free(event[k]);
		}
		if (events >= 0)
			free(event);
		free(pmu[i]);
	}
	if (pmus >= 0)
		free(pmu);
}

const struct pm_eventname_source pm_eventname_sysfs = { .name = "sysfs",
							.find = sysfs_find,
							.each = sysfs_each };
