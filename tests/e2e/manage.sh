# shellcheck shell=sh
# shellcheck disable=SC2154 # set by lib.sh
# Sourced by tests of the verbs that care for databases, behind lib.sh.
#
#   rows DB [TABLE...]     every row of it as text: tests/e2e/db-rows.py
#   perfmon DB ARG...      run with that database; output in out and err, "STATUS|ERRORS" printed
#   terminal TEXT ARG...   run the program at a terminal of its own, TEXT typed there; all it shows is
#                          printed, its status is that of terminal
#   same FILE DB NAME      passed when rows DB is FILE
#   killed N TEXT DB ARG...
#                          N times: a copy of DB, the command killed with SIGKILL ever later; passed
#                          when the copy's tables are each time as before or as the command makes them,
#                          and the command, run again, makes them so; $between may have digests of
#                          what may be seen on the way
#   full KB SCRIPT         run a shell script in a file system of its own at $work/full with so much
#                          room; 1 where that cannot be had

rows()
{
	python3 "$abs_top_srcdir/tests/e2e/db-rows.py" "$@"
}

perfmon()
{
	name=$1
	shift
	PERFMON_DB=$work/$name "$PERFMON" "$@" >"$work/out" 2>"$work/err" </dev/null
	echo "$?|$(cat "$work/err")"
}

terminal()
{
	python3 - "$@" <<-'EOT'
	import os, pty, sys
	pid, fd = pty.fork()
	if pid == 0:
	    os.execvp(sys.argv[2], sys.argv[2:])
	os.write(fd, sys.argv[1].encode() + b"\n")
	shown = b""
	while True:
	    try:
	        part = os.read(fd, 4096)
	    except OSError:
	        break
	    if not part:
	        break
	    shown += part
	print(shown.decode().replace("\r", ""))
	sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	EOT
}

same()
{
	rows "$2" >got.rows
	cmp -s "$1" got.rows
	ok $? "$3"
	cmp -s "$1" got.rows || diag "$(diff "$1" got.rows | cut -c1-200 | head -6)"
}

# What a database says, in short.
digest() { sqlite3 "$1" '.sha3sum' 2>&1; }

killed()
{
	n=$1 text=$2 db=$3
	shift 3
	bad='' early=0 i=0
	before=$(digest "$db")
	cp "$db" k.db
	PERFMON_DB=$work/k.db "$PERFMON" "$@" >/dev/null 2>&1 </dev/null
	after=$(digest k.db)
	[ "$before" != "$after" ] || bad=nothing
	while [ $i -lt "$n" ]; do
		rm -f k.db k.db-wal k.db-shm
		cp "$db" k.db
		PERFMON_DB=$work/k.db "$PERFMON" "$@" >/dev/null 2>&1 </dev/null &
		sleep "0.$(printf %03d $((i * 4)))"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null || early=$((early + 1))
		case $(digest k.db) in
		"$before" | "$after") ;;
		*)
			case " ${between-} " in
			*" $(digest k.db) "*) ;;
			*) bad="$bad $i:between" ;;
			esac
			;;
		esac
		PERFMON_DB=$work/k.db "$PERFMON" "$@" >/dev/null 2>&1 </dev/null
		[ "$(digest k.db)" = "$after" ] || bad="$bad $i:unfinished"
		i=$((i + 1))
	done
	rm -f k.db k.db-wal k.db-shm
	is "$bad" "" "$text, killed $early times of $n: nothing is left half done, and the next does it"
}

full()
{
	[ "$(id -u)" -eq 0 ] && need unshare mount && mkdir -p "$work/full" || return 1
	export PERFMON work
	# shellcheck disable=SC2016 # expanded there
	unshare --mount sh -c 'mount -t tmpfs -o "size=$1k" tmpfs "$2" && shift 2 && eval "$1"' sh \
		"$1" "$work/full" "$2"
}
