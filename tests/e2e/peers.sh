# shellcheck shell=sh
# Sourced by peers-*.t behind lib.sh: what collectors of this kind are known to break in programs,
# to lose, or to leave to be asked for. Each line of the tables below is a behaviour with a test of
# its own; the test's names begin with it, and peers_done fails where one of its lines had none.
#
#   behaviour TEXT      the tests that follow are of this line of the table
#   same COMMAND...     runs it bare and recorded in $layout: status, output and messages must be
#                       equal, but for lines that begin with "# "; the recorded output is in `with`
#   holds NAME GOT WANT a test of the behaviour
#   fails NAME STATUS   the same, passed when STATUS is 0
#   known               what the records say of every process must be what the lines of `with` say:
#                       "# PID exit N", "# PID reaped N" (known by its parent alone),
#                       "# PID signal N"; and of its end and start "# PID holds COLUMN LOWEST
#                       HIGHEST", "# PID starts COLUMN LOWEST HIGHEST"
#   threads_known       the same of all threads, by "# PID thread TID NAME" and "# PID bounds ..."
#   job COMMAND...      runs it as a user does, by `perfmon run` in $layout, and loads it by `perfmon
#                       submit`; returns the command's status
#   query SQL           asks the database of that job (database.sh)
#   peers_done          the last line of a test

# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
query_default "$work/peers.db"

behaviours()
{
	cat <<'END'
breaks  peers-signals   SA_RESTART is not forced
breaks  peers-signals   SA_ONSTACK and SA_RESETHAND are kept
breaks  peers-signals   SIG_IGN stays and is inherited
breaks  peers-signals   a child that ignores SIGHUP survives it
breaks  peers-signals   ignoring SIGCHLD leaves no zombies
breaks  peers-signals   no signal handler is installed
breaks  peers-signals   SIGTERM ends a process whose threads are in malloc
loses   peers-signals   the number of the signal
breaks  peers-limits    arguments above 128 KiB
breaks  peers-limits    a stack limit of 512 kB and of 128 kB
breaks  peers-limits    RLIMIT_FSIZE gives no SIGXFSZ
breaks  peers-limits    vfork stays vfork
breaks  peers-limits    nothing is written to standard error
breaks  peers-limits    32-bit programs start without a word
breaks  peers-limits    a chroot gets no directories
loses   peers-limits    a full disk
loses   peers-records   argument boundaries
loses   peers-records   columns of /proc/self/stat
asked   peers-records   _exit: every worker of Python's multiprocessing
further peers-records   C++ threads
further peers-records   OpenMP
loses   peers-endings   SIGKILL
loses   peers-endings   err, error, daemon and quick_exit
loses   peers-endings   _Fork
loses   peers-endings   every image before an exec
loses   peers-endings   the process after a failed exec
loses   peers-endings   CPU time in exit handlers
loses   peers-endings   static programs
loses   peers-endings   set-user-ID programs
loses   peers-endings   programs under env -i
asked   peers-endings   what is unknown is not zero
further peers-endings   abort, assert, raw system calls, limits and faults
further peers-endings   set-user-ID, static, missing and no programs by exec
further peers-endings   OOM kill
breaks  peers-threads   threads go on when main leaves by pthread_exit
breaks  peers-threads   live threads do not delay the exit
loses   peers-threads   exit from another thread
loses   peers-threads   more than 3 500 threads at once
loses   peers-threads   thread ids and times in both layouts
further peers-threads   thousands of short threads
further peers-threads   threads created from 16 threads at once
further peers-threads   detached threads
further peers-threads   cancelled threads
further peers-threads   threads alive when main returns
further peers-threads   threads that end while main returns have one line each
further peers-threads   threads of an image that ends by exec
further peers-threads   threads around an exec that fails
further peers-threads   threads from constructors
further peers-threads   threads of dlopened libraries
END
}

# The same, tested elsewhere: the third part is in the names of that test.
elsewhere()
{
	cat <<'END'
loses   collector/clone     clone:clone and raw calls do what they do
further collector/clone     C11 threads:threads of C11 return what they do
loses   collector/depart    chroot:departs chroot 'exit|3' chroot=
loses   collector/depart    processes that change their user:departs setuid 'exit|4' setuid=
further collector/processes every member of the exec family:end records
further collector/processes a process that becomes a daemon:a daemon is recorded
further collector/inner     system, pclose and wordexp:a shell that is killed
further collector/children  SIGCHLD ignored:nobody waits
further collector/children  pid, mount, user and network namespaces:unshare $how
loses   collector/lost      what a full disk took is counted:on a full disk all lines are there or counted
breaks  collector/preload   a preload that is out of reach is dropped from an exec:is dropped
loses   collector/counters  a good counter beside an unknown one:and costs the others nothing
loses   collector/counters  counters of a program that closes all descriptors are unknown:its counters are unknown
further collector/fields    every column against the program's own reading:every column of a single-threaded process
END
}

peers_test=$(basename "$0" .t)

behaviour()
{
	behaviour="$layout: $1"
	printf '%s\n' "$behaviour" >>"$work/behaviours"
}

holds()
{
	is "$2" "$3" "$behaviour: $1"
}

fails()
{
	ok "$2" "$behaviour: $1"
}

same()
{
	"$@" >"$work/bare" 2>"$work/bare.err"
	bare=$?
	collect "$layout" "$@" >"$work/with" 2>"$work/with.err"
	same_now $? "$1"
}

# same_now STATUS NAME: compares what bare.* and with.* hold.
same_now()
{
	sed -i '/^# /d' "$work/bare"
	sed '/^# /d' "$work/with" >"$work/with.out"
	difference=$(
		[ "$1" -eq "$bare" ] || echo "status $1, bare $bare"
		diff "$work/bare" "$work/with.out"
		diff "$work/bare.err" "$work/with.err"
	)
	holds "$(basename "$2") as without recording" "$(printf '%s' "$difference" | head -n 20)" ""
}

# What the records say of every process: "# PID exit N" by its own end record, "# PID reaped N" and
# "# PID signal N" by its parent's wait alone, "# PID unknown"; "value PID COLUMN VALUE" of its end.
endings()
{
	table | awk -F '\t' '
		{
			delete v
			for (i = 2; i < NF; i++) {
				at = index($i, "=")
				v[substr($i, 1, at - 1)] = substr($i, at + 1)
			}
			pid = v["pid"]
		}
		/^DAMAGED/ { print "# damaged line: " $0; next }
		v["record"] == "start" { seen[pid] = 1 }
		v["record"] == "end" && v["end_reason"] == "exit" { how[pid] = "exit " v["exitcode"] }
		v["record"] == "resumed" { delete how[pid] }
		v["record"] == "reaped" && "exitsignal" in v { how[pid] = "signal " v["exitsignal"] }
		v["record"] == "reaped" && !(pid in how) { how[pid] = "reaped " v["exitcode"] }
		v["record"] == "start" {
			for (name in v)
				print "start " pid " " name " " v[name]
		}
		v["record"] == "end" {
			for (name in v)
				print "value " pid " " name " " v[name]
			print "value " pid " usertime+systemtime " v["usertime"] + v["systemtime"]
		}
		END {
			for (pid in how)
				seen[pid] = 1
			for (pid in seen)
				print "# " pid " " (pid in how ? how[pid] : "unknown")
		}'
}

known()
{
	endings >"$work/known.all"
	grep '^# [0-9]* \(exit\|reaped\|signal\) ' "$work/with" | sort >"$work/known.want"
	grep '^#' "$work/known.all" | sort >"$work/known.got"
	count=$(grep -c . "$work/known.want")
	wrong=$(comm -23 "$work/known.want" "$work/known.got")
	[ "$count" -gt 0 ] || wrong="the program named no process"
	holds "all $count processes are recorded with their end" "$(printf '%s' "$wrong" | head -n 5)" ""
	grep '^# [0-9]* \(holds\|starts\) ' "$work/with" >"$work/known.bounds" || return 0
	wrong=$(awk '
		$1 == "value" { got["holds " $2 " " $3] = $4; next }
		$1 == "start" { got["starts " $2 " " $3] = $4; next }
		$3 == "holds" || $3 == "starts" {
			key = $3 " " $2 " " $4
			if (!(key in got) || got[key] + 0 < $5 + 0 || got[key] + 0 > $6 + 0)
				print key " is " got[key] ", not in [" $5 ", " $6 "]"
		}' "$work/known.all" "$work/known.bounds")
	holds "and $(grep -c . "$work/known.bounds") values of them" "$wrong" ""
}

# Thread lines as the program prints them.
thread_lines()
{
	table | awk -F '\t' '
		{
			delete v
			for (i = 2; i < NF; i++) {
				at = index($i, "=")
				v[substr($i, 1, at - 1)] = substr($i, at + 1)
			}
		}
		/^DAMAGED/ { print "# damaged line: " $0; next }
		v["record"] == "end" && v["numtids"] > 1 { many[v["pid"] " " v["image_us"]] = v["numtids"] }
		v["record"] != "thread" { next }
		{
			print "# " v["pid"] " thread " v["tid"] " " v["thread_name"]
			lines[v["pid"] " " v["image_us"]]++
			for (name in v)
				print "# " v["pid"] " value " v["tid"] " " name " " v[name] >>"'"$work"'/known.values"
			print "# " v["pid"] " value " v["tid"] " usertime+systemtime " \
				v["usertime"] + v["systemtime"] >>"'"$work"'/known.values"
		}
		END {
			for (image in many)
				if (many[image] != lines[image])
					print "# " image " numtids " many[image] " lines " lines[image]
		}'
}

threads_known()
{
	: >"$work/known.values"
	grep '^# [0-9]* thread ' "$work/with" | sort >"$work/known.want"
	thread_lines | sort >"$work/known.got"
	count=$(grep -c . "$work/known.want")
	wrong=$(diff "$work/known.want" "$work/known.got")
	[ "$count" -gt 0 ] || wrong="the program named no thread"
	holds "all $count threads have one line with tid and name, and are counted" \
		"$(printf '%s' "$wrong" | head -n 5)" ""
	grep '^# [0-9]* bounds ' "$work/with" >"$work/known.bounds" || return 0
	wrong=$(awk '
		$3 == "value" { got[$2 " " $4 " " $5] = $6; next }
		{
			key = $2 " " $4 " " $5
			if (!(key in got) || got[key] + 0 < $6 + 0 || got[key] + 0 > $7 + 0)
				print key " is " got[key] ", not in [" $6 ", " $7 "]"
		}' "$work/known.values" "$work/known.bounds")
	holds "and $(grep -c . "$work/known.bounds") values of their own" "$wrong" ""
}

job()
{
	rm -rf "$work/peers.db" "$work/prefix"/*
	PERFMON_OPTIONS=$layout "$PERFMON" -j peers -a run "$@"
	job_status=$?
	PERFMON_DB=$work/peers.db "$PERFMON" -j peers submit >"$work/submitted" 2>&1 ||
		diag "$(cat "$work/submitted")"
	return $job_status
}

peers_done()
{
	behaviours | sed -n "s/^[a-z]* *$peers_test  *//p" >"$work/lines"
	for layout in $layouts; do
		while read -r line; do
			printf '%s\n' "$layout: $line"
		done <"$work/lines"
	done | sort >"$work/want"
	sort -u "$work/behaviours" >"$work/got"
	is "$(diff "$work/want" "$work/got")" "" "every behaviour of the table was tested, in both layouts"
	done_testing
}
