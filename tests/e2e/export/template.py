"""Map bulk documents as an index does with the template: template.py TEMPLATE BULK...

The rules are those of dynamic mapping: the first known value of a field decides its type, by the template or, without a rule
there, as it is by default; later values have to fit. Prints what an index would refuse or change, and at the end how many
fields and values there were and how many of those it would."""
import datetime
import json
import re
import sys

import bulk

# What the detection of dates takes: strict_date_optional_time, or yyyy/MM/dd.
DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d)?)?)?)?)?|\d{4}/\d\d/\d\d")
# The longest term that the index takes, and fields of an index.
TERM, FIELDS = 32766, 1000


def dynamic(value, mappings):
    """The mapping of a field by its first value."""
    kind = {bool: "boolean", int: "long", float: "double"}.get(type(value), "string")
    if kind == "string" and mappings.get("date_detection", True) and DATE.fullmatch(value):
        kind = "date"
    for rule in mappings.get("dynamic_templates", []):
        [rule] = rule.values()
        if rule["match_mapping_type"] in (kind, "*"):
            return rule["mapping"]
    return {"double": {"type": "float"}, "string": {"type": "text"}}.get(kind, {"type": kind})


def fits(value, mapping):
    """Whether the index has the value as it is."""
    kind = mapping["type"]
    if kind == "date":
        return isinstance(value, str) and bool(DATE.fullmatch(value))
    if kind == "keyword":
        # Longer ones are in the document, but cannot be looked for.
        return isinstance(value, str) and (len(value) > mapping.get("ignore_above", 1 << 31) or len(value.encode()) <= TERM)
    if kind == "long":
        return isinstance(value, int) and -1 << 63 <= value < 1 << 63
    if kind == "double":
        return isinstance(value, (int, float))
    # A text cannot be grouped by, and a float has not all digits.
    return False


def main():
    template = json.load(open(sys.argv[1], encoding="utf-8"))
    patterns = [re.compile(re.escape(p).replace(r"\*", ".*")) for p in template["index_patterns"]]
    mappings = template["template"]["mappings"]
    fields, values, bad = {}, 0, 0
    for path in sys.argv[2:]:
        for action, doc in bulk.documents(path):
            index = action["index"]["_index"]
            if not any(p.fullmatch(index) for p in patterns):
                bad += 1
                print("not of the template:", index)
            of_index = fields.setdefault(index, dict(mappings.get("properties", {})))
            for name, value in doc.items():
                if value is None:
                    continue
                values += 1
                mapping = of_index.setdefault(name, dynamic(value, mappings))
                if not fits(value, mapping):
                    bad += 1
                    print(f"{index}.{name}, {mapping['type']}: {value!r:.80}")
                if name == "@timestamp":
                    datetime.datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ")
    for index, of_index in fields.items():
        if len(of_index) > FIELDS:
            bad += 1
            print(f"{index}: {len(of_index)} fields")
    print(sum(map(len, fields.values())), values, bad)


if __name__ == "__main__":
    main()
