/*
 * Files of lines "key value [unit]", such as /proc/meminfo: from a table of keys to series.
 * Programs only.
 */
#ifndef PM_KEYS_H
#define PM_KEYS_H

#include "sampler/source.h"

struct pm_keys_row {
	const char *key;  /* as it stands in the file, with its colon if it has one */
	const char *unit; /* behind the number, "" for none */
	int64_t scale;    /* the series' unit in one of the file's: 1024 for kB in B */
	bool zones;       /* older kernels count it by zone: key_dma, key_normal, ...: their sum */
};

/* A kind of file. Rows are found fastest in the order in which the file has them. */
struct pm_keys {
	const struct pm_keys_row *rows;
	size_t count;
	int words; /* words in front of the key in each line, such as "Node 0" */
};

/*
 * Put the value of row i into series first + i of the sink: absent where the text has no such line,
 * parse where the line is not as said or was cut. Of several lines with a key the first counts.
 */
void pm_keys_put(const struct pm_keys *keys, const char *text, size_t n, struct pm_sink *sink,
		 int first);

/*
 * Read the one number that a file consists of, up to its newline.
 * Returns 0, or -1 where there is something else or more.
 */
int pm_keys_number(const char *text, size_t n, int64_t *value);

#endif
