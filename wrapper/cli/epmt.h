/* The dialect of EPMT: what perfmon understands when it is called through a link named epmt. */
#ifndef PM_WRAPPER_CLI_EPMT_H
#define PM_WRAPPER_CLI_EPMT_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What remains to be done after a translation. */
enum pm_epmt_action {
	PM_EPMT_RUN,   /* parse the translated command line */
	PM_EPMT_DONE,  /* nothing: return the status */
	PM_EPMT_SHELL, /* parse it, and open a shell on the database */
};

/* A command line in perfmon's words; all of it is owned. */
struct pm_epmt {
	int argc;
	char **argv; /* NULL-terminated */
	char **word; /* its words, which whoever parses argv may take out of it */
	size_t words;
	int status;  /* exit status for PM_EPMT_DONE */
	char **note; /* of words without effect, for -v */
	size_t notes;
};

/* Whether a program called so speaks the dialect: its name is epmt. */
bool pm_epmt_is(const char *argv0);

/*
 * Translate a command line by epmt.def. Words that the table does not have stay as they are. Help
 * on the Python API and answers to verbs that have nothing to do are printed here. Returns an enum
 * pm_epmt_action, or -1 with e filled: a usage error, which names the words to use.
 */
int pm_epmt_translate(struct pm_epmt *t, int argc, char **argv, struct pm_err *e);

/* Free a translation. */
void pm_epmt_free(struct pm_epmt *t);

/* Print with -v what was accepted without effect. */
void pm_epmt_notes(const struct pm_epmt *t);

/* Explain a verb of EPMT that is not one of perfmon. Returns 0 with e filled; -1: it is none. */
int pm_epmt_explain(const char *verb, struct pm_err *e);

/* Explain a long option that only EPMT has, of a verb that both have. Returns 0 with e filled; -1:
 * it is none. */
int pm_epmt_explain_option(const char *name, struct pm_err *e);

#endif
