#!/bin/sh
# TaskProlog and TaskEpilog without a Slurm around them: what they print, that they never fail, and
# which task opens and closes the job.
# An empty /dev covers that of the system.
export PM_ON_DISK=yes
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source-path=SCRIPTDIR source=cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

# Installed as an administrator would: the scripts know where perfmon is.
install_in()
{
	mkdir -p "$1/bin" "$1/perfmon/slurm"
	cp "$PERFMON" "$PERFMON_LIBRARY" "$1/bin/" || exit 99
	for script in epilog.sh taskprolog.sh taskepilog.sh; do
		sed "s|@bindir@|$1/bin|g; s|@localstatedir@|$1/var|g" "$abs_top_srcdir/slurm/$script.in" >"$1/perfmon/slurm/$script"
		chmod 755 "$1/perfmon/slurm/$script"
	done
}
install_in "$work/site"
# Not one that is installed on this machine.
PERFMON_LIBRARY=$work/site/bin/libperfmon.so
export PERFMON_LIBRARY
prolog=$work/site/perfmon/slurm/taskprolog.sh
epilog=$work/site/perfmon/slurm/taskepilog.sh
user=$(id -un)
job=$PERFMON_OUTPUT_PREFIX/$user/77
SLURM_JOB_ID=77 SLURM_CLUSTER_NAME=two SLURM_JOB_NAME=weather
export SLURM_JOB_ID SLURM_CLUSTER_NAME SLURM_JOB_NAME

# task: a process that lives until it is killed, and its TaskProlog. As Slurm does it: the task's
# process runs the script before it becomes the task.
tasks=0
task()
{
	tasks=$((tasks + 1))
	# The inner shell expands.
	# shellcheck disable=SC2016
	sh -c 'SLURM_TASK_PID=$$; export SLURM_TASK_PID
		"$1" >"out.$2"; echo $? >"status.$2"
		exec sleep 600' task "$prolog" "$tasks" >/dev/null &
	eval "task_$tasks=\$!"
	while [ ! -s "status.$tasks" ]; do sleep 0.05; done
}

end()
{
	eval "kill \$task_$1; wait \$task_$1" 2>/dev/null
}

# over N: the task ends, then its TaskEpilog runs: with another task's pid in its environment, as
# Slurm has it.
over()
{
	end "$1"
	SLURM_TASK_PID=1 "$epilog" >"epilog.$1" 2>&1
	echo $? >"epilog-status.$1"
}

state()
{
	if [ ! -d "$job" ]; then
		echo none
	elif grep -q '"stop"' "$job"/job-*.json; then
		echo closed
	else
		echo open
	fi
}

task
is "$(cat status.1)" 0 "the first task's TaskProlog succeeds"
is "$(grep -vc '^export [A-Z_]*=' out.1)" 0 "and prints exports alone"
is "$(sed -n 's/^export PERFMON_OUTPUT=//p; s/^export PERFMON_JOBID=/id /p' out.1 | tr '\n' ' ')" \
	"$job id 77 " "of the job's directory and id"
is "$(PERFMON_TASK=77.3.0 SLURM_STEP_ID=3 SLURM_PROCID=0 "$prolog"):$?" :0 "what the plugin has recorded is left alone"
is "$(PERFMON_TASK=77.2.0 SLURM_STEP_ID=3 SLURM_PROCID=0 SLURM_TASK_PID=$task_1 "$prolog" | grep -c LD_PRELOAD)" 1 \
	"and a step inside of that is recorded"
is "$(sed -n 's/^export LD_PRELOAD=//p' out.1)" "$work/site/bin/libperfmon.so" "and of the collector"
is "$(state)" open "which is open"
task
is "$(sed 's/^export //' out.2 | grep -c '^PERFMON_OUTPUT=')" 1 "another task joins"
over 1
is "$(state)" open "the job is open while a task of it lives"
is "$(cat epilog-status.1; cat epilog.1)" 0 "TaskEpilog succeeds and says nothing"
over 2
is "$(state)" closed "and closed after the last one"
is "$(find "$job" -name '.*' -type f | wc -l | tr -d ' ')" 0 "leaving no file of how it was open"
task
is "$(state)" open "a later step opens it again"
end 3
task
over 4
is "$(state)" closed "a task whose TaskEpilog never ran keeps no job open"
is "$("$epilog" 2>&1; echo $?)" 0 "TaskEpilog of a closed job succeeds and says nothing"

# Many tasks of a node begin and end at once.
rm -rf "$job"
i=0
while [ $i -lt 24 ]; do
	i=$((i + 1))
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'SLURM_TASK_PID=$$; export SLURM_TASK_PID
		"$1" >"many.$2"; exec true' task "$prolog" "$i" && "$epilog" &
	many="${many-} $!"
done
# shellcheck disable=SC2086 # pids
wait $many
is "$(cat many.* | grep -c '^export PERFMON_OUTPUT=')" 24 "24 tasks at once: each is recorded"
is "$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*.json' | wc -l | tr -d ' '):$(state)" 1:closed \
	"into one job, closed in the end"

# Another task opens the job between our search for it and our making of its directory: the kernel
# makes us wait there. Each mkdirat is held for a second, and the first one comes behind the search.
if [ "${PM_SANITIZED:-no}" = no ] && need strace; then
	rm -rf "$job"
	strace -f -o held -e trace=mkdirat -e inject=mkdirat:delay_enter=1000000 "$prolog" >late &
	held=$!
	while ! grep -q mkdirat held 2>/dev/null && kill -0 $held; do sleep 0.05; done
	"$prolog" >early
	wait $held
	is "$(grep -h '^export PERFMON_OUTPUT=' early late | sort -u)" "export PERFMON_OUTPUT=$job" \
		"two tasks that both find no job make one"
else
	skip "two tasks that both find no job" "no strace that can be trusted here"
fi

# --- whose directory ----------------------------------------------------------------------------
rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*
outputs() { sed -n 's/^export PERFMON_OUTPUT=//p' "$1"; }
unset SLURM_TASK_PID
"$prolog" >a
# From inside a recorded job another one is submitted: it inherits what the first has.
SLURM_JOB_ID=78 PERFMON_OUTPUT=$(outputs a) PERFMON_EXE=$work/site/bin/perfmon "$prolog" >b
is "$(outputs b)" "$PERFMON_OUTPUT_PREFIX/$user/78" "a job submitted by a recorded job is its own"
PERFMON_OUTPUT=/nowhere/else PERFMON_EXE=$work/site/bin/perfmon "$prolog" >c
is "$(outputs c)" "$job" "what another host's task has is not ours"
SLURM_JOB_ID=79 PERFMON_OUTPUT=$work/mine "$prolog" >d
is "$(outputs d)" "$work/mine" "the user's own choice counts"
SLURM_JOB_ID=79 PERFMON_OUTPUT=$work/mine PERFMON_EXE=$work/site/bin/perfmon "$prolog" >e
is "$(outputs e)" "$work/mine" "in the steps inside, too"
SLURM_JOB_ID=80 PERFMON_OUTPUT=$work/no/such/place "$prolog" >f
is "$(outputs f)" "$PERFMON_OUTPUT_PREFIX/$user/80" "and where it cannot be had, there is the usual one"
SLURM_ARRAY_JOB_ID=90 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=93 "$prolog" >g
is "$(outputs g)" "$PERFMON_OUTPUT_PREFIX/$user/90_3" "an array's element has a directory of its own"
LD_PRELOAD=/usr/lib/other.so "$prolog" >h 2>/dev/null
is "$(sed -n 's/^export LD_PRELOAD=//p' h)" "/usr/lib/other.so:$work/site/bin/libperfmon.so" \
	"what the user preloads stays in front"

# --- it never fails -----------------------------------------------------------------------------
# broken NAME COMMAND...: what a task does is what it does without perfmon.
broken()
{
	name=$1
	shift
	"$@" "$prolog" >out 2>err
	is "$?:$(cat out err)" "0:" "$name: TaskProlog says nothing and succeeds"
	"$@" "$epilog" >out 2>err
	is "$?:$(cat out err)" "0:" "$name: so does TaskEpilog"
}
broken "no job of Slurm" env -u SLURM_JOB_ID
: >"$work/file"
broken "no place for jobs" env PERFMON_OUTPUT_PREFIX=/proc/none PERFMON_OUTPUT=
broken "a file in place of the prefix's parent" env PERFMON_OUTPUT_PREFIX="$work/file/x"
broken "a value with a line break" env ASAN_OPTIONS="a=1
b=2"
broken "an inherited shell that stops at failures" env SLURM_JOB_ID= SHELLOPTS=errexit
mkdir -p "$XDG_CONFIG_HOME/perfmon"
printf 'nonsense here\n= =\nargs = \377\n' >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
"$prolog" >out 2>err
is "$?:$(grep -c '^export PERFMON_OUTPUT=' out):$(cat err)" "0:1:" "a broken configuration: recorded all the same"
rm -r "$XDG_CONFIG_HOME/perfmon"
rm "$work/site/bin/libperfmon.so"
broken "no collector" env
cp "$abs_top_builddir/libperfmon.so" "$work/site/bin/"
if [ "$(id -u)" -eq 0 ] && need unshare; then
	# shellcheck disable=SC2016 # the inner shell expands
	broken "no /dev/null and no /proc" env PERFMON_LIBRARY="$work/none" unshare -m sh -c \
		'mount -t tmpfs none /proc && mount -t tmpfs none /dev && exec "$0"'
	# shellcheck disable=SC2016
	mkdir full
	# shellcheck disable=SC2016
	broken "a full disk" env PERFMON_OUTPUT_PREFIX="$work/full/prefix" unshare -m sh -c '
		mount -t tmpfs -o size=4k none full && mkdir -m 1777 full/prefix full/prefix-0 &&
			{ head -c 9999 /dev/zero >full/full; exec "$0"; } 2>/dev/null'
	# shellcheck disable=SC2016
	broken "a disk without inodes" env PERFMON_OUTPUT_PREFIX="$work/full/prefix" unshare -m sh -c '
		mount -t tmpfs -o nr_inodes=2 none full && : >full/full && exec "$0"'
else
	skip "no /dev/null, a full disk" "needs root"
fi
printf 'not a program' >"$work/site/bin/perfmon"
broken "a perfmon that is none" env
cp /bin/true "$work/site/bin/perfmon"
broken "a perfmon that says nothing" env
printf '#!/bin/sh\nkill -9 $$\n' >"$work/site/bin/perfmon"
broken "a perfmon that dies" env
chmod 644 "$work/site/bin/perfmon"
broken "a perfmon that cannot be run" env
rm "$work/site/bin/perfmon"
broken "no perfmon" env
cp "$PERFMON" "$work/site/bin/"
is "$(find "${PERFMON_OUTPUT_PREFIX%/*}" -name 'job-*.json' | grep -cv "^$PERFMON_OUTPUT_PREFIX/\|/mine/")" 0 \
	"nothing was left elsewhere"

# One line in the system's log says why.
if [ "$(id -u)" -eq 0 ] && need unshare perl; then
	# shellcheck disable=SC2016
	SLURM_JOB_ID=81 PERFMON_OUTPUT_PREFIX=/proc/none unshare -m sh -c '
		mkdir dev && mount -t tmpfs none dev && : >dev/null && mount --bind /dev/null dev/null &&
			mount --rbind dev /dev || exit 1
		perl -MIO::Socket::UNIX -e "
			my \$s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => q(/dev/log)) or exit 1;
			system(shift);
			\$s->blocking(0);
			while (defined \$s->recv(my \$line, 4096)) { print \$line, qq(\n) }" "$1" >syslog' sh "$prolog"
	is "$(sed 's/.*perfmon\[[0-9]*\]: //; s/: no directory.*/: no directory/' syslog)" \
		"job 81 step batch: a task is not recorded: no directory" "the system's log says why, in a line"
else
	skip "the system's log" "needs root, unshare and perl"
fi

# --- whose CPU time ------------------------------------------------------------------------------
make_group
if [ -n "$group" ] && mkdir -p "$group/uid_0/job_77/step_0/user/task_0" 2>/dev/null; then
	rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2"' sh "$group/uid_0/job_77/step_0/user/task_0" "$prolog" >out
	is "$(sed -n 's/^ *"cgroup": "\(.*\)",*$/\1/p' "$job"/job-*.json | sed 's|.*/uid_0|/uid_0|')" /uid_0/job_77 \
		"the job's control group is that of all its steps"
else
	skip "the job's control group" "none can be made here"
fi

# --- Epilog -------------------------------------------------------------------------------------
# Its environment has the element's own id and nothing of the array.
ended() { SLURM_JOB_ID=$1 SLURM_JOB_EXIT_CODE2=$2 "$PERFMON" -q stop --slurm --all >ended && sed 's|.*/||' ended; }
ending() { sed -n 's/^ *"exit_\([a-z]*\)": "\{0,1\}\([a-z0-9]*\).*/\1 \2/p' "$PERFMON_OUTPUT_PREFIX/$user/$1"/job-*.json | sort | tr '\n' ' '; }
rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*
SLURM_ARRAY_JOB_ID=90 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=93 "$prolog" >out
SLURM_ARRAY_JOB_ID=90 SLURM_ARRAY_TASK_ID=4 SLURM_JOB_ID=90 "$prolog" >out
is "$(ended 93 7:0)" 90_3 "Epilog closes what no TaskEpilog closed, and tells its directory"
job=$PERFMON_OUTPUT_PREFIX/$user/90_3
is "$(state):$(ending 90_3)" "closed:reason failure status 7 " "with how the job ended"
job=$PERFMON_OUTPUT_PREFIX/$user/90_4
is "$(state)" open "another element stays open"
is "$(ended 90 0:15):$(ending 90_4)" "90_4:reason asked signal 15 " "killed by a signal"
is "$(ended 93 7:0)" 90_3 "again is no failure"
is "$(ended 5 0:0; echo $?)" 0 "a job that is not known here is none"
is "$(SLURM_JOB_RESTART_COUNT=1 ended 93 0:0):$(SLURM_JOB_RESTART_COUNT=2 ended 93 0:0)" 90_3: \
	"a requeued job's count is one ahead"
is "$(SLURM_CLUSTER_NAME=other ended 93 0:0)" "" "nor is another cluster's"
if [ "$(id -u)" -eq 0 ] && need setpriv timeout getent; then
	mkdir -p "$work/site/var/spool/perfmon"
	SLURM_JOB_UID=$(id -u) SLURM_JOB_GID=$(id -g)
	export SLURM_JOB_UID SLURM_JOB_GID
	mkdir -p "$XDG_CONFIG_HOME/perfmon"
	echo "stage_command = touch $work/escaped" >"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
	is "$(SLURM_JOB_ID=93 "$work/site/perfmon/slurm/epilog.sh" 2>&1; echo $?)" 0 "the script is silent"
	rm "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
	ok "$([ ! -e escaped ]; echo $?)" "and runs no command of the user's, who has no job any more"
	is "$(ls "$work/site/var/spool/perfmon" "$PERFMON_OUTPUT_PREFIX/$user" | tr '\n' ' ' | sed 's/\.[^ ]*\.tgz/.tgz/')" \
		"$PERFMON_OUTPUT_PREFIX/$user: 90_4  $work/site/var/spool/perfmon: 90_3.tgz " \
		"and packs the job into the spool"
	mv "$work/site/bin/perfmon" away
	is "$(SLURM_JOB_ID=90 "$work/site/perfmon/slurm/epilog.sh" 2>&1; echo $?)" 0 "without perfmon, too"
	mv away "$work/site/bin/perfmon"
	is "$(env -i "$work/site/perfmon/slurm/epilog.sh" 2>&1; echo $?)" 0 "and without anything"
else
	skip "the script" "needs root and setpriv"
fi
job=$PERFMON_OUTPUT_PREFIX/$user/77

# --- what it costs ------------------------------------------------------------------------------
if [ "${PM_SANITIZED:-no}" = no ] && need strace; then
	strace -f -o trace -e trace=execve "$prolog" >out 2>/dev/null
	is "$(grep -c 'execve(.*= 0' trace)" 2 "TaskProlog is a shell and perfmon, nothing more"
	strace -f -o trace -e trace=execve "$epilog" >out 2>/dev/null
	is "$(grep -c 'execve(.*= 0' trace)" 2 "and so is TaskEpilog"
else
	skip "programs that TaskProlog starts" "no strace that can be trusted here"
fi

# The scripts run with the preload of the batch script around a step: they are not the job's.
rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*
"$prolog" >env.sh
sed -i "s/^export \([A-Z_]*\)=\(.*\)/export \1='\2'/" env.sh
# shellcheck disable=SC2016 # the inner shell expands
sh -c '. ./env.sh; "$1" >out; "$2"; date >/dev/null; exec /bin/true' sh "$prolog" "$epilog"
is "$(cat "$job"/*.tsv | grep -c task)" 0 "the scripts themselves are not recorded"
is "$(cat "$job"/*.tsv | grep -c '	date	')" 2 "what follows them is"
# --- one sampler per host, from the first TaskProlog to the last TaskEpilog -----------------------
if need ps awk; then
	# Ids that no other run of this test on the host has: the sampler goes by them.
	SLURM_JOB_ID=${$}79 PERFMON_SAMPLE=50ms
	export PERFMON_SAMPLE
	job=$PERFMON_OUTPUT_PREFIX/$user/$SLURM_JOB_ID
	samplers()
	{
		ps -e -o pid=,sid=,args= | awk -v dir="$job" '$1 == $2 && $6 == "--directory" && $7 == dir' | wc -l
	}
	first=$((tasks + 1)) second=$((tasks + 2))
	task
	task
	tries=600
	until grep -q '^tick' "$job"/*.series 2>/dev/null || [ $((tries -= 1)) -eq 0 ]; do sleep 0.1; done
	is "$(cat "status.$first" "status.$second" | tr '\n' ' ')$(samplers)" "0 0 1" \
		"of two tasks on a host one leaves a sampler behind"
	over $first
	is "$(samplers) $(state)" "1 open" "which stays while a task does"
	over $second
	is "$(samplers) $(state)" "0 closed" "and ends with the last one"
	unset PERFMON_SAMPLE
fi

done_testing
