/* Work for a background thread: order, bound, failure. */
#include "config.h"

#include "common/workqueue.h"

#include "tests/unit/main.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define ITEMS 1000

static struct {
	int worked[ITEMS], after[ITEMS]; /* numbers of items, in order */
	int n, n_after;
	int fails;    /* number of the item that fails, -1 for none */
	pthread_t by; /* who worked on the last item */
	int number[ITEMS];
} test;

static int work(void *ctx, void *item, struct pm_err *e)
{
	int i = *(int *)item;

	ck_assert_ptr_eq(ctx, &test);
	test.by = pthread_self();
	test.worked[test.n++] = i;
	if (i != test.fails)
		return 0;
	errno = ENOSPC;
	return pm_err(e, "no room for %d", i);
}

static void count(void *ctx, void *item)
{
	(void)ctx;
	test.after[test.n_after++] = *(int *)item;
}

static struct pm_workqueue *start(int fails)
{
	struct pm_workqueue *q = pm_workqueue_new(work, count, &test, 3);

	memset(&test, 0, sizeof test);
	test.fails = fails;
	for (int i = 0; i < ITEMS; i++)
		test.number[i] = i;
	ck_assert_ptr_nonnull(q);
	return q;
}

START_TEST(items_are_worked_on_in_order_by_another_thread)
{
	struct pm_workqueue *q = start(-1);
	struct pm_err e;

	ck_assert(!pm_workqueue_started(q));
	for (int i = 0; i < ITEMS; i++)
		ck_assert_int_eq(pm_workqueue_give(q, &test.number[i], &e), 0);
	ck_assert(pm_workqueue_started(q));
	ck_assert_int_eq(pm_workqueue_wait(q, &e), 0);
	ck_assert_int_eq(test.n, ITEMS);
	ck_assert_mem_eq(test.worked, test.number, sizeof test.number);
	ck_assert_mem_eq(test.after, test.number, sizeof test.number);
	ck_assert(!pthread_equal(test.by, pthread_self()));
	pm_workqueue_free(q);
}
END_TEST

START_TEST(the_last_item_needs_no_thread)
{
	struct pm_workqueue *q = start(-1);
	struct pm_err e;

	ck_assert_int_eq(pm_workqueue_last(q, &test.number[7], &e), 0);
	ck_assert(!pm_workqueue_started(q));
	ck_assert_int_eq(test.n, 1);
	ck_assert_int_eq(test.after[0], 7);
	ck_assert(pthread_equal(test.by, pthread_self()));
	ck_assert_int_eq(pm_workqueue_wait(q, &e), 0);
	pm_workqueue_free(q);
}
END_TEST

START_TEST(after_a_failure_items_are_skipped_until_it_is_dropped)
{
	struct pm_workqueue *q = start(2);
	struct pm_err e;

	for (int i = 0; i < ITEMS; i++)
		ck_assert(pm_workqueue_give(q, &test.number[i], &e) == 0 || i >= 2);
	for (int i = 0; i < 2; i++) {
		e.text[0] = '\0';
		errno = 0;
		ck_assert_int_eq(pm_workqueue_wait(q, &e), -1);
		ck_assert_int_eq(errno, ENOSPC);
		ck_assert_str_eq(e.text, "no room for 2");
	}
	ck_assert_int_eq(test.n, 3);
	ck_assert_int_eq(test.n_after, ITEMS);
	test.n_after = 0;
	ck_assert_int_eq(pm_workqueue_last(q, &test.number[0], NULL), -1);
	ck_assert_int_eq(test.n, 3);
	ck_assert_int_eq(test.n_after, 1);
	pm_workqueue_drop(q);
	ck_assert_int_eq(pm_workqueue_last(q, &test.number[0], &e), 0);
	ck_assert_int_eq(test.n, 4);
	pm_workqueue_free(q);
}
END_TEST

START_TEST(freeing_the_queue_works_on_what_is_left)
{
	struct pm_workqueue *q = start(-1);

	for (int i = 0; i < 3; i++)
		pm_workqueue_give(q, &test.number[i], NULL);
	pm_workqueue_free(q);
	pm_workqueue_free(NULL);
	ck_assert_int_eq(test.n, 3);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("workqueue");
	TCase *t = tcase_create("workqueue");

	tcase_add_test(t, items_are_worked_on_in_order_by_another_thread);
	tcase_add_test(t, the_last_item_needs_no_thread);
	tcase_add_test(t, after_a_failure_items_are_skipped_until_it_is_dropped);
	tcase_add_test(t, freeing_the_queue_works_on_what_is_left);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
