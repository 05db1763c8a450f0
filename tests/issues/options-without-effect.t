#!/bin/sh
# What a verb does not use is an error, what it is said to use has an effect, and a name that is nearly
# a setting's does not go by in silence.
# shellcheck disable=SC2154,SC2088 # set by lib.sh; perfmon expands ~
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# refused TEXT ARG...: a usage error with this text.
refused()
{
	text=$1
	shift
	"$PERFMON" "$@" >out 2>err
	is "$?:$(grep -c -e "$text" err)" 2:1 "$* is refused"
}
refused "list does not use --tags" list jobs --tags x
refused "submit does not use --sample" submit --sample 1s
refused "report does not use --args" --args none report
refused "delete does not use --fraction" delete --fraction 0.5 1
"$PERFMON" config --tags x >out 2>&1
is "$?:$(grep -c '^tags = x ' out)" 0:1 "config shows any of them"
PERFMON_TAGS=x "$PERFMON" status >out 2>&1
is $? 0 "in the environment they are for whoever uses them"

# On the way to the sampler beside the command.
"$PERFMON" -a run --sample 100ms --sources load --max-samples 7 sleep 0.5 2>err
series=$(find "$PERFMON_OUTPUT_PREFIX" -name '*.series*')
is "$(sed -n 's/^series\t[0-9]*\t\([a-z]*\).*/\1/p' "$series" | sort -u)" load \
	"run hands its command line on to the sampler: of the sources only the one named is read"

# SKA perfmon's spelling.
for words in '-e csv hdf5' '--export csv' '--export parquet -r'; do
	# Words.
	# shellcheck disable=SC2086
	"$PERFMON" sample --dry-run $words 2>err
	is $? 0 "sample $words is taken"
done

# Paths as people write them.
PERFMON_DB='~/some/x.db' "$PERFMON" config >out 2>&1
is "$(grep -c "^db = $HOME/some/x.db" out)" 1 "a database's ~ is the home directory"
PERFMON_DB='sqlite:$HOME/x.db' "$PERFMON" config >out 2>&1
is "$(grep -c "^db = sqlite:$HOME/x.db" out)" 1 "and behind sqlite: variables count"
PERFMON_DB='postgresql://u:p$HOME~@h/d' "$PERFMON" config 2>err >out
is "$(grep -c "h/d" out):$(wc -c <err)" 1:0 "a URL stays as it is"
timeout -k 5 20 "$PERFMON" -q sample --pid $$ -d "$work/made/deep" --interval 50ms --until "$work/until" 2>err &
for _ in $(seq 100); do
	[ -z "$(find "$work/made/deep" -name '*.series' 2>/dev/null)" ] || break
	sleep 0.1
done
kill -TERM $!
wait $!
is "$(find "$work/made/deep" -name '*.series' | wc -l):$(cat err)" 1: "sample -d makes its directory"

# Names.
PERFMON_TAG=a:b "$PERFMON" -a run true 2>err
is "$?:$(grep -c 'PERFMON_TAG: no setting has this name; PERFMON_TAGS is one' err)" 0:1 "PERFMON_TAG is told of"
PERFMON_DIR=/opt/perfmon PERFMON_HOME=/opt PERFMON_VERSION=1 PERFMON_INC=/opt "$PERFMON" -a run true 2>err
is "$?:$(cat err)" 0: "what environment modules set is not"

done_testing
