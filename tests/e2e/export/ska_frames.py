"""DataFrames in metrics.h5 and the tables of CSV beside it are the same: ska_frames.py DIRECTORY JOBID

Prints how many frames, rows and values were compared, how many values are not known, and whether columns of integers are there."""
import os
import sys
import warnings

import pandas

directory, jobid = sys.argv[1:]
path = os.path.join(directory, "metrics.h5")
warnings.simplefilter("error")
with pandas.HDFStore(path, "r") as store:
    keys = set(store.keys())
counts, whole = [0, 0, 0, 0], False
for name in ("cpu_metrics", "perf_metrics", "nv_gpu_metrics"):
    want = pandas.read_csv(os.path.join(directory, name + ".csv"), float_precision="round_trip", keep_default_na=False, na_values=[""])
    key = f"{name}_{jobid}"
    if want.empty:
        assert "/" + key not in keys, keys
        continue
    got = pandas.read_hdf(path, key)
    pandas.testing.assert_frame_equal(got, want, check_exact=True)
    whole = whole or "i" in {t.kind for t in got.dtypes}
    some = pandas.read_hdf(path, key=key, start=1, stop=3)
    assert list(some.index) == list(got.index)[1:3] and list(some.columns) == list(got.columns)
    counts[0] += 1
    counts[1] += len(got)
    counts[2] += got.size
    counts[3] += int(got.isna().sum().sum())
assert len(keys) == counts[0], keys
print(*counts, whole)
