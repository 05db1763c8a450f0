#!/bin/sh
# show: the tree of a job, and the whole job as JSON with every byte of its arguments.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

golden=$abs_top_srcdir/tests/golden/report
for job in busy counted empty killed; do
	cp -R "$golden/$job" "$work/$job" && chmod -R u+w "$work/$job"
done

"$PERFMON" show busy --width 100 >out 2>err
is "$?" 0 "a directory is shown without a database"
if [ "${PM_ACCEPT:-}" = yes ]; then
	cp out "$golden/show-100.txt"
fi
diff -u "$golden/show-100.txt" out >diff.out
ok $? "the tree"
if [ -s diff.out ]; then
	diag "$(cat diff.out)"
fi
for width in 80 100; do
	"$PERFMON" show counted --counters --width $width >out 2>err
	is "$?" 0 "counters, $width columns"
	if [ "${PM_ACCEPT:-}" = yes ]; then
		cp out "$golden/show-counted-$width.txt"
	fi
	diff -u "$golden/show-counted-$width.txt" out >diff.out
	ok $? "below each process that has some"
	if [ -s diff.out ]; then
		diag "$(cat diff.out)"
	fi
done
for width in 60 61 72 97 200; do
	"$PERFMON" show counted --counters --width $width | awk -v w=$width 'length > w'
done >wide
is "$(cat wide)" "" "no line is wider than the page"
"$PERFMON" show killed --counters >out 2>err
is "$?" 0 "a job without counters"
is "$("$PERFMON" show empty)" "no processes" "an empty job"
is "$("$PERFMON" show killed | grep -c SIGKILL)" 1 "a killed process"

# Fewer lines: those with the most CPU time, always a tree.
"$PERFMON" show busy --limit 4 >out
is "$(sed 1d out | sed '/^$/,$d' | wc -l | tr -d ' ')" 4 "--limit"
is "$(sed -n 2p out | grep -c 'bash job.sh')" 1 "the root is shown"
tail -n 2 out | tr '\n' ' ' | grep -q '^42 more, each with at most 4.50 s of CPU time, .* --limit 0 '
ok $? "what is missing is said"
"$PERFMON" show busy --limit 0 | grep -q 'not shown'
is "$?" 1 "--limit 0 shows all"
for limit in 1 2 3 5 10 20 30 45; do
	# No line is more than one level below the line before it.
	"$PERFMON" show busy --limit $limit --width 200 | sed '/^$/,$d' |
		awk 'NR == 1 { at = index($0, "Command"); next }
		     { match(substr($0, at), /^ */); d = RLENGTH / 2
		       if (d > last + 1) bad++
		       last = d }
		     END { exit bad }'
	ok $? "a cut tree is a tree: $limit"
done

# All bytes, each in an argument of its own and all in one.
byte()
{
	printf '%b' "\\0$(printf %o "$1")"
}

want=
i=1
set --
while [ $i -lt 256 ]; do
	set -- "$@" "$(byte $i; echo x)"
	case $i in
	8) json='"\bx"' ;;
	9) json='"\tx"' ;;
	10) json='"\nx"' ;;
	12) json='"\fx"' ;;
	13) json='"\rx"' ;;
	34) json='"\"x"' ;;
	92) json='"\\x"' ;;
	*)
		if [ $i -lt 32 ]; then
			json=$(printf '"\\u%04Xx"' $i)
		elif [ $i -lt 128 ]; then
			json="\"$(byte $i)x\""
		else
			json=$(printf '{"hex":"%02x78"}' $i)
		fi
		;;
	esac
	want=$want${want:+,}$json
	i=$((i + 1))
done
all=$(i=1; while [ $i -lt 256 ]; do byte $i; i=$((i + 1)); done)
hex=$(i=1; while [ $i -lt 256 ]; do printf %02x $i; i=$((i + 1)); done)
set -- "$@" "$all" '' 'a b' "$(printf '\303\251')" '\x41' '\e' '\+5:00' ' '
want="$want,{\"hex\":\"$hex\"},\"\",\"a b\",\"\\u00E9\",\"\\\\x41\",\"\\\\e\",\"\\\\+5:00\",\" \""

"$PERFMON" -a run "$(command -v true)" "$@" >out 2>err
is "$?$(cat out err)" 0 "a program with every byte in its arguments runs"
"$PERFMON" submit >out 2>err
is "$?" 0 "its record is loaded"
"$PERFMON" show --json >json 2>err
is "$?" 0 "show --json"
sed -n 's/.*"exename":"[^"]*","path":"[^"]*","args":\[\(.*\)\],"tags":.*/\1/p' json >args
printf '%s\n' "$want" >want
cmp args want
ok $? "every byte of every argument comes back"
done_testing
