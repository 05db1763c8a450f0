/*
 * By how much a job is slower while it is sampled: the CPU time that a piece of its work takes, in
 * many short spells with and without a sampler that take turns. It is the job's own CPU time, so
 * neither other work on the machine nor the sampler's own use of CPUs counts: what is left is what
 * the sampler does to the job's caches and locks. The rest is what the sampler itself used.
 *
 * usage: slowdown PROCESSES PAIRS MS -- SAMPLER [ARG...]
 *
 * The job is PROCESSES processes: one for each CPU works all the time, the others every 100 ms. The
 * sampler is run with "--pid PID" of the job behind its arguments, and stopped in every other spell
 * of MS milliseconds. Prints the mean over all pairs and its confidence interval of 95 %.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Numbers that a piece of work goes through: more than a CPU's nearest cache holds. */
#define NUMBERS (1 << 17)

enum { WITHOUT, WITH, NEITHER, SPELLS };

/* What one process did, shared with the one that measures. */
struct account {
	struct {
		uint64_t pieces, cpu_ns;
	} in[SPELLS];
	char apart[128]; /* from the next one's */
};

static struct {
	volatile int spell;
	struct account account[1024];
} * shared;

static void fail(const char *what)
{
	fprintf(stderr, "slowdown: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Work: all the time, or a piece every 100 ms. */
_Noreturn static void work(struct account *a, int all_the_time)
{
	uint64_t *number = malloc(NUMBERS * sizeof *number), x = 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!number)
		_exit(1);
	memset(number, 1, NUMBERS * sizeof *number);
	for (;;) {
		const int spell = shared->spell;
		const uint64_t before = cpu_ns();

		for (int i = 0; i < NUMBERS; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			number[x >> 47] += x;
		}
		if (!all_the_time) {
			poll(NULL, 0, 100);
		} else if (spell == shared->spell) {
			a->in[spell].cpu_ns += cpu_ns() - before;
			a->in[spell].pieces++;
		}
	}
}

static pid_t start_sampler(char **argv, int argc)
{
	char **command = calloc((size_t)argc + 3, sizeof *command), pid[32];
	pid_t sampler;

	if (!command)
		fail("memory");
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	memcpy(command, argv, (size_t)argc * sizeof *command);
	command[argc] = strdup("--pid");
	command[argc + 1] = pid;
	sampler = fork();
	if (sampler == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	if (sampler < 0)
		fail("fork");
	free(command[argc]);
	free(command);
	return sampler;
}

/* CPU time per piece of work so far, as sums. */
static void add_up(long cpus, int spell, double *pieces, double *ns)
{
	*pieces = *ns = 0;
	for (long i = 0; i < cpus; i++) {
		*pieces += (double)shared->account[i].in[spell].pieces;
		*ns += (double)shared->account[i].in[spell].cpu_ns;
	}
}

/* Let a spell pass. Returns the CPU time per piece of work in it, ns. */
static double pass(long cpus, pid_t sampler, int spell, int ms)
{
	double pieces, ns, more_pieces, more_ns;

	kill(sampler, spell == WITH ? SIGCONT : SIGSTOP);
	/* What it was doing ends, and what it missed is made up for. */
	poll(NULL, 0, 50);
	add_up(cpus, spell, &pieces, &ns);
	shared->spell = spell;
	poll(NULL, 0, ms);
	shared->spell = NEITHER;
	poll(NULL, 0, 10);
	add_up(cpus, spell, &more_pieces, &more_ns);
	return (more_ns - ns) / (more_pieces - pieces);
}

int main(int argc, char **argv)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const int processes = argc > 5 ? atoi(argv[1]) : 0, pairs = argc > 5 ? atoi(argv[2]) : 0,
		  ms = argc > 5 ? atoi(argv[3]) : 0;
	double sum = 0, squares = 0, mean;
	pid_t sampler;
	int status;

	if (processes < cpus || processes > 1024 || pairs < 2 || ms < 1) {
		fprintf(stderr, "usage: slowdown PROCESSES PAIRS MS -- SAMPLER [ARG...]\n");
		return 2;
	}
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("memory");
	shared->spell = NEITHER;
	for (int i = 0; i < processes; i++) {
		const pid_t pid = fork();

		if (pid == 0)
			work(&shared->account[i], i < cpus);
		if (pid < 0)
			fail("fork");
	}
	sampler = start_sampler(argv + 5, argc - 5);
	poll(NULL, 0, 1000);
	for (int i = 0; i < pairs; i++) {
		/* Either comes first as often. */
		const double first = pass(cpus, sampler, i % 2, ms);
		const double second = pass(cpus, sampler, 1 - i % 2, ms);
		const double slower = 100 * (i % 2 ? first / second - 1 : second / first - 1);

		sum += slower;
		squares += slower * slower;
	}
	kill(sampler, SIGCONT);
	kill(sampler, SIGTERM);
	if (waitpid(sampler, &status, 0) != sampler || !WIFEXITED(status) || WEXITSTATUS(status))
		fail(argv[5]);
	mean = sum / pairs;
	printf("%.3f %.3f\n", mean, 1.96 * sqrt((squares / pairs - mean * mean) / (pairs - 1)));
	return 0;
}
