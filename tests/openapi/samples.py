"""Runs the samples in Python of a folder that need no id of a record, in their order."""

import contextlib
import io
import json
import os
import runpy
import sys
from pathlib import Path

welcome = json.loads(os.environ["CONNECT_WELCOME"])
location = welcome["locations"][0]["id"]
keys = {
    screen["type"]: screen["key"]
    for screen in welcome["screens"]
    if screen["locationId"] == location
}
os.environ |= {
    "CONNECT_URL": welcome["baseUrl"],
    "CONNECT_TOKEN": welcome["token"],
    "CONNECT_LOCATION": location,
    "CONNECT_ADMIN_URL": welcome["adminUrl"],
}

samples = sorted(Path(sys.argv[1]).glob("run-*.py"))
assert samples, "no samples"
for sample in samples:
    # Orders are made at a kiosk, all else that needs a key at a register.
    kind = "order_kiosk" if "Order" in sample.stem else "pos"
    os.environ["CONNECT_DEVICE_KEY"] = keys[kind]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(sample))
    assert printed.getvalue(), f"{sample.name} prints nothing"
print(f"{len(samples)} samples in Python ran")
