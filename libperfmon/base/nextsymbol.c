/*
 * Finding the next definition of a symbol by walking the link map.
 *
 * dlsym takes the loader's lock and allocates: in a fork child or a signal handler it can
 * deadlock, and it costs several times more. The walk reads what the loader has published in
 * _r_debug and each object's GNU hash table.
 */
#include "config.h"

#include "libperfmon/base/nextsymbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern __typeof__(_r_debug) _r_debug __attribute__((weak));
extern __typeof__(dlsym) dlsym __attribute__((weak));
extern __typeof__(on_exit) on_exit __attribute__((weak));

/* This library's own dynamic section, which identifies its entry in the link map. */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

struct object {
	const uint32_t *hash;
	const uint32_t *old_hash; /* of System V: nbucket, nchain, ... */
	const ElfW(Sym) * sym;
	const char *str;
	const ElfW(Half) * version; /* may be NULL */
};

bool pm_nextsymbol_glibc(void)
{
	return on_exit != NULL;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		h = h * 33 + *p;
	return h;
}

static int same_text(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* glibc relocates the pointers of most dynamic sections in place; those of the vDSO and of some
 * architectures stay relative to the load address. */
static uintptr_t absolute_address(const struct link_map *map, uintptr_t p)
{
	return p < map->l_addr ? p + map->l_addr : p;
}

/* Returns 0, or -1 for an object without a hash table. */
static int read_object(struct object *o, const struct link_map *map)
{
	*o = (struct object){ 0 };
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		uintptr_t p = absolute_address(map, d->d_un.d_ptr);

		if (d->d_tag == DT_GNU_HASH)
			o->hash = (const uint32_t *)p;
		else if (d->d_tag == DT_HASH)
			o->old_hash = (const uint32_t *)p;
		else if (d->d_tag == DT_SYMTAB)
			o->sym = (const ElfW(Sym) *)p;
		else if (d->d_tag == DT_STRTAB)
			o->str = (const char *)p;
		else if (d->d_tag == DT_VERSYM)
			o->version = (const ElfW(Half) *)p;
	}
	return (o->hash || o->old_hash) && o->sym && o->str ? 0 : -1;
}

static bool defines_function(const struct object *o, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &o->sym[i];

	return s->st_shndx != SHN_UNDEF && s->st_value != 0 &&
	       ELF64_ST_TYPE(s->st_info) == STT_FUNC && same_text(o->str + s->st_name, name);
}

/* Search an object that has only the old table from front to end: few objects do, among them the
 * vDSO of some architectures. */
static const ElfW(Sym) * find_in_old(const struct object *o, const char *name)
{
	for (uint32_t i = 1; i < o->old_hash[1]; i++)
		if (defines_function(o, i, name) && (!o->version || !(o->version[i] & 0x8000)))
			return &o->sym[i];
	return NULL;
}

/*
 * Look `name` up in one object. The default version wins; a version that only old binaries may bind
 * to (its hidden bit is set) counts if there is no other.
 */
static const ElfW(Sym) * find_in(const struct object *o, const char *name, uint32_t h)
{
	const unsigned bits = 8 * sizeof(ElfW(Addr));
	const uint32_t *bucket, *chain;
	const ElfW(Sym) *old = NULL;
	const ElfW(Addr) * bloom;
	uint32_t buckets, offset, bloom_words, shift, i;
	ElfW(Addr) word;

	if (!o->hash)
		return find_in_old(o, name);
	buckets = o->hash[0];
	offset = o->hash[1];
	bloom_words = o->hash[2];
	shift = o->hash[3];
	bloom = (const ElfW(Addr) *)(o->hash + 4);
	bucket = (const uint32_t *)(bloom + bloom_words);
	chain = bucket + buckets;
	if (buckets == 0 || bloom_words == 0)
		return NULL;
	word = bloom[h / bits % bloom_words];
	if (!(word >> (h % bits) & word >> ((h >> shift) % bits) & 1))
		return NULL;
	i = bucket[h % buckets];
	if (i < offset)
		return NULL;
	for (;; i++) {
		uint32_t c = chain[i - offset];

		if ((c | 1) == (h | 1) && defines_function(o, i, name)) {
			if (!o->version || !(o->version[i] & 0x8000))
				return &o->sym[i];
			old = &o->sym[i];
		}
		if (c & 1)
			return old;
	}
}

static int begins_with(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

/* Without folders; "" for the program. */
static const char *base_name(const struct link_map *map)
{
	const char *base = map->l_name ? map->l_name : "";

	for (const char *p = base; *p; p++)
		if (*p == '/')
			base = p + 1;
	return base;
}

/* Whether an object is libc, or libpthread, which had the threads before glibc 2.34. */
static bool is_libc(const struct link_map *map)
{
	const char *base = base_name(map);

	return begins_with(base, "libc.so.") || begins_with(base, "libc-2.") ||
	       begins_with(base, "libpthread.so.") || begins_with(base, "libpthread-2.");
}

/* The first definition after this library in the link map, or libc's; *object gets its object. */
static void *find_after(const char *name, bool libc_only, const struct link_map **object)
{
	const struct link_map *map = _r_debug.r_map;
	uint32_t h = gnu_hash(name);

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	for (map = map ? map->l_next : NULL; map; map = map->l_next) {
		const ElfW(Sym) * s;
		struct object o;

		if (libc_only && !is_libc(map))
			continue;
		if (read_object(&o, map) < 0 || (s = find_in(&o, name, h)) == NULL)
			continue;
		*object = map;
		return (void *)(map->l_addr + s->st_value);
	}
	return NULL;
}

void *pm_nextsymbol_find(const char *name)
{
	const struct link_map *object;

	if (!pm_nextsymbol_glibc() || !&_r_debug)
		return dlsym ? dlsym(RTLD_NEXT, name) : NULL;
	return find_after(name, false, &object);
}

void *pm_nextsymbol_libc(const char *name)
{
	const struct link_map *object;

	if (!pm_nextsymbol_glibc() || !&_r_debug)
		return pm_nextsymbol_find(name);
	return find_after(name, true, &object);
}

void *pm_nextsymbol_other(const char *name)
{
	const struct link_map *object;
	void *found;

	if (!pm_nextsymbol_glibc() || !&_r_debug)
		return pm_nextsymbol_find(name);
	found = find_after(name, false, &object);
	return found && !is_libc(object) ? found : NULL;
}

void *pm_nextsymbol_vdso(const char *name)
{
	static const char vdso[] = "linux-vdso.so.1";
	const struct link_map *map = pm_nextsymbol_glibc() && &_r_debug ? _r_debug.r_map : NULL;
	const ElfW(Sym) *s = NULL;
	struct object o;

	while (map && !(map->l_name && same_text(map->l_name, vdso)))
		map = map->l_next;
	if (map && read_object(&o, map) == 0)
		s = find_in(&o, name, gnu_hash(name));
	return s ? (void *)(map->l_addr + s->st_value) : NULL;
}

bool pm_nextsymbol_defined(const char *name)
{
	const struct link_map *map = pm_nextsymbol_glibc() && &_r_debug ? _r_debug.r_map : NULL;
	uint32_t h = gnu_hash(name);
	struct object o;

	for (; map; map = map->l_next)
		if (read_object(&o, map) == 0 && find_in(&o, name, h))
			return true;
	return false;
}

bool pm_nextsymbol_loaded(const pm_nextsymbol_word *words, size_t count)
{
	const struct link_map *map = pm_nextsymbol_glibc() && &_r_debug ? _r_debug.r_map : NULL;

	for (; map; map = map->l_next) {
		const char *base = base_name(map);

		for (size_t i = 0; begins_with(base, "lib") && i < count; i++)
			if (begins_with(base + 3, words[i]))
				return true;
	}
	return false;
}

const char *pm_nextsymbol_self(void)
{
	const struct link_map *map = pm_nextsymbol_glibc() && &_r_debug ? _r_debug.r_map : NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map ? map->l_name : NULL;
}

int pm_nextsymbol_missing(void)
{
	int *(*location)(void) = (int *(*)(void))pm_nextsymbol_find("__errno_location");

	if (location)
		*location() = ENOSYS;
	return -1;
}
