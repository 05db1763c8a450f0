/* The driver amdgpu's gpu_metrics: every format, cut, unknown. */
#include "config.h"

#include "sampler/devices/gpu/amdmetrics.h"

#include "tests/unit/main.h"

#include <errno.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The kernel's structures up to the energy, the rest as bytes. */
#define HEADER                                                                                     \
	struct {                                                                                   \
		uint16_t size;                                                                     \
		uint8_t format, content;                                                           \
	} header
struct metrics_1_0 {
	HEADER;
	uint64_t clock;
	uint16_t temperature[6], activity[3], power;
	uint32_t energy;
	char rest[44];
};
struct metrics_1_1 {
	HEADER;
	uint16_t temperature[6], activity[3], power;
	uint64_t energy, clock;
	char rest[80];
};
struct metrics_1_4 {
	HEADER;
	uint16_t temperature[3], power, activity[2], vcn[4];
	uint64_t energy, clock;
	char rest[200];
};
struct metrics_1_5 {
	HEADER;
	uint16_t temperature[3], power, activity[2], vcn[4], jpeg[32];
	uint64_t energy, clock;
	char rest[200];
};
struct metrics_1_6 {
	HEADER;
	uint16_t temperature[3], power, activity[2];
	uint64_t energy, clock;
	char rest[1000];
};
struct metrics_1_7 {
	HEADER;
	uint16_t temperature[3], power, activity[2];
	uint64_t bandwidth, energy, clock;
	char rest[1000];
};

static const struct {
	uint8_t content;
	size_t size, at, wide;
} formats[] = {
#define FORMAT(content, like)                                                                      \
	{                                                                                          \
		content, sizeof(struct metrics_##like), offsetof(struct metrics_##like, energy),   \
			sizeof(((struct metrics_##like *)0)->energy)                               \
	}
	FORMAT(0, 1_0), FORMAT(1, 1_1), FORMAT(2, 1_1), FORMAT(3, 1_1), FORMAT(4, 1_4),
	FORMAT(5, 1_5), FORMAT(6, 1_6), FORMAT(7, 1_7), FORMAT(8, 1_7),
};

START_TEST(formats_of_gpus)
{
	int64_t count;
	union {
		HEADER;
		char bytes[2048];
	} m;
	const uint64_t all = UINT64_MAX, energy = 0x12345678, half = UINT32_MAX, none = 0;
	const size_t at = formats[_i].at, size = formats[_i].size;

	memset(&m, 0xee, sizeof m);
	m.header.size = (uint16_t)size;
	m.header.format = 1;
	m.header.content = formats[_i].content;
	memcpy(m.bytes + at, &energy, formats[_i].wide);
	ck_assert_int_eq(pm_amdmetrics_energy(m.bytes, size, &count), 0);
	ck_assert_int_eq(count, 4660337768); /* 0x12345678 / 65536 J */
	/* Shorter than it says. */
	ck_assert_int_eq(pm_amdmetrics_energy(m.bytes, size - 1, &count), -1);
	ck_assert_int_eq(errno, EBADMSG);
	/* And too short. */
	m.header.size = (uint16_t)(at + formats[_i].wide - 1);
	ck_assert_int_eq(pm_amdmetrics_energy(m.bytes, size, &count), -1);
	ck_assert_int_eq(errno, EBADMSG);
	m.header.size = (uint16_t)size;
	/* Unknown; and the second die of an MI250X. */
	for (int i = 0; i < 3; i++) {
		memcpy(m.bytes + at, i == 0 ? &all : i == 1 ? &half : &none, formats[_i].wide);
		ck_assert_int_eq(pm_amdmetrics_energy(m.bytes, size, &count), -1);
		ck_assert_int_eq(errno, ENODATA);
	}
}
END_TEST

static const struct {
	uint8_t format, content;
	size_t n;
	int error;
} others[] = {
	/* Of an APU, and made otherwise. */
	{ 2, 3, 120, ENODATA },
	{ 3, 0, 120, ENODATA },
	{ 1, 9, 120, ENODATA },
	/* Cut. */
	{ 1, 3, 3, EBADMSG },
	{ 1, 3, 0, EBADMSG },
};

START_TEST(other_formats)
{
	int64_t count;
	union {
		HEADER;
		char bytes[120];
	} m;

	memset(&m, 1, sizeof m);
	m.header.size = sizeof m;
	m.header.format = others[_i].format;
	m.header.content = others[_i].content;
	ck_assert_int_eq(pm_amdmetrics_energy(m.bytes, others[_i].n, &count), -1);
	ck_assert_int_eq(errno, others[_i].error);
}
END_TEST

static Suite *amdmetrics_suite(void)
{
	Suite *s = suite_create("sampler_amdmetrics");
	TCase *t = tcase_create("amdmetrics");

	tcase_add_loop_test(t, formats_of_gpus, 0, COUNT(formats));
	tcase_add_loop_test(t, other_formats, 0, COUNT(others));
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(amdmetrics_suite)
