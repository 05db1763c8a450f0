/*
 * Drop this library from LD_PRELOAD: in a new root directory or mount namespace its path may lead
 * nowhere, and ld.so would say so on the standard error of every program started there.
 *
 * The caller's environment is read only if the library is out of reach: else the kernel gets the
 * pointers as they came, good or bad.
 */
#include "config.h"

#include "libperfmon/base/preload.h"

#include "common/safe/variables.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/stack.h"
#include "libperfmon/base/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

/* Stack use that fits the smallest stack of a thread, and use that fits any stack, bytes. */
#define ROOM_MAX       6144
#define SMALL_ROOM_MAX 256

static const char variable[] = PM_VARIABLE_PRELOAD "=";
#define VARIABLE (sizeof variable - 1)

/*
 * Open the path as ld.so will, by a system call that ld.so has made already, so that an inherited
 * filter of system calls allows the call. A lack of descriptors says nothing about the path.
 */
static bool out_of_reach(const char *path)
{
	long fd = pm_sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);

	if (fd >= 0)
		pm_sys1(SYS_close, fd);
	return fd == -ENOENT || fd == -EACCES || fd == -ENOTDIR || fd == -ELOOP;
}

/* Life cycle: unset until the program confines itself. */
static enum { ASK, THERE, GONE } answer;

static bool is_out_of_reach(const char *path)
{
	return answer == ASK ? out_of_reach(path) : answer == GONE;
}

void pm_preload_confine(void)
{
	const char *path = pm_nextsymbol_self();

	if (answer == ASK)
		answer = path && out_of_reach(path) ? GONE : THERE;
}

void pm_preload_release(void)
{
	answer = ASK;
}

static bool is_preload(const char *entry)
{
	for (size_t i = 0; i < VARIABLE; i++)
		if (entry[i] != variable[i])
			return false;
	return true;
}

static bool is_separator(char c)
{
	return c == ':' || c == ' ';
}

static const char *base_name(const char *p, size_t n)
{
	const char *base = p;

	for (size_t i = 0; i < n; i++)
		if (p[i] == '/')
			base = p + i + 1;
	return base;
}

/* Whether n bytes of LD_PRELOAD name the object that ld.so found at `path`: the path itself, or a
 * form that ld.so turns into a path (a bare name, $LIB and its like). */
static bool names_library(const char *p, size_t n, const char *path)
{
	size_t len = strlen(path), base_len;
	const char *base;

	if (n == len && memcmp(p, path, n) == 0)
		return true;
	if (memchr(p, '/', n) && !memchr(p, '$', n))
		return false;
	base = base_name(p, n);
	base_len = n - (size_t)(base - p);
	path = base_name(path, len);
	return base_len > 0 && strlen(path) == base_len && memcmp(base, path, base_len) == 0;
}

/*
 * Copy the value of LD_PRELOAD without the entries that name `path`. Each entry goes with the
 * separator before it, the first entry with the separator after it. `out` may be NULL. Returns the
 * length.
 */
static size_t copy_without(char *out, const char *value, const char *path)
{
	size_t len = 0;

	while (*value) {
		size_t n = 0;

		while (value[n] && !is_separator(value[n]))
			n++;
		if (n > 0 && names_library(value, n, path)) {
			value += n;
			if (len > 0)
				len--;
			else if (*value)
				value++;
			continue;
		}
		if (value[n])
			n++;
		if (out)
			memcpy(out + len, value, n);
		len += n;
		value += n;
	}
	return len;
}

size_t pm_preload_room(char *const *envp)
{
	const char *path = pm_nextsymbol_self();
	size_t room = sizeof *envp;
	bool found = false;

	if (!envp || !path || path[0] != '/' || !is_out_of_reach(path))
		return 0;
	for (; *envp; envp++) {
		room += sizeof *envp;
		if (!is_preload(*envp))
			continue;
		size_t n = strlen(*envp), rest = copy_without(NULL, *envp + VARIABLE, path);
		if (rest + VARIABLE == n)
			continue;
		found = true;
		room += n + 1;
	}
	return found && room <= (pm_stack_has_room() ? ROOM_MAX : SMALL_ROOM_MAX) ? room : 0;
}

char *const *pm_preload_without(char *const *envp, void *room)
{
	const char *path = pm_nextsymbol_self();
	char **vector = room, *text;
	size_t n = 0;

	while (envp[n])
		n++;
	text = (char *)(vector + n + 1);
	n = 0;
	for (; *envp; envp++) {
		size_t rest;

		vector[n++] = *envp;
		if (!is_preload(*envp))
			continue;
		rest = copy_without(NULL, *envp + VARIABLE, path);
		if (rest == strlen(*envp + VARIABLE))
			continue;
		/* LD_PRELOAD named this library alone, so drop the variable. */
		if (rest == 0) {
			n--;
			continue;
		}
		vector[n - 1] = text;
		memcpy(text, variable, VARIABLE);
		copy_without(text + VARIABLE, *envp + VARIABLE, path);
		text[VARIABLE + rest] = '\0';
		text += VARIABLE + rest + 1;
	}
	vector[n] = NULL;
	return vector;
}
