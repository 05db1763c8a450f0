# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # used by tests; set by lib.sh
# Sourced behind lib.sh: the recorded job "hostile", in the database $db, whose programs, arguments, tags and phases are
# texts that mean something elsewhere; skips the test where it cannot be had. It is sampled each
# $hostile_sample, 100ms where that is not set.
if ! need python3 sqlite3; then
	skip "texts that must stay inert" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
texts=$abs_top_srcdir/tests/e2e/hostileprogs.py
db=$XDG_DATA_HOME/perfmon/perfmon.db

mkdir progs
PERFMON_ARGS=full PERFMON_ARGS_MAX=49152 "$PERFMON" -j hostile --sample "${hostile_sample:-100ms}" -a run python3 "$texts" run progs "$PERFMON" >out 2>err
is "$?|$(cat out)" "0|" "the job is recorded"
"$PERFMON" submit hostile >out 2>err
status=$?
"$PERFMON" annotate hostile "note=</script><b>" 'formula==1+1' 2>>err
is "$status:$?:$(sqlite3 "$db" 'SELECT count(*) FROM reject')" "0:0:0" "and loaded, no line rejected"
"$PERFMON" export processes hostile --format json | python3 "$texts" check "$db" hostile >out 2>&1
is "$(cat out)" "59 texts, 1 cut, 60 of their processes have tags" "every text is the argument that it was"
