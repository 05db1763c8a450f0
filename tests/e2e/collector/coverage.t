#!/bin/sh
# How much of a job is in its records: what is said is true, whatever kind of program is missing.
#
# The truth is a control group which the commands enter by themselves, after perfmon began.
# shellcheck disable=SC2016 # the commands' own shells expand
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

if ! need sqlite3; then
	skip "coverage" "no $missing"
	done_testing
fi
chmod 755 "$work"
# COUNT processes one after the other, each of so many milliseconds of CPU time.
burn=$work/burn static=$work/static
cp "$abs_top_builddir/tests/progs/sampler_burn" "$burn"
${CC:-cc} -static -O1 -I"$abs_top_builddir" -I"$abs_top_srcdir" -o "$static" \
	"$abs_top_srcdir/tests/progs/sampler_burn.c" 2>"$work/static.log" || static=
export burn static work
# Wait for an orphan.
# Seldom: where programs are slow to start, those that wait for it use as much as the orphan.
until='until [ -e "$work/over" ]; do sleep 0.2; done'

ssh_works()
{
	need ssh sshd ssh-keygen unshare && ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub keys || return 1
	printf '%s\n' "HostKey $work/key" "AuthorizedKeysFile $work/keys" 'PermitRootLogin yes' 'UsePAM no' \
		'StrictModes no' >sshd.conf
	# It insists on a directory in /run.
	printf '%s\n' 'mount -t tmpfs none /run && mkdir /run/sshd' "exec $(command -v sshd) -i -f $work/sshd.conf" >sshd.sh
	ssh="ssh -F none -i $work/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
	ssh="$ssh -o ProxyCommand='unshare --mount sh $work/sshd.sh' root@here"
	eval "timeout 20 $ssh true" >out 2>&1
}

bwrap_works()
{
	need bwrap && bwrap --unshare-all --ro-bind / / true 2>/dev/null
}

su_works()
{
	need su && su nobody -s /bin/sh -c true 2>/dev/null
}

# kind | whether it works here | what is seen of it, in % | command
cases=$work/cases
cat >"$cases" <<'CASES'
nothing missing|true|all|$burn 4 60
orphan with a wiped environment|true|little|(env -i work="$work" sh -c "$burn 4 60 </dev/null; : >$work/over" &); UNTIL
orphan and as much that is seen|true|half|(env -i sh -c "$burn 4 60 </dev/null; : >$work/over" &); $burn 4 60; UNTIL
bwrap|bwrap_works|little|bwrap --unshare-all --ro-bind / / "$burn" 4 60 </dev/null
sshd|ssh_works|any|SSH "$burn" 4 60 </dev/null
static tree|[ -n "$static" ]|all|$static 4 60
static orphans|[ -n "$static" ]|little|mkfifo over; (exec "$static" 4 60 >over &); cat over
su|su_works|any|su nobody -s /bin/sh -c "$burn 4 60 </dev/null"
daemon|true|all|(setsid sh -c "$burn 4 60 </dev/null; : >$work/over" &); UNTIL
CASES

# of JOBID COLUMNS: of a job and its only host, once it is loaded.
of()
{
	query "SELECT $2 FROM job JOIN host ON host.job_id = job.id WHERE jobid = '$1'"
}

load()
{
	"$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/"$1" </dev/null
}

# What each CPU has lost and what makes no whole tick yet is in none of the counts.
pending=$(($(getconf _NPROCESSORS_ONLN) * 1000000 / $(getconf CLK_TCK)))

# near GOT WANT TAKEN NAME [PERCENT]: at most 5 % and 20 ms apart, a tick of each of two CPUs. On an idle machine it is below 1 %; the clock that
# descendants inherit has interrupts in it, and time that a hypervisor takes from a busy guest: GOT may be
# larger by TAKEN, what all programs of the machine lost to those meanwhile.
near()
{
	awk -v g="$1" -v w="$2" -v t="$3" -v p="${5:-5}" 'BEGIN { d = g - w; m = w * p / 100 + 20000; exit !(-m <= d && d <= m + t) }'
	ok $? "$4"
	diag "$1 us, truth $2 us, taken $3 us"
}

# expand TEMPLATE: what a shell is to do, in $command.
expand()
{
	command=$(printf '%s' "$1" | awk -v until="$until" '{ sub(/UNTIL/, until); print }')
	case $command in
	SSH*) command="$ssh${command#SSH}" ;;
	esac
}

# judge NAME SEEN: what was charged and recorded of the job "seen", against $truth, its CPU time in us; $lost is
# what was taken meanwhile. The coverage is the one over the other, and no further bound is on it: what was taken
# may be charged, and makes it smaller.
judge()
{
	eval "$(of "$job" "'charged=' || job.charged_cpu_us || ' recorded=' || (coalesce(job.cpu_time, 0) +
		coalesce(own_cpu_us, 0)) || ' coverage=' || coalesce(CAST(round(1000 * job.coverage) AS int), -1)
		|| ' by=' || coalesce(stop_measured_by, 'nobody')")"
	# The ends of processes are in the truth alone: of a login with dozens of programs, beside little work.
	[ "$2" = any ] && percent=10 || percent=5
	near "$charged" "$truth" "$lost" "$1: CPU time of the whole job, by $by" $percent
	awk -v c="$coverage" -v r="$recorded" -v t="$charged" 'BEGIN { d = c - 1000 * r / t; exit !(-1 < d && d < 1) }'
	ok $? "$1: coverage $coverage o/oo"
	diag "$recorded us recorded"
	case $2 in
	all) least=95 most=106 ;;
	half) least=35 most=65 ;;
	little) least=0 most=29 ;;
	any) least=0 most=106 ;;
	esac
	seen=$((100 * recorded / truth))
	[ $seen -ge $least ] && [ $seen -le $most ]
	ok $? "$1: $seen % is recorded, $2 of it"
	"$PERFMON" report "$job" | tr '\n' ' ' | tr -s ' ' >page
}

# --- a command of root's, wherever it runs -------------------------------------------------------
make_group
if [ "$(id -u)" -ne 0 ] || [ -z "$group" ]; then
	skip "coverage of root's commands" "not root, or no control group can be made here"
elif ! "$PERFMON" -a -j first run true || ! load first || [ -z "$(of first stop_measured_by)" ]; then
	skip "coverage of root's commands" "perf events are not to be had"
else
	n=0
	while IFS='|' read -r name works seen template <&3; do
		if ! eval "$works" </dev/null; then
			skip "$name" "not here"
			continue
		fi
		rm -f over
		n=$((n + 1)) job=case$n
		expand "$template"
		before=$(charged "$group")
		lost=$(taken)
		timeout 60 "$PERFMON" -a -j $job run sh -c 'echo $$ >"$0/cgroup.procs" && eval "$1"' "$group" "$command" \
			>out 2>&1 </dev/null
		truth=$(($(charged "$group") - before)) lost=$(($(taken) - lost + pending))
		load $job
		judge "$name" "$seen"
		case $name in
		orphan*)
			grep -q 'at least 1 program was not seen' page
			ok $? "$name: the report says that one was not seen"
			;;
		esac
	done 3<"$cases"

	# By taskstats, which the sampler listens to; it is none of the job.
	lost=$(taken)
	PERFMON_SAMPLE=50ms "$PERFMON" -a -j told run sh -c 'sleep 0.3; (env -i "$burn" 8 60 </dev/null &); "$burn" 8 60; sleep 1.5' \
		>out 2>&1 </dev/null
	lost=$(($(taken) - lost + pending))
	load told
	told=$(series_last "$(echo "$PERFMON_OUTPUT_PREFIX"/*/told/*.series)" taskstats cpu_run_virtual)
	case $told in
	[0-9]*) near "$(of told job.charged_cpu_us)" $((told / 1000)) "$lost" "as taskstats has it" ;;
	*) skip "as taskstats has it" "taskstats: $told" ;;
	esac

	# Launchers of batch systems start what is none of their descendants.
	SLURM_JOB_ID=7 "$PERFMON" -a run "$burn" 1 20 </dev/null && load 7
	is "$(of 7 "job.coverage IS NULL, stop_measured_by IS NULL")" "1|1" \
		"in a batch job without a group of its own it is unknown"
fi

# --- a group of its own, whoever runs in it -------------------------------------------------------
plain=
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	plain='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 1777 "$PERFMON_OUTPUT_PREFIX"
fi
# alone COMMAND...: with nobody else in $inside.
alone()
{
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$inside" "$@" </dev/null >out 2>&1
}
if [ -z "$group" ]; then
	skip "a control group of its own" "none can be made here"
else
	inside=$group
	before=$(charged "$group")
	# shellcheck disable=SC2086 # words
	alone $plain "$PERFMON" -a -j alone run sh -c "(env -i $burn 4 60 </dev/null &); $burn 4 60 </dev/null; sleep 0.6"
	truth=$(($(charged "$group") - before))
	load alone
	is "$(of alone "start_cgroup_own, stop_measured_by")" "alone|cgroup" "a plain user's command alone in a group is measured"
	# Less what perfmon used there itself.
	awk -v g="$(of alone job.charged_cpu_us)" -v t="$truth" 'BEGIN { exit !(g <= t && g >= 0.9 * t - 20000) }'
	ok $? "by what the group used"
	is "$(of alone 'job.coverage BETWEEN 0.4 AND 0.6')" 1 "half of it is recorded"

	sleep 60 &
	other=$!
	echo $other >"$group/cgroup.procs"
	# shellcheck disable=SC2086 # words
	alone $plain "$PERFMON" -a -j shared run "$burn" 1 20
	load shared
	is "$(of shared "start_cgroup_own IS NULL, coalesce(stop_measured_by, '') <> 'cgroup'")" "1|1" \
		"a group with another's process is not the job's"

	# The batch system says whose it is, whoever else is in it.
	inside=$group/slurm/uid_0/job_77/step_0
	mkdir -p "$inside" && echo $other >"$inside/cgroup.procs"
	alone env SLURM_JOB_ID=77 sh -c '"$0" start; "$1" 2 60; "$0" stop' "$PERFMON" "$burn"
	load 77
	is "$(of 77 "start_cgroup_own, stop_measured_by, start_cgroup")" "name|cgroup|/${group##*/}/slurm/uid_0/job_77" \
		"a group that is named after the job"
	is "$(of 77 'job.charged_cpu_us BETWEEN 115000 AND 300000')" 1 "with all that was used in it"
	# Of the same group: a job of another name, that is but a part of it.
	alone env SLURM_JOB_ID=77 "$PERFMON" -a -j part run "$burn" 1 20
	load part
	is "$(of part "start_cgroup_own IS NULL")" 1 "a job that the user named within a batch job does not own the group"
	kill $other
	wait $other 2>/dev/null

	inside=$group/run-7.scope
	mkdir "$inside"
	alone sh -c '"$0" start -j scope; eval "$("$0" source -j scope)"; "$1" 4 60; perfmon_uninstrument
		"$0" stop -j scope; :' "$PERFMON" "$burn"
	load scope
	is "$(of scope "start_cgroup_own, stop_measured_by")" "alone|cgroup" "a script alone in a group"
	# The group holds perfmon's own commands, too: one that checks itself uses many times the CPU time.
	[ "${PM_SANITIZED:-no}" = yes ] && least=0.5 || least=0.85
	is "$(of scope "job.coverage BETWEEN $least AND 1.02")" 1 "and what it did is recorded"
	alone sh -c '"$0" -a -j beside run "$1" 1 20; :' "$PERFMON" "$burn"
	load beside
	is "$(of beside "start_cgroup_own IS NULL")" 1 "a command's job is not all that its shell may start"

	inside=$group/session-5.scope
	mkdir "$inside"
	alone "$PERFMON" -a -j login run "$burn" 1 20
	load login
	is "$(of login "start_cgroup_own IS NULL")" 1 "a login session is not the job's own"
fi

# --- unknown: said, with what is known ------------------------------------------------------------
# shellcheck disable=SC2086 # words
SLURM_JOB_ID=78 $plain "$PERFMON" -a run sh -c "(env -i true &); env -i $burn 4 60; sleep 0.2" </dev/null
load 78
is "$(of 78 "job.coverage IS NULL, host.coverage IS NULL, job.charged_cpu_us > 200000")" "1|1|1" \
	"without an account of all it is unknown"
"$PERFMON" report 78 | tr '\n' ' ' | tr -s ' ' >page
grep -q 'Coverage unknown: no CPU accounting of the kernel covers the whole job' page
ok $? "the report says so"
grep -q 'at least 1 program was not seen' page
ok $? "and how many programs left no trace"
done_testing
