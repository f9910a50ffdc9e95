# SPDX-License-Identifier: GPL-2.0-only
"""A server that is one event loop, about thirty requests a second; twice in 90 s it does nothing else for about 5 s, because it
writes a snapshot itself.
Answer: two freezes in compress, which saves the snapshot, that alone."""
from freezing import serve_and_freeze

serve_and_freeze(88, (30, 61), ["main", "event_loop", "save_snapshot", "compress"])
