/* Words of commands. */
#include "config.h"

#include "common/shellword.h"

/* Whether a shell takes a byte as it is. */
static bool is_plain(unsigned char c)
{
	static const bool marks[256] = {
		['_'] = true, ['-'] = true, ['.'] = true, [','] = true, [':'] = true,
		['/'] = true, ['@'] = true, ['%'] = true, ['+'] = true, ['='] = true
	};

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       marks[c];
}

void pm_shellword_add(struct pm_bytes *b, const char *p, size_t n)
{
	size_t plain = 0;

	while (plain < n && is_plain((unsigned char)p[plain]))
		plain++;
	if (n > 0 && plain == n) {
		pm_bytes_add(b, p, n);
		return;
	}
	pm_bytes_byte(b, '\'');
	for (size_t i = 0; i < n; i++)
		if (p[i] == '\'')
			pm_bytes_add(b, "'\\''", 4);
		else
			pm_bytes_byte(b, (unsigned char)p[i]);
	pm_bytes_byte(b, '\'');
}
