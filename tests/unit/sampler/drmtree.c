/* Source drm: clients of GPUs' drivers that the processes of a tree have. */
#include "config.h"

#include "sampler/kernel/drmclient.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/process.h"
#include "tests/unit/sampler/source.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define AMD                                                                                        \
	"pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t1239\ndrm-driver:\tamdgpu\n"                \
	"drm-client-id:\t4\ndrm-pdev:\t0000:04:00.0\npasid:\t32771\n"

/* Give a process a descriptor of this target, about which fdinfo has the text. */
static void put_fd(pid_t pid, int fd, const char *target, const char *text)
{
	char path[256], whole[512];

	snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
	root_put(path, text);
	snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
	root_remove_path(path);
	root_put(path, "");
	snprintf(whole, sizeof whole, "%s/%s", root, path);
	PM_SURE(unlink(whole) == 0);
	PM_SURE(symlink(target, whole) == 0);
}

static void take_fd(pid_t pid, int fd)
{
	char path[256];

	snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
	root_remove_path(path);
}

#define RENDER "/dev/dri/renderD128"

static void set_up(void)
{
	tree_begin();
	record((struct process){ .pid = 100, .ppid = 1 });
	root_put("sys/class/drm/renderD128/dev", "226:128\n");
}

static void tear_down(void)
{
	if (state)
		end();
	tree_end();
}

static void start(void)
{
	scan();
	ck_assert_int_eq(begin_on(&pm_source_drm,
				  &(struct pm_target){ .root = root, .pid = 100, .tree = tree }),
			 0);
}

static void look(void)
{
	scan();
	sample();
}

/* --- what a file says ------------------------------------------------------------------------- */

START_TEST(parse)
{
	static const char text[] =
		AMD "drm-total-gtt:\t2392 KiB\ndrm-shared-gtt:\t0\ndrm-resident-vram:\t3 MiB\n"
		    "drm-memory-vram:\t9 KiB\ndrm-memory-old: \t7 KiB\ndrm-engine-gfx:\t5 ns\n"
		    "drm-engine-capacity-gfx:\t2\ndrm-cycles-rcs:\t28257900\n"
		    "drm-total-cycles-rcs:\t7655183225\ndrm-maxfreq-gfx:\t2400 MHz\n"
		    "amd-requested-vram:\t1 KiB\n";
	struct pm_drmclient c;

	ck_assert_int_eq(pm_drmclient_parse(&c, text, strlen(text)), 0);
	ck_assert_str_eq(c.device, "0000:04:00.0");
	ck_assert_int_eq(c.id, 4);
	ck_assert_uint_eq(c.regions, 3);
	ck_assert_str_eq(c.region[0].name, "gtt");
	ck_assert_int_eq(c.region[0].total, 2449408);
	ck_assert_int_eq(c.region[0].shared, 0);
	ck_assert_int_eq(c.region[0].resident, -1);
	ck_assert_int_eq(c.region[1].resident, 3145728); /* and nothing for its old name */
	ck_assert_int_eq(c.region[1].total, -1);
	ck_assert_int_eq(c.region[2].resident, 7168);
	ck_assert_uint_eq(c.engines, 2);
	ck_assert_str_eq(c.engine[0].name, "gfx");
	ck_assert_int_eq(c.engine[0].ns, 5);
	ck_assert_int_eq(c.engine[0].capacity, 2);
	ck_assert_int_eq(c.engine[0].cycles, -1);
	ck_assert_int_eq(c.engine[1].ns, -1);
	ck_assert_int_eq(c.engine[1].cycles, 28257900);
	ck_assert_int_eq(c.engine[1].total_cycles, 7655183225);
	ck_assert_int_eq(c.engine[1].capacity, -1);
}
END_TEST

static const struct {
	const char *text;
	int error; /* 0: the device is the driver */
} texts[] = {
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\n", 0 },
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\ndrm-engine-bin:\t1 ns\ndrm-engine-", 0 },
	{ "", ENOENT },
	{ "pos:\t0\nflags:\t02\n", ENOENT },
	{ "drm-driver:\tnvidia-drm\n", ENOENT },
	{ "drm-client-id:\t7\n", ENOENT },
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\ndrm-engine-bin:\tx ns\n", EBADMSG },
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\ndrm-engine-bin:\t1 s\n", EBADMSG },
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\ndrm-engine-bin:\t-1 ns\n", EBADMSG },
	{ "drm-driver:\tv3d\ndrm-client-id:\t7\ndrm-total-a:\t9223372036854775807 KiB\n", EBADMSG },
};

START_TEST(forms)
{
	struct pm_drmclient c;
	const int rc = pm_drmclient_parse(&c, texts[_i].text, strlen(texts[_i].text));

	if (texts[_i].error) {
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(errno, texts[_i].error);
	} else {
		ck_assert_int_eq(rc, 0);
		ck_assert_str_eq(c.device, "v3d");
	}
}
END_TEST

/* --- sums ------------------------------------------------------------------------------------- */

/* Another client's. */
#define OTHER(device, id, ns)                                                                      \
	"drm-driver:\tamdgpu\ndrm-pdev:\t" device "\ndrm-client-id:\t" id                          \
	"\ndrm-engine-compute:\t" ns " ns\n"
#define VALUES(ns) AMD "drm-engine-compute:\t" ns " ns\ndrm-resident-vram:\t10 KiB\n"

/* A client counts once, whoever shares it; it keeps its time when it is gone. */
START_TEST(shared)
{
	put_fd(100, 5, RENDER, VALUES("1000"));
	put_fd(100, 6, RENDER, VALUES("1000"));
	put_fd(100, 7, "/dev/null", VALUES("1000"));
	record((struct process){ .pid = 101, .ppid = 100 });
	put_fd(101, 5, RENDER, VALUES("1000"));
	record((struct process){ .pid = 50, .ppid = 1 });
	put_fd(50, 5, RENDER, OTHER("0000:04:00.0", "9", "77"));
	start();
	look();
	check_known("clients", "", 1);
	check_known("engine_time", "0000:04:00.0/compute", 1000);
	check_known("engine_capacity", "0000:04:00.0/compute", 1);
	check_known("memory_resident", "0000:04:00.0/vram", 10240);
	check_known("process_time", "0000:04:00.0/100", 1000);
	check_known("process_memory", "0000:04:00.0/100", 10240);
	ck_assert_int_eq(objects("process_time"), 1);
	/* Another one; and a time that falls waits until it has caught up. */
	put_fd(101, 8, RENDER, OTHER("0000:04:00.0", "10", "500"));
	put_fd(100, 5, RENDER, VALUES("900"));
	look();
	check_known("clients", "", 2);
	check_known("engine_time", "0000:04:00.0/compute", 1500);
	check_known("process_time", "0000:04:00.0/101", 500);
	/* The parent's descriptors are closed, then the child is gone. */
	take_fd(100, 5);
	take_fd(100, 6);
	put_fd(101, 5, RENDER, VALUES("3000"));
	look();
	check_known("clients", "", 2);
	check_known("engine_time", "0000:04:00.0/compute", 3500);
	forget(101);
	look();
	check_known("clients", "", 0);
	check_known("engine_time", "0000:04:00.0/compute", 3500);
	check_known("memory_resident", "0000:04:00.0/vram", 0);
	check_known("process_time", "0000:04:00.0/100", 3000);
	check_unknown("process_time", "0000:04:00.0/101", PM_REASON_absent);
	pm_sink_passed(&sink);
	ck_assert_int_eq(objects("process_time"), 1);
	/* Its number is another client's later, and one's of another GPU. */
	put_fd(100, 9, RENDER, VALUES("40"));
	put_fd(100, 10, RENDER, OTHER("0000:05:00.0", "4", "7"));
	look();
	check_known("clients", "", 2);
	check_known("engine_time", "0000:04:00.0/compute", 3540);
	check_known("engine_time", "0000:05:00.0/compute", 7);
}
END_TEST

/* A client whose first process is gone is that of another one. */
START_TEST(inherited)
{
	record((struct process){ .pid = 101, .ppid = 100 });
	record((struct process){ .pid = 102, .ppid = 101 });
	put_fd(101, 5, RENDER, VALUES("1000"));
	put_fd(102, 5, RENDER, VALUES("1000"));
	start();
	look();
	check_known("process_time", "0000:04:00.0/101", 1000);
	forget(101);
	record((struct process){ .pid = 102, .ppid = 1 });
	look();
	check_unknown("process_time", "0000:04:00.0/101", PM_REASON_absent);
	check_known("process_time", "0000:04:00.0/102", 1000);
	check_known("engine_time", "0000:04:00.0/compute", 1000);
}
END_TEST

/* What is no client is looked at again after a minute; a new descriptor at once. */
START_TEST(remembered)
{
	put_fd(100, 3, "/dev/null", "pos:\t0\n");
	put_fd(100, 4, RENDER, "pos:\t0\ndrm-driver:\tnvidia-drm\n");
	start();
	look();
	check_known("clients", "", 0);
	put_fd(100, 3, RENDER, VALUES("1000"));
	put_fd(100, 4, RENDER, OTHER("0000:04:00.0", "11", "5"));
	look();
	check_known("clients", "", 0);
	put_fd(100, 70000, RENDER, VALUES("1000"));
	look();
	check_known("clients", "", 1);
	take_fd(100, 70000);
	later_s += 61;
	look();
	check_known("clients", "", 2);
	check_known("engine_time", "0000:04:00.0/compute", 1005);
}
END_TEST

static void close_folder(const char *relative, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, relative);
	PM_SURE(chmod(path, mode) == 0);
}

/* With a process, or a client, that cannot be read, the sums are not known, and go on later. */
START_TEST(permission)
{
	static const char *const what[] = { "proc/101/fd", "proc/101/fdinfo/5" };

	record((struct process){ .pid = 101, .ppid = 100 });
	put_fd(100, 5, RENDER, VALUES("1000"));
	put_fd(101, 5, RENDER, OTHER("0000:04:00.0", "9", "77"));
	start();
	look();
	check_known("engine_time", "0000:04:00.0/compute", 1077);
	close_folder(what[_i], 0);
	root_become_plain_user();
	sample();
	root_become_self();
	check_unknown("engine_time", "0000:04:00.0/compute", PM_REASON_permission);
	check_unknown("clients", "", PM_REASON_permission);
	close_folder(what[_i], 0755);
	look();
	check_known("engine_time", "0000:04:00.0/compute", 1077);
	put_fd(101, 5, RENDER, "drm-driver:\tamdgpu\ndrm-client-id:\tx\ndrm-engine-a:\t?\n");
	look();
	check_unknown("clients", "", PM_REASON_parse);
}
END_TEST

START_TEST(none)
{
	struct pm_target target = { .root = root, .pid = 100 };

	ck_assert_int_eq(begin_on(&pm_source_drm, &target), -1);
	pm_sink_free(&sink);
	scan();
	target.tree = tree;
	root_remove_path("sys/class/drm/renderD128");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(begin_on(&pm_source_drm, &target), -1);
		ck_assert_int_eq(why.reason, PM_REASON_absent);
		pm_sink_free(&sink);
		root_remove_path("sys/class/drm");
	}
	state = NULL;
}
END_TEST

/* --- recorded clients ------------------------------------------------------------------------- */

/* Put a recorded file as that of a descriptor. */
static void put_recorded(pid_t pid, int fd, const char *name)
{
	char path[256], text[4096];
	ssize_t n;
	int file;

	snprintf(path, sizeof path, "%s/%s", root, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	PM_SURE(file >= 0);
	n = read(file, text, sizeof text - 1);
	PM_SURE(n > 0);
	close(file);
	text[n] = '\0';
	put_fd(pid, fd, RENDER, text);
}

/* Every value of the files, once, although they are there three times each. */
START_TEST(recorded)
{
	fixture_device("drm/fdinfo");
	record((struct process){ .pid = 101, .ppid = 100 });
	for (int fd = 5; fd < 7; fd++) {
		put_recorded(100, fd, "amdgpu.txt");
		put_recorded(100, fd + 10, "xe.txt");
	}
	put_recorded(101, 5, "amdgpu.txt");
	put_recorded(101, 15, "xe.txt");
	start();
	look();
	check_known("clients", "", 2);
	check_known("engine_time", "0000:04:00.0/compute", 46464671);
	check_known("memory_resident", "0000:04:00.0/vram", 45633536);
	check_known("memory_total", "0000:04:00.0/vram", 45633536);
	check_known("memory_shared", "0000:04:00.0/vram", 31952 * 1024);
	check_known("memory_resident", "0000:04:00.0/gtt", 2392 * 1024);
	check_known("memory_resident", "0000:04:00.0/cpu", 0);
	check_known("process_time", "0000:04:00.0/100", 46464671);
	check_known("process_memory", "0000:04:00.0/100", (44564 + 2392) * 1024);
	/* 0.369 %, and no time. */
	check_known("engine_cycles", "0000:03:00.0/rcs", 28257900);
	check_known("engine_total_cycles", "0000:03:00.0/rcs", 7655183225);
	ck_assert(!has_object("engine_time", "0000:03:00.0/rcs"));
	check_known("engine_cycles", "0000:03:00.0/ccs", 0);
	check_known("engine_capacity", "0000:03:00.0/ccs", 4);
	check_known("engine_capacity", "0000:03:00.0/vcs", 2);
	check_known("engine_capacity", "0000:03:00.0/bcs", 1);
	check_known("memory_total", "0000:03:00.0/vram0", 23992 * 1024);
	check_known("memory_shared", "0000:03:00.0/vram0", 16777216);
	check_known("memory_total", "0000:03:00.0/stolen", 0);
	check_known("process_memory", "0000:03:00.0/100", (192 + 23992) * 1024);
}
END_TEST

static Suite *drmtree_suite(void)
{
	Suite *s = suite_create("sampler_drmtree");
	TCase *t = tcase_create("drmtree");
	char path[512];

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, parse);
	tcase_add_loop_test(t, forms, 0, COUNT(texts));
	tcase_add_test(t, shared);
	tcase_add_test(t, inherited);
	tcase_add_test(t, remembered);
	tcase_add_loop_test(t, permission, 0, 2);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, recorded);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(drmtree_suite)
