# SPDX-License-Identifier: GPL-2.0-only
"""Print a trace file as `scope dump` does, written from docs/trace-format.md alone, so that gaps of that page are found.

Usage: python3 tests/unit/second_reader.py FILE [SYSCALLS]
       python3 tests/unit/second_reader.py --plain OUT FILE     write it again, without compression
SYSCALLS: lines of scripts/syscall-table.sh, for names of calls. Reads format 8 with the columns of
flag bit 2. What could not be read is reported on standard error.
"""
import heapq
import re
import struct
import sys

from second_reader_frames import (
    BLOCK_DONE, BLOCK_ISSUE, CHAIN, COMM, ENTER, EXEC, EXIT, FD, FILE, FIXED, FORK, FRAMES, LOCK, MAP,
    MAPS, MEMORY, META, NAME, PLACES, PROBE, STANDING, STACK, STATE, SUBBUF, SWITCH, SYMBOL, SYMBOLS, SYSCALL, THREAD, THREAD_EXIT, TIME, WAKING,
    WAKING_FROM, Damaged, frames_of, plain_records, unpacked, word, write_plain)

STATES = 'runnable sleeping disk stopped dead idle other'.split()
CONTEXTS = 'task softirq hardirq nmi unknown'.split()
INTERRUPTS = 'unknown timer net block device tasklet rcu sched other'.split()
BLOCK_OPS = 'read write flush discard other'.split()
FD_KINDS = 'unknown file listen accepted connected datagram pipe epoll event tty'.split()
STATE_FLAGS = 'at_stop on_cpu iowait'.split()
STACK_FLAGS = 'kernel cut fault'.split()
ENDED_FLAGS = 'unwound unwound_cut unwound_broken guessed'.split()
PLACE_FLAGS = 'function named lined libc message'.split()
OUTCOMES = 'none read debug other unreadable'.split()
BLOCK_FLAGS = 'sync meta fua preflush ahead unmatched part bio'.split()
PROBE_FLAGS = 'return user interrupt'.split()


# Records

def escaped(text, blanks=False):
    out = ''
    for i, c in enumerate(text):
        edge = i in (0, len(text) - 1)
        if c < 32 or c in (0x7f, 0x5c) or (c == 32 and (edge or not blanks)):
            out += f'\\x{c:02x}'
        else:
            out += chr(c)
    return out


def as_word(text):
    return {b'': '-', b'-': '\\x2d'}.get(text) or escaped(text)


def name(words, number):
    return words[number] if number < len(words) else str(number)


def interrupt(bits):
    return f' {name(INTERRUPTS, bits >> 25 & 15)}' if bits >> 25 & 15 else ''


def flag_words(words, flags):
    return ''.join(f' {w}' for i, w in enumerate(words) if flags & 1 << i)


def numbers(key, values):
    return f' {key}=' + ','.join(hex(v) if v > 0xffff else str(v) for v in values) if values else ''


def addresses(values):
    return ','.join(map(hex, values)) or '-'


class Cpu:
    """The events of one CPU: (time, CPU, line)."""

    def __init__(self, cpu, continues, syscalls, problems):
        self.cpu, self.syscalls, self.problems = cpu, syscalls, problems
        self.number = self.lost = None if continues else 0
        self.time, self.broken = 0, False

    def events(self, subbufs):
        for flags, raw_bytes, payload in subbufs:
            try:
                data = unpacked(flags, raw_bytes, payload)
                end = self.begin(data)
            except Damaged as damage:
                self.damaged(damage)
                continue
            lost = max(word(data, 40, 8) - self.lost, 0)
            if self.broken or lost or word(data, 16, 8) != self.number:
                yield self.time, self.cpu, f'lost {lost}'
            self.number, self.lost, self.broken = word(data, 16, 8) + 1, word(data, 40, 8), False
            try:
                yield from self.records(data[:end])
            except Damaged as damage:
                self.damaged(damage)

    def damaged(self, damage):
        self.broken = True
        self.problems.append(f'a sub-buffer of CPU {self.cpu} has {damage}')

    def begin(self, data):
        if len(data) < 64 or word(data, 0) != 0x66627553 or word(data, 8, 2) != self.cpu:
            raise Damaged('a wrong head')
        end = word(data, 4)
        if end < 64 or end > len(data) or end % 8 or word(data, 24, 8) >> 63:
            raise Damaged('a wrong head')
        self.time = max(self.time, word(data, 24, 8))
        self.tid, self.after_state = word(data, 12), None
        if self.number is None:
            self.number, self.lost = word(data, 16, 8), word(data, 40, 8)
        return end

    def records(self, data):
        at = 64
        while at < len(data):
            first = word(data, at)
            kind = first & 31
            if kind not in FIXED:
                raise Damaged('a record of a type that is not known')
            if kind == TIME:
                if word(data, at + 8, 8) >> 63:
                    raise Damaged('a time that cannot be')
                self.time = max(self.time, word(data, at + 8, 8))
            else:
                self.time += first >> 5
            record = data[at:at + FIXED[kind]]
            if len(record) < FIXED[kind]:
                raise Damaged('a record that is cut short')
            line, size = RECORD[kind](self, data, at, record)
            if at + size > len(data):
                raise Damaged('a record that is cut short')
            if line:
                yield self.time, self.cpu, line
            at += size

    def more(self, data, at, count, most):
        if count > most or at + 8 * count > len(data):
            raise Damaged('an impossible count, or a record that is cut short')
        return struct.unpack_from(f'<{count}Q', data, at)

    def call_name(self, nr, abi):
        return self.syscalls.get(nr, str(nr)) if abi == 0 else str(nr)

    def take_time(self, data, at, r):
        return None, 16

    def take_thread(self, data, at, r):
        self.tid = word(r, 4)
        return None, 8

    def call(self, data, at, r):
        nr, abi, count = word(r, 4, 2), r[6] & 15, r[6] >> 4
        args = self.more(data, at + 16, count, 6)
        return self.call_name(nr, abi), args, f' abi={abi}' if abi else '', 16 + 8 * count

    def take_syscall(self, data, at, r):
        nr, args, abi, size = self.call(data, at, r)
        duration, ret, wide = word(r, 8), word(r, 12, 4, signed=True), r[7] & 1
        if wide:
            ret &= 0xffffffff
        return (f'syscall {self.tid} {nr} enter={max(self.time - duration, 0)} ret={ret}'
                f'{" wide" if wide else ""}{numbers("args", args)}{abi}'), size

    def take_enter(self, data, at, r):
        nr, args, abi, size = self.call(data, at, r)
        return (f'enter {self.tid} {nr} enter={min(word(r, 8, 8), self.time)}'
                f'{numbers("args", args)}{abi}'), size

    def take_exit(self, data, at, r):
        abi = r[6] & 15
        return (f'exit {self.tid} {self.call_name(word(r, 4, 2), abi)} '
                f'ret={word(r, 8, 8, signed=True)}{f" abi={abi}" if abi else ""}'), 16

    def take_switch(self, data, at, r):
        bits = word(r, 4)
        leaves = self.tid if bits >> 27 & 1 else 0
        self.tid = bits & 0x3fffff if bits >> 26 & 1 else 0
        other = 0 if bits >> 26 & 1 else bits & 0x3fffff
        return (f'switch {leaves} {self.tid} {name(STATES, bits >> 22 & 15)}'
                f'{flag_words(["preempted", "iowait", "memstall"], bits >> 28)}'
                + (f' other={other}' if other else '')), 8

    def take_waking(self, data, at, r):
        bits = word(r, 4)
        context = bits >> 22 & 7
        waker = self.tid if context == 0 else 0
        return f'waking {bits & 0x3fffff} from {waker or "-"} {name(CONTEXTS, context)}{interrupt(bits)}', 8

    def take_waking_from(self, data, at, r):
        bits, waker, tgid = struct.unpack('<III', r[4:])
        return (f'waking {bits & 0x3fffff} from {waker or "-"}{f" tgid={tgid}" if tgid else ""} '
                f'{name(CONTEXTS, bits >> 22 & 7)}{interrupt(bits)}'), 16

    def comm(self, field):
        if field[15]:
            raise Damaged('a name without an end')
        return f' comm={escaped(field.split(bytes(1))[0])}'

    def take_fork(self, data, at, r):
        parent, child, tgid = struct.unpack('<III', r[4:16])
        return f'fork {child} parent={parent} tgid={tgid}{self.comm(r[16:])}', 32

    def take_exec(self, data, at, r):
        tid, old, tgid = struct.unpack('<III', r[4:16])
        line = f'exec {tid} old={old} tgid={tgid}{self.comm(r[16:])}'
        self.tid = tid
        return line, 32

    def take_thread_exit(self, data, at, r):
        tid, tgid, flags = struct.unpack('<III', r[4:])
        return f'thread_exit {tid} tgid={tgid}{flag_words(["last", "untraced"], flags)}', 16

    def take_state(self, data, at, r):
        tid, tgid, nr, state, flags, since, run, *args = struct.unpack('<IIHBBQQ6Q', r[4:80])
        abi, count = struct.unpack('<II', r[96:])
        regs = self.more(data, at + 104, count, 33)
        while args and not args[-1]:
            args.pop()
        call = '-' if nr == 0xffff else self.call_name(nr, abi)
        line = (f'state {tid} tgid={tgid} state={name(STATES, state)} nr={call} since={since} '
                f'run={run}{self.comm(r[80:96])}{numbers("args", args)}'
                f'{flag_words(STATE_FLAGS, flags)}{f" abi={abi}" if abi else ""}'
                f'{f" regs={addresses(regs)}" if regs else ""}')
        self.after_state = at + 104 + 8 * count, tid
        return line, 104 + 8 * count

    def stack(self, at, reason, flags, text, cost, kernel_ip, ended=0, since=0, waited=0):
        tid = self.tid
        if reason == 0 and self.after_state and self.after_state[0] == at:
            tid = self.after_state[1]
        return (f'{ {1: "sample", 3: "snapshot", 4: "tasks"}.get(reason, "stack")} {tid} {text}'
                f'{f" cost={cost}" if cost and reason != 4 else ""}'
                f'{f" kernel_ip={kernel_ip:#x}" if flags & 16 else ""}{flag_words(STACK_FLAGS, flags)}'
                f'{flag_words(ENDED_FLAGS, ended)}{f" since={since * 100000}" if since else ""}'
                f'{f" count={cost}" if cost and reason == 4 else ""}{f" waited={waited}" if waited and reason == 4 else ""}'
                f'{f" reason={reason}" if reason == 2 or reason > 4 else ""}')

    def take_chain(self, data, at, r):
        reason, flags, count = struct.unpack('<BBH', r[4:])
        ips = list(self.more(data, at + 8, count, 64))
        size, cost = 8 + 8 * count, 0
        if flags & 8:
            cost = min(word(data, at + size, 8), 0xffffffff)
            size += 8
        if flags & 16 and not ips:
            raise Damaged('a chain without what its flags say')
        kernel_ip = ips.pop() if flags & 16 else 0
        return self.stack(at, reason, flags, addresses(ips), cost, kernel_ip), size

    def take_stack(self, data, at, r):
        reason, flags, count, size, cost = struct.unpack('<BBHII', r[4:])
        more = 8 if flags & 16 else 0
        if size > 32768 + more or size < more or more and size % 8:
            raise Damaged('a stack that cannot be')
        regs = self.more(data, at + 16, count, 33)
        begin = at + 16 + 8 * count
        text = f'regs={addresses(regs)}'
        if size > more:
            text += f' data={data[begin:begin + size - more].hex()}'
        kernel_ip = word(data, begin + size - more, 8) if more else 0
        line = self.stack(at, reason, flags, text, cost, kernel_ip)
        return line, 16 + 8 * count + (size + 7) // 8 * 8

    def take_frames(self, data, at, r):
        reason, flags, count, cost, ended, waited, since = struct.unpack('<BBHIBBH', r[4:16])
        more = 1 if flags & 16 else 0
        if ended & ~8 not in (1, 2, 4) or count < more:
            raise Damaged('frames that cannot be')
        ips = list(self.more(data, at + 16, count, 1024 + more))
        kernel_ip = ips.pop() if more else 0
        return self.stack(at, reason, flags, addresses(ips), cost, kernel_ip, ended, since, waited), 16 + 8 * count

    def take_comm(self, data, at, r):
        tid, tgid = struct.unpack('<II', r[4:12])
        return f'comm {tid} tgid={tgid}{self.comm(r[16:])}', 32

    def block(self, tid, op, dev, sector, size, text, flags):
        return (f'{tid} {name(BLOCK_OPS, op)} dev={dev >> 20},{dev & 0xfffff} sector={sector} '
                f'bytes={size}{text}{flag_words(BLOCK_FLAGS, flags)}')

    def take_block_issue(self, data, at, r):
        tid, sector, dev, size, queued, op, flags = struct.unpack('<IQIIIBB', r[4:30])
        text = f' queued={queued}' if queued else ''
        return 'block_issue ' + self.block(tid, op, dev, sector, size, text, flags), 32

    def take_block_done(self, data, at, r):
        tid, sector, dev, size, latency, error, op, flags = struct.unpack('<IQIIQiBB', r[4:38])
        text = f' latency={latency}' + (f' error={-error & 0xffffffff}' if error else '')
        return 'block_done ' + self.block(tid, op, dev, sector, size, text, flags), 40

    def take_probe(self, data, at, r):
        number, flags, count = struct.unpack('<HBB', r[4:])
        args = self.more(data, at + 8, count, 6)
        return (f'probe {self.tid} {number}{numbers("args", args)}'
                f'{flag_words(PROBE_FLAGS, flags)}'), 8 + 8 * count


def plain_taker(line, layout, names, words, flags):
    """Of a record that is fields alone."""
    def take(cpu, data, at, record):
        value = dict(zip(names, struct.unpack(layout, record)))
        text = ''.join(f' {key}{value[name]}' for key, name in words)
        text += ''.join(f' {word}' for word, bit in flags if value['flags'] & int(bit))
        return f'{line} {cpu.tid}{text}', len(record)
    return take


RECORD = {TIME: Cpu.take_time, THREAD: Cpu.take_thread, SYSCALL: Cpu.take_syscall,
          ENTER: Cpu.take_enter, EXIT: Cpu.take_exit, SWITCH: Cpu.take_switch,
          WAKING: Cpu.take_waking, WAKING_FROM: Cpu.take_waking_from, FORK: Cpu.take_fork,
          EXEC: Cpu.take_exec, THREAD_EXIT: Cpu.take_thread_exit, STATE: Cpu.take_state,
          CHAIN: Cpu.take_chain, STACK: Cpu.take_stack, COMM: Cpu.take_comm,
          BLOCK_ISSUE: Cpu.take_block_issue, BLOCK_DONE: Cpu.take_block_done,
          PROBE: Cpu.take_probe, FRAMES: Cpu.take_frames}
RECORD.update({number: plain_taker(line, layout, names, words, flags)
               for number, line, layout, names, _, words, flags in plain_records()})


# Metadata

def strings(data, count):
    parts = data.split(bytes(1), count)
    if len(parts) <= count:
        raise Damaged('a text without an end')
    return parts


def symbol_line(tgid, start, size, text, module, library):
    return (f'sym {tgid} {start:#x} {size:#x} {as_word(text)} {as_word(module)} '
            f'{"library" if library else "program"}')


def meta_row(data):
    key, value, _ = strings(data, 2)
    return [f'meta {as_word(key)}' + (f' {escaped(value, blanks=True)}' if value else '')]


def map_line(tgid, flags, start, end, offset, path, build_id):
    return (f'map {tgid} {start:#x} {end:#x} {offset:#x} {"x" if flags & 1 else "-"} '
            f'{as_word(path)} {as_word(build_id)}{" package" if flags & 2 else ""}{" elf" if flags & 4 else ""}')


def map_row(data):
    path, build_id, _ = strings(data[32:], 2)
    return [map_line(*struct.unpack_from('<IIQQQ', data), path, build_id)]


def maps_row(data):
    tgid, end, data, lines = word(data, 0), 0, data[8:], []
    while data:
        gap, length, offset, flags = struct.unpack_from('<QQQI', data)
        path, build_id, data = strings(data[32:], 2)
        start = (end + gap) % 2 ** 64
        end = (start + length) % 2 ** 64
        lines.append(map_line(tgid, flags, start, end, offset, path, build_id))
    return lines


def symbol_row(data):
    tgid, library, start, size = struct.unpack_from('<IIQQ', data)
    text, module, _ = strings(data[24:], 2)
    return [symbol_line(tgid, start, size, text, module, library)]


def symbols_row(data):
    tgid, library = struct.unpack_from('<II', data)
    module, data = strings(data[8:], 1)
    lines = []
    while data:
        start, size = struct.unpack_from('<QQ', data)
        text, data = strings(data[16:], 1)
        lines.append(symbol_line(tgid, start, size, text, module, library))
    return lines


def fd_row(data):
    tgid, fd, kind = struct.unpack_from('<IiI', data)
    kind = FD_KINDS[kind if kind < len(FD_KINDS) else 0]
    return [f'fd {tgid} {fd} {kind} {as_word(strings(data[16:], 1)[0])}']


def memory_row(data):
    tid, size, address = struct.unpack_from('<IIQ', data)
    if len(data) < 16 + size:
        raise Damaged('memory that is not all there')
    return [f'memory {tid} {address:#x} {data[16:16 + size].hex() or "-"}']


def standing_row(data):
    tid, count, address, ended = struct.unpack_from('<IIQI', data)
    if count > 1024 or ended & ~8 not in (1, 2, 4):
        raise Damaged('a stack that cannot be')
    ips = list(struct.unpack_from(f'<{count}Q', data, 24))
    return [f'standing {tid} {address:#x} {addresses(ips)}{flag_words(ENDED_FLAGS, ended)}']


def lock_row(data):
    tid, owner, address = struct.unpack_from('<IIQ', data)
    return [f'lock {tid} {address:#x} {owner}']


def file_row(data):
    number, deleted, outcome, error, functions, named = struct.unpack_from('<IIIiII', data)
    path, build_id, found, _ = strings(data[24:], 3)
    return [f'file {number} {OUTCOMES[outcome]} {error} {functions} {named} {as_word(path)} '
            f'{as_word(build_id)} {as_word(found)}{" deleted" if deleted else ""}']


def places_row(data):
    file, data, lines = word(data, 0), data[8:], []
    while data:
        offset, start, size, flags, count = struct.unpack_from('<QQQII', data)
        text, data = strings(data[32:], 1)
        line = f'code {file} {offset:#x} {start:#x} {size:#x} {as_word(text)} {count}'
        for _ in range(count):
            number = word(data, 0)
            function, source, data = strings(data[4:], 2)
            line += f' {number} {as_word(function)} {as_word(source)}'
        lines.append(line + flag_words(PLACE_FLAGS, flags))
    return lines


def thread_row(data):
    tid, tgid = struct.unpack_from('<II', data)
    return [f'thread {tid} {tgid} {as_word(strings(data[8:], 1)[0])}']


# In the order in which their lines are printed.
ROWS = {META: meta_row, MAP: map_row, NAME: thread_row, SYMBOL: symbol_row, FD: fd_row,
        MEMORY: memory_row, STANDING: standing_row, LOCK: lock_row, FILE: file_row, PLACES: places_row}


def print_trace(data, syscalls):
    problems, lines, subbufs, metas = [], {kind: [] for kind in ROWS}, {}, {}
    for kind, flags, cpu, raw_bytes, payload in frames_of(data, problems):
        try:
            if kind == SUBBUF:
                subbufs.setdefault(cpu, []).append((flags, raw_bytes, payload))
            elif kind == SYMBOLS:
                lines[SYMBOL] += symbols_row(unpacked(flags, raw_bytes, payload))
            elif kind == MAPS:
                lines[MAP] += maps_row(unpacked(flags, raw_bytes, payload))
            elif kind in ROWS:
                row = unpacked(flags, raw_bytes, payload)
                lines[kind] += ROWS[kind](row)
                if kind == META:
                    key, value, _ = strings(row, 2)
                    metas[key] = value
        except (Damaged, struct.error) as damage:
            problems.append(f'a frame of type {kind} has {damage}')
    for row in lines.values():
        for line in row:
            print(line)
    continues = metas.get(b'continues', b'0').isdigit() and int(metas.get(b'continues', b'0'))
    cpus = [Cpu(cpu, continues, syscalls, problems).events(subbufs[cpu]) for cpu in sorted(subbufs)]
    for time, cpu, line in heapq.merge(*cpus, key=lambda event: event[:2]):
        print(time, cpu, line)
    return problems


def main():
    syscalls = {}
    if sys.argv[1] == '--plain':
        with open(sys.argv[3], 'rb') as file, open(sys.argv[2], 'wb') as out:
            write_plain(file.read(), out)
        return
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding='utf-8') as file:
            for number, text in re.findall(r'\[(\d+)\] = "(\w+)"', file.read()):
                syscalls[int(number)] = text
    sys.stdout.reconfigure(encoding='latin-1')
    with open(sys.argv[1], 'rb') as file:
        problems = print_trace(file.read(), syscalls)
    for problem in problems:
        print(f'second_reader: {problem}', file=sys.stderr)


if __name__ == '__main__':
    main()
