#!/bin/sh
# At the limits of the system, and where nothing can be written, a program runs as without recording.
# shellcheck disable=SC2154,SC2016,SC2034 # set by lib.sh, used by peers.sh; inner shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/peers.sh
. "$abs_top_srcdir/tests/e2e/peers.sh"

limits=$abs_top_builddir/tests/progs/peers_limits
depart=$abs_top_builddir/tests/progs/depart

shell=$(basename "$(readlink -f /bin/sh)")
user=
[ "$(id -u)" -eq 0 ] || user=-r
printf '5\n6\n7\n' >seven

# The image that `arguments` becomes has its arguments, or what stands for them.
cut_and_marked()
{
	args=$(field args record=start exename=peers_limits | tail -n 1)
	holds "$1: cut, with length and digest" "${args##*\\+}" "$(tail -n 1 with)"
	holds "$1: both images are recorded" "$(field end_reason record=end exename=peers_limits | tr '\n' ' ')" \
		"exec exit "
}

# A 32-bit program, and an installation that has something for it.
empty=$abs_top_builddir/libperfmon32.so
libtree=$abs_top_srcdir/libperfmon/libtree.sh
interpreter=/lib/ld-linux.so.2
printf '.globl _start\n_start: movl $1, %%eax\nmovl $6, %%ebx\nint $0x80\n' >program32.s
if [ -e "$empty" ] && [ -e $interpreter ] && as --32 -o program32.o program32.s &&
	ld -m elf_i386 -pie -dynamic-linker $interpreter -o program32 program32.o && ./program32
	[ $? -eq 6 ]
then
	mkdir installed && cp "$PERFMON_LIBRARY" installed
	sh "$libtree" "$work/installed" "$(sed -n 's/^PM_LIB = //p' "$abs_top_builddir/Makefile")" "$empty"
fi

for layout in $layouts; do
	behaviour "32-bit programs start without a word"
	if [ -d installed ]; then
		PERFMON_LIBRARY=$work/installed/libperfmon.so job sh -c './program32; exit $?' >with 2>with.err
		holds "they run" "$?:$(cat with with.err)" "6:"
		holds "and have a row" "$(query "SELECT exitcode, last_call FROM process WHERE depth > 0")" \
			"6|execve foreign"
	else
		skip "$behaviour" "no 32-bit programs here, or nothing for them"
	fi

	behaviour "arguments above 128 KiB"
	same "$limits" arguments 20000 10
	cut_and_marked "20 000 arguments"
	same "$limits" arguments 15 131000
	cut_and_marked "2 MB"
	same "$limits" arguments 1 131071
	cut_and_marked "the longest one there can be"

	behaviour "a stack limit of 512 kB and of 128 kB"
	for size in 512 128; do
		same sh -c 'ulimit -s "$1" && exec "$2" stack' x $size "$limits"
		holds "$size kB: recorded, with its threads" "$(field numtids record=end exename=peers_limits)" 5
		# The environment lies on the stack, too: what the test was started with is left out.
		same sh -c '
			for name in $(env | sed -n "s/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p"); do
				case $name in
				LD_PRELOAD | PERFMON_* | PATH | PWD) ;;
				*) unset "$name" ;;
				esac
			done
			ulimit -s "$1" && exec "$2" arguments 1000 100' x $size "$limits"
		cut_and_marked "$size kB, most of them arguments"
	done

	behaviour "RLIMIT_FSIZE gives no SIGXFSZ"
	same "$limits" file
	holds "no signal but the program's own" "$(grep -c '^signals of children: 0$' with)" 1
	test "$(table | grep -c DAMAGED)" -le 1
	fails "nothing is cut but the line at the limit" $?
	holds "and is there up to the limit" "$(field args record=start | head -n 1)" file

	behaviour "vfork stays vfork"
	same "$limits" vfork
	holds "the child's memory is the parent's" "$(grep -c '^shared \([234]\), local \1,' with)" 3
	known
	if need strace && strace -o trace true 2>/dev/null; then
		strace -f -o trace "$limits" vfork >/dev/null 2>&1
		made() { grep -o '\(vfork\|fork\|clone\|clone3\)(.*' trace | sed 's/child_stack=[^,]*//; s/).*//'; }
		made >want
		collect "$layout" strace -f -o trace -E LD_PRELOAD="$PERFMON_LIBRARY" "$limits" vfork \
			>/dev/null 2>&1
		holds "the system calls that make children" "$(made | diff want -)" ""
	else
		skip "$behaviour: the system calls that make children" "strace is not there or may not trace"
	fi

	behaviour "nothing is written to standard error"
	mkdir -p unwritable && chmod 555 unwritable
	for setting in PERFMON_OUTPUT=/nonexistent PERFMON_OUTPUT=relative PERFMON_OUTPUT= \
		PERFMON_OUTPUT=/dev/null "PERFMON_OUTPUT=$PERFMON" "PERFMON_OUTPUT=/proc/self" \
		"PERFMON_OUTPUT=$work/unwritable" "PERFMON_OUTPUT=/$(printf %05000d 0)" \
		PERFMON_OPTIONS=nonsense,,PER PERFMON_ARGS=nonsense PERFMON_ARGS_MAX=-3x PERFMON_HOST=: \
		PERFMON_TAGS=';;:;' PERFMON_JOBID= PERFMON_EXE=/; do
		collect "$layout" env "$setting" sh -c '/bin/echo fine; exit 8' >with 2>with.err
		holds "${setting%%0000*}" "$?:$(cat with with.err)" "8:fine"
	done
	same sh -c 'exec 2>&-; "$1" stack; exec "$1" vfork' x "$limits"

	behaviour "a chroot gets no directories"
	mkdir -p root
	same "$depart" unshare=user chroot="$work/root" work=50 fork=7 exit=3
	if [ "$bare" -eq 77 ]; then
		skip "$behaviour: it stays empty" "no user namespaces here"
	else
		holds "it stays empty" "$bare $(find root)" "3 root"
	fi

	behaviour "a full disk"
	rm -rf "$records" && mkdir -p "$records" full
	# shellcheck disable=SC2086
	unshare $user -m sh -c 'mount -t tmpfs -o size=128k none full' 2>/dev/null || {
		skip "$behaviour" "no file system can be mounted here"
		continue
	}
	PERFMON_OPTIONS=$layout unshare $user -m sh -c '
		mount -t tmpfs -o size=128k none full || exit
		export PERFMON_OUTPUT=$PWD/full LD_PRELOAD=$PERFMON_LIBRARY
		sh -c "exit 3"
		head -c 64k /dev/zero >full/filler
		i=0
		while [ $i -lt 100 ]; do
			sh -c "/bin/echo $i; exit 4" || i=$((i + 1))
		done
		df -k full | tail -n 1 | tr -s " " | cut -d " " -f 4 >"$1/free"
		rm full/filler
		for i in 5 6 7; do sh -c "/bin/echo $i; exit $i"; done
		unset LD_PRELOAD
		cp full/*.tsv "$1"' x "$records" >with 2>with.err
	holds "the programs run on" "$(cksum <with; cat with.err)" "$(seq 0 99 | cat - seven | cksum)"
	holds "the disk was full" "$(cat "$records/free")" 0
	holds "what was written before and after is there" \
		"$(field exitcode record=end exename="$shell" | grep -v 4 |
			sort | tr '\n' ' ')" "3 5 6 7 "
	rm -f peers.db
	PERFMON_DB=$work/peers.db "$PERFMON" submit "$records" >out 2>&1
	# A cut line at the end of a file may still be growing: it is not rejected.
	holds "and a cut line harms no other" "$(query "SELECT count(*) <= $(table | grep -c DAMAGED)
		FROM reject"; query "SELECT DISTINCT exitcode FROM process WHERE exename = '$shell'
		AND exitcode NOT IN (4, 0) ORDER BY 1")" "1
3
5
6
7"
done
peers_done
