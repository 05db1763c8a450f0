/* Parts of the reader of pickles: its memory, its texts and numbers, the constructors it knows. */
#ifndef PM_PICKLE_PARTS_H
#define PM_PICKLE_PARTS_H

#include "submit/pickle.h"

/* Keep a value. Returns its index, or PM_PICKLE_NONE beyond the limit or without memory. */
uint32_t pm_pickle_add(struct pm_pickle *p, const struct pm_pickle_value *v);

/* Push a value's index; open a mark; set an entry of the memo. Return 0 or -1 as above. */
int pm_pickle_push(struct pm_pickle *p, uint32_t value);
int pm_pickle_mark(struct pm_pickle *p);
int pm_pickle_memo(struct pm_pickle *p, uint64_t at, uint32_t value);

/* Append an item to a LIST or DICT. Returns 0 or -1 as above. */
int pm_pickle_append(struct pm_pickle *p, uint32_t container, uint32_t key, uint32_t value);

/* Decode the line of STRING, a quoted Python literal, or of UNICODE. Returns a text that lives as
 * long as p, its length in *n; NULL where it is damaged or there is no memory. */
const char *pm_pickle_quoted(struct pm_pickle *p, const char *line, size_t len, size_t *n);
const char *pm_pickle_unicode(struct pm_pickle *p, const char *line, size_t len, size_t *n);

/* A copy of a text, likewise. */
char *pm_pickle_copy(struct pm_pickle *p, const char *text, size_t n);

/* The number of an opcode I, L or F from its line. Returns 0 or -1. */
int pm_pickle_number(struct pm_pickle_value *v, int op, const char *line, size_t n);

/* The number of `n` bytes in two's complement, low ones first. */
void pm_pickle_long(struct pm_pickle_value *v, const unsigned char *s, size_t n);

/* The constructor of a name. Returns 0, or -1 where it is none that is known. */
int pm_pickle_name(struct pm_pickle_value *v, const char *module, size_t module_n, const char *what,
		   size_t n);

/* What a constructor makes of its arguments, a LIST. Returns 0, or -1 where they are wrong. */
int pm_pickle_construct(struct pm_pickle *p, struct pm_pickle_value *v, uint32_t constructor,
			uint32_t arguments);

#endif
