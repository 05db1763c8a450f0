# shellcheck shell=sh
# shellcheck disable=SC2154 # set by lib.sh
# Sourced behind lib.sh: jobs in the database: 77, of odd arguments and names, with samples, tags, phases and annotations, and
# three of the golden ones.
odd=$(printf 'a\377b')
cat >odd.sh <<'END'
"$PERFMON" mark begin "phase, one"
/bin/echo '' "it's" 'two  words' 'a,b' "line
break" "tab	here" '=1+2' 'back\slash' "$1" 'ünï' >/dev/null
(exit 3)
"$PERFMON" mark end "phase, one"
/bin/sleep 0.3
exit 5
END
export PERFMON
PERFMON_TAGS='kind:a b;note:x=y' "$PERFMON" -j 77 --sample 100ms -a run sh odd.sh "$odd" 2>err
is $? 5 "a job of odd arguments"
for job in busy killed counted; do
	cp -R "$abs_top_srcdir/tests/golden/report/$job" "$work/$job" && chmod -R u+w "$work/$job"
done
"$PERFMON" submit busy killed counted 77 >out 2>err
"$PERFMON" annotate 77 "remark=a, \"b\"" 2>err
