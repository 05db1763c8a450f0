/* Source import: forms of text, units, commands that hang or are hostile, whom root trusts. */
#include "config.h"

#include "common/settings/readconfig.h"
#include "sampler/devices/import/importrun.h"
#include "sampler/devices/import/importvalue.h"
#include "tests/unit/sampler/source.h"

#include <signal.h>
#include <time.h>

static char command[600], power[512], file[512];

static void set(enum pm_setting setting, const char *value)
{
	struct pm_err e;

	PM_SURE(pm_config_set(setting, value, &e) == 0);
}

static void set_up(void)
{
	root_make();
	snprintf(file, sizeof file, "%s/values", root);
	snprintf(command, sizeof command, "/bin/cat %s", file);
	snprintf(power, sizeof power, "%s/power", root);
	set(PM_SET_import_command, "");
	set(PM_SET_power_command, "");
	set(PM_SET_import_file, "");
	set(PM_SET_import_limit, "5s");
}

/* Sample what a command prints. */
static void import(const char *text)
{
	root_put("values", text);
	set(PM_SET_import_command, command);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
}

/* Write a script that is run as a command. */
static void put_script(const char *name, const char *text)
{
	char path[512];

	root_put(name, text);
	snprintf(path, sizeof path, "%s/%s", root, name);
	PM_SURE(chmod(path, 0755) == 0);
}

static char *describe(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	PM_SURE(out);
	pm_source_import.describe(state, &sink, out);
	PM_SURE(fclose(out) == 0);
	return text;
}

/* Every unit by its factor. */
START_TEST(units)
{
	static const struct {
		const char *line, *metric, *name;
		int64_t value;
	} rows[] = {
		{ "p1 220 W\n", "power", "p1", 220000000 },
		{ "p2 1.5 kW\n", "power", "p2", 1500000000 },
		{ "p3 -3 mW\n", "power", "p3", -3000 },
		{ "e1_total 7 J\n", "energy", "e1_total", 7000000 },
		{ "e2 1.25 kWh\n", "energy_level", "e2", 4500000000000 },
		{ "e3 2 Wh counter\n", "energy", "e3", 7200000000 },
		{ "t1 -44 degC\n", "temperature", "t1", -44000 },
		{ "t2 27.3 C\n", "temperature", "t2", 27300 },
		{ "b1 9007199254740993 B counter\n", "bytes", "b1", 9007199254740993 },
		{ "b2 3 KiB\n", "size", "b2", 3072 },
		{ "b3 3 kB\n", "size", "b3", 3000 },
		{ "b4 313.54 MiB counter\n", "bytes", "b4", 328770519 },
		{ "s1 1.5 s\n", "duration", "s1", 1500000 },
		{ "s2_total 2500 ns\n", "time", "s2_total", 3 },
		{ "s3 12 ms\n", "duration", "s3", 12000 },
		{ "c1 12.34 %\n", "share", "c1", 1234 },
		{ "c2 0.5 ratio\n", "share", "c2", 5000 },
		{ "n1 1.2e+09 n counter\n", "count", "n1", 1200000000 },
		{ "n2 5 n gauge\n", "level", "n2", 5 },
		{ "f1 2.4 GHz\n", "frequency", "f1", 2400000000 },
		{ "v1 12 mV\n", "voltage", "v1", 12000 },
		{ "a1 2 A", "current", "a1", 2000000 },
	};
	char text[2048] = "";

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		strcat(text, rows[i].line);
	import(text);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_known(rows[i].metric, rows[i].name, rows[i].value);
	end();
}
END_TEST

/* What is wrong leaves the other lines alone, and is told once. */
START_TEST(hostile)
{
	char *text;
	int told = 0;

	import("good1 1 n\n"
	       "\033[2Jevil 2 n\n"
	       "good2 2 W\n"
	       "parsecs 3 pc\n"
	       "good1 4 n\n"
	       "huge 99999999999999999999 B\n"
	       "huge2 1e300 W\n"
	       "nothing NaN W\n"
	       "infinite +Inf n\n"
	       "word word n\n"
	       "hex 0x10 n\n"
	       "kind 1 n level\n"
	       "many 1 n gauge more\n"
	       "alone\n"
	       "unclosed{a=\"b 1\n"
	       "\n   \n"
	       "good3 3 degC");
	check_known("level", "good1", 1);
	check_known("power", "good2", 2000000);
	check_known("temperature", "good3", 3000);
	check_unknown("size", "huge", PM_REASON_parse);
	check_unknown("power", "huge2", PM_REASON_parse);
	check_unknown("power", "nothing", PM_REASON_absent);
	check_unknown("level", "infinite", PM_REASON_absent);
	ck_assert_int_eq(objects("level"), 2);
	ck_assert_int_eq(objects("power"), 3);
	sample();
	text = describe();
	ck_assert_ptr_nonnull(strstr(text, "unit not known: pc\n"));
	ck_assert_ptr_nonnull(strstr(text, "characters that are not printable\n"));
	ck_assert_ptr_nonnull(strstr(text, "a second value of the same name: good1\n"));
	ck_assert_ptr_eq(strchr(text, '\033'), NULL);
	/* Once for two readings. */
	for (const char *p = text; (p = strstr(p, "unit not known")) != NULL; p++)
		told++;
	ck_assert_int_eq(told, 1);
	free(text);
	end();
}
END_TEST

/* A counter that falls was reset; what is not there any more is absent. */
START_TEST(counters)
{
	import("bytes_total 100 B\nlevel 9 n\n");
	check_known("bytes", "bytes_total", 100);
	root_put("values", "bytes_total 30 B\n");
	sample();
	check_unknown("bytes", "bytes_total", PM_REASON_wrapped);
	check_unknown("level", "level", PM_REASON_absent);
	root_put("values", "bytes_total 35 B\n");
	sample();
	check_known("bytes", "bytes_total", 135);
	root_put("values", "bytes_total -35 B\n");
	sample();
	check_unknown("bytes", "bytes_total", PM_REASON_parse);
	end();
}
END_TEST

/* The form of node_exporter's textfile collector. */
START_TEST(prometheus)
{
	import("# HELP disk_bytes_total Bytes.\n# TYPE disk_bytes_total counter\n"
	       "disk_bytes_total{disk=\"a b\",mode=\"}\\\"\"} 1024 1395066363000\n"
	       "# TYPE node_power_watts gauge\nnode_power_watts 12.5\n"
	       "# TYPE jobs counter\njobs 3\nother 4\n"
	       "up_seconds_total 1.5e1\nfan_ratio 0.25\ntemp_celsius{zone=\"1\"} NaN\n# EOF\n");
	check_known("bytes", "disk_bytes_total{disk=\"a b\",mode=\"}\\\"\"}", 1024);
	check_known("power", "node_power_watts", 12500000);
	check_known("count", "jobs", 3);
	check_known("level", "other", 4);
	check_known("time", "up_seconds_total", 15000000);
	check_known("share", "fan_ratio", 2500);
	check_unknown("temperature", "temp_celsius{zone=\"1\"}", PM_REASON_absent);
	end();
}
END_TEST

/* DCMI as freeipmi and ipmitool print it; sensors; a number alone. */
START_TEST(ipmi)
{
	import("Current Power                        : 332 Watts\n"
	       "Minimum Power over sampling duration : 68 watts\n"
	       "Time Stamp                           : 11/03/2023 - 08:36:29\n"
	       "Power Measurement                    : Active\n"
	       "Pwr Consumption  | 220.000    | Watts      | ok    | na        | 10.0 | 20.0\n"
	       "PSU1 Power       | 77h | ok  | 10.1 | 110 Watts\n"
	       "System Level     | 168 Watts         | ok\n"
	       "No Reading       | na         | Watts      | na\n"
	       "Inlet Temp       | 23.000     | degrees C  | ok\n"
	       "Average Node Power : 95 Watts\n");
	check_known("power", "ipmi/current", 332000000);
	check_known("power", "ipmi/minimum", 68000000);
	check_known("power", "ipmi/Pwr_Consumption", 220000000);
	check_known("power", "ipmi/PSU1_Power", 110000000);
	check_known("power", "ipmi/System_Level", 168000000);
	check_unknown("power", "ipmi/No_Reading", PM_REASON_absent);
	check_known("power", "ipmi/Average_Node_Power", 95000000);
	ck_assert_int_eq(objects("power"), 7);
	/* 0 W is none; so is what is not measured. */
	root_put("values", "Current Power : 0 Watts\nPower Measurement : Active\n");
	sample();
	check_unknown("power", "ipmi/current", PM_REASON_unsupported);
	root_put("values", "    Instantaneous power reading:   12 Watts\n"
			   "    Power reading state is:   deactivated\n");
	sample();
	check_unknown("power", "ipmi/current", PM_REASON_unsupported);
	end();
	set(PM_SET_import_command, "");
	root_put("power", "344.5\n");
	snprintf(command, sizeof command, "/bin/cat %s", power);
	set(PM_SET_power_command, command);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_known("power", "node", 344500000);
	root_put("power", "1.2 kW\n");
	sample();
	check_known("power", "node", 1200000000);
	root_put("power", "1.2 J\n");
	sample();
	check_unknown("power", "node", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(gpfs)
{
	import("_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 1579358234 _tu_ 53212 _cl_ c _fs_ "
	       "scratch "
	       "_d_ "
	       "48 _br_ 205607400434 _bw_ 7 _oc_ 1 _cc_ 2 _rdc_ 3 _wc_ 4 _dir_ 5 _iu_ 6\n"
	       "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 1 _t_ 1 _tu_ 1 _cl_ c _fs_ gone _br_ 99\n"
	       "_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 1 _tu_ 2 _br_ 8 _bw_ 9\n");
	check_known("level", "gpfs/scratch/disks", 48);
	check_known("bytes", "gpfs/scratch/bytes_read", 205607400434);
	check_known("bytes", "gpfs/scratch/bytes_written", 7);
	check_known("count", "gpfs/scratch/inode_updates", 6);
	check_known("duration", "gpfs/scratch/stamp", 1579358234053212);
	check_known("bytes", "gpfs/all/bytes_read", 8);
	check_known("duration", "gpfs/all/stamp", 1000002);
	ck_assert(!has_object("bytes", "gpfs/gone/bytes_read"));
	end();
}
END_TEST

START_TEST(beegfs)
{
	import("====== 10 s ======\n"
	       "Sum:         99 [sum]  5 [ops-rd]  1.5 [MiB-rd]\n"
	       "10.1.2.3     61957 [sum]  22385 [ops-rd]  313.54 [MiB-rd]  21504 [ops-wr]  84 "
	       "[MiB-wr]  1.2e+09 [statfs]\n");
	check_known("count", "beegfs/10.1.2.3/sum", 61957);
	check_known("count", "beegfs/10.1.2.3/ops-rd", 22385);
	check_known("bytes", "beegfs/10.1.2.3/bytes_read", 328770519);
	check_known("bytes", "beegfs/10.1.2.3/bytes_written", 88080384);
	check_known("count", "beegfs/10.1.2.3/statfs", 1200000000);
	check_known("bytes", "beegfs/Sum/bytes_read", 1572864);
	end();
}
END_TEST

START_TEST(capmc)
{
	import("{\"e\":0,\"err_msg\":\"\",\"nodes\":[{\"nid\":8,\"energy\":1234,\"time\":5},"
	       "{\"nid\":9,\"energy_ctr\":99},{\"nid\":\"x\",\"energy\":1}]}\n");
	check_known("energy_level", "capmc/nid8/energy", 1234000000);
	check_known("energy", "capmc/nid9/energy", 99000000);
	root_put("values", "{\"e\":22,\"nodes\":[{\"nid\":8,\"energy\":7}]}");
	sample();
	check_unknown("energy_level", "capmc/nid8/energy", PM_REASON_absent);
	root_put("values", "{\"e\":");
	sample();
	check_unknown("energy_level", "capmc/nid8/energy", PM_REASON_absent);
	end();
}
END_TEST

/* A file, and the files of a directory; one that is not there yet. */
START_TEST(files)
{
	set(PM_SET_import_file, file);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_unknown("took", "import_file", PM_REASON_absent);
	root_put("values", "here 3 n\n");
	sample();
	check_known("level", "here", 3);
	ck_assert(series("age", "import_file")->known);
	end();
	snprintf(file, sizeof file, "%s/d", root);
	set(PM_SET_import_file, file);
	root_put("d/a.prom", "a 1");
	root_put("d/b.prom", "b 2\n");
	root_put("d/c.prom.tmp", "c 3\n");
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_known("level", "a", 1);
	check_known("level", "b", 2);
	ck_assert_int_eq(objects("level"), 2);
	end();
}
END_TEST

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What hangs is killed with what it started, and late; the other command's values are there. */
START_TEST(hangs)
{
	char path[128], text[600];
	int64_t begun;
	int pid = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/pid", root);
	snprintf(text, sizeof text,
		 "#!/bin/sh\n/bin/sleep 100 &\necho $! >%s\necho first 1 n\n"
		 "[ -e %s/go ] || wait\n/bin/kill -9 $!\n",
		 path, root);
	put_script("hang", text);
	snprintf(text, sizeof text, "%s/hang", root);
	set(PM_SET_import_command, text);
	root_put("power", "5 W\n");
	snprintf(text, sizeof text, "/bin/cat %s", power);
	set(PM_SET_power_command, text);
	set(PM_SET_import_limit, "300ms");
	root_put("go", "");
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_known("level", "first", 1);
	snprintf(text, sizeof text, "%s/go", root);
	PM_SURE(unlink(text) == 0);
	begun = now_ms();
	sample();
	ck_assert_int_lt(now_ms() - begun, 3000);
	check_unknown("level", "first", PM_REASON_late);
	check_unknown("took", "import_command", PM_REASON_late);
	check_known("power", "node", 5000000);
	f = fopen(path, "r");
	PM_SURE(f && fscanf(f, "%d", &pid) == 1 && fclose(f) == 0);
	/* Gone, or a zombie that its new parent has not looked at. */
	for (int i = 0; i < 100 && kill(pid, 0) == 0; i++) {
		char state_of = 0;

		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		f = fopen(path, "r");
		if (!f || fscanf(f, "%*d %*s %c", &state_of) != 1 || state_of == 'Z')
			i = 100;
		if (f)
			fclose(f);
		ck_assert(i != 99);
		usleep(10000);
	}
	end();
}
END_TEST

/* A command that fails, one that writes without end, one that is not there. */
START_TEST(fails)
{
	char text[600];

	put_script("fail", "#!/bin/sh\necho first 1 n\n[ -e /proc/$PPID/root ] && exit 3\n");
	snprintf(text, sizeof text, "%s/fail", root);
	set(PM_SET_import_command, text);
	set(PM_SET_power_command, "/bin/cat /dev/zero");
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_unknown("took", "import_command", PM_REASON_failed);
	check_unknown("took", "power_command", PM_REASON_parse);
	end();
	set(PM_SET_power_command, "/nowhere/x");
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "power_command: /nowhere/x"));
	pm_sink_free(&sink);
	set(PM_SET_power_command, "cat x");
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_ptr_nonnull(strstr(why.err.text, "absolute path"));
	pm_sink_free(&sink);
}
END_TEST

/* Nothing of the job's environment reaches a command, and no shell reads its words. */
START_TEST(apart)
{
	put_script("env", "#!/bin/sh\nfor w do echo \"$w 1 n\"; done\n"
			  "[ -z \"$LD_PRELOAD$HOME$PERFMON_OUTPUT\" ] && echo clean 1 n\n"
			  "[ \"$(cat)\" = '' ] && echo empty 1 n\n");
	snprintf(command, sizeof command, "%s/env a;b $HOME", root);
	PM_SURE(setenv("PERFMON_OUTPUT", "x", 1) == 0);
	set(PM_SET_import_command, command);
	ck_assert_int_eq(begin(&pm_source_import), 0);
	sample();
	check_known("level", "a;b", 1);
	check_known("level", "$HOME", 1);
	check_known("level", "clean", 1);
	check_known("level", "empty", 1);
	end();
}
END_TEST

/* What others can change is not run or read. */
START_TEST(trust)
{
	char text[1100], link[600];

	import("here 3 n\n");
	check_known("level", "here", 3);
	/* Afterwards, too. */
	PM_SURE(chmod(file, 0666) == 0);
	sample();
	check_unknown("level", "here", PM_REASON_permission);
	end();
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_int_eq(why.reason, PM_REASON_permission);
	snprintf(text, sizeof text, "chmod go-w %s", file);
	ck_assert_ptr_nonnull(strstr(why.err.text, text));
	pm_sink_free(&sink);
	PM_SURE(chmod(file, 0644) == 0);
	PM_SURE(chmod(root, 0777) == 0);
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_ptr_nonnull(strstr(why.err.text, "chmod go-w"));
	pm_sink_free(&sink);
	PM_SURE(chmod(root, 0755) == 0);
	if (getuid() != 0)
		return;
	PM_SURE(chown(file, 1234, 0) == 0);
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_ptr_nonnull(strstr(why.err.text, "belongs to uid 1234"));
	ck_assert_ptr_nonnull(strstr(why.err.text, "chown root"));
	pm_sink_free(&sink);
	PM_SURE(chown(file, 0, 0) == 0);
	/* By a link in a directory of somebody else's. */
	snprintf(link, sizeof link, "%s/theirs", root);
	PM_SURE(mkdir(link, 0755) == 0);
	snprintf(text, sizeof text, "%s/theirs/link", root);
	PM_SURE(symlink(file, text) == 0 && chown(link, 1234, 0) == 0);
	set(PM_SET_import_command, "");
	set(PM_SET_import_file, text);
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_ptr_nonnull(strstr(why.err.text, "belongs to uid 1234"));
	pm_sink_free(&sink);
}
END_TEST

/* Not configured: not there, and no process of its own. */
START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_import), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	ck_assert_int_eq(pm_source_import.apart_us(), 0);
	set(PM_SET_import_file, "/x");
	set(PM_SET_import_period, "30s");
	ck_assert_int_eq(pm_source_import.apart_us(), 30000000);
	set(PM_SET_import_period, "10s");
}
END_TEST

/* Recordings of other projects', with the values that those expect. */
START_TEST(fixture)
{
	static const struct {
		const char *part, *file, *program;
		struct {
			const char *metric, *name;
			int64_t value;
		} values[20];
	} rows[] = {
		{ "ipmi",
		  "ceems-freeipmi-ipmi-dcmi.sh.txt",
		  "/bin/sh",
		  { { "power", "ipmi/current", 332000000 },
		    { "power", "ipmi/minimum", 68000000 },
		    { "power", "ipmi/maximum", 504000000 },
		    { "power", "ipmi/average", 348000000 } } },
		{ "ipmi",
		  "ceems-openipmi-ipmitool.sh.txt",
		  "/bin/sh",
		  { { "power", "ipmi/current", 2578000000 },
		    { "power", "ipmi/minimum", 2118000000 },
		    { "power", "ipmi/maximum", 4294000000 },
		    { "power", "ipmi/average", 2567000000 } } },
		{ "ipmi",
		  "freeipmi.txt",
		  "/bin/cat",
		  { { "power", "ipmi/current", 332000000 },
		    { "power", "ipmi/minimum", 68000000 },
		    { "power", "ipmi/maximum", 504000000 },
		    { "power", "ipmi/average", 348000000 } } },
		{ "ipmi",
		  "ipmitool.txt",
		  "/bin/cat",
		  { { "power", "ipmi/current", 332000000 },
		    { "power", "ipmi/minimum", 68000000 },
		    { "power", "ipmi/maximum", 504000000 },
		    { "power", "ipmi/average", 348000000 } } },
		{ "gpfs",
		  "mmpmon-fs_io_s.txt",
		  "/bin/cat",
		  { { "level", "gpfs/scratch/disks", 48 },
		    { "bytes", "gpfs/scratch/bytes_read", 205607400434 },
		    { "bytes", "gpfs/scratch/bytes_written", 74839282351 },
		    { "count", "gpfs/scratch/opens", 2377656 },
		    { "count", "gpfs/scratch/closes", 2201576 },
		    { "count", "gpfs/scratch/reads", 59420404 },
		    { "count", "gpfs/scratch/writes", 18874626 },
		    { "count", "gpfs/scratch/readdir", 40971 },
		    { "count", "gpfs/scratch/inode_updates", 544768 },
		    { "duration", "gpfs/scratch/stamp", 1579358234053212 },
		    { "level", "gpfs/project/disks", 96 },
		    { "bytes", "gpfs/project/bytes_read", 0 },
		    { "bytes", "gpfs/project/bytes_written", 0 },
		    { "count", "gpfs/project/opens", 513 },
		    { "count", "gpfs/project/closes", 513 },
		    { "count", "gpfs/project/reads", 0 },
		    { "count", "gpfs/project/writes", 0 },
		    { "count", "gpfs/project/readdir", 0 },
		    { "count", "gpfs/project/inode_updates", 169 },
		    { "duration", "gpfs/project/stamp", 1579358234053212 } } },
		{ "beegfs",
		  "clientstats-storage.txt",
		  "/bin/cat",
		  { { "count", "beegfs/23.174.134.23/ops-rd", 22385 },
		    /* 328770519.04 */
		    { "bytes", "beegfs/23.174.134.23/bytes_read", 328770519 },
		    { "count", "beegfs/23.174.134.23/ops-wr", 21504 },
		    { "bytes", "beegfs/23.174.134.23/bytes_written", 88080384 },
		    { "count", "beegfs/23.174.134.23/sum", 61957 } } },
	};
	char path[256];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fixture_device(rows[i].part);
		snprintf(path, sizeof path, "%s/%s", root, rows[i].file);
		PM_SURE(chown(path, getuid(), getgid()) == 0 && chmod(path, 0644) == 0);
		PM_SURE(chmod(root, 0755) == 0);
		snprintf(command, sizeof command, "%s %s", rows[i].program, path);
		set(PM_SET_import_command, command);
		if (begin(&pm_source_import) < 0)
			ck_abort_msg("%s", why.err.text);
		sample();
		for (size_t k = 0; k < 20 && rows[i].values[k].metric; k++)
			check_known(rows[i].values[k].metric, rows[i].values[k].name,
				    rows[i].values[k].value);
		end();
	}
}
END_TEST

static Suite *import_suite(void)
{
	Suite *s = suite_create("sampler_import");
	TCase *t = tcase_create("import");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, units);
	tcase_add_test(t, hostile);
	tcase_add_test(t, counters);
	tcase_add_test(t, prometheus);
	tcase_add_test(t, ipmi);
	tcase_add_test(t, gpfs);
	tcase_add_test(t, beegfs);
	tcase_add_test(t, capmc);
	tcase_add_test(t, files);
	tcase_add_test(t, hangs);
	tcase_add_test(t, fails);
	tcase_add_test(t, apart);
	tcase_add_test(t, trust);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(import_suite)
