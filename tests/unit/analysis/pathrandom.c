/* analysis/path/path_*.c: random programs whose waits a simulation knows. */
#include "config.h"

#include "tests/unit/analysis/path.h"
#include "tests/unit/common/random.h"

#include <string.h>

#define NONE PM_PATH_NONE

#define PROCESSES 4000
#define OPS       40000

enum op_kind { RUN, SPAWN, WAIT };

struct op {
	enum op_kind kind;
	uint32_t child;
	int64_t us, at_us; /* length of a run; when it was over */
};

static struct world {
	uint64_t random;
	struct pm_path_image image[PROCESSES];
	uint32_t first[PROCESSES], ops[PROCESSES]; /* of a process, in op */
	struct op op[OPS];
	uint32_t processes, used;
	struct pm_path truth;
} w;

static void add_op(uint32_t process, enum op_kind kind, uint32_t child, int64_t us)
{
	ck_assert_uint_lt(w.used, OPS);
	if (w.ops[process] == 0)
		w.first[process] = w.used;
	/* Operations of a process are added in one go. */
	ck_assert_uint_eq(w.first[process] + w.ops[process], w.used);
	w.op[w.used++] = (struct op){ .kind = kind, .child = child, .us = us };
	w.ops[process]++;
}

/* Run a process from `start`: fills in its image and the times of its operations. */
static void run(uint32_t process, uint32_t parent, int64_t start)
{
	struct pm_path_image *x = &w.image[process];
	int64_t now = start;

	*x = image(parent, process + 1, start, 0);
	for (uint32_t i = 0; i < w.ops[process]; i++) {
		struct op *o = &w.op[w.first[process] + i];

		if (o->kind == RUN) {
			now += o->us;
			x->busy_us += o->us;
		} else if (o->kind == SPAWN) {
			run(o->child, process, now);
		} else if (w.image[o->child].end_us > now) {
			now = w.image[o->child].end_us;
		}
		o->at_us = now;
	}
	x->end_us = now;
}

static void add_truth(uint32_t process, int64_t from, int64_t to)
{
	struct pm_path *p = &w.truth;

	if (from >= to)
		return;
	p->step = realloc(p->step, (p->steps + 1) * sizeof *p->step);
	ck_assert_ptr_nonnull(p->step);
	p->step[p->steps++] = (struct pm_path_step){ process, from, to };
}

/* What decided the time of a process, from its end back: its own runs, and where it was blocked the
 * child, whose start was where the process had come by then. */
static void walk_truth(uint32_t process)
{
	const struct op *op = &w.op[w.first[process]];

	for (uint32_t i = w.ops[process]; i-- > 0;) {
		const int64_t before = i > 0 ? op[i - 1].at_us : w.image[process].start_us;
		const uint32_t child = op[i].child;

		if (op[i].kind == RUN) {
			add_truth(process, before, op[i].at_us);
		} else if (op[i].kind == WAIT && op[i].at_us > before) {
			walk_truth(child);
			while (op[i].kind != SPAWN || op[i].child != child)
				i--;
		}
	}
}

static void turn_truth(void)
{
	struct pm_path *p = &w.truth;

	for (size_t i = 0; i < p->steps / 2; i++) {
		const struct pm_path_step last = p->step[p->steps - 1 - i];

		p->step[p->steps - 1 - i] = p->step[i];
		p->step[i] = last;
	}
}

/* Share of the time in which the path found is not the true one. */
static double wrong_share(const struct pm_path *found)
{
	int64_t wrong = 0, all = 0;
	size_t k = 0;

	for (size_t i = 0; i < w.truth.steps; i++) {
		const struct pm_path_step *t = &w.truth.step[i];

		all += t->to_us - t->from_us;
		while (k < found->steps && found->step[k].to_us <= t->from_us)
			k++;
		for (size_t m = k; m < found->steps && found->step[m].from_us < t->to_us; m++) {
			const struct pm_path_step *f = &found->step[m];
			int64_t from = f->from_us > t->from_us ? f->from_us : t->from_us;
			int64_t to = f->to_us < t->to_us ? f->to_us : t->to_us;

			if (f->image != t->image && to > from)
				wrong += to - from;
		}
	}
	return all ? (double)wrong / (double)all : 0;
}

static int64_t duration(void)
{
	return 100000 + (int64_t)random_below(&w.random, 5 * S);
}

/* Numbers of processes go depth first, as those of rows do. */
static uint32_t order[PROCESSES], numbered;

static void number(uint32_t process)
{
	order[process] = numbered++;
	for (uint32_t i = 0; i < w.ops[process]; i++)
		if (w.op[w.first[process] + i].kind == SPAWN)
			number(w.op[w.first[process] + i].child);
}

/* Run the world and find its path. Returns the share of the time that is wrong. */
static double judge(void)
{
	static struct pm_path_image sorted[PROCESSES];
	static uint32_t original[PROCESSES];

	run(0, NONE, 1000);
	w.truth.steps = 0;
	walk_truth(0);
	turn_truth();
	numbered = 0;
	number(0);
	for (uint32_t i = 0; i < w.processes; i++) {
		sorted[order[i]] = w.image[i];
		original[order[i]] = i;
		if (w.image[i].parent != NONE)
			sorted[order[i]].parent = order[w.image[i].parent];
	}
	find(sorted, w.processes, 1000, w.image[0].end_us);
	for (size_t i = 0; i < path.steps; i++)
		if (path.step[i].image != NONE)
			path.step[i].image = original[path.step[i].image];
	return wrong_share(&path);
}

/* Stages of children that are joined; `loose` is the chance in a hundred that a stage has a child
 * nobody waits for. Children are leaves or do the same. */
static void fork_join(uint32_t process, int depth, size_t loose)
{
	const size_t stages = 1 + random_below(&w.random, depth > 1 ? 5 : 3);
	uint32_t child[64];
	size_t children = 0, joined[8] = { 0 };

	for (size_t s = 0; s < stages; s++) {
		size_t n = 1 + random_below(&w.random, 4);

		add_op(process, RUN, 0, duration() / 10);
		for (size_t i = 0; i < n; i++) {
			child[children] = w.processes++;
			add_op(process, SPAWN, child[children++], 0);
		}
		joined[s] = n;
		if (random_below(&w.random, 100) < loose)
			joined[s] = n - 1;
		for (size_t i = 0; i < joined[s]; i++)
			add_op(process, WAIT, child[children - n + i], 0);
	}
	add_op(process, RUN, 0, duration() / 10);
	for (size_t i = 0; i < children; i++) {
		if (depth > 1 && random_below(&w.random, 3) > 0)
			fork_join(child[i], depth - 1, loose);
		else
			add_op(child[i], RUN, 0, duration());
	}
}

static void clear(uint64_t seed)
{
	w.random = seed;
	w.processes = 1;
	w.used = 0;
	memset(w.ops, 0, sizeof w.ops);
}

/* Parents that wait for all they start: the path is exact. */
START_TEST(joins)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		double wrong;

		clear(seed);
		fork_join(0, 3, 0);
		wrong = judge();
		ck_assert_msg(wrong == 0, "seed %llu: %g", (unsigned long long)seed, wrong);
	}
}
END_TEST

/* Some that nobody waits for; those that end after their parent are never on the path. */
START_TEST(loose_ends)
{
	double sum = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		clear(seed);
		fork_join(0, 3, 20);
		sum += judge();
	}
	ck_assert_msg(sum / 200 < 0.02, "%g", sum / 200);
}
END_TEST

/* make -j: tasks with dependencies start as slots fall free, one when another ends. */
static void make_jobs(size_t tasks, size_t slots)
{
	int64_t end[256], now = 0, length[256];
	size_t running[16], used = 0, started = 0;

	/* The order of the ends decides, so the schedule is made here. */
	for (size_t i = 0; i < tasks; i++)
		length[i] = duration();
	while (started < tasks || used > 0) {
		size_t first = 0;

		while (used < slots && started < tasks) {
			add_op(0, RUN, 0, 100);
			now += 100;
			add_op(0, SPAWN, w.processes++, 0);
			end[started] = now + length[started];
			running[used++] = started++;
		}
		for (size_t i = 1; i < used; i++)
			if (end[running[i]] < end[running[first]])
				first = i;
		add_op(0, WAIT, (uint32_t)running[first] + 1, 0);
		if (end[running[first]] > now)
			now = end[running[first]];
		running[first] = running[--used];
	}
	add_op(0, RUN, 0, 1000);
	for (size_t i = 0; i < tasks; i++)
		add_op((uint32_t)i + 1, RUN, 0, length[i]);
}

/* Of two tasks that end within make's own work of one start, either may have been the one whose
 * slot was taken: seldom, and then both chains took equally long. */
START_TEST(makes)
{
	double sum = 0;
	int exact = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		double wrong;

		clear(seed);
		make_jobs(20 + random_below(&w.random, 200), 1 + random_below(&w.random, 12));
		wrong = judge();
		sum += wrong;
		exact += wrong == 0;
	}
	ck_assert_msg(sum / 200 < 0.01 && exact > 195, "%g, exact %d", sum / 200, exact);
}
END_TEST

/* Any order of runs, starts and waits: what a parent waited for is then a guess, mostly right. */
static void any_program(uint32_t process, int depth)
{
	const size_t ops = 3 + random_below(&w.random, 12);
	uint32_t child[16];
	size_t children = 0;

	for (size_t i = 0; i < ops; i++) {
		const size_t what = random_below(&w.random, 3);

		if (what == 0 || (depth == 0 && what == 1))
			add_op(process, RUN, 0, duration());
		else if (what == 1)
			add_op(process, SPAWN, child[children++] = w.processes++, 0);
		else if (children > 0)
			add_op(process, WAIT, child[random_below(&w.random, children)], 0);
	}
	add_op(process, RUN, 0, 1000);
	for (size_t i = 0; i < children; i++)
		any_program(child[i], depth - 1);
}

START_TEST(any_order)
{
	double sum = 0, worst = 0;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		double wrong;

		clear(seed);
		any_program(0, 3);
		wrong = judge();
		sum += wrong;
		worst = wrong > worst ? wrong : worst;
	}
	ck_assert_msg(sum / 500 < 0.08, "%g, worst %g", sum / 500, worst);
}
END_TEST

/* The oracle notices a path that is not the right one: of the child that ended first. */
START_TEST(twin)
{
	clear(1);
	fork_join(0, 3, 0);
	ck_assert(judge() == 0);
	for (size_t i = 0; i < path.steps; i++)
		if (path.step[i].image != NONE && path.step[i].image > 0)
			path.step[i].image--;
	ck_assert(wrong_share(&path) > 0.5);
}
END_TEST

static void tear_down(void)
{
	pm_path_free(&path);
	pm_path_free(&w.truth);
}

static Suite *suite(void)
{
	Suite *s = suite_create("pathrandom");
	TCase *t = tcase_create("pathrandom");

	tcase_add_checked_fixture(t, NULL, tear_down);
	tcase_add_test(t, joins);
	tcase_add_test(t, loose_ends);
	tcase_add_test(t, makes);
	tcase_add_test(t, any_order);
	tcase_add_test(t, twin);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
