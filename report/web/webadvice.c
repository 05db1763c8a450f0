/* The advice of a page. */
#include "config.h"

#include "report/web/webadvice.h"

#include "report/advice/advice.h"
#include "report/print/html.h"

#include <ctype.h>
#include <string.h>

/* Write a value of a link: what is no letter, digit or one of -._ is %XX. */
static void write_value(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (isascii(c) && (isalnum(c) || strchr("-._", c)))
			fputc(c, f);
		else
			fprintf(f, "%%%02X", c);
	}
}

static double seconds(const struct pm_facts *f, int64_t time_us)
{
	return ((double)time_us - (double)f->line_start_us) / 1e6;
}

/* Write the filter of a link: what the page's script shows of a section. */
static void write_filter(FILE *out, const struct pm_facts *f, const struct pm_advice *a)
{
	if (*a->program) {
		fputs("&amp;program=", out);
		write_value(out, a->program);
	}
	if (*a->host) {
		fputs("&amp;host=", out);
		write_value(out, a->host);
	}
	if (a->start_us != PM_UNKNOWN && a->end_us != PM_UNKNOWN)
		fprintf(out, "&amp;from=%.6f&amp;to=%.6f", seconds(f, a->start_us),
			seconds(f, a->end_us));
}

/* Write the link to the section that shows an advice. */
static void write_link(const struct pm_page *p, const struct pm_facts *f, const struct pm_advice *a,
		       const struct pm_webplace *place, int section)
{
	fprintf(p->f, "<p class=\"see\"><a href=\"#%s%s", place->prefix, pm_websection_id(section));
	if (place->drawn)
		write_filter(p->f, f, a);
	fprintf(p->f, "\">See: %s</a></p>\n", pm_websection_title(section));
}

static void write_advice(const struct pm_page *p, const struct pm_facts *f,
			 const struct pm_advice *a, const struct pm_webplace *place,
			 const bool has[PM_WEBSECTIONS])
{
	char stake[2 * PM_FORMAT_MAX];

	fprintf(p->f, "<li class=\"advice %s\" data-rule=\"%s\"><p>",
		pm_advice_severity(a->severity), a->id);
	pm_html_text(p->f, a->text);
	fputs("</p>\n", p->f);
	if (*pm_advice_stake(stake, a))
		fprintf(p->f, "<p class=\"stake\">At stake: %s.</p>\n", stake);
	for (int i = 0; i < PM_WEBSECTIONS; i++)
		if (has[i] && strcmp(pm_websection_id(i), pm_advice_section(a->section)) == 0)
			write_link(p, f, a, place, i);
	fputs("</li>\n", p->f);
}

static void write_list(const struct pm_page *p, const struct pm_facts *f,
		       const struct pm_advice *list, size_t n, const struct pm_webplace *place,
		       const bool has[PM_WEBSECTIONS])
{
	fputs("<ol>\n", p->f);
	for (size_t i = 0; i < n; i++)
		write_advice(p, f, &list[i], place, has);
	fputs("</ol>\n", p->f);
}

void pm_webadvice_write(const struct pm_page *p, const struct pm_facts *f,
			const struct pm_webplace *place, const bool has[PM_WEBSECTIONS])
{
	struct pm_advice list[PM_ADVICE_RULES];
	const size_t n = pm_advice_list(f, list);

	fprintf(p->f, "<section id=\"%sadvice\" class=\"advices\">\n<h%d>Advice</h%d>\n",
		place->prefix, place->level, place->level);
	if (n > 0) {
		size_t causes = 0;

		while (causes < n && !list[causes].effect)
			causes++;
		write_list(p, f, list, causes, place, has);
		if (causes < n) {
			fprintf(p->f, "<details class=\"effects\"><summary>%s %zu</summary>\n",
				PM_ADVICE_EFFECTS, n - causes);
			write_list(p, f, list + causes, n - causes, place, has);
			fputs("</details>\n", p->f);
		}
	} else {
		pm_page_text(p, "", pm_advice_none(f));
	}
	fputs("</section>\n", p->f);
}
