"""What came out of a notebook: notebook.py check FILE | notebook.py outputs FILE

check      prints what is wrong with a notebook that is shipped
outputs    prints the number of pictures, then the texts of its outputs"""
import json
import sys

book = json.load(open(sys.argv[2], encoding="utf-8"))
cells = book["cells"]
if sys.argv[1] == "check":
    if (book["nbformat"], book["nbformat_minor"]) != (4, 5) or book["metadata"]["kernelspec"]["name"] != "python3":
        print("format or kernel")
    if len({c["id"] for c in cells}) != len(cells):
        print("ids of cells")
    for c in cells:
        if c["cell_type"] == "code" and (c["outputs"] or c["execution_count"] is not None):
            print("%s has been run" % c["id"])
    try:
        import nbformat
        nbformat.validate(nbformat.from_dict(book))
    except ImportError:
        pass
else:
    outputs = [o for c in cells if c["cell_type"] == "code" for o in c["outputs"]]
    print(len([o for o in outputs if "image/png" in o.get("data", {})]), "pictures")
    for o in outputs:
        print("".join(o.get("text", o.get("data", {}).get("text/plain", o.get("traceback", "")))))
