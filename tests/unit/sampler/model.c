/* A process tree under a model of the kernel: random forks, exits and waits. */
#include "config.h"

#include "sampler/tree/tree.h"

#include "tests/unit/sampler/process.h"

#define MODEL_MAX 400

/*
 * Processes fork, compute, end and are waited for at random, as the kernel would have it. Without
 * orphans the sum is the truth at every scan; with them it never falls, never exceeds the truth
 * and misses at most what orphans used after they were last seen.
 */
struct model {
	struct process p[MODEL_MAX];
	bool there[MODEL_MAX];     /* it is in /proc */
	int64_t unseen[MODEL_MAX]; /* used since the last scan, its waited-for children's too */
	int count;
	int64_t truth, slack;
};

static unsigned model_random(unsigned below)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)((x >> 20) % below);
}

static struct process *model_find(struct model *m, pid_t pid)
{
	return pid >= 100 && m->there[pid - 100] ? &m->p[pid - 100] : NULL;
}

static void model_fork(struct model *m, pid_t ppid)
{
	if (m->count == MODEL_MAX)
		return;
	m->p[m->count] = (struct process){ .pid = 100 + m->count, .ppid = ppid };
	m->there[m->count] = true;
	record(m->p[m->count++]);
}

static void model_reap(struct model *m, int i)
{
	struct process *p = &m->p[i], *parent = model_find(m, p->ppid);

	if (parent) {
		parent->cutime += p->utime + p->cutime;
		m->unseen[parent->pid - 100] += m->unseen[i];
		record(*parent);
	} else {
		m->slack += m->unseen[i];
	}
	m->there[i] = false;
	forget(p->pid);
}

static void model_exit(struct model *m, int i)
{
	/* Its children, zombies too, go to init, which waits for zombies at once. */
	for (int j = 0; j < m->count; j++)
		if (m->there[j] && m->p[j].ppid == m->p[i].pid) {
			m->p[j].ppid = 1;
			if (m->p[j].state == 'Z')
				model_reap(m, j);
			else
				record(m->p[j]);
		}
	m->p[i].state = 'Z';
	record(m->p[i]);
	if (m->p[i].ppid == 1)
		model_reap(m, i);
}

static int model_has_children(const struct model *m, int i)
{
	for (int j = 0; j < m->count; j++)
		if (m->there[j] && m->p[j].ppid == m->p[i].pid)
			return 1;
	return 0;
}

static void model_step(struct model *m, bool orphans)
{
	int i = (int)model_random((unsigned)m->count);
	struct process *p = &m->p[i];

	if (!m->there[i])
		return;
	if (p->state == 'Z') {
		if (i > 0)
			model_reap(m, i);
		return;
	}
	switch (model_random(4)) {
	case 0:
		model_fork(m, p->pid);
		break;
	case 1:
		if (i > 0 && (orphans || !model_has_children(m, i)))
			model_exit(m, i);
		break;
	default:
		p->utime += 3;
		m->truth += 3;
		m->unseen[i] += 3;
		record(*p);
	}
}

START_TEST(model)
{
	static struct model m;
	const bool orphans = _i % 2;
	int64_t before = 0;

	memset(&m, 0, sizeof m);
	for (int i = 0; i < _i * 1000; i++)
		model_random(2);
	model_fork(&m, 1);
	for (int round = 0; round < 150; round++) {
		int64_t now;

		/* Every process is seen at least once: a fork is followed by a scan. */
		for (int step = 0, count = m.count; step < 12 && m.count == count; step++)
			model_step(&m, orphans);
		scan();
		PM_SURE(sum.counter[PM_TREE_USER].known);
		now = sum.counter[PM_TREE_USER].value / TICK;
		if (now < before || now > m.truth || now < m.truth - m.slack ||
		    (!orphans && now != m.truth))
			ck_abort_msg("round %d: %jd, before %jd, truth %jd, slack %jd", round,
				     (intmax_t)now, (intmax_t)before, (intmax_t)m.truth,
				     (intmax_t)m.slack);
		before = now;
		memset(m.unseen, 0, sizeof m.unseen);
	}
	ck_assert_int_gt(m.count, 20);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_model");
	TCase *t = tcase_create("model");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, tree_begin, tree_end);
	tcase_add_loop_test(t, model, 0, 6);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
