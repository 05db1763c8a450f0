/* Compare the directories that a path names in two mount namespaces: proc_pid_mountinfo(5). */
#include "config.h"

#include "wrapper/process/ownmount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mount that a path lies in. */
struct place {
	char device[32];      /* major:minor */
	char root[PATH_MAX];  /* the directory of the file system that is mounted */
	char point[PATH_MAX]; /* the mount point */
};

/* Decode the octal escapes of blanks and the like, in place. */
static void unescape_octal(char *text)
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

/* Find a path's mount in a list of mounts; later mounts hide earlier ones. */
static bool find_mount(const char *list, const char *path, struct place *found)
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
		unescape_octal(p.root);
		unescape_octal(p.point);
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

/* Get a path inside its file system: the mount's root and the path's part below the mount point. */
static bool path_inside(const struct place *p, const char *path, char text[2 * PATH_MAX])
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

	known = real && find_mount("/proc/self/mountinfo", real, &own) &&
		find_mount("/proc/1/mountinfo", real, &first) && path_inside(&own, real, here) &&
		path_inside(&first, real, there);
	free(real);
	if (known)
		snprintf(point, PATH_MAX, "%s", own.point);
	return known && (strcmp(own.device, first.device) != 0 || strcmp(here, there) != 0);
}
