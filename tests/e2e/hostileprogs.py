"""A job of texts that must stay inert wherever they are shown: as names of programs, arguments, tags, phases.

  hostileprogs.py run DIRECTORY PERFMON   runs a program for each text, below a recorder; the programs are made in the directory
  hostileprogs.py check DATABASE JOBID    prints what the database and an export on standard input (processes, JSON) have of the
                                          arguments: what is missing, and how many there are
"""
import json
import os
import shlex
import shutil
import sqlite3
import sys

TEXTS = [
    b"", b" ", b"a" * 65536, b"\t", b"line\nbreak", b"\r", b"\\", b'"', b"'", b"`id`", b"$(id)", b"${HOME}", b"%s%n", b"../../etc/passwd", b"-rf", b"--help",
    b"#4711", b"</script><img src=x onerror=alert(1)>", b"<!--", b"]]>", b"&lt;", b"javascript:alert(1)", "\u2028".encode(), "\u2029".encode(), "a\u202eb".encode(),
    "a\u200bb".encode(), "\ufeff".encode(), "e".encode() + "\u0301".encode() * 50, "\U0001f469\u200d\U0001f469\u200d\U0001f467".encode(), "\u00e9".encode(),
    "e\u0301".encode(), b"\x1b[31m", b"\x1b]0;x\x07", b"\xc2\x9b31m", b"\x7f", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x82", b"=1+cmd|'/C calc'!A0", b"+1", b"-1",
    b"@SUM(1)", b"NULL", b"\\N", b"nan", b"inf", b"-0", b"1e999", b"9223372036854775807", b"true", b"'; DROP TABLE job;--", b'" OR 1=1', b'{"a":1}', b"{{7*7}}",
    b"a{b}c,d=e", b"args", b"report", b"process", b"csv",
]


def run(directory, perfmon):
    program = shutil.which("true")
    for number, text in enumerate(TEXTS):
        name = text.replace(b"/", b"|")[:255]
        path = os.path.join(os.fsencode(directory), b"%d" % number, name)
        os.mkdir(os.path.dirname(path))
        if not name or name in (b".", b".."):
            path = os.fsencode(program)
        else:
            shutil.copy(program, path)
        env = dict(os.environb)
        # A text that sets no tag is told by the recorder, which is not looked at here.
        env[b"PERFMON_TAGS"] = b"number:%d;text:%s" % (number, text[:4000])
        pid = os.fork()
        if pid == 0:
            os.execve(path, [name or b"true", text, b"end"], env)
        os.waitpid(pid, 0)
    os.spawnv(os.P_WAIT, "/bin/sh", ["sh", "-c", "exit 3"])
    for text in TEXTS:
        if text and len(text) < 200:
            for verb in ("begin", "end"):
                os.spawnv(os.P_WAIT, perfmon, [perfmon, "-q", "mark", verb, "--", text])


def check(database, jobid):
    db = sqlite3.connect(database)
    found = set()
    cut = 0
    for row in json.load(sys.stdin):
        exact = json.loads(row["exact"]) if isinstance(row["exact"], str) else row["exact"]
        words = exact["args"] if exact and "args" in exact else shlex.split(row["args"] or "")
        words = [bytes.fromhex(w.get("hex", "")) if isinstance(w, dict) else w.encode() for w in words]
        if words[-1:] == [b"end"] and words[-2] in TEXTS:
            found.add(words[-2])
        elif row["exename"].startswith("aaaa"):
            cut += 1
    missing = [t for t in TEXTS if t not in found and len(t) < 49152]
    tags = db.execute("""SELECT count(DISTINCT t.process_id) FROM tag t JOIN job j ON j.id = t.job_id
        WHERE j.jobid = ? AND t.name = 'number'""", (jobid,)).fetchone()[0]
    if missing:
        print("not found:", missing)
    print(len(found), "texts,", cut, "cut,", tags, "of their processes have tags")


if sys.argv[1] == "run":
    run(*sys.argv[2:])
else:
    check(*sys.argv[2:])
