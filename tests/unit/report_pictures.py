# SPDX-License-Identifier: GPL-2.0-only
"""Checks that a picture of a report's page shows the parts that the answer needs, each in its colour and at its place.

Usage: report_pictures.py FILE.png ANSWER
"""
import struct
import sys
import zlib

RED, GREEN, AMBER, BLUE = (0xc2, 0x2f, 0x17), (0x2f, 0x7d, 0x4a), (0x9a, 0x67, 0x00), (0x3f, 0x83, 0xd6)
REDDISH = "reddish"  # what is drawn in half of the red over a strip
BARS, PALE = (0x8f, 0xa3, 0xb8), (0xd3, 0xda, 0xe1)
# Of each answer: the badge, and what else is to be seen below it, at least that many pixels of it.
WANTED = {
    "slowdown": (RED, {RED: 400, BLUE: 500, BARS: 3000, PALE: 500}),
    "hang": (RED, {BARS: 3000, REDDISH: 1000}),
    "spin": (RED, {REDDISH: 1000}),
    "bottleneck": (AMBER, {BLUE: 500, BARS: 3000}),
    "nothing": (GREEN, {BARS: 3000}),
    "change": (RED, {RED: 1000, BLUE: 500, BARS: 3000}),
}


def pixels(data):
    """Rows of colours of a PNG of 8 bits a channel, without interlace."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and not interlace
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    step = 3 if colour == 2 else 4
    raw, last, rows = zlib.decompress(packed), bytearray(width * step), []
    for row in range(height):
        begin = row * (width * step + 1)
        way, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + width * step])
        if way == 2:
            line = bytearray((a + b) & 255 for a, b in zip(line, last))
        elif way:
            for i, value in enumerate(line):
                left = line[i - step] if i >= step else 0
                corner = last[i - step] if i >= step else 0
                if way == 4:
                    guess = left + last[i] - corner
                    guess = min((left, last[i], corner), key=lambda v: abs(guess - v))
                line[i] = (value + (left if way == 1 else (left + last[i]) // 2 if way == 3 else guess)) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, width * step, step)])
        last = line
    return rows


path, answer = sys.argv[1:3]
with open(path, "rb") as file:
    rows = pixels(file.read())
badge, wanted = WANTED[answer]
bad = []
counted = {}
for row in rows[60:]:
    for colour in row:
        if colour in wanted:
            counted[colour] = counted.get(colour, 0) + 1
        if colour[0] > 170 and colour[1] < 110 and colour[2] < 100:
            counted[REDDISH] = counted.get(REDDISH, 0) + 1
top = sum(row[:450].count(badge) for row in rows[:60])
if top < 300:
    bad.append(f"{top} pixels of the badge's colour at the top")
other = sum(row[:450].count(colour) for row in rows[:60] for colour in {RED, GREEN, AMBER} - {badge})
if other > 20:
    bad.append(f"{other} pixels of another answer's colour at the top")
bad += [f"{counted.get(colour, 0)} pixels of colour {colour}, not {least}"
        for colour, least in wanted.items() if counted.get(colour, 0) < least]
if answer in ("nothing", "bottleneck") and sum(row.count(RED) for row in rows) > 2000:
    bad.append("much red, though no request is slow")
edge = {row[-1] for row in rows} | {row[0] for row in rows}
if len(edge) != 1:
    bad.append("something touches the edges: the page is wider than its window")
print("\n".join(f"not ok {answer}: {text}" for text in bad) or f"ok {answer}: {len(rows[0])}x{len(rows)} pixels")
sys.exit(bool(bad))
