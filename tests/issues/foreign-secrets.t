#!/bin/sh
# Secrets in the arguments of what papiex and EPMT recorded do not get into the database, nor into what
# convert writes, with the settings that nobody changed: rows and kept content had them as they were.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "secrets of other tools" "no $missing"
	done_testing
fi
python3 - <<'END' || exit 99
import json, os, shlex, sqlite3

commands = []
for name in ("secrets", "secrets-options"):
    for line in open(os.environ["abs_top_srcdir"] + "/tests/data/" + name):
        # What bash gives to a standard input is no argument.
        if line.strip() and not line.startswith("#") and "<<<" not in line:
            try:
                words = shlex.split(line.replace("{{", "").replace("}}", ""))
            except ValueError:
                continue
            args = " ".join(words[1:]).replace("\t", " ")
            commands.append((os.path.basename(words[0]), args))
commands.append(("sh", '-c "a,b" \\ c, --x'))  # no secret
fixed = "tags hostname exename path exitcode exitsignal pid generation ppid pgid sid numtids start end args".split()


def values(pid, program, args):
    about = {"tags": "token:Zq7xaB3dE6gH9kL0mN;op:x", "hostname": "n1", "exename": program, "path": "/bin/" + program,
             "exitcode": "0", "exitsignal": "0", "pid": str(pid), "generation": "0", "ppid": "1", "pgid": "1",
             "sid": "1", "numtids": "1", "start": str(1700000000000000 + pid), "end": str(1700000000000009 + pid),
             "args": args}
    return [about[name] for name in fixed]


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace(",", "\\,")


os.makedirs("csv")
with open("csv/n1-papiex-1-0.csv", "w") as f:
    f.write(",".join(fixed + ["usertime"]) + "\n")
    for pid, (program, args) in enumerate(commands, 1000):
        f.write(",".join([escaped(v) for v in values(pid, program, args)] + ["10"]) + "\n")
os.makedirs("tsv")
open("tsv/n1-papiex-header.tsv", "w").write("{usertime,systemtime}\t" + "\t".join(fixed) + "\n")
with open("tsv/n1-papiex.tsv", "w") as f:
    for pid, (program, args) in enumerate(commands, 1000):
        f.write("{10,20}\t" + "\t".join(values(pid, program, args.replace("\n", " "))) + "\n")
db = sqlite3.connect("epmt.sqlite")
db.execute("CREATE TABLE jobs (jobid TEXT, user_id TEXT, start TEXT, end TEXT, info_dict TEXT)")
db.execute("CREATE TABLE processes (id INTEGER PRIMARY KEY, jobid TEXT, host_id TEXT, pid INTEGER, numtids INTEGER,"
           " exename TEXT, args TEXT, threads_df TEXT)")
db.execute("INSERT INTO jobs VALUES ('17', 'alice', NULL, NULL, '{\"tz\": \"UTC\"}')")
for pid, (program, args) in enumerate(commands, 1000):
    thread = dict(zip(fixed, values(pid, program, args)), tid=pid, usertime=10)
    db.execute("INSERT INTO processes (jobid, host_id, pid, numtids, exename, args, threads_df)"
               " VALUES ('17', 'n1', ?, 1, ?, ?, ?)", (pid, program, args, json.dumps([thread])))
db.commit()
open("count", "w").write(str(len(commands)))
END
count=$(cat count)
# Everything in a database, what is packed in it unpacked.
cat >everything.py <<'END'
import sqlite3, subprocess, sys, zlib

unpack = {"": lambda b: b, "deflate": zlib.decompress,
          "zstd": lambda b: subprocess.run(["zstd", "-dcq"], input=b, stdout=subprocess.PIPE, check=True).stdout}
db, parts = sqlite3.connect(sys.argv[1]), {}
for load, coding, data in db.execute("SELECT load_id, coding, bytes FROM content ORDER BY load_id, part"):
    parts[load] = coding, parts.get(load, ("", b""))[1] + data
for coding, data in parts.values():
    sys.stdout.buffer.write(unpack[coding](data))
sys.stdout.flush()
for line in db.iterdump():
    print(line)
END
submit() { PERFMON_DB=$work/$1.db "$PERFMON" submit "$2" >out 2>err; }
processes() { sqlite3 "$1.db" "SELECT count(*) FROM process"; }
for form in csv tsv epmt.sqlite; do
	submit $form $form
	is "$(processes $form):$(sqlite3 $form.db "SELECT count(*) FROM reject")" "$count:0" "$form: every process is there"
	is "$(python3 everything.py $form.db | grep -a -c Zq7x)" 0 "$form: and no secret"
	is "$(sqlite3 $form.db "SELECT args FROM process ORDER BY pid DESC LIMIT 1")" '-c "a,b" \\ c, --x' \
		"$form: what is none stays"
	submit $form $form
	is "$?:$(grep -c 'already loaded, nothing new' out)" "0:1" "$form: the same again is nothing new"
	PERFMON_DB=$work/$form.db "$PERFMON" redact -n '#1' >out 2>&1
	is "$(grep -c ': 0 secrets' out)" 1 "$form: redact finds nothing more" || diag "$(cat out)"
	"$PERFMON" convert -o $form.tar $form >out 2>err
	is "$(grep -a -c Zq7x $form.tar)" 0 "$form: nor has what convert writes"
	rm -f $form.full.db
	PERFMON_ARGS=full submit $form.full $form
	test "$(sqlite3 $form.full.db "SELECT count(*) FROM process WHERE args LIKE '%Zq7x%'")" -gt 600
	ok $? "$form: args=full has them"
	submit $form.full $form
	is "$(processes $form.full):$(sqlite3 $form.full.db "SELECT count(*) FROM reject")" "$count:0" \
		"$form: loaded again without them nothing is there twice"
done
done_testing
