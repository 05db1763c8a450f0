"""A job of texts that must stay inert wherever they are shown: as names of programs, arguments, tags, phases.

  hostileprogs.py run DIRECTORY PERFMON   runs a program for each text, below a recorder; the programs are made in the directory
  hostileprogs.py openmetrics PERFMON     runs programs of these names below a sampler, and prints how many of them labels of its
                                          file have, and those that none has
  hostileprogs.py check DATABASE JOBID    prints what the database and an export on standard input (processes, JSON) have of the
                                          arguments: what is missing, and how many there are
"""
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

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


def labels_of(path):
    """The values of the label command in a file for Prometheus, as bytes."""
    letters = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}
    found = set()
    with open(path, encoding="utf-8", newline="") as f:
        for line in f:
            # A line is a comment, or a name, labels in quotes and a number: nothing in a text ends it.
            assert line[0] == "#" or re.fullmatch(r'\w+(\{(\w+="([^"\\\n]|\\[\\"n])*",?)*\})? [-+.\w]+\n', line), line
            for label in re.findall(r'[{,]command="((?:[^"\\]|\\.)*)"', line):
                text = re.sub(r'\\(.)', lambda m: "\n" if m[1] == "n" else m[1], label)
                found.add(re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes.fromhex(m[1][1:].decode()) if len(m[1]) > 1 else
                                 letters[m[1].decode()], text.encode()))
    return found


def openmetrics(perfmon):
    """A name of a process has 15 bytes; the sampler shows so many at once."""
    names = sorted({t.replace(b"/", b"|")[:15] for t in TEXTS if t})
    found = set()
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file.prom")
        for at in range(0, len(names), 20):
            part, children = names[at:at + 20], []
            for name in part:
                program = os.path.join(os.fsencode(directory), name)
                shutil.copy(shutil.which("sleep"), program)
                children.append(subprocess.Popen([b"sleep", b"300"], executable=program))
            sampler = subprocess.Popen([perfmon, "-q", "sample", "--pid", str(os.getpid()), "-j", "names", "-d",
                                        os.path.join(directory, f"job{at}"), "--openmetrics", path, "-i", "100ms"])
            end = time.monotonic() + 60
            while not set(part) <= found and time.monotonic() < end:
                time.sleep(0.1)
                found |= labels_of(path) if os.path.exists(path) else set()
            for child in (sampler, *children):
                child.terminate()
                child.wait()
    print(len(found & set(names)), "of", len(names), "names", sorted(set(names) - found))


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
elif sys.argv[1] == "openmetrics":
    openmetrics(sys.argv[2])
else:
    check(*sys.argv[2:])
