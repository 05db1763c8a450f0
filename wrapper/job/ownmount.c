/* Compare where a path leads in two mount namespaces: mountinfo, see proc_pid_mountinfo(5). */
#include "config.h"

#include "wrapper/ownmount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a path leads: a directory of a file system. */
struct place {
	char device[32];     /* major:minor */
	char root[PATH_MAX]; /* the directory of the file system that is mounted */
	char point[PATH_MAX];
};

/* Undo the octal escapes of blanks and the like. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
		    p[3] >= '0' && p[3] <= '7') {
			*to++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static bool is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n == 1)
		return true;
	return strncmp(path, point, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Look a path up in this list of mounts; later mounts hide earlier ones. */
static bool find(const char *list, const char *path, struct place *found)
{
	FILE *f = fopen(list, "re");
	struct place p;
	size_t room = 0;
	char *line = NULL;
	bool any = false;

	while (f && getline(&line, &room, f) > 0) {
		_Static_assert(PATH_MAX == 4096, "widths of the format below");
		if (sscanf(line, "%*s %*s %31s %4095s %4095s", p.device, p.root, p.point) != 3)
			continue;
		unescape(p.root);
		unescape(p.point);
		if (!is_below(path, p.point))
			continue;
		*found = p;
		any = true;
	}
	free(line);
	if (f)
		fclose(f);
	return any;
}

/* The path inside the file system, to compare: its root and what is behind the mount point. */
static bool inside(const struct place *p, const char *path, char text[2 * PATH_MAX])
{
	const char *root = strcmp(p->root, "/") == 0 ? "" : p->root;
	const char *rest = strcmp(p->point, "/") == 0 ? path : path + strlen(p->point);
	int n = snprintf(text, 2 * PATH_MAX, "%s%s", root, rest);

	return n >= 0 && n < 2 * PATH_MAX;
}

bool pm_ownmount_has(const char *path, char point[PATH_MAX])
{
	char here[2 * PATH_MAX], there[2 * PATH_MAX], *real = realpath(path, NULL);
	struct place own, first;
	bool known;

	known = real && find("/proc/self/mountinfo", real, &own) &&
		find("/proc/1/mountinfo", real, &first) && inside(&own, real, here) &&
		inside(&first, real, there);
	free(real);
	if (known)
		snprintf(point, PATH_MAX, "%s", own.point);
	return known && (strcmp(own.device, first.device) != 0 || strcmp(here, there) != 0);
}
