/* The frame of every page for a browser. */
#include "config.h"

#include "report/web/webdocument.h"

#include "report/print/html.h"
#include "report/web/assets.h"
#include "report/web/webhash.h"

static void write_lines(FILE *out, const char *const line[])
{
	for (; *line; line++)
		fputs(*line, out);
}

void pm_webdocument_begin(FILE *out, const char *title, bool scripted)
{
	char hash[PM_WEBHASH_TEXT];

	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
	      out);
	if (scripted)
		fprintf(out, "script-src 'sha256-%s'; ", pm_webhash(hash, pm_web_script));
	fprintf(out, "style-src 'sha256-%s'%s\">\n", pm_webhash(hash, pm_web_style),
		scripted ? "; img-src data: blob:" : "");
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"generator\" content=\"perfmon " PACKAGE_VERSION "\">\n<title>",
	      out);
	pm_html_text(out, title);
	fputs("</title>\n<style>", out);
	write_lines(out, pm_web_style);
	fputs("</style>\n</head>\n<body>\n", out);
}

void pm_webdocument_end(FILE *out, bool scripted)
{
	if (scripted) {
		fputs("<script>", out);
		write_lines(out, pm_web_script);
		fputs("</script>\n", out);
	}
	fputs("</body>\n</html>\n", out);
}
