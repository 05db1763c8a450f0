/* Keep finished statements, the latest first. */
#include "config.h"

#include "db/sqlite/idle.h"

#include <stdlib.h>
#include <string.h>

/* Hash of a text, eight bytes at once: some statements have thousands of bytes. */
static uint64_t hash_of(const char *sql)
{
	uint64_t hash = 0, word;
	size_t n = strlen(sql);

	for (; n >= sizeof word; sql += sizeof word, n -= sizeof word) {
		memcpy(&word, sql, sizeof word);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 29;
	}
	for (; n > 0; sql++, n--)
		hash = (hash ^ (unsigned char)*sql) * 0x9e3779b97f4a7c15;
	return hash;
}

char *pm_sqlite_idle_take(struct pm_sqlite_idle *s, const char *sql, sqlite3_stmt **handle)
{
	uint64_t hash = hash_of(sql);

	for (size_t i = 0; i < s->n; i++) {
		char *found = s->stmt[i].sql;

		if (s->stmt[i].hash != hash || strcmp(found, sql) != 0)
			continue;
		*handle = s->stmt[i].handle;
		memmove(s->stmt + i, s->stmt + i + 1, (--s->n - i) * sizeof s->stmt[0]);
		return found;
	}
	return NULL;
}

void pm_sqlite_idle_keep(struct pm_sqlite_idle *s, char *sql, sqlite3_stmt *handle)
{
	if (!sql) {
		sqlite3_finalize(handle);
		return;
	}
	if (s->n == PM_SQLITE_IDLE_MAX) {
		sqlite3_finalize(s->stmt[--s->n].handle);
		free(s->stmt[s->n].sql);
	}
	memmove(s->stmt + 1, s->stmt, s->n++ * sizeof s->stmt[0]);
	s->stmt[0] = (struct pm_sqlite_idle_stmt){ sql, hash_of(sql), handle };
}

void pm_sqlite_idle_free(struct pm_sqlite_idle *s)
{
	while (s->n) {
		sqlite3_finalize(s->stmt[--s->n].handle);
		free(s->stmt[s->n].sql);
	}
}
