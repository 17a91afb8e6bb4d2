"""Holds the READMEs' tables "Public dependencies" against rustdoc's JSON: DOC_FOLDER CRATE..."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = {"std", "core", "alloc"}
# Where an item is defined that another crate passes on.
PASSED_ON = {"serde-core": "serde", "clap-builder": "clap"}


def references(value):
    """The ids that a type, a bound or a re-export names."""
    if isinstance(value, list):
        for part in value:
            yield from references(part)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), int) and ("path" in value or "source" in value):
            yield value["id"]
        for part in value.values():
            yield from references(part)


def public(doc):
    """The other crates whose items the API of a crate names, and where it first does so."""
    names = {int(number): crate["name"] for number, crate in doc["external_crates"].items()}
    found = {}
    for item in doc["index"].values():
        implementation = item["inner"].get("impl", {})
        if item["crate_id"] or implementation.get("is_synthetic") or implementation.get("blanket_impl"):
            continue
        for reference in references(item["inner"]):
            crate = doc["paths"].get(str(reference), {}).get("crate_id")
            if crate:
                span = item["span"] or {"filename": "?", "begin": [0]}
                found.setdefault(names[crate].replace("_", "-"), f"{span['filename']}:{span['begin'][0]}")
    return {PASSED_ON.get(name, name): place for name, place in found.items() if name not in OWN}


faults = 0
for crate in sys.argv[2:]:
    doc = pathlib.Path(sys.argv[1], crate.replace("-", "_") + ".json")
    used = public(json.loads(doc.read_text()))
    section = (ROOT / crate / "README.md").read_text().partition("## Public dependencies")[2].partition("\n## ")[0]
    listed = {name.replace("_", "-") for name in re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)}
    print(f"{crate}: {', '.join(sorted(used))}")
    for name in sorted(used.keys() - listed):
        print(f"  {name} is in the API ({used[name]}), and not in the README")
    for name in sorted(listed - used.keys()):
        print(f"  {name} is in the README, and not in the API")
    faults += len(used.keys() ^ listed)
sys.exit(faults > 0)
