/*
 * What a process that reads sources tells the loop after each reading. Bytes: a reader may have
 * gone mad, so they are checked like any other input. Programs only.
 */
#ifndef PM_MESSAGE_H
#define PM_MESSAGE_H

#include "sampler/clock.h"
#include "sampler/source.h"

/* Longest body of a message in bytes: some 30 000 series. */
#define PM_MESSAGE_MAX (1u << 20)

/* What a reader is asked for. */
struct pm_request {
	uint32_t number;
	bool read[PM_SOURCES];
};

/* A message begins with this; a block for each source follows. */
struct pm_message {
	uint32_t magic;
	uint32_t length;            /* of the body, the bytes that follow */
	uint32_t number;            /* of the request that it answers */
	uint32_t sources;           /* how many blocks the body has */
	struct pm_moment at;        /* when all of it had been read */
	uint64_t living;            /* processes of the tree */
	int64_t user_us, system_us; /* CPU time of the reader and its children so far */
	int64_t resident;           /* peak of the reader's resident memory, B */
};

/* Bytes that grow. */
struct pm_bytes {
	unsigned char *p; /* owned */
	size_t n, capacity;
};

/* A source as its reader has it. */
struct pm_reading {
	const struct pm_source *source;
	struct pm_sink sink;
	void *state;
	bool opened, available;
	struct pm_unavailable why; /* while !available */
	uint64_t cost_ns;          /* CPU time spent in it so far */
};

/* A source as the loop has it. */
struct pm_slot {
	const struct pm_source *source;
	struct pm_sink sink;
	int *place; /* the sink's series by the number that its reader gives it; owned */
	size_t places;
	bool heard, available; /* whether its reader has opened it, and could */
	bool anew; /* its reader was started again: it may know of series that are here */
	struct pm_unavailable why;
	struct pm_own_source *own;
	uint64_t past_cost_ns; /* in readers before this one */
};

/*
 * Begin a message in b, whose bytes are kept for it; m is filled by pm_message_end() alone.
 * Then add sources one by one, and end it: b holds head and body.
 * They return 0, or -1 when memory is short. A source with too much to say is unsupported.
 */
int pm_message_begin(struct pm_bytes *b, struct pm_message *m);
int pm_message_add(struct pm_bytes *b, struct pm_message *m, size_t id, struct pm_reading *r);
void pm_message_end(struct pm_bytes *b, const struct pm_message *m);

/* Whether this can be the head of a message. */
bool pm_message_is(const struct pm_message *m);

/*
 * Take the body of message m into the slots of its sources: values, new and leaving series.
 * member: whose slots it may fill. Returns 0, or -1 with e filled where it is no such body; what
 * it said until there is in the slots then.
 */
int pm_message_take(const struct pm_message *m, const unsigned char *body, const bool *member,
		    struct pm_slot *slots, struct pm_err *e);

#endif
