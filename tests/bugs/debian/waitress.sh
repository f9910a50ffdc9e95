# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Waitress (Python), a pool of threads, which asks a program for lists. Sourced by start.sh.

# The program's answer is read once it has ended, or as it comes; words are taken out of their tags by the parser of Python, or by a pattern.
server_waitress() {
	local words='" ".join(re.sub("<[^>]*>", "", text).split())' read="        program.wait()
        return program.stdout.read()"
	[ "$name" = blind7-waitress-pipe ] || read="        return program.communicate()[0]"
	[ "$name" != blind7-waitress-tags ] || words='Words(text).found()'
	cat >"$work/lists.py" <<-PY
	import hashlib
	import re
	import subprocess
	from html.parser import HTMLParser
	from waitress import serve


	def export_list(many):
	    with subprocess.Popen(["seq", many], stdout=subprocess.PIPE) as program:
	$read


	class Words(HTMLParser):
	    def __init__(self, text):
	        super().__init__()
	        self.words = []
	        self.feed(text)
	        self.close()

	    def handle_data(self, data):
	        self.words.append(data)

	    def found(self):
	        return " ".join("".join(self.words).split())


	def take_words(text):
	    return $words.encode()


	def answer(path, body):
	    kind, _, rest = path[1:].partition("/")
	    if kind == "list":
	        return export_list(rest)
	    if kind == "note":
	        return take_words(body.decode())
	    if kind == "digest":
	        return hashlib.pbkdf2_hmac("sha256", rest.encode(), b"salt", 3000).hex().encode()
	    return b"page " + rest.encode()


	def application(environ, start_response):
	    body = answer(environ["PATH_INFO"], environ["wsgi.input"].read())
	    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
	    return [body]


	serve(application, host="127.0.0.1", port=$port, threads=8)
	PY
	"$program" "$work/lists.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
