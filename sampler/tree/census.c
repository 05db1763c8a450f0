/* Take a census: load its BPF programs once they are worth it, and run them. */
#include "config.h"

#include "sampler/tree/census.h"

#include "common/pidns.h"
#include "common/settings/readconfig.h"
#include "sampler/tree/census_loader.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Loading the programs takes as long as reading this many processes from /proc. */
#define WORTH 4096

/* Longest wait for the programs to be loaded, ms. */
#define PATIENCE 10000

struct pm_census {
	size_t missed; /* processes read from /proc before the program was loaded */
	bool given_up;
	struct pm_census_loader loader; /* the child process that loads the program */
	int program;                    /* -1: not loaded */
	struct pm_census_task *task;    /* shared with the kernel */
	__u64 page;
};

/* The program's argument, as declared in census.bpf.c. */
struct request {
	__u64 count, page;
};

struct pm_census *pm_census_open(void)
{
	struct pm_census *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->program = -1;
	c->page = (__u64)sysconf(_SC_PAGESIZE);
	return c;
}

/* Release everything and never try again. Returns -1. */
static int give_up(struct pm_census *c)
{
	pm_census_loader_end(&c->loader);
	if (c->program >= 0)
		close(c->program);
	if (c->task)
		munmap(c->task, PM_CENSUS_MAX * sizeof *c->task);
	c->program = -1;
	c->task = NULL;
	c->given_up = true;
	return -1;
}

void pm_census_close(struct pm_census *c)
{
	if (!c)
		return;
	give_up(c);
	free(c);
}

/* Run a program in the kernel. Returns 0, or -1 with errno set. */
static int run_program(int program, const void *argument, size_t n)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.test.prog_fd = (__u32)program;
	attr.test.ctx_in = (__u64)(uintptr_t)argument;
	attr.test.ctx_size_in = (__u32)n;
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof attr) < 0)
		return -1;
	if (attr.test.retval) {
		errno = EIO;
		return -1;
	}
	return 0;
}

/* Take over the loaded programs: run the survey, map the tasks. Returns 1, or -1 with e filled. */
static int take_loaded(struct pm_census *c, const int fd[PM_CENSUS_FDS], struct pm_err *e)
{
	void *shared = MAP_FAILED;

	c->program = fd[PM_CENSUS_PROGRAM];
	if (run_program(fd[PM_CENSUS_SURVEY], NULL, 0) == 0)
		shared = mmap(NULL, PM_CENSUS_MAX * sizeof *c->task, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd[PM_CENSUS_TASKS], 0);
	if (shared != MAP_FAILED)
		c->task = shared;
	else
		pm_err(e, "run a BPF program: %m");
	close(fd[PM_CENSUS_SURVEY]);
	close(fd[PM_CENSUS_TASKS]);
	return c->task ? 1 : -1;
}

/* Whether a census can be taken: 1, 0 while the programs are being loaded, or -1 with e filled. */
static int check_ready(struct pm_census *c, int wait_ms, struct pm_err *e)
{
	int fd[PM_CENSUS_FDS], rc;

	if (c->program >= 0)
		return 1;
	rc = pm_census_loader_wait(&c->loader, wait_ms, fd, e);
	if (rc > 0)
		rc = take_loaded(c, fd, e);
	return rc < 0 ? give_up(c) : rc;
}

static int begin_loading(struct pm_census *c, struct pm_err *e)
{
	if (strcmp(pm_config_get(PM_SET_bpf), "off") == 0) {
		pm_err(e, "the setting bpf is off");
		return give_up(c);
	}
	/* The BPF program looks pids up in the initial pid namespace. */
	if (pm_pidns_first() != 1) {
		pm_err(e, "in a container, kernel and container have different process ids");
		return give_up(c);
	}
	return pm_census_loader_start(&c->loader, e) < 0 ? give_up(c) : 0;
}

int pm_census_prepare(struct pm_census *c, struct pm_err *e)
{
	int rc;

	if (c->given_up)
		return pm_err(e, "BPF failed earlier");
	if (c->program < 0 && !c->loader.pid && begin_loading(c, e) < 0)
		return -1;
	rc = check_ready(c, PATIENCE, e);
	if (rc == 0)
		pm_err(e, "loading the BPF program takes more than %d s", PATIENCE / 1000);
	return rc > 0 ? 0 : give_up(c);
}

size_t pm_census_begin(struct pm_census *c, size_t n)
{
	const size_t most = n < PM_CENSUS_MAX ? n : PM_CENSUS_MAX;

	if (c->given_up || n == 0)
		return 0;
	if (c->program >= 0)
		return most;
	c->missed += n;
	if (c->missed < WORTH || (!c->loader.pid && begin_loading(c, NULL) < 0))
		return 0;
	return check_ready(c, 0, NULL) > 0 ? most : 0;
}

void pm_census_ask(struct pm_census *c, size_t i, pid_t pid)
{
	c->task[i].pid = pid;
}

bool pm_census_take(struct pm_census *c, size_t n)
{
	const struct request request = { n, c->page };

	if (run_program(c->program, &request, sizeof request) == 0)
		return true;
	give_up(c);
	return false;
}

const struct pm_census_task *pm_census_task(const struct pm_census *c, size_t i)
{
	const struct pm_census_task *task = &c->task[i];

	return task->state == PM_CENSUS_WHOLE ? task : NULL;
}
