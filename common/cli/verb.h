/* Verbs, and their parsed command line. Programs only. */
#ifndef PM_COMMON_CLI_VERB_H
#define PM_COMMON_CLI_VERB_H

#include "common/err.h"
#include "common/settings/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum pm_option {
#define PM_OPTION(id, letter, name, arg, verbs, help) PM_OPT_##id,
#include "common/cli/options.def"
#undef PM_OPTION
	PM_OPTIONS
};

enum pm_verb {
#define PM_VERB(id, group, first, operands, help) PM_VERB_##id,
#include "common/cli/verbs.def"
#undef PM_VERB
	PM_VERBS
};

/* Groups of verbs in the overview of `perfmon help`. */
enum pm_verb_group { PM_GROUP_RECORD, PM_GROUP_LOAD, PM_GROUP_LOOK, PM_GROUP_CARE, PM_GROUPS };

struct pm_option_info {
	char letter;       /* 0: none */
	const char *name;  /* long form */
	const char *arg;   /* "" for none */
	const char *verbs; /* as in options.def */
	const char *help;
};

/* Marks that distinguish the processes of a batch job from others on a host. */
struct pm_job_marks {
	const char *job;    /* its id for people: jobid, with _<task> in an array */
	const char *cgroup; /* its id as in the name of its control group */
	char **mark;        /* environment entries NAME=VALUE: a process with any of them belongs to
			     * the job; an element of several lines requires all its lines */
	size_t marks;
	const char *directory;       /* path of its control group; NULL: unknown */
	const char *account, *queue; /* of the job that we are in; NULL: unknown */
	/* The control group alone decides, not the environment of processes, and only for
	 * processes whose real user id is uid. */
	bool strict;
	unsigned uid;
};

/* A parsed command line. */
struct pm_cli {
	enum pm_verb verb;
	int given[PM_OPTIONS];         /* how often each option was given */
	const char *value[PM_OPTIONS]; /* last argument of each option; NULL without one */
	int argc;                      /* operands after the options */
	char **argv;
	const char *self; /* absolute path of this program */
	const char *off;  /* reason why recording is switched off; NULL: it is on */
	/* For sample, in the way of SKA's sampler: the formats of -e, with commas between, and
	 * whether it was called without a verb. */
	char formats[64];
	bool ska;
	bool epmt; /* called as epmt: functions for shells have EPMT's names, too */
	/* The batch job of this process, by the name of its directory: jobid, with _<task> in an
	 * array. NULL: none, or the verb finds it itself. */
	const char *batch_job;
	/* For sample: the job given by -j, else the job of this process. For a control group that
	 * belongs to no batch job, the id is empty and the directory is the only mark. NULL: none.
	 */
	const struct pm_job_marks *marks;
};

struct pm_verb_info {
	const char *name;
	enum pm_verb_group group;
	bool first; /* the overview explains the verb instead of only naming it */
	const char *operands;
	const char *help;
};

/* Exit statuses of perfmon (run returns the command's status). */
#define PM_EXIT_OK     0
#define PM_EXIT_FAILED 1
#define PM_EXIT_USAGE  2
/* A later attempt may succeed: EX_TEMPFAIL of sysexits.h. */
#define PM_EXIT_AGAIN  75

extern const struct pm_option_info pm_option_info[PM_OPTIONS];
extern const struct pm_verb_info pm_verb_info[PM_VERBS];

/* 1 when the verb takes the option. */
int pm_verb_takes(enum pm_verb verb, enum pm_option option);

/* 1 when the verb uses the setting, or is about settings. */
int pm_verb_uses(enum pm_verb verb, enum pm_setting setting);

/* Whether operand i is given before, too, from operand `from` on. */
int pm_cli_repeats(const struct pm_cli *cli, int from, int i);

/*
 * Run a verb. Data goes to standard output. Returns the exit status: 0 done; 1 failed or done in
 * part; 2 unusable operands. If e->text is set, main prints it.
 */
#define PM_VERB(id, group, first, operands, help)                                                  \
	int pm_verb_##id(const struct pm_cli *cli, struct pm_err *e);
#include "common/cli/verbs.def"
#undef PM_VERB

/* Replace this program by an SQL shell on the database, sqlite3 or psql. Returns the exit status
 * only on failure, with e filled. Defined in manage/. */
int pm_db_shell(struct pm_err *e);

/* Before root becomes other users, as whom it samples: hold the files of devices that only root may
 * open. Defined in sampler/. */
void pm_verb_sample_hold(void);

/*
 * Before root becomes the user of a job: begin the job's file of --openmetrics, which root goes on
 * to write; job NULL: that of the node, FILE itself. Without the option nothing is done. Returns 0,
 * or -1 with e filled. Defined in sampler/.
 */
int pm_verb_sample_publish(const struct pm_cli *cli, const char *job, struct pm_err *e);

/* Before jobs are sampled: remove the files of --openmetrics that jobs have left. Without the
 * option nothing is done. Returns 0, or -1 with e filled. Defined in sampler/. */
int pm_verb_sample_sweep(const struct pm_cli *cli, struct pm_err *e);

#endif
