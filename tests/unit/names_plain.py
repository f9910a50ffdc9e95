# SPDX-License-Identifier: GPL-2.0-only
"""Fails if one of the given files contains characters that control a terminal, or is not UTF-8."""
import sys

HIDDEN = [(0x00, 0x09), (0x0b, 0x1f), (0x7f, 0x9f), (0xad, 0xad), (0x61c, 0x61c), (0x200b, 0x200f),
          (0x2028, 0x202e), (0x2060, 0x206f), (0xfeff, 0xfeff), (0xe0000, 0xe007f)]
bad = 0
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        print(f"{path}: no UTF-8: {error}; {data[max(0, error.start - 30):error.start + 10]!r}")
        bad = 1
        continue
    for at, character in enumerate(text):
        code = ord(character)
        # Stacks of `export script` begin with a tab.
        if any(low <= code <= high for low, high in HIDDEN) and not (code == 9 and path.endswith("script")):
            print(f"{path}: U+{code:04X} in {text[max(0, at - 30):at + 10]!r}")
            bad = 1
            break
sys.exit(bad)
