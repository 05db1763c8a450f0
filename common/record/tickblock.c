/* Coding of the times of ticks. */
#include "config.h"

#include "common/record/tickblock.h"

int64_t pm_tickblock_least(const int64_t *time, size_t n)
{
	int64_t least = time[0];

	for (size_t i = 1; i < n; i++)
		least = time[i] < least ? time[i] : least;
	return least;
}

int pm_tickblock_digits(const int64_t *time, size_t n, int64_t least)
{
	int64_t most = 0;
	int digits = 1;

	for (size_t i = 0; i < n; i++)
		most = time[i] - least > most ? time[i] - least : most;
	for (; most > 9; most /= 10)
		digits++;
	return digits;
}

void pm_tickblock_encode(const int64_t *time, size_t n, int64_t least, int digits, char *text)
{
	for (size_t i = 0; i < n; i++) {
		int64_t offset = time[i] - least;

		for (int k = digits; k-- > 0; offset /= 10)
			text[i * (size_t)digits + (size_t)k] = (char)('0' + offset % 10);
	}
}

int pm_tickblock_decode(const char *text, size_t length, int64_t least, int digits, size_t at,
			int64_t *time, size_t n)
{
	if (digits < 1 || digits > PM_TICKBLOCK_DIGITS || at > length || n > length ||
	    (at + n) * (size_t)digits > length)
		return -1;
	text += at * (size_t)digits;
	for (size_t i = 0; i < n; i++) {
		int64_t offset = 0;

		for (int k = 0; k < digits; k++, text++) {
			if (*text < '0' || *text > '9')
				return -1;
			offset = 10 * offset + (*text - '0');
		}
		/* What is damaged may overflow: hence unsigned. */
		time[i] = (int64_t)((uint64_t)least + (uint64_t)offset);
	}
	return 0;
}
