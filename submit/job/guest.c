/* The users of record files, by the names of a job's files. */
#include "config.h"

#include "submit/guest.h"

#include <string.h>

static size_t digits_before(const char *p, size_t end)
{
	size_t n = end;

	while (n > 0 && p[n - 1] >= '0' && p[n - 1] <= '9')
		n--;
	return end - n;
}

/* Where "-NUMBER" begins that ends at `end`, after at least one other byte; 0 where none does. */
static size_t number_before(const char *p, size_t end)
{
	size_t digits = digits_before(p, end), at = end - digits;

	return digits > 0 && at > 1 && p[at - 1] == '-' ? at - 1 : 0;
}

/* The name of a record file taken apart. */
struct parts {
	size_t host;    /* length of what stands before the last number, 0: not such a name */
	size_t process; /* length of what stands before the last two numbers, 0: there is but one */
	int64_t number;
};

static struct parts take_apart(const char *file)
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
	return pm_set_mix(pm_set_mix_bytes(6, p, n), n);
}

static int add_host(struct pm_set *hosts, const char *p, size_t n)
{
	uint64_t hash = host_hash(p, n);

	return pm_set_has(hosts, hash) ? 0 : pm_set_mark(hosts, hash);
}

int pm_guest_note_hosts(struct pm_set *hosts, const char *file)
{
	static const char before[] = "job-", behind[] = ".json";
	size_t n = strlen(file), around = strlen(before) + strlen(behind);
	struct parts p;

	if (n > around && strncmp(file, before, strlen(before)) == 0 &&
	    strcmp(file + n - strlen(behind), behind) == 0)
		return add_host(hosts, file + strlen(before), n - around);
	p = take_apart(file);
	if (p.host && p.number == 0 && add_host(hosts, file, p.host) < 0)
		return -1;
	return p.process ? add_host(hosts, file, p.process) : 0;
}

int64_t pm_guest_named(const char *file, const struct pm_set *hosts)
{
	struct parts p = take_apart(file);

	if (!p.host || p.number == 0 || p.number > UINT32_MAX)
		return -1;
	/* n-12-1000.tsv is of user 1000 on host n-12, or of process 12 on host n. */
	if (p.process && !pm_set_has(hosts, host_hash(file, p.host)))
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
