/*
 * A client may have several descriptors: dup and fork copy them. It is told by its device and id.
 *
 * Whether a client came over exec: its descriptor then lacks close-on-exec, which users of drivers
 * set as they open one. For an image that had such a library from the start, it is known; else a
 * client without close-on-exec is of unknown origin, and left out.
 *
 * Programs of AMD's ROCm hand work to engines by /dev/kfd, through queues of their own, which the
 * times that the driver tells of engines leave out: they are unknown then.
 */
#include "config.h"

#include "libperfmon/record/clients.h"

#include "common/safe/drmline.h"
#include "common/safe/tsv.h"
#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/readfile.h"
#include "libperfmon/base/state.h"

#include <fcntl.h>
#include <string.h>

/* Libraries that clients have: libdrm (not libdrmaa, of batch systems), under nearly all others;
 * Intel's for Level Zero and OpenCL, and AMD's run time, which may do without. */
static const pm_nextsymbol_word users[] = { "drm.",    "drm_",           "ze_intel_gpu.",
					    "igdrcl.", "hsa-runtime64.", "hsakmt." };
#define USERS (sizeof users / sizeof users[0])

/* Clients of an image that are told apart, and descriptors that are looked at: if there are more,
 * nothing is known. */
#define CLIENTS     64
#define DESCRIPTORS 4096

/* As fdinfo shows it, in octal. */
#define CLOSE_ON_EXEC 02000000

struct set {
	uint64_t key[CLIENTS];
	uint32_t count;
};

/* Life cycle: written as an image begins; most have no set. `known`: it was looked. */
static struct {
	struct set *set;
	bool known;
	bool lost; /* not all of them are in the set */
} inherited;

/* Sums of parts, -1: none was told. */
enum sum { NS, CYCLES, RESIDENT, MEMORY, TOTAL, SUMS };

static const signed char sum_of[] = {
	[PM_DRMLINE_DRIVER] = -1,       [PM_DRMLINE_DEVICE] = -1,
	[PM_DRMLINE_CLIENT] = -1,       [PM_DRMLINE_CAPACITY] = -1,
	[PM_DRMLINE_NS] = NS,           [PM_DRMLINE_CYCLES] = CYCLES,
	[PM_DRMLINE_TOTAL_CYCLES] = -1, [PM_DRMLINE_TOTAL] = TOTAL,
	[PM_DRMLINE_SHARED] = -1,       [PM_DRMLINE_RESIDENT] = RESIDENT,
	[PM_DRMLINE_MEMORY] = MEMORY,
};

/* What a file says. */
struct client {
	uint64_t driver, device; /* hashes, 0: not told */
	int64_t id;              /* -1: not told */
	int64_t sum[SUMS];
	bool close_on_exec;
	bool malformed;
};

/* What is looked for, and found. */
struct look {
	bool begin; /* all clients are inherited ones */
	bool lost;
	bool untold; /* engines have work of which the driver does not tell */
	struct set seen;
	int64_t ns, cycles, memory; /* -1: none was told */
};

/* FNV-1a. */
static uint64_t hash_of(const struct pm_str *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < s->n; i++)
		h = (h ^ (unsigned char)s->p[i]) * 0x100000001b3;
	return h;
}

/* Add to a sum of which nothing may be known yet. Returns false if it exceeds 63 bits. */
static bool add(int64_t *sum, int64_t value)
{
	return !__builtin_add_overflow(*sum < 0 ? 0 : *sum, value, sum);
}

static void take_flags(struct client *c, const char *p, const char *end)
{
	unsigned long flags = 0;

	for (; p < end && (*p == '\t' || (*p >= '0' && *p <= '7')); p++)
		if (*p != '\t')
			flags = flags * 8 + (unsigned long)(*p - '0');
	c->close_on_exec = flags & CLOSE_ON_EXEC;
}

static void take_line(struct client *c, const char *line, size_t n)
{
	struct pm_drmline l;
	int rc = pm_drmline_parse(&l, line, n);

	if (n > 6 && memcmp(line, "flags:", 6) == 0)
		take_flags(c, line + 6, line + n);
	if (rc < 0)
		c->malformed = true;
	if (rc <= 0)
		return;
	if (l.key == PM_DRMLINE_DRIVER)
		c->driver = hash_of(&l.name);
	else if (l.key == PM_DRMLINE_DEVICE)
		c->device = hash_of(&l.name);
	else if (l.key == PM_DRMLINE_CLIENT)
		c->id = l.value;
	else if (sum_of[l.key] >= 0 && !add(&c->sum[sum_of[l.key]], l.value))
		c->malformed = true;
}

static int take_lines(const char *text, size_t n, void *client)
{
	const char *const end = text + n, *newline;

	for (; (newline = memchr(text, '\n', (size_t)(end - text))) != NULL; text = newline + 1)
		take_line(client, text, (size_t)(newline + 1 - text));
	return -1;
}

static bool has(const struct set *s, uint64_t key)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->key[i] == key)
			return true;
	return false;
}

/* Returns false if the set is full. */
static bool put(struct set *s, uint64_t key)
{
	if (has(s, key))
		return true;
	if (s->count == CLIENTS)
		return false;
	s->key[s->count++] = key;
	return true;
}

static void take_client(struct look *k, const struct client *c)
{
	uint64_t key = (c->device ? c->device : c->driver) ^ (uint64_t)c->id;
	int64_t memory = c->sum[TOTAL];

	/* A descriptor of another kind. */
	if (c->id < 0 || !(c->device || c->driver)) {
		k->lost |= c->malformed;
		return;
	}
	if (k->begin) {
		k->lost |= !put(inherited.set, key);
		return;
	}
	if ((inherited.set && has(inherited.set, key)) || has(&k->seen, key))
		return;
	if (!inherited.known && !c->close_on_exec)
		return;
	/* The old name of resident memory may be there beside the new one. */
	if (c->sum[RESIDENT] >= 0)
		memory = c->sum[RESIDENT];
	else if (c->sum[MEMORY] >= 0)
		memory = c->sum[MEMORY];
	if (c->malformed || !put(&k->seen, key) || (c->sum[NS] >= 0 && !add(&k->ns, c->sum[NS])) ||
	    (c->sum[CYCLES] >= 0 && !add(&k->cycles, c->sum[CYCLES])) ||
	    (memory >= 0 && !add(&k->memory, memory)))
		k->lost = true;
}

/* Look at a descriptor, which has a name in the folder of descriptors. */
__attribute__((noinline)) static void look_at(struct look *k, long folder, const char *name)
{
	static const char device[] = "/dev/dri/", queues[] = "/dev/kfd";
	struct client c = { .id = -1, .sum = { -1, -1, -1, -1, -1 } };
	char text[512], path[48];
	struct pm_buf b;
	long n = pm_sys4(SYS_readlinkat, folder, name, text, sizeof text);

	if (n == sizeof queues - 1 && memcmp(text, queues, sizeof queues - 1) == 0)
		k->untold = true;
	if (n < (long)sizeof device || memcmp(text, device, sizeof device - 1) != 0)
		return;
	pm_buf_init(&b, path, sizeof path - 1);
	pm_buf_mem(&b, "/proc/self/fdinfo/", 18);
	pm_buf_mem(&b, name, strlen(name));
	if (b.truncated)
		return;
	path[b.len] = '\0';
	pm_readfile_lines(path, text, sizeof text, take_lines, &c);
	take_client(k, &c);
}

/* As getdents64(2) writes it. */
struct entry {
	uint64_t ino, off;
	uint16_t length;
	unsigned char type;
	char name[];
};

static void look(struct look *k)
{
	_Alignas(struct entry) char text[768];
	unsigned count = 0;
	long folder, n;

	folder = pm_descriptors_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	k->lost = folder < 0;
	while (!k->lost && (n = pm_sys3(SYS_getdents64, folder, text, sizeof text)) != 0) {
		k->lost = n < 0;
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)(text + at);

			at += e->length;
			if (e->name[0] == '.')
				continue;
			if (++count > DESCRIPTORS) {
				k->lost = true;
				break;
			}
			look_at(k, folder, e->name);
		}
	}
	if (folder >= 0)
		pm_sys1(SYS_close, folder);
}

void pm_clients_begin(void)
{
	struct look k;

	inherited.known = false;
	if (!pm_nextsymbol_loaded(users, USERS))
		return;
	inherited.lost = true;
	if (!inherited.set && !(inherited.set = pm_memory_map(sizeof *inherited.set)))
		return;
	inherited.set->count = 0;
	k.begin = true;
	k.untold = false;
	look(&k);
	inherited.known = !k.lost;
	inherited.lost = k.lost;
}

void pm_clients_measure(struct pm_record *r)
{
	struct look k;

	if (inherited.lost || !pm_nextsymbol_loaded(users, USERS))
		return;
	k.begin = k.untold = false;
	k.seen.count = 0;
	k.ns = k.cycles = k.memory = -1;
	look(&k);
	if (k.lost)
		return;
	if (k.ns >= 0 && !k.untold)
		pm_record_int(r, PM_COL_gpu_time, k.ns);
	if (k.cycles >= 0)
		pm_record_int(r, PM_COL_gpu_cycles, k.cycles);
	if (k.memory >= 0)
		pm_record_int(r, PM_COL_gpu_memory, k.memory >> 10);
}
