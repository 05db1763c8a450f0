/* A text page of a given width. */
#include "config.h"

#include "report/print/page.h"

#include "common/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Column where the values of pm_page_pair start. */
#define VALUE_COLUMN 18

void pm_page_heading(const struct pm_page *p, const char *text)
{
	if (p->form)
		p->form->heading(p, text);
	else
		fprintf(p->f, "\n%s%s%s\n", pm_page_style(p, PM_STYLE_BOLD), text,
			pm_page_style(p, PM_STYLE_PLAIN));
}

void pm_page_title(const struct pm_page *p, const char *text)
{
	if (p->form)
		p->form->heading(p, text);
	else
		fprintf(p->f, "%s\n", text);
}

/* Colours of ECMA-48 (SGR) that every terminal has: bold, green, yellow, red. */
const char *pm_page_style(const struct pm_page *p, enum pm_style style)
{
	static const char *const sequence[] = {
		[PM_STYLE_PLAIN] = "\033[0m", [PM_STYLE_BOLD] = "\033[1m",
		[PM_STYLE_GOOD] = "\033[32m", [PM_STYLE_FAIR] = "\033[33m",
		[PM_STYLE_BAD] = "\033[31m",
	};

	return p->colour ? sequence[style] : "";
}

/* Length in bytes of the next line of text: as many words as fit, at least one character. *next
 * gets the start of the following line. */
static size_t take_line(const char *text, int columns, size_t *next)
{
	size_t fits = pm_text_prefix(text, columns), end = fits;

	if (columns < 1)
		columns = 1;
	if (text[fits] != '\0' && text[fits] != ' ') {
		while (end > 0 && text[end - 1] != ' ')
			end--;
		if (end == 0)
			end = fits ? fits : strlen(text); /* break a word that is too long */
	}
	*next = end;
	while (text[*next] == ' ')
		++*next;
	while (end > 0 && text[end - 1] == ' ')
		end--;
	return end;
}

void pm_page_wrap(const struct pm_page *p, int column, const char *text)
{
	size_t next, len;

	do {
		len = take_line(text, p->width - column, &next);
		fprintf(p->f, "%.*s\n", (int)len, text);
		text += next;
		if (*text)
			fprintf(p->f, "%*s", column, "");
	} while (*text);
}

void pm_page_text(const struct pm_page *p, const char *first, const char *text)
{
	if (p->form) {
		p->form->text(p, text);
		return;
	}
	fputs(first, p->f);
	pm_page_wrap(p, pm_text_columns(first), text);
}

void pm_page_textf(const struct pm_page *p, const char *first, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	pm_page_text(p, first, text);
}

void pm_page_label(const struct pm_page *p, int indent, const char *label, const char *text)
{
	char first[64];

	if (p->form) {
		p->form->pair(p, label, text);
		return;
	}
	snprintf(first, sizeof first, "%*s%s: ", indent, "", label);
	pm_page_text(p, first, text);
}

void pm_page_pair(const struct pm_page *p, const char *name, const char *text)
{
	int pad = VALUE_COLUMN - 2 - pm_text_columns(name);

	if (p->form) {
		p->form->pair(p, name, text);
		return;
	}
	fprintf(p->f, "  %s%*s", name, pad > 1 ? pad : 1, "");
	pm_page_wrap(p, VALUE_COLUMN, text);
}

void pm_page_pairf(const struct pm_page *p, const char *name, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	pm_page_pair(p, name, text);
}

const char *pm_page_bar(const struct pm_page *p, char *dst, double share, int cells)
{
	const char *full = p->utf8 ? "\xe2\x96\x88" : "#", *empty = p->utf8 ? "\xe2\x96\x91" : ".";
	size_t step = p->utf8 ? 3 : 1, out = 0;
	int filled;

	if (p->form)
		cells = 0;
	if (cells > PM_BAR_MAX)
		cells = PM_BAR_MAX;
	if (isnan(share) || share < 0)
		share = 0;
	filled = share >= 1 ? cells : (int)(share * cells + 0.5);
	if (share < 0.995 && filled == cells)
		filled = cells - 1; /* a share below 1 never fills the bar */
	if (!p->utf8 && cells > 0)
		dst[out++] = '[';
	for (int i = 0; i < cells; i++, out += step)
		memcpy(dst + out, i < filled ? full : empty, step);
	if (!p->utf8 && cells > 0)
		dst[out++] = ']';
	dst[out] = '\0';
	return dst;
}
