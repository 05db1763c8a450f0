#!/bin/bash
# perfmon run: the command behaves as without it, whatever it is and whatever happens to it.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

run() { "$PERFMON" -a run "$@"; }

# --- statuses ---------------------------------------------------------------------------------
run sh -c 'exit 3' >out 2>&1
is "$?:$(cat out)" "3:" "an exit status is the command's, and nothing is printed"
run sh -c 'kill -TERM $$' >out 2>&1
is "$?:$(cat out)" "143:" "a command killed by SIGTERM gives 143"
run sh -c 'kill -KILL $$' >out 2>&1
is "$?:$(cat out)" "137:" "and by SIGKILL 137"
run true >out 2>&1
is "$?:$(cat out)" "0:" "success is 0"

run no-such-command >out 2>err
is "$?" 127 "a missing command gives 127"
is "$(cat out):$(cat err)" ":perfmon: no-such-command: command not found" "and one line says so"
run 'true | true' >out 2>err
is "$?:$(cat err)" "127:perfmon: true | true: command not found; to run a shell command line, use sh -c" "a line is no command"
mkdir -m 0 closed
PATH=$work/closed:$PATH run no-such-command >out 2>err
is "$?" 127 "also where a directory of PATH may not be searched"
run ./no/such >out 2>err
is "$?" 127 "a missing path gives 127"
echo 'not a program' >plain
run ./plain >out 2>err
is "$?" 126 "a file that is not executable gives 126"
is "$(cat err)" "perfmon: ./plain: Permission denied" "and one line says so"
run "$work" >out 2>err
is "$?" 126 "a directory gives 126"
printf 'echo script; exit 5\n' >script
chmod +x script
run ./script >out 2>err
is "$?:$(cat out err)" "5:script" "a script without #! runs, as in sh"
printf '#!/no/such/interpreter\n' >script
run ./script >out 2>err
is "$?" 127 "a script whose interpreter is missing gives 127"
"$PERFMON" run >out 2>err
is "$?:$(cat out)" "2:" "no command is a usage error"

# --- arguments --------------------------------------------------------------------------------
printf '[%s]' 'a b' '$HOME' '*' '&&' '' >want
run printf '[%s]' 'a b' '$HOME' '*' '&&' '' >out 2>err
cmp -s want out && [ ! -s err ]
ok $? "arguments arrive as they are"

big=$(head -c 100000 /dev/zero | tr '\0' x)
seq 50000 >numbers
count='printf "%s\n" "$#" "${50001:+set}" "${50001-unset}" "${#50002}"; for a; do printf "%s\n" "$a"; done'
mapfile -t list <numbers
bash -c "$count" bash "${list[@]}" '' "$big" | cksum >want
run bash -c "$count" bash "${list[@]}" '' "$big" 2>err | cksum >out
cmp want out
ok $? "50 000 arguments, an empty one and one of 100 kB arrive intact"
is "$(cat err)" "" "without a word on standard error"

i=1
bytes=
while [ $i -lt 256 ]; do
	# shellcheck disable=SC2059 # an octal escape
	bytes=$bytes$(printf "\\$(printf %03o $i)x")
	i=$((i + 1))
done
printf '%s' "$bytes" >want
run printf '%s' "$bytes" >out 2>err
cmp want out
ok $? "every byte from 0x01 to 0xff passes"

run sh -c 'cat; echo error >&2' <want >out 2>err
is "$(cksum <out):$(cat err)" "$(cksum <want):error" "input, output and errors are the command's"

# --- what the command finds -------------------------------------------------------------------
state='umask; pwd; ulimit -a; trap; ls -l /proc/self/fd | sed "s/.* \([0-9]* -> \)/\1/; /proc/d; s/:\[[0-9]*\]//"'
sh -c "$state" 2>&1 </dev/null | cat >want
run sh -c "$state" 2>&1 </dev/null | cat >out
cmp want out
ok $? "limits, mask, directory and descriptors are unchanged"

# By a function as well: before version 5.2 bash counts SHLVL down where it execs a command in a pipe.
bare() { "$@"; }
bare env | grep -v -e ^PERFMON_ -e ^_= -e ^LD_PRELOAD= -e ^ASAN_OPTIONS= | sort >want
run env | grep -v -e ^PERFMON_ -e ^_= -e ^LD_PRELOAD= -e ^ASAN_OPTIONS= | sort >out
cmp want out
ok $? "the environment gains PERFMON_*, LD_PRELOAD and ASAN_OPTIONS only"

signals='grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status'
sh -c "trap '' HUP USR1; exec $signals" >want
sh -c "trap '' HUP USR1; exec \"$PERFMON\" -a run $signals" >out
cmp want out
ok $? "ignored signals stay ignored and nothing is blocked"
is "$(sh -c "trap '' CHLD; exec \"$PERFMON\" -a run sh -c 'exit 7'"; echo $?)" 7 \
	"the status arrives where SIGCHLD is ignored"

is "$(LD_PRELOAD='' run sh -c 'echo "$LD_PRELOAD"')" "$PERFMON_LIBRARY" \
	"an empty LD_PRELOAD gets the collector"
if need cc && echo 'int pm_test_nothing;' >own.c && cc -shared -fPIC -o own.so own.c 2>/dev/null
then
	is "$(LD_PRELOAD=$work/own.so run sh -c 'echo "$LD_PRELOAD"')" \
		"$work/own.so:$PERFMON_LIBRARY" "the user's preload stays, in front"
else
	skip "the user's preload stays, in front" "no C compiler"
fi
is "$(ASAN_OPTIONS=detect_leaks=0 run sh -c 'echo "$ASAN_OPTIONS"')" \
	"detect_leaks=0:verify_asan_link_order=0" "AddressSanitizer is asked to accept a preload"

# --- signals sent to perfmon ------------------------------------------------------------------

# wait_for FILE: until the command has written it.
wait_for()
{
	tries=0
	until [ -s "$1" ] || [ $tries -gt 500 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
}

catcher='
	for s in HUP TERM USR1 USR2 INT QUIT; do
		trap "echo $s >>caught; exit 40" $s
	done
	echo $$ >ready
	while :; do sleep 0.02; done'
for signal in HUP TERM USR1 USR2 INT QUIT; do
	rm -f ready caught
	# Background commands of a shell without job control ignore INT and QUIT: give them back.
	perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' \
		"$PERFMON" -a run sh -c "$catcher" 2>err &
	pid=$!
	wait_for ready
	kill -$signal $pid
	wait $pid
	is "$?:$(cat caught 2>/dev/null)" "40:$signal" "SIG$signal sent to perfmon reaches the command"
done

rm -f ready
run sh -c 'echo $$ >ready; kill -STOP $$; exit 9' 2>err &
pid=$!
wait_for ready
kill -CONT "$(cat ready)" 2>/dev/null
until kill -CONT "$(cat ready)" 2>/dev/null && ! kill -0 $pid 2>/dev/null || ! kill -0 $pid 2>/dev/null
do
	sleep 0.02
done
wait $pid
is $? 9 "a command that was stopped goes on and ends as its own"

# --- what is recorded -------------------------------------------------------------------------
job() { find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 -type d | sort -V | tail -n 1; }
rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*
run sh -c 'exit 3'
dir=$(job)
"$PERFMON" dump "$dir" >meta
grep -q '^stop_exit_status 3$' meta
ok $? "the metadata has the exit status"
grep -q '^stop_charged_cpu_us [1-9]' meta
ok $? "and the CPU time charged"
is "$(awk -F '\t' '/^perfmon-tsv/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$2 == "reaped" { print $c["exitcode"], $c["exitsignal"], $NF }' "$dir"/*.tsv)" '3 \N .' \
	"perfmon records that it waited for the command, and how it ended"
is "$(awk -F '\t' '$2 == "start"' "$dir"/*.tsv | wc -l)" 1 "the command is the one process recorded"
run sh -c 'kill -USR1 $$'
dir=$(job)
"$PERFMON" dump "$dir" | grep -q '^stop_exit_signal 10$'
ok $? "the signal that killed the command is in the metadata"
is "$(awk -F '\t' '/^perfmon-tsv/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$2 == "reaped" { print $c["exitcode"], $c["exitsignal"] }' "$dir"/*.tsv)" '\N 10' \
	"and in the record"
PERFMON_OPTIONS=PER_PROCESS run sh -c '/bin/true; exit 4'
is $? 4 "a file per process changes no status"
"$PERFMON" -n run sh -c 'echo "${LD_PRELOAD-none}"; exit 6' >out 2>err
is "$?:$(cat out err)" "6:none" "run -n runs the command unrecorded"

# --- nothing may fail the command -------------------------------------------------------------
"$PERFMON" run sh -c 'echo "${LD_PRELOAD-none}"; exit 8' >out 2>err
is "$?:$(cat out)" "8:none" "run without a job runs the command unrecorded"
is "$(wc -l <err)" 1 "with one line of warning"
if need python3; then
	# Ctrl-C goes to the whole group. A shell loop around us must end as it would around the command.
	# Sessions of their own have job numbers of their own.
	is "$(PERFMON_OUTPUT_PREFIX=$work/interrupted python3 - "$PERFMON" <<-'EOF'
		import os, signal, subprocess, sys, time
		def ended(group, *command):
		    p = subprocess.Popen([sys.argv[1], "-a", "run", *command], start_new_session=True,
		                         stdout=subprocess.PIPE)
		    p.stdout.readline()
		    (os.killpg if group else os.kill)(p.pid, signal.SIGINT)
		    return p.wait()
		print(ended(True, "sh", "-c", "echo; exec sleep 60"),
		      ended(True, "sh", "-c", "trap 'exit 4' INT; echo; while :; do sleep 0.1; done"),
		      subprocess.call([sys.argv[1], "-a", "run", "sh", "-c", "kill -INT $$"]))
		EOF
	)" "-2 4 130" "an interrupt of the group ends perfmon as it ends the command"
else
	skip "an interrupt of the group ends perfmon as it ends the command" "no python3"
fi
(unset PERFMON_LIBRARY && run /bin/true >out 2>err && test ! -s err)
ok $? "a program that is not installed finds the collector beside it"
PERFMON_OPTIONS=PER_PROCES run /bin/true >out 2>err
is "$?|$(cat err)" \
	"0|perfmon: warning: 'PER_PROCES' is neither a flag of options nor a known event; see perfmon events" \
	"words of options that are nothing are told"
PERFMON_LIBRARY=$work/none.so run sh -c '/bin/true; exit 8' >out 2>err
is "$?:$(wc -l <err)" "8:1" "without the collector there is one warning, not one per program"
grep -q 'none.so: No such file.*set PERFMON_LIBRARY' err
ok $? "with what to do"
PERFMON_LIBRARY=$work/none.so "$PERFMON" -q -a run sh -c 'exit 8' >out 2>err
is "$?:$(cat err)" "8:" "and none with -q"
PERFMON_OUTPUT_PREFIX=/proc/no/where run sh -c 'exit 8' >out 2>err
is "$?:$(wc -l <err)" "8:1" "an unusable prefix costs one warning"
echo file >prefix-file
PERFMON_OUTPUT_PREFIX=$work/prefix-file run sh -c 'exit 8' >out 2>err
is $? 8 "a file in place of the prefix does not stop the command"
PERFMON_SAMPLE=nonsense run sh -c 'exit 8' >out 2>err
is "$?:$(wc -l <err)" "8:1" "a bad setting costs one warning"
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
	dd if=/dev/zero of=full/filler bs=1k count=64 2>/dev/null
	PERFMON_OUTPUT_PREFIX=$work/full run sh -c 'echo out; exit 8' >out 2>err
	is "$?:$(cat out):$(wc -l <err)" "8:out:1" "on a full disk the command runs, with one warning"
	rm full/filler
	PERFMON_OUTPUT_PREFIX=$work/full run sh -c "dd if=/dev/zero of=$work/full/filler bs=1k \
		count=64 2>/dev/null; echo out; exit 8" >out 2>err
	is "$?:$(cat out)" "8:out" "and where it fills up in the meantime"
	umount full
else
	skip "on a full disk the command runs, with one warning" "no tmpfs to mount"
	skip "and where it fills up in the meantime" "no tmpfs to mount"
fi

# --- the sampler beside -----------------------------------------------------------------------
run --sample 20ms sh -c 'sleep 0.2; exit 2' >out 2>err
is "$?:$(cat out err)" "2:" "with a sampler the command is the same"
ls "$(job)"/*.series >/dev/null 2>&1
ok $? "and there is a series file"
# shellcheck disable=SC2016
run --sample 20ms sh -c '
	until [ -n "$killed" ]; do
		for p in /proc/[0-9]*; do
			tr "\0" " " <"$p/cmdline" | grep -q -- "sample --pid $$ " &&
				kill -KILL "${p#/proc/}" && killed=yes
		done 2>/dev/null
	done
	exit 2' >out 2>err
is "$?:$(cat out)" "2:" "where the sampler is killed, too"
grep -q 'sampler was killed by signal 9: samples are missing' err
ok $? "which is said"

# --- short forms ------------------------------------------------------------------------------
printf '#!/bin/sh\necho "$@"; exit 11\n' >app
chmod +x app
"$PERFMON" ./app -a --json x >out 2>err
is "$?:$(cat out err)" "11:-a --json x" "perfmon ./app is short for perfmon -a run ./app"
"$PERFMON" run -a -- ./app -j >out 2>err
is "$?:$(cat out err)" "11:-j" "options end at --, those behind are the command's"
"$PERFMON" run ./app -a >out 2>err
is "$?:$(cat out)" "11:-a" "and at the command"

# --- unrecorded ------------------------------------------------------------------------------
show='printf "%s" "${LD_PRELOAD-unset}"'
is "$("$PERFMON" -a run "$PERFMON" -n run sh -c "$show")" unset "-n takes the collector out of LD_PRELOAD"
is "$(LD_PRELOAD=" $work/no.so" "$PERFMON" -a run "$PERFMON" -n run sh -c "$show" 2>/dev/null)" " $work/no.so" \
	"and leaves there what else is"
is "$(LD_PRELOAD='' "$PERFMON" -n run sh -c "$show")" "" "also an empty one"
"$PERFMON" -a run env PERFMON_RECORDING=off "$PERFMON" run sh -c "$show; exit 4" >out
is "$?:$(cat out)" 4:unset "so does recording = off"

# --- orphans ----------------------------------------------------------------------------------
mkfifo gate
(
	sleep 0.3
	echo go >gate
) &
"$PERFMON" -a -j orphans run --reap-orphans sh -c '(read x <gate; echo late >late; exit 3) & exit 5' >out 2>&1
is "$?:$(cat out late)" "5:late" "--reap-orphans waits for what the command leaves behind"
wait
is "$("$PERFMON" dump orphans | sed -n 's/^stop_without_end //p')" 0 "which ends inside the job"
is "$("$PERFMON" dump -k stop_charged_cpu_us orphans)" "$(awk -F '\t' '/^perfmon-tsv/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$2 == "reaped" { n += $c["usertime"] + $c["systemtime"] } END { print n }' "$PERFMON_OUTPUT_PREFIX"/*/orphans/*.tsv)" \
	"the job is charged with the CPU time of all that was waited for"
"$PERFMON" submit -j orphans >out
"$PERFMON" list processes orphans --json >rows
is "$(tr -d ' \n' <rows | grep -o '"exitcode":3' | wc -l)" 1 "its status is known"
"$PERFMON" -a run --reap-orphans sh -c 'sleep 1000 & echo $! >orphan; exit 6' >out 2>&1 &
runner=$!
until [ -s orphan ] && [ "$(ps -o ppid= -p "$(cat orphan)" | tr -d ' ')" = $runner ]; do
	sleep 0.01
done
kill -WINCH $runner && kill -URG $runner && sleep 0.1 && kill -0 $runner
ok $? "neither a resized window nor urgent data ends the waiting"
kill -TERM $runner
wait $runner
is "$?:$(cat out)" "6:perfmon: warning: processes of the command are still running" \
	"a signal ends the waiting, and the status is the command's"
kill "$(cat orphan)"

done_testing
