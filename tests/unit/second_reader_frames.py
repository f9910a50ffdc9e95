# SPDX-License-Identifier: GPL-2.0-only
"""Take a trace file apart into frames and records, by docs/trace-format.md alone."""
import pathlib
import re
import struct
import sys
import zlib

import zstandard

U64 = (1 << 64) - 1
PAGE = (pathlib.Path(__file__).resolve().parents[2] / 'docs/trace-format.md').read_text()
# Of each record its number, name, and how long its fixed part is: a row of the page's table.
ROWS = [(int(number), name, int(fixed), fields) for number, name, fixed, fields in
        re.findall(r'^\| (\d+) \| ([A-Z_]+) \| (\d+)[^|]* \| ([^|]*) \|', PAGE.split('\n## Records\n')[1], re.M)]
TIME, THREAD, SYSCALL, ENTER, EXIT, SWITCH, WAKING, WAKING_FROM, FORK, EXEC, THREAD_EXIT, STATE, \
    CHAIN, STACK, COMM, BLOCK_ISSUE, BLOCK_DONE, PROBE, DELAY, FRAMES = [row[0] for row in ROWS[:20]]
FIXED = {number: fixed for number, _, fixed, _ in ROWS}


def plain_records():
    """Records that are fields alone: number, word of the line, layout, names, their bits, words, flags."""
    lines = re.findall(r'^\| `(\w+)` \| TID, ([^;|]*)(?:; may have ([^|]*))? \|$', PAGE.split('fields alone, of the thread')[1], re.M)
    for line, words, flags in lines:
        number, fields = next((row[0], row[3]) for row in ROWS if row[1] == line.upper())
        parts = re.findall(r'\bu(8|16|32|64) (\w+)', fields)
        layout = '<4x' + ''.join({'8': 'B', '16': 'H', '32': 'I', '64': 'Q'}[bits] for bits, _ in parts)
        yield (number, line, layout, [name for _, name in parts], {name: int(bits) for bits, name in parts},
               re.findall(r'(?:`(\w+=)`)?(\w+)', words), re.findall(r'`(\w+)` (\d+)', flags))


META, MAP, SYMBOL, FD, MEMORY, SUBBUF, END, NAME, SYMBOLS, INDEX, STANDING, LOCK, FILE, \
    PLACES, SKIP, MAPS = range(1, 17)


class Damaged(Exception):
    """Something in the file cannot be."""


def word(data, at, bytes=4, signed=False):
    if at + bytes > len(data):
        raise Damaged('a field that reaches beyond the end')
    return int.from_bytes(data[at:at + bytes], 'little', signed=signed)


# Frames

def header_end(data):
    if len(data) < 32 or data[:8] != b'SCOPEtrc':
        sys.exit('not a trace')
    if word(data, 8) != 0x01020304:
        sys.exit('of the other byte order, or damaged')
    if word(data, 16) > 9:
        sys.exit(f'format {word(data, 12)} needs a reader of format {word(data, 16)}')
    return word(data, 20)


def head_is_good(data, at):
    return word(data, at) == 0x4d524653 and zlib.crc32(data[at:at + 28]) == word(data, at + 28)


def frames_of(data, problems):
    """Each frame: type, flags, cpu, raw_bytes, payload or None where its checksum is wrong."""
    at = header_end(data)
    while at + 32 <= len(data):
        if not head_is_good(data, at):
            problems.append(f'damage at byte {at}')
            at += 8
            while at + 32 <= len(data) and not head_is_good(data, at):
                at += 8
            continue
        kind, flags, cpu, stored, raw_bytes, crc = struct.unpack_from('<HHIIII', data, at + 4)
        end = at + 32 + (stored + 7) // 8 * 8
        if end > len(data):
            break
        payload = data[at + 32:at + 32 + stored]
        good = zlib.crc32(payload) == crc and not flags & ~7 and raw_bytes <= 16 << 20
        yield kind, flags, cpu, raw_bytes, payload if good else None
        if kind == END:
            return
        at = end
    problems.append(f'no END frame; cut off at byte {at}')


def unpacked(flags, raw_bytes, payload):
    if payload is None:
        raise Damaged('a wrong checksum')
    if flags & 1:
        most = raw_bytes + raw_bytes // 4 + 256
        try:
            payload = zstandard.ZstdDecompressor().decompress(payload, max_output_size=most)
        except zstandard.ZstdError as error:
            raise Damaged('a wrong compression') from error
    if flags & 2:
        raise Damaged('columns of format 3, which this reader does not know')
    if flags & 4:
        payload = joined(payload)
    if len(payload) != raw_bytes:
        raise Damaged('another length than its head says')
    return payload


# Columns

class Bits:
    def __init__(self, data):
        self.value, self.left = int.from_bytes(data, 'little'), 8 * len(data)

    def take(self, count):
        if count > self.left:
            raise Damaged('too few bits')
        bits = self.value & (1 << count) - 1
        self.value >>= count
        self.left -= count
        return bits


class Columns:
    """Hands out one byte of each column of a class in turn."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, count, columns):
        """The columns from here on, for `count` records: for each record its bytes."""
        end = self.at + count * columns
        if end > len(self.data):
            raise Damaged('too few columns')
        block = self.data[self.at:end]
        self.at = end
        return iter([block[i::count] for i in range(count)])


def times_of(kind):
    return 2 if kind in (SYSCALL, ENTER, TIME) else 1


def plain_of(kind):
    """Bytes of the fixed part that are in no time."""
    return {SYSCALL: 8, ENTER: 4, TIME: 4}.get(kind, FIXED[kind] - 4)


def time_from(symbol, bits):
    if symbol < 8:
        return symbol
    count = symbol // 4 - 1
    if count > 61:
        raise Damaged('a time beyond all')
    return (symbol - 4 * count << count) + bits.take(count)


def unfolded(number):
    return -(number + 1) // 2 if number & 1 else number // 2


def rest_of(kind, fixed, rest, at):
    """How long the part of a record is that comes after its fixed part, without arguments of calls."""
    if kind == STATE:
        return 8 * word(fixed, 100)
    if kind == CHAIN:
        return 8 * word(fixed, 6, 2) + (8 if fixed[5] & 8 else 0)
    if kind == FRAMES:
        return 8 * word(fixed, 6, 2)
    if kind == STACK:
        return 8 * word(fixed, 6, 2) + (word(fixed, 8) + 7) // 8 * 8
    if kind == PROBE:
        return 8 * fixed[7]
    return 0


class Join:
    """Back from columns to the records of a sub-buffer."""

    def __init__(self, data):
        self.head = bytearray(data[:64])
        count = word(data, 56, 8)
        self.head[56:64] = bytes(8)
        self.types = list(range(32)) + list(data[68:128])
        self.classes = data[128:128 + count]
        self.now = word(data, 24, 8)
        self.alike, self.arg, self.near = {}, 0, {}
        self.split(data, 128 + count, word(data, 64))

    def split(self, data, at, rest_bytes):
        columns, counts = Columns(data, at), [0] * 92
        for each in self.classes:
            if each > 91 or self.types[each] not in FIXED:
                raise Damaged('a class that cannot be')
            counts[each] += 1
        used = [c for c in range(92) if counts[c]]
        self.symbols = {c: columns.take(counts[c], times_of(self.types[c])) for c in used}
        self.plain = {c: list(columns.take(counts[c], plain_of(self.types[c]))) for c in used}
        self.args = {}
        for c in used:
            if self.types[c] in (SYSCALL, ENTER):
                self.args[c] = columns.take(sum(p[2] >> 4 for p in self.plain[c]), 8)
            self.plain[c] = iter(self.plain[c])
        self.rest = data[columns.at:columns.at + rest_bytes]
        self.bits = Bits(data[columns.at + rest_bytes:])

    def like(self, each, field):
        """A field of four bytes that was stored XOR the last one with its low byte."""
        key = each % 16, field & 0xff
        field ^= self.alike.get(key, 0) & ~0xff
        self.alike[key] = field
        return field

    def call_args(self, each, count):
        numbers = [word(next(self.args[each]), 0, 8) for _ in range(count)]
        if numbers:
            if self.near.get(each):
                numbers[0] ^= self.arg
            self.near[each] = numbers[0] == self.arg
            self.arg = numbers[0]
        return struct.pack(f'<{count}Q', *numbers)

    def record(self, each):
        kind = self.types[each]
        times = [time_from(s, self.bits) for s in next(self.symbols[each])]
        plain = next(self.plain[each])
        delta, behind = times[0], b''
        if kind in (SYSCALL, ENTER):
            delta = unfolded(times[0]) + times[1] & (1 << 27) - 1
        before, self.now = self.now, self.now + delta & U64
        if kind == SYSCALL:
            ret = self.like(each, word(plain, 4))
            plain = plain[:4] + struct.pack('<II', times[1], ret)
            behind = self.call_args(each, plain[2] >> 4)
        elif kind == ENTER:
            plain += struct.pack('<Q', self.now - times[1] & U64)
            behind = self.call_args(each, plain[2] >> 4)
        elif kind == TIME:
            self.now = before + times[1] & U64
            plain += struct.pack('<Q', self.now)
        elif kind in (SWITCH, WAKING):
            plain = struct.pack('<I', self.like(each, word(plain, 0)))
        return struct.pack('<I', kind | delta << 5) + plain + behind

    def all(self):
        out, at = [bytes(self.head)], 0
        for each in self.classes:
            record = self.record(each)
            end = at + rest_of(self.types[each], record, self.rest, at)
            out += [record, self.rest[at:end]]
            at = end
        if at != len(self.rest) or self.bits.left > 7:
            raise Damaged('parts that do not add up')
        return b''.join(out)


def joined(data):
    if len(data) < 128 + word(data, 56, 8):
        raise Damaged('columns without their head')
    try:
        return Join(data).all()
    except (StopIteration, struct.error, OverflowError) as error:
        raise Damaged('columns that cannot be') from error


def write_plain(data, out):
    """Of a whole file. Its INDEX, whose offsets would be others, is left out."""
    out.write(data[:header_end(data)])
    count = {END: 0, SUBBUF: 0}
    for kind, flags, cpu, raw_bytes, payload in frames_of(data, []):
        payload = unpacked(flags, raw_bytes, payload)
        if kind == INDEX:
            continue
        if kind == END:
            payload = struct.pack('<QQQ', count[END], count[SUBBUF], 0)
        head = struct.pack('<IHHIIIII', 0x4d524653, kind, 0, cpu, len(payload), len(payload),
                           zlib.crc32(payload), 0)
        out.write(head + struct.pack('<I', zlib.crc32(head)) + payload + bytes(-len(payload) % 8))
        count[END] += 1
        count[SUBBUF] += kind == SUBBUF
