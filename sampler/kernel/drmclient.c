/* What the kernel says of a client of a DRM driver. */
#include "config.h"

#include "sampler/kernel/drmclient.h"

#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define OF_ENGINE(member) offsetof(struct pm_drmclient_engine, member)
#define OF_REGION(member) offsetof(struct pm_drmclient_region, member)

/* Keys that end in the name of a part; of those that begin alike the longer one first. drm-memory
 * is the old name of drm-resident, and beside it the same. */
static const struct {
	const char *key;
	bool region;
	bool old; /* counts where no other key has the value */
	size_t at;
} keys[] = {
	{ "drm-engine-capacity-", false, false, OF_ENGINE(capacity) },
	{ "drm-engine-", false, false, OF_ENGINE(ns) },
	{ "drm-cycles-", false, false, OF_ENGINE(cycles) },
	{ "drm-total-cycles-", false, false, OF_ENGINE(total_cycles) },
	{ "drm-total-", true, false, OF_REGION(total) },
	{ "drm-shared-", true, false, OF_REGION(shared) },
	{ "drm-resident-", true, false, OF_REGION(resident) },
	{ "drm-memory-", true, true, OF_REGION(resident) },
};

#define KEYS (sizeof keys / sizeof keys[0])

static const struct {
	const char *unit;
	int64_t scale;
} units[] = { { "\n", 1 },           { " ns\n", 1 },        { " B\n", 1 },
	      { " KiB\n", 1 << 10 }, { " MiB\n", 1 << 20 }, { " GiB\n", 1 << 30 } };

/* The number with its unit at p, where a line ends behind it. Returns it, or -1. */
static int64_t read_value(const char *p, const char *end)
{
	int64_t value;

	if (pm_procfile_number(&p, end, &value) < 0)
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		const size_t n = strlen(units[i].unit);

		if ((size_t)(end - p) == n && memcmp(p, units[i].unit, n) == 0)
			return value <= INT64_MAX / units[i].scale ? value * units[i].scale : -1;
	}
	return -1;
}

/* The engine of a name, a new one if need be; NULL where there are too many. */
static struct pm_drmclient_engine *get_engine(struct pm_drmclient *c, const char *name)
{
	for (size_t i = 0; i < c->engines; i++)
		if (strcmp(c->engine[i].name, name) == 0)
			return &c->engine[i];
	if (c->engines == PM_DRMCLIENT_PARTS)
		return NULL;
	c->engine[c->engines] = (struct pm_drmclient_engine){
		.ns = -1, .cycles = -1, .total_cycles = -1, .capacity = -1
	};
	snprintf(c->engine[c->engines].name, PM_DRMCLIENT_NAME, "%s", name);
	return &c->engine[c->engines++];
}

static struct pm_drmclient_region *get_region(struct pm_drmclient *c, const char *name)
{
	for (size_t i = 0; i < c->regions; i++)
		if (strcmp(c->region[i].name, name) == 0)
			return &c->region[i];
	if (c->regions == PM_DRMCLIENT_PARTS)
		return NULL;
	c->region[c->regions] =
		(struct pm_drmclient_region){ .total = -1, .shared = -1, .resident = -1 };
	snprintf(c->region[c->regions].name, PM_DRMCLIENT_NAME, "%s", name);
	return &c->region[c->regions++];
}

/* Take a line "key: value", if it is about a part. Returns 0, or -1 for a value that is none. */
static int take_part(struct pm_drmclient *c, const char *line, const char *colon, const char *value,
		     const char *end)
{
	char name[PM_DRMCLIENT_NAME];
	int64_t number, *place;
	void *part;
	size_t k = 0;

	while (k < KEYS && strncmp(line, keys[k].key, strlen(keys[k].key)) != 0)
		k++;
	if (k == KEYS || colon <= line + strlen(keys[k].key))
		return 0;
	line += strlen(keys[k].key);
	if ((size_t)(colon - line) >= sizeof name)
		return 0;
	snprintf(name, sizeof name, "%.*s", (int)(colon - line), line);
	number = read_value(value, end);
	if (number < 0)
		return -1;
	if (keys[k].region)
		part = get_region(c, name);
	else
		part = get_engine(c, name);
	if (!part)
		return 0;
	place = (int64_t *)((char *)part + keys[k].at);
	if (!keys[k].old || *place < 0)
		*place = number;
	return 0;
}

/* Copy the value of a line, which must be one word. */
static void copy_word(const char *value, const char *end, char *to, size_t size)
{
	const size_t n = strcspn(value, " \t\n");

	if (n < size && value + n + 1 == end)
		snprintf(to, size, "%.*s", (int)n, value);
}

int pm_drmclient_parse(struct pm_drmclient *c, const char *text, size_t n)
{
	const char *const all = text + n, *newline;
	char driver[PM_DRMCLIENT_DEVICE] = "";

	memset(c, 0, sizeof *c);
	c->id = -1;
	for (const char *line = text; line < all; line = newline + 1) {
		const char *colon, *value;

		newline = memchr(line, '\n', (size_t)(all - line));
		if (!newline)
			break;
		colon = memchr(line, ':', (size_t)(newline - line));
		if (!colon || strncmp(line, "drm-", 4) != 0)
			continue;
		for (value = colon + 1; *value == ' ' || *value == '\t';)
			value++;
		if (strncmp(line, "drm-driver:", 11) == 0)
			copy_word(value, newline + 1, driver, sizeof driver);
		else if (strncmp(line, "drm-pdev:", 9) == 0)
			copy_word(value, newline + 1, c->device, sizeof c->device);
		else if (strncmp(line, "drm-client-id:", 14) == 0)
			c->id = read_value(value, newline + 1);
		else if (take_part(c, line, colon, value, newline + 1) < 0)
			goto malformed;
	}
	if (!c->device[0])
		memcpy(c->device, driver, sizeof c->device);
	if (c->id >= 0 && c->device[0])
		return 0;
	errno = ENOENT;
	return -1;
malformed:
	errno = EBADMSG;
	return -1;
}
