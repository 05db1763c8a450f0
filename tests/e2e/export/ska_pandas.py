"""What scripts of SKA's sampler do with its tables, in pandas: ska_pandas.py cpu_metrics.csv cpu_metrics.json, or
ska_pandas.py metrics.h5 cpu_metrics.json KEY

Prints hosts, rows, and whether means and rates are those of the JSON."""
import json
import sys

import pandas

df = pandas.read_hdf(sys.argv[1], sys.argv[3]) if len(sys.argv) > 3 else pandas.read_csv(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as f:
    metrics = json.load(f)
assert list(df.columns[:2]) == ["Host", "Timestamps"], df.columns
assert all(t.kind in "if" for t in df.dtypes[1:]), df.dtypes
df["Datetime"] = pandas.to_datetime(df["Timestamps"], unit="s")
bad = 0
for host, data in df.groupby("Host"):
    of = metrics[host]
    seconds = data["Timestamps"].diff()
    for d in range(8):
        column = f"RAPL package {d} [uJ]"
        if column not in data.columns:
            continue
        watts = data[column].diff() / seconds / 1e6
        watts = watts.mask(watts.lt(0)).ffill().fillna(0)
        stored, times, last, want = of["rapl_powercap"][f"package-{d}"], of["time_stamps"], 0, []
        for i, v in enumerate(stored):
            if i and v is not None and stored[i - 1] is not None:
                last = (v - stored[i - 1]) / (times[i] - times[i - 1]) / 1e6
            want.append(last)
        bad += sum(abs(a - b) > 1e-6 * max(1, abs(b)) for a, b in zip(watts, want))
    known = [v for v in of["memory_percent"] if v is not None]
    bad += abs(data["Memory usage [%]"].mean() - sum(known) / len(known)) > 1e-6
    if "Memory (read) bandwidth [MiB/s]" in data.columns:
        known = [v for v in of["memory_bw"] if v is not None]
        mean = data["Memory (read) bandwidth [MiB/s]"].mean()
        bad += abs(mean * 2 ** 20 - sum(known) / len(known)) > 1 if known else mean == mean
print(df["Host"].nunique(), len(df), sum(df.isna().sum()) > 0, bad)
