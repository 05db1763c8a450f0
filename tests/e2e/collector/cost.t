#!/bin/sh
# What recording costs /bin/true: user instructions and system calls over bare, and over those what
# four counters cost. Both are counted, not timed.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

# As `perfmon run` starts a program.
mkdir -m 700 "$work/records"
PERFMON_OUTPUT=$work/records
PERFMON_JOBID=1
PERFMON_EXE=$PERFMON
PERFMON_HOST=$("$PERFMON" -q -a run env | sed -n 's/^PERFMON_HOST=//p')
export PERFMON_OUTPUT PERFMON_JOBID PERFMON_EXE PERFMON_HOST

# Taken from what the kernel keeps for every thread; and opened, two of four.
kept='1:0:0:0:0:6:cpu-clock 1:1:0:0:0:6:task-clock 1:1:0:0:0:2:clock 1:3:0:0:0:0:context-switches'
opened='1:1:0:0:0:6:task-clock 1:3:0:0:0:0:context-switches 1:4:0:0:0:0:cpu-migrations 1:2:0:0:0:6:page-faults'

# instructions LIBRARY [EVENTS]; arguments, those of /bin/true with $line; calls LIBRARY [EVENTS [OF WHICH]]
instructions()
{
	env LD_PRELOAD="$1" ${2:+"PERFMON_EVENTS=$2"} valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true 2>&1 |
		sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

arguments()
{
	# shellcheck disable=SC2086 # words
	env LD_PRELOAD="$PERFMON_LIBRARY" valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true $line 2>&1 |
		sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

calls()
{
	strace -c ${3:+-e "$3"} -o "$work/strace" -E LD_PRELOAD="$1" ${2:+-E "PERFMON_EVENTS=$2"} /bin/true
	awk '$NF == "total" { print $4 }' "$work/strace"
}

# The host as perfmon hands it on, without a render node (0) or with one (2).
gpus()
{
	echo "$PERFMON_HOST" | sed "s/^\([^:]*:[^:]*\):[0-9]/\1:$1/"
}

if need valgrind; then
	# The first process of a job writes the header, too.
	LD_PRELOAD=$PERFMON_LIBRARY /bin/true
	bare=$(instructions '')
	with=$(instructions "$PERFMON_LIBRARY")
	diag "instructions: bare $bare, recorded $with"
	test "${bare:-0}" -gt 50000 && test "$((with - bare))" -gt 10000
	ok $? "instructions were counted, and the collector was there"
	# The reference is gcc 12 with glibc 2.36; other compilers and loaders take up to a twentieth more.
	limit=52500
	case $(cc -dumpversion 2>/dev/null) in 12 | 12.*) limit=50000 ;; esac
	case " $(sed -n 's/^CFLAGS = //p' "$abs_top_builddir/Makefile") " in
	*" -O"[23s]" "*)
		test "$((with - bare))" -le $limit
		ok $? "/bin/true: at most $limit instructions over bare (+$((with - bare)))"
		;;
	*) skip "/bin/true: at most $limit instructions over bare" "not compiled with -O2" ;;
	esac
	# Where there is a render node of a GPU, and no client: whichever this machine has.
	own=$PERFMON_HOST
	PERFMON_HOST=$(gpus 0)
	without=$(instructions "$PERFMON_LIBRARY")
	PERFMON_HOST=$(gpus 2)
	gpus=$(instructions "$PERFMON_LIBRARY")
	PERFMON_HOST=$own
	test "$((gpus - without))" -gt 500
	ok $? "a render node: libraries are looked at"
	test "$((gpus - without))" -le 4000
	ok $? "at most 4 000 instructions (+$((gpus - without)))"
	counted=$(instructions "$PERFMON_LIBRARY" "$opened")
	test "$((counted - with))" -gt 3000
	ok $? "they are more with counters"
	test "$((counted - with))" -le 10000
	ok $? "at most 10 000 with four counters (+$((counted - with)))"
	# A compiler's command line, of which nothing is a secret: looking for one costs little.
	line='-std=gnu11 -DHAVE_CONFIG_H -I. -I../../include -I/usr/include/libdrm -Wall -Wextra -O2 -g
		-MT common/foo.o -MD -MP -MF common/.deps/foo.Tpo -c -o common/foo.o ../../common/foo.c'
	full=$(PERFMON_ARGS=full arguments)
	redacted=$(arguments)
	diag "instructions with 19 arguments: $full in full, $redacted redacted"
	test "$((redacted - full))" -gt 5000
	ok $? "secrets are looked for unless PERFMON_ARGS says otherwise"
	test "$((redacted - full))" -le 50000
	ok $? "at most 50 000 in 19 arguments of a compiler (+$((redacted - full)))"
else
	skip "instructions of /bin/true" "no $missing"
fi
if need strace && strace -o /dev/null true 2>/dev/null; then
	bare=$(calls '')
	with=$(calls "$PERFMON_LIBRARY")
	diag "system calls: bare $bare, recorded $with"
	test "${bare:-0}" -gt 10 && test "$((with - bare))" -gt 10
	ok $? "system calls were counted, and the collector was there"
	# What the loader does for the library is among them; others than glibc 2.36's do up to three calls more.
	limit=48
	case $(getconf GNU_LIBC_VERSION 2>/dev/null) in *" 2.36") limit=45 ;; esac
	test "$((with - bare))" -le $limit
	ok $? "/bin/true: at most $limit system calls over bare (+$((with - bare)))"
	own=$PERFMON_HOST
	PERFMON_HOST=$(gpus 0)
	without=$(system_calls -E LD_PRELOAD="$PERFMON_LIBRARY" /bin/true)
	PERFMON_HOST=$(gpus 2)
	is "$(system_calls -E LD_PRELOAD="$PERFMON_LIBRARY" /bin/true)" "$without" "a render node: not one more without a client"
	PERFMON_HOST=$own
	# Which files are read depends on how long it lives, and it lives longer. Two calls are for a
	# low limit of descriptors.
	files='trace=!openat,read,close'
	with=$(calls "$PERFMON_LIBRARY" '' "$files")
	counted=$(calls "$PERFMON_LIBRARY" "$kept" "$files")
	test "$((counted - with))" -gt 3
	ok $? "they are more with counters"
	test "$((counted - with))" -le 6
	ok $? "at most 6 with four counters that the kernel keeps anyway (+$((counted - with)))"
	counted=$(calls "$PERFMON_LIBRARY" "$opened" "$files")
	test "$((counted - with))" -le 22
	ok $? "at most 22, and 3 of files, with four of which two are opened (+$((counted - with)))"
else
	skip "system calls of /bin/true" "strace is not there or may not trace"
fi

# Rows for threads that never come are no memory of the program.
LD_PRELOAD=$PERFMON_LIBRARY /bin/true
LD_PRELOAD=$PERFMON_LIBRARY PERFMON_EVENTS=$opened /bin/true
peaks=$(awk -F '\t' '
	/^perfmon-tsv-2\t/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "end" { print $at["vmpeak"] }' "$work"/records/*.tsv | tail -n 2 | tr '\n' ' ')
diag "VmPeak without and with counters, kB: $peaks"
test "$((${peaks#* } - ${peaks%% *}))" -le 64
ok $? "/bin/true: four counters map at most 64 kB more"
done_testing
