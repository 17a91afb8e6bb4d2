"""Prints the status that a receiver gives for each vector, one in a line.

Arguments: the module with `verify`, and vectors.json.
"""

import json
import runpy
import sys

verify = runpy.run_path(sys.argv[1])["verify"]


def raw(body):
    if "text" in body:
        return body["text"].encode()
    if "hex" in body:
        return bytes.fromhex(body["hex"])
    return body["repeat"].encode() * body["times"]


with open(sys.argv[2], encoding="utf-8") as file:
    cases = json.load(file)["cases"]
for case in cases:
    if "header_hex" in case:
        header = bytes.fromhex(case["header_hex"])
    else:
        header = None if case["header"] is None else case["header"].encode()
    print(verify(header, raw(case["body"]), case["secrets"], case["now"], case["tolerance"]))
