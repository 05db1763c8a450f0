#!/bin/sh
# Ranks of programs that real launchers start: each once, with the number of all, and none for the
# launcher itself and its daemons.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

query_default '' ' '

# Hydra passes the end of its input on, and dies of SIGPIPE, recorded or not, where the program was faster.
mkfifo input
exec 7<>input

# launch LAUNCHER OPTIONS...: four times a program that knows nothing of MPI, which costs it nothing.
launch()
{
	for layout in COLLATED_TSV PER_PROCESS; do
		name="$1, $layout"
		rm -rf "$XDG_DATA_HOME"
		# Nothing is started on other hosts: no agent for that is needed.
		OMPI_MCA_plm_rsh_agent="sh" "$PERFMON" -a run --options "$layout" "$@" -n 4 date <&7 >out 2>err
		is "$?:$(wc -l <out | tr -d ' ')" 0:4 "$name: started four"
		diag "$(cat err)"
		"$PERFMON" -q submit
		is "$(query "select mpirank, numranks from process where exename = 'date' order by 1" | tr '\n' ',')" \
			"0 4,1 4,2 4,3 4," "$name: every rank once"
		is "$(query "select count(*) from process where exename <> 'date' and
			coalesce(mpirank, numranks) is not null")" 0 "$name: none of the launcher's own"
		is "$(query "select count(*) > 0 from process where exename in ('orterun', 'prte', 'mpiexec.hydra')")" 1 \
			"$name: which is recorded"
		is "$(query 'select ranks from job')" 4 "$name: counted in the job"
	done
}

for launcher in mpirun.openmpi mpiexec.hydra; do
	if ! need "$launcher" sqlite3; then
		skip "ranks by $launcher" "no $missing"
		continue
	fi
	case $launcher in
	mpirun.openmpi) launch "$launcher" --allow-run-as-root --oversubscribe ;;
	*) launch "$launcher" ;;
	esac
done
done_testing
