/*
 * The batch: lines of ended threads wait here, so that a short thread costs no system call for
 * writing. A lock that could be inherited locked by a fork child, or be held by a thread that a
 * signal interrupted, must not be waited for: a thread that does not get the lock at once writes
 * its line alone.
 */
#include "config.h"

#include "libperfmon/record/threadbuffer.h"

#include "libperfmon/base/await.h"
#include "libperfmon/base/memory.h"
#include "libperfmon/base/state.h"
#include "libperfmon/record/emit.h"
#include "libperfmon/record/identity.h"

#include <stdint.h>

/* Most bytes of lines that wait: SIGKILL loses these records of ended threads. */
#define WAIT_MAX (8 * 1024)

/* Room for the lines of most images, and for the longest: a start line with every text at its
 * longest. */
#define NEAR_SIZE 2048
#define FAR_SIZE  (112 * 1024)

PM_NEAR static char near_memory[NEAR_SIZE];

/* Life cycle: empty at start; emptied by every write; reset in fork children. Moves to memory of
 * its own once, when a line does not fit or threads begin. */
PM_NEAR static struct {
	uint32_t locked;
	struct pm_buf waiting;
	size_t whole;     /* length of the complete lines in `waiting` */
	uint32_t leaving; /* the waiting lines are being written */
} batch = { 0, { near_memory, 0, NEAR_SIZE, false }, 0, 0 };

static bool try_lock(void)
{
	return !__atomic_exchange_n(&batch.locked, 1, __ATOMIC_ACQUIRE);
}

static void unlock(void)
{
	__atomic_store_n(&batch.locked, 0, __ATOMIC_RELEASE);
}

/* Move the waiting lines to larger memory, once. Returns false if out of memory. */
static bool grow_batch(void)
{
	struct pm_buf b;
	char *far;

	if (batch.waiting.cap == FAR_SIZE || (far = pm_memory_map(FAR_SIZE)) == NULL)
		return false;
	pm_buf_init(&b, far, FAR_SIZE);
	pm_buf_mem(&b, batch.waiting.p, batch.waiting.len);
	batch.waiting = b;
	return true;
}

/* Append the record to b; a batch begins with a newline, which closes a line that another process's
 * torn write left open. Returns false if the record does not fit. */
static bool append_record(struct pm_buf *b, const struct pm_record *r)
{
	if (b->len == 0)
		pm_buf_ch(b, '\n');
	pm_record_format(r, b);
	if (!b->truncated)
		return true;
	b->truncated = false;
	return false;
}

static void flush_batch(bool start)
{
	__atomic_store_n(&batch.leaving, 1, __ATOMIC_RELEASE);
	if (batch.waiting.len > 1)
		pm_emit(batch.waiting.p, batch.waiting.len, start);
	__atomic_store_n(&batch.whole, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&batch.leaving, 0, __ATOMIC_RELEASE);
	batch.waiting.len = 0;
}

/* Append to the waiting lines. A record that does not fit even in larger memory is written after
 * them, alone. */
static void append_waiting(const struct pm_record *r)
{
	if (append_record(&batch.waiting, r) || (grow_batch() && append_record(&batch.waiting, r)))
		return;
	flush_batch(false);
	append_record(&batch.waiting, r);
}

static bool claim_record(const struct pm_claim *claim)
{
	uint32_t from = claim->from;

	return __atomic_compare_exchange_n(claim->told, &from, claim->to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* Write the complete lines of a batch that another thread is adding to. */
static void flush_of_another(void)
{
	size_t n = __atomic_load_n(&batch.whole, __ATOMIC_ACQUIRE);

	if (n > 1 && !__atomic_load_n(&batch.leaving, __ATOMIC_ACQUIRE))
		pm_emit(__atomic_load_n(&batch.waiting.p, __ATOMIC_ACQUIRE), n, false);
}

static bool write_alone(const struct pm_record *r, bool start, const struct pm_claim *claim)
{
	char line[PM_THREADBUFFER_LINE_MAX];
	struct pm_buf b;

	pm_buf_init(&b, line, sizeof line);
	if (!append_record(&b, r) || (claim && !claim_record(claim)))
		return false;
	pm_emit(b.p, b.len, start);
	return true;
}

void pm_threadbuffer_write(const struct pm_record *r, bool start)
{
	if (!try_lock()) {
		write_alone(r, start, NULL);
		return;
	}
	append_waiting(r);
	flush_batch(start);
	unlock();
}

void pm_threadbuffer_write_start(const struct rusage *used)
{
	pm.folding = pm.unfolded = false;
	pm_identity_set_used(used);
	pm_threadbuffer_write(pm_identity_start(), true);
}

void pm_threadbuffer_write_last(const struct pm_record *r)
{
	int64_t waited_ns = 0;

	while (!try_lock()) {
		if (pm_await(&waited_ns))
			continue;
		flush_of_another();
		write_alone(r, false, NULL);
		return;
	}
	append_waiting(r);
	flush_batch(false);
	unlock();
}

size_t pm_threadbuffer_length(const struct pm_record *r)
{
	size_t before, length = 0;

	if (!try_lock())
		return 0;
	before = batch.waiting.len;
	if (append_record(&batch.waiting, r) || (grow_batch() && append_record(&batch.waiting, r)))
		length = batch.waiting.len;
	batch.waiting.len = before;
	unlock();
	return length;
}

/* Whether to write the waiting lines now. An image that is ending writes them itself, without
 * waiting for threads that end later. */
static bool may_flush(void)
{
	return batch.waiting.len > WAIT_MAX && !__atomic_load_n(&pm.ended, __ATOMIC_SEQ_CST);
}

bool pm_threadbuffer_add(const struct pm_record *r, const struct pm_claim *claim)
{
	bool mine;

	if (!try_lock())
		return write_alone(r, false, claim);
	append_waiting(r);
	mine = claim_record(claim);
	if (mine)
		__atomic_store_n(&batch.whole, batch.waiting.len, __ATOMIC_RELEASE);
	else
		batch.waiting.len = batch.whole;
	if (may_flush())
		flush_batch(false);
	unlock();
	return mine;
}

void pm_threadbuffer_expect_threads(void)
{
	if (!try_lock())
		return;
	grow_batch();
	unlock();
}

void pm_threadbuffer_drop(void)
{
	if (!try_lock())
		return;
	batch.waiting.len = 0;
	batch.whole = 0;
	unlock();
}

void pm_threadbuffer_reset(void)
{
	batch.waiting.len = 0;
	batch.whole = 0;
	batch.leaving = 0;
	unlock();
}
