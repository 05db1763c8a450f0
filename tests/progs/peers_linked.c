/* A program with threads before its own constructors: in one of a library that it is linked with,
 * in one of its own. */
#define _GNU_SOURCE
#include "tests/progs/peers.h"
#include "tests/progs/peers_library.h"

#include <pthread.h>

static void *report(void *name)
{
	peers_report(name);
	return name;
}

__attribute__((constructor)) static void begin(void)
{
	static char name[] = "own constructor";
	pthread_t id;

	pthread_create(&id, NULL, report, name);
	pthread_join(id, NULL);
}

int main(void)
{
	peers_report(NULL);
	peers_print();
	peers_library_more();
	return 4;
}
