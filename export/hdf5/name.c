/* Names of groups: a slash would lead to a group below, and "." is the group itself. */
#include "config.h"

#include "export/hdf5/name.h"

#include "common/utf8.h"

#include <stdbool.h>

static void add_hex(struct pm_bytes *to, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	const char text[] = { '\\', 'x', digits[c >> 4], digits[c & 15] };

	pm_bytes_add(to, text, sizeof text);
}

/* Append a part that is valid UTF-8. */
static void add_valid(struct pm_bytes *to, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)p[i];

		if (c == '\\')
			pm_bytes_add(to, "\\\\", 2);
		else if (c < ' ' || c == 0x7f || c == '/' || (c == '.' && to->n == 0))
			add_hex(to, c);
		else if (c == 0xc2 && i + 1 < n && (unsigned char)p[i + 1] < 0xa0)
			/* U+0080 to U+009F steer terminals, too. */
			add_hex(to, c), add_hex(to, (unsigned char)p[++i]);
		else
			pm_bytes_byte(to, c);
	}
}

void pm_hdf5_name_add(struct pm_bytes *to, const char *p, size_t n)
{
	while (n > 0) {
		const size_t valid = pm_utf8_valid(p, n);

		add_valid(to, p, valid);
		p += valid;
		n -= valid;
		if (n > 0) {
			add_hex(to, (unsigned char)*p);
			p++;
			n--;
		}
	}
}
