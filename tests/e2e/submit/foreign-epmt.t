#!/bin/sh
# Archives of EPMT: metadata in a Python pickle of any protocol, of which nothing is executed; secrets
# do not come along; a pickle that is damaged or something else does not keep the rest from loading.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

# Recorded by EPMT's collector; not part of the tree.
samples=${PM_SAMPLES:-$abs_top_srcdir/../shared/samples}

if ! need python3 sqlite3; then
	skip "foreign-epmt" "no $missing to make pickles with"
	done_testing
fi

# submit NAME ARG...: into a database of that name.
submit()
{
	PERFMON_DB=$work/$1.db
	export PERFMON_DB
	shift
	"$PERFMON" submit "$@" >out 2>err
}

python3 - <<'END' || exit 99
import datetime, os, pickle, tarfile, io

utc = datetime.timezone.utc
east = datetime.timezone(datetime.timedelta(hours=-5), "EST")
second = datetime.timedelta(seconds=1)
start = datetime.datetime(2023, 11, 14, 22, 13, 19, 500000, tzinfo=utc)
env = {"SLURM_JOB_ID": "17", "SLURM_JOB_NAME": "train", "SLURM_JOB_PARTITION": "long",
       "SLURM_JOB_UID": "1000", "SLURM_JOB_NUM_NODES": "1", "MY_PASSWORD": "hunter2hunter2",
       "URL": "https://me:hunter2hunter2@host/x", "PATH": "/bin", "GONE": "1", "CHANGED": "1",
       "EPMT_JOB_TAGS": "exp:one;bare"}
stop = dict(env, CHANGED="2", NEW_TOKEN="hunter2hunter2")
del stop["GONE"]
meta = {"job_pl_id": "17", "job_pl_hostname": "n1", "job_pl_username": "alice",
        "job_pl_submit_ts": start - 60 * second, "job_pl_start_ts": start, "job_pl_env": env,
        "job_el_env": stop, "job_el_stop_ts": start + 10 * second, "job_el_exitcode": 3,
        "job_el_reason": "timeout", "annotations": {"note": "warm \u6f22", "token": "hunter2hunter2"}}

header = "{usertime,systemtime}\ttags\thostname\texename\tpath\texitcode\texitsignal\tpid\tgeneration\tppid\tpgid\tsid\tnumtids\tstart\tend\targs\n"
lines = "{10,20}\t\tn1\tcat\t/bin/cat\t0\t0\t100\t0\t1\t1\t1\t1\t1700000000000000\t1700000000000009\tx\n"

def archive(name, metadata):
    with tarfile.open(name, "w:gz") as tar:
        for member, data in (("./job_metadata", metadata), ("./n1-papiex-header.tsv", header.encode()),
                             ("./n1-papiex.tsv", lines.encode())):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))

for protocol in range(6):
    archive("p%d.tgz" % protocol, pickle.dumps(meta, protocol))

# The same as Python 2 writes it: texts are bytes.
archive("python2.tgz", b"\x80\x02}(U\x09job_pl_idU\x0217U\x0fjob_pl_usernameU\x05aliceU\x0fjob_pl_start_ts"
        b"cdatetime\ndatetime\nU\x0a\x07\xe7\x0b\x0e\x11\x0d\x13\x07\xa1\x20cpytz\n_p\n"
        b"(U\x0aUS/EasternJ\xb0\xb9\xff\xffK\x00U\x03ESTtR\x86Ru.")

# Times without a zone, in that of the job.
local = {k: v.astimezone(east).replace(tzinfo=None) if isinstance(v, datetime.datetime) else v
         for k, v in meta.items()}
local["job_pl_env"] = dict(env, TZ="EST5EDT")
local["job_el_env"] = dict(stop, TZ="EST5EDT")
archive("local.tgz", pickle.dumps(local))
archive("zone.tgz", pickle.dumps(dict(meta, **{k: v.astimezone(east) for k, v in meta.items()
                                               if isinstance(v, datetime.datetime)})))

# What a pickle must not be able to do.
class Call:
    def __reduce__(self):
        return os.system, ("touch %s/executed" % os.getcwd(),)
class Exec:
    def __reduce__(self):
        return exec, ("open(%r, 'w')" % (os.getcwd() + "/executed"),)
for n, thing in enumerate((Call(), Exec(), datetime.date(2023, 1, 1), {1, 2}, object(), ValueError("x"))):
    archive("evil%d.tgz" % n, pickle.dumps(dict(meta, extra=thing), 3))
archive("getattr.tgz", b"cposix\nsystem\n(S'touch executed'\ntR.")
archive("inst.tgz", b"(S'touch executed'\niposix\nsystem\n.")
archive("persistent.tgz", b"Pid\n.")
archive("extension.tgz", b"\x80\x02\x82\x01.")
archive("build.tgz", b"\x80\x02}}b.")
archive("newobj.tgz", b"\x80\x02cbuiltins\nlist\n)\x81.")
archive("later.tgz", b"\x80\x06}.")
archive("marks.tgz", b"(" * 3000000)
archive("deep.tgz", b"]" * 2000000 + b"a" * 1999999 + b".")
archive("memo.tgz", b"\x80\x02}r\xff\xff\xff\xff.")
archive("laughs.tgz", b"\x80\x02]" + b"".join(b"q%c(h%ch%ch%ch%ch%ch%ct" % (i, i, i, i, i, i, i) for i in range(200)) + b".")
archive("huge.tgz", b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.")
archive("list.tgz", pickle.dumps([meta]))
archive("empty.tgz", b"")
archive("text.tgz", b"[settings]\njob=17\n")
whole = pickle.dumps(meta, 3)
for n in (1, 2, 100, len(whole) // 2, len(whole) - 1):
    archive("cut%d.tgz" % n, whole[:n])
END

# --- every protocol says the same ---------------------------------------------------------------
job='SELECT jobid, "user", name, scheduler, queue, nodes, uid, submit_us, epoch_us, start_us, end_us, exit_status, annotations, facts, tags, problems, rejected FROM job'
host='SELECT hostname, start_time_us, stop_time_us, start_environment, stop_environment_changes FROM host'
want_job='17|alice|train|slurm|long|1|1000|1699999939500000|1699999999500000|1699999999500000|1700000009500000|3|{"note":"warm 漢","token":"[redacted]"}|{"exit_reason":"timeout"}|{"exp":"one","bare":"1"}||0'
want_host='n1|1699999999500000|1700000009500000|{"SLURM_JOB_ID":"17","SLURM_JOB_NAME":"train","SLURM_JOB_PARTITION":"long","SLURM_JOB_UID":"1000","SLURM_JOB_NUM_NODES":"1","MY_PASSWORD":"[redacted]","URL":"https://me:[redacted]@host/x","PATH":"/bin","GONE":"1","CHANGED":"1","EPMT_JOB_TAGS":"exp:one;bare"}|{"CHANGED":"2","NEW_TOKEN":"[redacted]","GONE":null}'
for protocol in 0 1 2 3 4 5; do
	submit "p$protocol" "p$protocol.tgz"
	is "$? $(cat err)" "0 " "protocol $protocol: loaded"
	is "$(query "$job")" "$want_job" "protocol $protocol: the job"
	is "$(query "$host")" "$want_host" "protocol $protocol: its environment, without secrets"
done
is "$(query 'SELECT name, value FROM tag ORDER BY 1')" "bare|1
exp|one" "its tags"
is "$(query 'SELECT count(*) FROM process')" 1 "its processes"
grep -l hunter2 ./*.db
is $? 1 "no database has a secret"
# What files held is kept, compressed, to be put together with what comes late.
python3 -c '
import sqlite3, subprocess, sys, zlib
unpack = {"": lambda b: b, "deflate": zlib.decompress,
          "zstd": lambda b: subprocess.run(["zstd", "-dcq"], input=b, stdout=subprocess.PIPE, check=True).stdout}
parts = {}
for load, coding, data in sqlite3.connect(sys.argv[1]).execute("SELECT load_id, coding, bytes FROM content ORDER BY load_id, part"):
    parts[load] = coding, parts.get(load, ("", b""))[1] + data
for coding, data in parts.values():
    sys.stdout.buffer.write(unpack[coding](data))' p3.db >content
grep -q hunter2 content
is "$? $(grep -c '"jobid":"17"' content)" "1 1" "nor has what is kept of the files"
submit p3 p3.tgz
is "$? $(cat out)" "0 job 17: already loaded, nothing new" "the same again: a no-op"
submit zone zone.tgz
is "$(query "$job")" "$want_job" "times in another zone are the same times"
submit local local.tgz
is "$(query 'SELECT submit_us, epoch_us FROM job')" "1699999939500000|1699999999500000" "times of no zone are in that of the job"
submit python2 python2.tgz
is "$(query 'SELECT jobid, "user", epoch_us FROM job')|$(query 'SELECT hostname FROM host')" "17|alice|1699999999500000|n1" \
	"what Python 2 wrote"
PERFMON_ENVIRONMENT=none submit none p3.tgz
is "$(query 'SELECT count(*) FROM host WHERE start_environment IS NULL AND stop_environment_changes IS NULL')" 1 \
	"environment=none: no environment is loaded"

# --- what is no data ------------------------------------------------------------------------------
for evil in evil0 evil1 evil2 evil3 evil4 evil5 getattr inst persistent extension build newobj later marks deep \
	memo laughs huge list empty text cut1 cut2 cut100; do
	submit "$evil" "$evil.tgz"
	is "$? $(query 'SELECT jobid, processes, rejected FROM job')" "1 $evil.tgz|1|0" "$evil: exit status 1, the rest loads"
	grep -q '^perfmon: warning: .*job_metadata: ' err
	ok $? "$evil: said why"
done
ls executed 2>/dev/null
is $? 2 "nothing was executed"
is "$(sed -n 's/.*job_metadata: //p' err)" "not a pickle of data: it is truncated" "the reason of a cut one"
submit evil0 evil0.tgz
submit again evil0.tgz
sed -n 's/.*job_metadata: //p' err | grep -q '^it refers to posix.system, which is not data$'
ok $? "the reason of one that calls something"

# --- recorded -------------------------------------------------------------------------------------
if [ -d "$samples/epmt" ]; then
	submit sample "$samples/epmt/804280.tgz"
	is "$? $(sed 's/rejected, .*/rejected/' out)" "0 job 804280: 45 processes, 49 threads, 0 rejected" "an archive of EPMT"
	is "$(query 'SELECT "user", name, scheduler, exit_status, annotations, start_us, end_us, failed, killed FROM job')" \
		'u.ser|ESM4_historical_ocean_00050101|slurm|0|{"note":"made for tests"}|1795222124900000|1795222125500000|4|2' \
		"its metadata"
	is "$(query "SELECT name, value FROM tag WHERE process_id = 0 ORDER BY 1")" "exp_component|ocean
exp_name|ESM4
exp_time|00050101" "its tags"
	is "$(query "SELECT json_extract(start_environment, '\$.API_TOKEN'), json_extract(start_environment, '\$.HOME'), stop_environment_changes FROM host")" \
		'[redacted]|/home/u|{"NEWVAR":"1"}' "its secret is redacted"
	grep -q s3cr3t sample.db
	is $? 1 "and is nowhere in the database"
else
	skip "archives recorded by EPMT" "no $samples"
fi

done_testing
