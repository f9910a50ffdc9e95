# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. The program passes each on to itself, by a connection to its own port. 4 in 100 wait for 40 ms for a lock,
and for each of them two tasks wait at the ends of that connection.
Answer: look_up. What is waited for at a connection that leads back to the program is where the task is that should write there."""
from tasks_asleep import SERVE, serve

LOCK = tuple(SERVE + ["look_up", "libc:sync.(*Mutex).lockSlow"])
FRONT = ("call_service", "libc:net.(*conn).Read")
BACK = ("serve_stream", "libc:net.(*conn).Read")
serve(91, lambda random: (random.randint(38_000_000, 42_000_000), (FRONT, BACK, LOCK)) if random.random() < 0.04 else (0, ()),
      peer="from 127.0.0.1:40000 to 127.0.0.1:2379 (pid 100 server)")
