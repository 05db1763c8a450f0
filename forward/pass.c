/* A pass: drop, send, move away. */
#include "config.h"

#include "forward/pass.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/now.h"
#include "common/settings/readconfig.h"
#include "forward/deliver.h"
#include "forward/bound.h"
#include "submit/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The target is taken to be away when deliveries of so many owners failed one after the other. */
#define AWAY 3

struct sending {
	struct pm_forwarder *f;
	const struct pm_spool *spool;
	struct pm_pass *pass;
	struct pm_backlog backlog;
	uid_t *failed; /* owners whose deliveries failed */
	size_t owners, room;
	int in_a_row; /* failures since the last delivery */
	bool any_failed;
	struct pm_err why; /* of the last failure */
};

static int write_account(struct pm_forwarder *f, const struct pm_spool *spool)
{
	struct pm_err e;

	if (pm_account_write(spool, &f->account, &e) == 0)
		return 0;
	pm_warn("%s", e.text);
	return -1;
}

/* Put an archive into the folder `failed`. */
static void set_aside(struct sending *s, const char *name, const struct stat *st, const char *why)
{
	struct pm_err e;

	pm_error("spool %s: %s is set aside: %s", s->spool->path, name, why);
	if (pm_spool_move(s->spool, name, st, true, why, false, &e) < 0) {
		pm_error("spool %s: %s: %s", s->spool->path, name, e.text);
		s->pass->faulty++;
		s->pass->left++;
		return;
	}
	pm_failures_forget(&s->f->failures, st->st_ino);
	s->pass->aside++;
	s->f->account.aside++;
}

/* An archive is at its target. */
static void is_taken(struct sending *s, const char *name, const struct stat *st)
{
	struct pm_account *a = &s->f->account;
	struct pm_err e;

	pm_info("spool %s: %s is sent", s->spool->path, name);
	s->in_a_row = 0;
	s->pass->sent++;
	a->sent++;
	a->sent_bytes += st->st_size;
	a->sent_us = pm_now_us();
	if (pm_spool_move(s->spool, name, st, false, NULL, true, &e) < 0) {
		pm_error("spool %s: %s: %s", s->spool->path, name, e.text);
		s->pass->faulty++;
		s->pass->left++;
	} else {
		pm_failures_forget(&s->f->failures, st->st_ino);
	}
	write_account(s->f, s->spool);
}

/* A delivery failed: others of the same owner wait for the next pass. */
static void has_failed(struct sending *s, const struct pm_backlog_archive *a)
{
	pm_info("spool %s: %s waits: %s", s->spool->path, a->name, s->why.text);
	pm_failures_add(&s->f->failures, a);
	s->pass->left++;
	s->pass->behind++;
	s->any_failed = true;
	s->in_a_row++;
	if (PM_GROW(s->failed, s->owners, s->room, 16))
		s->failed[s->owners++] = a->owner;
}

/* Whether a delivery of this owner failed in this pass. */
static bool has_owner_failed(const struct sending *s, uid_t owner)
{
	for (size_t i = 0; i < s->owners; i++)
		if (s->failed[i] == owner)
			return true;
	return false;
}

/* Send an open archive. */
static void send_open(struct sending *s, const struct pm_backlog_archive *a, int fd,
		      const struct stat *st)
{
	struct stat spool;
	const struct pm_delivery d = { .to = &s->f->to,
				       .fd = fd,
				       .name = a->name,
				       .st = st,
				       .spool = &spool,
				       .stop = s->f->stop,
				       .lock = { s->f->lock, s->spool->lock } };

	if (fstat(s->spool->dir, &spool) < 0)
		return;
	if (d.to->kind == PM_DESTINATION_DIRECTORY && geteuid() && st->st_uid != geteuid()) {
		set_aside(s, a->name, st, "another user's: only root can send it for its owner");
		return;
	}
	switch (d.to->kind == PM_DESTINATION_DIRECTORY ? pm_deliver_directory(&d, &s->why)
						       : pm_deliver_command(&d, &s->why)) {
	case PM_DELIVER_TAKEN:
		is_taken(s, a->name, st);
		break;
	case PM_DELIVER_REFUSED:
		s->in_a_row = 0;
		set_aside(s, a->name, st, s->why.text);
		break;
	case PM_DELIVER_AGAIN:
		has_failed(s, a);
		break;
	}
}

/* An archive waits since it failed before, or since others did. */
static void has_no_turn(struct sending *s, bool failed)
{
	s->pass->left++;
	s->pass->behind++;
	s->pass->untried += !failed;
}

static void send_archive(struct sending *s, const struct pm_backlog_archive *a)
{
	int64_t wait_us = pm_failures_wait(&s->f->failures, a);
	struct stat st;
	struct pm_err e;
	int fd;

	if (wait_us && wait_us < s->pass->due_us)
		s->pass->due_us = wait_us;
	if (wait_us || has_owner_failed(s, a->owner)) {
		has_no_turn(s, wait_us > 0);
		return;
	}
	switch (pm_spool_look(s->spool, a->name, pm_config_int(PM_SET_spool_age), &fd, &st,
			      &s->pass->due_us, &e)) {
	case PM_SPOOL_TAKE:
		send_open(s, a, fd, &st);
		close(fd);
		break;
	case PM_SPOOL_LEAVE:
		s->pass->left++;
		break;
	case PM_SPOOL_ASIDE:
		set_aside(s, a->name, &st, e.text);
		break;
	case PM_SPOOL_AGAIN:
		pm_warn("spool %s: %s waits: %s", s->spool->path, a->name, e.text);
		pm_failures_add(&s->f->failures, a);
		s->pass->left++;
		s->pass->behind++;
		break;
	}
}

/* Names of archives that are none: links, directories and such. */
static void set_strange_aside(struct sending *s)
{
	char **name;
	struct pm_err e;
	int n = pm_spool_list(s->spool, &name, &e);

	for (int i = 0; i < n; i++) {
		int64_t due_us;
		struct stat st;
		int fd;

		if (fstatat(s->spool->dir, name[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    !S_ISREG(st.st_mode) &&
		    pm_spool_look(s->spool, name[i], 0, &fd, &st, &due_us, &e) == PM_SPOOL_ASIDE)
			set_aside(s, name[i], &st, e.text);
		free(name[i]);
	}
	if (n >= 0)
		free(name);
}

/* Whether the pass is to end before its archives do: by its time once it has done anything, since
 * what only waits for its time costs none. */
static bool is_over(const struct sending *s, int64_t until_us)
{
	const bool done = s->pass->sent || s->pass->aside || s->any_failed;

	return *s->f->stop || (done && pm_now_monotonic_us() > until_us);
}

/* Send archives one by one. Returns 0 or -1 with e filled. */
static int send_all(struct sending *s, int64_t until_us, struct pm_err *e)
{
	struct pm_forwarder *f = s->f;

	set_strange_aside(s);
	if (pm_backlog_read(&s->backlog, s->spool, PM_BACKLOG_WAITING, e) < 0)
		return -1;
	pm_failures_apply(&f->failures, &s->backlog);
	pm_backlog_order(&s->backlog);
	for (size_t i = 0; i < s->backlog.n; i++) {
		if (is_over(s, until_us))
			s->pass->more = true;
		if (s->pass->more)
			s->pass->left++;
		else if (s->in_a_row >= AWAY)
			has_no_turn(s, false);
		else
			send_archive(s, &s->backlog.archive[i]);
	}
	pm_backlog_free(&s->backlog);
	free(s->failed);
	if (!s->any_failed || *f->stop)
		return 0;
	if (s->pass->sent) {
		pm_failures_postpone(&f->failures, f->host, pm_config_int(PM_SET_spool_pause));
		pm_warn("spool %s: %s", s->spool->path, s->why.text);
		return 0;
	}
	s->pass->again = true;
	return pm_err(e, "%s", s->why.text);
}

/* Load the spool into a database. The lock is given up for the process that does so. Returns 0 or
 * -1 with e filled. */
static int load_all(struct pm_forwarder *f, const struct pm_spool *spool, int64_t long_us,
		    struct pm_pass *p, struct pm_err *e)
{
	struct pm_spool_pass loaded;
	int rc = pm_deliver_spool(&f->to, spool->path, long_us, f->lock, f->stop, &loaded, e);

	p->sent = loaded.loaded;
	p->aside = loaded.aside;
	p->faulty = loaded.faulty;
	p->left = loaded.left;
	p->due_us = loaded.due_us;
	p->again = loaded.again;
	/* It ended after its time. */
	p->more = rc == 0 && !p->again && p->sent && loaded.more;
	f->account.sent += p->sent;
	f->account.aside += p->aside;
	if (p->sent)
		f->account.sent_us = pm_now_us();
	if (rc == 0 && p->again)
		return pm_err(e, "the database did not take all of it");
	return rc;
}

/* In a spool that is locked. Returns 0 or -1 with e filled. */
static int run_locked(struct pm_forwarder *f, struct pm_spool *spool, int64_t long_us,
		      struct pm_pass *p, struct pm_err *e)
{
	struct sending s = { .f = f, .spool = spool, .pass = p };

	p->dropped = pm_bound_keep(&f->account, spool, pm_config_int(PM_SET_spool_max), e);
	if (p->dropped < 0)
		return -1;
	if (f->to.kind != PM_DESTINATION_DATABASE)
		return send_all(&s, pm_now_monotonic_us() + long_us, e);
	pm_spool_unlock(spool);
	return load_all(f, spool, long_us, p, e);
}

int pm_pass_run(struct pm_forwarder *f, int64_t long_us, struct pm_pass *p, struct pm_err *e)
{
	struct pm_spool spool;
	int rc;

	*p = (struct pm_pass){ .due_us = INT64_MAX };
	e->text[0] = '\0';
	/* Each pass that failed counts once, also where no account can say so. */
	if (pm_spool_open(&spool, f->spool, e) < 0) {
		f->account.failures++;
		return -1;
	}
	rc = pm_spool_lock(&spool, e);
	if (rc < 0) {
		f->account.failures++;
	} else if (rc > 0) {
		p->again = true;
		rc = pm_err(e, "spool %s: another perfmon is at work", f->spool);
	} else {
		rc = run_locked(f, &spool, long_us, p, e);
		f->account.failures = rc < 0 || p->again ? f->account.failures + 1 : 0;
		snprintf(f->account.to, sizeof f->account.to, "%s", f->to.shown);
		snprintf(f->account.error, sizeof f->account.error, "%s", rc < 0 ? e->text : "");
		pm_failures_keep(&f->failures, &f->account);
		write_account(f, &spool);
	}
	pm_spool_close(&spool);
	return rc;
}
