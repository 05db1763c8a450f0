#!/bin/sh
# perfmon annotate: notes about a job that runs, is recorded, packed or loaded.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

user=$PERFMON_OUTPUT_PREFIX/$(id -un)
host=$(uname -n)
# noted DIRECTORY|ARCHIVE|JOB: its annotations, in one line.
noted() { "$PERFMON" dump "$@" | sed -n 's/^annotations\.//p' | tr '\n' ';'; }
# loaded JOB: those of the database.
loaded() { "$PERFMON" show "$1" --json | tr -d '\n' |
	sed 's/.*"annotations" *: *\[\([^]]*\)\].*/\1/; s/[[:space:]]//g; s/"job_id":[0-9]*,//g'; }

# --- a running job ------------------------------------------------------------------------------------
"$PERFMON" annotate a=1 >out 2>err
is "$?:$(cat out):$(cat err)" "1::perfmon: no job is open; name one, see perfmon status" "without a job it is an error"
"$PERFMON" start -j run
"$PERFMON" -j run annotate "a=1" "b=x=y:z" "long name=blanks  and 'quotes'" "empty=" >out 2>err
is "$?:$(cat out err)" "0:" "it says nothing"
is "$(noted run)" "a 1;b x=y:z;empty ;long name blanks  and 'quotes';" "values hold = and :, names blanks"
PERFMON_OUTPUT=$user/run "$PERFMON" annotate a=2 c="$(printf 'line\nline\tö\\')"
is "$?:$(noted run | tr -d '\n')" "0:a 2;b x=y:z;c line\\nline\\tö\\\\;empty ;long name blanks  and 'quotes';" \
	"a name has one value, others stay; the job in use is meant"
"$PERFMON" annotate --replace run d=4
is "$?:$(noted run)" "0:d 4;" "--replace removes the others"
"$PERFMON" run -j run true
"$PERFMON" -j run stop
is "$(noted run)" "d 4;" "stop keeps them"
"$PERFMON" annotate run bytes="$(printf 'x\200y')"
is "$(noted run)" 'bytes x\\x80y;d 4;' "bytes that are not UTF-8 are escaped"
"$PERFMON" annotate "$user/run" --replace e=5
is "$?:$(noted "$user/run")" "0:e 5;" "a directory"
cp "$user/run/job-$host.json" "$user/run/job-other.json"
"$PERFMON" annotate "$user/run" f=6
is "$("$PERFMON" dump "$user/run" | grep -c 'annotations.f 6$')" 2 "every host's metadata has it"
rm "$user/run/job-other.json"

for value in http://x/y ./x / a=/b; do
	"$PERFMON" -j run annotate --replace "results=$value" 2>err
	is "$?:$(cat err):$(noted run)" "0::results $value;" "-j: a first value with a slash: $value"
	PERFMON_OUTPUT=$user/run "$PERFMON" annotate --replace "results=$value" b=2 2>err
	is "$?:$(cat err):$(noted run)" "0::b 2;results $value;" "in the job, too"
done
"$PERFMON" annotate --replace run e=5 f=6

# --- a loaded one -----------------------------------------------------------------------------------------
"$PERFMON" -q submit "$user/run"
is "$(loaded run)" '{"name":"e","value":"5"},{"name":"f","value":"6"}' "submit loads them"
"$PERFMON" -v annotate run g='7 = 8' 2>err
is "$?:$(grep -c annotated err):$(noted run):$(loaded run)" \
	'0:2:e 5;f 6;g 7 = 8;:{"name":"e","value":"5"},{"name":"f","value":"6"},{"name":"g","value":"7=8"}' \
	"a job that is recorded and loaded has it in both places"
cp -r "$user/run" copy
rm -r "$user/run"
for id in run "$(id -un)/run" '#1'; do
	"$PERFMON" annotate --replace "$id" id="$id"
	is "$?:$(loaded run)" "0:{\"name\":\"id\",\"value\":\"$id\"}" "$id, which is loaded only"
done
if need python3; then
	"$PERFMON" list jobs --json | python3 -c '
import json, sys
jobs = json.load(sys.stdin)
assert jobs[0]["annotations"] == {"id": "#1"}, jobs[0]["annotations"]'
	ok $? "the row of the job has them, too"
else
	skip "the row of the job has them, too" "no $missing"
fi
"$PERFMON" annotate --replace run
is "$?:$(loaded run)" "0:" "--replace alone clears them"
"$PERFMON" -q submit copy
is "$(loaded run)" '{"name":"e","value":"5"},{"name":"f","value":"6"},{"name":"g","value":"7=8"}' \
	"loading the directory brings back its own"

# --- an archive -----------------------------------------------------------------------------------------
if need tar && tar -czf one.tgz copy && "$PERFMON" annotate one.tgz h=8 2>err; then
	is "$(noted one.tgz)" "e 5;f 6;g 7 = 8;h 8;" "an archive"
	is "$(find . -name '.*' ! -name . -prune)" "" "nothing is left beside it"
	tar -tzf one.tgz | grep -q '^copy/manifest.json$'
	ok $? "it has a manifest now"
	tar -C copy -cf flat.tar .
	chmod 640 flat.tar
	"$PERFMON" annotate --replace flat.tar i=9
	is "$?:$(noted flat.tar):$(stat -c %a flat.tar)" "0:i 9;:640" "one without directories; its mode stays"
	PERFMON_DB=$work/other.db "$PERFMON" -q submit flat.tar
	is "$?:$(PERFMON_DB=$work/other.db loaded run)" '0:{"name":"i","value":"9"}' "it loads"
	cp -r copy copy2
	tar -czf two.tgz copy copy2
	cksum two.tgz >before
	"$PERFMON" annotate two.tgz j=1 2>err
	is "$?:$(grep -c 'several jobs' err):$(cksum two.tgz)" "1:1:$(cat before)" "one of several jobs is refused"
	head -c 900 one.tgz >cut.tgz
	"$PERFMON" annotate cut.tgz j=1 2>err
	is "$?:$(stat -c %s cut.tgz):$(find . -name '.*' ! -name . -prune)" "1:900:" "a cut one stays as it is"
	mkdir .one.tgz.unpacked
	touch .one.tgz.unpacked/job-x.json
	i=0
	while [ $i -lt 8 ]; do
		i=$((i + 1))
		"$PERFMON" annotate one.tgz "n$i=$i" &
	done
	wait
	is "$(noted one.tgz)" "e 5;f 6;g 7 = 8;h 8;n1 1;n2 2;n3 3;n4 4;n5 5;n6 6;n7 7;n8 8;" \
		"8 at once, behind one that was killed: none is lost"
	if [ "${PM_SANITIZED:-no}" = no ] && need strace; then
		strace -o trace -e trace=openat "$PERFMON" annotate one.tgz n9=9
		is "$?:$(grep -c '"[^"]*one\.tgz", O_RDONLY' trace)" 0:1 \
			"it is opened once: no other one is read than the one that was looked at"
	else
		skip "opened once" "no strace that can be trusted here"
	fi
else
	skip "an archive" "no tar or zlib: $(cat err)"
fi

# --- what cannot be done -------------------------------------------------------------------------------
for bad in "run" "run novalue" "run =x" "-j run copy a=1"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" annotate $bad >out 2>err
	is "$?:$(cat out):$(wc -l <err)" "2::1" "annotate $bad is a usage error"
done
"$PERFMON" annotate nowhere a=1 2>err
is "$?:$(grep -c 'job nowhere is neither recorded on this host nor loaded' err)" 1:1 "an unknown job"
echo >other.tar.xz && "$PERFMON" annotate other.tar.xz a=1 2>err
is "$?:$(cat other.tar.xz):$(grep -c 'load the archive' err)" 1::1 "an archive that would be compressed otherwise"
"$PERFMON" annotate /dev/null a=1 2>err
is "$?" 1 "a file that is no archive"
"$PERFMON" annotate ./none=x a=1 2>err
is "$?" 1 "a path that is not there, though it holds a ="
mkdir 'dir=x' && cp copy/* 'dir=x'
"$PERFMON" annotate 'dir=x' k=1
is "$?:$(noted dir=x)" "0:e 5;f 6;g 7 = 8;k 1;" "a directory with a = in its name"
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	chmod 755 "$work"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$PERFMON" annotate "$work/copy" a=1 2>err
	is "$?:$(noted copy)" "1:e 5;f 6;g 7 = 8;" "another user's directory"
else
	skip "another user's directory" "not root"
fi

done_testing
