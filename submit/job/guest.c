/* Users of record files, told by the names of a job's files. */
#include "config.h"

#include "submit/job/guest.h"

#include <string.h>

static size_t digits_before(const char *p, size_t end)
{
	size_t n = end;

	while (n > 0 && p[n - 1] >= '0' && p[n - 1] <= '9')
		n--;
	return end - n;
}

/* Offset of the "-NUMBER" that ends at `end` and follows at least one other byte; 0 if there is
 * none. */
static size_t number_before(const char *p, size_t end)
{
	size_t digits = digits_before(p, end), at = end - digits;

	return digits > 0 && at > 1 && p[at - 1] == '-' ? at - 1 : 0;
}

/* Parts of a record file's name. */
struct parts {
	size_t host;    /* length of the part before the last number, 0: no such name */
	size_t process; /* length of the part before the last two numbers, 0: only one number */
	int64_t number;
};

static struct parts split_name(const char *file)
{
	static const char suffix[] = ".tsv";
	struct parts p = { .number = -1 };
	size_t n = strlen(file), digits;
	bool several = false;

	if (n < sizeof suffix || strcmp(file + n - strlen(suffix), suffix) != 0)
		return p;
	n -= strlen(suffix);
	digits = digits_before(file, n);
	if (digits > 0 && digits < n && file[n - digits - 1] == '.') {
		several = true;
		n -= digits + 1;
	}
	p.host = number_before(file, n);
	if (p.host && pm_tsv_number(file + p.host + 1, n - p.host - 1, &p.number) < 0)
		p.host = 0;
	if (p.host && !several)
		p.process = number_before(file, p.host);
	return p;
}

static uint64_t host_hash(const char *p, size_t n)
{
	return pm_hashmap_mix(pm_hashmap_mix_bytes(6, p, n), n);
}

static int add_host(struct pm_hashmap *hosts, const char *p, size_t n)
{
	uint64_t hash = host_hash(p, n);

	return pm_hashmap_has(hosts, hash) ? 0 : pm_hashmap_mark(hosts, hash);
}

int pm_guest_note_hosts(struct pm_hashmap *hosts, const char *file)
{
	static const char before[] = "job-", behind[] = ".json";
	size_t n = strlen(file), around = strlen(before) + strlen(behind);
	struct parts p;

	if (n > around && strncmp(file, before, strlen(before)) == 0 &&
	    strcmp(file + n - strlen(behind), behind) == 0)
		return add_host(hosts, file + strlen(before), n - around);
	p = split_name(file);
	if (p.host && p.number == 0 && add_host(hosts, file, p.host) < 0)
		return -1;
	return p.process ? add_host(hosts, file, p.process) : 0;
}

int64_t pm_guest_named(const char *file, const struct pm_hashmap *hosts)
{
	struct parts p = split_name(file);

	if (!p.host || p.number == 0 || p.number > UINT32_MAX)
		return -1;
	/* n-12-1000.tsv belongs to user 1000 on host n-12, or to process 12 on host n. */
	if (p.process && !pm_hashmap_has(hosts, host_hash(file, p.host)))
		return -1;
	return p.number;
}

void pm_guest_enter(struct pm_guests *g, int64_t uid)
{
	uint8_t i = 0;

	g->now = 0;
	if (uid < 0)
		return;
	while (i < g->count && g->uid[i] != (uint32_t)uid)
		i++;
	if (i == g->count && i < PM_GUESTS_MAX)
		g->uid[g->count++] = (uint32_t)uid;
	g->now = (uint8_t)(i + 1);
}
