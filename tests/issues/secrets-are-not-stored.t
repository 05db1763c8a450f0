#!/bin/sh
# With the settings that nobody changed no secret of tests/data/secrets is stored: not in records, metadata,
# archives, databases, reports or JSON, be it in arguments, the command of run, or the environment. args=name
# stored what args=redacted hid, and full was the default.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

mark=Zq7x
# Every program of the file, of which none is to do anything; those of perfmon's own stay what they are.
mkdir bin
cp "$(command -v env | sed 's/env$/true/')" bin/.nothing
grep -hv '^#' "$abs_top_srcdir/tests/data/secrets" "$abs_top_srcdir/tests/data/secrets-options" | sed 's/{{//g; s/}}//g' >lines
sed -n "s/^\([A-Za-z0-9_.-]*\) .*/\1/p; s/.*sh -c ['\"]\([a-z]*\) .*/\1/p
	s/.*[|&] \([a-z]*\)[ ']*.*/\1/p" lines | sort -u | grep -vx -e env -e sh |
	while read -r name; do ln -s .nothing "bin/$name"; done
PATH=$work/bin:$PATH

# One command a line, as a job script has them; env and sh are real ones.
cp lines job.sh
PERFMON_ARGS=full "$PERFMON" -a -j full run sh job.sh >out 2>&1
full=$(grep -o "$mark" "$PERFMON_OUTPUT_PREFIX/$(id -un)/full"/*.tsv | wc -l)
test "$full" -ge 200
ok $? "args=full records them: $full"
rm -rf "$PERFMON_OUTPUT_PREFIX/$(id -un)/full"

"$PERFMON" -a -j many run sh job.sh >out 2>&1
PERFMON_ARGS=name "$PERFMON" -a -j name run sh job.sh >out 2>&1
is "$(PERFMON_ARGS=name "$PERFMON" -q -a -j first run sh -c "echo password=$mark" 2>&1)" "password=$mark" \
	"programs get them"

# As the command of run, and in the environment: of the allow-list, and what changed.
n=0
while IFS= read -r line; do
	n=$((n + 1))
	case $line in
	*'
'* | '' | *-----BEGIN* | "$mark"hunter*) continue ;;
	esac
	[ $((n % 8)) -eq 0 ] || continue
	set -f
	eval "set -- $line"
	set +f
	"$PERFMON" -j "run$n" run "$@" >out 2>&1
done <lines
sed -n "s/^env \('*[A-Z].*\) true$/export \1/p" lines >exports
test "$(grep -c . exports)" -ge 40
ok $? "variables with secrets: $(grep -c . exports)"
(
	PERFMON_USER_TOKEN=$mark OMPI_MCA_TOKEN=$mark
	export PERFMON_USER_TOKEN OMPI_MCA_TOKEN
	"$PERFMON" start -j env
	. ./exports
	"$PERFMON" stop -j env
	PERFMON_ENVIRONMENT=all "$PERFMON" -a -j all run true
) >out 2>&1
is "$("$PERFMON" dump "$PERFMON_OUTPUT_PREFIX/$(id -un)/env" | grep -c '\[redacted\]')" "$(($(grep -c . exports) + 2))" \
	"each of them is there without its value"

jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
is "$(grep -rl "$mark" "$jobs")" "" "no record and no metadata has one"
for job in "$jobs"/*/; do
	"$PERFMON" dump "$job"
done >dumped 2>&1
is "$(grep -c "$mark" dumped)" 0 "nor what dump shows"
mkdir archives
PERFMON_STAGE_TO=$work/archives "$PERFMON" stage "$jobs"/* >out 2>&1
is "$?|$(find archives -name '*.tgz' | wc -l)" "0|$(find "$work/archives" -name '*.tgz' | wc -l)" "staged"
for archive in archives/*.tgz; do
	gzip -dc "$archive"
done | grep -c "$mark" >count
is "$(cat count)" 0 "no archive has one"
PERFMON_DB=$work/s.db
export PERFMON_DB
"$PERFMON" submit archives/*.tgz >out 2>&1
ok $? "loaded"
query_default "$PERFMON_DB" '|' -
test "$(query "SELECT count(*) FROM process WHERE args LIKE '%redacted%'")" -ge 300
ok $? "with what took their place: $(query "SELECT count(*) FROM process WHERE args LIKE '%redacted%'")"
if need sqlite3; then
	sqlite3 "$PERFMON_DB" .dump | grep -c "$mark" >count
	is "$(cat count)" 0 "no row has one"
else
	skip "no row has one" "no sqlite3"
fi
is "$(grep -c "$mark" "$PERFMON_DB")" 0 "nor any page of the file"
for job in $(query "SELECT id FROM job"); do
	"$PERFMON" report "#$job"
	"$PERFMON" report --json "#$job"
	"$PERFMON" show --json "#$job"
	"$PERFMON" list --json processes "#$job"
done >told 2>&1
test "$(grep -c redacted told)" -gt 100
ok $? "reports, trees and lists tell of them"
is "$(grep -c "$mark" told)" 0 "and none tells one"
done_testing
