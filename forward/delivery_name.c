/* Names by which a target knows an archive again. */
#include "config.h"

#include "forward/deliver.h"

#include "common/archive.h"
#include "common/digest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Digits of the digest in a name: 128 bits. */
#define DIGITS 32

/* Longest suffix behind the last dot. */
#define SUFFIX_MAX 8

/* Room for a hidden name with ".part" behind it. */
#define NAME_ROOM (NAME_MAX - 8)

/* Write the digest of owner and content. Returns 0 or -1 with errno. */
static int digest_of(const struct pm_delivery *d, char text[PM_DIGEST_TEXT])
{
	struct pm_digest digest;
	char buf[65536];
	off_t at = 0;
	ssize_t n;

	pm_digest_init(&digest);
	n = snprintf(buf, sizeof buf, "%u\n", (unsigned)d->st->st_uid);
	pm_digest_add(&digest, buf, (size_t)n);
	/* Its owner may write on: what was there when it was looked at is the archive. */
	while (at < d->st->st_size) {
		const off_t left = d->st->st_size - at;

		n = pread(d->fd, buf, left < (off_t)sizeof buf ? (size_t)left : sizeof buf, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENODATA;
		if (n <= 0)
			return -1;
		pm_digest_add(&digest, buf, (size_t)n);
		at += n;
	}
	pm_digest_text(&digest, text);
	return 0;
}

/* Where the suffix of an archive's name begins, such as .tgz or .tar.gz; the end of another name.
 */
static const char *suffix_of(const char *name)
{
	const char *const end = name + strlen(name), *dot = strrchr(name, '.'), *tar = dot;

	if (!dot || end - dot > SUFFIX_MAX)
		return end;
	while (tar > name && tar[-1] != '.')
		tar--;
	return tar > name + 1 && strncmp(tar, "tar.", 4) == 0 ? tar - 1 : dot;
}

int pm_delivery_name(const struct pm_delivery *d, char name[NAME_MAX + 1])
{
	const char *suffix = suffix_of(d->name);
	const size_t most = NAME_ROOM - DIGITS - 1 - strlen(suffix);
	size_t n = (size_t)(suffix - d->name);
	char digest[PM_DIGEST_TEXT];

	if (digest_of(d, digest) < 0)
		return -1;
	if (n > most)
		n = most;
	snprintf(name, NAME_MAX + 1, "%.*s-%.*s%s", (int)n, d->name, DIGITS, digest, suffix);
	/* A command may give the name to another shell. */
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			*p = '_';
	if (*name == '-' || *name == '.')
		*name = '_';
	return 0;
}
