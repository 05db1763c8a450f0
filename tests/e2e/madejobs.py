"""Jobs that are made up: rows of table job beside the only one that a database has, with tags, of values as they come."""
import random, sqlite3
import os, subprocess
# All figures, as perfmon says where one is none.
features = subprocess.run([os.environ["PERFMON"], "outliers", "--feature", "?"], stderr=subprocess.PIPE,
    universal_newlines=True).stderr.split("figure:")[1].replace(",", " ").split()
def make(path, groups, seed):
    """groups: name -> (tags, {feature: values})"""
    db = sqlite3.connect(path)
    db.execute("DELETE FROM job WHERE id > 1")
    db.execute("DELETE FROM tag_set")
    db.execute("CREATE TEMP TABLE j AS SELECT * FROM job")
    n, truth = 1, {}
    for name, (tags, values) in groups.items():
        for i in range(len(next(iter(values.values())))):
            n += 1
            row = {"id": n, "jobid": str(9000 + n), "name": None if tags else name, "start_us": 1700000000000000 + n}
            row.update({f: None for f in features})
            row.update({f: v[i] for f, v in values.items()})
            db.execute("UPDATE j SET " + ", ".join('"%s" = ?' % k for k in row), list(row.values()))
            db.execute("INSERT INTO job SELECT * FROM j")
            for tag, value in tags.items():
                db.execute("INSERT INTO tag_set VALUES (?, 0, ?, ?)", (n, tag, value))
            truth.setdefault(name, []).append(n)
    db.commit()
    return truth
