#!/bin/sh
# What the sampler shows of a node and of a job, read by node_exporter and scraped by Prometheus each second for five
# minutes while processes come and go: the number of series is constant, no scrape and no file fails, and the times of
# the CPUs are between two readings of /proc/stat around each sample. Settings: PM_SCRAPE_SECONDS, how long (300; in a
# part of the proof 5).
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need prometheus prometheus-node-exporter python3; then
	skip "Prometheus reads the sampler" "no $missing"
	done_testing
fi
seconds=${PM_SCRAPE_SECONDS:-$([ "$PM_PROVE_PART" -eq 1 ] && echo 300 || echo 5)}
export PYTHONDONTWRITEBYTECODE=1

scrapes()
{
	mkdir dir && chmod 755 "$work" "$PWD" dir || return 1
	"$PERFMON" sample --openmetrics dir/node.prom -i 1s --sources cpu,memory,vmstat,load,pressure &
	samplers=$!
	sh -c 'while :; do /bin/true; sleep 0.05; done' &
	busy=$!
	"$PERFMON" sample --openmetrics dir/job.prom -i 1s --pid $busy -j 77 --sources process &
	samplers="$samplers $!"
	python3 "$abs_top_srcdir/tests/e2e/sampler/scrape.py" dir "$seconds" >scraped
	status=$?
	cat scraped
	# shellcheck disable=SC2086 # a pid each
	kill $samplers $busy && wait $samplers
	while read -r key text; do
		finding "$key" "$text"
	done <scraped
	[ $status -eq 0 ] && [ -z "$(ls -A dir)" ]
}

rounds 1 scrapes "Prometheus reads the sampler for $seconds seconds"
done_testing
