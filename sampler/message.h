/*
 * Messages from a reader process to the loop, one after each reading. They are bytes that the loop
 * checks like any other input, since a reader may be corrupt.
 */
#ifndef PM_SAMPLER_MESSAGE_H
#define PM_SAMPLER_MESSAGE_H

#include "sampler/clock.h"
#include "sampler/source.h"

/* Longest body of a message in bytes: some 30 000 series. */
#define PM_MESSAGE_MAX (1u << 20)

/* A request to a reader: the sources to read. */
struct pm_request {
	uint32_t number;
	bool read[PM_SOURCES];
};

/* The head of a message; a block for each source follows. */
struct pm_message {
	uint32_t magic;
	uint32_t length;            /* of the body, the bytes that follow */
	uint32_t number;            /* of the request that it answers */
	uint32_t sources;           /* number of blocks in the body */
	struct pm_moment at;        /* when all sources had been read */
	uint64_t living;            /* processes of the tree */
	int64_t user_us, system_us; /* CPU time of the reader and its children so far */
	int64_t resident;           /* peak of the reader's resident memory, B */
};

/* A growing buffer. */
struct pm_bytes {
	unsigned char *p; /* owned */
	size_t n, capacity;
};

/* The reader's state of a source. */
struct pm_reading {
	const struct pm_source *source;
	struct pm_sink sink;
	void *state;
	bool opened, available;
	struct pm_unavailable why; /* while !available */
	uint64_t cost_ns;          /* CPU time spent in the source so far */
};

/* The loop's state of a source. */
struct pm_slot {
	const struct pm_source *source;
	struct pm_sink sink;
	int *place; /* series of the sink by the reader's number of the series; owned */
	size_t places;
	bool heard, available; /* whether its reader has tried to open it, and could */
	bool anew; /* its reader was restarted: series new in the reader may exist here */
	struct pm_unavailable why;
	struct pm_own_source *own;
	uint64_t past_cost_ns; /* CPU time spent in former readers */
};

/*
 * Begin a message in b, reusing its memory, add sources one by one, fill in the other members of m,
 * and end the message: b holds head and body then. Return 0, or -1 when memory is short. A source
 * whose series do not fit becomes unavailable, with the reason unsupported.
 */
int pm_message_begin(struct pm_bytes *b, struct pm_message *m);
int pm_message_add(struct pm_bytes *b, struct pm_message *m, size_t id, struct pm_reading *r);
void pm_message_end(struct pm_bytes *b, const struct pm_message *m);

/* Whether m can be the head of a message. */
bool pm_message_is(const struct pm_message *m);

/*
 * Take the body of message m into the slots of its sources: values, new and leaving series.
 * member: the sources whose slots it may fill. Returns 0, or -1 with e filled where the body is
 * malformed; the slots have the part before the error then.
 */
int pm_message_take(const struct pm_message *m, const unsigned char *body, const bool *member,
		    struct pm_slot *slots, struct pm_err *e);

#endif
