# SPDX-License-Identifier: GPL-2.0-only
"""The XML-RPC server of Python's library. Usage: rpc.py PORT DIGITS [one]    how long a number may be, 0: as long as it likes;
one: a thread for all connections, else a thread for each."""
import socketserver
import sys
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer


class Handler(SimpleXMLRPCRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True


class One(SimpleXMLRPCServer):
    pass


class Many(socketserver.ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


def bits(numbers):
    return sum(number.bit_length() for number in numbers)


sys.set_int_max_str_digits(int(sys.argv[2]))
server = (One if sys.argv[3:] else Many)(("127.0.0.1", int(sys.argv[1])), Handler, logRequests=False)
server.register_function(bits)
server.serve_forever()
