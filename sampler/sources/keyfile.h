/* Files of lines "key value [unit]", such as /proc/meminfo: read into series by a table of keys. */
#ifndef PM_SAMPLER_SOURCES_KEYFILE_H
#define PM_SAMPLER_SOURCES_KEYFILE_H

#include "sampler/source.h"

struct pm_keyfile_row {
	const char *key;  /* as in the file, with its colon if it has one */
	const char *unit; /* after the number, "" for none */
	int64_t scale;    /* factor from the file's unit to the series': 1024 for kB to B */
	bool zones;       /* older kernels have key_dma, key_normal, ...: add them up */
};

/* A kind of file. Rows are found fastest in the order in which the file has them. */
struct pm_keyfile {
	const struct pm_keyfile_row *rows;
	size_t count;
	int words; /* words in front of the key in each line, such as "Node 0" */
};

/*
 * Put the value of row i into series first + i of the sink. It is unknown with the reason absent
 * where the text has no such line, and parse where the line is malformed or cut. If several lines
 * have the key, the first one counts.
 */
void pm_keyfile_put(const struct pm_keyfile *keys, const char *text, size_t n, struct pm_sink *sink,
		    int first);

/*
 * Read a file that consists of one number and a newline.
 * Returns 0, or -1 where the text is anything else.
 */
int pm_keyfile_number(const char *text, size_t n, int64_t *value);

#endif
