#!/bin/sh
# Job scripts of users of EPMT, the name of the command replaced: each runs as it is written and gives
# the rows it should, with a batch system and without.
# shellcheck disable=SC2154,SC2016,SC2086 # set by lib.sh; the scripts' own shells expand; words
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

mkdir bin
ln -s "$PERFMON" bin/perfmon
PATH=$work/bin:$PATH
# The steps of a workflow. Each runs two programs; the last one fails.
for step in prepare solve collect; do
	printf '#!/bin/sh\n/bin/true\n/bin/echo %s "$@" >>log\n' $step >$step
done
printf 'exit 3\n' >>collect
chmod +x prepare solve collect
interpreter=$(basename "$(readlink -f /bin/sh)")

# script NAME [INTERPRETER]: from standard input.
script()
{
	{
		printf '#!%s\n' "${2:-/bin/bash}"
		cat
	} >"$1"
	chmod +x "$1"
}

# The ids of the jobs in the database.
jobs()
{
	perfmon list jobs --csv 2>/dev/null | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ print $c["jobid"] }' | sort
}

# What ran in a job, in the order of its start: program and status.
rows()
{
	perfmon list processes "$1" --csv | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ print $c["image_us"] " " $c["exename"] " " $c["exitcode"] }' | sort -n | cut -d' ' -f2- |
		tr '\n' ';'
}

# works NAME OUTPUT ROWS LOG COMMAND...: run it in a session of its own; load what it left unless it
# did so itself.
works()
{
	name=$1 output=$2 want=$3 log=$4
	shift 4
	rm -rf "$PERFMON_OUTPUT_PREFIX" "$XDG_DATA_HOME" log
	setsid -w "$@" >out 2>&1 </dev/null
	is "$?:$(cat out)" "$output" "$name: it runs, and says what it says without perfmon"
	is "$(tr '\n' ';' <log)" "$log" "$name: its steps did what they do"
	[ -n "$(jobs)" ] || perfmon submit "$PERFMON_OUTPUT_PREFIX"/*/* >out 2>&1
	is "$(jobs | wc -l)" 1 "$name: it is one job"
	is "$(rows "$(jobs)")" "$want" "$name: the rows are right"
}
step="$interpreter 0;true 0;echo 0;"
failed="$interpreter 3;true 0;echo 0;"
# shellcheck disable=SC2034 # used through eval
none='env'
slurm='env SLURM_JOB_ID=4711 SLURM_JOBID=4711 SLURM_JOB_NAME=ocean_day SLURM_JOB_PARTITION=batch'
pbs='env PBS_JOBID=12.server PBS_JOBNAME=ocean_day PBS_QUEUE=batch'

# --- one program, marked up ---------------------------------------------------------------------------
script one <<'SCRIPT'
perfmon start
perfmon run ./solve --debug
perfmon stop
SCRIPT
for system in none slurm pbs; do
	eval "environment=\$$system"
	works "start, run, stop ($system)" "0:" "$step" "solve --debug;" $environment ./one
	case $system in
	slurm) want=4711 ;;
	pbs) want=12.server ;;
	none) want=$(jobs | grep -E '^[0-9]+-1$') ;;
	esac
	is "$(jobs)" "$want" "start, run, stop ($system): the id is right"
done

script two <<'SCRIPT'
perfmon -a run ./solve --debug
SCRIPT
for system in none slurm pbs; do
	eval "environment=\$$system"
	works "-a run ($system)" "0:" "$step" "solve --debug;" $environment ./two
done

# --- several programs -----------------------------------------------------------------------------------
script three <<'SCRIPT'
perfmon start
perfmon run ./prepare --random
perfmon run ./solve
perfmon run ./collect
perfmon stop
SCRIPT
works "three runs" "0:" "$step$step$failed" "prepare --random;solve;collect;" ./three

# --- by environment variables alone -------------------------------------------------------------------
script four <<'SCRIPT'
# Record everything.
perfmon start
eval `perfmon source`
./prepare --random
./solve
./collect

# No more.
unset LD_PRELOAD
perfmon stop
SCRIPT
for system in none slurm pbs; do
	eval "environment=\$$system"
	works "source in bash ($system)" "0:" "$step$step$failed" "prepare --random;solve;collect;" \
		$environment ./four
done

# csh, as a script and as typed.
for shell in tcsh bsd-csh; do
	if need $shell; then
		script five "$(command -v $shell) -f" <<'SCRIPT'
perfmon -j1 start
eval `perfmon -j1 source`
./prepare --random
./collect
unsetenv LD_PRELOAD
perfmon -j1 stop
SCRIPT
		works "source in $shell" "0:" "$step$failed" "prepare --random;collect;" ./five
		is "$(jobs)" 1 "source in $shell: -j1 names the job"
		sed 1d five >typed
		works "source in $shell, typed" "0:" "$step$failed" "prepare --random;collect;" \
			sh -c "$shell -f <typed"
	else
		skip "source in $shell" "no $missing"
	fi
done

# --- loaded by the job itself -----------------------------------------------------------------------
script six <<'SCRIPT'
echo "$PBS_JOBID or $SLURM_JOBID"

perfmon start
perfmon run ./solve --debug
perfmon stop
perfmon -q submit
SCRIPT
works "submit inside the job (slurm)" "0: or 4711" "$step" "solve --debug;" $slurm ./six
is "$(jobs)" 4711 "submit inside the job (slurm): the id is right"
works "submit inside the job (pbs)" "0:12.server or " "$step" "solve --debug;" $pbs ./six
script seven <<'SCRIPT'
perfmon -a run ./solve --outliers
perfmon -q submit
SCRIPT
for system in none slurm pbs; do
	eval "environment=\$$system"
	works "-a run, submit ($system)" "0:" "$step" "solve --outliers;" $environment ./seven
done

# --- without a batch system ---------------------------------------------------------------------------
# Both at once is what a user types into one shell.
script eight <<'SCRIPT'
perfmon start
perfmon run ./solve --outliers
perfmon stop
perfmon -q submit
SCRIPT
works "the current session" "0:" "$step" "solve --outliers;" ./eight
jobs | grep -q -E '^[0-9]+-1$'
ok $? "the current session: the id is made of the session's"

# --- the other commands ---------------------------------------------------------------------------------
setsid -w ./one
directory=$(find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 | head -n 1)
rm -rf "$XDG_DATA_HOME"
perfmon -n submit >out 2>&1
is "$?:$(jobs)" "0:" "-n submit touches no database"
perfmon -vv submit -n "$directory"/ >out 2>err
is "$?:$(jobs)" "0:" "neither does -vv submit -n DIR/"
perfmon -v submit "$directory"/ >out 2>err
is "$?:$(jobs | wc -l)" "0:1" "-v submit DIR/ loads"
tar -C "$directory/.." -czf job.tgz "$(basename "$directory")"
perfmon dump job.tgz >out
is "$?:$(grep -c '^jobid ' out)" "0:1" "dump takes a compressed archive"
rm -rf "$XDG_DATA_HOME"
perfmon submit ./*tgz >out
is "$?:$(jobs | wc -l):$(rows "$(jobs)")" "0:1:$step" "and so does submit"

rm -rf "$XDG_DATA_HOME" ./*tgz
if perfmon stage "$directory" >out 2>err; then
	[ ! -e "$directory" ]
	ok $? "stage takes the job away"
	perfmon submit ./*tgz >out
	is "$?:$(jobs | wc -l):$(rows "$(jobs)")" "0:1:$step" "and submit finds it in the archive"
else
	skip "stage and submit" "$(cat err)"
fi

# --- nothing stands in the way of a script --------------------------------------------------------------
works_off()
{
	rm -rf "$PERFMON_OUTPUT_PREFIX" "$XDG_DATA_HOME" log
	PERFMON_RECORDING=off setsid -w $slurm bash -e "$1" >out 2>&1 </dev/null
	is "$?:$(grep -v 4711 out):$(wc -l <log)" "0::$2" "$1 runs to its end with recording off and set -e"
}
works_off one 1
works_off two 1
works_off six 1
works_off seven 1
works_off eight 1

done_testing
