/* What a verb is and what the command line gave it. Programs only. */
#ifndef PM_VERB_H
#define PM_VERB_H

#include "common/err.h"
#include "common/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum pm_option {
#define PM_OPTION(id, letter, name, arg, verbs, help) PM_OPT_##id,
#include "common/options.def"
#undef PM_OPTION
	PM_OPTIONS
};

enum pm_verb {
#define PM_VERB(id, operands, help) PM_VERB_##id,
#include "common/verbs.def"
#undef PM_VERB
	PM_VERBS
};

struct pm_option_info {
	char letter;       /* 0: none */
	const char *name;  /* long form */
	const char *arg;   /* "" for none */
	const char *verbs; /* as in options.def */
	const char *help;
};

/* How the processes of a batch job are told from others on a host. */
struct pm_job_marks {
	const char *job;    /* its id for people: jobid, with _<task> in an array */
	const char *cgroup; /* its id as a control group is named by it */
	char **mark;        /* entries NAME=VALUE of the environment: any of them says so; where one
			       has several lines, all these entries have to be there */
	size_t marks;
	const char *directory; /* of its control group, where that is known; NULL: not */
	/* The group decides alone, not what processes say; and of those in it the ones whose real user
	 * id this is. */
	bool strict;
	unsigned uid;
};

/* A parsed command line. */
struct pm_cli {
	enum pm_verb verb;
	int given[PM_OPTIONS];         /* how often each option was given */
	const char *value[PM_OPTIONS]; /* its last argument, NULL without one */
	int argc;                      /* operands behind the options */
	char **argv;
	const char *self; /* absolute path of this program */
	const char *off;  /* why recording is switched off; NULL: it is not */
	/* The batch system's job that we are in, as its directory is named: jobid, with _<task> in
	 * an array. NULL: none, or the verb finds it itself. */
	const char *batch_job;
	/* For sample: the job that -j names, else the one that we are in; of a control group that
	 * is no batch job's, with an empty id and no mark but its directory; NULL: none. */
	const struct pm_job_marks *marks;
};

struct pm_verb_info {
	const char *name;
	const char *operands;
	const char *help;
};

/* Exit statuses of perfmon's own (run returns the command's). */
#define PM_EXIT_OK     0
#define PM_EXIT_FAILED 1
#define PM_EXIT_USAGE  2
/* Not now, but perhaps later: EX_TEMPFAIL of sysexits.h. */
#define PM_EXIT_AGAIN  75

extern const struct pm_option_info pm_option_info[PM_OPTIONS];
extern const struct pm_verb_info pm_verb_info[PM_VERBS];

/* 1 when the verb takes the option. */
int pm_verb_takes(enum pm_verb verb, enum pm_option option);

/* 1 when the verb uses the setting, or is about settings. */
int pm_verb_uses(enum pm_verb verb, enum pm_setting setting);

/*
 * Each verb: do it. Data goes to standard output. Returns the exit status: 0 done; 1 done in part
 * or failed; 2 unusable operands. With e->text set, main prints it.
 */
#define PM_VERB(id, operands, help) int pm_verb_##id(const struct pm_cli *cli, struct pm_err *e);
#include "common/verbs.def"
#undef PM_VERB

#endif
