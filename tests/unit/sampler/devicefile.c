/* Numbers in files of devices, and the devices of a source that has such files. */
#include "config.h"

#include "sampler/devices/deviceset.h"
#include "sampler/kernel/devicefile.h"

#include "tests/unit/sampler/source.h"

#include <sys/syscall.h>

/* Stands for the C library's: what each reading fails with; 0: it does not. */
static int fails, reads;

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	reads++;
	if (fails) {
		errno = fails;
		return -1;
	}
	return syscall(SYS_pread64, fd, to, n, at);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static const struct {
	const char *text, *unit;
	int error; /* 0: a number */
	int64_t value;
} texts[] = {
	{ "49925\n", "", 0, 49925 },
	{ "49925", "", 0, 49925 },
	{ "-44000\n", "", 0, -44000 },
	{ "0\n", "", 0, 0 },
	{ "-0\n", "", 0, 0 },
	{ "007\n", "", 0, 7 },
	{ "240422366267 \t \n", "", 0, 240422366267 },
	{ "1\r\n\n", "", 0, 1 },
	{ "0x1f\n", "", 0, 31 },
	{ "0XfF\n", "", 0, 255 },
	{ "-0x10", "", 0, -16 },
	{ "495 W\n", "W", 0, 495 },
	{ "495W", "W", 0, 495 },
	{ "495\n", "W", 0, 495 },
	{ "495 ", "W", 0, 495 },
	{ "9223372036854775807\n", "", 0, INT64_MAX },
	{ "-9223372036854775808\n", "", 0, INT64_MIN },
	{ "0x7fffffffffffffff\n", "", 0, INT64_MAX },
	{ "9223372036854775808\n", "", EBADMSG, 0 },
	{ "-9223372036854775809\n", "", EBADMSG, 0 },
	{ "0xffffffffffffffff\n", "", EBADMSG, 0 },
	{ "99999999999999999999999\n", "", EBADMSG, 0 },
	{ "N/A (no PMA)\n", "", ENODATA, 0 },
	{ "N/A\n", "W", ENODATA, 0 },
	{ "n/a", "", ENODATA, 0 },
	{ "", "", ENODATA, 0 },
	{ "\n", "", ENODATA, 0 },
	{ "  \n", "", ENODATA, 0 },
	{ "socket \n", "", EBADMSG, 0 },
	{ "none\n", "", EBADMSG, 0 },
	{ "-\n", "", EBADMSG, 0 },
	{ "--1\n", "", EBADMSG, 0 },
	{ "+1\n", "", EBADMSG, 0 },
	{ " 1\n", "", EBADMSG, 0 },
	{ "0x\n", "", EBADMSG, 0 },
	{ "0xg\n", "", EBADMSG, 0 },
	{ "1x\n", "", EBADMSG, 0 },
	{ "12a\n", "", EBADMSG, 0 },
	{ "1.5\n", "", EBADMSG, 0 },
	{ "1e9\n", "", EBADMSG, 0 },
	{ "1,000\n", "", EBADMSG, 0 },
	{ "1 2\n", "", EBADMSG, 0 },
	{ "1\n2\n", "", EBADMSG, 0 },
	{ "495 W\n", "", EBADMSG, 0 },
	{ "495 kW\n", "W", EBADMSG, 0 },
	{ "495 Wh\n", "W", EBADMSG, 0 },
	{ "495 w\n", "W", EBADMSG, 0 },
	{ "495 J 1784929200361701 us\n", "J", EBADMSG, 0 },
	{ "W\n", "W", EBADMSG, 0 },
};

typedef int reader(const char *text, size_t n, const char *unit, int64_t *value);

/* Whether a reader answers a row as it should. */
static bool answers(reader *read_it, int row)
{
	const size_t n = strlen(texts[row].text);
	char *copy = malloc(n ? n : 1); /* no NUL behind it */
	int64_t value = 77;
	int result;

	PM_SURE(copy);
	memcpy(copy, texts[row].text, n);
	errno = 0;
	result = read_it(copy, n, texts[row].unit, &value);
	free(copy);
	return texts[row].error ? result == -1 && errno == texts[row].error && value == 77
				: result == 0 && value == texts[row].value;
}

START_TEST(numbers)
{
	ck_assert_msg(answers(pm_devicefile_parse, _i), "%s", texts[_i].text);
}
END_TEST

/* How such files are read elsewhere. */
static int read_leniently(const char *text, size_t n, const char *unit, int64_t *value)
{
	char copy[64] = "";

	(void)unit;
	memcpy(copy, text, n);
	*value = strtoll(copy, NULL, 10);
	return 0;
}

/* Noticed: a reader that takes a number off the front of anything. */
START_TEST(numbers_noticed)
{
	const int count = sizeof texts / sizeof texts[0];
	int wrong = 0;

	for (int i = 0; i < count; i++)
		wrong += !answers(read_leniently, i);
	ck_assert_int_ge(wrong, count / 2);
}
END_TEST

/* Copies of such files are a page long, filled up with NULs. */
START_TEST(padded)
{
	static const struct {
		size_t size;
		int at, error;
		char c;
	} rows[] = {
		{ 4096, 4095, 0, '\0' },       { 4096, 4095, EBADMSG, '7' },
		{ 4096, 12, EBADMSG, '7' },    { 4096, 3, 0, ' ' },
		{ 4097, 4096, EBADMSG, '\0' }, { 8192, 8191, EBADMSG, '7' },
	};
	static char page[8192];
	struct pm_devicefile f;
	int64_t value = 0;

	memset(page, 0, sizeof page);
	memcpy(page, "26716954797\n", 12);
	if (rows[_i].at > 11)
		page[rows[_i].at] = rows[_i].c;
	root_put_bytes("energy_uj", page, rows[_i].size);
	ck_assert_int_eq(pm_devicefile_open(&f, root, "energy_uj"), 0);
	errno = 0;
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), rows[_i].error ? -1 : 0);
	if (rows[_i].error)
		ck_assert_int_eq(errno, rows[_i].error);
	else
		ck_assert_int_eq(value, 26716954797);
	pm_devicefile_close(&f);
}
END_TEST

/* Several numbers in a line. */
START_TEST(taken)
{
	const char text[] = "4709337659 J 1784929200280410 us";
	const char *p = text, *end = text + strlen(text);
	int64_t value;

	ck_assert_int_eq(pm_devicefile_take(&p, end, &value), 0);
	ck_assert_int_eq(value, 4709337659);
	ck_assert_str_eq(p, " J 1784929200280410 us");
	ck_assert_int_eq(pm_devicefile_take(&p, end, &value), -1);
	p += 3;
	ck_assert_int_eq(pm_devicefile_take(&p, end, &value), 0);
	ck_assert_int_eq(value, 1784929200280410);
	ck_assert(!pm_devicefile_is_end(p, end));
	ck_assert(pm_devicefile_is_end(end, end));
}
END_TEST

START_TEST(names)
{
	char name[16];

	root_put("name", "socket \n");
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), 6);
	ck_assert_str_eq(name, "socket");
	root_put_bytes("name", "package-0\n\0\0\0", 13);
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), 9);
	ck_assert_str_eq(name, "package-0");
	root_put("name", "Package id 0");
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), 12);
	ck_assert_str_eq(name, "Package id 0");
	root_put("name", "0123456789abcdef\n");
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), -1);
	ck_assert_int_eq(errno, EFBIG);
	root_put("name", " \n");
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), -1);
	ck_assert_int_eq(errno, ENODATA);
	root_remove_path("name");
	ck_assert_int_eq(pm_devicefile_name(root, "name", name, sizeof name), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* --- files ------------------------------------------------------------------------------------ */

static const struct {
	int error;
	enum pm_reason reason;
	bool lost;
} errors[] = {
	{ ENODEV, PM_REASON_absent, true },        { ENOENT, PM_REASON_absent, true },
	{ ENXIO, PM_REASON_absent, true },         { EAGAIN, PM_REASON_unsupported, false },
	{ ENODATA, PM_REASON_unsupported, false }, { EINVAL, PM_REASON_unsupported, false },
	{ EIO, PM_REASON_unsupported, false },     { EOPNOTSUPP, PM_REASON_unsupported, false },
	{ EACCES, PM_REASON_permission, false },   { EPERM, PM_REASON_permission, false },
};

/* Open a file below the root as one of this machine, whose descriptor stays. */
static void open_kept(struct pm_devicefile *f, const char *relative)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", root + 1, relative);
	PM_SURE(pm_devicefile_open(f, "", path) == 0);
}

/* What the device says is the reason; only where it is gone is the file not read again. */
START_TEST(reasons)
{
	struct pm_devicefile f;
	int64_t value;

	root_put("temp", "-44000\n");
	open_kept(&f, "temp");
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	ck_assert_int_eq(value, -44000);
	fails = errors[_i].error;
	for (int i = 0; i < 3; i++) {
		reads = 0;
		ck_assert_int_eq(pm_devicefile_number(&f, "", &value), -1);
		ck_assert_int_eq(pm_reason_errno(errno), errors[_i].reason);
		ck_assert_int_eq(reads, i == 0 || !errors[_i].lost);
	}
	fails = 0;
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), errors[_i].lost ? -1 : 0);
	ck_assert(pm_devicefile_look(&f));
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	ck_assert_int_eq(value, -44000);
	pm_devicefile_close(&f);
}
END_TEST

/* The descriptor stays: what is written into the file is read, what takes its place is not. */
START_TEST(kept)
{
	struct pm_devicefile f;
	int64_t value;

	root_put("temp", "1\n");
	open_kept(&f, "temp");
	root_put("temp", "20\n");
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	ck_assert_int_eq(value, 20);
	root_remove_path("temp");
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	pm_devicefile_close(&f);
	/* In a recorded tree it is opened each time. */
	root_put("temp", "3\n");
	ck_assert_int_eq(pm_devicefile_open(&f, root, "temp"), 0);
	ck_assert_int_eq(f.fd, -1);
	root_remove_path("temp");
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), -1);
	ck_assert_int_eq(errno, ENOENT);
	root_put("temp", "4\n");
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), -1);
	ck_assert(pm_devicefile_look(&f));
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	ck_assert_int_eq(value, 4);
	pm_devicefile_close(&f);
}
END_TEST

/* A file that may not be read says so until it may be. */
START_TEST(permission)
{
	struct pm_devicefile f;
	char path[128];
	int64_t value;
	int result, error;
	bool found;

	root_put("energy_uj", "5\n");
	snprintf(path, sizeof path, "%s/energy_uj", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	result = pm_devicefile_open(&f, root, "energy_uj");
	error = errno;
	found = pm_devicefile_look(&f);
	root_become_self();
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(error, EACCES);
	ck_assert(!found);
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), -1);
	ck_assert_int_eq(errno, EACCES);
	PM_SURE(chmod(path, 0444) == 0);
	ck_assert(pm_devicefile_look(&f));
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), 0);
	pm_devicefile_close(&f);
}
END_TEST

/* A zeroed file holds nothing, and has nothing. */
START_TEST(zeroed)
{
	struct pm_devicefile f = { 0 };
	int64_t value;

	ck_assert(!pm_devicefile_look(&f));
	ck_assert_int_eq(pm_devicefile_number(&f, "", &value), -1);
	ck_assert_int_eq(errno, ENOENT);
	pm_devicefile_close(&f);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
}
END_TEST

/* --- devices ---------------------------------------------------------------------------------- */

enum { LEVEL, ENERGY };

static const struct pm_metric metrics[] = {
	[LEVEL] = { "level", "uW", "level", "device", false, PM_METRIC_GAUGE },
	[ENERGY] = { "energy", "uJ", "energy", "device", false, PM_METRIC_COUNTER },
};

static const struct pm_source source = { .name = "devices",
					 .metrics = metrics,
					 .metrics_count = 2 };

static struct pm_deviceset set;

/* Look for a device in a folder; NULL: there is none. */
static void look(const char *name, const char *folder, int64_t now_us)
{
	struct pm_devicevalue *v;
	struct pm_device *d;
	char path[128];

	pm_deviceset_begin(&set, now_us);
	if (folder) {
		d = pm_deviceset_get(&set, name);
		pm_deviceset_about(d, folder);
		snprintf(path, sizeof path, "%s/level", folder);
		v = pm_deviceset_file(&set, d, LEVEL, path);
		v->scale = 1000;
		snprintf(path, sizeof path, "%s/energy", folder);
		v = pm_deviceset_file(&set, d, ENERGY, path);
		v->unit = "J";
		v->scale = 1000000;
		v->rule = (struct pm_counter_rule){ 1000, 100, false };
	}
	ck_assert_uint_eq(pm_deviceset_end(&set), folder != NULL);
}

static void read_at(int64_t now_us)
{
	pm_sink_clear(&sink, PM_REASON_absent);
	pm_deviceset_read(&set, now_us);
}

static void begin_devices(void)
{
	PM_SURE(pm_sink_init(&sink, &source) == 0);
	pm_deviceset_init(&set, root, &sink);
	root_put("a/level", "-5\n");
	root_put("a/energy", "990 J\n");
	look("x", "a", 0);
	read_at(0);
}

static void end_devices(void)
{
	pm_deviceset_free(&set);
	pm_sink_free(&sink);
}

/* Units, wraps, resets, garbage; each value by itself. */
START_TEST(device)
{
	begin_devices();
	check_known("level", "x", -5000);
	check_known("energy", "x", 990000000);
	root_put("a/energy", "10 J\n");
	read_at(1000000);
	check_known("energy", "x", 1010000000);
	/* 990 in a second is more than it can. */
	root_put("a/energy", "0 J\n");
	root_put("a/level", "N/A\n");
	read_at(2000000);
	check_unknown("energy", "x", PM_REASON_wrapped);
	check_unknown("level", "x", PM_REASON_unsupported);
	root_put("a/energy", "-1 J\n");
	root_put("a/level", "9223372036854775807\n");
	read_at(3000000);
	check_unknown("energy", "x", PM_REASON_parse);
	check_unknown("level", "x", PM_REASON_parse);
	root_put("a/energy", "5 J\n");
	read_at(4000000);
	check_known("energy", "x", 1015000000);
	end_devices();
}
END_TEST

/* A device that is gone is looked for soon, then each minute; and it is the same when it is back,
 * under whichever number. */
START_TEST(vanishes)
{
	char *text = NULL;
	size_t n;
	FILE *out;

	begin_devices();
	ck_assert(!pm_deviceset_is_due(&set, 59999999));
	ck_assert(pm_deviceset_is_due(&set, 60000000));
	root_remove_path("a");
	read_at(1000000);
	check_unknown("level", "x", PM_REASON_absent);
	check_unknown("energy", "x", PM_REASON_absent);
	ck_assert(!pm_deviceset_is_due(&set, 9999999));
	ck_assert(pm_deviceset_is_due(&set, 10000000));
	look("x", NULL, 10000000);
	read_at(10000000);
	check_unknown("level", "x", PM_REASON_absent);
	ck_assert(!pm_deviceset_is_due(&set, 69999999));
	out = open_memstream(&text, &n);
	pm_deviceset_describe(&set, &sink, out);
	fclose(out);
	ck_assert_str_eq(text, "x: a, gone\n");
	free(text);
	/* Another device has its number now. */
	root_put("a/level", "1\n");
	root_put("a/energy", "2\n");
	root_put("b/level", "3\n");
	root_put("b/energy", "4\n");
	look("x", "b", 70000000);
	read_at(70000000);
	check_known("level", "x", 3000);
	/* 14 more after a minute is a wrap. */
	check_known("energy", "x", 1004000000);
	/* It changes its number while nobody reads. */
	look("x", "a", 130000000);
	read_at(130000000);
	check_known("level", "x", 1000);
	ck_assert_int_eq(objects("level"), 1);
	end_devices();
}
END_TEST

/* A value that a device has no more is absent, and the others stay. */
START_TEST(loses_value)
{
	struct pm_devicevalue *v;

	begin_devices();
	pm_deviceset_begin(&set, 60000000);
	v = pm_deviceset_file(&set, pm_deviceset_get(&set, "x"), LEVEL, "a/level");
	ck_assert_int_eq(v->scale, 1000);
	pm_deviceset_end(&set);
	read_at(60000000);
	check_known("level", "x", -5000);
	check_unknown("energy", "x", PM_REASON_absent);
	end_devices();
}
END_TEST

/* What may not be read is not lost, and costs no more looks. */
START_TEST(forbidden)
{
	char path[128];

	PM_SURE(pm_sink_init(&sink, &source) == 0);
	pm_deviceset_init(&set, root, &sink);
	root_put("a/level", "1\n");
	root_put("a/energy", "990 J\n");
	snprintf(path, sizeof path, "%s/a/energy", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	look("x", "a", 0);
	read_at(0);
	root_become_self();
	check_known("level", "x", 1000);
	check_unknown("energy", "x", PM_REASON_permission);
	ck_assert(!pm_deviceset_is_due(&set, 59999999));
	end_devices();
}
END_TEST

static Suite *devicefile_suite(void)
{
	Suite *s = suite_create("sampler_devicefile");
	TCase *t = tcase_create("devicefile");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_loop_test(t, numbers, 0, sizeof texts / sizeof texts[0]);
	tcase_add_test(t, numbers_noticed);
	tcase_add_loop_test(t, padded, 0, 6);
	tcase_add_test(t, taken);
	tcase_add_test(t, names);
	tcase_add_loop_test(t, reasons, 0, sizeof errors / sizeof errors[0]);
	tcase_add_test(t, kept);
	tcase_add_test(t, permission);
	tcase_add_test(t, zeroed);
	tcase_add_test(t, device);
	tcase_add_test(t, vanishes);
	tcase_add_test(t, loses_value);
	tcase_add_test(t, forbidden);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(devicefile_suite)
