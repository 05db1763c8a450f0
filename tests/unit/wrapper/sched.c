/*
 * wrapper/sched/sched.c and sched_form.c: what sched.def makes of recorded environments of jobs, which of
 * several batch systems wins, and the forms. The environments are those of real jobs as their
 * systems' documentation or users published them, other names put in.
 */
#include "config.h"

#include "tests/unit/main.h"
#include "wrapper/sched/sched.h"
#include "wrapper/sched/sched_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define VARIABLES_MAX 32

/* An environment and what it says: NULL and -1 are unknown, times in seconds. @HOST@ in a value is
 * this host; a value that begins with @FILE@ stands for the path of a file of that text. */
static const struct recorded {
	const char *about;
	const char *env[VARIABLES_MAX];
	struct pm_ident want;
	const char *fact, *value; /* one of its facts */
} recorded[] = {
	/* https://slurm.schedmd.com/sbatch.html, "OUTPUT ENVIRONMENT VARIABLES". */
	{ "Slurm: a batch job of two nodes",
	  { "SLURM_CLUSTER_NAME=c4", "SLURM_CPUS_ON_NODE=32", "SLURM_GTIDS=0",
	    "SLURM_JOB_ACCOUNT=boblab", "SLURM_JOB_CPUS_PER_NODE=32(x2)", "SLURM_JOB_ID=3071",
	    "SLURM_JOBID=3071", "SLURM_JOB_NAME=wrap", "SLURM_JOB_NODELIST=c4-n[10-11]",
	    "SLURM_JOB_NUM_NODES=2", "SLURM_JOB_PARTITION=common", "SLURM_JOB_QOS=normal",
	    "SLURM_NTASKS=64", "SLURM_PROCID=0", "SLURM_SUBMIT_DIR=/c4/home/alice",
	    "SLURM_TASKS_PER_NODE=32(x2)", "SLURM_JOB_START_TIME=1700000000",
	    "SLURM_JOB_SUBMIT_TIME=1699999000" },
	  { "slurm", "c4", "3071", NULL, "wrap", "common", "boblab", 0, 2, 64, 32, 1700000000,
	    1699999000, NULL },
	  "nodelist",
	  "c4-n[10-11]" },
	{ "Slurm: an element of an array, requeued once, on nodes of different sizes",
	  { "SLURM_ARRAY_JOB_ID=500", "SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=20",
	    "SLURM_JOB_ID=502", "SLURM_RESTART_COUNT=1", "SLURM_JOB_CPUS_PER_NODE=4(x2),8",
	    "SLURM_CPUS_ON_NODE=8", "SLURM_NNODES=3" },
	  { "slurm", NULL, "500", "0", NULL, NULL, NULL, 1, 3, -1, 8, 0, 0, NULL },
	  "element_id",
	  "502" },
	/* https://slurm.schedmd.com/heterogeneous_jobs.html. */
	{ "Slurm: a part of a heterogeneous job",
	  { "SLURM_JOB_ID=701", "SLURM_HET_JOB_ID=700", "SLURM_HET_JOB_OFFSET=1",
	    "SLURM_HET_SIZE=2" },
	  { "slurm", NULL, "700", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  "het_offset",
	  "1" },
	/* What srun --jobid=N --overlap gives to a step where it has no environment itself. */
	{ "Slurm: a step that was told nothing but its job",
	  { "SLURM_JOB_ID=3071", "SLURM_STEP_ID=4",
	    "SLURM_WORKING_CLUSTER=c4:10.0.0.1:6817:9728:109" },
	  { "slurm", "c4", "3071", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  "element_id",
	  "3071" },
	{ "Slurm: such a step of an older Slurm",
	  { "SLURM_JOB_ID=3071", "SLURM_CONF=@FILE@# ClusterName=no\nSlurmctldHost=a\n "
				 "\tclustername = C4 # ours\nNodeName=b\n" },
	  { "slurm", "c4", "3071", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	{ "Slurm: such a step, and no configuration to be read",
	  { "SLURM_JOB_ID=3071", "SLURM_CONF=/nowhere/slurm.conf" },
	  { "slurm", NULL, "3071", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	{ "Slurm: the old name alone",
	  { "SLURM_JOBID=9" },
	  { "slurm", NULL, "9", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	{ "Slurm: a task without an array is none",
	  { "SLURM_JOB_ID=9", "SLURM_ARRAY_TASK_ID=3", "SLURM_JOB_NUM_NODES=many" },
	  { "slurm", NULL, "9", NULL, NULL, NULL, NULL, 0, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	/* qsub(1B) of Torque: https://docs.adaptivecomputing.com, "Exported batch environment
	 * variables". */
	{ "Torque: a batch job",
	  { "PBS_VERSION=TORQUE-6.0.2", "PBS_JOBNAME=aaa", "PBS_ENVIRONMENT=PBS_BATCH",
	    "PBS_O_WORKDIR=/home/user1", "PBS_TASKNUM=1", "PBS_WALLTIME=25920000",
	    "PBS_O_QUEUE=route", "PBS_NODENUM=0", "PBS_NUM_NODES=2", "PBS_JOBID=1399.login01",
	    "PBS_O_HOST=login02", "PBS_VNODENUM=0", "PBS_QUEUE=normal", "PBS_NP=8",
	    "PBS_O_SERVER=login01", "PBS_NUM_PPN=4", "PBS_NODEFILE=/nonexistent" },
	  { "pbs", NULL, "1399.login01", NULL, "aaa", "normal", NULL, -1, 2, 8, 4, 0, 0, NULL },
	  "server",
	  "login01" },
	{ "Torque: an element of an array in old releases",
	  { "PBS_JOBID=123-4.server", "PBS_ARRAYID=4", "PBS_JOBNAME=a-4" },
	  { "pbs", NULL, "123-4.server", NULL, "a-4", NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  "array_index",
	  "4" },
	/* https://github.com/openpbs/openpbs, doc/man1/qsub.1B, "ENVIRONMENT VARIABLES". */
	{ "PBS Pro: an element of an array, three ranks on two hosts",
	  { "PBS_JOBID=123[4].server", "PBS_ARRAY_INDEX=4", "PBS_ARRAY_ID=123[].server",
	    "PBS_JOBNAME=weather", "PBS_QUEUE=workq", "PBS_ACCOUNT=wz54", "NCPUS=2",
	    "PBS_ENVIRONMENT=PBS_BATCH", "PBS_NODEFILE=@FILE@n2\nn1\nn2\n" },
	  { "pbs", NULL, "123[4].server", NULL, "weather", "workq", "wz54", -1, 2, 3, -1, 0, 0,
	    NULL },
	  "array_id",
	  "123[].server" },
	/* https://oar.readthedocs.io, "oarsub"; oarexec's list. A job of no array, as recorded. */
	{ "OAR: a job of three cores on two hosts",
	  { "OAR_ARRAYID=5362183", "OAR_ARRAYINDEX=1", "OAR_ARRAY_ID=5362183", "OAR_ARRAY_INDEX=1",
	    "OAR_CPUSET=/oar/ann_5362183", "OAR_FILE_NODES=/var/lib/oar/5362183",
	    "OAR_JOBID=5362183", "OAR_JOB_ID=5362183", "OAR_JOB_NAME=", "OAR_JOB_WALLTIME=1:0:0",
	    "OAR_JOB_WALLTIME_SECONDS=3600", "OAR_KEY=1",
	    "OAR_NODEFILE=@FILE@@HOST@.example.org\n@HOST@.example.org\nother\n",
	    "OAR_O_WORKDIR=/data/ann", "OAR_PROJECT_NAME=default", "OAR_STDERR=OAR.err",
	    "OAR_USER=ann", "OAR_WORKING_DIRECTORY=/data/ann" },
	  { "oar", NULL, "5362183", NULL, NULL, NULL, "default", -1, 2, -1, 2, 0, 0, NULL },
	  "submit_dir",
	  "/data/ann" },
	/* https://www.ibm.com/docs/en/spectrum-lsf, "Environment variables set for job execution".
	 */
	{ "LSF: a parallel job",
	  { "LSB_JOBID=748", "LSB_JOBINDEX=0", "LSB_JOBNAME=sim", "LSB_QUEUE=normal",
	    "LSB_PROJECT_NAME=geo", "LSB_MCPU_HOSTS=@HOST@ 1 grid05 1 grid01 2 ",
	    "LSB_DJOB_NUMPROC=4", "LSB_SUB_HOST=grid03", "LS_SUBCWD=/home/ann",
	    "LSB_HOSTS=grid03 grid05 grid01 grid01" },
	  { "lsf", NULL, "748", NULL, "sim", "normal", "geo", -1, 3, 4, 1, 0, 0, NULL },
	  "submit_host",
	  "grid03" },
	{ "LSF: an element of an array, restarted",
	  { "LSB_JOBID=749", "LSB_JOBINDEX=10", "LSB_JOBNAME=sim[10]", "LSB_RESTART=Y",
	    "LSB_MCPU_HOSTS=elsewhere 16" },
	  { "lsf", NULL, "749", "10", "sim[10]", NULL, NULL, -1, 1, -1, -1, 0, 0, NULL },
	  "restarted",
	  "Y" },
	/* qsub(1) of Grid Engine, "ENVIRONMENTAL VARIABLES". */
	{ "Grid Engine: a job without tasks",
	  { "HOSTNAME=sge-1", "SGE_TASK_STEPSIZE=undefined", "NHOSTS=1", "NSLOTS=1",
	    "SGE_O_WORKDIR=/home/ann", "SGE_CELL=default", "RESTARTED=0", "SGE_TASK_LAST=undefined",
	    "QUEUE=all.q", "SGE_TASK_ID=undefined", "JOB_ID=8", "SGE_ACCOUNT=sge",
	    "JOB_SCRIPT=/var/spool/gridengine/job_scripts/8", "JOB_NAME=my-job-name",
	    "REQNAME=my-job-name", "SGE_CLUSTER_NAME=p6444", "ENVIRONMENT=BATCH" },
	  { "sge", "p6444", "8", NULL, "my-job-name", "all.q", "sge", 0, 1, 1, 1, 0, 0, NULL },
	  "cell",
	  "default" },
	{ "Grid Engine: a task on two hosts, restarted",
	  { "JOB_ID=128", "SGE_TASK_ID=3", "SGE_TASK_FIRST=1", "SGE_TASK_LAST=9", "RESTARTED=1",
	    "NHOSTS=2", "NSLOTS=12", "PE=mpi",
	    "PE_HOSTFILE=@FILE@@HOST@ 8 dev.q@here UNDEFINED\nother 4 dev.q@other UNDEFINED\n" },
	  { "sge", NULL, "128", "3", NULL, NULL, NULL, 1, 2, 12, 8, 0, 0, NULL },
	  "array_last",
	  "9" },
	{ "JOB_ID alone is anybody's",
	  { "JOB_ID=55", "JOB_NAME=jenkins" },
	  { "none", NULL, NULL, NULL, NULL, NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	/* flux-environment(7). */
	{ "Flux: a task of a job of the system's instance",
	  { "FLUX_JOB_ID=fD2e73NP", "FLUX_JOB_ID_PATH=/fD2e73NP", "FLUX_JOB_SIZE=8",
	    "FLUX_JOB_NNODES=2", "FLUX_TASK_RANK=3", "FLUX_TASK_LOCAL_ID=3",
	    "FLUX_URI=local:///run/flux/local" },
	  { "flux", NULL, "fD2e73NP", NULL, NULL, NULL, NULL, -1, 2, 8, -1, 0, 0, NULL },
	  "path",
	  "/fD2e73NP" },
	{ "Flux: a batch script",
	  { "FLUX_ENCLOSING_ID=fD2e73NP", "FLUX_URI=local:///tmp/flux-1/local-0" },
	  { "flux", NULL, "fD2e73NP", NULL, NULL, NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  "uri",
	  "local:///tmp/flux-1/local-0" },
	{ "Flux: what a batch script runs belongs to its job",
	  { "FLUX_ENCLOSING_ID=fD2e73NP", "FLUX_JOB_ID=fDCB6RV", "FLUX_JOB_SIZE=1",
	    "FLUX_JOB_NNODES=1" },
	  { "flux", NULL, "fD2e73NP", NULL, NULL, NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  "inner_id",
	  "fDCB6RV" },
	/* qsub(1) of Cobalt, and job logs of its sites. */
	{ "Cobalt: a script",
	  { "COBALT_JOBID=314159", "COBALT_JOBNAME=clouds", "COBALT_PARTNAME=3180-3183",
	    "COBALT_PARTSIZE=4", "COBALT_JOBSIZE=4", "COBALT_PROJECT=CSC249",
	    "COBALT_STARTTIME=1600000000.25", "COBALT_ENDTIME=1600003600.25" },
	  { "cobalt", NULL, "314159", NULL, "clouds", NULL, "CSC249", -1, 4, -1, -1, 1600000000, 0,
	    NULL },
	  "partition",
	  "3180-3183" },
	{ "empty variables are none",
	  { "SLURM_JOB_ID=", "PBS_JOBID=", "LSB_JOBID=", "OAR_JOB_ID=", "FLUX_JOB_ID=" },
	  { "none", NULL, NULL, NULL, NULL, NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
	{ "no batch system",
	  { "HOME=/home/ann" },
	  { "none", NULL, NULL, NULL, NULL, NULL, NULL, -1, -1, -1, -1, 0, 0, NULL },
	  NULL,
	  NULL },
};

static char file[] = "/tmp/perfmon-unit-sched.XXXXXX";

/* Put this host's name for @HOST@, and the path of a file of the text for @FILE@text. */
static void put(const char *assignment)
{
	char text[512] = "";
	const char *at;
	struct utsname u;
	char *value;
	FILE *f;

	ck_assert_int_eq(uname(&u), 0);
	u.nodename[strcspn(u.nodename, ".")] = '\0';
	while ((at = strstr(assignment, "@HOST@")) != NULL) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof text - n, "%.*s%s", (int)(at - assignment), assignment,
			 u.nodename);
		assignment = at + strlen("@HOST@");
	}
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s", assignment);
	value = strchr(text, '=');
	*value++ = '\0';
	if (strncmp(value, "@FILE@", 6) == 0) {
		ck_assert_ptr_nonnull(f = fopen(file, "w"));
		fputs(value + 6, f);
		fclose(f);
		value = file;
	}
	setenv(text, value, 1);
}

static void use(const char *const *env)
{
	clearenv();
	for (; *env; env++)
		put(*env);
}

static void compare(const char *field, const char *got, const char *want)
{
	ck_assert_msg((!got && !want) || (got && want && strcmp(got, want) == 0),
		      "%s is %s, not %s", field, got ? got : "unknown", want ? want : "unknown");
}

static void compare_number(const char *field, int64_t got, int64_t want)
{
	ck_assert_msg(got == want, "%s is %lld, not %lld", field, (long long)got, (long long)want);
}

START_TEST(environments)
{
	const struct recorded *r = &recorded[_i];
	const struct pm_sched *s;
	const char *value = NULL;
	struct pm_ident id;

	ck_assert_int_ge(close(mkstemp(file)), 0);
	use(r->env);
	s = pm_sched_identify(&id);
	unlink(file);
	compare("scheduler", id.scheduler, r->want.scheduler);
	ck_assert_ptr_eq(id.scheduler, s->name);
	compare("cluster", id.cluster, r->want.cluster);
	compare("jobid", id.jobid, r->want.jobid);
	compare("array_task", id.array_task, r->want.array_task);
	compare("name", id.name, r->want.name);
	compare("queue", id.queue, r->want.queue);
	compare("account", id.account, r->want.account);
	compare_number("restart_count", id.restart_count, r->want.restart_count);
	compare_number("nodes", id.nodes, r->want.nodes);
	compare_number("tasks", id.tasks, r->want.tasks);
	compare_number("cpus", id.cpus, r->want.cpus);
	compare_number("epoch_us", id.epoch_us, r->want.epoch_us * 1000000);
	compare_number("submit_us", id.submit_us, r->want.submit_us * 1000000);
	/* The file is gone: no fact is read from one. */
	for (const struct pm_sched_fact *f = s->facts; r->fact && f->name; f++)
		if (strcmp(f->name, r->fact) == 0)
			value = pm_sched_text(f->variable);
	compare(r->fact ? r->fact : "fact", value, r->value);
}
END_TEST

/* Every batch system of the table has a recorded environment here. */
START_TEST(all_recorded)
{
	const struct pm_sched *s;

	for (size_t i = 0; (s = pm_sched_at(i)) != NULL; i++) {
		size_t r = 0, n = sizeof recorded / sizeof recorded[0];

		while (r < n && strcmp(recorded[r].want.scheduler, s->name) != 0)
			r++;
		ck_assert_msg(r < n, "no environment of %s is recorded", s->name);
	}
}
END_TEST

/* Jobs of two batch systems in one environment, and the processes above us. */
static const struct nested {
	const char *about;
	const char *env[4];
	char above[5][PM_SCHED_COMM];
	const char *want;
	bool seen;
} nested[] = {
	{ "Slurm started inside a job of PBS",
	  { "PBS_JOBID=1.server", "SLURM_JOB_ID=2" },
	  { "bash", "slurmstepd", "slurmd", "bash", "pbs_mom" },
	  "slurm",
	  true },
	{ "a job of PBS submitted from one of Slurm with its environment",
	  { "PBS_JOBID=1.server", "SLURM_JOB_ID=2" },
	  { "bash", "bash", "pbs_mom", "init", "" },
	  "pbs",
	  true },
	{ "Flux inside Slurm",
	  { "SLURM_JOB_ID=2", "FLUX_JOB_ID=f1" },
	  { "sh", "flux-shell", "flux-broker-0", "slurmstepd", "" },
	  "flux",
	  true },
	{ "a batch script of Flux inside LSF",
	  { "LSB_JOBID=2", "FLUX_ENCLOSING_ID=f1" },
	  { "sh", "flux-broker-0", "sh", "res", "sbatchd" },
	  "flux",
	  true },
	{ "Slurm in a terminal that inherited Flux's variables",
	  { "SLURM_JOB_ID=2", "FLUX_JOB_ID=f1" },
	  { "bash", "slurmstepd", "init", "", "" },
	  "slurm",
	  true },
	{ "a task of Grid Engine with left-overs of Slurm",
	  { "SLURM_JOB_ID=2", "JOB_ID=3", "SGE_TASK_ID=undefined" },
	  { "sh", "sge_shepherd-12", "sge_execd", "", "" },
	  "sge",
	  true },
	{ "a daemon without a job in the environment says nothing",
	  { "PBS_JOBID=1.server" },
	  { "slurmstepd", "slurmd", "init", "", "" },
	  "pbs",
	  false },
	{ "a name that only begins like a daemon's",
	  { "PBS_JOBID=1.server", "SLURM_JOB_ID=2" },
	  { "pbs_mom2", "init", "", "", "" },
	  "slurm",
	  false },
	{ "nothing to be seen above: the order of the table",
	  { "PBS_JOBID=1.server", "SLURM_JOB_ID=2", "FLUX_JOB_ID=f1" },
	  { "", "", "", "", "" },
	  "flux",
	  false },
};

START_TEST(nearest)
{
	const struct nested *c = &nested[_i];
	char above[5][PM_SCHED_COMM];
	struct pm_ident id;
	bool seen;

	use(c->env);
	memcpy(above, c->above, sizeof above);
	ck_assert_str_eq(pm_sched_choose(above, 5, &id, &seen)->name, c->want);
	ck_assert_int_eq(seen, c->seen);
	ck_assert_str_eq(id.scheduler, c->want);
}
END_TEST

START_TEST(variables)
{
	const char *const env[] = { "A=1", "B=", "C=3", NULL };
	char *name;

	use(env);
	ck_assert_str_eq(pm_sched_text("A C"), "1");
	ck_assert_str_eq(pm_sched_text("B  C"), "3");
	ck_assert_ptr_null(pm_sched_text("B D"));
	ck_assert_ptr_null(pm_sched_text(""));
	ck_assert_ptr_null(pm_sched_text("!A C"));
	ck_assert_str_eq(pm_sched_text("!B C"), "3");
	ck_assert_ptr_null(pm_sched_text("?B C"));
	ck_assert_str_eq(pm_sched_text("?A C"), "3");
	ck_assert_ptr_null(pm_sched_variable(&pm_sched_none));
	setenv("SLURM_JOBID", "1", 1);
	for (size_t i = 0; pm_sched_at(i); i++) {
		name = pm_sched_variable(pm_sched_at(i));
		if (name)
			ck_assert_str_eq(name, "SLURM_JOBID");
		ck_assert_int_eq(name != NULL, strcmp(pm_sched_at(i)->name, "slurm") == 0);
		free(name);
	}
}
END_TEST

static const struct form {
	enum pm_sched_form form;
	const char *text;
	int64_t want;
} forms[] = {
	{ PM_SCHED_NUMBER, "12", 12 },
	{ PM_SCHED_NUMBER, "-1", -1 },
	{ PM_SCHED_NUMBER, "12x", -1 },
	{ PM_SCHED_NUMBER, "99999999999999999999", -1 },
	{ PM_SCHED_TIME, "1700000000", 1700000000000000 },
	{ PM_SCHED_TIME, "0", -1 },
	{ PM_SCHED_TIME, "9999999999999999", -1 },
	{ PM_SCHED_EACH, "4", 4 },
	{ PM_SCHED_EACH, "4(x2)", 4 },
	{ PM_SCHED_EACH, "4(x2),8", -1 },
	{ PM_SCHED_EACH, "4,8", -1 },
	{ PM_SCHED_EACH, "(x2)", -1 },
	{ PM_SCHED_EACH, "4(", -1 },
	{ PM_SCHED_EACH, "4()", -1 },
	{ PM_SCHED_TIME, "1700000000.75", 1700000000000000 },
	{ PM_SCHED_PAIRS, "a 1 b 2", 2 },
	{ PM_SCHED_PAIR, "@HOST@ 1 b 2 @HOST@.example.org 4", 5 },
	{ PM_SCHED_PAIR, "@HOST@x 1 x@HOST@ 2", -1 },
	{ PM_SCHED_PAIR, "b 2", -1 },
	{ PM_SCHED_ZERO, "whatever", 0 },
	{ PM_SCHED_LINES, "@FILE@n2\nn1\n\n \nn2", 3 },
	{ PM_SCHED_HOSTS, "@FILE@n2\nn1\n\n n2 \nn10\nn1", 3 },
	{ PM_SCHED_HERE, "@FILE@n2\n@HOST@\n@HOST@.a.b\n", 2 },
	{ PM_SCHED_HERE, "@FILE@n2\n", -1 },
	{ PM_SCHED_SHARE, "@FILE@n2 8\n@HOST@ 3 q\n@HOST@\t4\n@HOST@ x\n@HOST@ -1\n", 7 },
	{ PM_SCHED_PAIRS, "a 1 b", -1 },
	{ PM_SCHED_PAIRS, " ", -1 },
	{ PM_SCHED_LINES, "/nonexistent", -1 },
	{ PM_SCHED_LINES, "/dev/null", -1 },
	{ PM_SCHED_HOSTS, "/tmp", -1 },
};

START_TEST(texts)
{
	char assignment[256];

	ck_assert_int_ge(close(mkstemp(file)), 0);
	snprintf(assignment, sizeof assignment, "FORM=%s", forms[_i].text);
	put(assignment);
	compare_number(forms[_i].text, pm_sched_form_number(forms[_i].form, getenv("FORM")),
		       forms[_i].want);
	unlink(file);
}
END_TEST

/* A host may be named once for each kind of slots. */
START_TEST(pairs_of_this_host)
{
	char host[64], text[256];

	ck_assert_int_eq(gethostname(host, sizeof host), 0);
	snprintf(text, sizeof text, "%s 4 elsewhere 8 %s 2", host, host);
	ck_assert_int_eq(pm_sched_form_number(PM_SCHED_PAIR, text), 6);
	ck_assert_int_eq(pm_sched_form_number(PM_SCHED_PAIRS, text), 3);
	ck_assert_int_eq(pm_sched_form_number(PM_SCHED_PAIR, "elsewhere 8"), -1);
}
END_TEST

/* The test's own chain of processes: it ends at the first process of this pid namespace. */
START_TEST(above_us)
{
	char above[64][PM_SCHED_COMM];
	bool whole;
	size_t n = pm_sched_above(above, 64, &whole);

	ck_assert_uint_ge(n, 1);
	ck_assert(above[0][0]);
	if (n > 1) {
		ck_assert_uint_eq(pm_sched_above(above, 1, &whole), 1);
		ck_assert(!whole);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sched");
	TCase *c = tcase_create("sched");

	tcase_add_loop_test(c, environments, 0, sizeof recorded / sizeof recorded[0]);
	tcase_add_test(c, all_recorded);
	tcase_add_loop_test(c, nearest, 0, sizeof nested / sizeof nested[0]);
	tcase_add_test(c, variables);
	tcase_add_loop_test(c, texts, 0, sizeof forms / sizeof forms[0]);
	tcase_add_test(c, pairs_of_this_host);
	tcase_add_test(c, above_us);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
