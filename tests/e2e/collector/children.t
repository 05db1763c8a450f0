#!/bin/sh
# Children that cannot write records themselves, or that live elsewhere: each is a row below its
# parent, with its status and the CPU time that the kernel charged to it.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"
# shellcheck source=tests/e2e/loaded.sh
. "$abs_top_srcdir/tests/e2e/loaded.sh"

if ! need sqlite3 unshare; then
	skip "children of every kind" "no $missing"
	done_testing
fi
children=$abs_top_builddir/tests/progs/children
sh=$(basename "$(readlink -f /bin/sh)")
root=no
[ "$(id -u)" -ne 0 ] || root=yes

# record COMMAND...: run it recorded and load what it left. Status and output in $status and out.
record()
{
	collect "$layout" "$@" >out 2>err
	status=$?
	is "$(table | grep -c DAMAGED)" 0 "$name: records are whole"
	load
	ok $? "$name: they load"
}

# charged WHERE MS: the one process told by its parent's wait alone has what the wait says, and at
# least so many milliseconds.
charged()
{
	is "$(query "SELECT count(*), min(cpu_time) >= $2 * 1000 FROM process WHERE $1")" "1 1" \
		"$name: one row with its CPU time"
	pid=$(query "SELECT pid FROM process WHERE $1")
	is "$(query "SELECT cpu_time FROM process WHERE $1")" \
		"$(($(field usertime record=reaped "pid=$pid") + $(field systemtime record=reaped "pid=$pid")))" \
		"$name: that the kernel charged"
}

# unseen PROGRAM MS CODE CALL: a shell starts a program that writes nothing itself, and waits for it; why is in
# its last_call.
unseen()
{
	# The inner shell expands.
	# shellcheck disable=SC2016
	record sh -c '"$1" spin "$2"; exit $?' x "$1" "$2"
	is "$status:$(cat err)" "$3:" "$name: its status, and no message"
	is "$(rows "end_reason <> 'exec'")" "0 $sh e $3
1 ${1##*/} e $3" "$name: below its parent, by its name"
	charged "last_call = '$4'" "$2"
}

# The same program, with everything it needs inside, if the C library is there for that.
cc=$(command -v cc || command -v gcc)
"${cc:-false}" -O1 -w -static -o static "$abs_top_srcdir/tests/progs/children.c" -lpthread 2>cc.err ||
	rm -f static
# One that belongs to another user and runs as that one.
if [ $root = yes ]; then
	chmod 755 "$work"
	cp "$children" setuid && chown 65534 setuid && chmod 4755 setuid
fi
# Programs for the 32-bit instruction set: 2 million rounds of nothing, then exit(6).
cat >spin32.s <<'END'
	.globl _start
_start:	movl $50000000, %ecx
1:	loop 1b
	movl $1, %eax
	movl $6, %ebx
	int $0x80
END
as --32 -o spin32.o spin32.s 2>as.err && ld -m elf_i386 -o spin32 spin32.o 2>>as.err && ./spin32 2>>as.err
[ $? -eq 6 ] || rm -f spin32

for layout in $layouts; do
	name="$layout: an empty environment"
	# shellcheck disable=SC2016
	record sh -c 'env -i "$1" spin 20; exit $?' x "$children"
	is "$status" 3 "$name: its status"
	is "$(rows "end_reason <> 'exec'")" "0 $sh e 3
1 children e 3" "$name: below its parent"
	# The program spins until its process has used 20 ms, those of its images before it included.
	is "$(query "SELECT sum(cpu_time + coalesce(own_cpu_us, 0)) >= 19000 AND min(cpu_time) > 0 FROM process WHERE pid =
		(SELECT pid FROM process WHERE last_call = 'execve' AND generation > 0)")" 1 \
		"$name: with its CPU time, behind the program that emptied it"

	name="$layout: a static program"
	if [ -x static ]; then
		unseen "$work/static" 20 3 "execve static"
		name="$layout: a static program by posix_spawn"
		record "$children" spawn "$work/static" 20
		is "$status:$(head -n 1 out)" "0:3" "$name: its status"
		is "$(rows 1)" "0 children e 0
1 static e 3" "$name: below its parent"
		charged "last_call = 'execve static'" 20
	else
		skip "$name" "no static C library"
	fi

	name="$layout: a static program whose children are not"
	if [ -x static ]; then
		# shellcheck disable=SC2016
		record sh -c '"$1" system "$2 spin 20; $2 spin 10; exit 9"; exit $?' x "$work/static" "$children"
		is "$status:$(head -n 1 out)" "0:2304" "$name: its status"
		is "$(rows "end_reason <> 'exec'")" "0 $sh e 0
1 static e 0
2 $sh e 9
3 children e 3
3 children e 3" "$name: it is between its parent and its children"
		is "$(query 'SELECT cpu_time < 20000, inclusive_cpu_time >= 28000 FROM process WHERE last_call IS NOT NULL')" \
			"1 1" "$name: what they used is not its own"
	else
		skip "$name" "no static C library"
	fi

	name="$layout: a set-user-ID program"
	if [ $root = no ]; then
		skip "$name" "not root"
	elif findmnt -n -o OPTIONS -T "$work" 2>/dev/null | grep -qw nosuid; then
		skip "$name" "mounted without set-user-ID"
	else
		unseen "$work/setuid" 20 3 "execve set-uid"
	fi

	name="$layout: a program of another word size"
	if [ -x spin32 ]; then
		record sh -c "./spin32; exit \$?"
		is "$status:$(cat err)" "6:" "$name: its status, and no message"
		is "$(rows "end_reason <> 'exec'")" "0 $sh e 6
1 spin32 e 6" "$name: below its parent"
		charged "last_call = 'execve foreign'" 1
	else
		skip "$name" "no 32-bit tools, or a kernel without it"
	fi

	name="$layout: SIGCHLD ignored"
	record "$children" ignored 7
	is "$status:$(head -n 1 out)" "0:-1" "$name: nobody waits"
	is "$(rows 'depth = 1' | sort)" "1 children e 7
1 children running" "$name: the child tells its end, one that is killed does not"
	is "$(query 'SELECT cpu_time + coalesce(own_cpu_us, 0) >= 20000 FROM process WHERE depth = 1 AND exitcode = 7')" 1 \
		"$name: and its CPU time"

	name="$layout: a child of a child in its own session"
	record "$children" twice 10
	read -r pid parent <out
	is "$(rows 1)" "0 children e 0
1 children e 5
2 children e 6" "$name: is below the one that made it"
	is "$(query "SELECT p.pid, q.pid, p.sid = q.pid FROM process p JOIN process q ON q.id = p.parent_id
		WHERE p.exitcode = 6")" "$pid $parent 1" "$name: in its session"

	# Each with a /proc of its own, and with that of the outer namespace.
	for how in "--pid --fork" "--pid --fork --mount-proc" "--mount" "--net" "--user --map-root-user" \
		"--ipc --uts"; do
		name="$layout: unshare $how"
		# shellcheck disable=SC2086
		if ! unshare $how true 2>/dev/null; then
			skip "$name" "not allowed here"
			continue
		fi
		# shellcheck disable=SC2086
		record unshare $how sh -c "$children spin 20; kill -9 \$\$"
		is "$(query "SELECT count(*) FROM process WHERE exename = 'children' AND exitcode = 3 AND
			cpu_time + coalesce(own_cpu_us, 0) >= 20000")" 1 "$name: the program"
		is "$(query "SELECT DISTINCT q.exename FROM process p JOIN process q ON q.id = p.parent_id
			WHERE p.exename = 'children'")" "$sh" "$name: below its shell"
		case $how in
		*--fork*)
			is "$(query "SELECT p.exitsignal, p.pid, q.exename FROM process p
				JOIN process q ON q.id = p.parent_id
				WHERE p.exename = '$sh' AND p.end_reason <> 'exec' AND p.pid = 1")" "- 1 unshare" \
				"$name: an init does not kill itself"
			is "$(query "SELECT count(*) FROM process p JOIN process q ON q.id = p.parent_id
				WHERE p.pid = 1 AND q.exename = 'unshare' AND q.pid_ns <> p.pid_ns
				AND p.exename = '$sh' AND p.exitcode = 0")" 1 \
				"$name: the init is below the one that waited for it outside"
			is "$(query 'SELECT count(*) FROM process WHERE exename IS NULL OR last_call IS NOT NULL')" 0 \
				"$name: and counts once"
			is "$(query "SELECT rchar > 0 FROM process WHERE exename = 'children'")" 1 \
				"$name: what was read is known"
			;;
		esac
	done

	name="$layout: an init that is killed"
	if unshare --pid --fork --kill-child true 2>/dev/null; then
		# unshare says something of its own when it passes the signal on.
		# shellcheck disable=SC2016
		record sh -c 'unshare --pid --fork sh -c "$1 spin 10; exec $1 spin 100000" 2>/dev/null &
			until pid=$(cat "/proc/$!/task/$!/children") && [ -n "$pid" ] &&
				grep -qs "	spin 100000	" "$PERFMON_OUTPUT"/*.tsv; do
				sleep 0.01
			done 2>/dev/null
			kill -9 $pid
			wait
			exit 0' x "$children" 2>/dev/null
		is "$(query "SELECT p.exename, p.exitsignal, q.exename FROM process p JOIN process q
			ON q.id = p.parent_id WHERE p.pid = 1 AND p.end_reason <> 'exec'")" \
			"children 9 unshare" "$name: how it ended is told from outside"
	else
		skip "$name" "no pid namespaces here"
	fi
done
done_testing
