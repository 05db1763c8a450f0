#!/bin/sh
# One job on two nodes, recorded for real: each node has pids of its own, which are the same ones.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
if ! need unshare || ! unshare --pid --uts --mount --fork --mount-proc true 2>/dev/null; then
	skip "two nodes" "no namespaces for nodes here"
	done_testing
fi

# node NAME COMMAND: on a node of its own: a host name, pids from 1, and a boot.
node()
{
	cat /proc/sys/kernel/random/uuid >"boot.$1"
	unshare --pid --uts --mount --fork --mount-proc sh -c '
		mount --bind "$1" /proc/sys/kernel/random/boot_id && hostname "$2" && exec sh -c "$3"' \
		sh "$work/boot.$1" "$1" "$2"
}

# The batch system's job, with its start, on both: recorded in folders of their own.
for n in 1 2; do
	PERFMON_OUTPUT_PREFIX=$work/tmp$n SLURM_JOB_ID=77 SLURM_CLUSTER_NAME=c SLURM_JOB_START_TIME=1700000000 \
		SLURM_JOB_NUM_NODES=2 node node$n \
		"'$PERFMON' -q start && '$PERFMON' run sh -c 'sh -c \"exit $n\"; /bin/true; exec sh -c \"/bin/true; exit 0\"' && '$PERFMON' -q stop" ||
		exit 99
	dir=$(find "$work/tmp$n" -name 77 -type d)
	tar -czf "n$n.tgz" -C "$(dirname "$dir")" 77
done

# What each process row says, by its node.
rows()
{
	query "SELECT h.hostname, p.pid, p.generation, p.exename, q.pid, p.exitcode FROM process p JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id LEFT JOIN process q ON q.job_id = p.job_id AND q.id = p.parent_id ORDER BY 1, 2, 3" "$1"
}

PERFMON_DB=$work/both.db "$PERFMON" submit n1.tgz n2.tgz >out 2>err
is "$?|$(cat err)|$(grep -c '^job 77: ' out)" "0||1" "archives of two nodes in one call are one job"
is "$(query 'SELECT hosts, (SELECT count(*) FROM host), (SELECT count(DISTINCT boot_id) FROM host) FROM job' both.db)" "2|2|2" \
	"of two hosts"
rows both.db >both.rows
is "$(sed -n 's/^node1|//p' both.rows | cut -d'|' -f1-4)" "$(sed -n 's/^node2|//p' both.rows | cut -d'|' -f1-4)" \
	"with the same pids, programs and parents on each"
is "$(grep -c '^node1|' both.rows)|$(query "SELECT count(*) FROM (SELECT pid FROM process GROUP BY pid, generation HAVING count(DISTINCT host_id) = 2)" both.db)" \
	"$(grep -c '^node2|' both.rows)|$(grep -c '^node1|' both.rows)" "every one of them is there on both"
is "$(grep -c '|1$' both.rows)$(grep -c '^node2.*|2$' both.rows)$(grep -c '^node1.*|2$' both.rows)" 110 \
	"and each ended as it did there"
is "$(query 'SELECT count(*) FROM process p JOIN process q ON q.job_id = p.job_id AND q.id = p.parent_id WHERE q.host_id <> p.host_id OR q.pid_ns <> p.pid_ns' both.db)" 0 \
	"no parent is on another node"

for order in '1 2' '2 1'; do
	rm -f late.db
	for n in $order; do
		PERFMON_DB=$work/late.db "$PERFMON" submit "n$n.tgz" >out 2>err || diag "$(cat err)"
	done
	rows late.db >late.rows
	is "$(query 'SELECT count(*), sum(hosts) FROM job' late.db)" "1|2" "one after the other ($order): one job"
	cmp -s both.rows late.rows
	ok $? "with the same rows"
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" late.db >late.canon
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" both.db | cmp -s - late.canon
	ok $? "and sums"
done

# The job again: its id is used once more, it is restarted, it is another user's.
again()
{
	PERFMON_OUTPUT_PREFIX=$work/$1 SLURM_JOB_ID=77 SLURM_CLUSTER_NAME=c SLURM_JOB_START_TIME=$2 SLURM_RESTART_COUNT=$3 \
		node node1 "'$PERFMON' -q start && '$PERFMON' run true && '$PERFMON' -q stop" || exit 99
	find "$work/$1" -name '77*' -type d
}
PERFMON_DB=$work/both.db "$PERFMON" submit "$(again reused 1800000000 0)" "$(again restarted 1700000000 1)" >out 2>err
is "$?|$(cat err)" "0|" "a reused id and a restarted job"
is "$(query 'SELECT epoch_us / 1000000, restart_count, hosts FROM job ORDER BY 1, 2' both.db)" "1700000000|0|2
1700000000|1|1
1800000000|0|1" "are jobs of their own"
if [ "$(id -u)" -eq 0 ]; then
	cp -R "$(dirname "$(find "$work/tmp2" -name 77 -type d)")/77" theirs && nobody=$(id -u nobody) && chown -R "$nobody" theirs &&
		sed -i "s/\"uid\": *0,/\"uid\": $nobody,/; s/\"user\": *\"root\"/\"user\": \"nobody\"/" theirs/job-node2.json
	PERFMON_DB=$work/both.db "$PERFMON" submit theirs >out 2>err
	is "$?|$(query 'SELECT "user", hosts FROM job WHERE restart_count = 0 AND epoch_us = 1700000000000000 ORDER BY 1' both.db)" "0|nobody|1
root|2" "the same id of another user is another job"
else
	skip "another user" "not root"
fi
done_testing
