#!/bin/sh
# Programs that root's job runs as another user have rows of their own, and that user can tell of
# nothing else: the record file that was made for it is no way into the job.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "$(id -u)" != 0 ] || ! need sqlite3 setpriv; then
	skip "programs of another user" "${missing:+no $missing}${missing:-not root}"
	done_testing
fi
other=65534 # nobody, who has a name
host=$(uname -n)
sh=$(basename "$(readlink -f /bin/sh)")
chmod 755 "$work" "$work/prefix"
cp "$PERFMON_LIBRARY" "$work" && PERFMON_LIBRARY=$work/libperfmon.so
chmod 755 "$PERFMON_LIBRARY"
if ! setpriv --reuid=$other --clear-groups test -r "$PERFMON_LIBRARY"; then
	skip "programs of another user" "another user cannot reach the working directory"
	done_testing
fi
job()
{
	set -- "$work"/prefix/root/*/job-"$host".json
	dirname "$1"
}
row() { sqlite3 "$work/db" "SELECT $1 FROM process WHERE $2" 2>&1; }
submit() { rm -f "$work/db" && PERFMON_DB=$work/db "$PERFMON" -q submit "$@"; }

# --- su, setpriv, runuser ---------------------------------------------------------------------------
for options in '' PER_PROCESS; do
	for tool in "su -m -s /bin/sh nobody -c" "runuser -m -s /bin/sh nobody -c" \
		"setpriv --reuid=$other --clear-groups sh -c"; do
		what="${tool%% *}${options:+ $options}"
		if ! need "${tool%% *}" || ! $tool true 2>/dev/null; then
			skip "$what" "does not work here"
			continue
		fi
		rm -rf "$work"/prefix/*
		PERFMON_OPTIONS=$options "$PERFMON" -a run $tool \
			'head -c 40000000 /dev/zero | tail -c 40000000 >/dev/null; exit 3'
		is $? 3 "$what: the status"
		is "$(stat -c '%a %u' "$(job)" "$(job)/.." "$(job)/$host-$other.tsv" | tr '\n' ' ')" \
			"711 0 711 0 600 $other " "$what: the user's file is in a directory to pass through"
		submit "$(job)"
		is "$?:$(row "exename, uid, end_reason, exitcode, rssmax > 30000" \
			"exename IN ('head', 'tail') ORDER BY 1" | tr '\n' ' ')" \
			"0:head|$other|exit|0|0 tail|$other|exit|0|1 " "$what: what it ran has rows"
		is "$(row "max(rssmax) < 20000, count(*) > 0" "exename = '${tool%% *}'")" "1|1" \
			"$what: and its memory is its own"
		# PAM's su starts a set-gid helper, which cannot be recorded.
		is "$(row "count(*)" "last_call IS NOT NULL AND exename <> 'unix_chkpwd'")" 0 \
			"$what: nobody's end is unknown"
	done
done

# --- other ways to become another user --------------------------------------------------------------
# What the library wrote is what the loader takes: the program that changed, and what it became.
becomes()
{
	what=$1
	program=$2
	shift 2
	rm -rf "$work"/prefix/*
	"$PERFMON" -a run "$@" 2>err
	is "$?" 0 "$what: the status"
	submit "$(job)" 2>err
	is "$?:$(row "end_reason, last_call IS NULL" "exename = '$program' ORDER BY image_us DESC LIMIT 1")|$(
		row "uid, end_reason, exitcode" "exename = 'true'"):$(
		sqlite3 db "SELECT count(*) FROM reject")" "0:exec|1|$other|exit|0:0" "$what: nothing is lost or rejected"
}
if need perl; then
	perl=$(basename "$(readlink -f "$(command -v perl)")")
	becomes "the effective user before the real one" "$perl" perl -e "\$< = \$> = $other; exec '/bin/true'"
	becomes "groups, the effective user, the real one" "$perl" perl -e \
		"\$) = $other; \$( = $other; \$< = \$> = $other; exec '/bin/true'"
	# Excluded, it has no row, and what it became has.
	for end in "exec '/bin/true'" "system '/bin/true'"; do
		rm -rf "$work"/prefix/*
		"$PERFMON" -a --exclude "$perl" run perl -e "\$< = \$> = $other; $end"
		submit "$(job)" 2>err
		is "$?:$(row "exename, uid, end_reason" 1):$(sqlite3 db "SELECT count(*) FROM reject")" \
			"0:true|$other|exit:0" "an excluded program: ${end%% *}"
	done
fi
becomes "chroot and setuid" chroot chroot --userspec=$other / /bin/true
if need python3; then
	python3=$(readlink -f "$(python3 -c 'import sys; print(sys.executable)')")
	python=$(basename "$python3")
	becomes "chroot, then setuid of Python" "$python" "$python3" -c "
import os; os.chroot('/'); os.setuid($other); os.execv('/bin/true', ['true'])"
	becomes "two changes of the user" "$python" "$python3" -c "
import os; os.setreuid(-1, $other); os.setreuid(-1, 0); os.chroot('/'); os.setuid($other); os.execv('/bin/true', ['true'])"
fi

# The kernel need not preload anything where only the effective user changed: the end of the program
# before is known.
if [ "${python-}" ]; then
	rm -rf "$work"/prefix/*
	"$PERFMON" -a run "$python3" -c "
import os; os.setegid($other); os.seteuid($other); os.execv('/bin/true', ['true'])"
	submit "$(job)"
	is "$?:$(row "end_reason, last_call IS NULL" "exename = '$python'")" "0:exec|1" \
		"the effective user alone: the end of the program is known"
	# ld.so runs what follows without LD_PRELOAD.
	is "$(row "last_call, end_reason" "exename = 'true'")" "execve seteuid|exit" "and why its successor is not"
	PERFMON_DB=$work/db "$PERFMON" report | tr -s ' \n' ' ' >text
	grep -q -F '1 cannot be recorded (known only from their parents, descendants included): true (seteuid)' text
	ok $? "the report says so"
	for how in "setegid($other)" "seteuid($other)" "setresgid($other, $other, $other); os.setresuid($other, $other, $other)"; do
		"$PERFMON" -a run "$python3" -c "import os; os.$how; os.execv('/bin/true', ['true'])"
	done
	rm -f db && PERFMON_DB=$work/db "$PERFMON" -q submit --all
	is "$(row "coalesce(last_call, ''), count(*)" "exename = 'true' GROUP BY 1 ORDER BY 1" | tr '\n' ' ')" \
		"|1 execve seteuid|3 " "so it is with the group, and not where all users are changed"

	# A daemon that acts for its users in turn.
	rm -rf "$work"/prefix/*
	"$PERFMON" -a run "$python3" -c "
import os
for user in (7000, 7000, 7001, 7000):
    os.seteuid(user)
    if os.fork() == 0:
        os._exit(4)
    os.wait()
    os.seteuid(0)"
	submit "$(job)"
	is "$?:$(row "count(*), group_concat(DISTINCT exitcode), count(DISTINCT uid)" "end_reason = 'exit'"):$(
		row "last_call IS NULL" "exitcode = 0"):$(sqlite3 db "SELECT count(*) FROM reject")" "0:5|0,4|3:1:0" \
		"children of a daemon that changes its effective user and back have rows"
	mkdir daemon
	"$PERFMON" -q --stage-to daemon stage "$(job)" && submit daemon/*.tgz
	is "$?:$(row "count(*)" "end_reason = 'exit'"):$(sqlite3 db "SELECT count(*) FROM reject")" "0:5:0" \
		"and so in the archive"
	rm -rf "$work"/prefix/* daemon/*
	"$PERFMON" -a run "$python3" -c 'import os; os.seteuid(7000); os.seteuid(0)'
	is "$(stat -c '%s %u' "$(job)/$host-7000.tsv")" "0 7000" "a user who did nothing has an empty file"
	"$PERFMON" -q --stage-to daemon stage "$(job)" && submit daemon/*.tgz
	is "$?:$(row "count(*)" 1):$(sqlite3 db "SELECT count(*) FROM reject")" "0:1:0" "which is no fault of the job"
fi

# --- what the user can do ---------------------------------------------------------------------------
as() { setpriv --reuid=$other --clear-groups "$@"; }
rm -rf "$work"/prefix/* && mkdir -m 1777 "$work/open"
"$PERFMON" -q start -j guarded
PERFMON_OUTPUT=$work/prefix/root/guarded
export PERFMON_OUTPUT
"$PERFMON" run sh -c 'true; "$@"; sleep 0.01; exit 5' sh setpriv --reuid=$other --clear-groups cat /dev/null
as ls "$PERFMON_OUTPUT" >out 2>&1
is "$?" 2 "the user cannot see what is in the job"
as cat "$PERFMON_OUTPUT/job-$host.json" "$PERFMON_OUTPUT/$host-0.tsv" "$PERFMON_OUTPUT/$host-0.tally" >out 2>/dev/null
is "$?:$(wc -c <out)" "1:0" "nor read what it guesses"
find "$PERFMON_OUTPUT" | sort >before
as sh -c 'echo x >"$1/new.tsv" || ln "$1/$2" "$1/more.tsv" || mv "$1/$2" "$1/x" || rm -f "$1/$2"' sh \
	"$PERFMON_OUTPUT" "$host-$other.tsv" 2>/dev/null
is "$?:$(find "$PERFMON_OUTPUT" | sort | comm -3 - before)" "1:" "nor make, rename or remove a name"

# Lines about a shell of root's (its end, what its parent's wait said of it), one about root.
awk -F '\t' -v OFS='\t' -v sh="$sh" '
	/^perfmon-tsv-/ { for (i = 1; i <= NF; i++) at[$i] = i; head = $0; next }
	$at["record"] == "end" && $at["exename"] == sh && $at["exitcode"] == 5 {
		print head
		$at["exitcode"] = 66
		print
		$at["record"] = "reaped"
		for (name in at)
			if (name !~ /^(perfmon-tsv-.*|record|boot_id|pid_ns|pid|hostname|end_us|exitcode|[.])$/)
				$at[name] = "\\N"
		$at["ppid"] = 1
		print
	}' "$PERFMON_OUTPUT/$host-0.tsv" >forged
is "$(grep -c . forged)" 3 "lines of root's shell can be forged"
sed "s/\t$sh\t/\tsham\t/" "$PERFMON_OUTPUT/$host-0.tsv" | awk -F '\t' -v OFS='\t' '
	/^perfmon-tsv-/ { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
	$at["record"] == "start" && $at["exename"] == "sham" { $at["pid"] = 3999999; print; exit }' >>forged
cp "$PERFMON_OUTPUT/$host-0.tsv" honest
sed "/\tend\t.*\t$sh\t/d" honest >"$PERFMON_OUTPUT/$host-0.tsv"
chmod 644 forged
as sh -c 'cat "$1" >>"$2"; ln "$2" "$3/linked"' sh "$work/forged" "$PERFMON_OUTPUT/$host-$other.tsv" "$work/open"
is "$?" 0 "the user adds them to its file, and links it elsewhere"
"$PERFMON" -q stop
unset PERFMON_OUTPUT
submit "$work/prefix/root/guarded" 2>err
is "$(row "count(*), sum(coalesce(exitcode, 0) = 66)" "exename = '$sh'")" "1|0" "root's processes are not what another user says"
is "$(row uid "exename = 'sham'")" $other "who says to be root is not"
is "$(sqlite3 db "SELECT count(*) FROM reject WHERE reason LIKE '%another user%'")" 1 "the forged end is rejected"

mkdir staged kept
if need strace && strace -o /dev/null true 2>/dev/null; then
	# As if it were emptied just now.
	cp -a "$work/prefix/root/guarded" "$work/prefix/root/emptied"
	# A sanitizer cannot look for leaks in what is traced.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
		strace -o /dev/null -P "$work/prefix/root/emptied/$host-$other.tsv" -e trace=read -e inject=read:retval=0 \
		"$PERFMON" -q --stage-to kept stage "$work/prefix/root/emptied" >out 2>err
	is "$?:$(find kept -name '*.tgz' | grep -c .)" "0:1" "a user who empties its file does not keep it either"
else
	skip "a user who empties its file" "strace is not there or may not trace"
fi
"$PERFMON" -q --stage-to staged stage "$work/prefix/root/guarded" >out 2>err
archive=$(find staged -name '*.tgz')
test -n "$archive"
ok $? "a link to the user's file does not keep the job from being staged"
submit "$archive" 2>err || diag "$(cat err)"
is "$(row "count(*), sum(coalesce(exitcode, 0) = 66)" "exename = '$sh'"):$(row uid "exename = 'sham'")" "1|0:$other" \
	"in the archive it is the same"

# --- where no file is made --------------------------------------------------------------------------
for mode in 755 700 1777; do
	rm -rf "$work/plain" && mkdir -m "$mode" "$work/plain"
	PERFMON_OUTPUT=$work/plain LD_PRELOAD=$PERFMON_LIBRARY setpriv --reuid=$other --clear-groups true
	is "$(find "$work/plain" -name "*-$other.tsv" -user $other -empty)" "" "a directory of mode $mode is not touched"
done
mkdir -m 711 "$work/theirs" && chown 4711 "$work/theirs"
PERFMON_OUTPUT=$work/theirs LD_PRELOAD=$PERFMON_LIBRARY setpriv --reuid=$other --clear-groups true
is "$(find "$work/theirs" -user $other)" "" "nor that of another user"

# --- root in a directory of another user ------------------------------------------------------------
mkdir -m 700 "$work/trap" && chown $other "$work/trap"
echo precious >"$work/precious"
ln "$work/precious" "$work/trap/$host-0.tsv"
ln "$work/precious" "$work/trap/$host-0.tally"
PERFMON_OUTPUT=$work/trap LD_PRELOAD=$PERFMON_LIBRARY sh -c 'true & wait'
is "$?:$(cat "$work/precious")" "0:precious" "root's record is not appended to what another name leads to"
rm "$work/trap/$host-0.tsv" && touch "$work/trap/$host-0.tsv" && chown $other "$work/trap/$host-0.tsv"
PERFMON_OUTPUT=$work/trap LD_PRELOAD=$PERFMON_LIBRARY /bin/true
is "$(stat -c %s "$work/trap/$host-0.tsv")" 0 "nor to what belongs to another"
rm "$work/trap/$host-0.tsv"
PERFMON_OUTPUT=$work/trap LD_PRELOAD=$PERFMON_LIBRARY /bin/true
is "$(stat -c '%u %a' "$work/trap/$host-0.tsv")" "0 600" "but has a file of its own"
done_testing
