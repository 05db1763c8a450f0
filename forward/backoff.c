/* Exponential back-off with jitter that is a host's own. */
#include "config.h"

#include "forward/backoff.h"

/* The first pause. */
#define FIRST_US 1000000

/* Beyond so many doublings the pause is longer than any setting. */
#define DOUBLINGS 40

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. */
uint64_t pm_backoff_host(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h;
}

/* A number from 0 to 1 for the host and a count: names that differ in one digit are far apart.
 * SplitMix64, whose 53 upper bits make the fraction. */
static double fraction(uint64_t host, unsigned count)
{
	uint64_t z = host + (count + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) / (double)((uint64_t)1 << 53);
}

int64_t pm_backoff_pause(uint64_t host, unsigned failures, int64_t longest_us)
{
	const unsigned doublings = failures > DOUBLINGS ? DOUBLINGS : failures ? failures - 1 : 0;
	int64_t pause = (int64_t)FIRST_US << doublings;

	if (pause > longest_us)
		pause = longest_us;
	return pause - (int64_t)((double)pause / 2 * fraction(host, failures));
}

int64_t pm_backoff_offset(uint64_t host, int64_t span_us)
{
	return (int64_t)((double)span_us * fraction(host, 0));
}
