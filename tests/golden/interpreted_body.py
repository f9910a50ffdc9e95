# SPDX-License-Identifier: GPL-2.0-only
"""A script of a few lines that starts a server of Python's own library: its body is the only function of the program on any stack, and in
5 % of the requests the library's end_int runs for 12 ms.
Answer: end_int. The body runs in all requests."""
from interpreted import APP, serve

serve(36, lambda server: server.run(12_000_000, APP + ["end_int"]), file="/usr/lib/python3.11/xmlrpc/client.py", body="/srv/app.py")
