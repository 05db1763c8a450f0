#!/bin/sh
# TaskProlog is no process of the job where Slurm becomes the script through another slurmstepd, as 24.11 does: each task
# had a row of `slurmstepd slurm_script_launcher .../perfmon/slurm/taskprolog.sh`.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

mkdir -p perfmon/slurm
# shellcheck disable=SC2016 # the script expands
echo 'exec "$1"' >slurm_script_launcher
for name in taskprolog taskepilog other; do
	printf '#!/bin/sh\ntrue\n' >perfmon/slurm/$name.sh
	chmod +x perfmon/slurm/$name.sh
	set -- "$work/perfmon/slurm/$name.sh"
	"$PERFMON" -a run env sh slurm_script_launcher "$1" "$1"
	rm -rf db && PERFMON_DB=$work/db "$PERFMON" -q submit --all
done
sqlite3 db "SELECT DISTINCT args FROM process WHERE args LIKE '%perfmon/slurm/%' AND exename <> 'env'" |
	sed 's|[^ ]*/perfmon/|perfmon/|g' | sort >got
printf 'perfmon/slurm/other.sh\nslurm_script_launcher perfmon/slurm/other.sh perfmon/slurm/other.sh\n' >want
is "$(cat got)" "$(cat want)" "perfmon's scripts are not part of the job, others are"
done_testing
