#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about the functions of languages/ in web frameworks and application servers (frameworks/), of which some requests are slow, or one hangs.

Usage: frameworks.py [-a] [-d SECONDS] [-s SHARE] [-o DIR] [SERVER[/KIND]...]      default: all of all, 10 s each, build/frameworks

SERVER is gthread, sync, gevent (Flask in gunicorn's workers), uwsgi (Django), modwsgi (Django in Apache), uvicorn (Starlette), aiohttp, puma, unicorn
(Sinatra), tomcat, jetty, netty, express, or modphp (PHP in Apache). KIND is a function of languages/, or none: a healthy server.
Prints a line for each: whether the function is first, or for none whether nothing is abnormal, the verdict, and the functions named. Slow ones
are 3 % of the requests, or SHARE, and those that take longer and longer all of them; a server in which one hangs is attached to afterwards. With -a, traces of
an earlier run are analysed again.
Exit status: 0 however many are first. Needs root, perf events or the module, and the frameworks (`scripts/setup.sh frameworks`).
"""
import glob
import os
import re
import shutil
import socket
import subprocess
import sys

from languages import Languages
from planted import HERE

FOLDER = f"{HERE}/frameworks"
PYTHON = "/usr/bin/python3"
# The language whose functions it runs, the program, and for Python the application.
SERVERS = {
    "gthread": ("python", "gunicorn", "flask"), "sync": ("python", "gunicorn", "flask"), "gevent": ("python", "gunicorn", "flask"),
    "uwsgi": ("python", "uwsgi", "django"), "modwsgi": ("python", "apache2", "django"), "uvicorn": ("python", "uvicorn", "starlette"),
    "aiohttp": ("python", PYTHON, "aiohttp"), "puma": ("ruby", "puma", ""), "unicorn": ("ruby", "unicorn", ""), "tomcat": ("java", "javac", "OnTomcat"),
    "jetty": ("java", "javac", "OnJetty"), "netty": ("java", "javac", "OnNetty"), "express": ("node", "node", ""), "modphp": ("php", "apache2", ""),
}
JARS = ("tomcat10*", "jetty9*", "netty*", "servlet-api", "tomcat-*", "jakarta*", "javax*", "slf4j-api", "slf4j-nop", "geronimo*")
WORKERS = {"gthread": ["-k", "gthread", "--threads", "8"], "sync": ["-w", "4"], "gevent": ["-k", "gevent"]}
APACHE = """ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/log
DefaultRuntimeDir {folder}
LoadModule mpm_{mpm}_module /usr/lib/apache2/modules/mod_mpm_{mpm}.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule {module} /usr/lib/apache2/modules/{file}
KeepAlive On
MaxKeepAliveRequests 0
<Directory />
Require all granted
</Directory>
"""
MPM = {"modphp": "StartServers 4\nAliasMatch ^ {here}/languages/serve.php\n<Directory {here}/languages>\nSetHandler application/x-httpd-php\n</Directory>\n",
       "modwsgi": "StartServers 1\nServerLimit 1\nThreadsPerChild 16\nMaxRequestWorkers 16\nWSGIPythonHome /usr\nWSGIScriptAlias / {here}/frameworks/web.py\n"}


class Frameworks(Languages):
    """The servers of frameworks/."""
    name = "frameworks"
    servers = list(SERVERS)

    def missing(self, server):
        tool = SERVERS[server][1]
        if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
            return f"there is no {tool}"
        if tool == "javac":
            return self.build(SERVERS[server][2])
        return ""

    def jars(self):
        return ":".join([self.out, *sorted({jar for name in JARS for jar in glob.glob(f"/usr/share/java/{name}.jar")})])

    def build(self, name):
        if os.path.exists(f"{self.out}/{name}.class"):
            return ""
        ran = subprocess.run(["javac", "-d", self.out, "-cp", self.jars(), f"{HERE}/languages/Serve.java", f"{FOLDER}/{name}.java"],
                             capture_output=True, text=True, check=False)
        return f"{name}.java does not build: {ran.stderr.strip()[:200]}" if ran.returncode else ""

    def kinds_of(self, server):
        return super().kinds_of(SERVERS[server][0])

    def command(self, server, port, peer, folder):
        os.environ["SERVE"] = f"{port} {peer} {folder} {SERVERS[server][2]}"
        os.environ["PYTHONPATH"] = FOLDER
        os.environ["PEER"], os.environ["FOLDER"] = peer, folder
        at = f"127.0.0.1:{port}"
        if server in WORKERS:
            return [PYTHON, "/usr/bin/gunicorn", "-b", at, "--keep-alive", "60", "-t", "1000", *WORKERS[server], "web:application"]
        if server == "uwsgi":
            return ["uwsgi", "--plugin", "python3", "--http-socket", at, "--workers", "4", "--enable-threads", "--disable-logging", "--master", "--module", "web"]
        if server == "uvicorn":
            return [PYTHON, "/usr/bin/uvicorn", "--port", str(port), "--no-access-log", "web:application"]
        if server == "aiohttp":
            return [PYTHON, f"{FOLDER}/web.py"]
        if server == "puma":
            return ["puma", "-b", f"tcp://{at}", "-t", "8:8", "-q", f"{FOLDER}/rack.ru"]
        if server == "unicorn":
            with open(f"{folder}/unicorn.rb", "w", encoding="ascii") as file:
                file.write("worker_processes 4\ntimeout 1000\n")
            return ["unicorn", "-l", at, "-c", f"{folder}/unicorn.rb", f"{FOLDER}/rack.ru"]
        if server == "express":
            os.environ["NODE_PATH"] = "/usr/share/nodejs"
            return ["node", f"{FOLDER}/express.js", str(port), peer, folder]
        if SERVERS[server][1] == "javac":
            return ["java", "-cp", self.jars(), SERVERS[server][2], str(port), peer, folder]
        mpm, module, file = ("prefork", "php_module", "libphp8.2.so") if server == "modphp" else ("event", "wsgi_module", "mod_wsgi.so")
        with open(f"{folder}/apache.conf", "w", encoding="ascii") as conf:
            conf.write(APACHE.format(port=port, folder=folder, mpm=mpm, module=module, file=file) + MPM[server].format(here=HERE))
        return ["/usr/sbin/apache2", "-DFOREGROUND", "-f", f"{folder}/apache.conf"]

    def text(self, server, path):
        return f"GET /{path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()

    def read_answer(self, client):
        """They send heads and bodies by several calls."""
        text = client.recv(4096)
        size = re.search(rb"(?i)content-length: (\d+)", text)
        while text and size and len(text.partition(b"\r\n\r\n")[2]) < int(size[1]):
            more = client.recv(4096)
            if not more:
                break
            text += more
        return text

    def one_each(self, server):
        return server in ("sync", "unicorn", "uwsgi")

    def ends_answers(self, server):
        return server in ("sync", "unicorn", "uwsgi")

    def socket_kind(self, server):
        return socket.SOCK_STREAM


if __name__ == "__main__":
    sys.exit(Frameworks().main())
