#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Give relocations of calls in a module for x86-64 the type that assemblers before binutils 2.31 used.

Usage: scripts/old-relocs.py MODULE.KO    changes the file, prints how many relocations it renamed

Assemblers since then mark each call and jump to a symbol R_X86_64_PLT32 where they wrote R_X86_64_PC32. In a kernel
both mean the same address, but up to 4.16 (less where a vendor or a stable release took the change) the loader
refuses the first: "Unknown rela relocation: 4", and insmod says "Exec format error".
"""
import struct
import sys

R_X86_64_PC32, R_X86_64_PLT32 = 2, 4
SHT_RELA, EM_X86_64 = 4, 62
ELF64_LITTLE = b"\x7fELF\x02\x01"
ENTRY = 24


def rename(image):
    """Rename in the bytearray of an ELF64 object; returns how many. Format: System V ABI, object files."""
    if image[:6] != ELF64_LITTLE or struct.unpack_from("<H", image, 18)[0] != EM_X86_64:
        raise ValueError("no object for x86-64")
    headers, = struct.unpack_from("<Q", image, 40)
    size, number = struct.unpack_from("<HH", image, 58)
    renamed = 0
    for header in range(headers, headers + size * number, size):
        kind, = struct.unpack_from("<I", image, header + 4)
        start, length = struct.unpack_from("<QQ", image, header + 24)
        if kind != SHT_RELA:
            continue
        # The type is the lower half of the second word of an entry.
        for field in range(start + 8, start + 8 + length, ENTRY):
            if struct.unpack_from("<I", image, field)[0] == R_X86_64_PLT32:
                struct.pack_into("<I", image, field, R_X86_64_PC32)
                renamed += 1
    return renamed


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: old-relocs.py MODULE.KO")
    with open(sys.argv[1], "r+b") as module:
        image = bytearray(module.read())
        print(rename(image))
        module.seek(0)
        module.write(image)


if __name__ == "__main__":
    main()
