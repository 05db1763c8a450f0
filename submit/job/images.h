/*
 * The records of a job, gathered per program image. Each image costs a fixed small struct; the
 * records themselves go to a store. Programs only.
 */
#ifndef PM_IMAGES_H
#define PM_IMAGES_H

#include "common/err.h"
#include "common/record.h"
#include "submit/guest.h"
#include "submit/index.h"
#include "submit/set.h"
#include "submit/packed.h"

#include <stdbool.h>
#include <stdint.h>

#define PM_NONE UINT32_MAX

/* Times and keys that are not known. */
#define PM_NO_TIME INT64_MIN

/* A host in one boot. */
struct pm_host {
	char *boot_id;  /* "" where unknown */
	char *hostname; /* "" where unknown */
};

/* A pid namespace of a host: inside it pids are unique at a time. */
struct pm_space {
	uint32_t host;
	int64_t pid_ns; /* -1 where unknown */
};

enum pm_image_flag {
	PM_IMAGE_EXEC = 1,        /* its end says exec */
	PM_IMAGE_REAPED_ONLY = 2, /* made from a reaped record alone */
	PM_IMAGE_CYCLE = 4,       /* its parent link was cut: it led back to itself */
	PM_IMAGE_BACKWARDS = 8,   /* ends before it starts */
	PM_IMAGE_EXCLUDED = 16,   /* of a program that was not to be recorded: gets no row */
	PM_IMAGE_DEPARTED = 32,   /* it became another user */
	PM_IMAGE_GUEST = 256, /* times the number of the user whose file holds its start (guest.h)
			       * */
};

struct pm_image {
	int64_t image_us;  /* PM_NO_TIME for one known by its reaped record alone */
	int64_t starttime; /* -1: unknown */
	int64_t last_us;   /* when its last words were said; of one that is known by its reaped
			    * record alone, until when its pid was another process' */
	int64_t end_us;    /* of its end record, else of its reaped one, else PM_NO_TIME */
	uint64_t start;    /* records, as offsets in the store; 0: none */
	uint64_t end;
	uint64_t last; /* its last words, which count where there is no end */
	uint64_t reaped;
	uint32_t space;
	uint32_t pid;
	uint32_t ppid;         /* 0: unknown */
	uint32_t parent_space; /* where ppid means something: that of the image, but for inits */
	uint32_t threads;      /* first of its thread records, PM_NONE: none */
	uint32_t previous;     /* image of the same process before it */
	uint32_t parent;
	uint32_t generation;
	uint16_t resumed; /* how often an exec failed */
	uint16_t flags;
	uint32_t id;    /* row id, set by the tree; 0 for none */
	uint32_t above; /* nearest image with a row on the way to the root */
	uint32_t depth; /* images with a row on that way */
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
	uint32_t image;  /* the one it belongs to */
	uint32_t before; /* or the last known one of its process, which ended by an exec */
	bool aside;      /* another record tells the same, or it could be about several */
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
	struct pm_index by_host, by_space; /* hashes of what tells them apart -> their places */
	struct pm_index by_key;            /* hash of an image's key -> image */
	struct pm_set seen;                /* hashes of thread and reaped records, for duplicates */
	struct pm_guests guests;
	uint32_t last_space;
};

/* Start empty; free what it holds. */
void pm_images_init(struct pm_images *m);
void pm_images_free(struct pm_images *m);

/*
 * Add a record as parsed. Returns 0; 1 with *why set to a constant text where it must be
 * rejected (a field it needs is missing or out of range, a duplicate); -1 with e filled when out of
 * memory or disk.
 */
int pm_images_add(struct pm_images *m, const struct pm_record *r, const char **why,
		  struct pm_err *e);

/* Whether a file of this user (guest.h) may describe an image. */
bool pm_images_may_tell(const struct pm_images *m, uint8_t guest, uint32_t image);

/* No record is added any more: free what finds those that are there. */
void pm_images_complete(struct pm_images *m);

/* Read a record back; its texts stay until the next one is added. Returns 0 or -1 with e filled. */
int pm_images_read(struct pm_images *m, uint64_t offset, struct pm_record *r, struct pm_err *e);

/* Find a host by boot id and name, adding it. Returns its index or PM_NONE (out of memory, or more
 * than PM_HOSTS_MAX). */
uint32_t pm_images_host(struct pm_images *m, struct pm_str boot_id, struct pm_str hostname);

/* Add an empty image. Returns its index or PM_NONE with e filled. */
uint32_t pm_images_new(struct pm_images *m, struct pm_err *e);

/* Most hosts of a job. */
#define PM_HOSTS_MAX 65536

#endif
