# shellcheck shell=sh
# Sourced by coexist-*.t behind lib.sh: the collector beside what else lives in a process.
#
#   alike NAME COMMAND...     runs the command bare and recorded in $layout; what it prints, says and
#                             returns must be equal, but for process ids and addresses; the recorded
#                             output is in with.out and with.err, the bare one in bare.*; with
#                             keep_bare=yes a command that ran bare once does not so again
#   compare NAME STATUS       the same for what already ran, recorded, with this status; $bare is the
#                             other one
#   ended NAME EXENAME STATUS an image of this program ended with this status, and every line is
#                             whole
#   processes NAME            no thread of the program is taken for a process that was waited for
#   object NAME               prints where this shared object is installed; 1 where it is not
#
# $everything is the program that is run most.

# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

everything=$abs_top_builddir/tests/progs/everything

# Process ids, addresses and numbers of samples are others in each run; memory of threads is a
# little larger with the collector; how DRD groups what it suppresses depends on the addresses.
mask()
{
	sed '/total heap usage/d; s/(suppressed: .*)/(suppressed)/; s/0x[0-9a-f]*/ADDRESS/g; s/\(bare\|with\)\.\(out\|err\)$/FILE/; s/argument@entry=//g; s/==[0-9]*==/==PID==/g; s/[0-9.]* MB.*samples)/SAMPLES/
		s/\(process\|pid\|Thread ADDRESS\|LWP\)\([ =]\)[0-9]*/\1\2PID/g
		s/^Thread [0-9]* /Thread N /' "$1" >"$1.masked"
}

compare()
{
	is "$2" "$bare" "$layout: $1: status"
	for stream in out err; do
		mask "bare.$stream"
		mask "with.$stream"
	done
	if cmp -s bare.out.masked with.out.masked && cmp -s bare.err.masked with.err.masked; then
		ok 0 "$layout: $1: output and messages"
	else
		ok 1 "$layout: $1: output and messages"
		diag "$(diff bare.out.masked with.out.masked; diff bare.err.masked with.err.masked)"
	fi
}

alike()
{
	alike_name=$1
	shift
	alike_key=$(echo "$*" | cksum | tr -d ' ')
	if [ "${keep_bare-no}" = yes ] && [ -e "bare.$alike_key" ]; then
		cp "bare.$alike_key.out" bare.out && cp "bare.$alike_key.err" bare.err
		bare=$(cat "bare.$alike_key")
	else
		"$@" >bare.out 2>bare.err
		bare=$?
		cp bare.out "bare.$alike_key.out" && cp bare.err "bare.$alike_key.err"
		echo $bare >"bare.$alike_key"
	fi
	collect "$layout" "$@" >with.out 2>with.err
	compare "$alike_name" $?
}

ended()
{
	is "$(field exitcode record=end "exename=$2" end_reason=exit | sort -u | grep -c -x "$3") $(
		table | grep -c DAMAGED)" "1 0" "$layout: $1: its record"
}

processes()
{
	field pid record=reaped | sort -u >waited
	table | sed -n 's/.*\trecord=thread\t.*\tpid=\([0-9]*\)\t.*\ttid=\([0-9]*\)\t.*/\1 \2/p' |
		awk '$1 != $2 { print $2 }' | sort -u >threads
	test -s waited && test -s threads
	ok $? "$layout: $1: processes and threads are recorded"
	is "$(comm -12 waited threads)" "" "$layout: $1: and no thread is taken for a process"
}

object()
{
	for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /usr/libexec; do
		for below in . faketime libfakeroot coreutils; do
			[ -e "$folder/$below/$1" ] || continue
			echo "$folder/$below/$1"
			return 0
		done
	done
	return 1
}
