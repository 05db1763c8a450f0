/* Interpret the text of a batch system's variable: numbers, times, lists of hosts. */
#include "config.h"

#include "wrapper/sched/sched_form.h"

#include "common/safe/tsv.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Longest file that is read: a list of hosts, a slurm.conf(5); bytes. */
#define LIST_MAX ((size_t)4 << 20)

static int64_t parse_number(const char *text, size_t n)
{
	int64_t v;

	return n > 0 && pm_tsv_number(text, n, &v) == 0 && v >= 0 ? v : -1;
}

/* The number in 4 or 4(x2); -1 if nodes differ, as in 4(x2),8. */
static int64_t parse_each(const char *text)
{
	size_t n = strcspn(text, "(");
	size_t rest = strlen(text + n);

	if (rest > 0 && (strncmp(text + n, "(x", 2) != 0 ||
			 parse_number(text + n + 2, rest - 3) < 0 || text[n + rest - 1] != ')'))
		return -1;
	return parse_number(text, n);
}

/* Whether a word names this host, by its short or its full name. */
static bool is_here(const char *word, size_t n)
{
	struct utsname u;

	if (uname(&u) < 0)
		return false;
	while (n > 0 && memchr(word, '.', n))
		n--;
	return n == strcspn(u.nodename, ".") && strncmp(word, u.nodename, n) == 0;
}

/* Read a regular file of the batch system. Returns its text for the caller to free, or NULL. */
static char *read_list(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= LIST_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text) {
		n = read(fd, text, (size_t)st.st_size);
		text[n > 0 ? n : 0] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* A line of a list: the host's name and the rest of the line. */
struct entry {
	const char *name;
	size_t n;
	const char *rest;
};

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int rc = memcmp(x->name, y->name, n);

	return rc ? rc : (x->n > y->n) - (x->n < y->n);
}

/* Split a list into lines, without blank ones. Returns the number of lines; the caller frees *out.
 */
static size_t split_lines(const char *text, struct entry **out)
{
	size_t room = 1, n = 0;

	for (const char *p = text; *p; p++)
		room += *p == '\n';
	*out = calloc(room, sizeof **out);
	while (*out && *text) {
		size_t line = strcspn(text, "\n"), start = strspn(text, " \t");

		if (start < line) {
			struct entry *e = &(*out)[n++];

			e->name = text + start;
			e->n = strcspn(e->name, " \t\n");
			e->rest = e->name + e->n;
		}
		text += line + (text[line] == '\n');
	}
	return n;
}

static int64_t evaluate_list(enum pm_sched_form form, const char *path)
{
	char *text = read_list(path);
	struct entry *entry = NULL;
	size_t n = text ? split_lines(text, &entry) : 0;
	int64_t result = 0;

	if (form == PM_SCHED_HOSTS && n > 0)
		qsort(entry, n, sizeof *entry, by_name);
	for (size_t i = 0; i < n; i++) {
		const char *word = entry[i].rest + strspn(entry[i].rest, " \t");
		int64_t share = parse_number(word, strcspn(word, " \t\n"));

		if (form == PM_SCHED_LINES)
			result++;
		else if (form == PM_SCHED_HOSTS)
			result += i == 0 || by_name(&entry[i - 1], &entry[i]) != 0;
		else if (is_here(entry[i].name, entry[i].n))
			result += form == PM_SCHED_HERE ? 1 : share > 0 ? share : 0;
	}
	free(entry);
	free(text);
	return result > 0 ? result : -1;
}

/* Evaluate "n1 4 n2 8": the number of hosts (PAIRS), or the sum of this host's numbers (PAIR). */
static int64_t evaluate_pairs(enum pm_sched_form form, const char *text)
{
	int64_t hosts = 0, here = -1;

	for (;;) {
		const char *host = text + strspn(text, " "), *word;
		size_t n = strcspn(host, " ");
		int64_t v;

		if (n == 0)
			break;
		word = host + n + strspn(host + n, " ");
		v = parse_number(word, strcspn(word, " "));
		if (v < 0)
			return -1;
		hosts++;
		if (is_here(host, n))
			here = (here > 0 ? here : 0) + v;
		text = word + strcspn(word, " ");
	}
	if (form == PM_SCHED_PAIR)
		return here;
	return hosts > 0 ? hosts : -1;
}

/* Parts extracted from a text, by form. */
static char part[PM_SCHED_NUMBER][256];

/* Copy the first n bytes of a text. NULL if they are none or too many. */
static const char *cut_part(enum pm_sched_form form, const char *text, size_t n)
{
	if (n == 0 || n >= sizeof part[form])
		return NULL;
	memcpy(part[form], text, n);
	part[form][n] = '\0';
	return part[form];
}

/* The value of ClusterName in a slurm.conf(5), in lower case as Slurm itself converts it. Keys are
 * of any case and may have blanks around the '='. */
static const char *read_cluster_name(const char *path)
{
	static const char key[] = "ClusterName";
	char *text = read_list(path);
	const char *found = NULL;

	for (char *line = text; line && *line && !found;
	     line += strcspn(line, "\n"), line += !!*line) {
		char *p = line + strspn(line, " \t");

		if (strncasecmp(p, key, sizeof key - 1) != 0)
			continue;
		p += sizeof key - 1;
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p += 1 + strspn(p + 1, " \t");
		for (char *c = p; *c && *c != '\n'; c++)
			*c = (char)tolower((unsigned char)*c);
		found = cut_part(PM_SCHED_CLUSTER, p, strcspn(p, " \t\r\n#"));
	}
	free(text);
	return found;
}

const char *pm_sched_form_text(enum pm_sched_form form, const char *text)
{
	if (form == PM_SCHED_COLON)
		return cut_part(form, text, strcspn(text, ":"));
	if (form == PM_SCHED_CLUSTER)
		return read_cluster_name(text);
	if (form == PM_SCHED_INDEX && (strcmp(text, "0") == 0 || strcmp(text, "undefined") == 0))
		return NULL;
	return text;
}

int64_t pm_sched_form_number(enum pm_sched_form form, const char *text)
{
	int64_t v;

	switch (form) {
	case PM_SCHED_NUMBER:
		return parse_number(text, strlen(text));
	case PM_SCHED_TIME:
		/* A time of Cobalt may have a fraction. */
		v = parse_number(text, strcspn(text, "."));
		return v > 0 && v < INT64_MAX / 1000000 ? v * 1000000 : -1;
	case PM_SCHED_ZERO:
		return 0;
	case PM_SCHED_EACH:
		return parse_each(text);
	case PM_SCHED_LINES:
	case PM_SCHED_HOSTS:
	case PM_SCHED_HERE:
	case PM_SCHED_SHARE:
		return evaluate_list(form, text);
	case PM_SCHED_PAIRS:
	case PM_SCHED_PAIR:
		return evaluate_pairs(form, text);
	default:
		return -1;
	}
}
