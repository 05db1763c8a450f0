/* What the kernel says of a client of a DRM driver. */
#include "config.h"

#include "sampler/kernel/drmclient.h"

#include "common/safe/drmline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define OF_ENGINE(member)                                                                          \
	{                                                                                          \
		false, offsetof(struct pm_drmclient_engine, member)                                \
	}
#define OF_REGION(member)                                                                          \
	{                                                                                          \
		true, offsetof(struct pm_drmclient_region, member)                                 \
	}

/* Where the values of parts go. */
static const struct {
	bool region;
	size_t at;
} places[] = {
	[PM_DRMLINE_CAPACITY] = OF_ENGINE(capacity),
	[PM_DRMLINE_NS] = OF_ENGINE(ns),
	[PM_DRMLINE_CYCLES] = OF_ENGINE(cycles),
	[PM_DRMLINE_TOTAL_CYCLES] = OF_ENGINE(total_cycles),
	[PM_DRMLINE_TOTAL] = OF_REGION(total),
	[PM_DRMLINE_SHARED] = OF_REGION(shared),
	[PM_DRMLINE_RESIDENT] = OF_REGION(resident),
	[PM_DRMLINE_MEMORY] = OF_REGION(resident),
};

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

/* Take a value of a part. The old name counts where no other has the value. */
static void take_part(struct pm_drmclient *c, const struct pm_drmline *l)
{
	char name[PM_DRMCLIENT_NAME];
	int64_t *place;
	void *part;

	if (l->name.n >= sizeof name)
		return;
	snprintf(name, sizeof name, "%.*s", (int)l->name.n, l->name.p);
	if (places[l->key].region)
		part = get_region(c, name);
	else
		part = get_engine(c, name);
	if (!part)
		return;
	place = (int64_t *)((char *)part + places[l->key].at);
	if (l->key != PM_DRMLINE_MEMORY || *place < 0)
		*place = l->value;
}

static void copy_word(const struct pm_str *word, char *to, size_t size)
{
	if (word->n < size)
		snprintf(to, size, "%.*s", (int)word->n, word->p);
}

int pm_drmclient_parse(struct pm_drmclient *c, const char *text, size_t n)
{
	const char *const all = text + n, *newline;
	char driver[PM_DRMCLIENT_DEVICE] = "";

	memset(c, 0, sizeof *c);
	c->id = -1;
	for (const char *line = text; line < all; line = newline + 1) {
		struct pm_drmline l;
		int rc;

		newline = memchr(line, '\n', (size_t)(all - line));
		if (!newline)
			break;
		rc = pm_drmline_parse(&l, line, (size_t)(newline + 1 - line));
		if (rc < 0)
			goto malformed;
		if (rc == 0)
			continue;
		if (l.key == PM_DRMLINE_DRIVER)
			copy_word(&l.name, driver, sizeof driver);
		else if (l.key == PM_DRMLINE_DEVICE)
			copy_word(&l.name, c->device, sizeof c->device);
		else if (l.key == PM_DRMLINE_CLIENT)
			c->id = l.value;
		else
			take_part(c, &l);
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
