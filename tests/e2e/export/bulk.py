"""Compare bulk documents with the same rows as lines of JSON: bulk.py KIND PREFIX BULK JSONL

Prints how many documents there are, how many ids, and how many differences. bulk.py --ids BULK prints the ids."""
import datetime
import json
import sys


def documents(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.read().split("\n")
    assert lines.pop() == "" and len(lines) % 2 == 0, "an action and a document each"
    return [(json.loads(a), json.loads(d)) for a, d in zip(lines[::2], lines[1::2])]


def compare(kind, prefix, bulk, jsonl):
    docs, bad = documents(bulk), 0
    with open(jsonl, encoding="utf-8", newline="\n") as f:
        rows = [json.loads(line) for line in f.read().split("\n")[:-1]]
    bad += len(docs) != len(rows)
    ids = set()
    for (action, doc), row in zip(docs, rows):
        what = action.pop("index")
        bad += bool(action) or set(what) != {"_index", "_id"} or what["_index"] != prefix + kind or len(what["_id"]) != 32
        ids.add(what["_id"])
        time = next((row[n] for n in ("time_us", "start_us", "begin_us", "epoch_us") if n in row), None)
        stamp = doc.pop("@timestamp", None)
        if time is None:
            bad += stamp is not None
        else:
            at = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=time)
            bad += stamp != at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        bad += list(doc) != list(row)
        for name, value in row.items():
            got = doc.get(name)
            if not isinstance(value, (dict, list)):
                same = type(got) is type(value) and got == value
                # A text may hold JSON that is no object.
                same = same or isinstance(got, str) and not isinstance(value, str) and json.loads(got) == value
            else:
                same = isinstance(got, str) and json.loads(got) == value
            bad += not same
            if not same and bad < 5:
                print(name, repr(got), repr(value))
    print(len(docs), len(ids), bad)


if __name__ == "__main__":
    if sys.argv[1] == "--ids":
        print("\n".join(sorted(a["index"]["_id"] for a, _ in documents(sys.argv[2]))))
    else:
        compare(*sys.argv[1:])
