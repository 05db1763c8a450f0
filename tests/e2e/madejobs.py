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
    columns = {c[1]: at for at, c in enumerate(db.execute("PRAGMA table_info(job)"))}
    first = list(db.execute("SELECT * FROM job").fetchone())
    for f in features:
        first[columns[f]] = None
    n, truth, rows, tagged = 1, {}, [], []
    for name, (tags, values) in groups.items():
        for i in range(len(next(iter(values.values())))):
            n += 1
            row = first[:]
            row[columns["id"]], row[columns["jobid"]], row[columns["start_us"]] = n, str(9000 + n), 1700000000000000 + n
            row[columns["name"]] = None if tags else name
            for f, v in values.items():
                row[columns[f]] = v[i]
            rows.append(row)
            tagged += [(n, tag, value) for tag, value in tags.items()]
            truth.setdefault(name, []).append(n)
    db.executemany("INSERT INTO job VALUES (%s)" % ", ".join("?" * len(columns)), rows)
    db.executemany("INSERT INTO tag_set VALUES (?, 0, ?, ?)", tagged)
    db.commit()
    return truth
