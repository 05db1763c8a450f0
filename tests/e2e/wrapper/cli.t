#!/bin/sh
# The command line: options before and behind the verb, EPMT's spellings, errors, settings and
# their origins.
# shellcheck disable=SC2154,SC2016,SC2088,SC2209 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# usage NAME ARG...: a usage error: status 2, nothing on standard output, one line on the other.
usage()
{
	what=$1
	shift
	"$PERFMON" "$@" >out 2>err
	is "$?:$(cat out):$(grep -c '^perfmon: ' err):$(wc -l <err)" "2::1:1" "usage error: $what"
}
usage "no verb"
usage "no verb but options" -v
usage "an unknown verb" no-such-verb
usage "an unknown option" --no-such-option config
usage "an unknown letter" -Z config
usage "an unknown option behind the verb" config --no-such-option
usage "a missing argument" config --tags
usage "a missing argument of a letter" stop -j
usage "an argument for an option without" config --json=yes
usage "an option of another verb" -a config
usage "an option of another verb behind it" stop --json
usage "an operand for start" start now
usage "an operand for stop" stop now
usage "an operand for source" source now
usage "an operand for config" config now
usage "two operands for dump" dump a b
usage "help on no verb" help no-such-verb
usage "a bad duration" --sample soon config
usage "a bad size" --args-max many config
usage "a bad choice" --args some config
usage "a bad path" '--output-prefix=$NO_SUCH_VARIABLE/x' config

# --- spellings ----------------------------------------------------------------------------------
is "$("$PERFMON" --version)" "$("$PERFMON" -V)" "--version and -V"
"$PERFMON" --version | grep -q -E '^perfmon [0-9]+\.[0-9]+\.[0-9]+$'
ok $? "the version is a version"
"$PERFMON" config --version | grep -q '^perfmon '
ok $? "also behind a verb"
"$PERFMON" -a run sh -c 'exit 21'
is $? 21 "perfmon -a run ./app"
"$PERFMON" run -a sh -c 'exit 22'
is $? 22 "perfmon run -a ./app"
"$PERFMON" --auto run sh -c 'exit 23'
is $? 23 "perfmon --auto run"
"$PERFMON" sh -c 'exit 24'
is $? 24 "perfmon PROGRAM"
"$PERFMON" -j7 start && "$PERFMON" start -j 8 && "$PERFMON" --job=9 start
ok $? "perfmon -j7 start, start -j 8, --job=9 start"
is "$(find "$PERFMON_OUTPUT_PREFIX"/* -maxdepth 1 -name '[789]' | wc -l)" 3 "name three jobs"
"$PERFMON" -j7 source --shell sh | grep -q '; PERFMON_JOBID=7;'
ok $? "perfmon -j7 source"
"$PERFMON" dump -j 7 --json >a && "$PERFMON" --json -j7 dump >b && cmp -s a b && "$PERFMON" dump 7 --json >c &&
	cmp -s a c
ok $? "options stand before the verb, behind it and behind operands"
"$PERFMON" dump --json -- 7 | cmp -s - a
ok $? "-- ends options"
"$PERFMON" -vv -j7 stop 2>err
is "$(grep -c 'is complete' err)" 1 "-vv says more"
"$PERFMON" -v -v -j8 stop 2>err
is "$(grep -c 'is complete' err)" 1 "-v -v is the same"
"$PERFMON" -j9 stop -q 2>err
is "$(cat err)" "" "-q says less"
"$PERFMON" start -j w
"$PERFMON" -q start -j w 2>err
is "$(cat err)" "" "no warnings with -q"
"$PERFMON" -q -j none stop 2>err
is "$?:$(wc -l <err)" "1:1" "errors even so"
"$PERFMON" -h >a && "$PERFMON" help >b && "$PERFMON" --help >c && cmp -s a b && cmp -s a c
ok $? "-h, --help and help are the same"
is "$(wc -l <a) $(awk 'length($0) > 80' a)" "24 " "they fit a terminal of 24 lines and 80 columns"
"$PERFMON" help settings >a && grep -q '^  --args full|redacted|name|none$' a
ok $? "help settings says which words a setting takes"
is "$("$PERFMON" stage --help | grep -A 1 -e '--force')" \
	"  -f, --force               also pack open jobs, but keep their directories
      --keep-job            keep the job's directory, metadata and counts, since" \
	"help on a verb says of an option what it does for that verb"
is "$("$PERFMON" delete --help | grep -e '--force')" "  -f, --force               do not ask for confirmation" \
	"and what it does for all others"
"$PERFMON" help rnu 2>err
is "$?:$(cat err)" "2:perfmon: 'rnu' is not a verb; did you mean 'run'?" "a verb that was meant"
"$PERFMON" run --help | grep -q '^Usage: perfmon run'
ok $? "run --help is perfmon's"
is "$("$PERFMON" -a run sh -c 'echo "$1"' sh --help)" "--help" "behind the command it is the command's"

# --- settings -----------------------------------------------------------------------------------
conf=$XDG_CONFIG_HOME/perfmon/perfmon.conf
mkdir -p "${conf%/*}"
setting() { "$PERFMON" "$@" config | grep "^$name ="; }
name=tags
is "$(setting)" "tags =   # default" "a default"
cat >"$conf" <<'CONF'
# a comment
tags = "from file"   # another
sample = 250ms
CONF
is "$(setting)" "tags = from file  # $conf:2" "a file, with its line"
is "$(PAPIEX_TAGS=alias setting)" "tags = alias  # environment PAPIEX_TAGS" "an alias above the file"
is "$(PAPIEX_TAGS=alias PERFMON_TAGS=own setting)" "tags = own  # environment PERFMON_TAGS" \
	"the variable above its alias"
is "$(PERFMON_TAGS=own setting --tags option)" "tags = option  # command line" \
	"the command line above the environment"
"$PERFMON" config --tags=option | grep -q '^tags = option  # command line'
ok $? "also behind the verb"
is "$("$PERFMON" config | wc -l)" "$(grep -c '^PM_SETTING(' "$abs_top_srcdir/common/settings/config.def")" \
	"config shows every setting"
is "$("$PERFMON" help settings | grep -c '^ *= ')" "$("$PERFMON" config | wc -l)" \
	"so does help settings, with the value in effect"
"$PERFMON" help settings | grep -q "= 250ms  ($conf:3)"
ok $? "and its origin"
if need python3; then
	PERFMON_DB=postgresql://me:hunter2x@host/db PERFMON_TAGS='a"b\c' "$PERFMON" config --json | python3 -c '
import json, sys
text = sys.stdin.read()
d = json.loads(text)
assert "hunter2x" not in text and d["db"]["value"].endswith("@host/db"), d["db"]
o = d["output_prefix"]
assert [o[k] for k in ("default", "option", "environment")] == ["/tmp/perfmon", "output-prefix", "PERFMON_OUTPUT_PREFIX"], o
assert o["help"].startswith("directory that holds"), o
assert d["tags"]["value"] == "a\"b\\c", d["tags"]
assert d["tags"]["origin"] == "environment PERFMON_TAGS", d["tags"]
assert d["sample"]["value"] == "250ms"'
	ok $? "config --json is JSON"
else
	skip "config --json is JSON" "no python3"
fi
is "$(PERFMON_DB='postgresql://me:secret@host/db' "$PERFMON" config | grep -c secret)" 0 \
	"a password in the database's URL is not shown"
printf 'nonsense\nunknown = 1\nsample = soon\ntags = kept\n' >"$conf"
"$PERFMON" config >out 2>err
is "$?:$(grep -c "^perfmon: warning: $conf:[123]: " err)" "0:3" "bad lines are named, with file and line"
grep -q '^tags = kept' out
ok $? "and good ones kept"
rm "$conf"

name=output_prefix
is "$(setting --output-prefix '~/x')" "output_prefix = $HOME/x  # command line" "~ is expanded in paths"
is "$(setting --output-prefix '$HOME/y')" "output_prefix = $HOME/y  # command line" "and \$NAME"
name=tags
is "$(setting --tags '~$HOME')" 'tags = ~$HOME  # command line' "not in texts"

# --- output that cannot be written ---------------------------------------------------------------
if [ -c /dev/full ]; then
	for verb in config help --version "dump w"; do
		# shellcheck disable=SC2086 # words
		"$PERFMON" $verb >/dev/full 2>err
		is "$?:$(grep -c 'No space left' err)" "1:1" "${verb%% *} on a full disk is an error"
	done
else
	skip "a full disk is an error" "no /dev/full"
fi
"$PERFMON" config >&- 2>err
is "$?:$(wc -l <err)" "1:1" "a closed standard output, too"
"$PERFMON" -a run sh -c 'exit 3' >&- 2>&- <&-
is $? 3 "which run does not need"
"$PERFMON" -v -a -j closed run ls /proc/self/fd >&- 2>&- <&-
is "$(grep -r -l 'perfmon: ' "$PERFMON_OUTPUT_PREFIX")" "" "no message ends up in a file of ours"
"$PERFMON" -a run sh -c "ls -l /proc/self/fd >$work/fds" <&- 2>&-
sh -c "ls -l /proc/self/fd >$work/fds.want" <&- 2>&-
is "$(grep -c -e '-> ' fds)" "$(grep -c -e '-> ' fds.want)" "closed descriptors stay closed for the command"

# Control characters of hostile names do not reach the terminal.
"$PERFMON" "$(printf 'x\033[31mred')" 2>err
is "$(grep -c "$(printf '\033')" err)" 0 "messages hold no control characters"

# --- help ---------------------------------------------------------------------------------------
for word in $("$PERFMON" help man-verbs | sed -n 's/^[.]B \([a-z]*\).*/\1/p') settings; do
	"$PERFMON" help $word | awk -v word=$word 'NR > 1 && length($0) > 80 && !/^ *= / { print word ": " $0 }'
done >long
is "$(cat long)" "" "help fits 80 columns"
# A word that ends at the last column stays apart from the next, on whatever line that is.
is "$("$PERFMON" help settings | tr -s '[:space:]' ' ' | grep -c 'Every other word: an event to count')" 1 "words of help stay apart"

done_testing
