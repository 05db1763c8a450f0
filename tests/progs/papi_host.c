/*
 * A program that uses PAPI itself: prints how many faults of 100 pages PAPI counted in it.
 * Linked with PAPI, or (papi_host_late) opening the library named by its argument as it runs.
 */
#include <papi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGES 100

static __typeof__(PAPI_library_init) *init;
static __typeof__(PAPI_create_eventset) *create;
static __typeof__(PAPI_event_name_to_code) *code_of;
static __typeof__(PAPI_add_event) *add;
static __typeof__(PAPI_start) *start;
static __typeof__(PAPI_stop) *stop;
static __typeof__(PAPI_shutdown) *end;

#ifdef LATE
static int find_all(const char *path)
{
	static const struct {
		const char *name;
		void *slot;
	} function[] = {
		{ "PAPI_library_init", &init },
		{ "PAPI_create_eventset", &create },
		{ "PAPI_event_name_to_code", &code_of },
		{ "PAPI_add_event", &add },
		{ "PAPI_start", &start },
		{ "PAPI_stop", &stop },
		{ "PAPI_shutdown", &end },
	};
	void *library = dlopen(path, RTLD_NOW);

	for (size_t i = 0; i < sizeof function / sizeof function[0]; i++) {
		void *symbol = library ? dlsym(library, function[i].name) : NULL;

		if (!symbol)
			return -1;
		memcpy(function[i].slot, &symbol, sizeof symbol);
	}
	return 0;
}
#else
static int find_all(const char *path)
{
	(void)path;
	init = PAPI_library_init;
	create = PAPI_create_eventset;
	code_of = PAPI_event_name_to_code;
	add = PAPI_add_event;
	start = PAPI_start;
	stop = PAPI_stop;
	end = PAPI_shutdown;
	return 0;
}
#endif

int main(int argc, char **argv)
{
	char name[] = "perf::PAGE-FAULTS";
	int set = PAPI_NULL, code, rc;
	long long faults = 0;
	volatile char *p;

	if (find_all(argc > 1 ? argv[1] : "") < 0 || init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	rc = create(&set);
	if (rc == PAPI_OK)
		rc = code_of(name, &code);
	if (rc == PAPI_OK)
		rc = add(set, code);
	p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	madvise((void *)(uintptr_t)p, PAGES * 4096, MADV_NOHUGEPAGE);
	if (rc == PAPI_OK)
		rc = start(set);
	if (rc != PAPI_OK) {
		printf("PAPI error %d\n", rc);
		return 1;
	}
	for (int i = 0; i < PAGES; i++)
		p[i * 4096] = 1;
	rc = stop(set, &faults);
	end();
	printf("%lld\n", rc == PAPI_OK ? faults : rc);
	return 0;
}
