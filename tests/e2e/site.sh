# shellcheck shell=sh
# Sourced behind lib.sh by tests that ask about the jobs of a small site, of which every figure is known (site.py).
#
#   site_load DATABASE    makes the jobs, in the folder jobs, and loads them; of one a line is damaged

site_load()
{
	[ -d "$work/jobs" ] || PYTHONDONTWRITEBYTECODE=1 python3 "$abs_top_srcdir/tests/e2e/site.py" "$work/jobs" || return
	for site_job in "$work/jobs"/*; do
		PERFMON_DB=$1 "$PERFMON" submit "$site_job" || [ "$site_job" = "$work/jobs/5-many" ] || return
	done >"$work/site.out" 2>"$work/site.err"
}
