/* Take the options that say how jobs are judged. */
#include "config.h"

#include "report/judgewords.h"

#include "common/safe/tsv.h"
#include "common/settings/readconfig.h"

#include <string.h>

/* Methods that have to agree, without --score. */
#define USUAL_SCORE 2

int pm_judgewords_take(const struct pm_cli *cli, struct pm_judge_how *how, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_score];
	int64_t score = USUAL_SCORE;

	if (given && (pm_tsv_number(given, strlen(given), &score) < 0 || score < 1 ||
		      score > PM_OUTLIER_METHODS))
		return pm_err(e, "--score %s: a number from 1 to %d is needed", given,
			      PM_OUTLIER_METHODS);
	*how = (struct pm_judge_how){ .limits = pm_outlier_limits(), .score = (unsigned)score };
	if (cli->given[PM_OPT_pca])
		how->share = (double)pm_config_int(PM_SET_outlier_pca) / 1e6;
	if (cli->given[PM_OPT_pca] && how->share == 0)
		return pm_err(e, "outlier_pca: a share of more than 0 is needed");
	return pm_outlier_read_methods(cli->value[PM_OPT_method], &how->methods, e) < 0
		       ? pm_err_prefix(e, "--method")
		       : 0;
}

size_t pm_judgewords_top(const struct pm_jobpca *p, size_t top[PM_JUDGEWORDS_TOP])
{
	size_t n = 0;

	for (size_t k = 0; k < p->pca.features; k++) {
		const double much = pm_pca_importance(&p->pca, k);
		size_t at = n;

		while (at > 0 && pm_pca_importance(&p->pca, top[at - 1]) < much)
			at--;
		if (at == PM_JUDGEWORDS_TOP)
			continue;
		n += n < PM_JUDGEWORDS_TOP;
		memmove(top + at + 1, top + at, (n - at - 1) * sizeof *top);
		top[at] = k;
	}
	return n;
}
