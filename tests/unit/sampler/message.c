/* Messages of readers: what goes in comes out; damaged ones are refused or harmless. */
#include "config.h"

#include "sampler/message.h"
#include "sampler/sources/template.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

static struct pm_bytes bytes;
static struct pm_message message;
static struct pm_reading reading;
static struct pm_slot slots[PM_SOURCES];
static struct pm_own_source own;
static bool member[PM_SOURCES];

static void begin(void)
{
	memset(&bytes, 0, sizeof bytes);
	memset(slots, 0, sizeof slots);
	reading = (struct pm_reading){ .source = &pm_source_template, .available = true };
	PM_SURE(pm_sink_init(&reading.sink, reading.source) == 0);
	slots[0].source = &pm_source_template;
	slots[0].own = &own;
	PM_SURE(pm_sink_init(&slots[0].sink, slots[0].source) == 0);
	member[0] = true;
}

static void end(void)
{
	pm_sink_free(&reading.sink);
	pm_sink_free(&slots[0].sink);
	free(slots[0].place);
	free(bytes.p);
}

static void make(void)
{
	PM_SURE(pm_message_begin(&bytes, &message) == 0);
	PM_SURE(pm_message_add(&bytes, &message, 0, &reading) == 0);
	pm_message_end(&bytes, &message);
	memcpy(&message, bytes.p, sizeof message);
	PM_SURE(pm_message_is(&message));
	PM_SURE(bytes.n == sizeof message + message.length);
}

static int take(struct pm_err *e)
{
	return pm_message_take(&message, bytes.p + sizeof message, member, slots, e);
}

START_TEST(values)
{
	const struct pm_series *s;

	reading.cost_ns = 77;
	pm_sink_value(&reading.sink, 0, -5);
	ck_assert_int_eq(pm_sink_series(&reading.sink, 1, "a\tb"), 1);
	pm_sink_value(&reading.sink, 1, INT64_MAX);
	make();
	ck_assert_int_eq(take(NULL), 0);
	s = slots[0].sink.series;
	ck_assert_uint_eq(slots[0].sink.count, 2);
	ck_assert_int_eq(s[0].value, -5);
	ck_assert_str_eq(s[1].object, "a\tb");
	ck_assert_int_eq(s[1].value, INT64_MAX);
	ck_assert_uint_eq(own.cost_ns, 77);
	/* Names are told once. */
	pm_sink_unknown(&reading.sink, 0, PM_REASON_wrapped);
	pm_sink_value(&reading.sink, 1, 3);
	make();
	ck_assert_int_eq(take(NULL), 0);
	ck_assert_uint_eq(slots[0].sink.count, 2);
	ck_assert_int_eq(s[0].known, false);
	ck_assert_int_eq(s[0].reason, PM_REASON_wrapped);
	ck_assert_int_eq(s[1].value, 3);
	/* It leaves, and its number is another one's. */
	pm_sink_forget(&reading.sink, 1);
	make();
	ck_assert_int_eq(take(NULL), 0);
	ck_assert_int_eq(slots[0].sink.series[1].leaving, true);
	ck_assert_int_eq(pm_sink_series(&reading.sink, 1, "c"), 1);
	make();
	ck_assert_int_eq(take(NULL), 0);
	ck_assert_uint_eq(slots[0].sink.count, 3);
	ck_assert_str_eq(slots[0].sink.series[2].object, "c");
}
END_TEST

/* A reader that was started again has other numbers for the same series. */
START_TEST(started_again)
{
	pm_sink_series(&reading.sink, 1, "a");
	pm_sink_series(&reading.sink, 1, "b");
	make();
	ck_assert_int_eq(take(NULL), 0);
	pm_sink_free(&reading.sink);
	PM_SURE(pm_sink_init(&reading.sink, reading.source) == 0);
	pm_sink_series(&reading.sink, 1, "b");
	pm_sink_value(&reading.sink, 1, 7);
	slots[0].anew = true;
	for (size_t i = 0; i < slots[0].places; i++)
		slots[0].place[i] = -1;
	make();
	ck_assert_int_eq(take(NULL), 0);
	ck_assert_uint_eq(slots[0].sink.count, 3);
	ck_assert_int_eq(slots[0].sink.series[1].leaving, true);
	ck_assert_int_eq(slots[0].sink.series[2].value, 7);
	ck_assert_int_eq(slots[0].sink.series[2].leaving, false);
}
END_TEST

START_TEST(not_available)
{
	struct pm_err e = { "" };

	reading.available = false;
	reading.why.reason = PM_REASON_permission;
	pm_err(&reading.why.err, "/proc/x: Permission denied");
	make();
	ck_assert_int_eq(take(&e), 0);
	ck_assert_int_eq(slots[0].available, false);
	ck_assert_int_eq(slots[0].why.reason, PM_REASON_permission);
	ck_assert_str_eq(slots[0].why.err.text, "/proc/x: Permission denied");
	ck_assert_int_eq(slots[0].sink.series[0].reason, PM_REASON_permission);
	/* Of a source that it does not read. */
	member[0] = false;
	ck_assert_int_eq(take(&e), -1);
}
END_TEST

/* Every cut is noticed; any bytes leave the slots such that they can be used. */
START_TEST(damage)
{
	const uint64_t step = 0x9e3779b97f4a7c15;
	uint64_t x = 1;
	size_t length;
	unsigned char *copy;
	int refused = 0;

	for (int i = 0; i < 5; i++)
		pm_sink_series(&reading.sink, 1, "some object");
	make();
	length = message.length;
	for (size_t cut = 0; cut < length; cut++) {
		struct pm_err e = { "" };

		message.length = (uint32_t)cut;
		PM_SURE(take(&e) == -1 && e.text[0]);
	}
	copy = malloc(bytes.n);
	PM_SURE(copy);
	memcpy(copy, bytes.p, bytes.n);
	for (int i = 0; i < 2000; i++) {
		struct pm_err e = { "" };

		memcpy(bytes.p, copy, bytes.n);
		for (int k = 0; k < 3; k++) {
			x = x * 6364136223846793005 + step;
			bytes.p[sizeof message + (x >> 33) % length] = (unsigned char)(x >> 25);
		}
		message.length = (uint32_t)length;
		refused += take(&e) < 0;
		pm_sink_clear(&slots[0].sink, PM_REASON_failed);
		pm_sink_passed(&slots[0].sink);
	}
	PM_SURE(refused > 100);
	free(copy);
}
END_TEST

START_TEST(heads)
{
	make();
	message.length = PM_MESSAGE_MAX + 1;
	ck_assert_int_eq(pm_message_is(&message), false);
	message.length = 0;
	message.sources = PM_SOURCES + 1;
	ck_assert_int_eq(pm_message_is(&message), false);
	message.sources = 0;
	message.magic++;
	ck_assert_int_eq(pm_message_is(&message), false);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_message");
	TCase *t = tcase_create("message");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, values);
	tcase_add_test(t, started_again);
	tcase_add_test(t, not_available);
	tcase_add_test(t, damage);
	tcase_add_test(t, heads);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
