# SPDX-License-Identifier: GPL-2.0-only
"""explore.py CASE DIR: what the report and the exploration in DIR say, in a line. Exit status: 0 the exploration names
the function that the report names first, or another one that is right (DIR/expect), or a reason why it cannot; 1 it
names another function as the one whose own code it is."""
import json
import os
import re
import sys

REASONS = {
    "open": "no rounds were left", "call": "it is a call, what is below was not probed",
    "cannot-be-split": "cannot be split further", "no-stacks": "no stacks", "no-function": "no function has a name",
    "spread": "no function inside has most of it", "too-few-requests": "too few of these requests came again",
    "did-not-vary-again": "they did not vary again", "budget": "the budget is spent",
}


def load(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return json.load(file)


def main():
    case, directory = sys.argv[1:]
    report, exploration = load(directory, "report.json"), load(directory, "explore.json")["exploration"]
    with open(os.path.join(directory, "expect"), encoding="utf-8") as file:
        right = re.split(r"[|+\n]", file.read().strip())
    first = report["findings"][0]["function"]["name"] if report["findings"] else None
    named = [(tree["function"] or tree["caller"], tree["end"]) for tree in exploration["trees"]]
    same = first and any(name == first for name, _end in named)
    also_right = any(name in right for name, _end in named)
    reason = not named or all(end != "found" for _name, end in named)
    words = "; ".join(f"{name or 'nothing'}" + (f" ({REASONS[end]})" if end != "found" else "") for name, end in named)
    verdict = "same" if same else "also right" if also_right else "reason" if reason else "DIFFERS"
    print(f"{case}\treport: {first}\texplore: {words or 'nothing varies'}\t{verdict}\t"
          f"{exploration['functions_probed']} of {exploration['functions']} functions, {exploration['rounds']} rounds, "
          f"overhead {100 * exploration['overhead']:.1f} of {100 * exploration['budget']:.0f} %")
    return verdict == "DIFFERS"


sys.exit(main())
