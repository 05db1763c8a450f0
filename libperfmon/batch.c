/*
 * The batch: lines of ended threads wait here, so that a short thread costs no system call for
 * writing. A lock that could be inherited locked by a fork child, or be held by a thread that a
 * signal interrupted, must not be waited for: who does not get it at once writes by himself.
 */
#include "config.h"

#include "libperfmon/batch.h"

#include <stdint.h>

/* Lines that wait at most: what SIGKILL can lose of threads that ended. */
#define WAIT_MAX (8 * 1024)

/* Longest line: a start record with every text at its longest. */
static char memory[112 * 1024];

/* Life cycle: empty at start; emptied by every write; reset in fork children. */
static struct {
	uint32_t locked;
	struct pm_buf waiting;
} batch = { 0, { memory, 0, sizeof memory, false } };

static bool try_lock(void)
{
	return !__atomic_exchange_n(&batch.locked, 1, __ATOMIC_ACQUIRE);
}

static void unlock(void)
{
	__atomic_store_n(&batch.locked, 0, __ATOMIC_RELEASE);
}

/* Append the record to b; a batch begins with a newline, which closes a line that somebody's
 * torn write left open. Returns false where it does not fit. */
static bool append(struct pm_buf *b, const struct pm_record *r)
{
	if (b->len == 0)
		pm_buf_ch(b, '\n');
	pm_record_format(r, b);
	if (!b->truncated)
		return true;
	b->truncated = false;
	return false;
}

static void write_alone(const struct pm_record *r, enum pm_emit flags)
{
	char line[PM_BATCH_LINE_MAX];
	struct pm_buf b;

	pm_buf_init(&b, line, sizeof line);
	if (append(&b, r))
		pm_emit(b.p, b.len, flags);
}

void pm_batch_write(const struct pm_record *r, enum pm_emit flags)
{
	if (!try_lock()) {
		write_alone(r, flags);
		return;
	}
	if (append(&batch.waiting, r))
		pm_emit(batch.waiting.p, batch.waiting.len, flags);
	batch.waiting.len = 0;
	unlock();
}

size_t pm_batch_length(const struct pm_record *r)
{
	size_t before, length = 0;

	if (!try_lock())
		return 0;
	before = batch.waiting.len;
	if (append(&batch.waiting, r))
		length = batch.waiting.len;
	batch.waiting.len = before;
	unlock();
	return length;
}

void pm_batch_add(const struct pm_record *r)
{
	if (!try_lock()) {
		write_alone(r, PM_EMIT_COUNT);
		return;
	}
	append(&batch.waiting, r);
	if (batch.waiting.len > WAIT_MAX) {
		pm_emit(batch.waiting.p, batch.waiting.len, PM_EMIT_COUNT);
		batch.waiting.len = 0;
	}
	unlock();
}

void pm_batch_reset(void)
{
	batch.waiting.len = 0;
	unlock();
}
