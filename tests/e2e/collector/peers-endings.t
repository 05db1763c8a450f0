#!/bin/sh
# Every process is known with its end, whatever that is, and every image that it had.
# shellcheck disable=SC2154,SC2016,SC2034 # set by lib.sh, used by peers.sh; inner shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/peers.sh
. "$abs_top_srcdir/tests/e2e/peers.sh"

endings=$abs_top_builddir/tests/progs/peers_endings

# The rows of these pids as "PID how status" are what `with` says.
in_database()
{
	sed -n 's/^# \([0-9]* \(exit\|reaped\|signal\) .*\)/\1/p' with | sed 's/ reaped / exit /' | sort >want
	query "SELECT pid || ' ' || CASE WHEN exitsignal IS NOT NULL THEN 'signal ' || exitsignal
		ELSE 'exit ' || exitcode END FROM process WHERE exename = 'peers_endings'
		AND end_reason <> 'exec' AND id > (SELECT min(id) FROM process WHERE exename = 'peers_endings')" |
		sort | diff want - >difference
	holds "the database has them" "$(head -n 5 difference)" ""
	holds "and rejects nothing" "$(query "SELECT line || ': ' || reason FROM reject")" ""
}

# A static program, where the C library is there to make one of.
echo 'int main(int argc, char **argv) { (void)argv; return argc > 1 ? 51 : 52; }' >static.c
cc -static -o static static.c 2>static.err || rm -f static

# A control group that ends what takes more than 16 MB: its directory, or nothing.
make_group()
{
	for group in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		if ! [ -e $group/memory.limit_in_bytes ] &&
			! grep -qs memory $group/cgroup.subtree_control; then
			continue
		fi
		group=$group/perfmon-test-$$
		mkdir "$group" 2>/dev/null || continue
		for limit in memory.limit_in_bytes memory.memsw.limit_in_bytes memory.max; do
			[ ! -e "$group/$limit" ] || echo 16M >"$group/$limit"
		done
		[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
		echo "$group"
		return
	done
}

suid=
for name in su mount passwd chsh; do
	name=$(command -v $name) && [ -u "$name" ] && suid=$name && break
done

for layout in $layouts; do
	behaviour "err, error, daemon and quick_exit"
	same "$endings" all
	known
	job "$endings" all >with 2>with.err
	in_database
	# All in one run of the program: each is among the lines compared above, once of fork and once of _Fork.
	each=2
	! grep -q '^# no _Fork$' with || each=1
	for behaviour in SIGKILL _Fork "the process after a failed exec" \
		"abort, assert, raw system calls, limits and faults"; do
		behaviour "$behaviour"
		case $behaviour in
		*SIGKILL) of="signal 9" ;;
		*_Fork) of="exit 28" ;;
		*exec) of="exit 32" ;;
		*) of="signal 6\|signal 11\|signal 4\|signal 7\|reaped 30\|reaped 31" ;;
		esac
		want=$each
		[ "${of#*|}" = "$of" ] || want=$((7 * each))
		case $each$behaviour in
		1*_Fork) skip "$behaviour" "glibc has _Fork since 2.34" ;;
		*) holds "among them" "$(grep -c "^# [0-9]* \($of\)$" with)" "$want" ;;
		esac
	done

	behaviour "CPU time in exit handlers"
	same "$endings" handlers
	known

	behaviour "every image before an exec"
	same "$endings" chain 6
	holds "an end record each" "$(field end_reason record=end | sort | uniq -c | tr -s ' \n' ' ')" \
		" 6 exec 1 exit "
	job "$endings" chain 6
	holds "numbered, with their own arguments and times" "$(query "SELECT generation, args, end_reason,
		exitcode, cpu_time >= 1000 * (6 - generation) AND cpu_time < 30000 + 1000 * (6 - generation)
		FROM process WHERE exename = 'peers_endings' ORDER BY generation" | tr '\n' ' ')" \
		"0|chain 6|exec||1 1|chain 5|exec||1 2|chain 4|exec||1 3|chain 3|exec||1 4|chain 2|exec||1 5|chain 1|exec||1 6|chain 0|exit|46|1 "

	behaviour "set-user-ID, static, missing and no programs by exec"
	printf '\177ELFnonsense' >nonsense
	chmod +x nonsense
	same "$endings" execs /nonexistent /etc/passwd ./nonsense / ./static
	job "$endings" execs /nonexistent /etc/passwd ./nonsense / ./static >with
	holds "those that failed go on, the other is an image of its own" "$(query "SELECT generation, exename,
		end_reason, exitcode FROM process WHERE parent_id IS NOT NULL ORDER BY id" | tr '\n' ' ')" \
		"0|peers_endings|exit|50 0|peers_endings|exit|50 0|peers_endings|exit|50 0|peers_endings|exit|50 $(
			if [ -e static ]; then
				printf %s '0|peers_endings|exec| 1|static|exit|51 '
			else
				printf %s '0|peers_endings|exit|50 '
			fi)"

	behaviour "static programs"
	if [ -e static ]; then
		same sh -c './static; ./static a; exit 4'
		holds "are known by their parent's wait" \
			"$(field exitcode record=reaped | sort | tr '\n' ' ')" "51 52 "
		job sh -c './static; ./static a; exit 4'
		holds "have rows with what the kernel says" "$(query "SELECT exitcode, cpu_time > 0, minflt > 0
			FROM process WHERE last_call LIKE 'execve%' ORDER BY 1" | tr '\n' ' ')" "51|1|1 52|1|1 "
		holds "and are counted" "$(query 'SELECT reaped_only FROM job')" 2
		behaviour "what is unknown is not zero"
		holds "of a static program" "$(query "SELECT DISTINCT coalesce(rchar, vmpeak, duration_us, numtids,
			num_threads, processor, time_oncpu, pgid, exitsignal, path, args, 'NULL')
			FROM process WHERE last_call LIKE 'execve%'")" NULL
	else
		skip "$behaviour" "no static C library"
		behaviour "what is unknown is not zero"
		skip "$behaviour" "no static C library"
	fi

	behaviour "programs under env -i"
	same sh -c 'env -i sh -c "exit 5"; exit 6'
	holds "are known by their parent's wait" \
		"$(field exitcode record=reaped) $(field end_reason record=end exename=env)" "5 exec"
	job sh -c 'env -i sh -c "exit 5"; exit 6'
	holds "have a row" "$(query "SELECT generation, exitcode, cpu_time > 0 FROM process
		WHERE last_call LIKE 'execve%'")" "1|5|1"

	behaviour "set-user-ID programs"
	if [ -z "$suid" ]; then
		skip "$behaviour" "there is none"
	elif [ "$(id -u)" -eq 0 ] && ! need setpriv; then
		skip "$behaviour" "no $missing"
	else
		chmod 755 "$work"
		mkdir -p bin && cp "$PERFMON_LIBRARY" bin/ && rm -rf "$records" && mkdir -m 777 "$records"
		as=
		[ "$(id -u)" -ne 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
		# shellcheck disable=SC2086
		PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$work/bin/libperfmon.so \
			$as sh -c '"$1" --version >/dev/null; "$1" --version; echo $?; exit 7' x "$suid" >with 2>with.err
		status=$?
		# shellcheck disable=SC2086
		$as sh -c '"$1" --version >/dev/null; "$1" --version; echo $?; exit 7' x "$suid" >bare 2>bare.err
		bare=$?
		same_now $status "$suid"
		holds "are known by their parent's wait" "$(field exitcode record=reaped)" "0
0"
		holds "by a shell that setpriv made another user's" "$(field end_reason record=end exitcode=7)" exit
		holds "and write nothing themselves" "$(field pid record=start "exename=${suid##*/}")" ""
	fi

	behaviour "OOM kill"
	group=$(make_group)
	if [ -z "$group" ]; then
		skip "$behaviour" "no control group for memory can be made here"
	else
		set -- sh -c 'sh -c "echo \$\$ >$1/cgroup.procs; exec $2 eat"; exit $?' x "$group" "$endings"
		same "$@"
		holds "ended by SIGKILL" "$bare $(field exitsignal record=reaped)" "137 9"
		holds "its start is there" "$(field args record=start exename=peers_endings)" eat
		job "$@" >with 2>with.err
		holds "in the database" "$(query "SELECT end_reason, exitsignal, cpu_time > 0 FROM process
			WHERE exename = 'peers_endings'")" "signal|9|1"
		rmdir "$group"
	fi
done
peers_done
