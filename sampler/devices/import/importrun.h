/*
 * Commands that are run, and files that are read, to import values: all at the same time, within a
 * time limit, each up to PM_IMPORT_TEXT_MAX bytes.
 */
#ifndef PM_SAMPLER_DEVICES_IMPORT_IMPORTRUN_H
#define PM_SAMPLER_DEVICES_IMPORT_IMPORTRUN_H

#include "common/err.h"
#include "sampler/kernel/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most that is taken of a command or file, B. */
#define PM_IMPORT_TEXT_MAX 262144

struct pm_importrun {
	const char *what; /* command line, or path of a file or a directory of files *.prom */
	bool command;
	char *text; /* owned; of n bytes, with room for one more */
	size_t n;
	enum pm_reason reason; /* why there is no text, or none of it is right; PM_REASON_COUNT: it
				  is */
	int64_t took_us;       /* how long it took */
	int64_t age_us;        /* of a file: time since it was written; -1: not known */
	pid_t pid;             /* of a command that runs, or could not be killed; 0: none */
	int fd;                /* its output; -1 */
	bool said;             /* that something was not taken */
};

/* Start without a text. what stays the caller's. Returns 0, or -1 when memory is short. */
int pm_importrun_init(struct pm_importrun *r, const char *what, bool command);

/*
 * Check that only root and the effective user could change what is run or read: the program, every
 * word of the command that is the path of a file, and all directories above. Returns 0, or -1 with
 * errno and e filled, with what to do.
 */
int pm_importrun_check(const struct pm_importrun *r, struct pm_err *e);

/*
 * Run the commands and read the files: text, n, reason and times of each are set. What has not
 * ended within limit_us is killed, with its process group, and late. A command gets no shell: its
 * words are separated by blanks, the first is the path of a program; its standard input is empty;
 * its environment has PATH and LC_ALL alone, so that nothing of it is recorded for the job.
 */
void pm_importrun_all(struct pm_importrun *r, size_t count, int64_t limit_us);

/* Kill what runs, and release what is held. */
void pm_importrun_free(struct pm_importrun *r);

#endif
