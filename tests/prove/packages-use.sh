# shellcheck shell=sh
# In a bare root without build tools: install the packages, use each, upgrade while a job runs, remove, purge. Prints
# "passed: STEP" or "FAILED: STEP"; ends with 1 if a step failed.
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
cd /srv/perfmon || exit 99
failed=0

# step STATUS WHAT
step()
{
	if [ "$1" -eq 0 ]; then
		echo "passed: $2"
	else
		echo "FAILED: $2"
		failed=1
	fi
}

# as_alice COMMAND: a shell command as a plain user.
as_alice()
{
	su alice -s /bin/sh -c "cd && $1"
}

# Every path of the system with its kind, owner and mode, and what is in the files of /etc. What says when something
# happened, and copies that tools leave of files they changed, are not part of it.
listing()
{
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /srv -o -path /var/log -o -path /var/cache \
		-o -path /var/lib/apt -o -path /var/lib/dpkg/triggers -o -path '/var/lib/dpkg/*-old' -o -path '/etc/*-' \
		-o -path /var/lib/systemd/catalog -o -path /root -o -path '/tmp/listing*' -o -path /.old \) -prune -o -printf '%y %m %U %G %p\n' |
		sort
	find /etc -xdev -type f ! -name '*-' ! -name ld.so.cache -exec cksum {} + | sort -k 3
}

# What the packages need, without them; then they add nothing but themselves.
apt-get update -q
needed=$(apt-get install -s --no-install-recommends ./v1/*.deb | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v perfmon)
# Words.
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $needed procps
useradd -m alice
listing >/tmp/listing.before
! command -v gcc && ! command -v cc && ! command -v make
step $? "there is no compiler"

dpkg -i v1/*.deb
step $? "install"
is_version=$(dpkg-query -W -f '${Version} ' perfmon libperfmon perfmon-sampler perfmon-slurm perfmon-doc | tr ' ' '\n' | sort -u | grep .)
[ "$(echo "$is_version" | wc -l)" -eq 1 ]
step $? "five packages of one version"
perfmon --version -v
step $? "perfmon --version -v"
! perfmon --version -v | sed -n '/^Libraries/,/^Database/p' | grep -E 'SQLite|zlib|libzstd|liblzma|libbz2|jansson' | grep -E 'not in|cannot'
step $? "what is linked is there"
dpkg -L perfmon libperfmon perfmon-sampler perfmon-slurm perfmon-doc | grep -E '^/usr/local|\.la$|\.a$'
[ $? -eq 1 ]
step $? "nothing lies where the site's own is"
as_alice "perfmon check library.file library.version library.mount config.files output.place job.record job.stage job.load"
step $? "perfmon check"

# --- a job -----------------------------------------------------------------------------------------
as_alice "perfmon -a -j 1 run sh -c 'ls / | sort | wc -l; exit 3'"
[ $? -eq 3 ] && as_alice "perfmon submit" && as_alice "perfmon report 1" >/tmp/report && grep -q 'sort' /tmp/report
step $? "record, submit, report"
[ "$(as_alice "perfmon list processes 1 --csv" | grep -c -E '\b(ls|sort|wc)\b')" -ge 3 ]
step $? "its programs are in the database"

# --- the parts -------------------------------------------------------------------------------------
id perfmon && [ "$(id -u perfmon)" -lt 1000 ]
step $? "the user of the node's series"
if command -v systemd-analyze; then
	for unit in perfmon-sample perfmon-node perfmon-forward perfmon-submit perfmon-submit-watch; do
		systemd-analyze verify --man=no "$unit.service" >/tmp/unit 2>&1
		status=$?
		cat /tmp/unit
		[ $status -eq 0 ] && ! grep -q 'perfmon-' /tmp/unit
		step $? "systemd-analyze verify $unit"
	done
fi
if command -v systemd-tmpfiles; then
	[ "$(stat -c '%a %U' /tmp/perfmon /var/spool/perfmon | tr '\n' ' ')" = "1777 root 1733 root " ]
	step $? "the directories of tmpfiles.d"
fi
[ ! -e /etc/systemd/system/multi-user.target.wants/perfmon-sample.service ]
step $? "no service is enabled"
mkdir -p /var/lib/perfmon-node && chown perfmon /var/lib/perfmon-node && chmod 1733 /var/spool/perfmon
PERFMON_OUTPUT_PREFIX=/var/lib/perfmon-node PERFMON_STAGE_TO=/var/spool/perfmon HOME=/ setpriv --reuid perfmon --clear-groups \
	--inh-caps -all,+dac_read_search --ambient-caps +dac_read_search --bounding-set -all,+dac_read_search \
	sh -c 'perfmon -a run -j node-x --sample 100ms sleep 1 && perfmon -q stage --all'
step $? "the node is sampled by its user"
as_alice "perfmon submit /dev/null" 2>/dev/null
archive=$(find /var/spool/perfmon -name 'node-x*.tgz')
[ -n "$archive" ] && perfmon --db /tmp/listing.db submit "$archive" &&
	[ "$(perfmon --db /tmp/listing.db list series '#1' --csv | wc -l)" -gt 10 ]
step $? "its series load"
rm -f "$archive" /tmp/listing.db*
as_alice "SLURM_JOB_ID=5 SLURM_JOBID=5 SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_JOB_USER=alice /usr/libexec/perfmon/slurm/taskprolog.sh" >/tmp/task
cat /tmp/task
grep -q '^export LD_PRELOAD=.*/perfmon/' /tmp/task
step $? "TaskProlog"
as_alice "SLURM_JOB_ID=5 SLURM_JOBID=5 SLURM_PROCID=0 SLURM_STEP_ID=0 /usr/libexec/perfmon/slurm/taskepilog.sh"
[ -n "$(find /usr/lib -path '*/perfmon/spank_perfmon.so')" ]
step $? "the SPANK plugin"

# --- an upgrade under a job ------------------------------------------------------------------------
as_alice "perfmon -a -j 2 run sh -c 'i=0; while [ \$i -lt 300 ]; do i=\$((i + 1)); /bin/true; sleep 0.05; done'" >/tmp/job 2>&1 &
job=$!
tries=0
until [ "$(cat /tmp/perfmon/alice/2/*.tsv 2>/dev/null | wc -l)" -gt 50 ] || [ $tries -gt 300 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
dpkg -i v2/*.deb
step $? "upgrade"
kill -0 $job
step $? "the job was running all the time"
wait $job
step $? "its end is as without"
[ ! -s /tmp/job ] || cat /tmp/job
[ ! -s /tmp/job ]
step $? "no program complained"
as_alice "perfmon submit" && [ "$(as_alice "perfmon list processes 2 --csv" | cut -d , -f 15 | grep -c -x true)" -eq 300 ]
step $? "each of its 300 programs is in the database"
as_alice "perfmon report 1" | diff /tmp/report - >/tmp/differs
step $? "the job from before reads as before"
cat /tmp/differs
[ "$(dpkg-query -W -f '${Version}' perfmon)" = "$is_version+1" ]
step $? "the version is the new one"

# --- and away --------------------------------------------------------------------------------------
as_alice "perfmon submit --remove -j 1; perfmon submit --remove -j 2; perfmon submit --remove -j 5"
dpkg -r perfmon-doc perfmon-slurm perfmon-sampler perfmon libperfmon
step $? "remove"
as_alice "sh -c '[ ! -e /usr/bin/perfmon ] && exit 4'"
[ $? -eq 4 ]
step $? "programs run as before"
dpkg --purge perfmon-doc perfmon-slurm perfmon-sampler perfmon libperfmon
step $? "purge"
find /tmp /home /var/spool /var/lib -path '*perfmon*' ! -path '/var/lib/dpkg/*'
# What the user made is the user's.
rm -rf /home/alice/.local /home/alice/.config /tmp/report /tmp/task /tmp/unit /tmp/job /tmp/differs
listing >/tmp/listing.after
diff /tmp/listing.before /tmp/listing.after
step $? "nothing of perfmon is left"
exit $failed
