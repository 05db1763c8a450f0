/* Parts of the pickle reader: memory, texts and numbers, known constructors. */
#ifndef PM_SUBMIT_FOREIGN_PICKLE_PARTS_H
#define PM_SUBMIT_FOREIGN_PICKLE_PARTS_H

#include "submit/foreign/pickle.h"

/* Store a value. Returns its index, or PM_PICKLE_NONE beyond the limit or when out of memory. */
uint32_t pm_pickle_add(struct pm_pickle *p, const struct pm_pickle_value *v);

/* Push a value's index; open a mark; set an entry of the memo. Return 0, or -1 beyond the limit or
 * when out of memory. */
int pm_pickle_push(struct pm_pickle *p, uint32_t value);
int pm_pickle_mark(struct pm_pickle *p);
int pm_pickle_memo(struct pm_pickle *p, uint64_t at, uint32_t value);

/* Append an item to a LIST or DICT. Returns 0, or -1 beyond the limit or when out of memory. */
int pm_pickle_append(struct pm_pickle *p, uint32_t container, uint32_t key, uint32_t value);

/* Decode the line of opcode STRING, a quoted Python literal, or of opcode UNICODE. Returns a text
 * owned by p, its length in *n; NULL if the line is damaged or there is no memory. */
const char *pm_pickle_quoted(struct pm_pickle *p, const char *line, size_t len, size_t *n);
const char *pm_pickle_unicode(struct pm_pickle *p, const char *line, size_t len, size_t *n);

/* Copy a text. Returns the copy, owned by p, or NULL. */
char *pm_pickle_copy(struct pm_pickle *p, const char *text, size_t n);

/* Parse the number of opcode I, L or F from its line. Returns 0 or -1. */
int pm_pickle_number(struct pm_pickle_value *v, int op, const char *line, size_t n);

/* Decode a little-endian number of `n` bytes in two's complement. */
void pm_pickle_long(struct pm_pickle_value *v, const unsigned char *s, size_t n);

/* Look up a constructor by name. Returns 0, or -1 if it is unknown. */
int pm_pickle_name(struct pm_pickle_value *v, const char *module, size_t module_n, const char *what,
		   size_t n);

/* Build the value of a constructor from its arguments, a LIST. Returns 0, or -1 if they are wrong.
 */
int pm_pickle_construct(struct pm_pickle *p, struct pm_pickle_value *v, uint32_t constructor,
			uint32_t arguments);

#endif
