/* Messages of protocol buffers, written into memory: numbers and texts. */
#ifndef PM_EXPORT_PROTOBUF_H
#define PM_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_protobuf {
	unsigned char *p; /* owned */
	size_t n, room;
	bool failed; /* out of memory: the rest is dropped */
};

/* Append a field of a message by its number: a varint, or a text of n bytes. */
void pm_protobuf_integer(struct pm_protobuf *b, unsigned field, uint64_t v);
void pm_protobuf_text(struct pm_protobuf *b, unsigned field, const char *p, size_t n);

/* Begin a field that is a message. Returns what pm_protobuf_end() takes. */
size_t pm_protobuf_begin(struct pm_protobuf *b, unsigned field);

/* End the message. */
void pm_protobuf_end(struct pm_protobuf *b, size_t begun);

#endif
