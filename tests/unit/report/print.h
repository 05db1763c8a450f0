/* The report of facts made by hand, as text: what a line of it says, or a section. */
#ifndef PM_TESTS_UNIT_REPORT_PRINT_H
#define PM_TESTS_UNIT_REPORT_PRINT_H

#include "report/facts/facts.h"
#include "report/job/report_text.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000LL

static struct pm_facts f;
static char *text;

static void begin(void)
{
	pm_facts_init(&f, 5);
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
}

static void end(void)
{
	free(text);
	text = NULL;
	pm_facts_free(&f);
}

static const char *print(int width)
{
	struct pm_page page = { .width = width };
	size_t size;

	free(text);
	page.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(page.f);
	ck_assert_int_eq(pm_report_text(&page, &f, false), 0);
	fclose(page.f);
	return text;
}

/* What the line of a title says, "" where there is none; with the lines below it that have no title
 * of their own, " / " between. */
static inline const char *line(const char *title)
{
	static char got[4096];
	char start[64], *at, *to = got;

	snprintf(start, sizeof start, "\n  %-16s", title);
	print(1000);
	at = strstr(text, start);
	if (!at)
		return "";
	at += strlen(start);
	for (;;) {
		size_t len = strcspn(at, "\n");

		memcpy(to, at, len);
		to += len;
		at += len;
		if (strncmp(at, "\n                  ", 19) != 0)
			break;
		memcpy(to, " / ", 3);
		to += 3;
		at += 19;
	}
	*to = '\0';
	return got;
}

/* A section from its heading to the next. */
static inline const char *section(const char *heading, int width)
{
	char start[128], *at, *next;

	snprintf(start, sizeof start, "\n\n%s", heading);
	print(width);
	at = strstr(text, start);
	if (!at)
		return "";
	at = strchr(at + 2, '\n') + 1;
	next = strstr(at, "\n\nHow good");
	if (next)
		next[1] = '\0';
	return at;
}

#define LINE(title, want) ck_assert_str_eq(line(title), want)

#endif
