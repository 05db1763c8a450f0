/*
 * The records of a job, gathered per program image. Each image costs a fixed small struct; the
 * records themselves go to a store.
 */
#ifndef PM_SUBMIT_JOB_IMAGES_H
#define PM_SUBMIT_JOB_IMAGES_H

#include "common/err.h"
#include "common/safe/record.h"
#include "submit/job/guest.h"
#include "submit/memory/hashindex.h"
#include "submit/memory/hashmap.h"
#include "submit/memory/packed.h"

#include <stdbool.h>
#include <stdint.h>

#define PM_NONE UINT32_MAX

/* An unknown time or key. */
#define PM_NO_TIME INT64_MIN

/* A host in one boot. */
struct pm_host {
	char *boot_id;  /* "" where unknown */
	char *hostname; /* "" where unknown */
};

/* A pid namespace of a host: within it pids are unique at any one time. */
struct pm_space {
	uint32_t host;
	int64_t pid_ns; /* -1 where unknown */
};

enum pm_image_flag {
	PM_IMAGE_EXEC = 1,        /* ended by an exec */
	PM_IMAGE_REAPED_ONLY = 2, /* made from a reaped record alone */
	PM_IMAGE_CYCLE = 4,       /* its parent link was cut: the links formed a cycle */
	PM_IMAGE_BACKWARDS = 8,   /* ends before it starts */
	PM_IMAGE_EXCLUDED = 16,   /* its program was excluded from recording: gets no row */
	PM_IMAGE_DEPARTED = 32,   /* the process changed its user */
	PM_IMAGE_GUEST = 256,     /* higher bits: user of the file with its start (guest.h) */
};

struct pm_image {
	int64_t image_us;  /* PM_NO_TIME: known from its reaped record alone */
	int64_t starttime; /* -1: unknown */
	int64_t last_us;   /* time of its last record; for an image known from its reaped record
			    * alone, until when its pid was another process' */
	int64_t end_us;    /* from its end record, else its reaped record, else PM_NO_TIME */
	uint64_t start;    /* its records, as offsets in the store; 0: none */
	uint64_t end;
	uint64_t last; /* its last record, which counts if there is no end */
	uint64_t reaped;
	uint32_t space;
	uint32_t pid;
	uint32_t ppid;         /* 0: unknown */
	uint32_t parent_space; /* namespace of ppid: that of the image, except for inits */
	uint32_t threads;      /* first of its thread records, PM_NONE: none */
	uint32_t previous;     /* previous image of the same process */
	uint32_t parent;
	uint32_t generation;
	uint16_t resumed; /* number of failed execs */
	uint16_t flags;
	uint32_t id;    /* row id, set by the tree; 0: none */
	uint32_t above; /* nearest image with a row on the way to the root */
	uint32_t depth; /* number of images with a row on that way */
};

struct pm_image_thread {
	uint64_t record;
	int64_t tid;
	int64_t end_us;
	uint32_t next;
};

/* A reaped record, until it is matched. */
struct pm_reaped {
	uint64_t record;
	int64_t start_us; /* PM_NO_TIME: unknown */
	int64_t end_us;
	uint32_t space;
	uint32_t pid; /* 0: unknown */
	uint32_t ppid;
	/* Set by the tree: */
	uint32_t image;  /* image that it belongs to */
	uint32_t before; /* or the last known image of its process, which ended by an exec */
	bool aside;      /* duplicate of another record, or may be about several processes */
	uint8_t guest;   /* user of its file (guest.h) */
};

struct pm_images {
	struct pm_packed pack;
	struct pm_host *host;
	size_t hosts, hosts_cap;
	struct pm_space *space;
	size_t spaces, spaces_cap;
	struct pm_image *image;
	size_t images, images_cap;
	struct pm_image_thread *thread;
	size_t threads, threads_cap;
	struct pm_reaped *reaped;
	size_t reaped_count, reaped_cap;
	struct pm_hashindex by_host, by_space; /* hash of identity -> index */
	struct pm_hashindex by_key;            /* hash of an image's key -> image */
	struct pm_hashmap seen; /* hashes of thread and reaped records, for duplicates */
	struct pm_guests guests;
	uint32_t last_space;
};

/* Start empty; free the memory. */
void pm_images_init(struct pm_images *m);
void pm_images_free(struct pm_images *m);

/*
 * Add a parsed record. Returns 0; 1 with *why set to a constant text if the record must be rejected
 * (a required field is missing or out of range, a duplicate); -1 with e filled when out of memory
 * or disk.
 */
int pm_images_add(struct pm_images *m, const struct pm_record *r, const char **why,
		  struct pm_err *e);

/* Whether a file of user `guest` (guest.h) may describe an image. */
bool pm_images_may_tell(const struct pm_images *m, uint8_t guest, uint32_t image);

/* Free the lookup tables once no more records are added. */
void pm_images_complete(struct pm_images *m);

/* Read a record back; its texts stay valid until the next record is added. Offset 0 is no record:
 * an empty one. Returns 0 or -1 with e filled. */
int pm_images_read(struct pm_images *m, uint64_t offset, struct pm_record *r, struct pm_err *e);

/* Find or add a host by boot id and name. Returns its index or PM_NONE (out of memory, or more than
 * PM_HOSTS_MAX). */
uint32_t pm_images_host(struct pm_images *m, struct pm_str boot_id, struct pm_str hostname);

/* Add an empty image. Returns its index or PM_NONE with e filled. */
uint32_t pm_images_new(struct pm_images *m, struct pm_err *e);

/* Maximum number of hosts of a job. */
#define PM_HOSTS_MAX 65536

#endif
