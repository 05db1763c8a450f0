/* What the tests of the critical path share. */
#ifndef PM_TESTS_UNIT_ANALYSIS_PATH_H
#define PM_TESTS_UNIT_ANALYSIS_PATH_H

#include "analysis/path/path.h"

#include "tests/unit/main.h"

static struct pm_path path;
static struct pm_err e;

/* Find the path, which has to cover the job. */
static inline void find(struct pm_path_image *image, size_t n, int64_t start, int64_t end)
{
	pm_path_free(&path);
	ck_assert_msg(pm_path_find(&path, image, n, start, end, &e) == 0, "%s", e.text);
	/* The steps cover the job, and none is empty. */
	for (size_t i = 0; i < path.steps; i++) {
		PM_SURE(path.step[i].from_us == (i ? path.step[i - 1].to_us : start));
		PM_SURE(path.step[i].from_us < path.step[i].to_us);
		PM_SURE(path.step[i].image == PM_PATH_NONE || path.step[i].image < n);
	}
	if (start < end)
		PM_SURE(path.steps > 0 && path.step[path.steps - 1].to_us == end);
}

/* An image of a process of its own that is hardly busy. */
static inline struct pm_path_image image(uint32_t parent, uint32_t pid, int64_t start, int64_t end)
{
	return (struct pm_path_image){
		.parent = parent, .pid = pid, .starttime = pid, .start_us = start, .end_us = end
	};
}

#define S 1000000

#endif
