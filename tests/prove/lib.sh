# shellcheck shell=sh
# Sourced by every proof after tests/e2e/lib.sh: rounds with seeds that can be repeated and resumed.
#
#   rounds TOTAL FUNCTION NAME   run FUNCTION SEED for TOTAL rounds, or a part of them; one test case
#   finding KEY VALUE            a measured figure, kept beside the rounds: finding "jobs lost" 0
#
# A round passes when FUNCTION returns 0; what it prints says why it did not, and is shown with the
# command that repeats it. Rounds run in a folder of their own below $work, removed when they passed.
#
# Settings: PM_PROVE_PART=N runs an N-th of the rounds, at least ten (default 50); PM_PROVE_ROUNDS=N at most
# N of each function, whose rounds then go on later; PM_PROVE_SEED the first round's seed (1);
# PM_PROVE_ROUND=SEED one round alone; PM_PROVE_DIR the folder that keeps what was shown and which rounds
# passed, so that a run goes on where the last one of the same commit stopped.

: "${PM_PROVE_PART:=50}" "${PM_PROVE_ROUNDS:=}" "${PM_PROVE_SEED:=1}" "${PM_PROVE_ROUND:=}" "${PM_PROVE_DIR:=}"
prove_name=$(basename "$0" .t)
prove_file=${PM_PROVE_DIR:+$PM_PROVE_DIR/$prove_name}

finding()
{
	diag "$1: $2"
	[ -z "$prove_file" ] || printf '%s\t%s\n' "$1" "$2" >>"$prove_file.findings"
}

rounds()
{
	prove_total=$1 prove_function=$2 prove_title=$3
	prove_last=$(((prove_total + PM_PROVE_PART - 1) / PM_PROVE_PART))
	[ $prove_last -ge 10 ] || prove_last=10
	[ $prove_last -le "$prove_total" ] || prove_last=$prove_total
	[ $prove_last -le "${PM_PROVE_ROUNDS:-$prove_last}" ] || prove_last=$PM_PROVE_ROUNDS
	prove_first=$PM_PROVE_SEED
	prove_last=$((prove_first + prove_last - 1))
	if [ -n "$PM_PROVE_ROUND" ]; then
		prove_first=$PM_PROVE_ROUND prove_last=$PM_PROVE_ROUND
	fi
	prove_passed=0 prove_wrong=0
	for prove_seed in $(seq "$prove_first" "$prove_last"); do
		if [ -n "$prove_file" ] &&
			grep -q -x -F "$prove_function $prove_seed" "$prove_file.passed" 2>/dev/null; then
			prove_passed=$((prove_passed + 1))
			continue
		fi
		mkdir "$work/round" && cd "$work/round" || exit 99
		if "$prove_function" "$prove_seed" >"$work/round.log" 2>&1; then
			prove_passed=$((prove_passed + 1))
			[ -z "$prove_file" ] || echo "$prove_function $prove_seed" >>"$prove_file.passed"
		else
			prove_wrong=$((prove_wrong + 1))
			diag "round $prove_seed of $prove_function failed; repeat it by PM_PROVE_ROUND=$prove_seed"
			diag "$(tail -n 20 "$work/round.log")"
		fi
		cd "$work" || exit 99
		chmod -R u+rwx round && rm -rf round
	done
	finding "$prove_title" "$prove_passed of $((prove_passed + prove_wrong)) rounds passed"
	ok $prove_wrong "$prove_title ($((prove_passed + prove_wrong)) rounds)"
}
