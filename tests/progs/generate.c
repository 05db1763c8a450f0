/*
 * Makes up the record files of a job, for tests and benchmarks of loading; generate --help says
 * how. Deterministic: the same words give the same bytes. Host n of the job is called "nN".
 *
 * What is made up follows a build recorded with the collector: make runs recipes side by side, a
 * recipe is a shell that makes a directory, compiles (compiler driver, compiler, assembler) and
 * renames; now and then a link, a script whose shell forks, a chain of execs, a static program that
 * only its parent's wait tells of, a command that fails or is killed. Lengths of paths and
 * arguments are those of such a build. Recipes of a host take turns in time; pids are given in turn
 * in every pid namespace and come back once all were given. The last line on standard output says
 * what was made: images, rows of threads, failed, killed, known from a wait alone.
 */
#include "config.h"

#include "tests/progs/generate.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options asked = {
	.processes = 1000,
	.hosts = 1,
	.seed = 1,
	.pid_max = 4194304,
	.chains = 3,
	.threaded = 4,
	.events = 2,
	.slots = 8,
	.tags = "op:build;stage:one=1",
	.jobid = "4711",
};

struct job job;

/* --- hosts -------------------------------------------------------------------------------- */

static void metadata(int64_t end_us)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/job-%s.json", asked.directory, job.hostname);
	out = fopen(path, "w");
	if (!out)
		die("%s: %m", path);
	fprintf(out,
		"{\"format\":\"perfmon-job-1\",\"version\":\"" PACKAGE_VERSION
		"\",\"job\":{\"cluster\":\"\",\"user\":\"tester\",\"uid\":1000,\"gid\":1000,"
		"\"jobid\":\"%s\",\"array_task\":\"\",\"restart_count\":0,\"epoch_us\":%lld,"
		"\"scheduler\":\"none\",\"name\":\"made up\",\"tags\":{\"exp\":\"a:b=c\"}},"
		"\"host\":{\"hostname\":\"%s\",\"boot_id\":\"%s\",\"kernel\":\"6.1.0\","
		"\"machine\":\"x86_64\",\"cpus_online\":%ld,\"cpus_allowed\":%ld,"
		"\"memory_kb\":8000000,\"page_size\":4096,\"clock_ticks\":100},"
		"\"start\":{\"time_us\":%lld,\"monotonic_us\":5000000,\"cwd\":\"/home/tester\"},"
		"\"stop\":{\"time_us\":%lld,\"monotonic_us\":%lld,\"exit_status\":0,\"lost\":0}}\n",
		asked.jobid, (long long)BEGIN_US, job.hostname, job.boot_id, asked.slots,
		asked.slots, (long long)BEGIN_US - 1000, (long long)end_us,
		(long long)(5000000 + end_us - BEGIN_US + 1000));
	if (fclose(out) != 0)
		die("%s: %m", path);
}

/* Begin a namespace: on the host itself with its make; `outer` of a container, else NULL. */
static void open_space(struct space *s, struct space *outer, long number, struct queue *q)
{
	struct process *p = &s->init;

	s->ns = outer ? 4026532200 + 60 * number : HOST_NS;
	s->free_us = checked(calloc((size_t)asked.pid_max + 1, sizeof s->free_us[0]));
	memset(p, 0, sizeof *p);
	p->hostname = job.hostname;
	p->boot_id = job.boot_id;
	p->pid_ns = s->ns;
	p->pid = p->pgid = outer ? 1 : 299;
	p->ppid = outer ? 0 : 298;
	p->generation = -1;
	p->waited = outer != NULL;
	if (outer) {
		s->outside = child_of(outer, q, &outer->init);
		start(q, &s->outside, "/usr/bin/unshare", NULL,
		      "--pid --fork --mount-proc make -j8");
		use(q, &s->outside, 500);
		s->outside_pid = take_pid(outer, q->now_us);
		p->parent_ns = outer->ns;
		p->parent_pid = s->outside.pid;
		p->parent_us = s->outside.image_us;
		q->now_us += 400;
	}
	p->starttime = (q->now_us - BOOT_US) / 10000;
	s->free_us[p->pid] = INT64_MAX - 20000;
	s->last_pid = p->pid;
	start(q, p, "/usr/bin/make", NULL, "-j8 -C build --no-print-directory all");
	use(q, p, 400);
	for (long i = 0; i < asked.slots; i++)
		s->slot[i].now_us = q->now_us + 1 + 37 * i;
}

/* End a namespace's make and, of a container, what started it. */
static void close_space(struct space *s, struct space *outer, struct queue *q)
{
	struct process seen;

	use(q, &s->init, 500 + pick(3000));
	end(q, &s->init, 0);
	if (!outer)
		return;
	/* Outside, init has another pid. */
	seen = s->init;
	seen.pid = s->outside_pid;
	reap(outer, q, &s->outside, &seen, 0, 0, false);
	end(q, &s->outside, 0);
	reap(outer, q, &outer->init, &s->outside, 0, 0, false);
}

/* The slot of a host that is to write or to go on next: the one whose next line is the earliest. */
static struct queue *earliest(struct space *all, size_t n, struct space **of)
{
	struct queue *best = NULL;
	int64_t best_us = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		for (long k = 0; k < asked.slots; k++) {
			struct queue *q = &all[i].slot[k];
			int64_t us = q->next < q->lines ? q->line[q->next].us : q->now_us;

			if (us >= best_us || (q->next == q->lines && all[i].left <= 0))
				continue;
			best = q;
			best_us = us;
			*of = &all[i];
		}
	return best;
}

/* Part i of n that a number is cut into, which differ by 1 at most. */
static long part(long whole, long n, long i)
{
	return whole * (i + 1) / n - whole * i / n;
}

static void one_host(long host)
{
	size_t n = 1 + (size_t)asked.containers;
	struct space *all = checked(calloc(n, sizeof all[0])), *s = NULL;
	long before = job.images, cycles = asked.cycles,
	     share = part(asked.processes, asked.hosts, host);
	struct queue last = { .now_us = BEGIN_US }, *q;
	char name[64];

	snprintf(job.hostname, sizeof job.hostname, "n%ld", host);
	snprintf(job.boot_id, sizeof job.boot_id, "00000000-0000-4000-8000-%012ld", host);
	if (!asked.per_process) {
		snprintf(name, sizeof name, "%s-1000.tsv", job.hostname);
		job.out = open_records(name);
	}
	for (size_t i = 0; i < n; i++)
		open_space(&all[i], i ? &all[0] : NULL, (long)i, &last);
	queue_flush(&last);
	share -= job.images - before;
	for (size_t i = 0; i < n; i++)
		all[i].left = part(share, (long)n, (long)i);
	while ((q = earliest(all, n, &s)) != NULL) {
		if (q->next < q->lines) {
			queue_write(q);
			continue;
		}
		queue_empty(q);
		if (cycles > 0 && s == all && s->left >= 2)
			s->left -= cycle(s, q, &cycles);
		else
			recipe(s, q);
		last.now_us = q->now_us > last.now_us ? q->now_us : last.now_us;
	}
	for (size_t i = n; i-- > 0;)
		close_space(&all[i], i ? &all[0] : NULL, &last);
	queue_flush(&last);
	if (job.out && fclose(job.out) != 0)
		die("write: %m");
	job.out = NULL;
	metadata(last.now_us + 1000);
	for (size_t i = 0; i < n; i++) {
		for (long k = 0; k < asked.slots; k++) {
			free(all[i].slot[k].text);
			free(all[i].slot[k].line);
		}
		free(all[i].free_us);
	}
	free(last.text);
	free(last.line);
	free(all);
}

/* --- options ------------------------------------------------------------------------------ */

static const struct number {
	const char *name;
	long *value, least, most;
	const char *help;
} number[] = {
	{ "containers", &asked.containers, 0, 500,
	  "pid namespaces per host beside its own, pids alike" },
	{ "seed", &asked.seed, 1, 1000000000, "another one makes another job" },
	{ "pid-max", &asked.pid_max, 500, 4194304, "pids come back from here on" },
	{ "chains", &asked.chains, 0, 1000, "execs in a row where there are such, 0 for no such" },
	{ "cycles", &asked.cycles, 0, 1000000, "pairs per host that name each other as parent" },
	{ "threaded", &asked.threaded, 0, 100, "percent of commands with four threads" },
	{ "events", &asked.events, 0, 8, "counters per image and thread" },
	{ "slots", &asked.slots, 1, SLOTS, "recipes at a time" },
};
#define NUMBERS (sizeof number / sizeof number[0])

/* Operands behind the directory. */
static const struct number operand[] = {
	{ "PROCESSES", &asked.processes, 1, 100000000, "images, that is rows, to make" },
	{ "HOSTS", &asked.hosts, 1, 9999, "hosts they are on; each has at least a make" },
};
#define OPERANDS (sizeof operand / sizeof operand[0])

static const struct word {
	const char *name;
	const char **value;
	const char *help;
} word[] = {
	{ "tags", &asked.tags, "tags of every process" },
	{ "jobid", &asked.jobid, "id of the job" },
	{ "truth", &asked.truth,
	  "file to say there of every image: boot_id pid_ns pid image_us generation end_us, "
	  "pid_ns pid image_us of its parent, end_reason exitcode exitsignal threads cpu_time" },
};
#define WORDS (sizeof word / sizeof word[0])

static int usage(FILE *out)
{
	fputs("usage: generate [OPTIONS] DIRECTORY [PROCESSES [HOSTS]]\n\n"
	      "Makes up the records of a job.\n\n",
	      out);
	for (size_t i = 0; i < OPERANDS; i++)
		fprintf(out, "  %-16s %s (%ld)\n", operand[i].name, operand[i].help,
			*operand[i].value);
	for (size_t i = 0; i < NUMBERS; i++)
		fprintf(out, "  --%-14s %s (%ld)\n", number[i].name, number[i].help,
			*number[i].value);
	for (size_t i = 0; i < WORDS; i++)
		fprintf(out, "  --%-14s %s\n", word[i].name, word[i].help);
	fputs("  --per-process    a record file per process, else one per host\n", out);
	return out == stderr ? 2 : 0;
}

static void take(const struct number *n, const char *text)
{
	char *end;

	*n->value = strtol(text, &end, 10);
	if (*end || !*text || *n->value < n->least || *n->value > n->most)
		die("%s: a number from %ld to %ld", n->name, n->least, n->most);
}

static void parse(int argc, char **argv)
{
	struct option option[NUMBERS + WORDS + 3] = { 0 };
	int c;

	for (size_t i = 0; i < NUMBERS; i++)
		option[i] = (struct option){ number[i].name, 1, NULL, (int)i };
	for (size_t i = 0; i < WORDS; i++)
		option[NUMBERS + i] = (struct option){ word[i].name, 1, NULL, (int)(NUMBERS + i) };
	option[NUMBERS + WORDS] = (struct option){ "per-process", 0, NULL, 'p' };
	option[NUMBERS + WORDS + 1] = (struct option){ "help", 0, NULL, 'h' };
	while ((c = getopt_long(argc, argv, "h", option, NULL)) != -1) {
		if (c == '?')
			exit(usage(stderr));
		if (c == 'h')
			exit(usage(stdout));
		if (c == 'p') {
			asked.per_process = true;
		} else if ((size_t)c < NUMBERS) {
			take(&number[c], optarg);
		} else {
			*word[(size_t)c - NUMBERS].value = optarg;
		}
	}
	if (optind >= argc || argc - optind > 1 + (int)OPERANDS)
		exit(usage(stderr));
	asked.directory = argv[optind++];
	for (size_t i = 0; optind < argc; i++)
		take(&operand[i], argv[optind++]);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (mkdir(asked.directory, 0700) < 0)
		die("%s: %m", asked.directory);
	if (asked.truth && !(job.truth = fopen(asked.truth, "w")))
		die("%s: %m", asked.truth);
	job.said = (struct said){ asked.tags, asked.jobid, (int)asked.events };
	job.random = 88172645463325252 + 6364136223846793005 * (uint64_t)asked.seed;
	for (long host = 0; host < asked.hosts; host++)
		one_host(host);
	if (job.truth && fclose(job.truth) != 0)
		die("%s: %m", asked.truth);
	printf("%ld %ld %ld %ld %ld\n", job.images, job.threads, job.failed, job.killed,
	       job.unseen);
	return 0;
}
