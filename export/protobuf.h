/* Messages of protocol buffers, written into memory: numbers and texts. What memory
 * ran out for is told by the bytes. */
#ifndef PM_EXPORT_PROTOBUF_H
#define PM_EXPORT_PROTOBUF_H

#include "common/bytes.h"

/* Append a field of a message by its number: a varint, or a text of n bytes. */
void pm_protobuf_integer(struct pm_bytes *b, unsigned field, uint64_t v);
void pm_protobuf_text(struct pm_bytes *b, unsigned field, const char *p, size_t n);

/* Begin a field that is a message. Returns what pm_protobuf_end() takes. */
size_t pm_protobuf_begin(struct pm_bytes *b, unsigned field);

/* End the message. */
void pm_protobuf_end(struct pm_bytes *b, size_t begun);

#endif
