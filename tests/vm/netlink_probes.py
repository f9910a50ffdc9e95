# SPDX-License-Identifier: GPL-2.0-only
"""netlink_probes.py FILE: listens to all netlink messages of this host by an nlmon device, and at SIGTERM writes three
numbers to FILE, from the messages alone: the probes that the module was asked to set, those that it set, and those that
it was asked to remove. Prints "ready" when it listens. Needs nlmon, which it makes, and the module."""
import errno
import signal
import socket
import struct
import subprocess
import sys

NETLINK_GENERIC, ETH_P_ALL = 16, 3
GETFAMILY, NLMSG_ERROR = 3, 2	# of the controller; of all of netlink
PROBE_ADD, PROBE_REMOVE = 9, 10	# enum scope_cmd
DEVICE = "nlmon0"


def family_of(name):
    """The number of a generic netlink family."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as control:
        text = name.encode() + b"\0"
        attribute = struct.pack("HH", 4 + len(text), 2) + text.ljust(-(-len(text) // 4) * 4, b"\0")
        body = struct.pack("BBH", GETFAMILY, 1, 0) + attribute
        control.send(struct.pack("IHHII", 16 + len(body), 16, 1, 1, 0) + body)
        answer = control.recv(65536)
    at = 20
    while at < len(answer):
        length, kind = struct.unpack_from("HH", answer, at)
        if kind == 1:
            return struct.unpack_from("H", answer, at + 4)[0]
        at += -(-length // 4) * 4
    raise OSError(errno.ENOENT, f"there is no family {name}")


class Counter:
    """Counts messages; a probe is set if its request was answered by an error number of 0."""

    def __init__(self, family):
        self.family = family
        self.asked = {}
        self.set = self.refused = self.removed = 0

    def take(self, packet):
        at = 0
        while at + 16 <= len(packet):
            length, kind, _flags, number, port = struct.unpack_from("IHHII", packet, at)
            if length < 16:
                return
            if kind == self.family and length >= 20:
                command = packet[at + 16]
                if command == PROBE_ADD:
                    self.asked[(port, number)] = True
                self.removed += command == PROBE_REMOVE
            elif kind == NLMSG_ERROR and length >= 36:
                code = struct.unpack_from("i", packet, at + 16)[0]
                _length, of, _flags, of_number, of_port = struct.unpack_from("IHHII", packet, at + 20)
                if of == self.family and self.asked.pop((of_port, of_number), None):
                    self.set += code == 0
                    self.refused += code != 0
            at += -(-length // 4) * 4


def main():
    subprocess.run(["modprobe", "nlmon"], check=True)
    subprocess.run(["ip", "link", "add", DEVICE, "type", "nlmon"], check=True)
    subprocess.run(["ip", "link", "set", DEVICE, "up"], check=True)
    counter = Counter(family_of("scope"))
    listener = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    listener.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)	# SO_RCVBUFFORCE
    listener.bind((DEVICE, 0))
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    listener.settimeout(0.2)
    print("ready", flush=True)
    while not ended:
        try:
            counter.take(listener.recv(1 << 20))
        except socket.timeout:
            continue
    # struct tpacket_stats: of AF_PACKET, SOL_PACKET 263, PACKET_STATISTICS 6.
    seen, dropped = struct.unpack("II", listener.getsockopt(263, 6, 8))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print(f"set {counter.set} refused {counter.refused} removed {counter.removed} messages {seen} "
              f"dropped {dropped} unanswered {len(counter.asked)}", file=file)
    subprocess.run(["ip", "link", "del", DEVICE], check=True)


main()
