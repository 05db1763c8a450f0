#!/bin/sh
# For users of SKA's sampler, perf.py and colmet: the command of every row of peers.def runs, and makes what it is to make.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

if ! need python3; then
	skip "every row" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
tab=$(printf '\t')
python3 "$abs_top_srcdir/tests/e2e/export/layoutjob.py" job && "$PERFMON" submit job >out 2>err
is $? 0 "a job with samples"
# Pages as PDF, and plots, need cairo.
draws=$("$PERFMON" plot -o probe.svg cpu_load 4712 >out 2>err && echo yes)

# run_line COMMAND: 0 if it runs and leaves what it names, else its error is printed. A sampler samples a process that
# ends soon.
run_line()
(
	rm -rf row && mkdir row && cd row || exit 99
	command=$(printf '%s\n' "$1" | sed 's/\<JOB\>/4712/g; s/\<DIR\>/dir/g; s/\<NEW\>/new/g')
	case $command in "perfmon "*) ;; *) echo "no command" && exit 1 ;; esac
	case $command in
	*" plot "* | *" --pdf "*) [ "$draws" ] || exit 0 ;;
	esac
	set -f
	eval "set -- ${command#perfmon }"
	case $command in
	*--help*) ;;
	"perfmon sample "*)
		sleep 0.3 &
		case $command in *" -i "* | *--sampling_freq*) ;; *) set -- "$@" -i 50ms ;; esac
		set -- "$@" --pid $!
		;;
	esac
	timeout 60 "$PERFMON" "$@" >out 2>err </dev/null || { head -n 1 err && exit 1; }
	case $command in
	*new.json*) made=new.json ;;
	*new.csv*) made=new.csv ;;
	*new.bulk*) made=new.bulk ;;
	*new*) made=new ;;
	*) exit 0 ;;
	esac
	[ "$(find "$made" -type f -size +0 2>/dev/null)" ] || { echo "$made is not made" && exit 1; }
)

# run_rows FILE: what is wrong with the rows, of which each command runs once.
run_rows()
{
	awk -F '\t' '!seen[$4]++' "$1" >once
	while IFS=$tab read -r tool kind word command; do
		why=$(run_line "$command") || echo "$tool $kind $word: $command: $why"
	done <once
}
"$PERFMON" help peers-rows >rows
is "$(run_rows rows)" "" "the command of every row runs: $(wc -l <rows) rows, $(wc -l <once) commands"
printf 'ska\toption\tplanted\tperfmon sampel\nska\toutput\tplanted\tperfmon export 4712 --layout nothing -o NEW
ska\toption\tplanted\tperfmon sample -d NEW --no-such-option\nska\toption\tplanted\t\nperfpy\toutput\tplanted\tperfmon list # NEW\n' >planted
is "$(run_rows planted | wc -l)" 5 "rows of a wrong verb, layout and option, an empty one and one that makes nothing are noticed"
# A verb that makes an empty directory, or an empty file, makes nothing.
for nothing in "mkdir new" ": >new"; do
	printf '#!/bin/sh\n%s\n' "$nothing" >nothing && chmod 755 nothing
	is "$(PERFMON=$PWD/nothing run_line "perfmon list NEW")" "new is not made" "nor is anything made by: $nothing"
done

# The page has them all, none with an empty cell.
page=$abs_top_srcdir/man/perfmon-peers.7
is "$(grep -c '|T{$' "$page")" "$(wc -l <rows)" "perfmon-peers(7) has a row for each"
is "$(grep -A 1 '|T{$' "$page" | grep -c '^\\fB.\+\\fR$')" "$(wc -l <rows)" "none of them empty"

# Every option that SKA's sampler documents is there, and every key of a report of perf.py.
is "$(for option in help save_dir prefix launcher sampling_freq check_point gen_report export system partition env name verbose; do
	cut -f 3 rows | grep -q -- "--$option\>" || echo "$option"
done)" "" "with every option of SKA's sampler"
is "$(for format in csv hdf5 parquet pickle feather orc; do grep -q "^ska.*--export $format${tab}" rows || echo "$format"; done)" "" \
	"and every format"
done_testing
