/*
 * Runs a fuzz target without libFuzzer: over the files of its corpus, then over mutations of them,
 * always the same ones. Prints TAP. A target that aborts ends the program, which the harness sees
 * as a failed test; the input is then in <program>.crash.
 *
 *   PM_FUZZ_RUNS   number of mutations (default 100000)
 *   PM_FUZZ_SEED   where the random numbers start (default 1)
 */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "tests/unit/common/random.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_MAX 65536
#define FILES_MAX 256

static struct {
	uint8_t *data[FILES_MAX];
	size_t len[FILES_MAX];
	size_t files;
	uint8_t input[INPUT_MAX]; /* the running one */
	size_t input_len;
	char crash[4096];
} fuzz;

/* Keep the input that ended the target. Only calls that are safe in a signal handler. */
static void on_abort(int signo)
{
	int fd = open(fuzz.crash, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd >= 0) {
		ssize_t ignored = write(fd, fuzz.input, fuzz.input_len);

		(void)ignored;
		close(fd);
	}
	signal(signo, SIG_DFL);
	raise(signo);
}

static void run(void)
{
	LLVMFuzzerTestOneInput(fuzz.input, fuzz.input_len);
}

static void load(const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, NULL, alphasort);

	if (n < 0) {
		printf("Bail out! %s: %s\n", dir, strerror(errno));
		exit(1);
	}
	for (int i = 0; i < n; i++) {
		char path[4096 + 256];
		FILE *f;

		snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' && fuzz.files < FILES_MAX &&
		    (f = fopen(path, "rb"))) {
			size_t len = fread(fuzz.input, 1, INPUT_MAX, f);
			uint8_t *copy = malloc(len + 1);

			memcpy(copy, fuzz.input, len);
			fuzz.data[fuzz.files] = copy;
			fuzz.len[fuzz.files++] = len;
			fclose(f);
		}
		free(entry[i]);
	}
	free(entry);
}

static void put(size_t at, const void *from, size_t n)
{
	if (n > INPUT_MAX - fuzz.input_len)
		n = INPUT_MAX - fuzz.input_len;
	memmove(fuzz.input + at + n, fuzz.input + at, fuzz.input_len - at);
	memmove(fuzz.input + at, from, n);
	fuzz.input_len += n;
}

static void mutate(uint64_t *state)
{
	size_t at = random_below(state, fuzz.input_len + 1), n = fuzz.input_len - at;
	size_t file = random_below(state, fuzz.files);
	char text[16];

	switch (random_below(state, 6)) {
	case 0: /* flip a bit */
		if (n)
			fuzz.input[at] ^= (uint8_t)(1u << random_below(state, 8));
		break;
	case 1: /* another byte */
		if (n)
			random_text(state, (char *)fuzz.input + at, 1);
		break;
	case 2: /* take out */
		n = random_below(state, n + 1) % 32;
		memmove(fuzz.input + at, fuzz.input + at + n, fuzz.input_len - at - n);
		fuzz.input_len -= n;
		break;
	case 3: /* put in */
		n = random_below(state, sizeof text);
		random_text(state, text, n);
		put(at, text, n);
		break;
	case 4: /* cut */
		fuzz.input_len = at;
		break;
	default: /* put in a piece of a file */
		n = random_below(state, fuzz.len[file] + 1);
		put(at, fuzz.data[file] + n, random_below(state, fuzz.len[file] - n + 1));
	}
}

int main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir"), *runs_text = getenv("PM_FUZZ_RUNS");
	const char *seed_text = getenv("PM_FUZZ_SEED"), *name = strrchr(argv[0], '/');
	long runs = runs_text ? strtol(runs_text, NULL, 10) : 100000;
	uint64_t state = seed_text ? strtoull(seed_text, NULL, 10) : 1;
	char dir[4096];

	name = name ? name + 1 : argv[0];
	snprintf(dir, sizeof dir, "%s/tests/fuzz/corpus/%.*s", top ? top : ".",
		 (int)strcspn(name, "."), name);
	snprintf(fuzz.crash, sizeof fuzz.crash, "%s.crash", argv[0]);
	signal(SIGABRT, on_abort);
	signal(SIGSEGV, on_abort);
	load(argc > 1 ? argv[1] : dir);
	if (fuzz.files == 0) {
		printf("Bail out! no corpus in %s\n", dir);
		return 1;
	}
	for (size_t i = 0; i < fuzz.files; i++) {
		memcpy(fuzz.input, fuzz.data[i], fuzz.len[i]);
		fuzz.input_len = fuzz.len[i];
		run();
	}
	printf("ok 1 - corpus of %zu files\n", fuzz.files);
	for (long i = 0; i < runs; i++) {
		size_t file = random_below(&state, fuzz.files);

		memcpy(fuzz.input, fuzz.data[file], fuzz.len[file]);
		fuzz.input_len = fuzz.len[file];
		for (size_t k = random_below(&state, 8) + 1; k > 0; k--)
			mutate(&state);
		run();
	}
	printf("ok 2 - %ld mutations\n1..2\n", runs);
	for (size_t i = 0; i < fuzz.files; i++)
		free(fuzz.data[i]);
	return 0;
}
