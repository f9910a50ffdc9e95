# SPDX-License-Identifier: GPL-2.0-only
"""Compares the page of a report, as a browser has it after its scripts ran, with the same report as JSON and text.

Usage: report_html.py DOM JSON TEXT [chart|plain]     what metrics over time are drawn with; chart: the library
"""
import html.parser
import json
import pathlib
import sys

VOID = {"meta", "br", "img", "link", "input", "hr", "base"}
# What the page's own scripts make. What names of the target would make is not among them.
KNOWN = set("""html head meta title style body main div section header h1 h2 h3 p span b i ul ol li code pre button details summary
table tbody tr th td script canvas svg g rect line path circle text""".split())


class Page(html.parser.HTMLParser):
    """The text of elements that are asked for, and what there is."""

    def __init__(self):
        super().__init__()
        self.open, self.figures, self.tags, self.bad = [], [], {}, []
        self.by_id = {}
        self.titles, self.headings = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name in attributes:
            if name.startswith("on") or name in ("src", "href", "srcdoc", "action"):
                self.bad.append(f"<{tag} {name}>")
        element = {"tag": tag, "attributes": attributes, "text": ""}
        if "data-place" in attributes and "data-format" in attributes:
            self.figures.append(element)
        if "id" in attributes:
            self.by_id[attributes["id"]] = element
        if tag == "title":
            self.titles.append(element)
        if tag == "h2":
            self.headings.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data


def fixed(value):
    return f"{value:.{0 if value >= 100 or value == 0 else 1 if value >= 1 else 2}f}"


def time(ns):
    if 0 < ns < 10:
        return f"{fixed(ns)} ns"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= 0.1 * unit or name == "µs":
            return f"{fixed(ns / unit)} {name}"


def share(value):
    return "< 0.1 %" if 0 < value < 0.001 else f"{100 * value:.{1 if value < 0.1 else 0}f} %"


def alike(one, other):
    """The last digit may be rounded the other way where a value is halfway."""
    if one == other:
        return True
    first, second = one.replace(",", "").split(" "), other.replace(",", "").split(" ")
    try:
        return first[1:] == second[1:] and abs(float(first[0]) - float(second[0])) <= 1.01 * 10 ** -len(first[0].partition(".")[2])
    except ValueError:
        return False


formats = {"time": lambda v: "?" if v is None else time(v), "count": lambda v: f"{round(v):,}",
           "rate": lambda v: f"{round(v):,}" if abs(v) >= 100 else f"{float(f'{v:.3g}'):g}",
           "share": lambda v: "?" if v is None else share(v), "text": str}
dom, report, screen = (pathlib.Path(name).read_text() for name in sys.argv[1:4])
report = json.loads(report)
page = Page()
page.feed(dom)
bad = [f"an element or attribute of nobody's: {name}" for name in page.bad]
bad += [f"an element <{tag}>" for tag in sorted(set(page.tags) - KNOWN)]
if page.tags.get("script") != 2 or page.tags.get("style") != 1:
    bad.append(f"{page.tags.get('script')} scripts, {page.tags.get('style')} styles")
if json.loads(page.by_id["report"]["text"]) != report:
    bad.append("the JSON in the page is another one")
if page.by_id["screen"]["text"] != screen:
    bad.append("the first screen in the page is another one")
for figure in page.figures:
    place, form = figure["attributes"]["data-place"], figure["attributes"]["data-format"]
    value = report
    for key in place.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    if not alike(figure["text"], formats[form](value)):
        bad.append(f"{place} is {figure['text']!r}, of {formats[form](value)!r}")
places = {figure["attributes"]["data-place"] for figure in page.figures}
wanted = {"answer", "headline", "trace.events", "basis.requests"}
for index, finding in enumerate(report["findings"]):
    wanted.add(f"findings.{index}.share")
    wanted.add(f"findings.{index}." + ("age_ns" if finding["kind"] in ("hang", "spin") else "p99_ns"))
    name = finding["function"] and finding["function"]["name"]
    if name and name not in page.by_id["findings"]["text"]:
        bad.append(f"no finding {name}")
wanted |= {f"groups.{index}.run_ns" for index in range(len(report["groups"]))}
bad += [f"no figure {place}" for place in sorted(wanted - places)]
for index, group in enumerate((report["changes"] or {"groups": []})["groups"]):
    wanted |= {f"changes.groups.{index}.metrics.{at}.after"
               for at, _ in [(at, one) for at, one in enumerate(group["metrics"]) if one["sure"]][:6]}
for part, there in (("changes", report["changes"]), ("strips", report["pictures"]["strips"]["threads"]),
                    ("flame", len(report["pictures"]["flame"]["nodes"]) > 1 and report["pictures"]["flame"]["nodes"][0][4] > 0),
                    ("scene", any(f["example"] for f in report["findings"])), ("locks", report["locks"]),
                    ("over_time", any(group["shares"] for group in report["pictures"]["over_time"]["groups"]))):
    if bool(there) != (part in page.by_id):
        bad.append(f"the picture {part} is {'missing' if there else 'there without facts'}")
if "over_time" in page.by_id and len(sys.argv) > 4:
    chart = any(place.startswith("pictures.over_time.") for place in places)
    if (page.tags.get("canvas", 0) == 1) != (sys.argv[4] == "chart") or chart != (sys.argv[4] == "chart"):
        bad.append(f"the chart over time is {'no' if sys.argv[4] == 'chart' else 'a'} chart of the library")
# A part that the page does not know is shown under its name.
raw = {key.replace("_", " ").capitalize() for key in report} - {"Next", "Findings", "Locks", "Bottlenecks"}
bad += [f"{heading['text']!r} is shown as it is" for heading in page.headings if heading["text"] in raw]
titles = " ".join(title["text"] for title in page.titles)
for finding in filter(lambda f: f["example"], report["findings"][:1]):
    scene = finding["example"]["slow"]["scene"]
    for when, waker, woken in scene["wakes"]:
        if waker >= 0 and f"{scene['threads'][waker]['name']} wakes {scene['threads'][woken]['name']}" not in titles:
            bad.append(f"no arrow from {scene['threads'][waker]['name']}")
print("\n".join(bad) or f"{len(page.figures)} figures, {len(dom)} characters")
sys.exit(bool(bad))
