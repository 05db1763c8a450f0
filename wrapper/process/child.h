/* Run the command as a shell would: exact arguments, signals, status. */
#ifndef PM_WRAPPER_PROCESS_CHILD_H
#define PM_WRAPPER_PROCESS_CHILD_H

#include "common/err.h"

#include <sys/resource.h>
#include <sys/types.h>

/* Statuses of a command that could not be run (sh(1)). */
#define PM_CHILD_NOT_EXECUTABLE 126
#define PM_CHILD_NOT_FOUND      127

struct pm_child {
	pid_t pid;
	int exec_errno;      /* 0: the program runs; else the errno of execvp */
	int status;          /* wait status, from wait4 */
	struct rusage usage; /* of the process and its waited-for descendants */
};

/*
 * Start argv with execvp in the environment envp, or in our own if envp is too large (E2BIG). From
 * now on we forward the signals that are sent to us to the child. `born`, unless NULL, is called
 * with the new process, which executes nothing until `born` returns. Returns 0 with pid set, also
 * if the program cannot be run (exec_errno is set); -1 with e filled if no process can be created.
 */
int pm_child_start(struct pm_child *c, char **argv, char **envp, void (*born)(pid_t pid),
		   struct pm_err *e);

/* Wait for the child to end. Returns 0 or -1 with e filled. */
int pm_child_wait(struct pm_child *c, struct pm_err *e);

/* From now on, become the parent of orphaned descendants (PR_SET_CHILD_SUBREAPER). */
void pm_child_adopt(void);

/*
 * Wait for all remaining children and call `ended` with each. Returns 0 when there are none left,
 * or 1 with children still running as soon as we catch one of the signals that pm_child_start
 * forwards, even if the kernel sent it; SIGWINCH and SIGURG, which ask nobody to end, do not count.
 */
int pm_child_reap_orphans(void (*ended)(const struct pm_child *c, void *arg), void *arg);

/* Become the command. Returns only if the command cannot be run, with errno set. */
void pm_child_exec(char **argv, char **envp);

/* Say on standard error why the command cannot be run, as sh does. Returns 126 or 127. */
int pm_child_complain(const char *command, int why);

/* The exit status that a shell gives for a wait status: 128 + signal for a killed child. */
int pm_child_exit_status(int status);

/*
 * If Ctrl-C killed the command and reached us as well, die of SIGINT, too: only then does a shell
 * end its script or loop. After an exit status it would go on, as after a command that handled
 * SIGINT. Returns otherwise.
 */
void pm_child_follow(const struct pm_child *c);

#endif
