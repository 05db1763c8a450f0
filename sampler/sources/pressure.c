/* Read files of pressure stall information. */
#include "config.h"

#include "sampler/sources/pressure.h"

#include "sampler/kernel/procfile.h"

#include <string.h>

/* Step over a word. Returns false where the text differs. */
static bool skip_word(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Read " avg10=0.00 avg60=0.00 avg300=0.00 total=0\n" at p. Returns false where it is malformed. */
static bool read_line(const char *p, const char *end, int64_t average[3], int64_t *total)
{
	static const char *const name[] = { " avg10=", " avg60=", " avg300=" };

	for (int i = 0; i < 3; i++)
		if (!skip_word(&p, end, name[i]) ||
		    pm_procfile_decimal(&p, end, 2, &average[i]) < 0)
			return false;
	return skip_word(&p, end, " total=") && pm_procfile_number(&p, end, total) == 0 &&
	       *p == '\n';
}

void pm_pressure_put(const char *text, size_t n, struct pm_sink *sink,
		     const int series[PM_PRESSURE_VALUES])
{
	static const struct {
		const char *word;
		int total, average;
	} line[] = {
		{ "some", PM_PRESSURE_SOME, PM_PRESSURE_SOME_AVG10 },
		{ "full", PM_PRESSURE_FULL, PM_PRESSURE_FULL_AVG10 },
	};
	const char *end = text + n;

	for (int i = 0; i < PM_PRESSURE_VALUES; i++)
		pm_sink_unknown(sink, series[i], PM_REASON_unsupported);
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		for (int i = 0; i < 2; i++) {
			int64_t average[3], total;
			const char *at = p;
			bool good;

			if (!skip_word(&at, end, line[i].word))
				continue;
			good = read_line(at, end, average, &total);
			for (int j = 0; j < 3; j++)
				if (good)
					pm_sink_value(sink, series[line[i].average + j],
						      average[j]);
				else
					pm_sink_unknown(sink, series[line[i].average + j],
							PM_REASON_parse);
			if (good)
				pm_sink_value(sink, series[line[i].total], total);
			else
				pm_sink_unknown(sink, series[line[i].total], PM_REASON_parse);
		}
		p = newline ? newline + 1 : end;
	}
}
