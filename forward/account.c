/* The account of a forwarder, as JSON. */
#include "config.h"

#include "forward/account.h"

#include "common/now.h"
#include "common/writeall.h"
#include "submit/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Names in the folder `loaded`, which belongs to whoever runs the forwarder. */
#define LOCK      "loaded/.forward.lock"
#define FILE_NAME "loaded/.forward.json"

static const char *base(const char *name)
{
	return name + strlen("loaded/");
}

/* The numbers of the file. */
static const struct number {
	const char *key;
	size_t at;
} number[] = {
	{ "sent", offsetof(struct pm_account, sent) },
	{ "sent_bytes", offsetof(struct pm_account, sent_bytes) },
	{ "dropped", offsetof(struct pm_account, dropped) },
	{ "dropped_bytes", offsetof(struct pm_account, dropped_bytes) },
	{ "aside", offsetof(struct pm_account, aside) },
	{ "failures", offsetof(struct pm_account, failures) },
	{ "sent_us", offsetof(struct pm_account, sent_us) },
	{ "written_us", offsetof(struct pm_account, written_us) },
	{ "next_us", offsetof(struct pm_account, next_us) },
	{ "dropping_bytes", offsetof(struct pm_account, dropping_bytes) },
};

#define NUMBERS (sizeof number / sizeof number[0])

static int64_t *number_at(struct pm_account *a, size_t i)
{
	return (int64_t *)(void *)((char *)a + number[i].at);
}

int pm_account_lock(const struct pm_spool *s, bool look, struct pm_err *e)
{
	const int fd =
		openat(s->loaded, base(LOCK), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return pm_err(e, "spool %s/" LOCK ": %m", s->path);
	if (flock(fd, (look ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
		return fd;
	if (errno == EWOULDBLOCK) {
		close(fd);
		return -2;
	}
	pm_err(e, "lock spool %s/" LOCK ": %m", s->path);
	close(fd);
	return -1;
}

static void copy_text(const json_t *doc, const char *key, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(doc, key));

	snprintf(text, size, "%s", value ? value : "");
}

/* Read which archives failed: pairs of inode and tries. */
static void read_tried(const json_t *list, struct pm_account *a)
{
	for (size_t i = 0; i < json_array_size(list) && a->tried_n < PM_ACCOUNT_TRIED; i++) {
		const json_t *pair = json_array_get(list, i);
		const json_int_t tries = json_integer_value(json_array_get(pair, 1));

		a->tried[a->tried_n++] = (struct pm_account_tried){
			.inode = (ino_t)json_integer_value(json_array_get(pair, 0)),
			.tries = tries > 0 && tries < INT_MAX ? (unsigned)tries : 1,
		};
	}
}

static json_t *write_tried(const struct pm_account *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->tried_n; i++)
		json_array_append_new(list, json_pack("[I, I]", (json_int_t)a->tried[i].inode,
						      (json_int_t)a->tried[i].tries));
	return list;
}

int pm_account_read(const struct pm_spool *s, struct pm_account *a, struct pm_err *e)
{
	const int fd = openat(s->loaded, base(FILE_NAME), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	json_error_t why;
	json_t *doc;

	memset(a, 0, sizeof *a);
	if (fd < 0)
		return errno == ENOENT ? 0 : pm_err(e, "read %s/" FILE_NAME ": %m", s->path);
	doc = json_loadfd(fd, 0, &why);
	close(fd);
	if (!json_is_object(doc)) {
		json_decref(doc);
		return pm_err(e, "%s/" FILE_NAME ": no account of a forwarder: %s", s->path,
			      doc ? "no object" : why.text);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		*number_at(a, i) = json_integer_value(json_object_get(doc, number[i].key));
	a->dropping = (ino_t)json_integer_value(json_object_get(doc, "dropping"));
	read_tried(json_object_get(doc, "tried"), a);
	copy_text(doc, "to", a->to, sizeof a->to);
	copy_text(doc, "error", a->error, sizeof a->error);
	json_decref(doc);
	return 0;
}

/* A text in JSON, which is UTF-8: other bytes become question marks. */
static json_t *text_of(const char *text)
{
	json_t *j = json_string(text);
	char plain[1024];

	if (j)
		return j;
	snprintf(plain, sizeof plain, "%s", text);
	for (char *p = plain; *p; p++)
		if ((unsigned char)*p > 0x7e)
			*p = '?';
	return json_string(plain);
}

static char *compose(struct pm_account *a)
{
	json_t *doc = json_object();
	char *text;

	a->written_us = pm_now_us();
	for (size_t i = 0; i < NUMBERS; i++)
		json_object_set_new(doc, number[i].key, json_integer(*number_at(a, i)));
	json_object_set_new(doc, "dropping", json_integer((json_int_t)a->dropping));
	json_object_set_new(doc, "tried", write_tried(a));
	json_object_set_new(doc, "to", text_of(a->to));
	json_object_set_new(doc, "error", text_of(a->error));
	text = json_dumps(doc, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(doc);
	return text;
}

int pm_account_write(const struct pm_spool *s, struct pm_account *a, struct pm_err *e)
{
	char *text = compose(a);
	int fd = -1, rc = -1;

	if (!text)
		return pm_err(e, "out of memory");
	unlinkat(s->loaded, ".forward.new", 0);
	fd = openat(s->loaded, ".forward.new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0)
		rc = pm_write_all(fd, text, strlen(text));
	if (fd >= 0 && close(fd) < 0)
		rc = -1;
	free(text);
	if (rc == 0)
		rc = renameat(s->loaded, ".forward.new", s->loaded, base(FILE_NAME));
	return rc < 0 ? pm_err(e, "write %s/" FILE_NAME ": %m", s->path) : 0;
}
