/*
 * A library whose constructor creates threads, as numerical libraries do: linked into a program
 * (peers_linked) its constructor runs before the program's, dlopened in the middle of it.
 */
#define _GNU_SOURCE
#include "tests/progs/peers.h"

#include "tests/progs/peers_library.h"

#include <pthread.h>

static int begun, in_library;

static void *report(void *name)
{
	peers_report(name);
	__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
	return name;
}

static void *stays(void *name)
{
	report(name);
	for (;;)
		pause();
	return NULL;
}

/* Two that end, and one that lives as long as the process. */
__attribute__((constructor)) static void begin(void)
{
	static char name[] = "constructor", longer[] = "stays";
	pthread_t id;

	for (int i = 0; i < 2; i++) {
		pthread_create(&id, NULL, report, name);
		pthread_join(id, NULL);
	}
	pthread_create(&id, NULL, stays, longer);
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < 3)
		usleep(1000);
	in_library = 3;
}

void peers_library_more(void)
{
	static char name[] = "function";
	pthread_t id;

	for (int i = 0; i < 4; i++) {
		pthread_create(&id, NULL, report, name);
		pthread_join(id, NULL);
		in_library++;
	}
	peers_print();
	printf("%d threads in the library\n", in_library);
}
