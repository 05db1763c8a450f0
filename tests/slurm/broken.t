#!/bin/sh
# A cluster whose perfmon is broken, in every way that one can be: jobs of a real Slurm do what they do
# without perfmon, to the byte, and what was recorded loads.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$abs_top_srcdir/tests/slurm/cluster.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

reason=$(cluster_reason)
[ -n "$reason" ] || need sqlite3 || reason="no $missing"
if [ -n "$reason" ]; then
	skip "jobs of a Slurm whose perfmon is broken" "$reason"
	done_testing
fi
trap 'status=$?; cluster_down; cd /; rm -rf "$work"; exit $status' EXIT
site_install || exit 99
cluster_up || { ok 1 "a cluster"; done_testing; }

# What a job prints, says on standard error and returns must not depend on perfmon: 2 nodes, 4 tasks,
# 3 steps, one of which fails and one of which is killed.
cat >job.sh <<'END'
#!/bin/sh
SLURM_OVERLAP=1
export SLURM_OVERLAP
echo "in $(pwd), umask $(umask), $(env | grep -c '^HOME=') home"
srun -N2 -n4 -l sh -c 'echo "rank $SLURM_PROCID on $(hostname)"; echo "to stderr" >&2' | sort
srun -N2 -n4 sh -c 'exit $((SLURM_PROCID + 3))'
echo "second step: $?"
srun -n1 sh -c 'kill -TERM $$'
echo "third step: $?"
[ ! -e wait ] || { : >began; while [ -e wait ]; do sleep 0.1; done; }
srun -N2 -n2 -l hostname | sort
exit 7
END
chmod 755 job.sh
# job NAME: runs it and prints everything that came of it. Job ids and the time are not its result.
job()
{
	slurm sbatch --parsable -W -N2 -n4 -o "$work/$1.out" -e "$work/$1.err" job.sh >"$1.id" 2>"$1.wait"
	echo $? >"$1.status"
	result "$1"
}
result()
{
	{
		echo "status $(cat "$1.status")"
		cat "$1.out"
		# Whether the next step has to wait until Slurm has cleared the last one away is chance.
		grep -v 'Step created for job\|step creation temporarily disabled' "$1.err" |
			sed 's/[Jj]ob [0-9]*/job N/; s/StepId=[0-9]*/StepId=N/; s/ AT [-0-9T:]*//
			s/^srun: error: n\([12]\): tasks\{0,1\} [-0-9,]*:/srun: error: n\1:/' | sort
	} >"$1.result"
}
load()
{
	rm -rf "$XDG_DATA_HOME"
	find "$cluster"/n?/tmp/perfmon* -mindepth 2 -maxdepth 2 -type d -print0 2>/dev/null |
		xargs -0 -r "$PERFMON" submit >"$1.submit" 2>&1
}
query_default '' ' '
recorded() { query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = '$(cat "$1.id")'"; }

job bare
is "$(cat bare.status)" 7 "the job without perfmon"
cat >>"$cluster/etc/slurm.conf" <<END
TaskProlog=$site/perfmon/slurm/taskprolog.sh
TaskEpilog=$site/perfmon/slurm/taskepilog.sh
END
slurm scontrol reconfigure

# same NAME TEXT: the job did the same.
same()
{
	cmp bare.result "$1.result"
	ok $? "$2: the job's output, errors and status"
	diff bare.result "$1.result" >"$1.diff" || diag "$(cat "$1.diff")"
}

job whole
same whole "nothing broken"
load whole
is "$?:$(recorded whole | awk '{ print ($1 >= 15) }')" 0:1 "nothing broken: recorded, and loads"

mv "$site/bin/perfmon" "$work/away"
job gone
same gone "no perfmon"
printf '\177ELF of another machine' >"$site/bin/perfmon"
chmod 755 "$site/bin/perfmon"
job foreign
same foreign "a perfmon of another architecture"
mv "$work/away" "$site/bin/perfmon"
mv "$site/bin/libperfmon.so" "$work/away"
job library
same library "no collector"
mv "$work/away" "$site/bin/libperfmon.so"

mkdir -p "$XDG_CONFIG_HOME/perfmon"
printf 'output_prefix\n[nonsense\nargs = \377\noptions = no-such-event,,\nmax_bytes = many\n' \
	>"$XDG_CONFIG_HOME/perfmon/perfmon.conf"
job config
same config "a broken configuration"
load config
is "$?:$(recorded config | awk '{ print ($1 >= 15) }')" 0:1 "a broken configuration: recorded, and loads"
chmod 0 "$XDG_CONFIG_HOME/perfmon/perfmon.conf"
job unreadable
same unreadable "a configuration that cannot be read"
rm -r "$XDG_CONFIG_HOME/perfmon"

# Full from the start, and full in the middle of the job.
for node in n1 n2; do
	on_node "$node" sh -c 'mkdir -p /tmp/perfmon && mount -t tmpfs -o size=64k,mode=1777 none /tmp/perfmon &&
		head -c 99999 /dev/zero >/tmp/perfmon/full' 2>/dev/null
done
job full
same full "a full disk"
for node in n1 n2; do
	on_node "$node" sh -c 'rm /tmp/perfmon/full; head -c 16384 /dev/zero >/tmp/perfmon/half'
done
job fills
same fills "a disk that fills up"
# What lies on the nodes' own mounts is not to be seen from here.
for node in n1 n2; do
	on_node "$node" sh -c "tar -C /tmp/perfmon -cf - ." >"$node.tar" 2>/dev/null
	mkdir "$node.full"
	tar -C "$node.full" -xf "$node.tar"
	on_node "$node" umount /tmp/perfmon
done
rm -rf "$XDG_DATA_HOME"
"$PERFMON" submit n?.full/*/* >fills.submit 2>&1
# 1: what could not be written whole is rejected and said.
is "$(($? <= 1)):$(query "select count(*) > 0 from process")" 1:1 \
	"a disk that fills up: what fitted loads"
diag "$(cat fills.submit)"

# The place where jobs go belongs to a stranger.
for node in n1 n2; do
	mv "$cluster/$node/tmp/perfmon" "$cluster/$node/kept"
	mkdir -m 700 "$cluster/$node/tmp/perfmon"
	chown 65534 "$cluster/$node/tmp/perfmon"
done
job stranger
same stranger "a prefix that belongs to somebody else"
for node in n1 n2; do
	rm -r "$cluster/$node/tmp/perfmon"
	mv "$cluster/$node/kept" "$cluster/$node/tmp/perfmon"
done

# The daemon of the second node dies while the job waits, and is back before the next step.
touch wait
job killed >/dev/null 2>&1 &
waiting=$!
until_true test -e began
on_node n2 sh -c "kill -9 \$(cat $cluster/n2/slurmd.pid)"
until_true on_node n2 sh -c "! kill -0 \$(cat $cluster/n2/slurmd.pid) 2>/dev/null"
on_node n2 slurmd -N n2 -f "$cluster/etc/slurm.conf"
rm wait
wait $waiting
same killed "slurmd killed midway"
load killed
is "$?:$(recorded killed | awk '{ print ($1 >= 15) }')" 0:1 "slurmd killed midway: recorded, and loads"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$(cat killed.id)' and exename = 'hostname' and p.step = '3'")" 2 \
	"slurmd killed midway: the step behind it, too"
done_testing
