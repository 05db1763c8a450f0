/* Convert the results of getrusage(2) and wait4(2) to columns. */
#include "config.h"

#include "common/safe/rusage.h"

int64_t pm_rusage_cpu_ns(const struct rusage *ru)
{
	return (pm_rusage_us(&ru->ru_utime) + pm_rusage_us(&ru->ru_stime)) * 1000;
}

void pm_rusage_set(struct pm_record *r, const struct rusage *ru)
{
	pm_record_int(r, PM_COL_usertime, pm_rusage_us(&ru->ru_utime));
	pm_record_int(r, PM_COL_systemtime, pm_rusage_us(&ru->ru_stime));
	pm_record_int(r, PM_COL_minflt, ru->ru_minflt);
	pm_record_int(r, PM_COL_majflt, ru->ru_majflt);
	pm_record_int(r, PM_COL_inblock, ru->ru_inblock);
	pm_record_int(r, PM_COL_outblock, ru->ru_oublock);
	pm_record_int(r, PM_COL_vol_ctxsw, ru->ru_nvcsw);
	pm_record_int(r, PM_COL_invol_ctxsw, ru->ru_nivcsw);
}
