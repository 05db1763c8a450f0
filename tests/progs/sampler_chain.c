/*
 * sampler_chain LENGTH SHORT [MS]: a chain of LENGTH processes, each the child of the one before it
 * and with 1 MB of its own memory. Each prints its pid and does nothing until standard input
 * ends; then it waits for its child and exits. The first one runs SHORT children before that.
 * With MS each runs every so many milliseconds meanwhile, reads and writes.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB 1048576

/* Until standard input ends: run every ms milliseconds, long enough for all counters to change. */
static void run_on(int ms)
{
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };
	int zero = open("/dev/zero", O_RDWR);
	char some[4096];

	while (poll(&end, 1, ms) == 0)
		if (read(zero, some, sizeof some) < 0 || write(zero, some, sizeof some) < 0)
			break;
	close(zero);
}

int main(int argc, char **argv)
{
	long length = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long brief = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long ms = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	pid_t child = -1;
	char *memory = NULL, c;

	for (; brief > 0; brief--) {
		child = fork();
		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	for (; length > 0; length--) {
		memory = malloc(MB);
		if (!memory)
			return 1;
		memset(memory, 1, MB);
		dprintf(STDOUT_FILENO, "%d\n", (int)getpid());
		child = length > 1 ? fork() : -1;
		if (child != 0)
			break;
	}
	if (ms)
		run_on((int)ms);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	if (child > 0)
		waitpid(child, NULL, 0);
	free(memory);
	return 0;
}
