# SPDX-License-Identifier: GPL-2.0-only
"""Prints a trace as text with every record and every optional part, and random values from a seed.

Usage: python3 tests/unit/random_trace.py EVENTS
"""
import random
import sys

from second_reader_frames import plain_records

dice = random.Random(4)
TIDS = [0] + list(range(100, 112)) + [4194303]
STATES = 'runnable sleeping disk stopped dead idle other'.split()
CONTEXTS = 'task softirq hardirq nmi unknown'.split()
INTERRUPTS = 'timer net block device tasklet rcu sched other'.split()
BLOCK_OPS = 'read write flush discard other'.split()
PLAIN = list(plain_records())


def number(bits=64):
    return dice.getrandbits(dice.choice([0, 1, 4, 8, 17, bits]) if bits > 16 else bits)


def some(*words):
    return ''.join(f' {word}' for word in words if dice.random() < .4)


def args():
    count = dice.choice([0, 0, 1, 1, 2, 3, 6])
    return f' args={",".join(str(number()) for _ in range(count))}' if count else ''


def regs():
    return ','.join(hex(number()) for _ in range(dice.choice([1, 17, 33])))


def ips(most):
    return ','.join(hex(number()) for _ in range(dice.choice([1, 2, 9, most])))


def ended():
    return f'{dice.choice(["unwound", "unwound_cut", "unwound_broken"])}{some("guessed")}'


def stack():
    if dice.random() < .3:
        return f'{ips(1024)}{some(f"kernel_ip={number():#x}")}{some(f"cost={1 + number(31)}", "kernel", "cut")} {ended()}'
    if dice.random() < .5:
        text = ','.join(hex(number()) for _ in range(dice.choice([1, 2, 9, 63])))
        text += some(f'kernel_ip={number():#x}')
    else:
        # With a word of the kernel after them the bytes are a multiple of 8.
        inside = some(f'kernel_ip={number():#x}')
        data = dice.randbytes(dice.choice([8, 304, 32768] if inside else [1, 7, 8, 300, 3000])).hex()
        text = f'regs={regs()} data={data}{inside}'
    return text + some(f'cost={1 + number(31)}', 'kernel', 'cut', 'fault')


def comm():
    return f'comm={dice.choice(["a", "worker-1", "fifteen-bytes-x", "a" + chr(92) + "x20b"])}'


def nr():
    return dice.choice([0, 1, 7, 35, 202, 202, 202, 232, 511])


def block():
    return (f'{dice.choice(BLOCK_OPS)} dev={number(12)},{number(20)} sector={number()} '
            f'bytes={number(32)}')


def block_flags():
    return some('sync', 'meta', 'fua', 'preflush', 'ahead', 'unmatched', 'bio')


def plain(tid):
    """One of the records that are fields alone, by the page of the format."""
    _, line, _, _, bits, words, flags = dice.choice(PLAIN)
    return (f'{line} {tid} {" ".join(f"{key}{number(bits[name])}" for key, name in words)}'
            f'{some(*(word for word, _ in flags))}')


def event(now, tid):
    gone = dice.randrange(min(now, 1 << 31))
    other, error = dice.choice(TIDS[1:]), dice.choice([0, 1, -1, -11, 2 ** 31 - 1, -2 ** 31])
    return dice.choice([
        lambda: f'syscall {tid} {nr()} enter={now - gone} ret={error}{args()}',
        lambda: f'syscall {tid} {nr()} enter={now - gone} ret={number(31)} wide{args()} abi=1',
        lambda: f'enter {tid} {nr()} enter={now - dice.randrange(now)}{args()}',
        lambda: f'exit {tid} {nr()} ret={number(62) - 2 ** 61}',
        lambda: f'switch {tid} {dice.choice(TIDS)} {dice.choice(STATES)}{some("preempted", "iowait", "memstall")}',
        lambda: f'switch {tid} 0 {dice.choice(STATES)}{some("preempted", "iowait", "other=" + str(number(22) or 1))}',
        lambda: f'waking {other} from {tid or "-"} {"task" if tid else dice.choice(CONTEXTS[1:])}{some(dice.choice(INTERRUPTS))}',
        lambda: f'waking {other} from {number(20)} tgid={1 + number(20)} {dice.choice(CONTEXTS)}',
        lambda: f'fork {other} parent={number(31)} tgid={number(31)} {comm()}',
        lambda: f'exec {other} old={number(31)} tgid={number(31)} {comm()}',
        lambda: f'thread_exit {other} tgid={number(31)}{some("last", "untraced")}',
        lambda: f'state {other} tgid={number(31)} state={dice.choice(STATES)} nr={nr()} '
                f'since={number()} run={number()} {comm()}{args()}'
                f'{some("at_stop", "on_cpu", "iowait", "regs=" + regs())}',
        lambda: f'stack {tid} {stack()}',
        lambda: f'sample {tid} {stack()}',
        lambda: f'stack {tid} {stack()} reason=2',
        lambda: f'snapshot {tid} {ips(256)} unwound{some("since=" + str(100000 * (1 + number(16) % 65535)))}',
        lambda: f'comm {other} tgid={number(31)} {comm()}',
        lambda: f'block_issue {other} {block()}{some(f"queued={number(32)}")}{block_flags()}',
        lambda: f'block_done {other} {block()} latency={number()}'
                f'{some(f"error={1 + number(12)}")}{block_flags()}',
        lambda: f'probe {tid} {number(16)}{args()}{some("return", "user", "interrupt")}',
        lambda: plain(tid),
    ])()


def main():
    now = 5_000_000_000
    print('meta command a command')
    print('meta empty')
    print('map 100 0x400000 0x500000 0x0 x /usr/bin/demo\\x20(deleted) 0123abcd')
    print('map 100 0x500000 0x600000 0x1000 - /usr/lib/demo.so -')
    print('thread 101 100 worker-1')
    print('sym 0 0x1000 0x100 handle_request demo program')
    print('sym 7 0x1100 0x100 _ZN1a1bEv lib.so library')
    print('fd 100 0 unknown -')
    print('fd 100 7 epoll anon_inode:[eventpoll]')
    print('memory 100 0x7ffe0000 00ff10')
    print('memory 101 0x7ffe0000 -')
    print(f'standing 101 0x7ffe0000 {ips(1024)} {ended()}')
    print('standing 102 0x7ffe0000 - unwound_broken')
    print('lock 101 0x5000 100')
    print('file 0 read 0 12 7 /usr/bin/demo 0123abcd -')
    print('file 7 other 0 4294967295 4294967295 /usr/bin/a\\x20b 0123 4567 deleted')
    print('file 8 unreadable 2 0 0 /usr/bin/gone - -')
    print('code 0 0x1010 0x401000 0x40 main 0 function named lined')
    print('code 0 0x1020 0x401020 0x0 - 2 10 inner demo.c 4294967295 - demo\\x20.h lined')
    print('code 0 0x1030 0x401020 0x0 _ZN1aIcE 0')
    for _ in range(int(sys.argv[1])):
        # Mostly short, at times beyond what a record's delta can hold.
        now += number(17) if dice.random() < .97 else number(35)
        cpu = dice.choice([0, 0, 0, 1, 7])
        if dice.random() < .005:
            print(now, cpu, 'lost', number(20))
        else:
            print(now, cpu, event(now, dice.choice(TIDS)))


if __name__ == '__main__':
    main()
