# SPDX-License-Identifier: GPL-2.0-only
"""Compares the critical paths of requests with what chain_work counted itself. Usage: chain_live.py PATHS.json LEDGER"""
import json
import sys

document = json.load(open(sys.argv[1]))
ran_ns = {name: int(ns) for name, ns in (word.split("=") for word in sys.argv[2].split())}
waited_ns = ran_ns.pop("waited")
blamed_ns, sum_ns = {}, 0
for path in document["paths"]:
    at = path["begin_ns"]
    assert path["left_out_ns"] == 0, path
    for part in path["parts"]:
        # They do not overlap, and nothing is between them: what is blamed sums up to what was waited.
        assert part["begin_ns"] == at and part["end"] not in ("unseen", "circle"), (at, part)
        at = part["end_ns"]
        name = part["thread"]["name"]
        if name != "front":
            sum_ns += part["end_ns"] - part["begin_ns"]
        if part["end"] == "runs":
            blamed_ns[name] = blamed_ns.get(name, 0) + part["end_ns"] - part["begin_ns"]
    assert at == path["end_ns"], path
for name, ns in ran_ns.items():
    assert abs(blamed_ns.get(name, 0) - ns) <= 0.02 * ns, (name, blamed_ns.get(name, 0), ns)
assert abs(sum_ns - waited_ns) <= 0.02 * waited_ns, (sum_ns, waited_ns)
