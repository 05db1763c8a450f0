#!/bin/sh
# Names, settings, metadata, records and what a database holds come from anybody: none of it may steer a terminal or turn
# the direction of text, in whatever perfmon prints. ESC, C1 controls and direction marks did, in dump, config, CSV, messages.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "outputs" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden/report
# ESC [31m, BEL, DEL, U+009B, a bare 9b, U+202E, U+2066, U+200B, U+2028, U+FEFF, a carriage return.
bad=$(printf 'x\033[31m\007\177\302\233z\2339\342\200\256\342\201\246\342\200\213\342\200\250\357\273\277\ry')
good=é

# What the files of each folder hold is text and nothing else; prints what is not, behind the command.
cat >look.py <<'END'
import os, sys
hostile = [(0x7f, 0x9f), (0xad, 0xad), (0x61c, 0x61c), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xfeff, 0xfeff),
           (0xdc80, 0xdcff)]
for folder, name in ((folder, name) for folder in sys.argv[1:] for name in ("out", "err", "csv")):
    text = open(os.path.join(folder, name), "rb").read()
    if name == "csv":
        text = text.replace(b"\r\n", b"\n")
    for number, line in enumerate(text.decode("utf-8", "surrogateescape").split("\n"), 1):
        for c in line:
            # DEL, which terminals pass over, is a character as any other to JSON.
            if ord(c) < 0x20 or c != "\x7f" and any(a <= ord(c) <= b for a, b in hostile):
                command = open(os.path.join(folder, "command"), "rb").read()
                print("%r: %s, line %d: %r" % (command, name, number, line[:120]))
                break
END
# says COMMAND...: perfmon prints something, and nothing of that kind.
said=0 silent=0
says()
{
	timeout 30 "$PERFMON" "$@" >out 2>err </dev/null
	case " $* " in *" --csv "*) mv out csv && : >out ;; *) : >csv ;; esac
	[ -s out ] || [ -s err ] || [ -s csv ] || silent=$((silent + 1))
	said=$((said + 1))
	keep "$*"
}
# keep NAME: what is in the files now, for clean to look at.
kept=0
keep()
{
	kept=$((kept + 1))
	mkdir -p "said/$kept" && printf '%s' "$1" >"said/$kept/command" && cp out err csv "said/$kept" || exit 99
}
clean()
{
	is "$(python3 look.py said/* 2>&1 || echo failed)" "" "$1"
	rm -r said
}

# --- messages -------------------------------------------------------------------------------------
mkdir "$bad" && : >"$bad/n.tsv" && : >"$bad.tgz" && : >"$bad.sqlite"
for verb in "submit" "submit --spool" "submit -n" "convert" "report" "show" "list" "list processes" "verify" "dump" "status" "annotate" \
	"delete -f" "copy" "stage" "stop -j" "start -j" "sources --root" "run" "drop -f -D" "help" "--no-such" "migrate" "check" \
	"dbsize" "retire --older-than" "schema --dialect" "run --tags" "exclude" "events" "redact"; do
	for name in "$bad" "$bad.tgz" "$bad.sqlite"; do
		# shellcheck disable=SC2086 # words
		says $verb "$name"
		[ "$name" = "$bad" ] || continue
		# shellcheck disable=SC2086 # words
		says $verb "$name" a=b
	done
done
clean "messages about names"
for verb in list "list jobs --json" "submit none" dbsize verify migrate "drop -f" "drop -n"; do
	# shellcheck disable=SC2086 # words
	PERFMON_DB=$work/$bad.db says $verb
done
clean "messages about a database of such a name"
PERFMON_TAGS=$bad PERFMON_OPTIONS=$bad PERFMON_DB=$work/$bad PERFMON_OUTPUT_PREFIX=$work/$bad PERFMON_STAGE_COMMAND=$bad says config
is "$(grep -c 'stage_command = x\\x1b\[31m\\x07\\x7f\\xc2\\x9bz\\x9b9\\xe2\\x80\\xae' out)" 1 "settings are shown, escaped"
PERFMON_TAGS=$bad PERFMON_STAGE_COMMAND=$bad says config --json
PERFMON_TAGS=$bad PERFMON_STAGE_COMMAND=$bad says help settings
PERFMON_TAGS=$bad PERFMON_STAGE_COMMAND=$bad says submit --help
mkdir config && mkdir config/perfmon && printf 'tags = %s\nno_%s = 1\n' "$bad" "$bad" >config/perfmon/perfmon.conf
says config
says check
rm config/perfmon/perfmon.conf
clean "settings, from the environment and from a file"

# --- metadata and records ---------------------------------------------------------------------------
mkdir job && python3 - "$golden/busy" job "$bad" "$good" <<'END' || exit 99
import glob, json, os, sys
golden, to, _, good = sys.argv[1:]
bad = os.fsencode(sys.argv[3])
def hurt(v, name):
    if isinstance(v, dict):
        return {k + (hostile if name in ("tags", "annotations", "environment") else ""): hurt(w, k) for k, w in v.items()}
    if isinstance(v, list):
        return [hurt(w, name) for w in v]
    return v + hostile if isinstance(v, str) and name not in ("format", "version", "boot_id", "jobid", "user") else v
hostile = good + bad.decode("utf-8", "replace")
for path in glob.glob(golden + "/job-*.json"):
    json.dump(hurt(json.load(open(path)), ""), open(to + "/" + os.path.basename(path), "w"))
for path in glob.glob(golden + "/*.tsv"):
    lines = open(path, "rb").read().split(b"\n")
    head = lines[0].split(b"\t")
    for i, line in enumerate(lines[1:], 1):
        field = line.split(b"\t")
        # As it may stand there: C1 and marks as they are, the rest as escapes.
        text = "\xc2\x9bz\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b".encode("latin-1") + rb"\x1b[31m\x07\x7f\x9b"
        for column in (b"exename", b"path", b"args", b"tags", b"thread_name", b"cgroup", b"container", b"step"):
            if column in head and len(field) == len(head) and field[head.index(column)] != rb"\N":
                field[head.index(column)] += text
        lines[i] = b"\t".join(field)
    lines.insert(-1, b"end\t" + bad)
    open(to + "/" + os.path.basename(path), "wb").write(b"\n".join(lines))
for path in glob.glob(golden + "/*.series"):
    open(to + "/" + os.path.basename(path), "wb").write(open(path, "rb").read() + b"series\t" + bad + b"\n")
END
printf 'perfmon-phases-1\n%s\n' "$bad" >"job/n.phases"
dump() { says dump job "$@"; }
dump
grep -q "é" out
ok $? "dump: what is no danger stays"
is "$(grep -c 'x\\x1b\[31m\\x07\\x7f\\xc2\\x9bz' out | tr -d '0')" "$(grep -c 'x\\x1b\[31m' out | tr -d '0')" "and what is can be had back"
dump --json
dump -k tags
dump -k tags --json
tar -czf "job$bad.tgz" job
says dump "job$bad.tgz"
clean "dump"
says submit --json job
says submit job
says submit "job$bad.tgz"
mkdir spool && cp "job$bad.tgz" spool && cp "$bad.tgz" spool
PERFMON_SPOOL_AGE=0 PERFMON_DB=$work/spooled.db says submit --spool spool
cat spool/failed/*.reason spool/loaded/*.reason >out 2>/dev/null
[ -s out ]
ok $? "a reason is written beside an archive"
keep "the reason"
says convert -o "$bad.out.tgz" job
says status job
says report job
says show job
clean "submit, and what is said of a directory"

# --- the database -----------------------------------------------------------------------------------
# Every text of every table, as no loader would write it.
db=$XDG_DATA_HOME/perfmon/perfmon.db
says list
python3 - "$db" "$bad" "$good" <<'END' || exit 99
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("pragma foreign_keys = off")
hostile = sys.argv[3] + os.fsencode(sys.argv[2]).decode("utf-8", "replace")
tables = [r[0] for r in db.execute("select name from sqlite_master where type = 'table' and name not in ('metric', 'schema_version', 'content')")]
for table in tables:
    for c in db.execute("select * from pragma_table_info('%s')" % table).fetchall():
        if not c[2].upper().startswith("TEXT") or (table, c[1]) in {("job", "jobid"), ("job", "annotations"), ("job", "tags")}:
            continue
        try:
            db.execute('update or ignore "%s" set "%s" = "%s" || ?' % (table, c[1], c[1]), (hostile,))
        except sqlite3.IntegrityError:
            pass
db.execute("insert or ignore into tag_set (job_id, id, name, value) values (1, 0, ?, ?)", (hostile, hostile))
db.execute("insert or ignore into annotation (job_id, name, value) values (1, ?, ?)", (hostile, hostile))
db.execute("update job set start_us = coalesce(start_us, 1), problems = ?", (hostile,))
db.commit()
END
id=$(sqlite3 "$db" 'SELECT min(id) FROM job')
for subject in jobs processes threads counters hosts tags metrics summaries phases; do
	for form in "" --json --csv; do
		for limit in 0 3; do
			# shellcheck disable=SC2086 # words
			says list $subject "#$id" $form --limit $limit --width 250
			[ $subject != jobs ] && [ $subject != metrics ] || break
		done
	done
done
says list --width 250
says list jobs --csv
says list jobs --json
clean "list"
for locale in C C.UTF-8; do
	for verb in show report "show --counters" "show --json" "report --json" "verify" "verify --json" "annotate" "delete -n" "status" "copy -n $db $work/copy.db" \
		"copy $db $work/copy-$locale.db" "dbsize" "dbsize --json" "retire -n --older-than 1s" "redact -n"; do
		case $verb in
		status | copy* | dbsize* | retire*) set -- ;;
		annotate) set -- "#$id" a=b ;;
		*) set -- "#$id" ;;
		esac
		# shellcheck disable=SC2086 # words
		LC_ALL=$locale says $verb "$@"
	done
done
says status --json
says list nothing
says delete -f "$bad/$bad/$bad"
says delete -f "#$id"
clean "report, show, and what changes a database"
[ $((said - silent)) -gt 150 ]
ok $? "$said commands were looked at"
done_testing
