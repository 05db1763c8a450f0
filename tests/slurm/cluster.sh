# shellcheck shell=sh
# shellcheck disable=SC2154 # work: set by lib.sh
# Sourced after lib.sh: a real Slurm of two nodes on this machine, each with a host name, a boot id,
# pids and a /tmp of its own; as root.
#
#   cluster_reason      prints why there can be none here, or nothing
#   cluster_up [LINE]   with a line for plugstack.conf; starts munged, slurmctld and both nodes; 0 once both are idle
#   cluster_down        ends all of it with everything that runs on the nodes
#   node_start N        starts node N (n1, n2); node_kill N ends it with all that runs on it
#   on_node N COMMAND   runs a command there
#   node_tmp N          prints where node N's /tmp lies outside
#   slurm COMMAND...    runs a client of Slurm as a user at a login node would
#   until_true COMMAND  runs it until it succeeds; 1 after $patience seconds
#   job_over JOB        0 when the job, or every element of the array, is over
#   site_install        perfmon as an administrator installs it, below $site
#
# Everything lies below $cluster.
# Nothing of the test's settings reaches jobs: they find what every user finds.

cluster=$work/cluster
site=$work/site
patience=60
cluster_processes=

cluster_reason()
{
	if [ "$(id -u)" -ne 0 ]; then
		echo "only root can bring up a cluster"
	elif ! need munged slurmctld slurmd srun sbatch scontrol setpriv unshare nsenter perl; then
		echo "no $missing"
	elif ! grep -q cgroup /proc/mounts; then
		echo "no control groups are mounted"
	elif ! unshare --uts --mount --pid --fork --mount-proc true 2>/dev/null; then
		echo "no namespaces of host name, mounts and pids to be had"
	fi
}

until_true()
{
	tries=$((patience * 10))
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# A port of 127.0.0.1 that nothing has, below those that the kernel gives out by itself.
free_port()
{
	perl -MIO::Socket::INET -e '
		for (1 .. 200) {
			my $port = 10000 + int rand 20000;
			my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port,
				Proto => "tcp", Listen => 1) or next;
			print "$port\n";
			exit 0;
		}
		exit 1'
}

write_conf()
{
	cat >"$cluster/etc/slurm.conf" <<END
ClusterName=two
SlurmctldHost=login(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdPidFile=$cluster/%n/slurmd.pid
SlurmdLogFile=$cluster/%n/slurmd.log
SlurmdSpoolDir=$cluster/%n/spool
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$cluster/completed
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,defer_batch
MpiDefault=none
PlugStackConfig=$cluster/etc/plugstack.conf
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=5
InactiveLimit=0
KillWait=1
CompleteWait=0
MinJobAge=300
BatchStartTimeout=30
JobRequeue=1
MaxArraySize=1000
NodeName=n1 NodeAddr=127.0.0.1 Port=$(free_port) CPUs=64 RealMemory=1000
NodeName=n2 NodeAddr=127.0.0.1 Port=$(free_port) CPUs=64 RealMemory=1000
PartitionName=main Nodes=n1,n2 Default=YES OverSubscribe=YES MaxTime=60 State=UP
END
	echo "$1" >"$cluster/etc/plugstack.conf"
	# Read although nothing here asks for control groups.
	echo 'CgroupAutomount=no' >"$cluster/etc/cgroup.conf"
}

node_tmp()
{
	echo "$cluster/$1/tmp"
}

# What runs as the node's first process: everything else of the node dies with it. It takes the
# place of init, too: it lets the kernel reap what nobody waits for.
node_start()
{
	mkdir -p "$cluster/$1/tmp" "$cluster/$1/spool" && chmod 1777 "$cluster/$1/tmp" || return 1
	rm -f "$cluster/$1/up"
	[ -s "$cluster/$1/boot_id" ] ||
		cat /proc/sys/kernel/random/uuid >"$cluster/$1/boot_id" || return 1
	# The inner shell expands.
	# shellcheck disable=SC2016
	unshare --uts --mount --pid --fork --kill-child --mount-proc --propagation private sh -c '
		hostname "$1" || exit 1
		mount --bind "$2/$1/boot_id" /proc/sys/kernel/random/boot_id || exit 1
		# The work folder stays where it is, even below /tmp.
		case $3/ in
		/tmp/*)
			here=$2/$1/tmp/${3#/tmp/}
			mkdir -p "$here" && mount --bind "$3" "$here" || exit 1
			;;
		esac
		mount --rbind "$2/$1/tmp" /tmp || exit 1
		slurmd -N "$1" -f "$2/etc/slurm.conf" || exit 1
		: >"$2/$1/up"
		exec perl -e "\$SIG{CHLD} = q(IGNORE); sleep while 1"' \
		node "$1" "$cluster" "$work" >>"$cluster/$1/node.log" 2>&1 </dev/null &
	eval "node_$1=\$!"
	cluster_processes="$cluster_processes $!"
	until_true test -e "$cluster/$1/up"
}

# node_init N: the pid of the node's first process, seen from outside.
node_init()
{
	eval "set -- \$node_$1"
	cat "/proc/$1/task/$1/children"
}

on_node()
{
	pid=$(node_init "$1")
	shift
	# shellcheck disable=SC2086 # a number and a blank
	nsenter -t $pid -u -m -p -- "$@"
}

# A waiting shell would say that it was killed.
node_kill()
{
	eval "set -- \$node_$1"
	kill -9 "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

slurm()
{
	env -u PERFMON_LIBRARY -u PERFMON_OUTPUT_PREFIX SLURM_CONF="$cluster/etc/slurm.conf" "$@"
}

job_over()
{
	[ -z "$(slurm squeue -h -j "$1" 2>/dev/null)" ]
}

site_install()
{
	mkdir -p "$site/bin" "$site/perfmon/slurm"
	cp "$PERFMON" "$PERFMON_LIBRARY" "$site/bin/" || return 1
	for script in epilog.sh taskprolog.sh taskepilog.sh; do
		sed "s|@bindir@|$site/bin|g; s|@localstatedir@|$site/var|g" "$abs_top_srcdir/slurm/$script.in" \
			>"$site/perfmon/slurm/$script" || return 1
		chmod 755 "$site/perfmon/slurm/$script"
	done
}

# nodes_idle COUNT
nodes_idle()
{
	[ "$(slurm sinfo -h -t idle -o %D 2>/dev/null)" = "$1" ]
}

cluster_up()
{
	chmod 711 "$work"
	mkdir -p "$cluster/etc" "$cluster/munge" "$cluster/state" && write_conf "${1-}" || return 1
	chmod 755 "$cluster" "$cluster/munge"
	dd if=/dev/urandom of="$cluster/munge/key" bs=1 count=1024 2>/dev/null
	chmod 400 "$cluster/munge/key"
	chown -R munge: "$cluster/munge"
	setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --num-threads=2 \
		--key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
		--pid-file="$cluster/munge/pid" --log-file="$cluster/munge/log" \
		--seed-file="$cluster/munge/seed" >/dev/null 2>&1 &
	cluster_processes="$cluster_processes $!"
	until_true test -S "$cluster/munge/socket" || return 1
	# Of a host name that slurm.conf knows.
	# shellcheck disable=SC2016
	unshare --uts sh -c 'hostname login && exec slurmctld -D -c -f "$1"' \
		sh "$cluster/etc/slurm.conf" >"$cluster/slurmctld.out" 2>&1 &
	cluster_processes="$cluster_processes $!"
	node_start n1 && node_start n2 && until_true nodes_idle 2
}

cluster_down()
{
	for process in $cluster_processes; do
		kill -9 "$process" 2>/dev/null
		wait "$process" 2>/dev/null
	done
	cluster_processes=
}
