/* A static table with a lock-free free list: no memory is kept per finished thread. */
#include "config.h"

#include "libperfmon/base/slots.h"

#include "libperfmon/base/memory.h"

/* Life cycle: zero until the first thread is created; emptied in a fork child. */
PM_NEAR static struct {
	struct pm_slot *slot;
	uint32_t used;      /* slots ever taken, from the front */
	uint64_t free_list; /* change count << 32 | number of the first free slot, 0 none */
} table = { 0 };

int pm_slots_map(void)
{
	if (!table.slot)
		table.slot = pm_memory_map(PM_SLOTS * sizeof *table.slot);
	return table.slot ? 0 : -1;
}

uint32_t pm_slots_take(void)
{
	uint64_t head = __atomic_load_n(&table.free_list, __ATOMIC_ACQUIRE);
	uint32_t fresh;

	while ((uint32_t)head != 0) {
		const struct pm_slot *s = pm_slots_get((uint32_t)head);
		uint64_t next =
			((head >> 32) + 1) << 32 | __atomic_load_n(&s->next_free, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&table.free_list, &head, next, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return pm_slots_number(s);
	}
	if (__atomic_load_n(&table.used, __ATOMIC_RELAXED) >= PM_SLOTS)
		return 0;
	fresh = __atomic_add_fetch(&table.used, 1, __ATOMIC_RELAXED);
	return fresh <= PM_SLOTS ? fresh : 0;
}

void pm_slots_give(uint32_t number)
{
	struct pm_slot *s = pm_slots_get(number);
	uint64_t head = __atomic_load_n(&table.free_list, __ATOMIC_RELAXED), next;

	__atomic_store_n(&s->tid, 0, __ATOMIC_RELEASE);
	do {
		__atomic_store_n(&s->next_free, (uint32_t)head, __ATOMIC_RELAXED);
		next = ((head >> 32) + 1) << 32 | number;
	} while (!__atomic_compare_exchange_n(&table.free_list, &head, next, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

struct pm_slot *pm_slots_get(uint32_t number)
{
	return &table.slot[number - 1];
}

uint32_t pm_slots_number(const struct pm_slot *s)
{
	return (uint32_t)(s - table.slot) + 1;
}

uint32_t pm_slots_used(void)
{
	uint32_t used = __atomic_load_n(&table.used, __ATOMIC_ACQUIRE);

	return used < PM_SLOTS ? used : PM_SLOTS;
}

void pm_slots_reset(void)
{
	for (uint32_t i = 1; i <= pm_slots_used(); i++)
		pm_slots_get(i)->tid = 0;
	table.used = 0;
	table.free_list = 0;
}
