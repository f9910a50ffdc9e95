# SPDX-License-Identifier: GPL-2.0-only
"""A pool of four workers, each of which waits in a futex of its own, whatever for: the JVM's threads do. An event loop hands them
connections, and they read what is asked themselves. 1 request in 25 asks a packer, which works for 20 ms, and waits for its part
in the same futex; others end before their worker waits there for the next connection.
Answer: pack_order, by its sleep; no request lasts until the next one comes, and the event loop is not at fault."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=58)
trace.fd(4, "epoll")
for fd in range(10, 22):
    trace.fd(fd, "accepted")
loop = Thread(trace, 100, "loop", 0)
packer = Thread(trace, 101, "packer", 1)
busy = {fd: 0 for fd in range(10, 22)}  # until then
workers = [Thread(trace, 102 + i, f"pool-{i}", 2 + i) for i in range(4)]
WORK = ["start_worker", "serve"]
PARK = ["start_worker", "next_job", "libc:park"]
for thread in [loop, packer] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()


def park(worker, until, waker, path):
    """In its futex, on either word of the condition variable, until then."""
    worker.sleep("futex", until - worker.now - 1000, args=f"{0xc000 + worker.tid * 256 + 4 * trace.random.randint(0, 1):#x},0x189,0",
                 path=path, waker=waker)


while loop.now < trace.end_ns - 100_000_000:
    loop.sleep("epoll_wait", trace.random.randint(1_000_000, 5_000_000), ret=1, args="4", path=["main", "poll_clients", "libc:epoll_wait"])
    fd = trace.random.choice([fd for fd in busy if busy[fd] < loop.now])
    worker = min(workers, key=lambda one: one.now)
    if worker.now > loop.now - 10_000:
        continue
    park(worker, loop.now, loop, PARK)
    worker.call("read", 4_000, ret=64, args=fd, path=WORK + ["libc:read"])
    worker.run(trace.random.randint(90_000, 130_000), WORK + ["make_page"])
    if trace.random.random() < 0.04 and packer.now < worker.now - 10_000:
        packer.sleep("futex", worker.now - packer.now - 1000, args="0x7e00,0x189,0", path=["start_packer", "next_order", "libc:park"],
                     waker=worker)
        packer.sleep("nanosleep", trace.random.randint(18_000_000, 22_000_000), args="0x10", path=["start_packer", "pack_order", "libc:nanosleep"])
        park(worker, packer.now, packer, WORK + ["ask_packer", "libc:park"])
    worker.call("write", 9_000, ret=512, args=fd, path=WORK + ["send_page"])
    busy[fd] = worker.now
for worker in workers:
    worker.stuck("futex", args=f"{0xc000 + worker.tid * 256:#x},0x189,0")
packer.stuck("futex", args="0x7e00,0x189,0")
trace.print()
