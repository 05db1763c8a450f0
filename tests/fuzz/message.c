/* What a process that reads sources tells the sampler's loop, from arbitrary bytes. */
#include "config.h"

#include "sampler/message.h"

#include "sampler/sources/template.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/* Every series can be used, whatever was said. */
static void check(const struct pm_sink *sink)
{
	FUZZ_SURE(sink->count <= sink->capacity);
	for (size_t i = 0; i < sink->count; i++) {
		const struct pm_series *s = &sink->series[i];

		FUZZ_SURE(s->free || (s->object && s->metric < sink->source->metrics_count &&
				      s->reason < PM_REASON_COUNT));
	}
}

/* Messages that follow each other: the length of the body in two bytes, how many sources it says
 * it has, and the body. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct pm_own_source own[2];
	struct pm_slot slots[PM_SOURCES] = { 0 };
	bool member[PM_SOURCES] = { true, true };

	for (size_t i = 0; i < 2; i++) {
		slots[i].source = &pm_source_template;
		slots[i].own = &own[i];
		FUZZ_SURE(pm_sink_init(&slots[i].sink, &pm_source_template) == 0);
	}
	while (n >= 3) {
		const size_t said = data[0] + 256U * data[1], length = said < n - 3 ? said : n - 3;
		const struct pm_message m = { .length = (uint32_t)length, .sources = data[2] % 4 };
		/* In memory of its own, so that a read beyond it is seen. */
		unsigned char *body = malloc(length ? length : 1);
		struct pm_err e = { "" };

		FUZZ_SURE(body);
		memcpy(body, data + 3, length);
		data += 3 + length;
		n -= 3 + length;
		if (pm_message_take(&m, body, member, slots, &e) < 0)
			FUZZ_SURE(e.text[0]);
		free(body);
		for (size_t i = 0; i < 2; i++) {
			check(&slots[i].sink);
			pm_sink_passed(&slots[i].sink);
		}
		/* As after the end of its reader, now and then. */
		slots[0].anew = m.sources == 3;
	}
	for (size_t i = 0; i < 2; i++) {
		pm_sink_free(&slots[i].sink);
		free(slots[i].place);
	}
	return 0;
}
