#!/bin/sh
# Programs that go where nothing can be recorded: they run on as without the collector, what was known
# before is kept, and one that comes back has the row it would have had.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

depart=$abs_top_builddir/tests/progs/depart
mkdir root
other=65534
[ "$(id -u)" -ne $other ] || other=65533
# Others than the owner find no way into $work.
chmod 755 "$work"

if ! need sqlite3; then
	skip "programs that depart" "no $missing"
	done_testing
fi

# record COMMAND...: collect it, in $layout.
record()
{
	rm -f "$work/db"
	collect "$layout" "$@"
}

# row COLUMNS WHERE: of the job recorded last.
row()
{
	[ -e "$work/db" ] || PERFMON_DB=$work/db "$PERFMON" submit "$records" >out 2>&1
	sqlite3 "$work/db" "SELECT $1 FROM process WHERE $2"
}

# departs CALL END STEP...: what the row says of its end is CALL|END, with and without a parent that
# waits. Status and output are those of a run without the collector.
departs()
{
	want=$1
	end=$2
	shift 2
	"$depart" "$@" >bare 2>&1
	status=$?
	if [ $status -eq 77 ]; then
		skip "$layout: $*" "$(cat bare)"
		return
	fi
	record sh -c '"$@"; exit $?' sh "$depart" "$@" >with 2>&1
	is "$?" "$status" "$layout: $*: status"
	cmp -s bare with
	ok $? "$layout: $*: output"
	is "$(table | grep -c DAMAGED)" 0 "$layout: $*: records are whole"
	is "$(row "coalesce(last_call, '-'), end_reason, coalesce(exitcode, exitsignal), exename,
		usertime + systemtime >= 0, rssmax > 500, duration_us > 0, rchar > 0, numtids" \
		"exename = 'depart' AND generation = (SELECT max(generation) FROM process p
		WHERE p.pid = process.pid)")" \
		"$want|$end|depart|1|1|1|1|1" "$layout: $*: its row"
	is "$(row "count(*)" "1 GROUP BY job_id")" 2 "$layout: $*: no other row but the shell's"
}

for layout in $layouts; do
	departs - 'exit|3' exit=3
	departs chroot 'exit|3' chroot="$work/root" work=4000 exit=3
	departs chroot 'signal|9' chroot="$work/root" work=100 raise=9
	departs chroot 'exit|3' raw chroot="$work/root" _exit=3
	departs unshare 'exit|3' unshare=user chroot="$work/root" exit=3
	departs setuid 'exit|4' setuid=$other work=100 exit=4
	departs setuid 'exit|4' raw setuid=$other exit=4
	departs setuid 'exit|4' setreuid=$other exit=4
	departs setuid 'exit|4' setresuid=$other exit=4
	departs setuid 'exit|4' raw setresuid=$other exit=4
	departs setuid 'exit|4' seteuid=$other exit=4
	departs setuid 'exit|4' setfsuid=$other exit=4
	# As xz does since 5.6.
	departs landlock 'exit|3' landlock work=4000 exit=3
	departs landlock 'signal|9' landlock work=100 raise=9
	departs seccomp 'exit|5' filter _exit=5
	departs seccomp 'exit|5' raw filter exit=5
	departs seccomp 'exit|5' deny work=100 exit=5
	departs seccomp 'signal|31' deny chroot="$work/root" execve
	departs seccomp 'signal|9' strict _exit=5

	# They come back, or were never gone: the row is the one of a run without the call.
	rows="coalesce(last_call, '-'), end_reason, exitcode, numtids, num_threads, rchar, wchar, syscr,
		syscw, path, args = '', end_us > start_us, duration_us > 0"
	record "$depart" work=100 threads=2 fork=7 exit=4
	row "$rows" "exename = 'depart' ORDER BY id" | sed 's/|0|1|1$/|1|1/' >want
	is "$(grep -c . want)" 2 "$layout: a run without departure has the rows of parent and child"
	for call in chroot=/ "raw chroot=/" "unshare=mount" "unshare=user" "unshare=net" \
		"setns=/proc/self/ns/mnt" "seteuid=$other seteuid=0" "setreuid=$other setreuid=0" \
		"chroot=/nowhere refused" "setns=/proc/self/cwd refused" "setuid=0"; do
		# shellcheck disable=SC2086
		record "$depart" $call work=100 threads=2 fork=7 exit=4 2>bare
		if [ $? -eq 77 ]; then
			skip "$layout: $call: the row" "$(cat bare)"
			continue
		fi
		# What might lead out of reach has last words before it, and nothing else has.
		case $call in
		*chroot=*) want=chroot ;;
		unshare=net | setuid=0) want= ;;
		set*uid=*) want=setuid ;;
		*) want=${call%%=*} ;;
		esac
		is "$(grep -ho "	chroot	\|	unshare	\|	setns	\|	setuid	" "$records"/*.tsv | uniq | tr -d '\t\n')" \
			"$want" "$layout: $call: its last words"
		row "$rows" "exename = 'depart' ORDER BY id" | sed 's/|0|1|1$/|1|1/' >got
		cmp -s want got
		ok $? "$layout: $call: the row is the one without it"
		cmp -s want got || diag "$(diff want got)"
	done

	# Last words are few, however often a program changes its user.
	# shellcheck disable=SC2046
	if record "$depart" $(yes "seteuid=$other seteuid=0" | head -200) exit=0 2>bare; then
		test "$(field pid record=last | grep -c .)" -le 5
		ok $? "$layout: changing the user 200 times leaves few lines"
	else
		skip "$layout: changing the user 200 times leaves few lines" "$(cat bare)"
	fi

	# A directory of the same name in the new root is not the job's.
	mkdir -p "root$records"
	if record "$depart" chroot="$work/root" fork=3 exit=0 2>bare; then
		is "$(find root -type f)" "" "$layout: nothing is written into a new root"
	else
		skip "$layout: nothing is written into a new root" "$(cat bare)"
	fi
done

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	for layout in $layouts; do
		# shellcheck disable=SC2016 # for the inner shells
		record sh -c 'unshare -m sh -c "$2" sh "$1"; exit $?' sh "$work" \
			'mount -t tmpfs none "$1"; /bin/true; exit 6' 2>err
		is "$?:$(cat err)" "6:" "$layout: a container without the output: status"
		is "$(table | grep -c DAMAGED)" 0 "$layout: a container without the output: records are whole"
		is "$(row "end_reason, numtids IS NULL" "exitcode = 6 AND generation > 0")" "exit|1" \
			"$layout: a container without the output: its start and its parent's wait"
	done
else
	skip "a container without the output" "not root, or no namespaces"
fi
done_testing
